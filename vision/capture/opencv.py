"""Opening films, cameras and streams with OpenCV, without opening anything else.

OpenCV reads films and streams with FFmpeg. FFmpeg would follow a stream's server to any other address. It
would also accept a playlist as a film and open the files and servers named in it. Both are disabled here.
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
from vision.capture.addresses import without_password
from vision.capture.waits import WAITS
from vision.opencv_support import opencv_path, silence_opencv

_log = logging.getLogger(__name__)
# FFmpeg would print complaints about a broken film beside our one clear line.
os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")

STREAM_SCHEMES = ("http", "https", "rtsp", "rtsps", "rtmp", "udp", "tcp")
"""The schemes with which the address of a stream may begin."""
MAX_FRAME_PIXELS = 1 << 26
"""Largest frame, in pixels. An 8K film has half of that."""
Size = tuple[int, int]
"""Width and height in pixels."""
CAMERA_SIZE: Size = (1920, 1080)
"""The frame size that a camera is asked for. With a whole table in view, its index corners can still be
read."""
_USUAL_FILM_FPS, _USUAL_LIVE_FPS = 25.0, 15.0
"""Assumed if a film or a camera states no rate."""
_MIN_FPS, _MAX_FILM_FPS, _MAX_LIVE_FPS = 1.0, 1000.0, 240.0
"""Outside these bounds the stated number is no frame rate: FFmpeg may state the ticks of a clock. A film may
be in slow motion, but no camera over a table is faster than the last number."""
_MAX_CAMERAS = 1000
"""No machine has this many cameras."""
_COMPLETE_SHARE = 0.99
"""A film is complete if it has this share of its frames. Containers state the number only roughly."""

# Containers that hold their own frames: no playlists, no lists of files, no session descriptions.
_FILM_OPTIONS = {
    "format_whitelist": "mov,matroska,avi,mpegts,mpeg,mpegvideo,m4v,h264,hevc,mjpeg,mpjpeg,flv,asf,ogg,gif",
    "protocol_whitelist": "file",
    "fflags": "discardcorrupt",
}
"""A picture whose packets were lost is left out rather than shown in pieces, so that its loss is noticed."""
_STREAM_OPTIONS = {
    "format_whitelist": "mpjpeg,mov,matroska,avi,mpegts,flv,h264,hevc,asf,rtsp,rtp",
    # Without `rtsp`: FFmpeg treats RTSP as a format over tcp, and needs this protocol only to follow
    # redirects.
    "protocol_whitelist": "http,https,tcp,tls,udp,rtp,srtp,rtmp",
    "fflags": "discardcorrupt",
    "max_redirects": "0",
    "rtsp_transport": "tcp",
}
_BARE_JPEG_OPTIONS = {
    "input_format": "mjpeg",
    "format_whitelist": "mjpeg",
    # FFmpeg would take many seconds of pictures to guess their rate, which no such stream states.
    "probesize": "200000",
    "analyzeduration": "100000",
    "fflags": "nobuffer+discardcorrupt",
}
"""Take every JPEG from the bytes of a stream, whatever stands between them."""
_OPTIONS_VARIABLE = "OPENCV_FFMPEG_CAPTURE_OPTIONS"
"""The environment variable from which OpenCV takes FFmpeg's options."""
_environment_lock = threading.Lock()


def camera_number(spec: str) -> int | None:
    """Return the camera number in `spec`; None if it names a film or a stream.

    Raises:
        BadInputError: No machine has that many cameras.
    """
    if not (spec.isascii() and spec.isdecimal()):
        return None
    if len(spec) > 9 or int(spec) >= _MAX_CAMERAS:
        raise BadInputError("camera {spec}: cannot be opened (no such camera)", spec=spec[:20])
    return int(spec)


def open_camera(number: int, size: Size | None = CAMERA_SIZE) -> cv2.VideoCapture:
    """Return the capture of a camera, which may have failed to open.

    Args:
        number: The camera's number, from 0.
        size: The frame size (width, height) to ask for; the driver grants what it can. None: the camera's
            default, which is often 640 x 480.
    """
    silence_opencv()
    capture = cv2.VideoCapture(number)
    if size is not None and capture.isOpened():
        # Uncompressed frames of this size arrive at five per second over most cables.
        capture.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
        capture.set(cv2.CAP_PROP_FRAME_WIDTH, size[0])
        capture.set(cv2.CAP_PROP_FRAME_HEIGHT, size[1])
        granted = [capture.get(side) for side in (cv2.CAP_PROP_FRAME_WIDTH, cv2.CAP_PROP_FRAME_HEIGHT)]
        _log.info("camera %d: asked for %d x %d, granted %g x %g", number, *size, *granted)
    return capture


