"""Cameras that are unplugged, streams that stall, lie or lead elsewhere, films that are broken."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from companion.cli import main
from engine.errors import BadInputError
from vision import sources
from vision.sources import LiveSource, SameSize, open_source


class Unplugged:
    """Stands in for cv2.VideoCapture over a camera: each opening gives the pictures of one plugging-in."""

    def __init__(self, *pluggings: list[np.ndarray]) -> None:
        self._pluggings = list(pluggings)
        self._now: list[np.ndarray] = []
        self.opened = self.released = 0

    def open(self) -> Unplugged:
        self.opened += 1
        self._now = self._pluggings.pop(0) if self._pluggings else []
        return self

    def isOpened(self) -> bool:  # noqa: N802
        return True

    def get(self, _: int) -> float:
        return 1e9  # a camera that lies about its rate

    def read(self) -> tuple[bool, Any]:
        time.sleep(0.01)
        return (True, self._now.pop(0)) if self._now else (False, None)

    def release(self) -> None:
        self.released += 1


def grey(width: int, height: int, level: int = 90) -> np.ndarray:
    return np.full((height, width, 3), level, np.uint8)


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let seconds of waiting be fractions of one."""
    monkeypatch.setattr(sources, "_SILENCE_SECONDS", 0.15)
    monkeypatch.setattr(sources, "RECONNECT_SECONDS", 1.0)
    monkeypatch.setattr(sources, "_FIRST_FRAME_SECONDS", 1.0)


def plugged(monkeypatch: pytest.MonkeyPatch, camera: Unplugged) -> tuple[LiveSource, list[str]]:
    monkeypatch.setattr(cv2, "VideoCapture", lambda *_: camera.open())
    source, said = LiveSource(0, "camera 0"), []
    source.tell = said.append
    return source, said


