"""Target of the fuzzer: a camera's answers over RTSP, with its pictures between them."""

from __future__ import annotations

import contextlib
import re
import socket
import struct
import threading
from pathlib import Path

import cv2
import numpy as np

from tests.faults.fuzz_running import FoundError
from vision.capture.opencv import open_stream
from vision.capture.sources import FrameResizer

_BETWEEN = b"\r\n==\r\n"
"""Stands between the answers, one for each request."""
_SILENCE_S = 0.3
"""After so long without a request the server has told everything and leaves."""
_MOST_FRAMES = 12
_ADDRESS = b"rtsp://127.0.0.1:PORT/cam"


def rtsp(data: bytes, folder: Path) -> None:
    """A server that gives one answer after another to whatever it is asked; `#` is the request's number."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(5)
        port = server.getsockname()[1]
        answering = threading.Thread(target=_answer, args=(server, data), daemon=True)
        answering.start()
        try:
            pictures.extend(read_pictures(f"rtsp://127.0.0.1:{port}/cam"))
        finally:
            answering.join(10)


def read_pictures(address: str) -> list[tuple[int, ...]]:
    """Read the first pictures of a stream as the program does; returns their shapes."""
    shapes = []
    capture, same_size = open_stream(address), FrameResizer()
    try:
        for _ in range(_MOST_FRAMES):
            ok, frame = capture.read()
            if not ok:
                break
            if frame.ndim != 3 or frame.dtype != np.uint8:
                raise FoundError(f"a picture of shape {frame.shape}, {frame.dtype}")
            same_size.fit(np.asarray(frame, np.uint8))
            shapes.append(frame.shape)
    finally:
        capture.release()
    return shapes


pictures: list[tuple[int, ...]] = []
"""The shapes of all that was read so far: a target that never sees a picture would fuzz little."""


def _answer(server: socket.socket, data: bytes) -> None:
    port = b"%d" % server.getsockname()[1]
    with contextlib.suppress(OSError):
        connection, _ = server.accept()
        with connection:
            connection.settimeout(_SILENCE_S)
            for answer in data.split(_BETWEEN):
                asked = connection.recv(4096)
                number = re.search(rb"CSeq: (\d+)", asked)
                told = answer.replace(b"CSeq: #", b"CSeq: " + (number[1] if number else b"0"), 1)
                connection.sendall(told.replace(b"PORT", port))
            connection.shutdown(socket.SHUT_WR)
            while connection.recv(4096):
                pass


# --- what is mutated ----------------------------------------------------------------------------------


def _said(fields: bytes = b"", body: bytes = b"") -> bytes:
    length = b"Content-Length: %d\r\n" % len(body) if body else b""
    return b"RTSP/1.0 200 OK\r\nCSeq: #\r\n" + fields + length + b"\r\n" + body


def _pictures() -> bytes:
    """Return five pictures as RTP packets between the answers (RFC 2326, 10.12; RFC 2435)."""
    packets = b""
    for number in range(5):
        picture = np.full((48, 64, 3), 40 * number, np.uint8)
        whole = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, 50])[1].tobytes()
        start = whole.index(b"\xff\xda")
        scan = whole[start + 2 + int.from_bytes(whole[start + 2 : start + 4], "big") : -2]
        head = struct.pack(">BBHII", 0x80, 0x80 | 26, number, 3000 * number, 7)
        packet = head + struct.pack(">IBBBB", 0, 1, 50, 64 // 8, 48 // 8) + scan
        packets += b"$\x00" + len(packet).to_bytes(2, "big") + packet
    return packets


def rtsp_seed() -> bytes:
    """Return the answers of a sound camera: what it knows, what it shows, on which channel, pictures."""
    shown = (
        b"v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\ns=cam\r\nt=0 0\r\nm=video 0 RTP/AVP 26\r\na=control:track1\r\n"
    )
    described = b"Content-Type: application/sdp\r\nContent-Base: " + _ADDRESS + b"/\r\n"
    channel = b"Transport: RTP/AVP/TCP;unicast;interleaved=0-1\r\nSession: 12345\r\n"
    return _BETWEEN.join(
        (
            _said(b"Public: OPTIONS, DESCRIBE, SETUP, PLAY, TEARDOWN\r\n"),
            _said(described, shown),
            _said(channel),
            _said(b"Session: 12345\r\nRTP-Info: url=" + _ADDRESS + b"/track1\r\n") + _pictures(),
        )
    )
