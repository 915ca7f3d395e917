"""Shows a film as another camera would see it, or with quicker people: a fresh film without rendering one.

`python -m datasets.measuring.films.reshoot game.mp4 out.mp4 --seed 3 --speed 1.2` writes `out.mp4` and its
truth. With `--sway 8`, somebody holds the camera in the hand. With `--light 0.35`, the room is dark.
`shithead measure` scores the film. Use it to see whether a program that follows one film well was only
made for that film.
"""

from __future__ import annotations

import argparse
import math
import random
import shutil
import sys
from contextlib import closing
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.game.scoring import read_lines, truth_path
from datasets.films.rendering.sensor import Sensor
from datasets.films.rendering.video import FilmWriter
from datasets.films.truth import write_lines
from engine.errors import BadInputError
from vision.capture.sources import open_source
from vision.types import Image

_SMALLER = (0.84, 0.97)
"""How large the table is afterwards."""
_TURNED_DEGREES = 7.0
_MOVED, _TILTED = 0.01, 0.05
"""How far the picture, and each of its corners, moves at most, as a share of its size."""
_GAMMA, _GAIN, _GRAIN, _BLUR_PX = (0.75, 1.4), (0.85, 1.15), (0.0, 4.0), (0.0, 0.9)
_LEAST_BLUR_PX = 0.2
_SPEEDS = (0.25, 4.0)
_MOST_SWAY_PX = 100.0
_LEAST_LIGHT = 0.05
_LAMP = (0.8, 1.0, 1.2)
"""How much of each colour (blue, green, red) is left of the light: lamps are warmer than the day."""
_DARK_NOISE, _PHOTON_NOISE = 2.0, 0.45
"""Noise of a dark room's pictures, in levels, and in levels per square root of the level."""
_NOISE_MARGIN = 64
"""Each frame shows another part of one field of noise, which is larger by so many pixels."""
_TIMES = ("t", "t_start", "t_end", "seconds")


@dataclass(frozen=True, slots=True)
class View:
    """Another camera at the same table: where it stands, and how it shows colours."""

    move: NDArray[np.float64]
    """Homography (3 x 3) from pixels of the film to those of this view."""
    levels: NDArray[np.uint8]
    """The new level of each old one and each colour (256 x 1 x 3)."""
    blur_px: float
    grain: NDArray[np.float32]
    """Noise (twice the picture's height and width, x 1), in levels: each frame shows another part of it."""

    def show(self, frame: Image, rng: np.random.Generator) -> Image:
        """Return a frame as this camera sees it."""
        height, width = frame.shape[:2]
        seen = cv2.warpPerspective(
            frame, self.move, (width, height), flags=cv2.INTER_AREA, borderMode=cv2.BORDER_REFLECT_101
        )
        if self.blur_px > _LEAST_BLUR_PX:
            seen = cv2.GaussianBlur(seen, (0, 0), self.blur_px)
        seen = cv2.LUT(seen, self.levels)
        return np.asarray(np.clip(seen + _any_part(self.grain, frame, rng), 0, 255), np.uint8)


def random_view(width: int, height: int, rng: np.random.Generator) -> View:
    """Return a view by chance, for pictures of this size."""
    size = np.array((width, height), np.float64)
    corners = np.array(((0, 0), (1, 0), (1, 1), (0, 1))) * size
    turn = np.radians(rng.uniform(-_TURNED_DEGREES, _TURNED_DEGREES))
    rotation = np.array(((np.cos(turn), -np.sin(turn)), (np.sin(turn), np.cos(turn))))
    moved = (corners - size / 2) @ rotation.T * rng.uniform(*_SMALLER) + size / 2
    moved += rng.uniform(-_MOVED, _MOVED, 2) * size + rng.uniform(-_TILTED, _TILTED, (4, 2)) * size
    move = cv2.getPerspectiveTransform(corners.astype(np.float32), moved.astype(np.float32))
    curve = (np.arange(256) / 255) ** rng.uniform(*_GAMMA)
    levels = np.clip(255 * curve[:, np.newaxis] * rng.uniform(*_GAIN, 3), 0, 255)
    grain = rng.uniform(*_GRAIN) * rng.standard_normal((2 * height, 2 * width, 1))
    return View(
        np.asarray(move, np.float64),
        levels.astype(np.uint8)[:, np.newaxis],
        rng.uniform(*_BLUR_PX),
        grain.astype(np.float32),
    )


class DarkRoom:
    """A room with a share of the light, as a camera whose exposure is fixed sees it."""

    def __init__(self, width: int, height: int, light: float, rng: np.random.Generator) -> None:
        """Make the noise; `light` is the share of the light that is left."""
        self._light = light * np.array(_LAMP, np.float32)
        shape = height + _NOISE_MARGIN, width + _NOISE_MARGIN, 3
        self._noise = rng.standard_normal(shape, np.float32)

    def show(self, frame: Image, rng: np.random.Generator) -> Image:
        """Return a frame as it looks in this room."""
        seen = frame * self._light
        seen += _any_part(self._noise, frame, rng) * (_DARK_NOISE + _PHOTON_NOISE * np.sqrt(seen))
        return np.asarray(np.clip(seen, 0, 255), np.uint8)


def _any_part(noise: NDArray[np.float32], frame: Image, rng: np.random.Generator) -> NDArray[np.float32]:
    """Return a part of a larger field of noise, as large as a frame: each frame shows another one."""
    height, width = frame.shape[:2]
    down, right = rng.integers(0, noise.shape[0] - height), rng.integers(0, noise.shape[1] - width)
    return noise[down : down + height, right : right + width]


