"""Places that people show: a table laid out by taps, a pile or a row dragged to where it is."""

from __future__ import annotations

import numpy as np
import pytest

from engine.errors import BadInputError
from tests.e2e.films.test_watch import SIZE, STEP, UP, Game, without
from tests.support.event_script import BURN_AT, DRAW_AT, PLAY_AT, Script, card
from tests.support.event_script import layout as script_layout
from vision.geometry import order_quad
from vision.questions import NO_DRAW_PILE, NO_ROWS, format_question
from vision.table.layout import BURN, DRAW, PLAY, Layout, Place, Zone
from vision.table.manual_layout import TappedPlaces, layout_from_taps, move_zone
from vision.types import CardReading

CARD = np.array([[-31.5, -44], [31.5, -44], [31.5, 44], [-31.5, 44]])
ROWS = ((500.0, 520.0), (140.0, 300.0), (500.0, 80.0), (860.0, 300.0))
"""The rows of four players, clockwise from the bottom edge; 1 pixel = 1 mm."""


def reading(x: float, y: float, turn: float = 0.0, face: str = "up") -> CardReading:
    angle = np.radians(turn)
    matrix = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    return CardReading(order_quad(CARD @ matrix + (x, y)), face, 0.95, None, 0.9)  # type: ignore[arg-type]


def dealt() -> list[CardReading]:
    """A deal to four players with the draw pile in the middle."""
    beside = [reading(x, y + k * 75, 90) for x, y in (ROWS[1], ROWS[3]) for k in (-1, 0, 1)]
    above = [reading(x + k * 75, y) for x, y in (ROWS[0], ROWS[2]) for k in (-1, 0, 1)]
    return [*beside, *above, reading(560, 300, 80, "down")]


def lay_out(
    readings: list[CardReading],
    *rows: Place,
    draw: Place | None = (575.0, 290.0),
    length: int | None = 3,
) -> Layout:
    players = ("Ann", "Bob", "Cat", "Dan")[: len(rows)]
    return layout_from_taps(TappedPlaces(rows, draw), readings, players, length, *SIZE)


def in_pixels(layout: Layout, *places: Place) -> list[tuple[int, int]]:
    return [(round(x), round(y)) for x, y in layout.plane.to_pixels(places)]


def test_taps_near_the_cards_put_each_row_where_its_cards_lie() -> None:
    layout = lay_out(dealt(), *((x + 25, y - 20) for x, y in ROWS))
    assert [seat.player for seat in layout.seats] == ["Ann", "Bob", "Cat", "Dan"]
    assert in_pixels(layout, *layout.seats[0].row) == [(425, 520), (500, 520), (575, 520)]
    assert in_pixels(layout, *layout.seats[1].row) == [(140, 225), (140, 300), (140, 375)]
    assert in_pixels(layout, *layout.seats[2].row) == [(575, 80), (500, 80), (425, 80)]
    facing = [np.round(seat.facing).astype(int).tolist() for seat in layout.seats]
    assert facing == [[0, 1], [-1, 0], [0, -1], [1, 0]]
    assert layout.draw is not None
    assert in_pixels(layout, layout.draw) == [(560, 300)]


def test_players_sit_in_the_order_in_which_their_rows_were_tapped() -> None:
    layout = lay_out(dealt(), ROWS[2], ROWS[3], ROWS[0], ROWS[1])
    assert in_pixels(layout, *(seat.centre for seat in layout.seats)) == [
        (500, 80),
        (860, 300),
        (500, 520),
        (140, 300),
    ]


@pytest.mark.parametrize("read", [0, 1, 2])
def test_spots_of_cards_that_are_not_read_lie_beside_the_others(read: int) -> None:
    cards = [c for c in dealt() if abs(c.quad.mean(axis=0)[1] - 520) > 1]
    cards += [reading(425 + 75 * k, 524) for k in range(read)]
    layout = lay_out(cards, *((x + 5, y) for x, y in ROWS))
    row = np.array(in_pixels(layout, *layout.seats[0].row))
    wanted = np.array([(425, 520), (500, 520), (575, 520)])
    # Without a card only the draw pile, which lies a little aside, tells which way the row is turned.
    assert np.abs(row - wanted).max() <= (5 if read else 25)


