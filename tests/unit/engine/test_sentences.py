"""What the referee says carries its facts: nothing is said that could not be said in another language."""

from __future__ import annotations

import ast
import copy
import json
import pickle
from pathlib import Path

import engine
from engine.judging.judge import judge
from engine.sentences import Said, facts_of, say

SOURCE = Path(engine.__file__).parent


def test_a_sentence_is_english_and_keeps_form_and_facts() -> None:
    said = say("{cards:The} cannot go on {rank:a}: {who} knows.", cards=("9S", "9D"), rank="8", who="Ann")
    assert said == "The 9 of spades and the 9 of diamonds cannot go on an 8: Ann knows."
    assert said.form == "{cards:The} cannot go on {rank:a}: {who} knows."
    assert said.facts == {"cards": ["9S", "9D"], "rank": "8", "who": "Ann"}
    assert json.loads(json.dumps(said)) == str(said)


def test_every_way_to_fill_a_place() -> None:
    said = say(
        "{a:the}, {a:or}, {b:card}, {c:rank}, {c:plural}, {d:plural}, {e}, {f}",
        a=["KH", "2C"],
        b="QS",
        c="J",
        d=["3", "A"],
        e=None,
        f=7,
    )
    assert said == (
        "the king of hearts and the 2 of clubs, the king of hearts or the 2 of clubs, queen of spades, "
        "jack, jacks, 3s and aces, the player, 7"
    )


def test_a_player_who_is_not_known_has_a_capital_only_at_the_beginning() -> None:
    assert say("{who} drew {count} cards.", who=None, count=2) == "The player drew 2 cards."
    assert say("whether {who}'s hand is empty", who=None) == "whether the player's hand is empty"
    assert say("{who} drew a card.", who="van Dyk") == "van Dyk drew a card."


def test_copies_keep_form_and_facts() -> None:
    said = say("{who} has left the game and takes no turn.", who="Ann")
    for copied in (copy.deepcopy(said), pickle.loads(pickle.dumps(said))):
        assert (copied, copied.form, copied.facts) == (said, said.form, said.facts)
    assert facts_of("plain") == {}


def test_a_breach_is_written_with_its_form_and_facts() -> None:
    ruling = judge(
        {
            "rules": "winnersh",
            "players": ["Ann", "Bob"],
            "turn": "Ann",
            "pile": ["8C"],
            "action": {"type": "play", "player": "Ann", "cards": ["4H"], "source": "hand"},
        }
    )
    (breach,) = ruling["breaches"]
    assert breach["says"] == "The 4 of hearts cannot go on an 8: equal or higher is needed."
    assert breach["form"] == "{cards:The} cannot go on {rank:a}: equal or higher is needed."
    assert breach["facts"] == {"cards": ["4H"], "rank": "8"}


def test_no_breach_need_or_note_is_bare_text() -> None:
    """Only `say` makes sentences; its form is a literal, so that catalogues find it."""
    bare, forms = [], 0
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            if isinstance(node.func, ast.Attribute) and node.func.attr in ("breach", "need", "note"):
                texts = (ast.JoinedStr, ast.Constant)
                spoken = node.args[1:2] if node.func.attr == "breach" else node.args[:1]
                bare += [f"{path.name}:{node.lineno}" for arg in spoken if isinstance(arg, texts)]
            if isinstance(node.func, ast.Name) and node.func.id == "say":
                forms += 1
                form = node.args[0]
                if not (isinstance(form, ast.Constant) and isinstance(form.value, str)):
                    bare.append(f"{path.name}:{node.lineno}")
    assert bare == []
    assert forms > 100


def test_what_is_unproven_or_noted_carries_its_facts_too() -> None:
    ruling = judge(
        {
            "rules": "winnersh",
            "players": ["Ann", "Bob"],
            "turn": "Ann",
            "pile": ["8C"],
            "action": {"type": "pick_up", "player": "Ann", "count": 2},
        }
    )
    spoken = [*ruling.get("needs", []), *ruling["notes"]]
    assert spoken
    assert all(isinstance(text, Said) for text in spoken)
