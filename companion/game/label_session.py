"""A session that steps through a film with its labels, for the screens of the app. It has no threads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from companion.game.display_image import to_display_image
from companion.game.interface import EventLine, Game
from companion.game.labelling import Labels, is_inferred
from companion.game.ruling_views import find_line
from companion.game.session import Session
from companion.i18n.catalogue import _
from companion.i18n.events import event_text
from companion.i18n.messages import error_text
from engine.errors import BadInputError
from engine.events import Event
from vision.capture.film_player import FilmPlayer

SPEEDS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
"""How fast the film may run."""
_LEAD_S, _AFTER_S = 2.5, 0.7
"""Part of the film before and after an event that is shown to judge it."""
_LONGEST_STEP_S = 0.5
"""A window that stood still does not make the film jump."""


class LabelSession(Session):
    """The film's picture, with the events up to it. Every change is saved at once."""

    def __init__(self, labels: Labels, film: Path, truth: Path) -> None:
        """Begin where somebody stopped.

        Raises:
            BadInputError: the film cannot be opened.
        """
        super().__init__(None, _no_game)
        self.labels, self._truth = labels, truth
        self._player = FilmPlayer(film)
        self.snapshot = replace(self.snapshot, says="")  # everything is open already
        self.watches = True
        self.setup = labels.setup
        self.playing = False
        self.speed = 1.0
        self._stop_at: float | None = None
        """Where the film pauses by itself."""
        self._shown: int | None = None
        """The id of the event that is played to be judged."""
        begin = labels.header.get("labelled_to")
        self._position = float(begin) if isinstance(begin, int | float) else 0.0
        self._move(self._position)

    @property
    def seconds(self) -> float:
        """The film's length."""
        return self._player.seconds

    @property
    def position(self) -> float:
        """The time that is shown."""
        return self._position

    @property
    def current(self) -> EventLine | None:
        """The event to be judged: the one that is played, or else the last one up to now."""
        told = [line for line in self.snapshot.lines if not is_inferred(line)]
        shown = None if self._shown is None else find_line(self._events, self._shown)
        return shown or (told[-1] if told else None)

    @property
    def _events(self) -> list[EventLine]:
        """All events that the referee does not infer."""
        return [step.line for step in self.labels.steps if not is_inferred(step.line)]

    def start(self) -> None:
        """Do nothing: everything is open."""

    def stop(self, timeout: float = 0.0) -> None:
        """Save where somebody stopped, and close the film."""
        self._save()
        self._player.close()

    def advance(self, seconds: float) -> None:
        """Let the film run on by that much real time, if it runs."""
        if not self.playing:
            return
        goal = self._position + min(seconds, _LONGEST_STEP_S) * self.speed
        end = self.seconds if self._stop_at is None else self._stop_at
        self._move(min(goal, end))
        if goal >= end:
            self.pause(True)

    def pause(self, paused: bool) -> None:
        """Stop the film, or let it run."""
        if not paused:
            self._shown = None
        self.playing, self._stop_at = not paused, None
        if self.playing and self._position >= self.seconds:
            self._move(0.0)

    def go_to(self, t: float) -> None:
        """Show the film at `t` seconds, and stop there."""
        self._stop_at = self._shown = None
        self.playing = False
        self._move(min(max(0.0, t), self.seconds))

    def step(self, pictures: int) -> None:
        """Show an earlier or a later picture."""
        self.go_to(self._position + pictures / self._player.fps)

    def show_event(self, line: EventLine) -> None:
        """Play the seconds around an event, and stop after it."""
        self.go_to(float(line["t"]) - _LEAD_S)
        self.playing, self._stop_at = True, min(float(line["t"]) + _AFTER_S, self.seconds)
        self._shown = int(line["id"])

    def go_to_event(self, by: int) -> None:
        """Play the next event (1) or the previous one (-1)."""
        here, told = self.current, self._events
        index = next((n for n, line in enumerate(told) if here and line["id"] == here["id"]), -1) + by
        if 0 <= index < len(told):
            self.show_event(told[index])

    def go_to_unconfirmed(self) -> None:
        """Play the next event that nobody has confirmed, from here on or else from the beginning."""
        here, waiting = self.current, self.labels.unconfirmed
        since = (self._position, 0) if here is None else _place(here)
        later = [line for line in waiting if _place(line) > since]
        if waiting:
            self.show_event((later or waiting)[0])

    def change_speed(self, by: int) -> None:
        """Take the next faster (1) or slower (-1) speed."""
        self.speed = SPEEDS[min(max(0, SPEEDS.index(self.speed) + by), len(SPEEDS) - 1)]

    def next_speed(self) -> None:
        """Take the next faster speed, and after the fastest the slowest."""
        self.speed = SPEEDS[(SPEEDS.index(self.speed) + 1) % len(SPEEDS)]

    def confirm(self) -> None:
        """Confirm the current event, and play the next unconfirmed one."""
        line = self.current
        if line is None:
            return
        self._do(lambda: self.labels.confirm(int(line["id"])), "")
        self.go_to_unconfirmed()

    def correct(
        self,
        event_id: int,
        event: Event | None,
        *,
        by: str | None = None,
        on_done: Callable[[str | None], object] = lambda _fault: None,
    ) -> None:
        """Replace an event, or remove it with None."""
        says = (
            _("Removed") if event is None else _("Corrected: {what}").format(what=event_text(event.to_json()))
        )
        on_done(self._do(lambda: self.labels.correct(event_id, event), says))

    def enter(self, event: Event) -> None:
        """Add an event at the time that is shown."""
        says = _("Entered: {what}").format(what=event_text(event.to_json()))
        self._do(lambda: self.labels.enter(event, self._position), says)

    def undo(self) -> None:
        """Take back the last change."""
        self._do(self.labels.undo, _("Undone"))

    def redo(self) -> None:
        """Make the change again that was taken back last."""
        self._do(self.labels.redo, _("Redone"))

    def _do(self, act: Callable[[], object], says: str) -> str | None:
        """Make a change and save it. Return why that was impossible, or None."""
        fault = None
        try:
            if act() is False:
                says = (
                    _("There is nothing to undo")
                    if act == self.labels.undo
                    else _("There is nothing to redo")
                )
        except BadInputError as error:
            says = fault = error_text(error)
        done = self.snapshot.requests_done + 1
        self._publish_now(says=says, requests_done=done)
        if fault is None:
            self._save()
        return fault

    def _save(self) -> None:
        self.labels.header["labelled_to"] = round(self._position, 3)
        try:
            self.labels.save(self._truth)
        except OSError as error:
            self._publish_now(says=error_text(error), requests_done=self.snapshot.requests_done + 1)

    def _move(self, t: float) -> None:
        self._position = t
        if self._player.go_to(t) or self.picture is None:
            serial = self.picture.serial + 1 if self.picture is not None else 1
            self.picture = to_display_image(self._player.picture, t, serial, self.picture_width)
        if len(self._seen()[0]) != len(self.snapshot.lines) or self.snapshot.table is None:
            self._publish_now()

    def _seen(self) -> tuple[tuple[EventLine, ...], Any]:
        """Return the events up to the picture, and the table after them."""
        return self.labels.until(self._position + 0.5 / self._player.fps)

    def _publish_now(self, **changes: Any) -> None:
        lines, table = self._seen()
        self.snapshot = replace(
            self.snapshot,
            version=self.snapshot.version + 1,
            phase="watching",
            t=self._position,
            lines=lines,
            table=table,
            redoes=self.labels.can_redo,
            **changes,
        )


def _place(line: EventLine) -> tuple[float, int]:
    return float(line["t"]), int(line["id"])


def _no_game() -> Game:
    raise AssertionError("nothing is watched here")
