"""Phones at the table: pictures per second, delay, load and memory of the page and its server.

Run: `pytest -m benchmark -s tests/benchmarks/test_phones.py`. The camera is a Chromium on the same machine,
which encodes in software: on two cores it takes more than the program. Memory is watched for
`SHITHEAD_PHONE_MINUTES` (an hour if it is not set).
"""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

pytest.importorskip("aiohttp", reason="the extra `phone` is not installed")
pytest.importorskip("selenium", reason="selenium is not installed")

from companion.game.session import Session
from companion.phone.page_texts import page_document
from companion.phone.program import ProgramState
from companion.phone.server import PhoneServer, page_file
from companion.sources.joined_phone import PhoneFrames, PhoneSource
from tests.support.chromium import Browser, camera_film, chromium, missing
from tests.support.phones import Client, addresses, jpeg, phone, serving
from tests.support.polite_film import polite_film
from tests.support.session_script import Game
from tests.support.waiting import until
from vision.types import Image

pytestmark = [
    pytest.mark.benchmark,
    pytest.mark.skipif(bool(missing()), reason=missing() or "there"),
]
Measured = Callable[[str, float], None]
WATCHED_S = 20.0
SCREENS, CHANGES = 10, 15


def thread_seconds() -> float:
    """Return the processor time of the server's thread so far, in seconds."""
    thread = next(one for one in threading.enumerate() if one.name == "phones")
    fields = Path(f"/proc/self/task/{thread.native_id}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory_mib() -> float:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def film_with(browser: Browser, address: str) -> None:
    browser.driver.get(address)
    browser.tap("#film")
    browser.tap("#start-film")


@contextmanager
def read_by(frames: PhoneFrames) -> Iterator[None]:
    """Read the pictures as a game does, and do nothing with them."""
    source = PhoneSource(frames)
    reader = threading.Thread(target=lambda: deque(source, maxlen=0), daemon=True)
    reader.start()
    try:
        yield
    finally:
        source.close()
        reader.join()


@pytest.mark.parametrize(("width", "name", "least"), [(1600, "1600x900", 10.0), (1920, "1080p", 8.0)])
def test_pictures_per_second(tmp_path: Path, measured: Measured, width: int, name: str, least: float) -> None:
    film = camera_film(polite_film().path, tmp_path / "film.mjpeg", end=WATCHED_S + 10, width=width)
    frames = PhoneFrames()
    program = ProgramState(store=tmp_path / "none.sqlite")
    with (
        serving(tmp_path / "phones", program, frames, size=width) as server,
        read_by(frames),
        chromium(tmp_path / "b", film=film) as browser,
    ):
        film_with(browser, addresses(server).join)
        until(lambda: frames.latest is not None)
        first, began, spent = frames.latest, time.monotonic(), thread_seconds()
        assert first is not None
        time.sleep(WATCHED_S)
        last = frames.latest
        assert last is not None
        taken = time.monotonic() - began
        rate = (last.serial - first.serial) / taken
        share = (thread_seconds() - spent) / taken
    size = len(last.jpeg) / 1000
    print(f"{name}: {rate:.1f} pictures per second of {size:.0f} kB, server {share:.3f} of a core")
    measured(f"phone_pictures_per_s_{name}", rate)
    measured(f"phone_server_share_{name}", share)
    assert rate >= least
    assert share <= 0.2


class Flips(Game):
    """Decides an event each time the picture turns from dark to light or back."""

    def __init__(self, source: PhoneSource) -> None:
        super().__init__()
        self._source, self._light = source, False
        self.taken: list[float] = []
        """When the picture of each event was taken, on this program's clock."""

    def feed(self, frame: Image, t: float) -> list[dict[str, Any]]:
        light = bool(frame[0, 0, 0] > 127)
        if light == self._light:
            return []
        self._light = light
        assert self._source.began is not None
        self.taken.append(self._source.began + t)
        line = {"id": len(self.taken), "event": "draw", "player": "Ann", "t": t}
        self.lines.append(line)
        return [line]


def flipping(film: Path) -> Path:
    """Write a film for the camera that turns from dark to light and back, each for a second and a half."""
    noise = np.random.default_rng(1).integers(0, 60, (900, 1600, 3), np.uint8)
    dark, light = (cv2.imencode(".jpg", noise + grey)[1].tobytes() for grey in (20, 180))
    film.write_bytes(dark * 45 + light * 45)
    return film


def test_from_the_phones_picture_to_the_ruling_on_ten_screens(tmp_path: Path, measured: Measured) -> None:
    frames = PhoneFrames()
    source = PhoneSource(frames)
    game = Flips(source)
    session = Session(lambda: source, lambda: game)
    program = ProgramState(lambda: session, store=tmp_path / "none.sqlite")
    session.start()
    with (
        serving(tmp_path / "phones", program, frames) as server,
        chromium(tmp_path / "b", film=flipping(tmp_path / "film.mjpeg")) as browser,
    ):
        film_with(browser, addresses(server).join)
        shown = asyncio.run(all_shown(server))
    session.stop()
    delays = [at - game.taken[number] for number, at in shown.items()]
    median, last = float(np.median(delays)), float(np.percentile(delays, 95))
    print(f"picture to ruling on {SCREENS} screens: median {median:.3f} s, 95th percentile {last:.3f} s")
    measured("phone_picture_to_screens_s", median)
    assert median <= 0.3


async def all_shown(server: PhoneServer) -> dict[int, float]:
    """Return when the last of the screens had shown each of the first events."""
    shown: dict[int, float] = {}

    async def watch(number: int) -> None:
        async with phone(addresses(server).view, number) as screen:
            await screen.hear("state")
            seen = len(screen.state.get("log", ()))
            while seen < CHANGES:
                await next_line(screen, seen)
                for event in range(seen, min(CHANGES, len(screen.state["log"]))):
                    shown[event] = max(shown.get(event, 0.0), time.monotonic())
                seen = len(screen.state["log"])

    await asyncio.gather(*(watch(number) for number in range(SCREENS)))
    return {event: at for event, at in shown.items() if event > 0}


async def next_line(screen: Client, seen: int) -> None:
    while len(screen.state.get("log", ())) <= seen:
        before = screen.state
        screen.state = {}
        await screen.hear("state")
        screen.state = before | screen.state


def test_the_first_picture_after_the_scan(tmp_path: Path, measured: Measured) -> None:
    film = camera_film(polite_film().path, tmp_path / "film.mjpeg", end=1)
    frames = PhoneFrames()
    with (
        serving(tmp_path / "phones", frames=frames) as server,
        chromium(tmp_path / "b", film=film) as browser,
    ):
        began = time.monotonic()
        film_with(browser, addresses(server).join)
        until(lambda: frames.latest is not None)
        seconds = time.monotonic() - began
    print(f"first picture {seconds:.2f} s after the address was opened, taps included")
    measured("phone_first_picture_s", seconds)
    assert seconds <= 2.0


def test_size_of_the_page(measured: Measured) -> None:
    whole = len(page_document().encode()) + sum(
        len(page_file(name)) for name in ("page.js", "style.css", "icon.svg")
    )
    print(f"the page has {whole / 1000:.1f} kB")
    measured("phone_page_kb", whole / 1000)
    assert whole < 100_000


def test_memory_stays_flat(tmp_path: Path, measured: Measured) -> None:
    minutes = float(os.environ.get("SHITHEAD_PHONE_MINUTES", "60"))
    frames = PhoneFrames()
    picture = jpeg(1600, 900)

    async def play(server: PhoneServer) -> tuple[float, float]:
        async with phone(addresses(server).join, 99) as camera:
            await camera.say(type="take-camera")
            await camera.hear("camera-yours")
            screens = [asyncio.create_task(watch(server, number)) for number in range(SCREENS)]
            settled, ending = None, time.monotonic() + 60 * minutes
            while time.monotonic() < ending:
                await camera.film(time.monotonic(), picture)
                await camera.hear("got")
                camera.heard.clear()
                await asyncio.sleep(0.1)
                if settled is None and time.monotonic() > ending - 54 * minutes:
                    settled = memory_mib()
            for task in screens:
                task.cancel()
            assert settled is not None
            return settled, memory_mib()

    async def watch(server: PhoneServer, number: int) -> None:
        async with phone(addresses(server).view, number) as screen:
            while True:
                await screen.link.receive()

    with serving(tmp_path / "phones", frames=frames) as server, read_by(frames):
        settled, last = asyncio.run(play(server))
    print(f"memory grew by {last - settled:.1f} MiB in the last nine tenths of {minutes:g} minutes")
    measured("phone_memory_growth_mib", last - settled)
    assert last - settled < 10
