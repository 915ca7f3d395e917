"""Writes film files: mp4v with OpenCV, or H.264 with ffmpeg if that is installed."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
from pathlib import Path
from types import TracebackType
from typing import Protocol

from datasets.films.rendering.layers import Image
from engine.errors import BadInputError
from engine.files.atomic import part_of
from vision.capture.opencv import is_complete_film
from vision.capture.video_writer import open_film_writer

CODECS = ("mp4v", "h264")
_FFMPEG_FAILED = "codec h264: ffmpeg could not write the film (it says why above)"


class FilmWriter:
    """Writes frames to a file that appears under its name only when it is complete."""

    def __init__(
        self,
        path: Path,
        fps: float,
        size: tuple[int, int],
        codec: str = "mp4v",
        crf: int = 21,
        kbps: int | None = None,
    ) -> None:
        """Open the file.

        Args:
            path: The file; its suffix should be `.mp4`.
            fps: Frames per second.
            size: Width and height in pixels.
            codec: One of `CODECS`.
            crf: Constant rate factor of H.264. A smaller one gives a better and larger file.
            kbps: Bit rate of H.264 instead, kbit/s.

        Raises:
            BadInputError: There is no such codec, or the file cannot be written with it.
        """
        if codec not in CODECS:
            raise BadInputError(f"codec {codec}: write one of {', '.join(CODECS)}")
        self._path = path
        self._part = part_of(path if path.suffix else path.with_suffix(".mp4"))
        opener = _H264Sink if codec == "h264" else _OpenCvSink
        self._count = 0
        self._sink: _Sink = opener(self._part, path, fps, size, crf, kbps)

    def __enter__(self) -> FilmWriter:
        return self

    def write(self, frame: Image) -> None:
        """Append one frame."""
        self._sink.write(frame)
        self._count += 1

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self._sink.close()
            if kind is None:
                if not is_complete_film(self._part, self._count):
                    raise BadInputError(f"{self._path}: could not be written whole (is the disk full?)")
                self._part.replace(self._path)
        except BadInputError:
            if kind is None:  # else the first error matters
                raise
        finally:
            self._part.unlink(missing_ok=True)


class _Sink(Protocol):
    def write(self, frame: Image) -> None: ...
    def close(self) -> None: ...


class _OpenCvSink:
    def __init__(
        self, part: Path, film: Path, fps: float, size: tuple[int, int], _crf: int, _kbps: int | None
    ) -> None:
        self._writer = open_film_writer(part, film, fps, size)

    def write(self, frame: Image) -> None:
        self._writer.write(frame)

    def close(self) -> None:
        self._writer.release()


class _H264Sink:
    def __init__(
        self, part: Path, _film: Path, fps: float, size: tuple[int, int], crf: int, kbps: int | None
    ) -> None:
        program = shutil.which("ffmpeg")
        if program is None:
            raise BadInputError("codec h264: the program `ffmpeg` is not installed; use --codec mp4v")
        source = [
            "-f",
            "rawvideo",
            "-pix_fmt",
            "bgr24",
            "-s",
            f"{size[0]}x{size[1]}",
            "-r",
            str(fps),
            "-i",
            "-",
        ]
        target = [
            "-c:v",
            "libx264",
            "-preset",
            "medium",
            "-threads",
            "1",
            *(
                ("-crf", str(crf))
                if kbps is None
                else ("-b:v", f"{kbps}k", "-maxrate", f"{kbps * 2}k", "-bufsize", f"{kbps * 2}k")
            ),
            "-pix_fmt",
            "yuv420p",
        ]
        command = [
            program,
            "-loglevel",
            "error",
            "-y",
            *source,
            *target,
            "-movflags",
            "+faststart",
            str(part),
        ]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE)

    def write(self, frame: Image) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(frame.tobytes())
        except BrokenPipeError:
            raise BadInputError(_FFMPEG_FAILED) from None

    def close(self) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        if self._process.wait() != 0:
            raise BadInputError(_FFMPEG_FAILED)
