"""Targets of the fuzzer: whatever a phone, or somebody who pretends to be one, may send to the server."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import json
import logging
import socket
import struct
import tempfile
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from companion.phone.certificate import server_certificate
from companion.phone.guard import Limits
from companion.phone.hub import Hub
from companion.phone.invitation import evening_invitation
from companion.phone.open_ports import noted_ports
from companion.phone.program import ProgramState
from companion.phone.requests import Hello, parse_message
from companion.phone.server import PhoneServer
from companion.sources.joined_phone import PhoneFrames, PhoneSource
from engine.errors import BadInputError
from tests.faults.fuzz_running import FoundError, written

_BETWEEN = b"\n--\n"
"""Stands between the files, or the messages, of one input."""
_SECRET, _HOST = b"{SECRET}", b"{HOST}"
"""Stand for the running server's secret and name."""
_ANSWER_S = 0.2
_MUCH = 1e9


def phone_messages(data: bytes, folder: Path) -> None:
    """Messages of two phones in turn, a line each; the first films. Both see what comes of it."""
    asyncio.run(_converse(data, folder))


async def _converse(data: bytes, folder: Path) -> None:
    hub = Hub(ProgramState(store=folder / "none.sqlite"), PhoneFrames())
    phones = [hub.join(Hello(f"{number:032x}", "", "en"), "film") for number in range(2)]
    refused: BadInputError | None = None
    for number, line in enumerate(data.split(b"\n")[:50]):
        try:
            hub.receive(phones[number % 2], parse_message(line))
        except BadInputError as error:
            refused = error
        hub.publish()
        for phone in phones:
            for text in phone.take():
                json.loads(text)
    if hub.camera not in (None, *phones):
        raise FoundError("a stranger films")
    if refused is not None:
        raise refused


def phone_picture(data: bytes, folder: Path) -> None:
    """A picture, and the source that reads it."""
    frames = PhoneFrames()
    source = PhoneSource(frames)
    frames.put(data, 1.0)
    whole = bytes(cv2.imencode(".jpg", np.zeros((20, 20, 3), np.uint8))[1].tobytes())
    frames.wait(0, 0.0, lambda: False)
    _t, image = _first(source, frames, whole)
    if image.ndim != 3 or image.dtype != np.uint8:
        raise FoundError(f"a picture of shape {image.shape}, {image.dtype}")


def _first(source: PhoneSource, frames: PhoneFrames, whole: bytes) -> Any:
    """Return the first picture that can be decoded: the fuzzed one, or else a sound one."""
    from companion.sources.joined_phone import decode_jpeg

    latest = frames.latest
    if latest is None or decode_jpeg(latest.jpeg) is None:
        frames.put(whole, 2.0)
    return next(iter(source))


def phone_files(data: bytes, folder: Path) -> None:
    """The files that the server keeps: certificate, secrets, and the note about open ports."""
    certificate, secrets, note = (data.split(_BETWEEN) + [b""] * 3)[:3]
    written(folder, "open.json", note)
    noted_ports(folder)
    invitation = evening_invitation(written(folder, "invitation.json", secrets))
    if invitation.role("") is not None or invitation.film == invitation.view:
        raise FoundError(f"secrets that keep nobody out: {invitation}")
    found = server_certificate(written(folder, "certificate.pem", certificate), ["192.168.1.5"])
    found.context()


def phone_requests(data: bytes, folder: Path) -> None:
    """Bytes on the plain port: requests, or what was to be one."""
    server = _server()
    assert server.serving is not None
    secret = server.serving.local.rsplit("/", 2)[1].encode()
    host = f"localhost:{server.serving.local_port}".encode()
    with socket.create_connection(("127.0.0.1", server.serving.local_port), 5) as link:
        link.settimeout(_ANSWER_S)
        with contextlib.suppress(OSError):
            link.sendall(data.replace(_SECRET, secret).replace(_HOST, host))
            link.shutdown(socket.SHUT_WR)
            while link.recv(1 << 16):
                pass
    if _errors.told:
        raise FoundError(_errors.told.pop())


