"""What several tests of faults need: folders of nobody, stores, and a server of pictures that misbehaves."""

from __future__ import annotations

import contextlib
import os
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from companion.store.store import Store
from tests.faults.fuzz_running import WORKS_IN, watched
from vision.capture.waits import WAITS

_KINDS = ("DATA_HOME", "CONFIG_HOME", "CACHE_HOME", "STATE_HOME", "PICTURES_DIR", "DOCUMENTS_DIR")


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put the user's folders into the test's own; programs that it starts inherit them."""
    folder = tmp_path_factory.mktemp("home")
    for kind in _KINDS:
        monkeypatch.setenv(f"XDG_{kind}", str(folder / kind.lower()))
    monkeypatch.setenv("HOME", str(folder))
    return folder


@pytest.fixture(autouse=True)
def nothing_elsewhere(tmp_path_factory: pytest.TempPathFactory, home: Path) -> Iterator[None]:
    """Fail a test in whose process anything is written outside of the tests' own folders."""
    with watched(tmp_path_factory.getbasetemp(), WORKS_IN):
        yield


class PictureServer:
    """An MJPEG stream over loopback, as phones send it. `behave` says what happens on a path."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        """The paths that somebody asked for."""
        self.every_s = 0.02
        self.size = (320, 240)
        self.grainy = False
        """Whether pictures are nothing but grain, which no codec makes small."""
        self.sent = 0
        self.silent = threading.Event()
        """While it is set no picture is sent, and nobody is answered."""
        self.behave: dict[str, Callable[[BaseHTTPRequestHandler], None]] = {}
        self.open = True
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.0"

            def log_message(self, *_: object) -> None:
                pass

            def do_GET(self) -> None:
                outer.asked.append(self.path)
                with contextlib.suppress(OSError):  # whoever looked on has gone
                    outer.behave.get(self.path, outer.stream)(self)

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.address = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def stream(self, to: BaseHTTPRequestHandler) -> None:
        """Send pictures until told to be silent."""
        while self.silent.is_set() and self.open:
            time.sleep(0.02)
        to.send_response(200)
        to.send_header("Content-Type", "multipart/x-mixed-replace; boundary=frame")
        to.end_headers()
        while self.open:
            while self.silent.is_set() and self.open:
                time.sleep(0.02)
            self.sent += 1
            shape = (self.size[1], self.size[0], 3)
            picture = np.full(shape, self.sent % 250, np.uint8)
            if self.grainy:
                picture = np.random.default_rng(self.sent).integers(0, 255, shape, np.uint8)
            data = cv2.imencode(".jpg", picture)[1].tobytes()
            head = f"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: {len(data)}\r\n\r\n"
            to.wfile.write(head.encode() + data + b"\r\n")
            to.wfile.flush()
            time.sleep(self.every_s)

    def close(self) -> None:
        self.open = False
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def servers() -> Iterator[Callable[[], PictureServer]]:
    """Return what starts servers; they end with the test."""
    started: list[PictureServer] = []

    def start() -> PictureServer:
        started.append(PictureServer())
        return started[-1]

    yield start
    for server in started:
        server.close()


@pytest.fixture
def server(servers: Callable[[], PictureServer]) -> PictureServer:
    return servers()


class Disk:
    """A disk of half a megabyte."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def fill(self) -> Path:
        """Leave no room; returns the file that takes it all."""
        filler = self.path / "filler"
        with contextlib.suppress(OSError), filler.open("wb", buffering=0) as file:
            for size in (65536, 4096, 512, 1):
                with contextlib.suppress(OSError):
                    while file.write(bytes(size)) == size:
                        pass
        return filler

    def mount(self, *options: str) -> bool:
        """Mount it, or mount it otherwise; only root may."""
        command = ["mount", "-t", "tmpfs", "-o", ",".join(("size=512k", *options)), "tmpfs", str(self.path)]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Disk]:
    disk = Disk(tmp_path / "disk")
    disk.path.mkdir()
    if not disk.mount():
        pytest.skip("no small disk can be made here")
    try:
        yield disk
    finally:
        subprocess.run(["umount", "-l", str(disk.path)], check=True)


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let seconds of waiting be fractions of one."""
    monkeypatch.setattr(WAITS, "silence", 0.15)
    monkeypatch.setattr(WAITS, "reconnect", 1.0)
    monkeypatch.setattr(WAITS, "remind", 1.0)
    monkeypatch.setattr(WAITS, "first_frame", 1.0)


@pytest.fixture
def as_program() -> dict[str, str]:
    """Return the environment of a program that finds no display."""
    hidden = ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER", "PYTHONUNBUFFERED")
    return {key: value for key, value in os.environ.items() if key not in hidden} | {"OMP_NUM_THREADS": "1"}


@pytest.fixture(scope="session")
def filled() -> Callable[..., None]:
    """Return what writes a store of so many games, the last broken off, with events 1, 2, ... each."""

    def fill(path: Path, events: int = 60, games: int = 3) -> None:
        for number in range(games):
            with Store.open(path) as store:
                store.start_game("winnersh", ("Ann", "Bob"), dealer="Ann")
                for event in range(1, events + 1):
                    line = {"id": event, "event": "play", "player": "Ann", "cards": ["9S"]}
                    store.append({**line, "filler": "x" * 300})
                if number < games - 1:
                    store.finish("Bob")

    return fill


@pytest.fixture(scope="session")
def held() -> Callable[[Path], list[list[Any]]]:
    """Return what tells the ids of the events that a store holds, by game."""

    def read(path: Path) -> list[list[Any]]:
        with Store.open(path) as store:
            return [[line.get("id") for line in store.events(game.id)] for game in store.games()]

    return read
