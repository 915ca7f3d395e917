"""A game in progress: two worker threads provide pictures and rulings, and the screen only reads them.

One thread reads the source. The other feeds the frames to the game and carries out the players' requests,
such as undo or a correction. The screen reads `Session.snapshot` and `Session.picture`, which are immutable
and replaced as a whole. It never waits for either thread.
"""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from companion.game.clips import ClipBuffer
from companion.game.consequences import consequence_event
from companion.game.display_image import MAX_DISPLAY_WIDTH, DisplayImage, to_display_image
from companion.game.event_pictures import add_event_pictures
from companion.game.film_keeper import FilmKeeper
from companion.game.frame_handover import FrameHandover
from companion.game.interface import EventLine, Game
from companion.game.places import move_place, set_layout
from companion.game.recorder import GameRecorder
from companion.game.ruling_views import find_line, has_later_events
from companion.i18n.catalogue import _
from companion.i18n.events import event_text
from companion.i18n.messages import error_text, failure_text, translate
from companion.store.event_pictures import EventPictureWriter
from engine.errors import BadInputError
from engine.events import Consequence, Event
from vision.capture.sources import FrameSource
from vision.table.layout import Layout, Place, Zone
from vision.table.manual_layout import TappedPlaces
from vision.types import CardReading, Image

if TYPE_CHECKING:
    from companion.game.setup import GameSetup

_log = logging.getLogger(__name__)

Phase = Literal["opening", "watching", "paused", "ended", "failed"]
Request = Callable[[Game], str]
"""Something for the referee's thread to do. It returns a line for the user."""
OnDone = Callable[[str | None], object]
"""Called once a request is done, with None or with the line that says why it failed."""
_LONGEST_WAIT_S = 5.0
"""Longer gaps in a film's clock are skipped."""


def _put_back(game: Game, line: EventLine) -> None:
    """Add an event again that was removed."""
    game.put_back(replace(Event.from_json(dict(line)), revise=None))


def _ignore(_fault: str | None) -> None:
    """Do nothing when a request is done."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Everything that the screen shows besides the picture, at one moment."""

    version: int = 0
    """Grows by one with each snapshot that is published."""
    phase: Phase = "opening"
    says: str = ""
    """A line for the user: what is being opened, why it failed, what was just done."""
    game: int = 1
    """Number of the game within the session, from 1. A deal may begin another one."""
    requests_done: int = 0
    """Number of requests carried out or refused; `says` is the answer to the newest."""
    t: float = 0.0
    moving: bool = False
    lost: bool = False
    """Whether cards or camera have moved, and the game is being searched for."""
    awaits_deal: bool = False
    """Whether the game is over and the next deal is awaited."""
    redoes: int = 0
    """Number of events that were undone and can be redone."""
    table: Any = None
    lines: tuple[EventLine, ...] = ()
    readings: tuple[CardReading, ...] = ()
    layout: Layout | None = None
    """Positions of seats and piles in the frame, as far as known."""