def test_without_a_draw_pile_everybody_faces_away_from_the_middle() -> None:
    cards = [c for c in dealt() if c.face == "up"][:6]  # those of the left and the right player
    layout = lay_out(cards, *ROWS, draw=None)
    assert layout.draw is None
    assert np.round(layout.seats[0].facing).astype(int).tolist() == [0, 1]


def test_where_the_rules_leave_it_open_rows_are_as_long_as_what_is_read() -> None:
    two = [c for c in dealt() if tuple(c.quad.mean(axis=0).round()) not in ((575, 520), (425, 80))]
    two = [c for c in two if c.quad[:, 0].mean() not in (140, 860)]
    layout = lay_out(two, ROWS[0], ROWS[2], length=None)
    assert [len(seat.row) for seat in layout.seats] == [2, 2]


@pytest.mark.parametrize(
    ("rows", "draw"),
    [
        ((ROWS[0], ROWS[0], ROWS[2]), None),
        ((ROWS[0], ROWS[2]), (ROWS[0][0] + 20, ROWS[0][1])),
        (((500.0, 300.0), (505.0, 300.0), (500.0, 305.0)), (502.0, 300.0)),
    ],
    ids=["two rows", "a row and the draw pile", "all in one spot"],
)
def test_two_things_in_one_place_are_refused_in_one_line(rows: tuple[Place, ...], draw: Place | None) -> None:
    with pytest.raises(BadInputError, match="Two of these lie in one place"):
        lay_out(dealt(), *rows, draw=draw)


def test_where_no_card_is_read_it_is_said_that_only_cards_tell_how_the_table_lies() -> None:
    with pytest.raises(BadInputError, match="No card is read"):
        lay_out([], *ROWS)


def test_every_player_has_one_row() -> None:
    with pytest.raises(BadInputError, match="it has 3 seats for 2 players"):
        layout_from_taps(TappedPlaces(ROWS[:3], None), dealt(), ("Ann", "Bob"), 3, *SIZE)


def test_a_row_of_somebody_who_no_longer_sits_there_is_not_moved() -> None:
    with pytest.raises(BadInputError, match="Nobody sits there"):
        move_zone(lay_out(dealt(), *ROWS), Zone("row", 4), (300.0, 300.0), dealt())


def test_a_place_beyond_the_table_is_none() -> None:
    with pytest.raises(BadInputError, match="not on the table"):
        lay_out(dealt(), *ROWS, draw=(90_000.0, 300.0))


def test_a_row_that_is_dragged_goes_to_the_cards_there() -> None:
    layout = lay_out(dealt(), *ROWS)
    moved = [c for c in dealt() if abs(c.quad.mean(axis=0)[1] - 520) > 1]
    moved += [reading(300 + 72 * k, 500) for k in (-1, 0, 1)]
    put = move_zone(layout, Zone("row", 0), (310.0, 490.0), moved)
    assert in_pixels(put, *put.seats[0].row) == [(228, 500), (300, 500), (372, 500)]
    assert put.seats[1:] == layout.seats[1:]


def test_a_row_that_is_dragged_where_no_cards_are_read_is_moved_as_a_whole() -> None:
    layout = lay_out(dealt(), *ROWS)
    put = move_zone(layout, Zone("row", 0), (300.0, 500.0), [])
    assert in_pixels(put, *put.seats[0].row) == [(225, 500), (300, 500), (375, 500)]
    assert put.seats[0].facing == layout.seats[0].facing


def test_nothing_is_dragged_onto_something_else() -> None:
    layout = lay_out(dealt(), *ROWS)
    with pytest.raises(BadInputError, match="Something else is there"):
        move_zone(layout, PLAY, (570.0, 310.0), dealt())


