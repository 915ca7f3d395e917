"""Streams that stall, lie or lead elsewhere, films that are broken."""

from __future__ import annotations

import io
import itertools
import os
import signal
import socketserver
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from companion.cli.main import main
from engine.errors import BadInputError
from tests.faults.conftest import PictureServer
from vision.capture import sources
from vision.capture.sources import open_source
from vision.capture.waits import WAITS
from vision.types import Image


def grey(width: int, height: int, level: int = 90) -> np.ndarray:
    return np.full((height, width, 3), level, np.uint8)


# --- streams, over loopback ---------------------------------------------------------------------------


def test_a_stream_that_stalls_is_said_and_goes_on(hasty: None, server: PictureServer) -> None:
    source, said = open_source(f"{server.address}/video"), []

    def hear(line: str) -> None:
        said.append(line)
        server.silent.clear()

    source.on_status = hear
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
    hasty: None, server: PictureServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A connection that is dead without an end, as after a phone has left the house's network."""
    monkeypatch.setattr(WAITS, "reconnect", 20.0)
    monkeypatch.setattr(WAITS, "next_frame", 0.3)
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


def test_a_stream_is_timed_by_the_clock_and_not_by_the_rate_it_claims(server: PictureServer) -> None:
    server.every_s = 0.2  # 5 a second; FFmpeg takes every MJPEG stream for one of 25
    source = open_source(f"{server.address}/video")
    assert source.fps == pytest.approx(25)
    times = [t for t, _ in itertools.islice(source, 6)]
    source.close()
    # The first ones were waiting while the stream was opened.
    assert float(np.median(np.diff(times)[1:])) > 0.12


def test_a_stream_that_changes_its_resolution_keeps_the_size_of_its_pictures(server: PictureServer) -> None:
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
    assert set(server.asked) == {"/video"}
    assert other.asked == []


@pytest.mark.parametrize("scheme", ["http", "https", "rtsp"])
def test_a_stream_is_not_asked_for_through_a_proxy(
    scheme: str, servers: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    server, proxy = servers(), servers()
    monkeypatch.setenv("no_proxy", "")
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.setenv(name, proxy.address)
    server.behave["/video"] = sending(404, b"")
    with pytest.raises(BadInputError, match="cannot be opened"):
        open_source(f"{server.address}/video".replace("http", scheme, 1))
    assert proxy.asked == []
    assert ("/video" in server.asked) == (scheme == "http")


def rtsp(answers: dict[str, tuple[int, str]]) -> tuple[str, list[str]]:
    """Start an RTSP server that answers each method so; returns its address and the methods it was asked."""
    asked: list[str] = []

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            number, method = "0", ""
            for line in self.rfile:
                text = line.decode().strip()
                method = method or text.partition(" ")[0]
                number = text[5:].strip() if text.lower().startswith("cseq:") else number
                if text:
                    continue
                asked.append(method)
                code, more = answers.get(method, (200, "Public: OPTIONS, DESCRIBE\r\n"))
                self.wfile.write(f"RTSP/1.0 {code} x\r\nCSeq: {number}\r\n{more}\r\n".encode())
                method = ""

    server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    return f"rtsp://127.0.0.1:{server.server_address[1]}/cam", asked


@pytest.mark.parametrize("method", ["OPTIONS", "DESCRIBE"])
@pytest.mark.parametrize("scheme", ["rtsp", "rtsps", "http", "tcp"])
def test_an_rtsp_server_that_points_to_another_address_is_not_followed(method: str, scheme: str) -> None:
    other, asked_there = rtsp({})
    elsewhere = other.replace("rtsp:", f"{scheme}:")
    address, asked = rtsp({method: (302, f"Location: {elsewhere}\r\n")})
    with pytest.raises(BadInputError, match="cannot be opened"):
        open_source(address)
    assert method in asked
    assert asked_there == []


def test_an_rtsp_server_that_knows_no_such_stream_is_one_line() -> None:
    address, asked = rtsp({"DESCRIBE": (404, "")})
    with pytest.raises(BadInputError, match="cannot be opened"):
        open_source(address)
    assert asked[:2] == ["OPTIONS", "DESCRIBE"]


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
    seen: list[float] = []
    with pytest.raises(
        BadInputError,
        match=r": 20 of its 60 pictures are broken, most in a row from .* to .* s; what was seen is kept$",
    ):
        seen.extend(t for t, _ in open_source(str(path)))
    assert len(seen) == 40
    assert seen[-1] == pytest.approx(59 / 15, abs=0.01), "it goes on behind the broken ones"


class StampedCapture:
    """A film of grey pictures that carry these stamps (ms)."""

    def __init__(self, stamps: Sequence[float]) -> None:
        self.stamps, self.number = stamps, -1

    def get(self, what: int) -> float:
        known = {cv2.CAP_PROP_FPS: 10.0, cv2.CAP_PROP_POS_MSEC: self.stamps[self.number]}
        return known.get(what, -1.0)

    def read(self) -> tuple[bool, Any]:
        self.number += 1
        return self.number < len(self.stamps), grey(4, 4)

    def isOpened(self) -> bool:  # noqa: N802
        return True

    def release(self) -> None:
        pass


def stamped(stamps: list[float]) -> Iterator[float]:
    """Return the times of a film whose pictures carry these stamps (ms)."""

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sources, "open_film", lambda _: StampedCapture(stamps))
        yield from (t for t, _ in sources.FilmSource(Path("film.mp4")))


