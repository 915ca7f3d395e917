"""The app as a phone has it: its camera behind a bridge, and without what phones lack."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from companion.phone import BridgeSource, open_phone_camera
from engine.errors import BadInputError

ROOT = Path(__file__).parent.parent.parent
LACKING = (
    *("onnxruntime", "torch", "torchvision", "ultralytics", "onnx"),
    *("bz2", "_bz2", "lzma", "_lzma", "curses", "dbm", "grp", "multiprocessing", "readline", "syslog"),
    *("ensurepip", "idlelib", "lib2to3", "test", "tkinter", "turtledemo", "venv"),
)
"""What has no recipe; and of the standard library what Python lacks on Android (docs.python.org,
"Availability: not Android"), what python-for-android's recipe leaves out (`stdlib_dir_blacklist`), and what
it builds only with recipes that `buildozer.spec` does not ask for."""


class FakeBridge:
    """Stands in for the phone: sends what it is told to, from a thread of its own, as CameraX does."""

    def __init__(self, *pictures: tuple[bytes, tuple[int, int]], allowed: bool = True) -> None:
        self.pictures, self.allowed, self.stopped = pictures, allowed, False

    def start(self, arrived: Callable[[bytes, tuple[int, int]], None], refused: Callable[[], None]) -> None:
        def send() -> None:
            if not self.allowed:
                refused()
            for picture in self.pictures:
                arrived(*picture)

        threading.Thread(target=send).start()

    def stop(self) -> None:
        self.stopped = True


def rgba(red: int, green: int, blue: int, width: int = 4, height: int = 3) -> tuple[bytes, tuple[int, int]]:
    return bytes((red, green, blue, 255)) * (width * height), (width, height)


def test_a_picture_of_the_phone_arrives_as_vision_wants_it() -> None:
    bridge = FakeBridge(rgba(200, 100, 50))
    source = BridgeSource(bridge)
    t, picture = next(iter(source))
    assert source.live
    assert t >= 0
    assert picture.shape == (3, 4, 3)
    assert picture.dtype == np.uint8
    assert tuple(picture[0, 0]) == (50, 100, 200)
    source.close()
    assert bridge.stopped
    assert list(source) == []


def test_a_torn_picture_is_left_out() -> None:
    source = BridgeSource(FakeBridge((b"\0" * 7, (4, 3)), rgba(1, 2, 3)))
    assert tuple(next(iter(source))[1][0, 0]) == (3, 2, 1)
    source.close()


def test_a_user_who_says_no_is_told_what_follows() -> None:
    source = BridgeSource(FakeBridge(allowed=False))
    with pytest.raises(BadInputError, match="may not be used"):
        next(iter(source))
    source.close()


def test_on_a_computer_the_phones_camera_is_not_there() -> None:
    with pytest.raises(BadInputError, match="is no phone"):
        open_phone_camera()


READ = f"""
import sys
class Lacking:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {LACKING!r}:
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Lacking())
import importlib.util
found = importlib.util.find_spec
importlib.util.find_spec = lambda name, package=None: (
    None if name.partition(".")[0] in {LACKING!r} else found(name, package)
)
"""
CARDS = """
import cv2
from companion.cameras import sample_film
from vision.reader import default_reader
from vision.runtime import available_backends
film = cv2.VideoCapture(str(sample_film().path))
film.set(cv2.CAP_PROP_POS_MSEC, 40000)
done, frame = film.read()
assert done
print(available_backends()[0], *sorted(r.card for r in default_reader().read(frame) if r.card))
"""


def cards_read(preface: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", preface + CARDS], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.split()


def test_opencv_reads_the_same_cards_from_the_same_weights() -> None:
    desktop, phone = cards_read(""), cards_read(READ)
    assert (desktop[0], phone[0]) == ("onnxruntime", "opencv")
    assert len(phone) > 8
    assert phone[1:] == desktop[1:]


def test_every_module_of_the_app_loads_without_what_a_phone_lacks() -> None:
    """Kivy's own modules need a window and are loaded by the tests of the screens."""
    code = """
import pathlib
for path in sorted(pathlib.Path("companion").rglob("*.py")):
    name = ".".join(path.with_suffix("").parts)
    if "screens" not in name and not name.endswith("__init__"):
        __import__(name)
assert not any(name.partition(".")[0] in LACKING for name in sys.modules)
"""
    done = subprocess.run(
        [sys.executable, "-c", READ + f"LACKING = {LACKING!r}\n" + code],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]


def test_the_weights_fit_a_phone() -> None:
    # The 8-bit copies are for onnxruntime, which a phone has not: `buildozer.spec` leaves them out.
    taken = [path for path in (ROOT / "models").rglob("*.onnx") if not path.name.endswith(".int8.onnx")]
    size = sum(path.stat().st_size for path in taken)
    assert size < 12_000_000
