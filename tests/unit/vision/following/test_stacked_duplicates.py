"""Of two packs: a card that is put exactly on its like, which no picture shows."""

from __future__ import annotations

import pytest

from tests.support.event_script import PLAY_AT, Script, bob_draws, card


def put_nine(script: Script, player: str) -> None:
    """A player puts a nine of spades down; it may lie exactly on one that lies there."""
    script.table = [card("9S", PLAY_AT, 1.0)]
    script.reach(player, (PLAY_AT, 0.4))
    script.rest()


@pytest.mark.parametrize(("packs", "told"), [(2, [("play", "Bob", ("9S",))]), (1, [])])
def test_who_paused_at_the_pile_and_drew_has_put_a_card_on_its_like(
    packs: int, told: list[tuple[str, str, tuple[str, ...]]]
) -> None:
    script = Script(packs=packs)
    put_nine(script, "Ann")
    put_nine(script, "Bob")
    bob_draws(script, trips=1)
    assert script.told()[1:] == [("play", "Ann", ("9S",)), *told, ("draw", "Bob", ())]
    assert script.maker.pile == ["9S"] * (1 + len(told))


def test_who_draws_for_what_was_seen_to_be_put_down_has_put_nothing_else_there() -> None:
    script = Script(packs=2)
    put_nine(script, "Bob")
    bob_draws(script, trips=1)
    assert script.told()[1:] == [("play", "Bob", ("9S",)), ("draw", "Bob", ())]


def test_who_drew_without_a_hand_at_the_pile_has_put_nothing_there() -> None:
    script = Script(packs=2)
    put_nine(script, "Ann")
    bob_draws(script, trips=1)
    assert script.told()[1:] == [("play", "Ann", ("9S",)), ("draw", "Bob", ())]


def test_no_card_is_put_there_more_often_than_there_are_packs() -> None:
    script = Script(packs=2)
    for player in ("Ann", "Bob", "Bob"):
        put_nine(script, player)
        bob_draws(script, trips=1)
    assert script.maker.pile == ["9S", "9S"]
