"""Each reason why an address gives no picture is told apart, and streams in odd forms are opened."""

from __future__ import annotations

import base64
import itertools
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, suppress

import cv2
import numpy as np
import pytest

from companion.i18n.catalogue import set_language
from companion.i18n.messages import error_text
from engine.errors import BadInputError
from vision.capture.sources import open_source

Serve = Callable[..., int]


_NOISE = np.random.default_rng(1).integers(0, 100, (240, 320, 3), np.uint8)


def _jpeg(level: int = 90) -> bytes:
    """Return a picture as rich in detail as a camera's: FFmpeg reads megabytes before it knows a stream."""
    return cv2.imencode(".jpg", _NOISE // 2 + np.uint8(level % 200))[1].tobytes()


@pytest.fixture
def answering() -> Iterator[Serve]:
    """Start a server that sends the same to everybody, and hangs up after it; returns its port.

    What it sends is bytes, or called with the request, or yielded piece by piece.
    """
    with ExitStack() as servers:

        def start(answer: bytes | Callable[[bytes], bytes | Iterator[bytes]]) -> int:
            server = servers.enter_context(socket.create_server(("127.0.0.1", 0)))

            def reply(connection: socket.socket) -> None:
                with connection, suppress(OSError):
                    request = connection.recv(4096)
                    said = answer if isinstance(answer, bytes) else answer(request)
                    for piece in [said] if isinstance(said, bytes) else said:
                        connection.sendall(piece)

            def serve() -> None:
                while True:
                    try:
                        connection, _place = server.accept()
                    except OSError:  # the test is over
                        return
                    threading.Thread(target=reply, args=(connection,), daemon=True).start()

            threading.Thread(target=serve, daemon=True).start()
            return int(server.getsockname()[1])

        yield start


def _refusal(address: str) -> str:
    with pytest.raises(BadInputError, match="cannot be opened") as refused:
        open_source(address)
    assert "\n" not in str(refused.value)
    return str(refused.value)


def test_a_refused_port_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    assert _refusal(f"127.0.0.1:{port}/video") == (
        f"http://127.0.0.1:{port}/video: cannot be opened (127.0.0.1 is there, but nothing listens on port "
        f"{port}; is the camera app running?)"
    )


def test_an_unknown_host_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def find(host: str, *_: object, **__: object) -> None:
        raise socket.gaierror("not known")

    monkeypatch.setattr(socket, "getaddrinfo", find)
    assert "(no device is called phone.invalid)" in _refusal("http://phone.invalid:8080/video")


_OK = b"HTTP/1.0 200 OK\r\nContent-Type: "


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (
            _OK + b"text/html; charset=utf-8\r\n\r\n<html></html>",
            "(a page, not a stream of pictures; the stream often ends in /video)",
        ),
        (
            _OK + b"image/jpeg\r\n\r\n" + _jpeg(),
            "(one picture, not a stream of pictures; the stream often ends in /video)",
        ),
        (
            b"HTTP/1.0 302 Found\r\nLocation: http://me:secret@other:81/video\r\n\r\n",
            "(the device points to http://me:***@other:81/video; type this address if you trust it)",
        ),
        (b"HTTP/1.0 301 Moved\r\nLocation: /live\r\n\r\n", "/live; type this address if you trust it)"),
        (b"HTTP/1.0 404 Not Found\r\n\r\n", "(the device is there, but has no page /at)"),
        (b"HTTP/1.0 401 No\r\n\r\n", "(the device asks for a password: http://name:password@…)"),
        (b"HTTP/1.0 503 Busy\r\n\r\n", "(the device answers with the error 503)"),
        (b"SSH-2.0-x\r\n", "(the device answers, but sends no pictures)"),
        (
            _OK + b"multipart/x-mixed-replace; boundary=x\r\n\r\n",
            "(the device answers, but sends no pictures)",
        ),
        (b"", "(the device answers, but sends no pictures)"),
    ],
)
def test_what_is_no_stream_is_told_apart_in_both_languages(
    answer: bytes, says: str, answering: Serve
) -> None:
    address = f"127.0.0.1:{answering(answer)}/at"
    assert says in _refusal(address)
    with pytest.raises(BadInputError) as refused:
        open_source(address)
    set_language("de")
    assert says not in error_text(refused.value)


def test_a_device_that_speaks_no_https_is_told(answering: Serve) -> None:
    assert "does not speak https; try http://" in _refusal(f"https://127.0.0.1:{answering(b'no')}/at")


def test_an_rtsp_server_that_wants_a_password_says_so(answering: Serve) -> None:
    port = answering(lambda asks: b"RTSP/1.0 401 No\r\nCSeq: " + asks.split(b"CSeq: ")[1][:1] + b"\r\n\r\n")
    assert "asks for a password: rtsp://name:password@" in _refusal(f"rtsp://127.0.0.1:{port}/live")
    refused = _refusal(f"rtsp://me:secret@127.0.0.1:{port}/live")
    assert "refuses this name and password" in refused
    assert "secret" not in refused


def _parts(first: bytes, kind: bytes, between: bytes) -> Iterator[bytes]:
    """Yield an answer with pictures without end."""
    yield _OK + kind + b"\r\n\r\n" + first
    for number in itertools.count():
        yield _jpeg(number * 5 % 250) + between
        time.sleep(0.001)


_BOUNDARY = b"\r\n--x\r\nContent-Type: image/jpeg\r\n\r\n"


@pytest.mark.parametrize(
    ("first", "kind", "between"),
    [
        (b"", b"multipart/x-mixed-replace; boundary=x", _BOUNDARY),
        (b"Content-Type: image/jpeg\r\n\r\n", b"multipart/x-mixed-replace; boundary=x", _BOUNDARY),
        (_BOUNDARY, b"multipart/x-mixed-replace; boundary=x", _BOUNDARY),
        (b"", b"video/x-motion-jpeg", b""),
        (b"", b"application/octet-stream", b""),
    ],
)
def test_jpegs_without_a_first_boundary_are_a_stream(
    first: bytes, kind: bytes, between: bytes, answering: Serve
) -> None:
    port = answering(lambda _asks: _parts(first, kind, between))
    with closing(open_source(f"127.0.0.1:{port}/video")) as source:
        frames = list(itertools.islice(source, 8))
    assert [frame.shape for _t, frame in frames] == [(240, 320, 3)] * 8
    assert len({int(frame.mean()) for _t, frame in frames}) == 8, "each picture once"


@pytest.mark.parametrize("password", ["p#1", "p@1", "a/b", "100%", "a b", "ü:ß"])
def test_a_password_with_any_character_opens_the_stream(password: str, answering: Serve) -> None:
    wanted = base64.b64encode(f"me:{password}".encode())

    def answer(asks: bytes) -> bytes | Iterator[bytes]:
        if wanted not in asks:
            return b'HTTP/1.0 401 No\r\nWWW-Authenticate: Basic realm="x"\r\n\r\n'
        return _parts(_BOUNDARY, b"multipart/x-mixed-replace; boundary=x", _BOUNDARY)

    port = answering(answer)
    with closing(open_source(f"me:{password}@127.0.0.1:{port}/video")) as source:
        assert next(iter(source))[1].shape == (240, 320, 3)
        assert source.name == f"http://me:***@127.0.0.1:{port}/video"
    assert "refuses this name and password" in _refusal(f"http://me:wrong@127.0.0.1:{port}/video")


def test_an_address_whose_password_was_not_kept_asks_for_it() -> None:
    with pytest.raises(BadInputError, match="the password was not kept; type the address again"):
        open_source("http://me:***@127.0.0.1:9/video")
