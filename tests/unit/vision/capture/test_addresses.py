"""An address is understood as people type it, and each reason why it gives no picture is told apart."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from engine.errors import BadInputError
from vision.capture.addresses import complete_address
from vision.capture.sources import open_source


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("192.168.1.20:8080/video", "http://192.168.1.20:8080/video"),
        ("192.168.1.20", "http://192.168.1.20"),
        ("  192.168.1.20:8080 ", "http://192.168.1.20:8080"),
        ("me:secret@192.168.1.20:8080/video", "http://me:secret@192.168.1.20:8080/video"),
        ("[fe80::1]:8080/video", "http://[fe80::1]:8080/video"),
        ("phone.local/video", "http://phone.local/video"),
        ("phone:4747/video", "http://phone:4747/video"),
        ("localhost:8080", "http://localhost:8080"),
        ("192.168.1.20:8554/live", "rtsp://192.168.1.20:8554/live"),
        ("rtsp://phone/live", "rtsp://phone/live"),
        ("0", "0"),
        ("film.mp4", "film.mp4"),
        ("videos/film.mp4", "videos/film.mp4"),
        ("C:\\films\\film.mp4", "C:\\films\\film.mp4"),
    ],
)
def test_an_address_is_understood_without_its_scheme_and_a_film_stays_a_film(typed: str, meant: str) -> None:
    assert complete_address(typed) == meant


def test_a_film_may_be_named_like_an_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("phone:8080").write_bytes(b"film")
    assert complete_address("phone:8080") == "phone:8080"


@pytest.fixture
def answering() -> Iterator[Callable[[bytes], int]]:
    """Start a server that gives one answer to everybody; returns its port."""
    with ExitStack() as servers:

        def start(answer: bytes) -> int:
            server = servers.enter_context(socket.create_server(("127.0.0.1", 0)))

            def serve() -> None:
                while True:
                    try:
                        connection, _place = server.accept()
                    except OSError:  # the test is over
                        return
                    with connection:
                        connection.recv(4096)
                        connection.sendall(answer)

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


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (
            b"HTTP/1.0 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<html></html>",
            "(a page, not a stream of pictures; the stream often ends in /video)",
        ),
        (b"HTTP/1.0 404 Not Found\r\n\r\n", "(the device is there, but has no page /at)"),
        (b"HTTP/1.0 401 No\r\n\r\n", "(the device asks for a password: http://name:password@…)"),
        (b"SSH-2.0-x\r\n", "(the device answers, but sends no pictures)"),
        (b"", "(the device answers, but sends no pictures)"),
    ],
)
def test_a_page_that_is_no_stream_is_told_from_one_that_is_missing(
    answer: bytes, says: str, answering: Callable[[bytes], int]
) -> None:
    assert says in _refusal(f"127.0.0.1:{answering(answer)}/at")
