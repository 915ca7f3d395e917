"""Keep the films of a session's games, each in a folder of its own, so that people can label them later.

A thread of its own encodes. The referee never waits for it: a live picture is dropped if others wait. People
are blurred outside the table before a picture is written. The edge of the table is known after the deal. The
pictures before that are held in memory.
"""

from __future__ import annotations

import logging
import queue
import shutil
import threading
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import cv2
import numpy as np

from companion.game.entry import has_begun
from companion.game.event_log import BY_HAND, SETTLED
from companion.game.event_pictures import blur, table_outline
from companion.game.interface import EventLine
from companion.game.places import Places
from companion.game.setup import GameSetup
from companion.game.timed_film import TimedFilm
from companion.store.kept_films import KeptGame, new_kept_game
from engine.errors import BadInputError
from engine.messages import Said, message
from vision.capture.sources import FrameSource, ignore_status
from vision.table.layout import Layout
from vision.types import Image

_log = logging.getLogger(__name__)
FPS = 15.0
_MAX_WAITING = 8
"""Pictures that may wait for the encoder: about 50 MB in Full HD."""
_HELD_S, _HELD_BYTES = 30.0, 64 << 20
"""How much is held before the table's place is known: the deal must be in the film."""
_HELD_QUALITY = 92
_TABLE_MM = 110.0
"""Radius around each card's place that stays sharp: for the card, and the hand that puts it there."""
_LEAST_FREE = 512 << 20
"""Bytes. With less space on the disk, the film ends, so that the game can still be stored."""
_CHECK_EVERY = 75
"""Pictures between two looks at the free space."""
_JOIN_S = 30.0


class FilmedGame(Protocol):
    """A game, or a series of games, that is filmed (see `companion.game.interface.Game`)."""

    @property
    def setup(self) -> GameSetup | None:
        """The setup, if known."""
        ...

    @property
    def places(self) -> Places | None:
        """The places in the newest picture."""
        ...

    @property
    def lost(self) -> bool:
        """Whether cards or camera have moved."""
        ...

    @property
    def awaits_deal(self) -> bool:
        """Whether the game is over and the next deal is awaited."""
        ...


@dataclass(frozen=True, slots=True)
class _View:
    """The table as the referee knows it."""

    game: object = None
    """The game whose pictures come now; None while that is open, because a deal is awaited."""
    layout: Layout | None = None
    """The places in the newest picture; None if the table was lost."""


@dataclass(slots=True)
class _Running:
    """A film that is being written."""

    game: Any
    setup: GameSetup | None
    kept: KeptGame
    film: TimedFilm
    layout: Layout
    """The places in the first picture."""
    dropped: int = 0
    """Pictures that had been dropped when it began."""