def open_stream(address: str, *, bare_jpegs: bool = False) -> cv2.VideoCapture:
    """Return the capture of a stream, which may have failed to open. Only this address is read.

    Args:
        address: Where the stream is.
        bare_jpegs: Whether JPEGs follow each other in a form that FFmpeg does not recognise by itself.

    Raises:
        BadInputError: The address begins with none of `STREAM_SCHEMES`.
    """
    scheme = address.partition("://")[0].lower()
    if scheme not in STREAM_SCHEMES:
        raise BadInputError(
            "{address}: a stream's address begins with one of: {known}",
            address=without_password(address),
            known=", ".join(STREAM_SCHEMES),
        )
    # FFmpeg would use the proxy from the environment, both when it opens a stream and later.
    os.environ["no_proxy"] = "*"
    limits = [
        cv2.CAP_PROP_OPEN_TIMEOUT_MSEC,
        round(1000 * WAITS.answer),
        cv2.CAP_PROP_READ_TIMEOUT_MSEC,
        round(1000 * WAITS.next_frame),
    ]
    # A device that is no web server cannot be asked whether it sends bare JPEGs.
    formats = _STREAM_OPTIONS["format_whitelist"] + ("" if scheme in ("http", "https") else ",mjpeg")
    options = _STREAM_OPTIONS | {"format_whitelist": formats}
    with _ffmpeg_options(options | (_BARE_JPEG_OPTIONS if bare_jpegs else {})):
        return cv2.VideoCapture(opencv_path(address), cv2.CAP_FFMPEG, limits)


def is_complete_film(film: Path, pictures: int) -> bool:
    """Return whether a new film has about `pictures` frames. OpenCV's writer reports no errors."""
    try:
        capture = open_film(film)
    except BadInputError:
        return False
    count = capture.get(cv2.CAP_PROP_FRAME_COUNT)
    capture.release()
    return bool(count >= _COMPLETE_SHARE * pictures)


def open_film(path: Path) -> cv2.VideoCapture:
    """Return the opened capture of a film.

    Raises:
        BadInputError: The file does not exist, is no film, or has frames that are too large.
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
    # An absolute path, because FFmpeg would read a name such as `concat:a` as an address.
    with _ffmpeg_options(_FILM_OPTIONS):
        capture = cv2.VideoCapture(opencv_path(os.path.abspath(path)), cv2.CAP_FFMPEG)
    if not capture.isOpened():
        raise BadInputError("{path}: not a film that can be read (wrong format, or cut off)", path=path)
    width, height = (capture.get(side) for side in (cv2.CAP_PROP_FRAME_WIDTH, cv2.CAP_PROP_FRAME_HEIGHT))
    if width * height > MAX_FRAME_PIXELS:
        capture.release()
        raise frame_too_large(path, width, height)
    return capture


def frame_rate(capture: cv2.VideoCapture, *, live: bool = False) -> float:
    """Return the frames per second that a capture states; a usual rate if it states none.

    `live`: whether it is a camera or stream, and no film.
    """
    fps = float(capture.get(cv2.CAP_PROP_FPS))
    highest, usual = (_MAX_LIVE_FPS, _USUAL_LIVE_FPS) if live else (_MAX_FILM_FPS, _USUAL_FILM_FPS)
    return fps if _MIN_FPS <= fps <= highest else usual


def frame_too_large(name: object, width: float, height: float) -> BadInputError:
    """Return the error for a source whose frames have more than `MAX_FRAME_PIXELS` pixels."""
    return BadInputError(
        "{path}: pictures of {width:.0f} x {height:.0f} are too large", path=name, width=width, height=height
    )


@contextmanager
def _ffmpeg_options(options: dict[str, str]) -> Iterator[None]:
    """Let FFmpeg open only what `options` allow, by way of the environment."""
    silence_opencv()
    with _environment_lock:
        before = os.environ.get(_OPTIONS_VARIABLE)
        os.environ[_OPTIONS_VARIABLE] = "|".join(f"{name};{value}" for name, value in options.items())
        try:
            yield
        finally:
            if before is None:
                del os.environ[_OPTIONS_VARIABLE]
            else:
                os.environ[_OPTIONS_VARIABLE] = before
