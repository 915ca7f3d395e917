"""Offences of every kind that an onlooker can see are found, and leave no trace once they are taken back."""

from __future__ import annotations

from random import Random

import pytest

from engine.referee.referee import Referee
from engine.ruleset import RULESET_NAMES
from engine.simulation.simulate import play_game
from tests.support.offences import MECHANISMS, offences_at, with_offences

NAMES = ("Ann", "Bob", "Cat", "Dan")


@pytest.mark.parametrize("rules", RULESET_NAMES)
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_an_offence_is_found_and_leaves_no_trace_once_it_is_taken_back(rules: str, seats: int) -> None:
    game = play_game(rules, NAMES[:seats], seats, quiet_acts=60)
    log, breaches = with_offences(game, Random(seats), 12)
    referee, lawful = (Referee(game.rules, game.players, dealer=game.dealer) for _ in range(2))
    for event in log:
        outcome = referee.observe(event)
        broken = {breach["rule"] for breach in outcome.ruling["breaches"]} if outcome.ruling else set()
        due = breaches.get(event.id, frozenset()) if not event.withdrawn else frozenset()
        assert bool(broken & due) == bool(due) == bool(broken), (event, broken, due)
        assert not [follow for follow in outcome.follow_ups if follow.event == "late_breach"], event
    for step in game:
        lawful.observe(step.event)
    assert referee.table == lawful.table


def test_simulated_games_offer_offences_of_every_kind() -> None:
    found = {"plays after the end"}
    for rules in RULESET_NAMES:
        for seed in range(3):
            game = play_game(rules, NAMES, seed, quiet_acts=200)
            found |= {o.kind for place in range(len(game.steps)) for o in offences_at(game, place)}
    assert found == set(MECHANISMS)
