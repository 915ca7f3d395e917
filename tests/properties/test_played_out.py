"""Whole games, entered by touch as they were truly played: the referee finds the same loser, and no fault."""

from __future__ import annotations

from random import Random

import pytest

from companion.i18n.events import event_text
from engine.ruleset import RULESET_NAMES
from engine.simulation.simulate import play_game
from tests.support.touched import enter, hand_scored, illegal, rank, touches

PLAYERS = ("Ann", "Bob", "Cat")
SEEDS = (0, 1, 4)


@pytest.mark.parametrize("named", ["whole", "ranks alone", "some suits"])
@pytest.mark.parametrize("rules", RULESET_NAMES)
def test_a_game_entered_by_touch_ends_with_its_loser_and_without_an_accusation(
    rules: str, named: str
) -> None:
    """However much is said of the cards: suits are tapped only where they matter."""
    chance = Random(named)
    share = {"whole": 0.0, "ranks alone": 1.0, "some suits": 0.5}[named]
    for count in (2, 3):
        for seed in SEEDS:
            game = play_game(rules, PLAYERS[:count], seed, dealer="Bob")
            scored = hand_scored(rules, PLAYERS[:count], "Bob")
            for touch in touches(game, lambda card: rank(card) if chance.random() < share else card):
                enter(scored, touch)
            found = [
                (event_text(line), line["ruling"]["breaches"][0]["says"]) for line in illegal(scored.lines)
            ]
            assert found == [], (count, seed)
            assert scored.table.loser == game.loser, (count, seed)
            assert [line.get("by") for line in scored.lines if line["event"] == "game_over"] == [None]