def reshoot(
    film: Path,
    out: Path,
    *,
    seed: int | None,
    speed: float = 1.0,
    sway: float = 0.0,
    light: float = 1.0,
    dark_from: float = 0.0,
    dark_until: float = math.inf,
    codec: str = "mp4v",
) -> None:
    """Write a film and its truth as another camera sees them, or with quicker people.

    Args:
        film: The film; its truth lies beside it.
        out: The new film; its truth will lie beside it.
        seed: The same seed gives the same view; None: the view stays.
        speed: How many times as fast people move.
        sway: Motion of a camera that is held in a hand, pixels of a 1080p frame; 0: it stands still.
        light: Share of the light that is left; 1: all of it.
        dark_from: When the light is switched off, seconds of the new film.
        dark_until: When it is switched on.
        codec: One of `datasets.films.rendering.video.CODECS`.

    Raises:
        BadInputError: The film or its truth cannot be read, or the new film cannot be written.
    """
    if not _SPEEDS[0] <= speed <= _SPEEDS[1]:
        raise BadInputError(f"speed {speed:g}: must be from {_SPEEDS[0]:g} to {_SPEEDS[1]:g}")
    if not 0 <= sway <= _MOST_SWAY_PX:
        raise BadInputError(f"sway {sway:g}: must be from 0 to {_MOST_SWAY_PX:g}")
    if not _LEAST_LIGHT <= light <= 1:
        raise BadInputError(f"light {light:g}: must be from {_LEAST_LIGHT:g} to 1")
    lines = read_lines(truth_path(film))
    rng = np.random.default_rng(seed)
    with closing(open_source(str(film))) as source:
        frames = (frame for _, frame in source)
        first = next(frames, None)
        if first is None:
            raise BadInputError(f"{film}: holds no pictures")
        height, width = first.shape[:2]
        view = None if seed is None else random_view(width, height, rng)
        hand = Sensor(width, height, 0.0, 0.0, seed or 0, sway) if sway else None
        room = DarkRoom(width, height, light, rng) if light < 1 else None
        with FilmWriter(out, source.fps, (width, height), codec) as writer:
            wanted, written = 0.0, 0
            for number, frame in enumerate(chain([first], frames)):
                while round(wanted) == number:
                    shown = frame
                    if view is not None:
                        shown = view.show(shown, rng)
                    if hand is not None:
                        shown = _swayed(shown, hand, written / source.fps)
                    if room is not None and dark_from <= written / source.fps < dark_until:
                        shown = room.show(shown, rng)
                    writer.write(shown)
                    wanted, written = wanted + speed, written + 1
    write_lines(truth_path(out), [_quicker(line, speed) for line in lines])


def _swayed(frame: Image, hand: Sensor, t: float) -> Image:
    """Return a frame as a hand that holds the camera moves it at a time (seconds)."""
    move, size = hand.movement(t), frame.shape[1::-1]
    if move is None:
        return frame
    return np.asarray(cv2.warpPerspective(frame, move, size, borderMode=cv2.BORDER_REFLECT_101), np.uint8)


def _quicker(line: dict[str, Any], speed: float) -> dict[str, Any]:
    """Return a line of a truth file with the times of quicker people."""
    times = {key: round(line[key] / speed, 3) for key in _TIMES if isinstance(line.get(key), (int, float))}
    return {key: value for key, value in (line | times).items() if key != "line"}


def main(arguments: list[str]) -> int:
    """Write one film."""
    parser = argparse.ArgumentParser(prog="python -m datasets.measuring.films.reshoot", description=__doc__)
    parser.add_argument("film", type=Path, metavar="FILM", help="a film with its truth")
    parser.add_argument("out", type=Path, metavar="OUT.mp4", help="the film to write")
    by_chance = random.randrange(2**31)
    parser.add_argument(
        "--seed", type=int, default=by_chance, metavar="N", help="of the view (default: by chance)"
    )
    parser.add_argument(
        "--same-view", dest="seed", action="store_const", const=None, help="leave the view as it is"
    )
    parser.add_argument("--speed", type=float, default=1.0, metavar="X", help="times as fast (default 1)")
    parser.add_argument(
        "--sway", type=float, default=0.0, metavar="PX", help="motion of a camera in a hand (default 0)"
    )
    parser.add_argument(
        "--light", type=float, default=1.0, metavar="SHARE", help="of the light that is left (default 1)"
    )
    parser.add_argument(
        "--dark-from", type=float, default=0.0, metavar="S", help="second at which light is switched off"
    )
    parser.add_argument(
        "--dark-until", type=float, default=math.inf, metavar="S", help="second at which it is switched on"
    )
    args = parser.parse_args(arguments)
    codec = "h264" if shutil.which("ffmpeg") else "mp4v"
    reshoot(
        args.film,
        args.out,
        seed=args.seed,
        speed=args.speed,
        sway=args.sway,
        light=args.light,
        dark_from=args.dark_from,
        dark_until=args.dark_until,
        codec=codec,
    )
    view = "the same" if args.seed is None else args.seed
    light = f"{args.light:g} of the light"
    print(f"{args.out}: {args.speed:g} times as fast, view: {view}, sway: {args.sway:g} pixels, {light}")
    return 0


if __name__ == "__main__":
    try:
        raise SystemExit(main(sys.argv[1:]))
    except BadInputError as error:
        print(error, file=sys.stderr)
        raise SystemExit(2) from None
