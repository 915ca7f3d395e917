"""Films, cameras and streams, good and bad."""

from __future__ import annotations

import threading
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import cv2
import numpy as np
import pytest

from engine.errors import BadInputError
from vision.capture.frame_queue import FrameQueue
from vision.capture.opencv import frame_rate
from vision.capture.sources import FilmSource, LiveSource, open_source


def write_film(path: Path, frames: int = 30, fps: float = 15.0) -> Path:
    code = "MJPG" if path.suffix == ".avi" else "mp4v"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*code), fps, (160, 120))
    assert writer.isOpened()
    for number in range(frames):
        writer.write(np.full((120, 160, 3), 5 * number % 250, np.uint8))
    writer.release()
    return path


def test_a_film_yields_every_frame_with_its_time(tmp_path: Path) -> None:
    source = open_source(str(write_film(tmp_path / "film.mp4")))
    times = [t for t, _ in source]
    assert not source.live
    assert source.fps == pytest.approx(15)
    np.testing.assert_allclose(times, np.arange(30) / 15, atol=1e-3)


@pytest.mark.parametrize(
    ("stated", "of_film", "of_camera"),
    [(29.97, 29.97, 29.97), (960.0, 960.0, 15.0), (90000.0, 25.0, 15.0), (np.nan, 25.0, 15.0)],
)
def test_a_rate_that_cannot_be_is_replaced_by_a_usual_one(
    stated: float, of_film: float, of_camera: float
) -> None:
    capture = cast(cv2.VideoCapture, SimpleNamespace(get=lambda _: stated))
    assert (frame_rate(capture), frame_rate(capture, live=True)) == (of_film, of_camera)


def test_the_first_frame_is_the_first(tmp_path: Path) -> None:
    source = FilmSource(write_film(tmp_path / "film.avi"))
    means = [frame.mean() for _, frame in source]
    assert means[0] < 4
    assert np.all(np.diff(means) > 2)


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("missing.mp4", None, "no such file"),
        ("empty.mp4", b"", "the file is empty"),
        ("text.mp4", b"this is no film\n", "not a film"),
        ("junk.mp4", bytes(range(256)) * 40, "not a film"),
    ],
)
def test_a_bad_film_is_named(tmp_path: Path, name: str, content: bytes | None, says: str) -> None:
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(BadInputError, match=rf"{name}: .*{says}"):
        open_source(str(path))


def test_a_folder_is_no_film(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="not a file"):
        open_source(str(tmp_path))


def test_a_film_cut_off_in_the_middle_yields_what_is_there_and_then_says_so(tmp_path: Path) -> None:
    whole = write_film(tmp_path / "whole.avi", frames=60)
    cut = tmp_path / "cut.avi"
    cut.write_bytes(whole.read_bytes()[: whole.stat().st_size // 2])
    seen: list[float] = []
    with pytest.raises(BadInputError, match=r"cut\.avi: breaks off after"):
        seen.extend(t for t, _ in open_source(str(cut)))
    assert 15 < len(seen) < 45


@pytest.mark.parametrize("spec", ["97", "http://127.0.0.1:9/none", "rtsp://127.0.0.1:9/none"])
def test_an_absent_camera_or_stream_is_named(spec: str, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(BadInputError, match="cannot be opened"):
        open_source(spec)
    assert capfd.readouterr().err == "", "only our own line may reach stderr"


class Camera:
    """Stands in for cv2.VideoCapture: gives pictures when it is told to."""

    def __init__(self) -> None:
        self.number = 0
        self.go = threading.Semaphore(0)
        self.given = threading.Semaphore(0)
        self.opens = 0
        self.broken = False

    def isOpened(self) -> bool:  # noqa: N802
        return True

    def get(self, _: int) -> float:
        return 30.0

    def set(self, _what: int, _value: float) -> bool:
        return False

    def read(self) -> tuple[bool, np.ndarray | None]:
        if self.broken:
            return False, None
        self.go.acquire()
        self.number += 1
        self.given.release()
        return True, np.full((4, 4, 3), self.number, np.uint8)

    def opened(self) -> Camera:
        self.opens += 1
        return self

    def release(self) -> None:
        self.broken = False


def live(monkeypatch: pytest.MonkeyPatch, camera: Camera) -> LiveSource:
    monkeypatch.setattr(cv2, "VideoCapture", lambda *_: camera.opened())
    return LiveSource(0, "camera 0")


def test_a_live_source_keeps_only_the_last_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "vision.capture.sources.FrameQueue", lambda: FrameQueue(seconds=60.0, most_bytes=2 * 4 * 4 * 3)
    )
    camera = Camera()
    source = live(monkeypatch, camera)
    pictures = iter(source)
    camera.go.release()
    assert next(pictures)[1][0, 0, 0] == 1
    for _ in range(5):
        camera.go.release()
        camera.given.acquire()
    camera.given.acquire()  # six pictures have been given by now
    camera.go.release()
    camera.given.acquire()
    assert next(pictures)[1][0, 0, 0] >= 5, "what came before the last two is dropped"
    camera.go.release()
    camera.broken = True
    source.close()


def test_a_lost_camera_is_opened_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vision.capture.sources.time.sleep", lambda _: None)
    camera = Camera()
    camera.broken = True
    source = live(monkeypatch, camera)
    camera.go.release()
    t, frame = next(iter(source))
    assert camera.opens >= 2
    assert t >= 0
    assert frame.shape == (4, 4, 3)
    camera.go.release()
    source.close()


def test_a_live_source_that_is_closed_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    camera = Camera()
    source = live(monkeypatch, camera)
    camera.go.release()
    pictures = iter(source)
    next(pictures)
    camera.go.release()
    source.close()
    assert len(list(pictures)) <= 1


def test_a_film_without_a_picture_is_refused_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    empty = SimpleNamespace(get=lambda _: 15.0, read=lambda: (False, None), release=lambda: None)
    monkeypatch.setattr("vision.capture.sources.open_film", lambda path: empty)
    with pytest.raises(BadInputError, match="holds no picture"):
        FilmSource(tmp_path / "film.mp4")
