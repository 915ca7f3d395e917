"""Where things lie, put right by drag and shown by taps: the window, and what the session makes of it."""

from __future__ import annotations

from functools import partial
from itertools import combinations

import numpy as np
import pytest

from companion.app.screens.arrangement import Box, overlap
from companion.game.places import JOINING_S, Places, move_place, place_markers, set_layout
from companion.game.refereeing import WatchedGame, make_referee
from companion.game.ruling_views import asks_for_places
from engine.errors import BadInputError
from tests.e2e.films.test_watch import STEP, Table, without
from tests.e2e.films.test_watch import Game as Drawn
from tests.e2e.windows.driven import cut_texts, small_targets
from tests.e2e.windows.test_screens import has, walk
from tests.support.session_script import Film, Game, watch
from tests.support.waiting import until
from vision.following.watcher import Watcher
from vision.plane import TablePlane
from vision.table.layout import DRAW, PLAY, Layout, Place, Seat, Zone
from vision.table.manual_layout import TappedPlaces

LAPTOP, PHONE, ON_ITS_SIDE = (1280, 720), (360, 640), (640, 360)
SIZES = {
    "places": (LAPTOP, PHONE),
    "shown_where": (PHONE, ON_ITS_SIDE),
    "joined_late": (LAPTOP, ON_ITS_SIDE),
}
"""The windows in which each scenario is walked through."""


@pytest.mark.parametrize("size", SIZES["places"])
def test_a_name_is_dragged_to_where_its_place_is(size: tuple[int, int]) -> None:
    seen = walk("places", size)
    marks = seen["marks"]
    assert [*marks] == ["Ann", "Bartholomew", "Cat", "Dan", "Draw pile", "Play pile", "Burn pile"]
    assert [name for name, (waits, *_at) in marks.items() if waits] == ["Burn pile"]
    for name, at in seen["at"].items():
        assert marks[name][1:] == pytest.approx(at, abs=1)
    near = 960 / size[0] + 2
    assert seen["dragged"] == ["put", "play", -1, pytest.approx(650, abs=near), pytest.approx(300, abs=near)]
    assert seen["row"] == ["put", "row", 2, pytest.approx(520, abs=near), pytest.approx(90, abs=near)]
    assert seen["burnt"] == ["put", "burn", -1, pytest.approx(200, abs=near), pytest.approx(450, abs=near)]


@pytest.mark.parametrize("size", SIZES["places"])
def test_a_mark_stays_where_it_was_let_go_until_the_watcher_has_heard_of_it(size: tuple[int, int]) -> None:
    seen = walk("places", size)
    assert seen["stays"] != pytest.approx(seen["marks"]["Play pile"][1:], abs=5)
    now, believed = seen["snapped"]
    assert now == pytest.approx(believed, abs=1)
    assert has(seen["put right"], "Moved: Play pile")


@pytest.mark.parametrize("size", SIZES["places"])
def test_names_stand_in_the_picture_and_beside_one_another_however_long_they_are(
    size: tuple[int, int],
) -> None:
    seen = walk("places", size)
    left, low, width, height = seen["picture"]
    tags = [Box(*tag) for tag in seen["tags"][:-1]]  # the burn pile's waits beside the picture
    for tag in tags:
        assert left - 1 <= tag.x <= tag.x + tag.width <= left + width + 1
        assert low - 1 <= tag.y <= tag.y + tag.height <= low + height + 1
    assert not any(overlap(one, other) for one, other in combinations(tags, 2))


def test_what_is_let_go_beside_the_picture_goes_back_and_done_leads_to_the_table() -> None:
    seen = walk("places")
    assert seen["beside the picture"] == [0, True]
    assert seen["left"] == ["table", True]


@pytest.mark.parametrize("size", SIZES["shown_where"])
def test_where_no_deal_is_recognised_everything_is_shown_by_taps(size: tuple[int, int]) -> None:
    seen = walk("shown_where", size)
    assert seen["chips"] == ["where", "done"]
    assert has(seen["asked"], "Waiting for the deal")
    assert not has(seen["asked"], "to play"), "nothing is claimed before the deal"
    row = "Tap the middle of {}’s row.  ({}/5)"
    names = ("Ann", "Bartholomew", "Cat", "Bartholomew", "Cat", "Dan")
    assert seen["said"][:-1] == [
        row.format(name, n) for name, n in zip(names, (1, 2, 3, 2, 3, 4), strict=True)
    ]
    assert seen["said"][-1] == "Tap the draw pile.  (5/5)"
    rows = [[480, 460], [130, 270], [480, 70], [830, 270]]
    near = 960 / size[0] + 2
    told, shown, draw = seen["with a draw pile"]
    assert told == "lay out"
    assert np.array(shown) == pytest.approx(np.array(rows), abs=near)
    assert draw == pytest.approx([405, 255], abs=near)
    assert seen["without"][2] is None


def test_taps_that_are_no_table_are_refused_in_a_line_and_may_be_given_up() -> None:
    seen = walk("shown_where", PHONE)
    assert has(seen["refused"], "Two of these lie in one place")
    assert seen["refused again"] == "Two of these lie in one place."
    assert seen["cancelled"] == [0, True]
    assert seen["later"] == []


