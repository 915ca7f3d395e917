"""Serves pictures over the loopback network as IP-camera apps do: MJPEG in a multipart answer."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import cv2

from vision.types import Image


def parts(pictures: Iterable[Image]) -> Iterator[bytes]:
    """Yield each picture as a part of such an answer."""
    for picture in pictures:
        data = cv2.imencode(".jpg", picture)[1].tobytes()
        head = f"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: {len(data)}\r\n\r\n"
        yield head.encode() + data + b"\r\n"


_END_SECONDS = 10.0
"""How long to wait for who still sends, at the end."""


@contextmanager
def serve(stream: Callable[[], Iterator[bytes]]) -> Iterator[str]:
    """Send what `stream` yields to each who asks, until the end of the block; yields the address."""

    over, senders = threading.Event(), set[threading.Thread]()

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            senders.add(threading.current_thread())
            self.send_response(200)
            self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=frame")
            self.end_headers()
            with suppress(OSError):  # the watcher has hung up
                for part in stream():
                    self.wfile.write(part)
                    if over.is_set():
                        break

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/video"
    finally:
        over.set()
        server.shutdown()
        server.server_close()
        for sender in senders:  # the program's end would crash while OpenCV is at work in one
            sender.join(_END_SECONDS)
