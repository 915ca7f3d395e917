"""Scenarios of `drive_app.py` with a phone above a table, whose picture comes over the loopback network."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator

import cv2
import numpy as np

from tests.e2e.windows.walker import Steps, Walker, by_touch, rest
from tests.support.polite_film import polite_film
from tests.support.streamed import parts, serve
from vision.capture.waits import WAITS

_DEALT_S = 20.9
"""When the cards are dealt in the polite film, and no hand is over the table."""
_LOOKED_THROUGH = 30
"""So many pictures FFmpeg looks through at most before it passes on the first."""
_ENTER = 13


def dealt_table() -> bytes:
    """Return a picture of the polite film as a part of a stream."""
    film = cv2.VideoCapture(str(polite_film().path))
    film.set(cv2.CAP_PROP_POS_MSEC, 1000 * _DEALT_S)
    (part,) = parts([np.asarray(film.read()[1], np.uint8)])
    film.release()
    return part


def again_and_again(part: bytes) -> Iterator[bytes]:
    """Yield the same picture without end: which of them a slow machine misses does not matter."""
    for number in itertools.count():
        yield part
        time.sleep(0.02 if number < _LOOKED_THROUGH else 0.2)


def phoned(walker: Walker) -> Steps:
    """The address of a phone is typed into the form, which looks through it; a game begins on its table."""
    from kivy.core.window import Window

    # However long a busy machine takes, the phone is there.
    WAITS.first_frame = WAITS.answer = WAITS.next_frame = 300.0
    picture = dealt_table()  # beforehand: while OpenCV opens one source it opens no other
    walker.app.ask(by_touch(walker))
    yield
    yield from rest(3)
    with serve(lambda: again_and_again(picture)) as address:
        form = walker.screen
        yield from walker.write(form.ids.address, address)
        Window.dispatch("on_key_down", _ENTER, 0, None, [])
        while form.preview is None or form.preview.sight is None:
            assert form.preview is None or not form.preview.error, form.preview.error
            yield
        yield from rest(4)
        walker.saw["source"] = [form.source, form.chosen().source]
        walker.look("phone")
        yield from walker.tap(form.ids.start)
        while walker.app.session is None or not walker.app.session.snapshot.lines:
            yield
        yield from rest(4)
        session = walker.app.session
        walker.saw["address"], walker.saw["lines"] = address, list(session.snapshot.lines)
        walker.saw["phase"] = session.snapshot.phase
        walker.look("phone-dealt")
        walker.app.end_session()
