"""Scenarios of `drive_app.py` with a laptop's keyboard and mouse."""

from __future__ import annotations

from typing import Any

from tests.e2e.windows.walker import Steps, Walker, by_touch, rest, started, until

_F1, _F11, _ENTER = 282, 292, 13
"""Keys by the numbers that Kivy knows them under."""


def press(key: int | str, *modifiers: str) -> None:
    """Press a key through the window, as a keyboard would."""
    from kivy.core.window import Window

    number = ord(key) if isinstance(key, str) else key
    text = key if isinstance(key, str) and not modifiers else None
    Window.dispatch("on_key_down", number, 0, text, list(modifiers))


def keyed(walker: Walker) -> Steps:
    """Cards are entered by keys, undone, redone; the log leads back to any line; F1 opens nothing foreign."""
    yield from started(walker)
    session = walker.app.session
    yield from walker.tap(walker.screen.ids.players.cells["Ann"])
    for key in ("4", "c"):
        press(key)
    walker.saw["entered"] = list(walker.screen.player_sheet.pad.cards)
    press("5")
    press(8)
    walker.saw["removed"] = list(walker.screen.player_sheet.pad.cards)
    press(_ENTER)
    yield from until(lambda: len(_plays(session)) == 1)
    yield from rest(8)
    press("7")  # opens the sheet of the player whose turn it is
    yield from rest(3)
    sheet = walker.screen.player_sheet
    walker.saw["opened"] = [sheet.player, list(sheet.pad.cards)]
    press("s")
    press(_ENTER)
    yield from until(lambda: len(_plays(session)) == 2)
    yield from rest(8)
    press("0")
    yield from rest(3)
    walker.saw["ten"] = list(walker.screen.player_sheet.pad.cards)
    press(_ENTER)
    yield from until(lambda: len(_plays(session)) == 3)
    yield from rest(8)
    before = [[line["player"], line["cards"], line["t"]] for line in _plays(session)]
    press("z", "ctrl")
    yield from until(lambda: len(_plays(session)) == 2)
    press("z", "ctrl")
    yield from until(lambda: len(_plays(session)) == 1)
    yield from rest(3)
    walker.look("undone twice")
    press("y", "ctrl")
    yield from until(lambda: len(_plays(session)) == 2)
    yield from walker.tap(walker.screen.ids.redo)
    yield from until(lambda: len(_plays(session)) == 3)
    walker.saw["redone"] = [[line["player"], line["cards"], line["t"]] for line in _plays(session)] == before
    walker.saw["turn"] = session.snapshot.table.turn
    press("y", "ctrl")
    yield from until(lambda: "nothing to redo" in session.snapshot.says)
    yield from walker.go("log")
    yield from walker.tap_row(_plays(session)[0]["id"])
    yield from walker.tap(walker.screen.correcting.ids.look)
    yield from rest(8)
    walker.look("one event")
    yield from walker.tap(walker.screen.sheet.ids.undo_later)
    yield from until(lambda: len(_plays(session)) == 1)
    walker.saw["went back to"] = [line["event"] for line in session.snapshot.lines]
    yield from until(lambda: walker.screen.sheet is None or walker.screen.sheet.parent is None)
    yield from walker.go("table")
    press(_F1)
    yield from rest(6)
    from kivy.core.window import Window

    walker.saw["foreign"] = [
        type(top).__name__ for top in Window.children if "Settings" in type(top).__name__
    ]
    walker.saw["fullscreen"] = [bool(Window.fullscreen)]
    press(_F11)
    yield from rest(2)
    walker.saw["fullscreen"].append(bool(Window.fullscreen))
    press(_F11)
    yield from rest(2)
    walker.saw["fullscreen"].append(bool(Window.fullscreen))


def _plays(session: Any) -> list[dict[str, Any]]:
    return [line for line in session.snapshot.lines if line["event"] == "play"]


def scrolled_over_a_seat(walker: Walker) -> Steps:
    """The mouse wheel over a seat of the form scrolls, and moves nobody."""
    from kivy.tests.common import UnitTestTouch

    walker.app.ask(by_touch(walker))
    yield
    yield from rest(4)
    form = walker.screen
    form.ids.scroll.scroll_to(form.ids.seating, animate=False)
    yield from rest(3)
    before = form.ids.scroll.scroll_y
    token = form.ids.seating.tokens[1]
    for _turn in range(3):
        touch = UnitTestTouch(*token.to_window(*token.center))
        touch.profile = [*touch.profile, "button"]
        touch.button = "scrollup"
        touch.touch_down()
        touch.touch_up()
        yield from rest(3)
    walker.saw["scrolled"] = form.ids.scroll.scroll_y != before
    walker.saw["seated"] = [form.chosen().players, form.chosen().dealer]