def test_a_game_that_is_going_on_is_asked_about_and_its_piles_are_confirmed_once() -> None:
    assert JOINING_S < 10.0
    seen = walk("joined_late")
    assert has(seen["a game may be going on"], "Is a game going on? Tap here and show where the cards lie.")
    assert seen["asked for"].startswith("Tap the middle of Ann’s row.")
    assert seen["before the layout"]
    says, names = seen["confirms"]
    assert says == "Is that right? Burned cards are not the play pile. Drag each name to its place."
    assert {"Play pile", "Burn pile", "Draw pile"} <= set(names)
    assert seen["moved"] == ["put", "play"]
    assert seen["asked once"]


@pytest.mark.parametrize(("scenario", "size"), [(name, size) for name in SIZES for size in SIZES[name]])
def test_what_is_touched_there_is_large_enough_and_no_text_is_cut(
    scenario: str, size: tuple[int, int]
) -> None:
    for name, measures in walk(scenario, size)["measured"].items():
        assert small_targets(measures) == [], name
        assert (cut_texts(measures), measures["outside"]) == ([], []), name


# -- the session -----------------------------------------------------------------------------------


def a_layout() -> Layout:
    seats = tuple(
        Seat(name, ((80.0, y),), (0.0, f)) for name, y, f in (("Ann", 80.0, 1.0), ("Bob", 9.0, -1.0))
    )
    return Layout(TablePlane(np.eye(3)), 160, 90, seats, draw=(80.0, 45.0))


class Told:
    """Notes what a watcher would be told; where the play pile is to be lies something else."""

    def __init__(self) -> None:
        self.put_right: list[tuple[Zone, Place]] = []
        self.laid_out: list[TappedPlaces] = []

    def put(self, zone: Zone, pixel: Place) -> None:
        self.put_right.append((zone, pixel))
        if zone == PLAY:
            raise BadInputError("Something else is there. Drag that away first.")

    def lay_out(self, shown: TappedPlaces) -> None:
        self.laid_out.append(shown)


def test_what_is_put_right_is_told_to_the_watcher_in_the_thread_that_reads() -> None:
    game, told = Game(), Told()
    game.places = Places(a_layout(), told)
    session = watch(Film(3), game)
    until(lambda: session.snapshot.phase == "ended")
    assert session.snapshot.layout is game.places.layout
    session.move_place(Zone("row", 1), (10.0, 20.0))
    until(lambda: session.snapshot.says == "Moved: Bob")
    session.move_place(PLAY, (80.0, 45.0))
    until(lambda: session.snapshot.says.startswith("Something else is there"))
    shown = TappedPlaces(((80.0, 80.0), (80.0, 9.0)), (80.0, 45.0))
    session.set_layout(shown)
    until(lambda: session.snapshot.says == "The game begins with the cards on the table")
    session.stop()
    assert told.put_right == [(Zone("row", 1), (10.0, 20.0)), (PLAY, (80.0, 45.0))]
    assert told.laid_out == [shown]


def test_in_a_game_that_no_camera_watches_there_is_nothing_to_put_right() -> None:
    session = watch(Film(1), Game())
    until(lambda: session.snapshot.phase == "ended")
    session.move_place(DRAW, (1.0, 2.0))
    until(lambda: session.snapshot.says == "No camera watches this game.")
    session.stop()
    assert session.snapshot.layout is None


def test_a_row_is_marked_in_its_middle_and_what_is_not_known_nowhere() -> None:
    marks = {mark.name: mark.at for mark in place_markers(a_layout())}
    assert marks == {
        "Ann": (80.0, 80.0),
        "Bob": (80.0, 9.0),
        "Draw pile": (80.0, 45.0),
        "Play pile": None,
        "Burn pile": None,
    }
    assert place_markers(None) == []


def test_taps_answer_the_question_and_the_deal_follows_and_a_drag_is_nobodys_act() -> None:
    table = Table()
    game = WatchedGame(
        Watcher(table, ("Ann", "Bob"), row_length=3), partial(make_referee, "winnersh"), ("Ann", "Bob")
    )
    dealing = Drawn()
    dealing.table = table
    dealing.deal()
    without(dealing, "4S")

    def feed(seconds: float) -> None:
        for _ in range(round(seconds / STEP)):
            game.feed(table.frame(), dealing.t)
            dealing.t += STEP

    feed(9.0)
    (question,) = game.lines
    assert asks_for_places(question)
    assert set_layout(game, TappedPlaces(((490.0, 510.0), (510.0, 90.0)), (570.0, 310.0))).startswith(
        "The game begins"
    )
    feed(2.0)
    (deal,) = game.lines
    assert deal["event"] == "deal"
    assert deal["up"]["Ann"] == ["??", "5C", "6C"]
    assert move_place(game, PLAY, (300.0, 330.0)) == "Moved: Play pile"
    feed(2.0)
    assert list(game.lines) == [deal]
    assert game.places.layout is not None
    marks = {mark.name: mark.at for mark in place_markers(game.places.layout)}
    assert marks["Play pile"] == pytest.approx((300, 330), abs=1)
    assert marks["Draw pile"] == pytest.approx((580, 300), abs=1)