class _Errors(logging.Handler):
    """Hears what the server reports as a mistake of its own."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.told: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.told.append(self.format(record))


_errors = _Errors()


@functools.cache
def _server() -> PhoneServer:
    """Return a server that serves to the end. It starts before anybody watches what is written."""
    logging.getLogger("aiohttp").addHandler(_errors)
    logging.getLogger("companion").addHandler(_errors)
    logging.getLogger("asyncio").addHandler(_errors)
    folder = Path(tempfile.mkdtemp(prefix="fuzz-phones-"))
    hub = Hub(ProgramState(store=folder / "none.sqlite"), PhoneFrames())
    much = Limits(_MUCH, _MUCH, _MUCH, _MUCH)
    server = PhoneServer(hub, host="127.0.0.1", port=0, folder=folder, announce=False, limits=much)
    server.start()
    return server


PHONES = (phone_messages, phone_picture, phone_files, phone_requests)
PHONES_AS_JSON = ("phone_messages",)


# --- what is mutated ----------------------------------------------------------------------------------

_MESSAGES: tuple[dict[str, Any], ...] = (
    {"type": "take-camera"},
    {"type": "take-camera"},
    {"type": "give-camera", "agrees": True},
    {"type": "name", "name": "Ann"},
    {"type": "camera-away", "away": True},
    {"type": "clock", "asked": 1.5, "now": 20.25},
    {"type": "correct", "event": 7, "seen": "0123456789abcdef", "cards": ["10H", "JOKER"]},
    {"type": "correct", "event": 7, "seen": "0123456789abcdef", "player": "Bob"},
    {"type": "correct", "event": 7, "seen": "0123456789abcdef", "strike": True},
    {"type": "leave-camera"},
)
_HELLO = {"type": "hello", "phone": "a" * 32, "name": "Ann", "language": "de"}


def phones_seeds() -> dict[str, tuple[bytes, ...]]:
    """Return a sound input or more for each target."""
    _server()
    picture = bytes(cv2.imencode(".jpg", np.full((24, 32, 3), 90, np.uint8))[1].tobytes())
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        server_certificate(folder / "c.pem", ["192.168.1.5"])
        evening_invitation(folder / "i.json")
        files = (folder / "c.pem").read_bytes(), (folder / "i.json").read_bytes()
    note = json.dumps({"pid": 1, "addresses": ["192.168.1.5"], "port": 8443, "local_port": 8444}).encode()
    return {
        "phone_messages": (b"\n".join(json.dumps(line).encode() for line in _MESSAGES),),
        "phone_picture": (picture,),
        "phone_files": (_BETWEEN.join((*files, note)),),
        "phone_requests": tuple(_requests(picture)),
    }


def _requests(picture: bytes) -> list[bytes]:
    hello = json.dumps(_HELLO).encode()
    head = b" HTTP/1.1\r\nHost: {HOST}\r\nOrigin: http://{HOST}\r\nConnection: close\r\n"
    upgrade = b"Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    upgrade += b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    socket_head = b"GET /{SECRET}/ws" + head.replace(b"close", b"Upgrade") + upgrade
    take = b'{"type":"take-camera"}'
    frames = _frame(1, hello) + _frame(1, take) + _frame(2, struct.pack("<d", 1.5) + picture)

    def post(path: bytes, body: bytes, more: bytes = b"") -> bytes:
        length = b"Content-Length: " + str(len(body)).encode() + b"\r\n"
        return b"POST /{SECRET}/" + path + head + length + more + b"\r\n" + body

    return [
        b"GET /{SECRET}/" + head + b"\r\n",
        b"GET /{SECRET}/page.js" + head + b"\r\n",
        socket_head + frames,
        post(b"hello", hello),
        post(b"message", take, b"X-Session: " + b"a" * 32 + b"\r\n"),
        post(b"frame", picture, b"X-Session: " + b"a" * 32 + b"\r\nX-Taken: 1.5\r\n"),
    ]


def _frame(kind: int, content: bytes) -> bytes:
    """Return a frame as a browser sends it: text (1) or binary (2), with a mask of zeros."""
    size = len(content)
    length = bytes((0x80 | size,)) if size < 126 else bytes((0x80 | 126,)) + struct.pack(">H", size)
    return bytes((0x80 | kind,)) + length + bytes(4) + content
