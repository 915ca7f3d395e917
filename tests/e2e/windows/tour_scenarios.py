"""Scenarios of `drive_app.py` on the first steps: the practice game, and the film that waits behind it."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

from companion.settings import load_settings
from companion.store.store import Store
from tests.e2e.windows.walker import Steps, Walker, by_touch, rest, until
from tests.support.scripted import ScriptedSession


def open_tour() -> Any:
    from kivy.core.window import Window

    return next(child for child in Window.children if type(child).__name__ == "Tour")


def tour(walker: Walker) -> Steps:
    """The practice game is played through by touch; then the first steps are not shown again."""
    from kivy.core.window import Window

    walker.app.ask(by_touch(walker))
    yield
    yield from rest(2)
    shown = open_tour()
    yield from until(lambda: bool(shown.table.ids.players.cells))
    yield from rest(4)
    walker.look("tour1")
    before = walker.saw.setdefault("asked", [shown.body])
    cells = shown.table.ids.players.cells
    starter = next(player for player in cells if shown.body.startswith(player))
    seats = list(cells)
    second = seats[(seats.index(starter) + 1) % len(seats)]
    yield from enter(walker, shown, cells[starter], "9", before)
    yield from enter(walker, shown, shown.table.ids.players.cells[second], "5", before)
    yield from until(lambda: "taken_back" in shown.table.ids.choices.buttons)
    yield from rest(4)
    walker.look("tour2")
    walker.saw["breach"] = [shown.table.ids.banner.word, shown.heading]
    yield from walker.tap(shown.table.ids.choices.buttons["taken_back"])
    yield from told(shown, before)
    yield from enter(walker, shown, shown.table.ids.players.cells[second], "J", before)
    yield from walker.tap(shown.table.ids.banner)
    yield from rest(4)
    yield from walker.tap(shown.table.sheet.choices["QH"])
    yield from until(lambda: not shown.practising)
    yield from rest(6)
    walker.look("tour3")
    yield from walker.tap(shown.ids.onwards)
    yield from rest(6)
    walker.saw["tours left"] = sum(type(child).__name__ == "Tour" for child in Window.children)
    walker.saw["toured"] = load_settings().toured
    with Store.open(walker.store) as store:
        walker.saw["kept"] = len(store.games())
    walker.saw["behind it"] = type(walker.screen).__name__
    from companion.app.screens import tour as first_steps

    with patch.object(first_steps, "on_phone", lambda: True):
        walker.saw["on a phone"] = first_steps.camera_page()[0]


def told(shown: Any, asked: list[str]) -> Steps:
    """Wait for the next task, and note it."""
    yield from until(lambda: shown.body != asked[-1])
    asked.append(shown.body)
    yield from rest(6)


def enter(walker: Walker, shown: Any, opens: Any, rank: str, asked: list[str]) -> Steps:
    """Enter a play of one rank, and wait for the next task."""
    yield from walker.tap(opens)
    sheet = shown.table.player_sheet
    yield from walker.tap(sheet.pad.keys[rank])
    yield from walker.tap(sheet.buttons["play"])
    yield from told(shown, asked)


def film_behind_tour(walker: Walker) -> Steps:
    """The first steps lie over the sample film, which waits until they are over or skipped."""
    session = ScriptedSession()
    walker.app.play(session)
    yield
    yield from rest(3)
    walker.saw["asked behind the tour"] = list(session.asked)
    yield from walker.tap(open_tour().table.ids.pause)
    yield from until(lambda: session.asked[-1] == ["pause", False])
    walker.saw["asked after it"] = session.asked[-1]
