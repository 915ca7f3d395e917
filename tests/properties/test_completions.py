"""Three-valued rulings hold for every card that a hidden one can be."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.judging.judge import judge
from tests.properties.masked import TABLES, completed, masked, true_situations, unseen_cards


def _of_two_ranks(situation: dict[str, Any]) -> bool:
    return len({card[:-1] for card in situation["action"].get("cards", ())}) > 1


@pytest.mark.parametrize(("rules", "options"), TABLES)
@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_knowing_more_never_turns_a_proven_verdict(rules: str, options: tuple[str, ...], seed: int) -> None:
    rng = Random(seed)
    for situation in true_situations(rng, rules, options, 6):
        hidden, known = masked(rng, situation), judge(situation)
        ruling = judge(hidden)
        told = (hidden, situation["action"], ruling, known)
        if known["verdict"] != "unproven":
            assert ruling["verdict"] in ("unproven", known["verdict"]), told
        if _of_two_ranks(situation):
            continue  # what a set of two ranks brings about is not asked of an unread one
        for name, value in ruling["effects"].items():
            expected = known["effects"].get(name)
            if isinstance(value, list):
                assert all(entry in expected for entry in value) or name == "burned", (name, told)
            elif value is not None:
                assert value == expected, (name, told)


@pytest.mark.parametrize(("rules", "options"), TABLES)
@settings(max_examples=4, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_a_proven_verdict_holds_for_every_completion(rules: str, options: tuple[str, ...], seed: int) -> None:
    rng = Random(seed)
    for situation in true_situations(rng, rules, options, 4):
        hidden = masked(rng, situation)
        verdict = judge(hidden)["verdict"]
        for first in [None, *unseen_cards(hidden)]:
            full = completed(rng, hidden, first)
            if verdict != "unproven" and full is not None:
                found = judge(full)["verdict"]
                assert found in (verdict, "unproven"), (hidden, full)


def _with_card(situation: dict[str, Any], spot: tuple[str, int], card: str) -> dict[str, Any]:
    """Return the situation with another card on the pile, or in the hand or row of the player who acts."""
    where, place = spot
    player = situation["action"]["player"]
    row = situation["pile"] if where == "pile" else situation["cards"][player][where]
    changed = [*row[:place], card, *row[place + 1 :]]
    if where == "pile":
        return {**situation, "pile": changed}
    held = {**situation["cards"][player], where: changed}
    return {**situation, "cards": {**situation["cards"], player: held}}


def _spots(situation: dict[str, Any]) -> list[tuple[str, int]]:
    """Return the places of the pile's top, and those of the player's cards that stay where they are."""
    action, pile = situation["action"], situation["pile"]
    spots = [("pile", place) for place in range(max(0, len(pile) - 4), len(pile))]
    for where in ("hand", "up"):
        row = situation["cards"].get(action["player"], {}).get(where, ())
        spots += [(where, place) for place, card in enumerate(row) if card not in action.get("cards", ())]
    return spots


@pytest.mark.parametrize(("rules", "options"), TABLES)
def test_what_every_possible_card_decides_alike_is_decided(rules: str, options: tuple[str, ...]) -> None:
    """One card is hidden, and each card that it can be is tried: only what differs may be left open."""
    rng, seen = Random(11), 0
    for situation in true_situations(rng, rules, options, 60):
        spots = _spots(situation)
        if not spots:
            continue
        spot = rng.choice(spots)
        hidden = _with_card(situation, spot, "??")
        ruling = judge(hidden)
        every = [judge(_with_card(situation, spot, card)) for card in unseen_cards(hidden)]
        verdicts = {one["verdict"] for one in every}
        if ruling["verdict"] == "unproven":
            assert len(verdicts) > 1 or "unproven" in verdicts, hidden
        else:
            assert verdicts <= {ruling["verdict"], "unproven"}, hidden
        for name in ("burn", "next", "extra_turn", "draw", "picks_up", "direction", "shithead"):
            found = {one["effects"][name] for one in every}
            expected = found.pop() if len(found) == 1 else None
            assert ruling["effects"][name] == expected, (name, hidden)
        seen += ruling["verdict"] == "unproven" or None in ruling["effects"].values()
    assert seen > 3
