"""Games with jokers: one pack holds two of them, so that two jokers are two cards."""

from __future__ import annotations

from tests.support.event_script import BURN_AT, PLAY_AT, PLAYERS, Script, card, down
from vision.table.layout import Zone
from vision.table.observations import Seen

FIRST, SECOND = card("JOKER", PLAY_AT), card("JOKER", (-40.0, 2.0))


def test_two_jokers_played_together_are_two_cards() -> None:
    script = Script()
    script.play("Bob", FIRST, SECOND)
    assert script.told()[1:] == [("play", "Bob", ("JOKER", "JOKER"))]


def test_a_joker_laid_beside_another_is_a_play() -> None:
    script = Script()
    script.play("Bob", FIRST)
    script.play("Cat", SECOND)
    assert script.told()[1:] == [("play", "Bob", ("JOKER",)), ("play", "Cat", ("JOKER",))]
    assert script.maker.pile == ["JOKER", "JOKER"]


def test_a_pack_has_no_third_joker() -> None:
    script = Script()
    script.play("Bob", FIRST, SECOND, card("JOKER", (-80.0, 0.0)))
    assert script.told()[1:] == [("play", "Bob", ("JOKER", "JOKER"))]


def test_a_joker_can_be_played_after_the_other_was_burnt() -> None:
    script = Script()
    script.play("Bob", FIRST)
    script.reach("Bob", (PLAY_AT, 0.4), (BURN_AT, 0.3))
    script.table = [down(BURN_AT)]
    script.rest()
    script.play("Cat", Seen(*PLAY_AT, 90.0, "up", {"JOKER": 0.55, "2H": 0.4}))
    assert script.told()[-2:] == [("burn", "Bob", ("JOKER",)), ("play", "Cat", ("JOKER",))]


def test_a_card_that_looks_like_a_joker_is_another_one_once_both_jokers_were_burnt() -> None:
    script = Script()
    script.play("Bob", FIRST, SECOND)
    script.reach("Bob", (PLAY_AT, 0.4), (BURN_AT, 0.3))
    script.table = [down(BURN_AT), down((-190.0, 85.0), 60)]
    script.rest()
    script.play("Cat", Seen(*PLAY_AT, 90.0, "up", {"JOKER": 0.55, "2H": 0.4}))
    assert script.told()[-1] == ("play", "Cat", ("2H",))


def test_a_joker_comes_from_the_hand_while_another_lies_in_a_row() -> None:
    script = Script()
    spot = Zone("row", PLAYERS.index("Dan"), 0)
    there = script.maker.layout.seats[spot.seat].row[spot.spot]
    script.maker.rows.spots[spot].up, script.rows[spot] = "JOKER", card("JOKER", there)
    script.play("Ann", FIRST)
    play = script.events[-1]
    assert (play.player, play.cards, play.source) == ("Ann", ("JOKER",), "hand")
    assert script.maker.rows.spots[spot].up == "JOKER"


def test_a_joker_that_lies_exactly_on_the_other_is_told_by_the_draw_for_it() -> None:
    script = Script()
    for player in ("Ann", "Bob"):
        script.table = [card("JOKER", PLAY_AT, 1.0)]
        script.reach(player, (PLAY_AT, 0.4))
        script.rest()
    script.reach("Bob", ((70.0, 0.0), 0.3), ((70.0, -250.0), 0.1))
    script.rest(2.1)
    plays = [("play", "Ann", ("JOKER",)), ("play", "Bob", ("JOKER",))]
    assert script.told()[1:] == [*plays, ("draw", "Bob", ())]
