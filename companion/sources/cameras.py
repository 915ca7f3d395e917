"""Find a source to watch: a camera of this machine, else the film that ships with the program."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

import cv2

from companion.device import on_phone
from engine.errors import BadInputError
from engine.files.json_text import parse_json
from vision.opencv_log import silence

DEFAULT_PLAYERS = ("Ann", "Bob", "Cat", "Dan")
_MOST_CAMERAS = 4


@dataclass(frozen=True, slots=True)
class SampleFilm:
    """The film that ships with the program, and the game in it."""

    path: Path
    rules: str = "winnersh"
    options: tuple[str, ...] = ()
    players: tuple[str, ...] = DEFAULT_PLAYERS
    dealer: str | None = None


def find_camera() -> int | None:
    """Return the number of the first camera that gives a frame, or None."""
    return next(_working_cameras(), None)


def find_cameras() -> list[int]:
    """Return the numbers of all cameras that give a frame. One in use elsewhere may be missing."""
    return list(_working_cameras())


def _working_cameras() -> Iterator[int]:
    if on_phone():  # OpenCV opens no camera of a phone, whatever `sys.platform` says
        return
    silence()
    for number in range(_MOST_CAMERAS):
        if sys.platform.startswith("linux") and not Path(f"/dev/video{number}").exists():
            continue
        capture = cv2.VideoCapture(number)
        try:
            if capture.isOpened() and capture.read()[0]:
                yield number
        finally:
            capture.release()


def sample_film() -> SampleFilm:
    """Return the film that ships with the program. The header of its truth file describes the game.

    Raises:
        BadInputError: this installation has no sample film.
    """
    assets = Path(str(resources.files("companion"))) / "assets"
    path = assets / "sample.mp4"
    if not path.is_file():
        raise BadInputError(
            "{path}: the sample film is missing from this installation; name a source", path=path
        )
    truth = assets / "sample.truth.jsonl"
    if not truth.is_file():
        return SampleFilm(path)
    try:
        with truth.open(encoding="utf-8") as lines:
            header = parse_json(lines.readline())
        return SampleFilm(
            path,
            str(header["rules"]),
            tuple(map(str, header.get("options") or ())),
            tuple(map(str, header["players"])),
            header.get("dealer"),
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadInputError(
            "{truth}: not the header of a truth file: {reason}", truth=truth, reason=error
        ) from None
