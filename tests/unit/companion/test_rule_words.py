"""Rule book, quoted sentences and questions speak the language in force; what is written stays English."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from companion.game.ruling_views import ruling_text
from companion.i18n.catalogue import _, set_language
from companion.i18n.events import event_text, question_text
from companion.i18n.rules import citation_text, quotation, rule_texts
from engine.explain import topics
from engine.judging.judge import judge
from engine.ruleset import RULESET_NAMES, build_variant, load_ruleset
from vision.questions import LIES_OTHERWISE, QUESTIONS, UNREAD_CARD, asked

RULES = [(name, rule) for name in RULESET_NAMES for rule in load_ruleset(name).rules.values()]
ENGLISH = (" the ", " may ", " card ", " player", " pile", " must ")


@pytest.fixture(autouse=True)
def german() -> Iterator[None]:
    set_language("de")
    yield
    set_language("en")


@pytest.mark.parametrize(("name", "rule"), RULES, ids=[f"{name} {rule.id}" for name, rule in RULES])
def test_every_rule_is_said_and_quoted_in_german(name: str, rule: Any) -> None:
    for english in (rule.text, rule.quote):
        spoken = _(english)
        assert spoken != english
        assert not any(word in f" {spoken} " for word in ENGLISH), spoken
    assert quotation(rule.quote) == f"„{_(rule.quote)}“"
    assert len(_(rule.quote).split()) <= 30, "short enough to be read from where one sits"


def test_headings_options_and_house_rules_are_german_too() -> None:
    for name in RULESET_NAMES:
        ruleset = load_ruleset(name)
        texts = [*topics(ruleset), *(option.text for option in ruleset.available.values())]
        assert [text for text in texts if _(text) == text] == []
    house = build_variant({"name": "Freitag", "base": "shed"}, "Freitag").rule_for("agreed")
    assert quotation(house.quote) == "„An diesem Tisch ausgemacht.“"
    assert citation_text(house.cite) == "Freitag, Hausregeln"


@pytest.mark.parametrize("form", QUESTIONS)
def test_every_question_is_asked_in_german(form: str) -> None:
    for player in ("Ann", None):
        line = {"event": "unclear", "player": player, "says": asked(form, player, found=1, wanted=4, count=2)}
        spoken = question_text(line)
        assert spoken != line["says"]
        assert spoken.endswith("?")
        assert ("Ann" in spoken) == (player is not None and "{player}" in form)
        assert ("4" in spoken) == ("{wanted}" in form)


def test_a_question_of_another_version_is_asked_as_it_was_written() -> None:
    assert question_text({"says": "Which of the two was it?", "player": "Ann"}) == "Which of the two was it?"
    assert event_text({"event": "unclear"}) == "Unklar, was geschah"


def test_whatever_a_watcher_asks_is_among_the_questions() -> None:
    """Else it could not be translated: no other text may become an `unclear` event."""
    root = Path(__file__).parents[3]
    for path in [*root.glob("vision/*.py"), *root.glob("companion/*.py")]:
        for line in path.read_text("utf-8").splitlines():
            if '"unclear", t' in line or 'event="unclear"' in line:
                said = "says=asked(" in line or "says=says" in line
                assert said, f"{path.name}: {line.strip()}"


def test_a_german_ruling_quotes_the_sentence_and_the_written_one_stays_english() -> None:
    situation = {"players": ["Ann", "Bob"], "turn": "Ann", "pile": ["KD"]}
    ruling = judge(
        {**situation, "action": {"type": "play", "player": "Ann", "cards": ["4H"], "source": "hand"}}
    )
    says, quote = ruling_text(ruling)
    assert says == "Herz 4 auf König: Das geht nicht, es muss gleich oder höher sein."
    assert quote.startswith("„im Wert gleich oder höher als die oberste Karte")
    assert quote.endswith("— Winnersh §5")
    assert ruling["breaches"][0]["quote"].startswith("face value equal to or higher")


def test_in_english_the_sentence_stands_word_for_word() -> None:
    set_language("en")
    rule = load_ruleset("winnersh").rules["setup.exchange-before"]
    assert quotation(rule.quote) == f"“{rule.quote.replace('_', '')}”"
    assert asked(UNREAD_CARD) == "Somebody played a card that cannot be read. Which card is it?"
    assert question_text({"says": asked(LIES_OTHERWISE)}) == LIES_OTHERWISE
    assert len(set(rule_texts())) > 300
