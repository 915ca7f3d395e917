"""Opening films, cameras and streams by OpenCV, so that nothing else is opened on the way.

FFmpeg, which OpenCV reads films and streams with, would follow a stream's server to any other address, and
take a playlist for a film that names files and servers of its own. Here it may do neither.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import cv2

from engine.errors import BadInputError
from vision.file_names import opencv_name
from vision.opencv_log import silence

_log = logging.getLogger(__name__)
# FFmpeg's and OpenCV's own complaints about a broken film would stand beside our one clear line.
os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")

SCHEMES = ("http", "https", "rtsp", "rtsps", "rtmp", "udp", "tcp")
"""What the address of a stream may begin with."""
MOST_PIXELS = 1 << 26
"""A film of larger pictures (8K has half of that) is no film of a table."""
Size = tuple[int, int]
"""Width and height in pixels."""
CAMERA_SIZE: Size = (1920, 1080)
"""What is asked of a camera: the corners of cards can be read in it from above a whole table."""
_MOST_CAMERAS = 1000
_WHOLE = 0.99
"""A film of which this share of pictures is found again is whole: containers state the number only about."""
_OPEN_MS, _READ_MS = 10_000, 5_000
"""How long a stream may take to answer, and to send its next picture before it is opened anew."""

# Formats that hold their pictures themselves: no playlist, no list of files, no description of a session.
_FILM_OPTIONS = {
    "format_whitelist": "mov,matroska,avi,mpegts,mpeg,mpegvideo,m4v,h264,hevc,mjpeg,mpjpeg,flv,asf,ogg,gif",
    "protocol_whitelist": "file",
}
_STREAM_OPTIONS = {
    "format_whitelist": "mpjpeg,mjpeg,mov,matroska,avi,mpegts,flv,h264,hevc,asf,rtsp,rtp",
    # Not `rtsp`: such a stream is a format over tcp; FFmpeg asks for this only to follow its server.
    "protocol_whitelist": "http,https,tcp,tls,udp,rtp,srtp,rtmp",
    "max_redirects": "0",
    "rtsp_transport": "tcp",
}
_ENVIRONMENT = "OPENCV_FFMPEG_CAPTURE_OPTIONS"
_environment = threading.Lock()


def camera_number(spec: str) -> int | None:
    """Return the camera that `spec` names, or None for a film or stream.

    Raises:
        BadInputError: no machine has so many cameras.
    """
    if not (spec.isascii() and spec.isdecimal()):
        return None
    if len(spec) > 9 or int(spec) >= _MOST_CAMERAS:
        raise BadInputError("camera {spec}: cannot be opened (no such camera)", spec=spec[:20])
    return int(spec)


def open_camera(number: int, size: Size | None = CAMERA_SIZE) -> cv2.VideoCapture:
    """Return the capture of a camera, opened or not.

    Args:
        number: Which.
        size: The width and height of picture to ask for; the driver grants what it can. None: what the
            camera gives by itself, which is often no more than 640 x 480.
    """
    silence()
    capture = cv2.VideoCapture(number)
    if size is not None and capture.isOpened():
        # Uncompressed pictures of that size come at five a second over most cables.
        capture.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
        capture.set(cv2.CAP_PROP_FRAME_WIDTH, size[0])
        capture.set(cv2.CAP_PROP_FRAME_HEIGHT, size[1])
        granted = [capture.get(side) for side in (cv2.CAP_PROP_FRAME_WIDTH, cv2.CAP_PROP_FRAME_HEIGHT)]
        _log.info("camera %d: asked for %d x %d, granted %g x %g", number, *size, *granted)
    return capture


def open_stream(address: str) -> cv2.VideoCapture:
    """Return the capture of a stream, opened or not; it is read from this address and from no other.

    Raises:
        BadInputError: the address is of no kind that is read.
    """
    scheme = address.partition("://")[0].lower()
    if scheme not in SCHEMES:
        raise BadInputError(
            "{address}: a stream's address begins with one of: {known}",
            address=address,
            known=", ".join(SCHEMES),
        )
    # FFmpeg would ask the proxy that the environment names, when it opens a stream and when it goes on.
    os.environ["no_proxy"] = "*"
    limits = [cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, _OPEN_MS, cv2.CAP_PROP_READ_TIMEOUT_MSEC, _READ_MS]
    with _only(_STREAM_OPTIONS):
        return cv2.VideoCapture(opencv_name(address), cv2.CAP_FFMPEG, limits)


def is_whole(film: Path, pictures: int) -> bool:
    """Tell whether a film that was just written holds about so many pictures: no writer says if it failed."""
    try:
        capture = open_film(film)
    except BadInputError:
        return False
    count = capture.get(cv2.CAP_PROP_FRAME_COUNT)
    capture.release()
    return bool(count >= _WHOLE * pictures)


def open_film(path: Path) -> cv2.VideoCapture:
    """Return the opened capture of a film.

    Raises:
        BadInputError: there is no such file, or it is no film.
    """
    try:
        if not path.exists():
            raise BadInputError("{path}: no such file", path=path)
        if not path.is_file():
            raise BadInputError("{path}: not a file", path=path)
        with path.open("rb") as file:
            if not file.read(1):
                raise BadInputError("{path}: the file is empty", path=path)
    except OSError as error:
        raise BadInputError(
            "{path}: {reason}", path=str(path)[:100], reason=error.strerror or error
        ) from None
    # An absolute path: FFmpeg takes a name such as `concat:a` for an address.
    with _only(_FILM_OPTIONS):
        capture = cv2.VideoCapture(opencv_name(os.path.abspath(path)), cv2.CAP_FFMPEG)
    if not capture.isOpened():
        raise BadInputError("{path}: not a film that can be read (wrong format, or cut off)", path=path)
    width, height = (capture.get(side) for side in (cv2.CAP_PROP_FRAME_WIDTH, cv2.CAP_PROP_FRAME_HEIGHT))
    if width * height > MOST_PIXELS:
        capture.release()
        raise too_large(path, width, height)
    return capture


def too_large(name: object, width: float, height: float) -> BadInputError:
    """Return the error for a source of pictures beyond `MOST_PIXELS`."""
    return BadInputError(
        "{path}: pictures of {width:.0f} x {height:.0f} are too large", path=name, width=width, height=height
    )


@contextmanager
def _only(options: dict[str, str]) -> Iterator[None]:
    """Let FFmpeg open only what `options` allow; OpenCV takes them from the environment."""
    silence()
    with _environment:
        before = os.environ.get(_ENVIRONMENT)
        os.environ[_ENVIRONMENT] = "|".join(f"{name};{value}" for name, value in options.items())
        try:
            yield
        finally:
            if before is None:
                del os.environ[_ENVIRONMENT]
            else:
                os.environ[_ENVIRONMENT] = before
