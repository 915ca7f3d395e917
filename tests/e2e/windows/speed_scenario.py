"""The scenario `speed` of `drive_window.py`: how soon and how often a film's pictures are on the screen."""

from __future__ import annotations

import os
import time
from dataclasses import replace

from companion.game.starting import make_session
from tests.e2e.windows.shown_pictures import ShownPictures
from tests.e2e.windows.walker import Steps
from tests.e2e.windows.window_driver import Driver

STARTED = float(os.environ.get("SHITHEAD_STARTED", time.monotonic()))
"""When the process was started, if whoever started it says so."""


def speed(driver: Driver, film: str, lasting: float) -> Steps:
    """Seconds from the start of the program to the first picture, and pictures a second while reading."""
    from kivy.core.window import Window

    session = make_session(replace(driver.setup, source=film))
    driver.app.play(session)
    while session.picture is None or not driver.ids.live.shows_picture:
        yield
    driver.saw["first_picture_s"] = time.monotonic() - STARTED
    driver.saw["first_picture_cpu_s"] = time.process_time()
    while session.snapshot.phase == "opening":  # the networks; the picture does not wait for them
        yield
    driver.saw["watching_s"] = time.monotonic() - STARTED
    driver.saw["watching_cpu_s"] = cpu = time.process_time()
    shown, live = ShownPictures(), driver.ids.live
    live.show_picture = shown.put(live.show_picture)
    Window.bind(on_flip=shown.drawn)
    began, pictures = time.monotonic(), session.picture.serial
    while time.monotonic() - began < lasting and session.snapshot.phase == "watching":
        yield
    seconds = time.monotonic() - began
    Window.unbind(on_flip=shown.drawn)
    driver.saw |= shown.per_second(seconds)
    driver.saw["pictures_per_second"] = (session.picture.serial - pictures) / seconds
    driver.saw["cpu_share"] = (time.process_time() - cpu) / seconds