def test_a_films_pictures_of_another_size_are_fitted_and_those_of_another_shape_left_out_and_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Places are told in pixels of the first picture: on others every ruling would be about other cards."""
    pictures = [grey(64, 48)] * 3 + [grey(128, 96)] * 3 + [grey(48, 64)] * 2 + [grey(64, 48)]

    class Capture:
        def __init__(self) -> None:
            self.number = -1

        def get(self, what: int) -> float:
            known = {cv2.CAP_PROP_FPS: 10.0, cv2.CAP_PROP_POS_MSEC: 100.0 * self.number}
            return known.get(what, -1.0)

        def read(self) -> tuple[bool, Any]:
            self.number += 1
            whole = self.number < len(pictures)
            return whole, pictures[self.number] if whole else None

        def isOpened(self) -> bool:  # noqa: N802
            return True

    monkeypatch.setattr(sources, "open_film", lambda _: Capture())
    seen: list[tuple[float, Image]] = []
    with pytest.raises(BadInputError, match=r"^film.mp4: 2 of its 9 pictures have another shape than the"):
        seen.extend(sources.FilmSource(Path("film.mp4")))
    assert [frame.shape for _, frame in seen] == [(48, 64, 3)] * 7
    assert seen[-1][0] == pytest.approx(0.8)


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


def test_a_clock_that_jumps_leaves_the_times_as_they_were_and_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A stream that was kept may carry the clock of its camera, which is set while it runs."""
    stamps = [0.0, 100.0, 3_600_200.0, 3_600_300.0, 400.0, 500.0]

    monkeypatch.setattr(sources, "open_film", lambda _: StampedCapture(stamps))
    said: list[str] = []
    film = sources.FilmSource(Path("film.mp4"))
    film.on_status = said.append
    assert [t for t, _ in film] == pytest.approx([0.0, 0.1, 0.2, 0.3, 0.4, 0.5])
    assert said == [
        "film.mp4: its clock jumps by 3600 s at 0.2 s; the times go on without it",
        "film.mp4: its clock jumps by -3600 s at 0.4 s; the times go on without it",
    ]


def test_a_film_of_a_single_picture_says_so(tmp_path: Path) -> None:
    film = open_source(str(write_film(tmp_path / "film.avi", frames=1)))
    with pytest.raises(BadInputError, match=r"film\.avi: holds a single picture, in which no game"):
        list(film)


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
    server: PictureServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    class Blind:
        looked = 0

        def read(self, image: Any, crowded: object = None, ignored: object = None) -> list[Any]:
            self.looked += 1
            if self.looked == 2:
                server.silent.set()
            return []

    class Read(io.StringIO):
        """Nobody comes back to the stream: whoever has read the second line presses Ctrl-C."""

        def write(self, text: str) -> int:
            written = super().write(text)
            if "no picture for 1 s" in text:
                os.kill(os.getpid(), signal.SIGINT)
            return written

    # Where tests run in the background, SIGINT may be ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    request.addfinalizer(lambda: signal.signal(signal.SIGINT, before))
    monkeypatch.setattr(WAITS, "next_frame", 0.3)
    monkeypatch.setattr("vision.recognition.incremental.game_reader", lambda *_: Blind())
    monkeypatch.setattr("sys.stderr", told := Read())
    address, film = f"{server.address}/video", tmp_path / "out.mp4"
    assert main(["watch", address, "--headless", "--no-learn", "--save", str(film)]) == 130
    lines = told.getvalue().splitlines()
    assert all(line.startswith(f"shithead watch: {address}: ") for line in lines), lines
    assert any(line.endswith("it is tried again") for line in lines)
    assert lines[-1].endswith(": no picture for 1 s; it is tried again")
    assert cv2.VideoCapture(str(film)).get(cv2.CAP_PROP_FRAME_COUNT) >= 2