class FilmKeeper:
    """Writes the films. `add` may be called by one thread, everything else by another."""

    def __init__(self, parent: Path, tell: Callable[[str], object], *, whole_picture: bool = False) -> None:
        """Write nothing until `enabled` is set and a game begins.

        Args:
            parent: Gets a folder for each game.
            tell: Gets a line for the user when something goes wrong, or pictures were dropped.
            whole_picture: Whether people stay visible.
        """
        self.enabled = False
        """Whether to keep the films of games that begin from now on. If it is unset, the running one ends."""
        self.whole_picture = whole_picture
        self._parent, self._tell = parent, tell
        self._acts: queue.Queue[Callable[[], None] | None] = queue.Queue()
        self._room = threading.Semaphore(_MAX_WAITING)
        self._dropped = 0
        self._newest: float | None = None
        self._view = _View()
        self._begun: object = None
        """The newest game that was begun or passed over."""
        self._thread: threading.Thread | None = None
        # The encoder's own:
        self._held: deque[tuple[float, bytes]] = deque()
        self._running: _Running | None = None
        self._written = 0

    @property
    def kept(self) -> KeptGame | None:
        """The folder of the film that is being written, or None."""
        running = self._running
        return None if running is None else running.kept

    @property
    def is_idle(self) -> bool:
        """Whether the encoder has nothing to do."""
        return self._acts.unfinished_tasks == 0

    def add(self, frame: Image, t: float, *, live: bool = True) -> None:
        """Take a picture at `t` seconds of the source.

        If the encoder is busy, a live picture is dropped. That of a film waits.
        """
        if not self.enabled:
            return
        if self._newest is not None and 0 <= t - self._newest < 0.9 / FPS:
            return  # a faster source
        self._newest = t
        if self._room.acquire(blocking=not live):
            self._do(partial(self._take, frame, t, self._view.game))
        else:
            self._dropped += 1

    def follow(self, playing: Any, game: FilmedGame) -> None:
        """Note the state of the game, after each picture.

        Args:
            playing: The game that is being played, or was last; another object for each game.
            game: The series of games, or the same.
        """
        layout = game.places.layout if game.places is not None and not game.lost else None
        self._view = _View(None if game.awaits_deal else playing, layout)
        if not self.enabled:
            if self._running is not None:
                self._do(self._end)
            self._begun = None
            return
        if playing is self._begun or layout is None or game.awaits_deal or playing.table is None:
            return
        self._begun = playing
        if not has_begun(playing.lines):
            self._do(partial(self._begin, playing, game.setup, layout))

    def discard(self) -> None:
        """Delete the film that is being written. The next game gets one again."""
        if self._thread is not None:
            self._do(self._discard)

    def close(self) -> None:
        """Finish the film, and write what belongs to it."""
        if self._thread is None:
            return
        self._do(self._end)
        self._acts.put(None)
        self._thread.join(_JOIN_S)
        self._thread = None

    def _do(self, act: Callable[[], None]) -> None:
        """Let the encoder do something, in order."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="film", daemon=True)
            self._thread.start()
        self._acts.put(act)

    # Everything below runs in the encoder's thread.

    def _work(self) -> None:
        while (act := self._acts.get()) is not None:
            try:
                act()
            except (BadInputError, OSError) as error:
                self._give_up(message("The film is not kept: {reason}", reason=_reason(error)))
            except Exception as error:  # a bug here must not end the game
                _log.exception("the film is not kept")
                self._give_up(message("The film is not kept: {reason}", reason=str(error)))
            finally:
                self._acts.task_done()

    def _give_up(self, line: Said) -> None:
        self.enabled = False
        self._discard()
        self._tell(line)

    def _begin(self, game: Any, setup: GameSetup | None, layout: Layout) -> None:
        self._end()
        kept = new_kept_game(self._parent)
        film = TimedFilm(kept.film, FPS)
        self._running = _Running(game, setup, kept, film, layout, self._dropped)

    def _take(self, frame: Image, t: float, game: object) -> None:
        self._room.release()
        running = self._running
        if running is None or game is not running.game:
            self._hold(frame, t)
            return
        if self._view.layout is None and not self.whole_picture:
            return  # the camera was moved, so nobody knows where people are; the film stands still
        while self._held:
            then, jpeg = self._held.popleft()
            self._write(running, np.asarray(cv2.imdecode(np.frombuffer(jpeg, np.uint8), 1), np.uint8), then)
        self._write(running, frame, t)

    def _write(self, running: _Running, frame: Image, t: float) -> None:
        if not running.film.is_due(t):
            return
        layout = self._view.layout or running.layout
        running.film.write(frame if self.whole_picture else blur_surroundings(frame, layout), t)
        self._written += 1
        if self._written % _CHECK_EVERY == 1 and shutil.disk_usage(running.kept.folder).free < _LEAST_FREE:
            self.enabled = False
            self._end()
            self._tell(message("The film ends here, because the disk is nearly full."))

    def _hold(self, frame: Image, t: float) -> None:
        if self._held and t < self._held[-1][0]:  # another film's clock
            self._held.clear()
        done, jpeg = cv2.imencode(".jpg", frame, (cv2.IMWRITE_JPEG_QUALITY, _HELD_QUALITY))
        if done:
            self._held.append((t, jpeg.tobytes()))
        while t - self._held[0][0] > _HELD_S or sum(len(held) for _t, held in self._held) > _HELD_BYTES:
            self._held.popleft()

    def _end(self) -> None:
        running, self._running = self._running, None
        if running is None:
            return
        if not running.film.frames:
            running.kept.delete()
            return
        running.film.close()
        dropped = self._dropped - running.dropped
        running.kept.write(
            _about(running, dropped, whole_picture=self.whole_picture),
            running.layout.to_json(),
            [_on_film_clock(line, running.film) for line in running.game.lines],
        )
        if dropped:
            self._tell(
                message("{count} pictures are missing in the film: the device was too slow.", count=dropped)
            )

    def _discard(self) -> None:
        running, self._running = self._running, None
        self._held.clear()
        if running is not None:
            running.film.discard()
            running.kept.delete()


class FilmedSource:
    """A source whose pictures a `FilmKeeper` keeps. It closes the keeper, too."""

    def __init__(self, source: FrameSource, keeper: FilmKeeper) -> None:
        self._source, self._keeper = source, keeper
        self.name, self.live, self.fps, self.seconds = source.name, source.live, source.fps, source.seconds
        self.on_status: Callable[[str], None] = ignore_status

    def __iter__(self) -> Iterator[tuple[float, Image]]:
        """Yield the source's pictures."""
        self._source.on_status = lambda line: self.on_status(line)
        for t, frame in self._source:
            self._keeper.add(frame, t, live=self.live)
            yield t, frame

    def close(self) -> None:
        """Close the source, and finish the film."""
        self._source.close()
        self._keeper.close()


