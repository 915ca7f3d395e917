"""Run as a program: `shithead watch` on the polite film, sent as IP-camera apps send it.

Usage: watch_phone.py OPTION..., those of `shithead watch`. A process of its own, as what a source asks of
time is replaced in it.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))

import cv2
import numpy as np

from companion.cli.main import main
from tests.support.polite_film import polite_film
from tests.support.streamed import parts, serve
from vision.capture.frame_queue import FrameQueue
from vision.capture.sources import LiveSource
from vision.capture.waits import WAITS
from vision.following import watcher
from vision.parallel import done
from vision.types import Image

BEGINS_S, ENDS_S = 26.2, 40.0
"""The part of the film that is sent: the dealt table, an exchange, the first play and its draw."""
EVERY = 2
"""Of so many pictures one is sent, as over a slow network."""
AHEAD = 4
"""So many pictures at first may be sent that nobody has looked at."""
STUCK_S = 0.25
"""If a reader that waits gets nothing for so long, FFmpeg keeps that many pictures to itself."""
PATIENCE_S = 300.0


class Phone:
    """A phone above the table of the polite film, which sends a picture once the ones before were looked at.

    So nothing depends on speed: of a live source is dropped what a slow machine has no time for, and here it
    always has time. For the same reason pictures get the film's times, not those at which they arrive.
    """

    def __init__(self) -> None:
        self._film = cv2.VideoCapture(str(polite_film().path))
        self._fps = self._film.get(cv2.CAP_PROP_FPS)
        self._news = threading.Condition()
        self._sent = self._arrived = self._dropped = self._taken = self._looked_at = 0
        self._reader_waits = self._over = False
        put, pictures = FrameQueue.put, LiveSource.__iter__

        def put_with_the_films_time(backlog: FrameQueue, _t: float, picture: Image) -> int:
            with self._news:
                self._arrived += 1
                dropped = put(backlog, self._arrived * EVERY / self._fps, picture)
                self._dropped += dropped
                self._news.notify_all()
            return dropped

        def pictures_noted(source: LiveSource) -> Iterator[tuple[float, Image]]:
            waited_for = pictures(source)
            while True:
                with self._news:
                    if self._over:
                        raise KeyboardInterrupt  # so does end it who watches a phone
                    self._reader_waits = True
                item = next(waited_for, None)
                if item is None:
                    return
                with self._news:
                    self._taken += 1
                    self._reader_waits, self._looked_at = False, self._taken + self._dropped
                    self._news.notify_all()
                yield item

        setattr(FrameQueue, "put", put_with_the_films_time)  # noqa: B010 - mypy lets no method be assigned
        setattr(LiveSource, "__iter__", pictures_noted)  # noqa: B010
        # The pictures' time stands still while cards are read.
        setattr(watcher, "begin", lambda work: done(work()))  # noqa: B010
        # However long a busy machine takes, the phone is there.
        WAITS.first_frame = WAITS.answer = WAITS.next_frame = PATIENCE_S

    def film(self) -> Iterator[bytes]:
        """Yield the parts of the stream."""
        pictures = self._pictures()
        first = picture = next(pictures)
        # FFmpeg looks through many pictures before it passes on the first: in these nothing happens.
        while not self._heard(lambda: self._arrived > 0, 0.05):
            yield from self._send(first)
        ahead = AHEAD
        for picture in pictures:
            while not self._heard(partial(self._is_near, ahead), STUCK_S):
                ahead += self._reader_waits
            yield from self._send(picture)
        last = self._sent
        while True:  # the last ones, too, come out of FFmpeg only behind others, until the watcher hangs up
            self._over = self._heard(lambda: self._looked_at >= last, STUCK_S)
            yield from self._send(picture)
            self._heard(lambda: False, STUCK_S)

    def _pictures(self) -> Iterator[Image]:
        for number in range(round(ENDS_S * self._fps)):
            self._film.grab()
            if number % EVERY == 0 and number >= BEGINS_S * self._fps:
                yield np.asarray(self._film.retrieve()[1], np.uint8)

    def _is_near(self, ahead: int) -> bool:
        return self._sent - self._looked_at < ahead

    def _heard(self, news: Callable[[], bool], seconds: float) -> bool:
        with self._news:
            return self._news.wait_for(news, seconds)

    def _send(self, picture: Image) -> Iterator[bytes]:
        self._sent += 1
        yield from parts([picture])


if __name__ == "__main__":
    with serve(Phone().film) as address:
        sys.exit(main(["watch", address, *sys.argv[1:]]))
