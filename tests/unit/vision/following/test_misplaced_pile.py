"""The play pile was believed to lie elsewhere: its first card was shown, or its place was guessed wrongly."""

from __future__ import annotations

import pytest

from tests.support.event_script import PLAY_AT, Script, card
from vision.table.layout import Place

HOMES: dict[str, Place] = {"Ann": (0.0, 250.0), "Bob": (-390.0, 0.0), "Cat": (0.0, -250.0)}
HELD_OUT = (-220.0, -30.0)


def puts(script: Script, player: str, name: str, place: Place) -> None:
    """A player puts a card down somewhere."""
    home = HOMES[player]
    script.end(script.reach(player, (home, 0.1), (place, 0.4), (home, 0.1)))
    script.table.append(card(name, place))
    script.rest(4.0)


def near(place: Place, x: float, y: float) -> Place:
    return place[0] + x, place[1] + y


def first_turn_show(put_away: Place, *, by_hands: bool) -> Script:
    """Ann shows Bob a 3 before anybody has played, and puts it beside the draw pile."""
    script = Script(play=None, by_hands=by_hands)
    reach = script.reach("Ann", (HOMES["Ann"], 0.1), (HELD_OUT, 1.2))
    script.go_on(reach, [put_away] * 4)
    script.go_on(reach, [HOMES["Ann"]] * 3)
    script.end(reach)
    script.table.append(card("3D", put_away))
    script.rest(4.0)
    return script


@pytest.mark.parametrize("by_hands", [False, True])
@pytest.mark.parametrize("put_away", [(-120.0, 130.0), (-60.0, 110.0)])
def test_a_card_that_is_shown_before_any_play_loses_no_later_play(put_away: Place, by_hands: bool) -> None:
    script = first_turn_show(put_away, by_hands=by_hands)
    puts(script, "Cat", "9S", PLAY_AT)
    puts(script, "Ann", "JS", near(PLAY_AT, 10.0, 12.0))
    puts(script, "Bob", "KS", near(PLAY_AT, -12.0, 5.0))
    plays = [("play", "Cat", ("9S",)), ("play", "Ann", ("JS",)), ("play", "Bob", ("KS",))]
    assert script.told()[1:] == [("show", "Ann", ("3D",)), *plays]
    (show,) = [event for event in script.events if event.event == "show"]
    assert show.to == "Bob"
    assert script.maker.pile == ["9S", "JS", "KS"]


def test_a_first_card_that_was_not_held_out_is_withdrawn_if_the_plays_lie_elsewhere() -> None:
    script = Script(play=None)
    puts(script, "Ann", "3D", (-60.0, 130.0))
    puts(script, "Cat", "9S", PLAY_AT)
    puts(script, "Ann", "JS", near(PLAY_AT, 10.0, 12.0))
    assert script.told()[1:] == [("play", "Cat", ("9S",)), ("play", "Ann", ("JS",))]


def test_cards_of_one_rank_that_are_put_aside_are_no_plays() -> None:
    """They are a shown card and its answer."""
    script = Script()
    puts(script, "Ann", "9S", PLAY_AT)
    aside = (-120.0, 130.0)
    puts(script, "Bob", "3D", aside)
    puts(script, "Cat", "3S", near(aside, 8.0, 5.0))
    puts(script, "Ann", "JS", near(PLAY_AT, 10.0, 12.0))
    assert [told for told in script.told()[1:] if told[0] == "play"] == [
        ("play", "Ann", ("9S",)),
        ("play", "Ann", ("JS",)),
    ]


def test_cards_put_aside_one_by_one_between_plays_are_no_pile() -> None:
    script = Script()
    aside = (-120.0, 130.0)
    puts(script, "Ann", "9S", PLAY_AT)
    puts(script, "Bob", "3D", aside)
    puts(script, "Cat", "JS", near(PLAY_AT, 10.0, 12.0))
    puts(script, "Ann", "4D", near(aside, 8.0, 5.0))
    puts(script, "Bob", "KS", near(PLAY_AT, -12.0, 5.0))
    assert script.maker.pile == ["9S", "JS", "KS"]


def test_a_card_put_where_the_play_pile_turns_out_to_be_was_played_and_not_shown() -> None:
    script, pile = Script(by_hands=True), (-120.0, 130.0)
    for player, name, x in (("Ann", "3D", 0.0), ("Cat", "9S", 8.0), ("Bob", "JS", -5.0)):
        home = HOMES[player]
        script.end(script.reach(player, (home, 0.1), (near(pile, x, 0.0), 0.4), (home, 0.1)))
        script.table.append(card(name, near(pile, x, 4.0)))
        script.rest(1.4)
    plays = [("play", "Ann", ("3D",)), ("play", "Cat", ("9S",)), ("play", "Bob", ("JS",))]
    assert script.told()[1:] == plays


def test_print_that_was_read_as_a_card_for_a_moment_is_no_play_pile() -> None:
    """The first play is then told as soon as if that had not happened."""
    script = Script(play=None, by_hands=True)
    for _ in range(2):
        script.t += 0.2
        script.table = [card("2C", (120.0, -110.0), p=0.6)]
        script.look()
    script.table = []
    script.rest(3.0)
    puts(script, "Ann", "9S", PLAY_AT)
    assert script.told()[1:] == [("play", "Ann", ("9S",))]