def blur_surroundings(frame: Image, layout: Layout) -> Image:
    """Return the frame with everything outside the table blurred beyond recognition."""
    height, width = frame.shape[:2]
    outside = np.ones((height, width), np.uint8)
    outline = table_outline(layout, _TABLE_MM)
    if outline is not None:
        scaled = outline * (width / layout.width, height / layout.height)
        cv2.fillConvexPoly(outside, np.round(np.clip(scaled, -30000, 30000)).astype(np.int32), 0)
    return blur(frame, outside)


def unconfirmed(lines: list[EventLine]) -> list[int]:
    """Return the ids of the events that no person entered or corrected."""
    return [int(line["id"]) for line in lines if not line.get(SETTLED) and line.get("by") != BY_HAND]


def _about(running: _Running, dropped: int, *, whole_picture: bool) -> dict[str, Any]:
    """Return the description of a kept game, with the fields of a truth's first line."""
    setup, film = running.setup, running.film
    return {
        "film": film.path.name,
        "fps": film.fps,
        "width": film.size[0],
        "height": film.size[1],
        "rules": None if setup is None else setup.rules,
        "options": [] if setup is None else list(setup.options),
        "players": list(running.game.table.players),
        "dealer": running.game.table.dealer,
        "deck": None if setup is None else setup.deck,
        "condition": {"real": True, "blurred": not whole_picture},
        "seconds": round(film.frames / film.fps, 3),
        "dropped": dropped,
        "unconfirmed": unconfirmed(list(running.game.lines)),
    }


def _on_film_clock(line: EventLine, film: TimedFilm) -> dict[str, Any]:
    """Return an event in the film's time. It is the last word, so it revises nothing."""
    times = {
        name: round(film.film_time(float(line[name])), 3) for name in ("t", "decided_at") if name in line
    }
    return {name: value for name, value in line.items() if name != "revise"} | times


def _reason(error: BadInputError | OSError) -> str:
    return error.says if isinstance(error, BadInputError) else error.strerror or str(error)
