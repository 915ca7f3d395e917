"""Scenario of `drive_app.py`: how many taps what happens at every table takes, and what the sheet offers."""

from __future__ import annotations

from typing import Any

from tests.e2e.windows.walker import Steps, Walker, rest, started, until


def counted_taps(walker: Walker) -> Steps:
    """A play, a pick-up, a correction, the end and a rematch, with the fewest taps."""
    yield from started(walker)
    session = walker.app.session
    yield from _tap_until(walker, "play", session, ("Ann", "4", "play"))
    before = walker.taps
    yield from walker.tap(walker.screen.ids.banner)
    yield from walker.tap(walker.screen.sheet.choices["6S"])
    yield from until(lambda: session.snapshot.lines[0]["cards"] == ["6S"])
    walker.saw["correction"] = walker.taps - before
    yield from rest(8)
    yield from _tap_until(walker, "pick-up", session, ("next", "pick_up"))
    yield from walker.tap(walker.screen.ids.players.cells["Bob"])
    sheet = walker.screen.player_sheet
    walker.saw["known"] = [tile.card for tile in reversed(sheet.pad.ids.likely.children)]
    walker.saw["keys"] = list(sheet.pad.keys)
    walker.look("sheet with known cards")
    yield from walker.tap(sheet.pad.ids.likely.children[0])
    walker.saw["taken"] = list(sheet.pad.cards)
    yield from walker.tap(sheet.buttons["close"])
    yield from rest(8)
    yield from _tap_until(walker, "another play", session, ("next", "K", "play"))
    yield from walker.tap(walker.screen.ids.next)
    sheet = walker.screen.player_sheet
    walker.saw["first ranks"] = [key.stands_for for key in reversed(sheet.pad.ids.ranks.children)][:3]
    yield from walker.tap(sheet.buttons["out"])
    walker.saw["after one tap on out"] = [line["event"] for line in session.snapshot.lines].count("out")
    walker.saw["asked again"] = sheet.buttons["out"].text
    yield from walker.tap(sheet.buttons["close"])
    yield from rest(8)
    for player in ("Ann", "Bob", "Cat"):
        yield from walker.tap(walker.screen.ids.players.cells[player])
        sheet, lines = walker.screen.player_sheet, session.snapshot.lines
        for _ in range(2):
            yield from walker.tap(sheet.buttons["out"])
        yield from _until_changed(session, lines)
        yield from rest(8)
    yield from until(lambda: walker.screen.over)
    yield from rest(4)
    before = walker.taps
    yield from walker.tap(walker.screen.ids.pause)
    yield from until(lambda: type(walker.screen).__name__ == "SetupScreen")
    yield from rest(4)
    yield from walker.tap(walker.screen.ids.start)
    yield from until(lambda: walker.app.session is not None and walker.app.session is not session)
    walker.saw["rematch"] = walker.taps - before


def _until_changed(session: Any, lines: Any) -> Steps:
    yield from until(lambda: session.snapshot.lines != lines)


def _tap_until(walker: Walker, name: str, session: Any, what: tuple[str, ...]) -> Steps:
    """Tap the button of the next player, then keys and buttons of the sheet; note how many taps that took."""
    before, lines = walker.taps, session.snapshot.lines
    ids = walker.screen.ids
    yield from walker.tap(ids.players.cells.get(what[0], ids.next))
    yield from rest(2)
    sheet = walker.screen.player_sheet
    for one in what[1:]:
        yield from walker.tap(sheet.pad.keys[one] if one in sheet.pad.keys else sheet.buttons[one])
    yield from until(lambda: session.snapshot.lines != lines)
    walker.saw[name] = walker.taps - before
    yield from rest(8)
