"""Why the address of a stream gives no picture, and streams that only a plain search for JPEGs can read."""

from __future__ import annotations

import base64
import re
import socket
import ssl
import time
from dataclasses import dataclass
from urllib.parse import SplitResult, unquote, urljoin, urlsplit

from engine.messages import Said, message
from vision.capture.addresses import without_password

_PATIENCE_S = 3.0
"""Longest wait for a connection, and for an answer."""
_PORTS = {"http": 80, "https": 443, "rtsp": 554, "rtsps": 322, "rtmp": 1935}
_WEB = ("http", "https")
_MAX_HEAD_BYTES = 8192
_MAX_BODY_BYTES = 1 << 22
"""A body that is longer, or does not end within the wait, is a stream."""
_ENDLESS = ("multipart/", "video/")
"""Kinds of answers that are a stream without waiting for their end."""
_JPEG_START = b"\xff\xd8\xff"
_MAX_PREFACE_BYTES = 1024
"""The first JPEG of a stream begins within its first bytes, after the head of its part at most."""


@dataclass(frozen=True, slots=True)
class StreamProbe:
    """What a device answered."""

    fault: Said
    """Why the address gives no picture."""
    has_bare_jpegs: bool = False
    """Whether JPEGs follow each other without end, in no form that FFmpeg recognises by itself."""


@dataclass(frozen=True, slots=True)
class _Answer:
    status: int
    fields: dict[str, str]
    """Names in small letters."""
    body: bytes
    ended: bool
    """Whether the body is complete."""

    @property
    def kind(self) -> str:
        return self.fields.get("content-type", "").partition(";")[0].strip().lower()


def probe_stream(address: str) -> StreamProbe:
    """Ask a device why its address gives no picture. Only this address is asked, and nothing is followed."""
    fault = message("no such camera or stream")
    try:
        parts = urlsplit(address)
        host, port = parts.hostname, parts.port or _PORTS.get(parts.scheme.lower())
    except ValueError:
        return StreamProbe(message("the address is not complete"))
    if not host or not port:
        return StreamProbe(fault)
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return StreamProbe(message("no device is called {host}", host=host))
    for family, kind, protocol, _name, place in found:
        try:
            with socket.socket(family, kind, protocol) as connection:
                connection.settimeout(_PATIENCE_S)
                connection.connect(place)
                return _probe_connected(connection, address, parts)
        except ConnectionRefusedError:
            fault = message(
                "{host} is there, but nothing listens on port {port}; is the camera app running?",
                host=host,
                port=port,
            )
        except (TimeoutError, OSError):
            fault = message("{host} does not answer; is it in the same network?", host=host)
    return StreamProbe(fault)


def _probe_connected(connection: socket.socket, address: str, parts: SplitResult) -> StreamProbe:
    """Ask over an open connection.

    Raises:
        OSError: no answer has come.
    """
    scheme = parts.scheme.lower()
    silent = StreamProbe(message("the device answers, but sends no pictures"))
    if scheme in _WEB:
        path = f"{parts.path or '/'}{'?' + parts.query if parts.query else ''}"
        asks = f"GET {path} HTTP/1.0\r\nHost: {parts.netloc.rpartition('@')[2]}\r\nConnection: close\r\n"
    elif scheme == "rtsp":
        asks = f"DESCRIBE {_without_user(parts)} RTSP/1.0\r\nCSeq: 1\r\nAccept: application/sdp\r\n"
    else:
        return silent
    asks += _authorization(parts) + "\r\n"
    if scheme == "https":
        try:
            with _unverified().wrap_socket(connection, server_hostname=parts.hostname) as secure:
                answer = _ask(secure, asks)
        except ssl.SSLError:
            return StreamProbe(message("the device does not speak https; try http://"))
    else:
        answer = _ask(connection, asks)
    if answer is None:
        return silent
    fault = _status_fault(answer, address, parts)
    if fault is not None:
        return StreamProbe(fault)
    return _body_probe(answer) if scheme in _WEB else silent


def _status_fault(answer: _Answer, address: str, parts: SplitResult) -> Said | None:
    """Return the fault that the status of an answer names; None if the request succeeded."""
    if answer.status in (401, 403):
        if parts.username:
            return message("the device refuses this name and password")
        scheme = parts.scheme.lower()
        return message("the device asks for a password: {scheme}://name:password@…", scheme=scheme)
    if answer.status in (404, 410):
        return message("the device is there, but has no page {path}", path=parts.path or "/")
    target = answer.fields.get("location", "")
    if 300 <= answer.status < 400 and target:
        elsewhere = without_password(urljoin(_without_user(parts), target))
        return message("the device points to {address}; type this address if you trust it", address=elsewhere)
    if answer.status >= 400:
        return message("the device answers with the error {status}", status=answer.status)
    return None


def _body_probe(answer: _Answer) -> StreamProbe:
    """Return what a device sends in place of a stream that FFmpeg recognises."""
    if answer.kind in ("text/html", "application/xhtml+xml", "text/plain"):
        return StreamProbe(message("a page, not a stream of pictures; the stream often ends in /video"))
    if 0 <= answer.body.find(_JPEG_START) <= _MAX_PREFACE_BYTES:
        if answer.ended and not answer.kind.startswith("multipart/"):
            return StreamProbe(
                message("one picture, not a stream of pictures; the stream often ends in /video")
            )
        return StreamProbe(message("the device answers, but sends no pictures"), has_bare_jpegs=True)
    if answer.kind.startswith("image/"):
        return StreamProbe(message("one picture, not a stream of pictures; the stream often ends in /video"))
    return StreamProbe(message("the device answers, but sends no pictures"))


def _ask(connection: socket.socket, asks: str) -> _Answer | None:
    """Send a request and read its answer; None if it is no answer of the web or of RTSP."""
    connection.sendall(asks.encode("utf-8", "replace"))
    deadline = time.monotonic() + _PATIENCE_S
    received, ended, most = b"", False, _MAX_HEAD_BYTES
    while len(received) < most and time.monotonic() < deadline:
        try:
            more = connection.recv(1 << 16)
        except TimeoutError:
            if not received:
                raise
            break
        if not more:
            ended = True
            break
        received += more
        head, parted, body = received.partition(b"\r\n\r\n")
        if parted:
            fields = _fields(head)
            most = len(head) + 4 + _MAX_BODY_BYTES
            length = fields.get("content-length", "")
            if not asks.startswith("GET") or (length.isdecimal() and len(body) >= int(length[:12])):
                ended = True
                break
            if fields.get("content-type", "").lower().startswith(_ENDLESS) and _JPEG_START in body:
                break
    head, _parted, body = received.partition(b"\r\n\r\n")
    status = re.match(rb"(?:HTTP|RTSP)/\d\.\d (\d{3})", head)
    return None if status is None else _Answer(int(status[1]), _fields(head), body, ended)


def _fields(head: bytes) -> dict[str, str]:
    lines = (line.partition(":") for line in head.decode("latin-1").split("\r\n")[1:])
    return {name.strip().lower(): value.strip() for name, _colon, value in lines}


def _authorization(parts: SplitResult) -> str:
    if parts.username is None or parts.password is None:
        return ""
    pair = f"{unquote(parts.username)}:{unquote(parts.password)}".encode()
    return f"Authorization: Basic {base64.b64encode(pair).decode()}\r\n"


def _without_user(parts: SplitResult) -> str:
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()


def _unverified() -> ssl.SSLContext:
    """Return a context that trusts any certificate, as FFmpeg does: cameras sign their own."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context
