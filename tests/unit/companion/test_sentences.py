"""The referee speaks German: every sentence that the engine can say, with its facts."""

from __future__ import annotations

import json
import string
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import engine
from companion.game.ruling_views import ruling_text
from companion.i18n.catalogue import set_language
from companion.i18n.events import event_text
from companion.i18n.extract import marked_texts
from companion.i18n.sentences import breach_text, storable_ruling
from engine.judging.judge import judge
from engine.sentences import facts_of, say

FORMS = sorted({text for text in marked_texts(Path(engine.__file__).parent) if isinstance(text, str)})
SAMPLE: dict[str, Any] = {"the": ["9S", "KD"], "The": ["9S"], "or": ["9S", "KD"], "card": "9S", "a": "K"} | {
    "rank": "K",
    "plural": ["3"],
}


@pytest.fixture(autouse=True)
def german() -> Iterator[None]:
    set_language("de")
    yield
    set_language("en")


def facts_for(form: str) -> dict[str, Any]:
    """Return facts of the right kind for every place of a form."""
    facts: dict[str, Any] = {}
    for _text, name, spec, _conversion in string.Formatter().parse(form):
        if name:
            numbers = ("count", "all", "left", "gives", "takes")
            usual = (
                2
                if name in numbers
                else "8 or higher"
                if name == "asked"
                else "7"
                if name == "rank"
                else "Ann"
            )
            if name == "due" and "drew" in form:
                usual = 2
            facts[name] = SAMPLE[spec] if spec else facts.get(name, usual)
    return facts


def test_the_engine_says_a_good_hundred_sentences() -> None:
    assert len(FORMS) > 100


@pytest.mark.parametrize("form", FORMS)
def test_every_sentence_is_said_in_german(form: str) -> None:
    said = say(form, **facts_for(form))
    spoken = breach_text({"says": said, **facts_of(said)})
    assert spoken != said
    assert "{" not in spoken
    for english in ("spades", "diamonds", "king", "8 or higher"):
        assert english not in spoken


@pytest.mark.parametrize(
    ("cards", "pile", "says"),
    [
        (["4H"], ["KD"], "Herz 4 auf König: Das geht nicht, es muss gleich oder höher sein."),
        (["4"], ["8C"], "4 auf 8: Das geht nicht, es muss gleich oder höher sein."),
        (["KC"], ["7S"], "Kreuz König auf 7: Das geht nicht, es muss 7 oder niedriger sein."),
    ],
)
def test_a_ruling_is_said_in_german_with_the_place_where_its_sentence_stands(
    cards: list[str], pile: list[str], says: str
) -> None:
    spoken, quote = ruling_text(rule(cards=cards, pile=pile, type="play", source="hand"))
    assert spoken == says
    assert quote.startswith("„")
    assert "Winnersh §5" in quote


def test_needs_and_notes_are_still_known_after_they_were_written_down() -> None:
    ruling = rule(pile=["8C"], type="pick_up", count=2)
    ruling = {**ruling, "verdict": "unproven", "needs": [say("what lies on top of the pile")]}
    read_back = json.loads(json.dumps(storable_ruling(ruling)))
    assert "was oben auf dem Stapel liegt" in ruling_text(read_back)[0]
    noted = {**read_back, "verdict": "legal", "needs": []}
    assert "2 Karten wurden aufgenommen, aber nur 1 waren auf dem Stapel zu sehen." in ruling_text(noted)[0]


def test_a_late_breach_is_said_in_the_log() -> None:
    says = say(
        "{who} held {card:the} and should have started, not {starter}.", who="A", card="3C", starter="B"
    )
    line = {"event": "late_breach", "player": "A", "says": says, "breach": {"says": says, **facts_of(says)}}
    assert event_text(json.loads(json.dumps(line))) == "A hatte Kreuz 3 und hätte beginnen müssen, nicht B."


def test_a_player_who_is_not_known_is_a_word_of_the_sentence() -> None:
    says = say("{who} has no face-down card left.", who=None)
    assert breach_text({"says": says, **facts_of(says)}) == "Der Spieler hat keine verdeckte Karte mehr."
    says = say("{giver} has no {rank:rank} among the face-up cards.", giver="van Dyk", rank="3")
    assert breach_text({"says": says, **facts_of(says)}) == "van Dyk hat keine 3 unter den offenen Karten."


def test_a_sentence_of_another_version_stays_english() -> None:
    for breach in (
        {"says": "An old one."},
        {"says": "An old one.", "form": "Unheard of {what}.", "facts": {"what": 1}},
        {"says": "An old one.", "form": "{who} has no face-down card left.", "facts": {"whom": "Ann"}},
        {"says": "An old one.", "form": 7, "facts": []},
    ):
        assert breach_text(breach) == "An old one."


def rule(pile: list[str], **action: Any) -> dict[str, Any]:
    table = {"rules": "winnersh", "players": ["Ann", "Bob"], "turn": "Ann", "pile": pile}
    return judge({**table, "action": {"player": "Ann", **action}})
