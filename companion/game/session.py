"""A game being watched: pictures and rulings come from two worker threads, the screen only looks.

One thread reads the source and hands pictures on; the other feeds them to the game and carries out what
players ask for (undo, a correction). The screen reads `Session.snapshot` and `Session.picture`, which are
immutable and replaced as a whole, and never waits for either thread.
"""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from companion.game.display_image import MAX_DISPLAY_WIDTH, DisplayImage, to_display_image
from companion.game.event_pictures import add_event_pictures
from companion.game.frame_handover import FrameHandover
from companion.game.interface import EventLine, Game
from companion.game.places import move_place, set_layout
from companion.game.recorder import GameRecorder
from companion.i18n.catalogue import _
from companion.i18n.events import event_text
from companion.i18n.messages import error_text, failure_text, translate
from companion.store.event_pictures import EventPictureWriter
from engine.errors import BadInputError
from engine.events import Event
from vision.capture.sources import FrameSource
from vision.table.layout import Layout, Place, Zone
from vision.table.manual_layout import Shown
from vision.types import CardReading, Image

if TYPE_CHECKING:
    from companion.game.setup import GameSetup

_log = logging.getLogger(__name__)

Phase = Literal["opening", "watching", "paused", "ended", "failed"]
_LONGEST_WAIT_S = 5.0
"""A film whose clock leaps further ahead is not waited for."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Everything the screen shows besides the picture, at one moment."""

    serial: int = 0
    phase: Phase = "opening"
    says: str = ""
    """One line for the user: what is being opened, why it failed, what was just done."""
    game: int = 1
    """Which game of the session this is, counted from one: a deal may begin another one."""
    answers: int = 0
    """How many requests have been carried out or refused; `says` is what the last one came to."""
    t: float = 0.0
    moving: bool = False
    lost: bool = False
    """Whether the cards or the camera have moved, and the game is being looked for."""
    awaits_deal: bool = False
    """Whether the game is over and the deal of the next one is looked for."""
    table: Any = None
    lines: tuple[EventLine, ...] = ()
    readings: tuple[CardReading, ...] = ()
    layout: Layout | None = None
    """Where seats and piles lie in the picture, as far as that is known."""


