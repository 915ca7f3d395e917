"""The referee keeps up with whole games, and accuses nobody of what was not seen."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from engine.referee.referee import Outcome, Referee
from engine.ruleset import RULESET_NAMES
from engine.simulation.simulate import play_game
from tests.properties.masked import TABLES
from tests.unit.engine.outcomes import broken, effects, kinds, verdict


def observed(rules: str, seed: int, cheats: int = 0) -> Iterable[tuple[Any, Outcome, Referee]]:
    names = ("Ann", "Bob", "Cat", "Dan")[: 2 + seed % 3]
    game = play_game(rules, names, seed, cheats=cheats)
    referee = Referee(rules, names, dealer=game.dealer)
    for step in game:
        yield step, referee.observe(step.event), referee


@pytest.mark.parametrize("rules", RULESET_NAMES)
def test_no_false_alarm_in_whole_games(rules: str) -> None:
    for seed in range(6):
        for step, outcome, _ in observed(rules, seed):
            if outcome.ruling is not None:
                allowed = ("legal", "unproven") if step.event.event == "pick_up" else ("legal",)
                assert verdict(outcome) in allowed, (seed, step.event, outcome.ruling)
            assert "late_breach" not in kinds(outcome), (seed, step.event)


@pytest.mark.parametrize("rules", RULESET_NAMES)
def test_every_cheat_is_seen(rules: str) -> None:
    cheats = 0
    for seed in range(6):
        for step, outcome, _ in observed(rules, seed, cheats=2):
            if not step.legal:
                cheats += 1
                assert step.rule in broken(outcome), (seed, step.event)
    assert cheats >= 6


@pytest.mark.parametrize("rules", RULESET_NAMES)
def test_public_table_agrees_with_the_whole_one(rules: str) -> None:
    for step, outcome, referee in observed(rules, seed=4):
        if outcome.ruling is not None and effects(outcome)["picks_up"]:
            continue  # a pick-up that is due is entered before it is seen
        table, truth = referee.table, step.after
        if step.event.event in ("draw", "pick_up", "take_up"):
            assert tuple(table.pile) == truth.pile, step.event
        for player, hand in truth.hands.items():
            assert table.hands[player].size == len(hand), (step.event, player)
            assert set(table.hands[player].known) <= set(hand), (step.event, player)


@pytest.mark.parametrize("rules", RULESET_NAMES)
def test_loser_and_turns_come_out_the_same(rules: str) -> None:
    *_, (step, outcome, referee) = observed(rules, seed=2)
    if step.event.event == "game_over":
        assert referee.table.loser == step.event.loser
        assert outcome.confirms


@pytest.mark.parametrize(
    ("rules", "options"), TABLES, ids=lambda part: part if isinstance(part, str) else "-".join(part)
)
@pytest.mark.parametrize("share", [0.05, 0.5])
def test_nobody_is_accused_where_some_played_cards_are_not_read(
    rules: str, options: tuple[str, ...], share: float
) -> None:
    for number in range(3):
        rng = Random(number)
        players = ("Ann", "Bob", "Cat", "Dan", "Eve")[: 3 + number % 3]
        game = play_game(rules, players, number, "sensible" if number else "random", options, quiet_acts=200)
        referee = Referee(game.rules, players, dealer=game.dealer)
        for step in game:
            event = step.event
            if event.event == "play" and rng.random() < share:
                cards = tuple("??" if rng.random() < 0.7 else card for card in event.cards)
                event = replace(event, cards=cards)
            elif event.event == "pick_up":
                event = replace(event, cards=())
            outcome = referee.observe(event)
            assert outcome.ruling is None or outcome.ruling["verdict"] != "illegal", (event, outcome.ruling)
            assert "late_breach" not in [follow.event for follow in outcome.follow_ups], (event, outcome)
