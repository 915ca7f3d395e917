"""How fast pictures are read, as ratios to a plain one-stage detector on torch in the same run.

`pytest -m benchmark -s tests/benchmarks/test_reading_speed.py`, with the training extra installed.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import count as count_up
from itertools import cycle
from pathlib import Path

import cv2
import numpy as np
import pytest

from datasets.art.decks import load_deck
from datasets.surfaces import drawn_surface
from tests.support.polite_film import polite_film
from vision.capture.sources import FilmSource
from vision.following.watcher import Watcher
from vision.recognition.reader import TableReader, default_reader
from vision.types import CardReading, Image, Region

pytestmark = pytest.mark.benchmark

_THREADS = 2
Measured = Callable[[str, float], None]
_ROUNDS = 15
_NOISE = 2.0
"""Standard deviation of a camera's noise, of 255."""
_INTERVAL = 1 / 15
_FRAME_MS = 1000 * _INTERVAL


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

    def read(
        self, image: Image, crowded: Sequence[Region] | None = None, ignored: object = None
    ) -> list[CardReading]:
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
    from models.shared.ultralytics_setup import detection_model

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


def noisy_copies(frame: Image, count: int = 8) -> Iterator[Image]:
    """Yield copies of a picture as a camera gives them of a table where nothing changes, again and again."""
    rng, copies = np.random.default_rng(2), []
    for _ in range(count):
        noise = rng.normal(0, _NOISE, frame.shape).astype(np.float32)
        copies.append(np.asarray(cv2.add(frame, noise, dtype=cv2.CV_8U), np.uint8))
    return cycle(copies)


def fed_ms(watcher: Watcher, pictures: Iterator[Image], after: float) -> float:
    """Return the median time in which a watcher takes in a picture, 15 a second from `after` seconds on."""
    clock = count_up(after + _INTERVAL, _INTERVAL)
    fed = zip(pictures, clock, strict=False)
    return median_ms(lambda: watcher.feed(*next(fed)), 90)


def test_an_unchanged_frame(rival_ms: float, measured: Measured) -> None:
    own = fed_ms(Watcher(_Blind()), noisy_copies(table_picture(1080, 1920, 12)), 0.0)
    print(f"\nan unchanged 1080p frame: {own:.2f} ms; ratio {own / rival_ms:.4f}")
    measured("unchanged_frame_ms", own)
    assert own <= 0.1 * rival_ms


def test_an_unchanged_frame_of_a_game(measured: Measured) -> None:
    watcher, film = Watcher(default_reader()), FilmSource(polite_film().path)
    for t, frame in film:
        watcher.feed(frame, t)
        if watcher.view.layout is not None and watcher.view.still:
            break
    film.close()
    assert watcher.view.layout is not None  # the deal was seen
    own = fed_ms(watcher, noisy_copies(frame), t)
    print(f"\nan unchanged frame of a game, {frame.shape[1]} x {frame.shape[0]}: {own:.2f} ms")
    measured("unchanged_frame_of_a_game_ms", own)
    assert own <= _FRAME_MS


def test_large_pictures(reader: TableReader, rival_ms: float, measured: Measured) -> None:
    for title, name, height, width in (
        ("a 4K frame", "four_k_frame_s", 2160, 3840),
        ("12 MP", "twelve_megapixels_s", 3000, 4000),
        ("24 MP", "twenty_four_megapixels_s", 4000, 6000),
    ):
        picture = table_picture(height, width, 12)
        assert sum(card.card is not None for card in reader.read(picture)) >= 11
        own = median_ms(partial(reader.read, picture), 7)
        print(f"\n{title}: {own:.0f} ms; ratio {own / rival_ms:.2f}")
        measured(name, own / 1000)
        assert own <= 12 * rival_ms


@pytest.mark.parametrize(
    ("name", "height", "width"),
    [("reading_memory_mib", 3000, 4000), ("reading_memory_of_24_mp_mib", 4000, 6000)],
)
def test_memory_of_a_reading_process(
    name: str, height: int, width: int, tmp_path: Path, measured: Measured
) -> None:
    photo = tmp_path / "table.png"
    cv2.imwrite(str(photo), table_picture(height, width, 12))
    # VmHWM is the process's own peak; ru_maxrss would be inherited from this one.
    program = (
        "import sys; from pathlib import Path; from vision.recognition.reader import TableReader;"
        "from vision.images import read_image; reader = TableReader();"
        "found = [reader.read(read_image(Path(sys.argv[1]))) for _ in range(3)];"
        "print(sum(card.card is not None for card in found[-1]));"
        "print(next(line for line in open('/proc/self/status') if 'VmHWM' in line).split()[1])"
    )
    told = subprocess.run(
        [sys.executable, "-c", program, str(photo)], capture_output=True, text=True, check=True
    )
    named, kilobytes = map(int, told.stdout.split())
    print(f"\nreading photos of {height} x {width} with 12 cards: {kilobytes / 1024:.0f} MB at most")
    measured(name, kilobytes / 1024)
    assert named >= 11
    assert kilobytes / 1024 < 400