def test_a_camera_that_is_unplugged_and_comes_back_goes_on_and_says_so(
    hasty: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    camera = Unplugged([grey(64, 48, 10)] * 3, [grey(64, 48, 20)] * 100)
    source, said = plugged(monkeypatch, camera)
    times = []
    for t, frame in source:
        times.append(t)
        if frame[0, 0, 0] == 20:
            break
    source.close()
    assert said == ["camera 0: no picture for 0 s; it is tried again", "camera 0: the picture is back"]
    assert times == sorted(set(times))
    assert camera.released >= 1, "a camera that is held on to comes back under another number"
    assert source.fps == 15.0


def test_a_camera_that_stays_away_is_one_line_after_what_it_showed(
    hasty: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, said = plugged(monkeypatch, Unplugged([grey(64, 48)] * 3))
    seen = []
    with pytest.raises(BadInputError, match=r"^camera 0: no picture for 1 s$"):
        seen.extend(source)
    source.close()
    assert seen
    assert len(said) == 1


def test_a_camera_that_comes_back_with_another_resolution_is_read_at_the_old_one(
    hasty: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, _ = plugged(monkeypatch, Unplugged([grey(64, 48, 10)] * 3, [grey(128, 96, 20)] * 100))
    shapes = set()
    for _, frame in source:
        shapes.add(frame.shape)
        if frame[0, 0, 0] == 20:
            break
    source.close()
    assert shapes == {(48, 64, 3)}


def test_a_camera_that_comes_back_turned_is_left_out_and_said(
    hasty: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, said = plugged(monkeypatch, Unplugged([grey(64, 48)] * 3, [grey(48, 64)] * 500))
    with pytest.raises(BadInputError, match="put the camera back"):
        assert {frame.shape for _, frame in source} == {(48, 64, 3)}
    source.close()
    assert len(said) == 1


def test_pictures_of_one_shape_are_fitted_and_others_are_not() -> None:
    same = SameSize()
    assert same.fit(grey(1920, 1080)) is not None
    assert (same.fit(grey(1280, 720)), same.fault())[1] is None
    assert same.fit(grey(1280, 720)).shape == (1080, 1920, 3)  # type: ignore[union-attr]
    assert same.fit(grey(1080, 1920)) is None
    assert same.fault() == "the picture is 1080 x 1920 now, it was 1920 x 1080: put the camera back as it was"


# --- streams, over loopback ---------------------------------------------------------------------------


def test_a_stream_that_stalls_is_said_and_goes_on(hasty: None, server: Any) -> None:
    source, said = open_source(f"{server.address}/video"), []

    def hear(line: str) -> None:
        said.append(line)
        server.silent.clear()

    source.tell = hear
    pictures = iter(source)
    before = next(pictures)[0]
    server.silent.set()
    later = [t for t, _ in itertools.islice(pictures, 30)]
    source.close()
    assert [line.removeprefix(f"{server.address}/video: ") for line in said] == [
        "no picture for 0 s; it is tried again",
        "the picture is back",
    ]
    assert later[-1] > before
    assert later == sorted(set(later))


def test_a_stream_that_falls_silent_is_opened_anew(
    hasty: None, server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A connection that is dead without an end, as after a phone has left the house's network."""
    monkeypatch.setattr(sources, "RECONNECT_SECONDS", 20.0)
    monkeypatch.setattr("vision.capturing._READ_MS", 300)
    source = open_source(f"{server.address}/video")
    pictures = iter(source)
    next(pictures)
    server.silent.set()
    deadline = time.monotonic() + 15
    while len(server.asked) < 2 and time.monotonic() < deadline:
        time.sleep(0.02)
    server.silent.clear()
    seen = len(list(itertools.islice(pictures, 3)))
    source.close()
    assert len(server.asked) >= 2
    assert seen == 3


def test_a_stream_is_timed_by_the_clock_and_not_by_the_rate_it_claims(server: Any) -> None:
    server.every_s = 0.2  # 5 a second; FFmpeg takes every MJPEG stream for one of 25
    source = open_source(f"{server.address}/video")
    assert source.fps == pytest.approx(25)
    times = [t for t, _ in itertools.islice(source, 6)]
    source.close()
    # The first ones were waiting while the stream was opened.
    assert float(np.median(np.diff(times)[1:])) > 0.12


def test_a_stream_that_changes_its_resolution_keeps_the_size_of_its_pictures(server: Any) -> None:
    source = open_source(f"{server.address}/video")
    shapes = []
    for count, (_, frame) in enumerate(source):
        shapes.append(frame.shape)
        if count == 5:
            server.size = (640, 480)
        if count == 25:
            break
    source.close()
    assert set(shapes) == {(240, 320, 3)}


def sending(code: int, body: bytes, **headers: str) -> Callable[[BaseHTTPRequestHandler], None]:
    def answer(to: BaseHTTPRequestHandler) -> None:
        to.send_response(code)
        for name, value in headers.items():
            to.send_header(name.replace("_", "-"), value)
        to.end_headers()
        to.wfile.write(body)

    return answer


PLAYLIST = "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\n{other}/part.ts\n#EXT-X-ENDLIST\n"
DASH = (
    '<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static"><Period><AdaptationSet>'
    '<Representation id="1"><BaseURL>{other}/part.mp4</BaseURL></Representation></AdaptationSet></Period>'
    "</MPD>"
)
SDP = "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=video 5004 RTP/AVP 26\n"


@pytest.mark.parametrize(
    ("path", "body", "kind"),
    [
        ("/live.m3u8", PLAYLIST, "application/vnd.apple.mpegurl"),
        ("/live.mpd", DASH, "application/dash+xml"),
        ("/live.sdp", SDP, "application/sdp"),
        ("/live", "ffconcat version 1.0\nfile {other}/part.mp4\n", "text/plain"),
    ],
)
def test_a_playlist_leads_nowhere(path: str, body: str, kind: str, servers: Callable[[], Any]) -> None:
    server, other = servers(), servers()
    server.behave[path] = sending(200, body.format(other=other.address).encode(), Content_Type=kind)
    with pytest.raises(BadInputError, match="cannot be opened"):
        open_source(server.address + path)
    assert server.asked
    assert other.asked == []


def test_a_stream_that_points_to_another_address_is_not_followed(servers: Callable[[], Any]) -> None:
    server, other = servers(), servers()
    server.behave["/video"] = sending(302, b"", Location=f"{other.address}/video")
    with pytest.raises(BadInputError, match="cannot be opened"):
        open_source(f"{server.address}/video")
    assert server.asked == ["/video"]
    assert other.asked == []


@pytest.mark.parametrize(
    "spec", ["file:///etc/hostname", "ftp://127.0.0.1/a", "concat://a", "pipe://0", "://"]
)
def test_an_address_of_another_kind_is_refused(spec: str) -> None:
    with pytest.raises(BadInputError, match="a stream's address begins with"):
        open_source(spec)


# --- films --------------------------------------------------------------------------------------------


def write_film(path: Path, frames: int = 60, size: tuple[int, int] = (160, 120), seed: int = 1) -> Path:
    code = {".avi": "MJPG", ".mp4": "mp4v"}[path.suffix]
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*code), 15.0, size)
    rng = np.random.default_rng(seed)
    for _ in range(frames):
        coarse = rng.integers(0, 255, (size[1] // 8, size[0] // 8, 3), np.uint8)
        writer.write(cv2.resize(coarse, size))
    writer.release()
    return path


@pytest.fixture(scope="module")
def films(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("films")
    return {suffix: write_film(folder / f"film{suffix}").read_bytes() for suffix in (".avi", ".mp4")}


@pytest.mark.parametrize("suffix", [".avi", ".mp4"])
@pytest.mark.parametrize("seed", range(6))
def test_a_film_with_broken_bytes_yields_pictures_or_one_line(
    suffix: str, seed: int, films: dict[str, bytes], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    rng, data = np.random.default_rng(seed), bytearray(films[suffix])
    for place in rng.integers(0, len(data), 40):
        data[place] = rng.integers(256)
    path = tmp_path / f"broken{suffix}"
    path.write_bytes(data)
    times: list[float] = []
    said = f"{path}: "
    try:
        for t, frame in open_source(str(path)):
            assert frame.ndim == 3
            times.append(t)
    except BadInputError as error:
        said = str(error)
    assert said.startswith(f"{path}: ")
    assert "\n" not in said
    assert times == sorted(set(times))
    assert capfd.readouterr().err == ""


def test_a_film_of_which_many_pictures_are_broken_says_how_many(
    films: dict[str, bytes], tmp_path: Path
) -> None:
    data, starts = bytearray(films[".avi"]), [0]
    for _ in range(60):
        starts.append(data.index(b"00dc", starts[-1]) + 8)
    for start, following in itertools.pairwise(starts[11:32]):
        data[start : following - 8] = bytes(following - 8 - start)
    path = tmp_path / "broken.avi"
    path.write_bytes(data)
    seen = []
    with pytest.raises(BadInputError, match=r": 20 of its 60 pictures are broken; what was seen is kept$"):
        seen.extend(t for t, _ in open_source(str(path)))
    assert len(seen) == 40
    assert seen[-1] == pytest.approx(59 / 15, abs=0.01), "it goes on behind the broken ones"


def stamped(stamps: list[float]) -> Iterator[float]:
    """Return the times of a film whose pictures carry these stamps (ms)."""

    class Capture:
        def __init__(self) -> None:
            self.number = -1

        def get(self, what: int) -> float:
            return {cv2.CAP_PROP_FPS: 10.0, cv2.CAP_PROP_POS_MSEC: stamps[self.number]}.get(what, -1.0)

        def read(self) -> tuple[bool, Any]:
            self.number += 1
            return self.number < len(stamps), grey(4, 4)

        def isOpened(self) -> bool:  # noqa: N802
            return True

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sources, "open_film", lambda _: Capture())
        yield from (t for t, _ in sources.FilmSource(Path("film.mp4")))


@pytest.mark.parametrize(
    "stamps",
    [
        [0, 0, 0, 0, 0],
        [0, 100, 50, 40, 200],
        [float("nan")] * 5,
        [0, float("inf"), 200, 300, 400],
        [-1e9, -5, 0, 100, 1e12],
    ],
)
def test_times_increase_whatever_the_stamps_say(stamps: list[float]) -> None:
    times = list(stamped(stamps))
    assert len(times) == len(stamps)
    assert np.isfinite(times).all()
    assert (np.diff(times) > 0).all()


def test_a_film_is_no_list_of_other_files(films: dict[str, bytes], tmp_path: Path) -> None:
    (tmp_path / "secret.mp4").write_bytes(films[".mp4"])
    for name, text in (
        ("list.mp4", "ffconcat version 1.0\nfile secret.mp4\n"),
        ("list.m3u8", PLAYLIST.format(other=tmp_path).replace("part.ts", "secret.mp4")),
        ("list.sdp", SDP),
    ):
        (tmp_path / name).write_text(text)
        with pytest.raises(BadInputError, match="not a film"):
            open_source(str(tmp_path / name))


def test_a_films_name_is_no_address(
    films: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "concat:a.mp4|b.mp4").write_bytes(films[".mp4"])
    assert len(list(open_source("concat:a.mp4|b.mp4"))) == 60


# --- the command --------------------------------------------------------------------------------------


def test_watching_a_stream_that_is_lost_says_so_in_lines_and_keeps_the_film(
    hasty: None,
    server: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    class Blind:
        looked = 0

        def read(self, image: Any, crowded: object = None) -> list[Any]:
            self.looked += 1
            if self.looked == 2:
                server.silent.set()
            return []

    monkeypatch.setattr("vision.capturing._READ_MS", 300)
    monkeypatch.setattr("vision.rereading.game_reader", lambda *_: Blind())
    address, film = f"{server.address}/video", tmp_path / "out.mp4"
    assert main(["watch", address, "--headless", "--no-learn", "--save", str(film)]) == 2
    told = capsys.readouterr()
    lines = told.err.splitlines()
    assert all(line.startswith(f"shithead watch: {address}: ") for line in lines), lines
    assert any(line.endswith("it is tried again") for line in lines)
    assert lines[-1].endswith(": no picture for 1 s")
    assert cv2.VideoCapture(str(film)).get(cv2.CAP_PROP_FRAME_COUNT) >= 2
