"""Run as a program: the least that shows a camera in Kivy, to measure the app beside it.

One widget, one thread that reads the film at its own pace; no networks, no referee, nothing else to see.
Usage: bare_camera_app.py FILM SECONDS. Prints the same measures as the scenario `speed` of `drive_window.py`.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from pathlib import Path
from typing import Any

STARTED = float(os.environ.get("SHITHEAD_STARTED", time.monotonic()))
for name, value in (("KIVY_NO_ARGS", "1"), ("KIVY_LOG_MODE", "PYTHON"), ("KIVY_NO_FILELOG", "1")):
    os.environ.setdefault(name, value)

sys.path.insert(0, str(Path(__file__).parents[2]))

import cv2  # noqa: E402 - once Kivy has been told how to behave
from kivy.config import Config  # noqa: E402

Config.set("graphics", "width", "1280")
Config.set("graphics", "height", "720")
Config.set("graphics", "multisamples", "0")  # as in the app, so that both have the same to draw
from kivy.app import App  # noqa: E402
from kivy.clock import Clock  # noqa: E402
from kivy.graphics.texture import Texture  # noqa: E402
from kivy.uix.image import Image  # noqa: E402

from tests.e2e.windows.shown_pictures import ShownPictures  # noqa: E402


class BareApp(App):
    """Shows the newest picture of a film."""

    def __init__(self, film: str, seconds: float) -> None:
        super().__init__()
        self._film, self._seconds = film, seconds
        self._newest: Any = None
        self._count = 0
        self._counted = ShownPictures()
        self._shown = -1
        self._first: float | None = None
        self._cpu = 0.0
        self._over = threading.Event()

    def build(self) -> Image:
        self._image = Image(fit_mode="contain")
        self._reading = threading.Thread(target=self._read, daemon=True)
        self._reading.start()
        from kivy.core.window import Window

        Window.bind(on_flip=self._counted.drawn)
        self._put = self._counted.put(self._blit)
        Clock.schedule_interval(self._show, 0)
        Clock.schedule_interval(self._tick, 0)
        return self._image

    def _read(self) -> None:
        film = cv2.VideoCapture(self._film)
        pause = 1 / film.get(cv2.CAP_PROP_FPS)
        due = time.monotonic()
        while not self._over.is_set():
            done, frame = film.read()
            if not done:
                return
            frame = cv2.resize(frame, (1280, round(frame.shape[0] * 1280 / frame.shape[1])))
            rgb = cv2.cvtColor(frame, cv2.COLOR_BGR2RGB)
            self._newest = (self._count, rgb.tobytes(), (rgb.shape[1], rgb.shape[0]))
            self._count += 1
            due = max(due + pause, time.monotonic() - 0.5)
            time.sleep(max(0.0, due - time.monotonic()))

    def _show(self, _dt: float) -> None:
        if self._newest is None or self._newest[0] == self._shown:
            return
        self._put(*self._newest)

    def _blit(self, number: int, pixels: bytes, size: tuple[int, int]) -> None:
        self._shown = number
        if self._image.texture is None:
            self._image.texture = Texture.create(size=size, colorfmt="rgb")
            self._image.texture.flip_vertical()
        self._image.texture.blit_buffer(pixels, colorfmt="rgb", bufferfmt="ubyte")
        self._image.canvas.ask_update()

    def _tick(self, _dt: float) -> None:
        if self._shown < 0:
            return
        now = time.monotonic()
        if self._first is None:
            self._first, self._cpu, self._count = now, time.process_time(), 0
            self._counted.pictures = self._counted.draws = 0
        if now - self._first < self._seconds:
            return
        seconds = now - self._first
        print(
            json.dumps(
                {
                    "first_picture_s": self._first - STARTED,
                    "first_picture_cpu_s": self._cpu,
                    **self._counted.per_second(seconds),
                    "pictures_per_second": self._count / seconds,
                    "cpu_share": (time.process_time() - self._cpu) / seconds,
                }
            )
        )
        self._over.set()
        self._reading.join()
        self.stop()


if __name__ == "__main__":
    BareApp(sys.argv[1], float(sys.argv[2])).run()