class Session:
    """Watches one source and referees it, until it ends or `stop()` is called.

    Once a game is over the next deal may begin another one (`companion.game.series.GameSeries`).
    A request concerns the game that is on, and is refused once another game has begun.

    Without a source nothing is watched: people enter what happens (`enter`), and the referee rules on it.
    """

    def __init__(
        self,
        open_source: Callable[[], FrameSource] | None,
        open_game: Callable[[], Game],
        *,
        open_recorder: Callable[[Callable[[str], None]], GameRecorder] | None = None,
        realtime: bool = True,
    ) -> None:
        """Nothing is opened before `start()`.

        Args:
            open_source: Opens what is watched; None: nothing is.
            open_game: Opens the game.
            open_recorder: Opens what keeps it, its game begun, given what tells the user a line; None: it is
                not kept.
            realtime: False runs a film as fast as it can be read.
        """
        self.snapshot = Snapshot(says=_("Opening …"))
        self.picture: DisplayImage | None = None
        self.picture_width = MAX_DISPLAY_WIDTH
        """How wide pictures are wanted at most; whoever shows them may change it at any time."""
        self.event_pictures: dict[int, bytes] = {}
        """What was seen of the table as an event was decided, as JPEG by the event's id.

        Of the game that is on: each has a dictionary of its own.
        """
        self.game_id: int | None = None
        """The game in the store that is written to, once it is open."""
        self.picture_writer = EventPictureWriter()
        self.watches = open_source is not None
        """Whether there is a picture to expect."""
        self.setup: GameSetup | None = None
        """What is played, if that is known."""
        self._open_source, self._open_game, self._open_keeper = open_source, open_game, open_recorder
        self._realtime = realtime
        self._frames = FrameHandover()
        self._requests: queue.SimpleQueue[Callable[[Game], str]] = queue.SimpleQueue()
        self._stopping = threading.Event()
        self._running = threading.Event()
        self._running.set()
        self._source_done = threading.Event()
        self._source_error: str | None = None
        self._recorder: GameRecorder | None = None
        self._now: Callable[[], float] = lambda: self.snapshot.t
        self._thread = threading.Thread(target=self._work, name="referee", daemon=True)

    def start(self) -> None:
        """Open everything and begin, in the background."""
        self._thread.start()

    def stop(self, timeout: float = 20.0) -> None:
        """End both threads; everything decided is already stored."""
        self._stopping.set()
        self._running.set()
        self._frames.close()
        if self._thread.is_alive():
            self._thread.join(timeout)

    def event_picture(self, event_id: int) -> bytes | None:
        """Return the picture of an event, from memory or from the disk, or None."""
        return self.event_pictures.get(event_id) or self.picture_writer.get(event_id)

    def pause(self, paused: bool) -> None:
        """Stop looking, or go on; a film stands still meanwhile."""
        (self._running.clear if paused else self._running.set)()
        self._requests.put(lambda _game: _("Paused") if paused else _("Watching"))

    def undo(self) -> None:
        """Take back the last event."""
        self._ask(self._undo)

    def correct(self, event_id: int, event: Event | None) -> None:
        """Put `event` in place of an earlier one; None: it never happened."""
        self._ask(lambda game: self._correct(game, event_id, event))

    def enter(self, event: Event) -> None:
        """Take in what a person says happened, now."""
        self._ask(lambda game: self._enter(game, event))

    def move_place(self, zone: Zone, pixel: Place) -> None:
        """Put a pile, or the row of a zone's seat, where a person says it is, in pixels of the source."""
        self._ask(lambda game: move_place(game, zone, pixel))

    def set_layout(self, shown: Shown) -> None:
        """Begin the game on a table whose places a person has tapped, as no deal is recognised."""
        self._ask(lambda game: set_layout(game, shown))

    def tell(self, line: str) -> None:
        """Say a line to the user, from any thread: the referee's publishes it."""
        self._requests.put(lambda _game: translate(line))

    def _ask(self, request: Callable[[Game], str]) -> None:
        """Have the referee's thread carry out what somebody asks who sees the game that is on now."""
        seen = self.snapshot.game

        def carry_out(game: Game) -> str:
            return request(game) if self.snapshot.game == seen else _("That was in the game before.")

        self._requests.put(carry_out)

    # Everything below runs in the referee's thread, but for _pump.

    def _work(self) -> None:
        source = None
        try:
            source = self._open_source() if self._open_source is not None else None
            if source is not None:
                source.tell = self.tell
                # Pictures are shown from now on: they do not wait for the networks.
                pump = threading.Thread(target=self._pump, args=(source,), name="pictures", daemon=True)
                pump.start()
            game = self._open_game()
            says, self.setup = "", game.setup
            if self._open_keeper is not None:
                self._recorder = self._open_keeper(lambda line: self._publish(None, says=translate(line)))
                says = translate(self._recorder.notice or "")
                self._note_kept_game(self._recorder)
            if source is None:
                self._keep_time(game.started_at)
                self._publish(game, phase="watching", says=says)
                self._serve(game)
                return
            self._publish(game, phase="watching", says=says)
            self._follow(game)
            pump.join(timeout=2.0)
        except BadInputError as error:
            self._publish(None, phase="failed", says=error_text(error))
        except Exception as error:
            # A mistake of ours must not leave a window that silently stands still.
            _log.exception("the referee's thread has ended")
            self._publish(None, phase="failed", says=failure_text(error))
        finally:
            self._stopping.set()  # where the game could not be opened, pictures end too
            self._frames.close()
            if source is not None:
                source.close()
            self._close_keeper()

    def _close_keeper(self) -> None:
        if self._recorder is None:
            return
        try:
            self._recorder.close()
        except BadInputError as error:
            _log.error("%s", error)
            self._publish(None, phase="failed", says=error_text(error))

    def _keep_time(self, started_at: float) -> None:
        """Let the game's own clock run where no source has one."""
        began = time.monotonic() - started_at
        self._now = lambda: time.monotonic() - began

    def _serve(self, game: Game) -> None:
        """Carry out requests until told to stop: all that there is to do without a source."""
        while not self._stopping.is_set():
            self._serve_requests(game)
            self._stopping.wait(0.02)

    def _follow(self, game: Game) -> None:
        """Feed pictures and carry out requests until told to stop; requests are served after the end too."""
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
                # Nothing can be read any more (spoilt weights, say); what was decided stands, and people may
                # still put it right.
                ended, self._source_error = True, error_text(error)
                self._end(game, t)
                continue
            fresh = self._goes_over(game)
            self._keep(game, lines)
            if lines:
                add_event_pictures(self.event_pictures, lines, frame, game.layout, game.arms, game.readings)
            self.picture_writer.keep(self.event_pictures, lines)
            if fresh or lines or game.moving != moving or game.readings is not readings:
                self._publish(game, t=t, game=self.snapshot.game + fresh)

    def _goes_over(self, game: Game) -> bool:
        """Make ready for another game where a deal has begun one; returns whether it has."""
        if game.setup is self.setup:
            return False
        self.setup, self.event_pictures = game.setup, {}
        if self._recorder is not None and self.setup is not None:
            self._recorder.next_game(self.setup)
        return True

    def _end(self, game: Game, t: float) -> None:
        """Decide what is open, as no more pictures are read."""
        self._keep(game, game.finish(t))
        self._publish(game, phase="ended", says=self._source_error or _("The film has ended"))

    def _keep(self, game: Game, lines: Iterable[EventLine]) -> None:
        """Write what was decided together, all of it or nothing, before anybody sees it."""
        if self._recorder is not None:
            self._recorder.write(list(lines), game)
            self._note_kept_game(self._recorder)

    def _note_kept_game(self, recorder: GameRecorder) -> None:
        self.game_id, self.picture_writer.folder = recorder.game, recorder.folder

    def _serve_requests(self, game: Game) -> None:
        while True:
            try:
                request = self._requests.get_nowait()
            except queue.Empty:
                if self._recorder is not None:
                    self._recorder.flush()
                return
            before = list(game.lines)
            try:
                says = request(game)
            except BadInputError as error:
                says = error_text(error)
            if self._recorder is not None:
                self._recorder.write_changes(before, game)
            phase = self.snapshot.phase
            if phase in ("watching", "paused"):
                phase = "watching" if self._running.is_set() else "paused"
            kept = self._recorder is None or self._recorder.fault is None
            answers = self.snapshot.answers + 1
            self._publish(game, phase=phase, answers=answers, **({"says": says} if kept else {}))

    def _undo(self, game: Game) -> str:
        line = game.undo()
        if line is None:
            return _("There is nothing to take back")
        self._keep_correction(int(line.get("id", 0)), None)
        return _("Taken back: {what}").format(what=event_text(line))

    def _correct(self, game: Game, event_id: int, event: Event | None) -> str:
        game.correct(event_id, event)
        self._keep_correction(event_id, None if event is None else event.to_json())
        return (
            _("Struck out")
            if event is None
            else _("Corrected: {what}").format(what=event_text(event.to_json()))
        )

    def _keep_correction(self, event_id: int, line: dict[str, Any] | None) -> None:
        if self._recorder is not None:
            self._recorder.correct(event_id, line)

    def _enter(self, game: Game, event: Event) -> str:
        now = self._now()
        game.enter(replace(event, t=now, decided_at=now))
        return _("Entered: {what}").format(what=event_text(event.to_json()))

    def _publish(self, shown: Game | None, **changes: Any) -> None:
        """Replace the snapshot by one that shows the game as it stands."""
        seen: dict[str, Any] = {}
        if shown is not None:
            seen = {
                "table": shown.table,
                "lines": tuple(shown.lines),
                "readings": tuple(shown.readings),
                "moving": shown.moving,
                "lost": shown.lost,
                "awaits_deal": shown.awaits_deal,
                "layout": shown.places.layout if shown.places is not None else None,
            }
        self.snapshot = replace(self.snapshot, serial=self.snapshot.serial + 1, **seen, **changes)

    def _pump(self, source: FrameSource) -> None:
        """Read the source: keep a film to its own clock, show each picture, hand it on to be read."""
        try:
            behind: float | None = None
            for t, frame in source:
                if behind is None:  # a film that goes on in the middle does not begin with waiting
                    behind = time.monotonic() - t
                if not self._running.is_set():
                    waited = time.monotonic()
                    self._running.wait()
                    behind += time.monotonic() - waited
                if self._realtime and not source.live:
                    early = behind + t - time.monotonic()
                    if early > _LONGEST_WAIT_S:
                        behind, early = behind - early, 0.0
                    behind -= min(0.0, early)  # a film that fell behind goes on from here, it does not race
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
