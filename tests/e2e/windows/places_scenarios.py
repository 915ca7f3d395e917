"""Scenarios of `drive_app.py` in which people show on the picture where things lie: by drag, and by taps."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from companion.game.setup import GameSetup
from tests.e2e.windows.walker import Steps, Walker, rest, until
from tests.support.scripted import LONG_NAME, PLAYERS, Hand, ScriptedSession, Table, ruling
from vision.plane import TablePlane
from vision.questions import NO_ROWS, format_question
from vision.table.layout import BURN, PLAY, Layout, Place, Seat, Zone

ROWS = ((480.0, 460.0), (130.0, 270.0), (480.0, 70.0), (830.0, 270.0))
"""The middles of the players' rows in the scripted session's picture of 960 x 540."""
FACING = ((0.0, 1.0), (-1.0, 0.0), (0.0, -1.0), (1.0, 0.0))


def layout() -> Layout:
    """One millimetre is one pixel; the burn pile is not known yet."""
    seats = tuple(
        Seat(name, tuple((x + 60 * k * fy, y - 60 * k * fx) for k in (-1, 0, 1)), (fx, fy))
        for name, (x, y), (fx, fy) in zip(PLAYERS, ROWS, FACING, strict=True)
    )
    return Layout(TablePlane(np.eye(3)), 960, 540, seats, draw=(400.0, 250.0), play=(534.0, 252.0))


def _on(view: Any, pixel: Place) -> Place:
    """Return where in the window a pixel of the picture is shown."""
    x, y = view.ids.live.to_window(*view.ids.live.point_of(pixel))
    return x, y


def _put(session: ScriptedSession) -> list[Any]:
    return [told for told in session.asked if told[0] in ("put", "lay out")]


def places(walker: Walker) -> Steps:
    """From *More* to the places: the play pile and the burn pile dragged to where they are, then *Done*."""
    session = ScriptedSession()
    walker.app.play(session, GameSetup(source="0", players=PLAYERS))
    session.show(layout=layout())
    yield
    yield from rest(4)
    yield from walker.go("more")
    yield from walker.tap(walker.screen.buttons["places"], steps=8)
    view = walker.screen.places
    walker.look("places")
    walker.saw["marks"] = {mark.name: [mark.waits, *mark.center] for mark in view.marks.values()}
    walker.saw["at"] = {
        name: list(view.ids.live.point_of(row)) for name, row in zip(PLAYERS, ROWS, strict=True)
    }
    yield from walker.drag(view.marks[PLAY], _on(view, (650, 300)))
    walker.saw["dragged"] = _put(session)[-1]
    walker.saw["stays"] = list(view.marks[PLAY].center)
    session.show(layout=replace(layout(), play=(655.0, 305.0)), says="Moved: Play pile", requests_done=1)
    yield from rest(3)
    walker.saw["snapped"] = [list(view.marks[PLAY].center), list(view.ids.live.point_of((655, 305)))]
    walker.look("put right")
    yield from walker.drag(view.marks[Zone("row", 2)], _on(view, (520, 90)))
    walker.saw["row"] = _put(session)[-1]
    count = len(_put(session))
    yield from walker.drag(view.marks[BURN], view.ids.hint.to_window(*view.ids.hint.center))
    walker.saw["beside the picture"] = [len(_put(session)) - count, view.marks[BURN].waits]
    yield from walker.drag(view.marks[BURN], _on(view, (200, 450)))
    walker.saw["burnt"] = _put(session)[-1]
    first, *others = layout().seats
    session.show(layout=replace(layout(), seats=(replace(first, player=LONG_NAME), *others)))
    yield from rest(3)
    walker.look("long name")
    walker.saw["tags"] = [list(mark.tag_box()) for mark in view.marks.values()]
    walker.saw["picture"] = list(view.ids.live.image_box())
    yield from walker.tap(view.buttons["done"], steps=8)
    walker.saw["left"] = [walker.app.at, walker.screen.places is None]


def undealt() -> Table:
    """Return the table of which no deal was seen yet."""
    return Table(
        turn=None,
        pile=(),
        draw_pile=None,
        burned=(),
        hands=dict.fromkeys(PLAYERS, Hand(None)),
        up={},
        down={},
        playable_ranks=(),
        demand_in_words="",
    )


def shown_where(walker: Walker) -> Steps:
    """No deal is recognised: the question's chip, then a tap for each row and one for the draw pile."""
    session = ScriptedSession()
    walker.app.play(session, GameSetup(source="0", players=PLAYERS))
    question = {"id": -1, "event": "unclear", "t": 9, "says": format_question(NO_ROWS, found=3, wanted=4)}
    session.show(lines=(question,), table=undealt())
    yield
    yield from rest(4)
    walker.look("asked")
    walker.saw["chips"] = [*walker.screen.ids.question.chips]
    for draw in ((405.0, 255.0), None):
        yield from walker.tap(walker.screen.ids.question.chips["where"], steps=8)
        view = walker.screen.places
        said = [view.says]
        for pixel in ROWS[:2]:
            yield from _touch(view, pixel)
            said.append(view.says)
        walker.look("tapped")
        yield from walker.tap(view.buttons["back"])
        said.append(view.says)
        for pixel in ROWS[1:]:
            yield from _touch(view, pixel)
            said.append(view.says)
        walker.look("draw pile")
        if draw is not None:
            yield from _touch(view, draw)
        else:
            yield from walker.tap(view.buttons["none"])
        yield from rest(8)
        walker.saw["said"] = said
        walker.saw["with a draw pile" if draw else "without"] = _put(session)[-1]
    session.show(says="Two of these lie in one place.", requests_done=1)
    yield from rest(3)
    walker.look("refused")
    walker.screen.ids.toast.say("", 0.0)
    session.show(requests_done=2)
    yield from rest(2)
    walker.saw["refused again"] = walker.screen.ids.toast.text
    yield from walker.tap(walker.screen.ids.question.chips["where"], steps=8)
    view = walker.screen.places
    yield from _touch(view, ROWS[0])
    count = len(_put(session))
    yield from walker.tap(view.buttons["cancel"], steps=8)
    walker.saw["cancelled"] = [len(_put(session)) - count, walker.screen.places is None]
    judged = {"id": 1, "event": "play", "player": "Ann", "cards": ["9S"], "t": 1, "ruling": ruling("legal")}
    session.show(lines=(judged,))
    yield from rest(3)
    walker.saw["later"] = [*walker.screen.ids.question.chips]


