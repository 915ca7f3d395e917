"""The scenario `pressed` of `drive_app.py`: what things look like before, under and after a finger."""

from __future__ import annotations

from typing import Any

from companion.app.screens.arrangement import Box
from companion.game.setup import GameSetup
from tests.e2e.windows.measuring import commonest, pixels
from tests.e2e.windows.walker import PLAYERS, Steps, Walker, rest
from tests.support.scripted import ScriptedSession


def pressed(walker: Walker) -> Steps:
    """A button, a switch and a row of the log."""
    walker.app.play(ScriptedSession(), GameSetup(source="0", players=PLAYERS))
    yield from rest(4)
    yield from _press(walker, "button", walker.screen.ids.pause, taps=2)
    yield from walker.go("more")
    yield from rest(4)
    yield from _press(walker, "switch", walker.screen.switches["sound"], taps=2)
    yield from walker.go("log")
    yield from rest(4)
    yield from _press(walker, "row", _row(walker), taps=1)


def _row(walker: Walker) -> Any:
    from companion.app.screens.panels import LogRow

    return next(
        widget
        for widget in walker.screen.walk()
        if isinstance(widget, LogRow) and widget.top < widget.parent.parent.top
    )


def _press(walker: Walker, name: str, widget: Any, taps: int) -> Steps:
    """Note its commonest colour; a sheet that opens is closed again."""
    from kivy.core.window import Window
    from kivy.tests.common import UnitTestTouch
    from kivy.uix.modalview import ModalView

    before = _colour(widget)
    touch = UnitTestTouch(*widget.to_window(*widget.center))
    touch.touch_down()
    yield from rest(12)  # in a list that could be scrolled, a finger must first rest
    under = _colour(widget)
    touch.touch_up()
    yield from rest(30)
    for _ in range(taps - 1):
        yield from walker.tap(widget)
    for sheet in [child for child in Window.children if isinstance(child, ModalView)]:
        sheet.dismiss()
    yield from rest(30)
    walker.saw[name] = {"before": before, "under": under, "after": _colour(widget)}


def _colour(widget: Any) -> list[int]:
    return commonest(pixels(), Box(*widget.to_window(*widget.pos), *widget.size))
