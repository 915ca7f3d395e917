"""A scenario of `drive_label.py`: a film is stepped through, and its events are confirmed and corrected."""

from __future__ import annotations

from companion.game.label_session import LabelSession
from tests.e2e.windows.walker import Steps, Walker, rest, until


def breach(walker: Walker, session: LabelSession) -> Steps:
    """The film stops after its first illegal event, for the picture of `docs/filming.md`."""
    yield
    yield from rest(4)
    lines = [step.line for step in session.labels.steps]
    session.show_event(next(line for line in lines if line.get("ruling", {}).get("verdict") == "illegal"))
    yield from until(lambda: not session.playing)
    yield from walker.unsaid_in(walker.screen.table)
    walker.look("label")


def labelled(walker: Walker, session: LabelSession) -> Steps:
    """The first event is confirmed, one is corrected, one removed, one entered; then by keys, and undone."""
    from kivy.core.window import Window

    def key(number: int) -> None:
        Window.dispatch("on_key_down", number, 0, None, [])

    def event() -> str:
        line = session.current
        return "" if line is None else str(line["event"])

    yield
    yield from rest(4)
    screen = walker.screen
    walker.look("label at first")
    walker.saw["waiting"] = len(session.labels.unconfirmed)
    yield from walker.tap(screen.controls.ids.on)
    yield from until(lambda: not session.playing)
    yield from rest(3)
    walker.look("label first event")
    walker.saw["first"] = [event(), round(session.position, 1)]
    yield from walker.tap(screen.review.ids.confirm)
    yield from until(lambda: not session.playing)
    yield from rest(3)
    walker.saw["second"] = event()
    yield from walker.tap(screen.review.ids.edit, steps=6)
    walker.look("label correct")
    yield from walker.tap(screen.table.sheet.choices["8S"], steps=6)
    yield from until(lambda: screen.table.sheet.parent is None)
    walker.saw["corrected"] = [line["cards"] for line in session.snapshot.lines if line["event"] == "play"]
    yield from walker.tap(screen.controls.ids.on)
    yield from until(lambda: not session.playing)
    yield from walker.tap(screen.review.ids.strike)
    walker.saw["after removal"] = [step.line["event"] for step in session.labels.steps]
    yield from walker.tap(screen.review.ids.undo)
    walker.saw["after undo"] = [step.line["event"] for step in session.labels.steps]
    session.go_to(2.8)
    yield from rest(3)
    yield from walker.tap(screen.table.ids.players.cells["Bob"], steps=6)
    sheet = screen.table.player_sheet
    yield from walker.tap(sheet.buttons["draw"], steps=6)
    yield from until(lambda: sheet.parent is None)
    yield from rest(4)
    walker.saw["entered"] = [
        [line["event"], line.get("player"), round(line["t"], 1)] for line in session.snapshot.lines
    ]
    walker.look("label entered")
    x, y = screen.controls.ids.bar.to_window(*screen.controls.ids.bar.center)
    yield from walker.drag(screen.controls.ids.bar, (x - screen.controls.ids.bar.width, y))
    walker.saw["slid to"] = session.position
    before = session.position
    key(275)
    walker.saw["a picture on"] = round(session.position - before, 2)
    key(ord("+"))
    key(32)
    walker.saw["runs"] = [session.playing, session.speed]
    key(32)
    while session.labels.unconfirmed:
        session.go_to_unconfirmed()
        key(13)
    yield from rest(3)
    walker.look("label done")
