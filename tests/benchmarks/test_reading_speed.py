"""How fast pictures are read, as ratios to a plain one-stage detector on torch in the same run.

`pytest -m benchmark -s tests/benchmarks/test_reading_speed.py`, with the training extra installed.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Sequence

import cv2
import numpy as np
import pytest

from datasets.art import load_deck
from datasets.surfaces import drawn_surface
from vision.reader import TableReader
from vision.reading import CardReading, Image, Region
from vision.watch import Watcher

pytestmark = pytest.mark.benchmark

_THREADS = 2
Measured = Callable[[str, float], None]
_ROUNDS = 15


def table_picture(height: int, width: int, cards: int) -> Image:
    """Return a drawn table with cards laid out in two rows, each about a ninth of the picture tall."""
    rng = np.random.default_rng(5)
    surface = drawn_surface(np.random.default_rng(3))
    picture = cv2.resize(surface, (width, height), interpolation=cv2.INTER_CUBIC)
    faces = load_deck("drawn").faces
    names = sorted(faces)[:: max(1, len(faces) // cards)][:cards]
    tall = height // 8
    for number, name in enumerate(names):
        x = (0.1 + 0.8 * (number % 6) / 5) * width
        y = (0.3 if number < 6 else 0.7) * height
        art = faces[name]
        angle, scale = rng.uniform(-0.3, 0.3), tall / art.shape[0]
        cos, sin = scale * np.cos(angle), scale * np.sin(angle)
        matrix = np.array([[cos, -sin, 0], [sin, cos, 0]])
        matrix[:, 2] = (x, y) - matrix[:, :2] @ np.array([art.shape[1] / 2, art.shape[0] / 2])
        small = cv2.GaussianBlur(art, (0, 0), 0.4 / scale)
        laid = cv2.warpAffine(small, matrix, (width, height), flags=cv2.INTER_LINEAR)
        share = laid[..., 3:].astype(np.float32) / 255
        picture = (picture * (1 - share) + laid[..., :3] * share).astype(np.uint8)
    return np.asarray(picture, np.uint8)


class _Blind:
    """Reads nothing: the looks at a resting table, few as they are, are measured by themselves."""

    def read(self, image: Image, crowded: Sequence[Region] | None = None) -> list[CardReading]:
        return []


def median_ms(action: Callable[[], object], rounds: int = _ROUNDS) -> float:
    """Return the median time of an action in milliseconds, after two runs to warm up."""
    times = []
    for number in range(rounds + 2):
        start = time.perf_counter()
        action()
        if number >= 2:
            times.append(1000 * (time.perf_counter() - start))
    return float(np.median(times))


@pytest.fixture(scope="module")
def reader() -> TableReader:
    return TableReader()


def medians_ms(
    one: Callable[[], object], other: Callable[[], object], rounds: int = _ROUNDS
) -> tuple[float, float]:
    """Return the median times of two actions that take turns: a clock that drifts is fair to both."""
    pairs = [(median_ms(one, 1), median_ms(other, 1)) for _ in range(rounds)]
    first, second = np.median(np.array(pairs), axis=0)
    return float(first), float(second)


@pytest.fixture(scope="module")
def rival() -> Callable[[], object]:
    """Return what has a one-stage YOLO26n at 640 px look at a 1080p frame, with ultralytics and torch."""
    torch = pytest.importorskip("torch")
    pytest.importorskip("ultralytics")
    from models.outlines.torch_setup import detection_model

    detection_model("yolo26n.yaml", 52)  # makes ultralytics importable on CPU builds of torch
    from ultralytics import YOLO

    torch.set_num_threads(_THREADS)
    model = YOLO("yolo26n.yaml")
    frame = table_picture(1080, 1920, 12)
    return lambda: model.predict(frame, imgsz=640, verbose=False, device="cpu")


@pytest.fixture(scope="module")
def rival_ms(rival: Callable[[], object]) -> float:
    """Return the rival's median time for a frame."""
    return median_ms(rival)


def test_a_full_hd_frame_with_twelve_cards(
    reader: TableReader, rival: Callable[[], object], measured: Measured
) -> None:
    frame = table_picture(1080, 1920, 12)
    found = reader.read(frame)
    assert sum(card.card is not None for card in found) >= 11
    own, rival_ms = medians_ms(lambda: reader.read(frame), rival)
    print(f"\n1080p, 12 cards: {own:.0f} ms; YOLO26n at 640: {rival_ms:.0f} ms; ratio {own / rival_ms:.2f}")
    measured("full_hd_ms", own)
    measured("full_hd_share_of_rival", own / rival_ms)
    assert own <= 1.5 * rival_ms


def test_an_unchanged_frame(rival_ms: float, measured: Measured) -> None:
    frame, clock = table_picture(1080, 1920, 12), iter(np.arange(0, 1000, 1 / 15))
    watcher = Watcher(_Blind())
    own = median_ms(lambda: watcher.feed(frame, float(next(clock))), 60)
    print(f"\nan unchanged 1080p frame: {own:.2f} ms; ratio {own / rival_ms:.4f}")
    measured("unchanged_frame_ms", own)
    assert own <= 0.1 * rival_ms


def test_a_twelve_megapixel_photo(reader: TableReader, rival_ms: float, measured: Measured) -> None:
    photo = table_picture(3000, 4000, 12)
    own = median_ms(lambda: reader.read(photo), 7)
    print(f"\n12 MP: {own:.0f} ms; ratio {own / rival_ms:.2f}")
    measured("twelve_megapixels_s", own / 1000)
    assert own <= 12 * rival_ms


def test_memory_of_a_reading_process(measured: Measured) -> None:
    # VmHWM is the process's own peak; ru_maxrss would be inherited from this one.
    program = (
        "import numpy as np; from vision.reader import TableReader;"
        "reader = TableReader(); picture = np.full((3000, 4000, 3), 90, np.uint8);"
        "[reader.read(picture) for _ in range(3)];"
        "print(next(line for line in open('/proc/self/status') if 'VmHWM' in line).split()[1])"
    )
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    megabytes = int(told.stdout) / 1024
    print(f"\nreading 12 MP photos: {megabytes:.0f} MB at most")
    measured("reading_memory_mib", megabytes)
    assert megabytes < 400
