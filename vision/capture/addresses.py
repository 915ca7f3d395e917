"""Addresses of streams as people type them, and why one of them gives no picture."""

from __future__ import annotations

import re
import socket
import time
from pathlib import Path
from urllib.parse import urlsplit

from engine.messages import Said, message

_PATIENCE_S = 3.0
"""Longest wait for a connection, and for the beginning of an answer."""
_PORTS = {"http": 80, "https": 443, "rtsp": 554, "rtsps": 322, "rtmp": 1935}
_RTSP_PORTS = ("554", "8554")
_IPV4 = r"\d{1,3}(?:\.\d{1,3}){3}"
_IPV6 = r"\[[0-9a-fA-F:.]+\]"
_NAME = r"[a-zA-Z0-9](?:[a-zA-Z0-9.-]*[a-zA-Z0-9])?"
_LOCAL = r"(?:localhost|[a-zA-Z0-9.-]+\.(?:local|lan|home|internal|box))"
_WITHOUT_SCHEME = re.compile(
    rf"(?:[^\s@/]+@)?(?:(?:{_IPV4}|{_IPV6}|{_LOCAL})(?::(?P<port>\d{{1,5}}))?|{_NAME}:(?P<named>\d{{1,5}}))"
    r"(?:[/?].*)?"
)
_MOST_OF_A_HEAD = 8192
"""Bytes of an answer's head that are read."""


def complete_address(spec: str) -> str:
    """Return a source with the `http://` or `rtsp://` that was left out, else unchanged.

    A path of a file that exists stays a film, and so does whatever does not look like a host.
    """
    text = spec.strip()
    if "://" in text or text.isdecimal():
        return text
    found = _WITHOUT_SCHEME.fullmatch(text)
    if found is None or _exists(text):
        return spec
    scheme = "rtsp" if (found["port"] or found["named"]) in _RTSP_PORTS else "http"
    return f"{scheme}://{text}"


def stream_fault(address: str) -> Said:
    """Return why a stream's address gives no picture. It asks only this address, and follows nothing."""
    unknown = message("no such camera or stream")
    try:
        parts = urlsplit(address)
        host, port = parts.hostname, parts.port or _PORTS.get(parts.scheme.lower())
    except ValueError:
        return message("the address is not complete")
    if not host or not port:
        return unknown
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return message("no device is called {host}", host=host)
    for family, kind, protocol, _name, place in found:
        try:
            with socket.socket(family, kind, protocol) as connection:
                connection.settimeout(_PATIENCE_S)
                connection.connect(place)
                if parts.scheme.lower() != "http":
                    return message("the device answers, but sends no pictures")
                path = f"{parts.path or '/'}{'?' + parts.query if parts.query else ''}"
                return _page_fault(connection, parts.netloc.rpartition("@")[2], path)
        except ConnectionRefusedError:
            unknown = message(
                "{host} is there, but nothing listens on port {port}; is the camera app running?",
                host=host,
                port=port,
            )
        except (TimeoutError, OSError):
            unknown = message("{host} does not answer; is it in the same network?", host=host)
    return unknown


def _page_fault(connection: socket.socket, host: str, path: str) -> Said:
    """Ask for a page over an open connection, and return what is wrong with it as a stream.

    Raises:
        OSError: no answer has come.
    """
    asks = f"GET {path} HTTP/1.0\r\nHost: {host}\r\nConnection: close\r\n\r\n"
    connection.sendall(asks.encode("ascii", "replace"))
    head, deadline = b"", time.monotonic() + _PATIENCE_S
    while b"\r\n\r\n" not in head and len(head) < _MOST_OF_A_HEAD and time.monotonic() < deadline:
        received = connection.recv(_MOST_OF_A_HEAD)
        if not received:
            break
        head += received
    text = head.decode("latin-1").partition("\r\n\r\n")[0]
    status = re.match(r"HTTP/\d\.\d (\d{3})", text)
    kind = re.search(r"^content-type:\s*([\w.+-]+/[\w.+-]+)", text, re.IGNORECASE | re.MULTILINE)
    if status is None:
        return message("the device answers, but sends no pictures")
    if status[1] in ("401", "403"):
        return message("the device asks for a password: http://name:password@…")
    if status[1] in ("404", "410"):
        return message("the device is there, but has no page {path}", path=path)
    if kind is not None and kind[1].lower() in ("text/html", "application/xhtml+xml", "text/plain"):
        return message("a page, not a stream of pictures; the stream often ends in /video")
    return message("the device answers, but sends no pictures")


def _exists(text: str) -> bool:
    try:
        return Path(text).exists()
    except (OSError, ValueError):
        return False