def test_a_draw_pile_dragged_near_a_face_down_card_is_that_cards_place() -> None:
    layout = lay_out(dealt(), *ROWS, draw=(400.0, 300.0))
    put = move_zone(layout, DRAW, (540.0, 310.0), dealt())
    assert put.draw is not None
    assert in_pixels(put, put.draw) == [(560, 300)]


# -- the events ------------------------------------------------------------------------------------


def test_what_lies_where_the_play_pile_is_said_to_be_was_not_played_now() -> None:
    script = Script()
    script.play("Ann", card("9S", PLAY_AT))
    there = (PLAY_AT[0], PLAY_AT[1] - 170)
    script.table = [card("KC", there)]
    script.maker.put_right(script.maker.layout.with_pile(PLAY, there), script.t)
    script.rest(4.0)
    assert script.told() == [("deal", None, ()), ("play", "Ann", ("9S",))]
    script.reach("Bob", (there, 0.4))
    script.table.append(card("AS", (there[0] + 12, there[1] + 9), angle=100))
    script.rest()
    assert script.told()[2:] == [("play", "Bob", ("AS",))]
    assert script.maker.pile[-2:] == ["KC", "AS"]


def test_a_play_pile_put_on_a_bare_place_is_bare() -> None:
    script = Script()
    script.play("Ann", card("9S", PLAY_AT))
    there = (PLAY_AT[0], PLAY_AT[1] - 170)
    script.maker.put_right(script.maker.layout.with_pile(PLAY, there), script.t)
    script.rest(4.0)
    script.reach("Bob", (there, 0.4))
    script.rest()
    assert script.told() == [("deal", None, ()), ("play", "Ann", ("9S",))]
    script.reach("Bob", (there, 0.4))
    script.table.append(card("AS", there))
    script.rest()
    assert script.told()[2:] == [("play", "Bob", ("AS",))]


def test_a_play_pile_that_is_not_known_yet_can_be_shown() -> None:
    script = Script(play=None)
    far = (PLAY_AT[0] - 280, PLAY_AT[1] + 60)  # farther from the draw pile than one is looked for
    script.maker.put_right(script.maker.layout.with_pile(PLAY, far), script.t)
    script.rest(1.0)
    script.reach("Ann", (far, 0.4))
    script.table.append(card("9S", far))
    script.rest()
    assert script.told() == [("deal", None, ()), ("play", "Ann", ("9S",))]


def test_a_row_put_where_it_is_tells_nothing_of_itself() -> None:
    script = Script()
    script.play("Ann", card("9S", PLAY_AT))
    layout = script_layout()
    zone = Zone("row", 1)
    by = (0.0, 90.0)
    for spot in range(3):
        seen = script.rows[Zone("row", 1, spot)]
        assert seen is not None
        script.rows[Zone("row", 1, spot)] = card(str(seen.best[0]), (seen.x + by[0], seen.y + by[1]))
    x, y = layout.seats[1].centre
    script.maker.put_right(move_zone(layout, zone, (x + by[0], y + by[1]), []), script.t)
    script.rest(4.0)
    assert script.told() == [("deal", None, ()), ("play", "Ann", ("9S",))]
    script.reach("Bob", (script.maker.layout.seats[1].row[0], 0.4), (PLAY_AT, 0.4))
    script.rows[Zone("row", 1, 0)] = None
    script.table.append(card("9D", (PLAY_AT[0] + 10, PLAY_AT[1] + 8), angle=100))
    script.rest()
    play = next(event for event in script.events if event.cards == ("9D",))
    assert (play.player, play.source) == ("Bob", "up")


def test_up_cards_that_a_row_put_right_shows_stand_in_the_deal() -> None:
    script = Script()
    zone = Zone("row", 0, 1)
    script.rows[zone] = card("2S", script_layout().seats[0].row[1])
    script.maker.put_right(move_zone(script_layout(), Zone("row", 0), (4.0, 220.0), []), script.t)
    script.rest(4.0)
    (_, revised) = script.events
    assert (revised.event, revised.revise) == ("deal", 1)
    assert revised.up is not None
    assert revised.up["Ann"] == ("4S", "2S", "6C")


