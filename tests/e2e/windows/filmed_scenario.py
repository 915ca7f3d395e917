"""A scenario of `drive_app.py`: the polite film up to its breach, for pictures of real cards on a table."""

from __future__ import annotations

from dataclasses import replace

from companion.game.interface import EventLine
from companion.game.ruling_views import ruling_of
from companion.game.starting import make_session
from tests.e2e.windows.walker import Steps, Walker, filmed_setup, rest, until


def filmed(walker: Walker) -> Steps:
    """What the table, the log, one event and the replay show once the film's breach has been ruled on.

    And the table once more as it is where the film is shown as a demonstration.
    """
    setup = filmed_setup(store=walker.store)
    session = make_session(setup, realtime=False)
    walker.app.play(session, setup)
    yield

    def breach() -> int | None:
        lines = session.snapshot.lines
        return next((int(line["id"]) for line in lines if is_illegal(line)), None)

    while breach() is None and session.snapshot.phase not in ("ended", "failed"):
        yield
    session.pause(True)
    yield from until(lambda: session.snapshot.phase != "watching")
    number = breach()
    assert number is not None, session.snapshot.says
    yield from walker.unsaid()
    walker.screen.ids.phase.full_text = ""  # as it looked before it was stopped for the picture
    yield from rest(3)
    walker.look("table")
    yield from walker.go("log")
    walker.look("log")
    yield from walker.tap_row(number)
    yield from rest(6)
    walker.look("correct")
    yield from walker.tap(walker.screen.correcting.ids.look)
    yield from rest(6)
    walker.look("event")
    yield from walker.tap(walker.screen.sheet.ids.close)
    yield from rest(6)
    yield from walker.tap(walker.screen.step_through)
    yield from rest(4)
    view = walker.screen.replay
    view.step = view.ids.bar.max
    yield from rest(4)
    walker.look("replay")
    yield from walker.tap(view.ids.close)
    yield from rest(6)
    walker.app.setup = replace(setup, demonstration=True)
    walker.app.rebuild()
    yield from walker.go("table")
    walker.screen.ids.phase.full_text = ""
    yield from rest(3)
    walker.look("demonstration")


def is_illegal(line: EventLine) -> bool:
    """Tell whether a line is a play that was ruled a breach."""
    ruling = ruling_of(line)
    return line["event"] == "play" and ruling is not None and ruling["verdict"] == "illegal"
