"""Golden files: what goes on what, and whole games as text. A difference is a change of the rules.

`UPDATE_GOLDEN=1 pytest tests/replay/test_golden.py` writes them anew; read the difference before committing.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from engine.judging.judge import judge
from engine.notation.record import Record, read_record
from engine.ruleset import RULESET_NAMES, load_ruleset
from engine.simulation.simulate import play_game

GOLDEN = Path(__file__).parent / "golden"
CARDS = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A", "JOKER")
OPTIONS = [
    ("jokers", "4-colour"),
    ("jokers", "10-not-on-7"),
    ("shed", "suit-values"),
    ("shed", "bastard-card"),
    ("shed", "flange-card"),
]


def compare_with(name: str, text: str) -> None:
    file = GOLDEN / name
    if os.environ.get("UPDATE_GOLDEN"):
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
    assert text == file.read_text(encoding="utf-8")


def on_suit(card: str, suit: str) -> str:
    return card if card == "JOKER" else card + suit


def matrix(rules: str, options: tuple[str, ...]) -> str:
    """Rows: the top card (of spades). Columns: the card played (of hearts). `+` goes, `.` does not."""
    width = max(map(len, CARDS))
    lines = [" " * width + " " + " ".join(f"{card:>2}"[-2:] if card != "JOKER" else "Jo" for card in CARDS)]
    for top in CARDS:
        row = []
        for card in CARDS:
            played = on_suit(card, "H")
            situation = {
                "rules": rules,
                "options": list(options),
                "players": ["P1", "P2", "P3", "P4"],
                "turn": "P1",
                "pile": [on_suit(top, "S")],
                "action": {"type": "play", "player": "P1", "cards": [played], "source": "hand"},
            }
            verdict = judge(situation)["verdict"]
            row.append({"legal": " +", "illegal": " ."}[verdict])
        lines.append(f"{top:>{width}} " + " ".join(row))
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("rules", RULESET_NAMES)
def test_playability_matrix(rules: str) -> None:
    compare_with(f"matrix_{rules}.txt", matrix(rules, ()))


@pytest.mark.parametrize(("rules", "option"), OPTIONS)
def test_playability_matrix_with_option(rules: str, option: str) -> None:
    compare_with(f"matrix_{rules}_{option}.txt", matrix(rules, (option,)))


def play_through(rules: str) -> Record:
    players = ("Ann", "Bob", "Cat", "Dan")
    game = play_game(rules, players, seed=11, cheats=1)
    log = tuple(step.event for step in game)
    return Record(
        rules=load_ruleset(rules), players=players, dealer=game.dealer, log=log, tags={"Seed": "11"}
    )


@pytest.mark.parametrize("rules", RULESET_NAMES)
def test_play_through(rules: str) -> None:
    record = play_through(rules)
    text = record.to_text()
    compare_with(f"game_{rules}.txt", text)
    again, damage = read_record(text)
    assert not damage
    assert again.to_text() == text