def test_the_burn_pile_and_the_draw_pile_can_be_put_elsewhere() -> None:
    script = Script()
    layout = script.maker.layout.with_pile(BURN, BURN_AT).with_pile(DRAW, (DRAW_AT[0] + 40, DRAW_AT[1]))
    script.maker.put_right(layout, script.t)
    script.rest(3.0)
    assert script.maker.layout.burn == BURN_AT
    assert script.told() == [("deal", None, ())]


# -- the watcher -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("gone", "question"),
    [(("4S",), format_question(NO_ROWS, found=1, wanted=2)), ((None,), format_question(NO_DRAW_PILE))],
    ids=["a card too few", "no draw pile"],
)
def test_where_no_deal_is_recognised_taps_begin_the_game(gone: tuple[str | None, ...], question: str) -> None:
    game = Game(row_length=3)
    game.run(0.6)
    game.deal()
    without(game, *gone)
    game.run(8.0)
    assert game.question() == question
    draw = None if None in gone else (570.0, 310.0)
    game.watcher.lay_out(TappedPlaces(((490.0, 510.0), (510.0, 90.0)), draw))
    assert game.question() is None
    game.run(1.0)
    (deal,) = game.events
    assert deal.up == {
        "Ann": tuple("??" if name in gone else name for name in UP["Ann"]),
        "Bob": tuple(UP["Bob"]),
    }
    game.reach(400, 320, 1, lambda: game.table.put("9S", 420, 300))
    game.run(1.0)
    assert game.told() == [("deal", None), ("play", "Ann")]


def test_a_play_pile_found_in_the_wrong_place_is_put_right() -> None:
    game = Game()
    game.run(0.6)
    game.deal()
    game.run(1.5)
    with pytest.raises(BadInputError, match="Something else is there"):
        game.watcher.put(PLAY, (575.0, 310.0))
    game.watcher.put(PLAY, (300.0, 330.0))
    game.run(1.5)
    assert game.told() == [("deal", None)]
    game.reach(300, 360, 1, lambda: game.table.put("9S", 310, 325))
    game.run(1.5)
    assert game.told() == [("deal", None), ("play", "Ann")]
    assert game.watcher.view.layout is not None
    assert in_pixels(game.watcher.view.layout, game.watcher.view.layout.play or (0, 0)) == [(300, 330)]


def test_before_anything_is_followed_nothing_can_be_put_right_and_while_it_is_nothing_laid_out() -> None:
    game = Game()
    game.run(0.3)
    with pytest.raises(BadInputError, match="once the table is followed"):
        game.watcher.put(DRAW, (500.0, 300.0))
    game.deal()
    game.run(1.5)
    with pytest.raises(BadInputError, match="begun already"):
        game.watcher.lay_out(TappedPlaces(((490.0, 510.0), (510.0, 90.0)), None))


def test_a_place_is_shown_in_the_picture_as_the_camera_sees_it_by_now() -> None:
    game = Game()
    game.run(0.6)
    game.deal()
    game.run(1.5)
    frame = game.table.frame()
    for _ in range(20):  # the camera is knocked: all lies 12 pixels farther to the right
        game.events += game.watcher.feed(np.roll(frame, 12, axis=1), game.t)
        game.t += STEP
    view = game.watcher.view
    assert view.to_reference is not None
    game.watcher.put(PLAY, (312.0, 330.0))
    layout = game.watcher.layout
    assert layout is not None
    assert layout.play is not None
    assert np.abs(layout.plane.to_pixels([layout.play])[0] - (300, 330)).max() < 2
    shown = game.watcher.view.in_frame().layout
    assert shown is not None
    assert np.abs(shown.plane.to_pixels([layout.play])[0] - (312, 330)).max() < 2