class Session:
    """Watches one source and referees it, until the source ends or `stop()` is called.

    After a game the next deal may begin another one (`companion.game.series.GameSeries`). A request concerns
    the current game, and is refused once another one has begun.

    Without a source, people enter the events (`enter`), and the referee rules on them.
    """

    def __init__(
        self,
        open_source: Callable[[], FrameSource] | None,
        open_game: Callable[[], Game],
        *,
        open_recorder: Callable[[Callable[[str], None]], GameRecorder] | None = None,
        open_stored: Callable[[], Game] | None = None,
        realtime: bool = True,
    ) -> None:
        """Open nothing before `start()`.

        Args:
            open_source: Opens the source; None if there is none.
            open_game: Opens the game.
            open_recorder: Opens the recorder and begins its game. Its argument shows a line to the user.
                None: the game is not stored.
            open_stored: Opens the stored game that goes on, to be shown if its source cannot be opened.
            realtime: With False, a film runs as fast as it can be read.
        """
        self.snapshot = Snapshot(says=_("Opening …"))
        self.picture: DisplayImage | None = None
        self.picture_width = MAX_DISPLAY_WIDTH
        """Largest useful width of pictures. The screen may change it at any time."""
        self.event_pictures: dict[int, bytes] = {}
        """The table at each event, as JPEG by event id.

        Each game has its own dictionary.
        """
        self.game_id: int | None = None
        """Id of the game in the store, once it is open."""
        self.picture_writer = EventPictureWriter()
        self.film_keeper: FilmKeeper | None = None
        """Keeps the films of the games; None where none can be kept."""
        self.watches = open_source is not None
        """Whether there is a source, and so a picture."""
        self.setup: GameSetup | None = None
        """The setup, if known."""
        self._open_source, self._open_game, self._open_recorder = open_source, open_game, open_recorder
        self._open_stored = open_stored
        self._realtime = realtime
        self._frames = FrameHandover()
        self._requests: queue.SimpleQueue[tuple[Request, OnDone]] = queue.SimpleQueue()
        self._stopping = threading.Event()
        self._running = threading.Event()
        self._running.set()
        self._source_done = threading.Event()
        self._source_error: str | None = None
        self._undone: list[EventLine] = []
        """Events that were undone, the last one first to be redone."""
        self._taken_back: dict[int, EventLine] = {}
        """Breaches that were taken back, by id, in case that is undone."""
        self.clips = ClipBuffer()
        """The last seconds before the newest rulings."""
        self.keeps_clips = True
        """Whether to keep them. It takes time for each frame, so not where nobody can see them."""
        self._recorder: GameRecorder | None = None
        self._now: Callable[[], float] = lambda: self.snapshot.t
        self._thread = threading.Thread(target=self._work, name="referee", daemon=True)

    def start(self) -> None:
        """Open everything and start, in the background."""
        self._thread.start()

    def stop(self, timeout: float = 20.0) -> None:
        """End both threads. Every decision is already stored."""
        self._stopping.set()
        self._running.set()
        self._frames.close()
        if self._thread.is_alive():
            self._thread.join(timeout)

    def event_picture(self, event_id: int) -> bytes | None:
        """Return the picture of an event, from memory or from the disk, or None."""
        return self.event_pictures.get(event_id) or self.picture_writer.get(event_id)

    def pause(self, paused: bool) -> None:
        """Stop watching, or go on. A film stands still meanwhile."""
        (self._running.clear if paused else self._running.set)()
        self._requests.put((lambda _game: _("Paused") if paused else _("Watching"), _ignore))

    def undo(self) -> None:
        """Remove the last event."""
        self._ask(self._undo)

    def undo_to(self, event_id: int) -> None:
        """Remove every event after this one."""
        self._ask(lambda game: self._undo_to(game, event_id))

    def redo(self) -> None:
        """Put back the event that was undone last."""
        self._ask(self._redo)

    def settle(self, event_id: int, choice: Consequence) -> None:
        """Record the players' choice after a breach: taken back, pile picked up, or it stands."""
        self._ask(lambda game: self._settle(game, event_id, choice))

    def correct(
        self,
        event_id: int,
        event: Event | None,
        *,
        by: str | None = None,
        on_done: OnDone = _ignore,
    ) -> None:
        """Replace an earlier event, or remove it with None.

        Args:
            event_id: The event's id.
            event: Its replacement.
            by: The person at another phone who does it; None: the person at this window.
            on_done: Called in the referee's thread once the snapshot shows the result.
        """
        self._ask(lambda game: self._correct(game, event_id, event, by), on_done)

    def enter(self, event: Event) -> None:
        """Add an event that a person reports, at the present time."""
        self._ask(lambda game: self._enter(game, event))

    def move_place(self, zone: Zone, pixel: Place) -> None:
        """Move a pile, or the row of the zone's seat, to a pixel of the source."""
        self._ask(lambda game: move_place(game, zone, pixel))

    def set_layout(self, shown: TappedPlaces) -> None:
        """Begin the game on a table whose places a person tapped."""
        self._ask(lambda game: set_layout(game, shown))

    def tell(self, line: str) -> None:
        """Show a line to the user. Call it from any thread; the referee's thread publishes it."""
        self._requests.put((lambda _game: translate(line), _ignore))

    def _ask(
        self,
        request: Callable[[Game], str],
        on_done: OnDone = _ignore,
    ) -> None:
        """Queue a request for the referee's thread. It concerns the game that is current now."""
        seen = self.snapshot.game

        def carry_out(game: Game) -> str:
            if self.snapshot.game != seen:
                raise BadInputError("That game is over, and a new one has begun.")
            return request(game)

        self._requests.put((carry_out, on_done))

    # Everything below runs in the referee's thread, except _pump.

    def _work(self) -> None:
        source = None
        try:
            source = self._open_source() if self._open_source is not None else None
            if source is not None:
                source.on_status = self.tell
                # Pictures are shown from now on, without waiting for the networks.
                pump = threading.Thread(target=self._pump, args=(source,), name="pictures", daemon=True)
                pump.start()
            game = self._open_game()
            says, self.setup = "", game.setup
            if self._open_recorder is not None:
                self._recorder = self._open_recorder(lambda line: self._publish(None, says=translate(line)))
                says = translate(self._recorder.notice or "")
                self._note_recorded_game(self._recorder)
            if source is None:
                self._keep_time(game.started_at)
                self._publish(game, phase="watching", says=says)
                self._serve(game)
                return
            self._publish(game, phase="watching", says=says)
            self._follow(game)
            pump.join(timeout=2.0)
        except BadInputError as error:
            stored = self._open_stored() if source is None and self._open_stored is not None else None
            self._publish(stored, phase="failed", says=error_text(error))
        except Exception as error:
            # A bug must not leave a window that silently stands still.
            _log.exception("the referee's thread has ended")
            self._publish(None, phase="failed", says=failure_text(error))
        finally:
            self._stopping.set()  # if the game could not be opened, the pictures end too
            self._frames.close()
            if source is not None:
                source.close()
            self._close_recorder()

    def _close_recorder(self) -> None:
        if self._recorder is None:
            return
        try:
            self._recorder.close()
        except BadInputError as error:
            _log.error("%s", error)
            self._publish(None, phase="failed", says=error_text(error))

    def _keep_time(self, started_at: float) -> None:
        """Run a clock for a game without a source."""
        began = time.monotonic() - started_at
        self._now = lambda: time.monotonic() - began

    def _serve(self, game: Game) -> None:
        """Carry out requests until stopped, for a game without a source."""
        while not self._stopping.is_set():
            self._serve_requests(game)
            self._stopping.wait(0.02)

    def _follow(self, game: Game) -> None:
        """Feed frames and carry out requests until stopped. Requests are served after the end too."""
        ended, t = False, 0.0
        while not self._stopping.is_set():
            self._serve_requests(game)
            item = self._frames.take(0.05)
            if item is None:
                if not ended and self._source_done.is_set() and not self._frames:
                    ended = True
                    self._end(game, t)
                continue
            if ended:
                continue
            t, frame = item
            readings, moving = game.readings, game.moving
            try:
                lines = list(game.feed(frame, t))
            except BadInputError as error:
                # Nothing more can be read, for example because the weights are damaged. People may still
                # correct events.
                ended, self._source_error = True, error_text(error)
                self._end(game, t)
                continue
            fresh = self._goes_over(game)
            self._keep(game, lines)
            if lines or fresh:
                self._undone.clear()
            if fresh:
                self.clips.clear()
            if self.keeps_clips:
                self.clips.add(frame, t)
                self.clips.pin(lines, game.readings, (frame.shape[1], frame.shape[0]), game.layout)
            if lines:
                add_event_pictures(self.event_pictures, lines, frame, game.layout, game.arms, game.readings)
            self.picture_writer.keep(self.event_pictures, lines)
            if fresh or lines or game.moving != moving or game.readings is not readings:
                self._publish(game, t=t, game=self.snapshot.game + fresh)

    def _goes_over(self, game: Game) -> bool:
        """Prepare for another game if a deal has begun one. Return whether it has."""
        if game.setup is self.setup:
            return False
        self.setup, self.event_pictures = game.setup, {}
        if self._recorder is not None and self.setup is not None:
            self._recorder.next_game(self.setup)
        return True

    def _end(self, game: Game, t: float) -> None:
        """Decide what is still open, as no more frames come."""
        self._keep(game, game.finish(t))
        self._publish(game, phase="ended", says=self._source_error or _("The film has ended"))

    def _keep(self, game: Game, lines: Iterable[EventLine]) -> None:
        """Write lines that were decided together, all or none, before anybody sees them."""
        if self._recorder is not None:
            self._recorder.write(list(lines), game)
            self._note_recorded_game(self._recorder)

    def _note_recorded_game(self, recorder: GameRecorder) -> None:
        self.game_id, self.picture_writer.folder = recorder.game, recorder.folder

    def _serve_requests(self, game: Game) -> None:
        while True:
            try:
                request, on_done = self._requests.get_nowait()
            except queue.Empty:
                if self._recorder is not None:
                    self._recorder.flush()
                return
            before, fault, kept = list(game.lines), None, self._is_kept()
            try:
                says = request(game)
            except BadInputError as error:
                says = fault = error_text(error)
            if self._recorder is not None:
                self._recorder.write_changes(before, game)
            phase = self.snapshot.phase
            if phase in ("watching", "paused"):
                phase = "watching" if self._running.is_set() else "paused"
            kept = kept and self._is_kept()  # else the recorder has said what matters more
            done = self.snapshot.requests_done + 1
            self._publish(game, phase=phase, requests_done=done, **({"says": says} if kept else {}))
            on_done(fault)

    def _is_kept(self) -> bool:
        """Return whether the game can be stored, if it is to be."""
        return self._recorder is None or self._recorder.fault is None

    def _undo(self, game: Game) -> str:
        line = game.undo()
        if line is None:
            return _("There is nothing to undo")
        self._keep_correction(int(line.get("id", 0)), None)
        if not self._restore(game, line):
            self._undone.append(line)
        return _("Undone: {what}").format(what=event_text(line))

    def _undo_to(self, game: Game, event_id: int) -> str:
        says = _("There is nothing to undo")
        while has_later_events(game.lines, event_id):
            before = len(game.lines)
            says = self._undo(game)
            if len(game.lines) >= before:
                break
        return says

    def _settle(self, game: Game, event_id: int, choice: Consequence) -> str:
        line = find_line(game.lines, event_id)
        if line is None:
            return _("There is no such event any more")
        event = consequence_event(line, choice, self._now())
        self._undone.clear()
        if choice == "taken_back":
            self._take_back(game, event_id)
            self._taken_back[event_id] = line
        game.enter(event)
        return event_text(event.to_json())

    def _take_back(self, game: Game, event_id: int) -> None:
        """Remove an event. If nobody has acted since, the draw that followed it goes too."""
        if has_later_events(game.lines, event_id):
            game.correct(event_id, None)
        else:
            while find_line(game.lines, event_id) is not None and game.undo() is not None:
                pass
        self._keep_correction(event_id, None)

    def _restore(self, game: Game, removed: EventLine | None) -> bool:
        """Put back what was taken back after a breach, if `removed` says so. Return whether it did."""
        if removed is None or removed.get("event") != "consequence":
            return False
        taken_back = self._taken_back.pop(int(removed.get("concerns") or 0), None)
        if taken_back is not None:
            _put_back(game, taken_back)
        return taken_back is not None

    def _redo(self, game: Game) -> str:
        if not self._undone:
            return _("There is nothing to redo")
        line = self._undone.pop()
        _put_back(game, line)
        return _("Redone: {what}").format(what=event_text(line))

    def _correct(self, game: Game, event_id: int, event: Event | None, by: str | None) -> str:
        line = find_line(game.lines, event_id)
        game.correct(event_id, event)
        self._restore(game, line if event is None else None)
        self._undone.clear()
        self._keep_correction(event_id, None if event is None else event.to_json())
        says = (
            _("Removed") if event is None else _("Corrected: {what}").format(what=event_text(event.to_json()))
        )
        return says if by is None else _("{player}: {what}").format(player=by, what=says)

    def _keep_correction(self, event_id: int, line: dict[str, Any] | None) -> None:
        if self._recorder is not None:
            self._recorder.correct(event_id, line)

    def _enter(self, game: Game, event: Event) -> str:
        now = self._now()
        self._undone.clear()
        game.enter(replace(event, t=now, decided_at=now))
        return _("Entered: {what}").format(what=event_text(event.to_json()))

    def _publish(self, shown: Game | None, **changes: Any) -> None:
        """Publish a snapshot of the game's present state."""
        seen: dict[str, Any] = {}
        if shown is not None:
            seen = {
                "table": shown.table,
                "lines": tuple(shown.lines),
                "readings": tuple(shown.readings),
                "moving": shown.moving,
                "lost": shown.lost,
                "awaits_deal": shown.awaits_deal,
                "redoes": len(self._undone),
                "layout": shown.places.layout if shown.places is not None else None,
            }
        self.snapshot = replace(self.snapshot, version=self.snapshot.version + 1, **seen, **changes)

    def _pump(self, source: FrameSource) -> None:
        """Read the source at a film's own speed, show each picture, and hand the frames on."""
        try:
            behind: float | None = None
            for t, frame in source:
                if behind is None:  # a film that starts in the middle does not wait first
                    behind = time.monotonic() - t
                if not self._running.is_set():
                    waited = time.monotonic()
                    self._running.wait()
                    behind += time.monotonic() - waited
                if self._realtime and not source.live:
                    early = behind + t - time.monotonic()
                    if early > _LONGEST_WAIT_S:
                        behind, early = behind - early, 0.0
                    behind -= min(0.0, early)  # a late film goes on from here and does not race
                    self._stopping.wait(max(0.0, early))
                if self._stopping.is_set():
                    return
                self._show(frame, t)
                self._frames.put(t, frame, live=source.live)
        except BadInputError as error:
            self._source_error = error_text(error)
        except Exception as error:
            _log.exception("the pictures have ended")
            self._source_error = failure_text(error)
        finally:
            self._source_done.set()

    def _show(self, frame: Image, t: float) -> None:
        serial = self.picture.serial + 1 if self.picture is not None else 1
        self.picture = to_display_image(frame, t, serial, self.picture_width)