def joined_late(walker: Walker) -> Steps:
    """A camera sees a game that is going on: that is asked about, and the piles are confirmed."""
    session = ScriptedSession()
    session.show(lines=(), table=undealt(), readings=())
    walker.app.play(session, GameSetup(source="0", players=PLAYERS))
    yield
    walker.screen.joining_s = 0.3
    yield from until(lambda: walker.screen.ids.banner.word == "Waiting for the deal")
    yield from rest(3)
    walker.look("a game may be going on")
    yield from walker.tap(walker.screen.ids.banner, steps=8)
    view = walker.screen.places
    walker.saw["asked for"] = view.says
    for pixel in (*ROWS, (405.0, 255.0)):
        yield from _touch(view, pixel)
    yield from rest(8)
    walker.saw["before the layout"] = walker.screen.places is None
    session.show(layout=layout(), requests_done=1)
    yield from until(lambda: walker.screen.places is not None)
    yield from rest(8)
    walker.look("are the piles right")
    view = walker.screen.places
    walker.saw["confirms"] = [view.says, sorted(mark.name for mark in view.marks.values())]
    yield from walker.drag(view.marks[PLAY], _on(view, (620.0, 300.0)))
    walker.saw["moved"] = session.asked[-1][:2]
    yield from walker.tap(view.buttons["done"], steps=8)
    session.show(t=70.0)
    yield from rest(4)
    walker.saw["asked once"] = walker.screen.places is None


def _touch(view: Any, pixel: Place) -> Steps:
    from kivy.tests.common import UnitTestTouch

    touch = UnitTestTouch(*_on(view, pixel))
    touch.touch_down()
    touch.touch_up()
    yield from rest(2)
