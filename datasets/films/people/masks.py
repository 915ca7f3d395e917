"""Masks of a frame: persons, hands and cards, and which card is how much covered by what.

A frame has one PNG picture and one line in `masks.jsonl`. In the picture blue is the number of the person,
from 1. Green is the kind (see `KINDS`). Red is the piece of a card plus 1, or 255 for a card in a fan.

The line has `t`, `people` (their numbers) and `cards`. A card on the table has its `piece`, its `face` and
its name (`card`; None if face down). `quad` is in pixels, clockwise from the top left of the card. `visible`
is the share of its outline that is seen; None outside the picture. `by` has the shares that others cover:
`cards`, each person (`Ann`) and each hand (`Ann's hand`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.films.geometry import Camera
from datasets.films.timeline import CardMove
from engine.errors import BadInputError

KINDS = {"nothing": 0, "person": 1, "hand": 2, "card on the table": 3, "card in the air": 4}
IN_A_FAN = 255
_FINE = 16.0


@dataclass(frozen=True, eq=False)
class FrameMasks:
    """The masks of one frame."""

    picture: NDArray[np.uint8]
    """h x w x 3: person, kind, piece."""
    line: dict[str, Any]


def masks_of(
    t: float,
    resting: Sequence[CardMove],
    camera: Camera,
    drawn: NDArray[np.uint8],
    pieces: Sequence[int],
    people: Mapping[str, int],
    movement: NDArray[np.float64] | None = None,
) -> FrameMasks:
    """Return the masks of a frame.

    Args:
        t: Its time.
        resting: The cards on the table, bottom first, as the moves that put them there.
        camera: The camera.
        drawn: h x w x 2, over the table. First is the number of a person, or from 1 the place in `pieces`.
            Second is 1 for a person, 2 for a hand, 3 for a card in the air.
        pieces: Pieces of the cards in the air; negative for one in a fan.
        people: The numbers of the persons.
        movement: Homography of the motion of the picture, if it moves.
    """
    if movement is not None:
        size = (camera.width, camera.height)
        drawn = np.asarray(cv2.warpPerspective(drawn, movement, size, flags=cv2.INTER_NEAREST), np.uint8)
    number, what = drawn[:, :, 0], drawn[:, :, 1]
    owner = np.zeros(number.shape, np.uint8)
    quads, alone = [], []
    for place, move in enumerate(resting, start=1):
        quad = _moved(camera.project(move.end.corners(), move.end.z), movement)
        outline = np.round(quad * _FINE).astype(np.int32)
        filled = np.zeros_like(owner)
        cv2.fillConvexPoly(filled, outline, 1, cv2.LINE_8, 4)
        owner[filled > 0] = place
        quads.append(quad)
        alone.append(filled > 0)
    picture = np.zeros((*owner.shape, 3), np.uint8)
    picture[:, :, 0] = np.where((what == 1) | (what == 2), number, 0)
    picture[:, :, 1] = np.where(what == 3, 4, np.where(what > 0, what, np.where(owner > 0, 3, 0)))
    told = np.array([0, *(move.piece + 1 for move in resting)], np.uint8)[owner]
    air = np.array([0, *(IN_A_FAN if piece < 0 else piece + 1 for piece in pieces)], np.uint8)
    in_air = air[np.minimum(number, len(pieces))]
    picture[:, :, 2] = np.where(what == 3, in_air, np.where(what > 0, 0, told))
    names = {value: name for name, value in people.items()}
    cards = []
    for place, (move, quad, mask) in enumerate(zip(resting, quads, alone, strict=True), start=1):
        area = int(np.count_nonzero(mask))
        over = what[mask]
        cards.append(
            {
                "piece": move.piece,
                "card": move.card if move.face_end else None,
                "face": "up" if move.face_end else "down",
                "quad": [[round(float(x), 1), round(float(y), 1)] for x, y in quad],
                "visible": round(float(np.mean((over == 0) & (owner[mask] == place))), 3) if area else None,
                "by": _covers(over, number[mask], owner[mask] != place, names) if area else {},
            }
        )
    return FrameMasks(picture, {"t": round(t, 3), "people": dict(people), "cards": cards})


def _covers(
    what: NDArray[np.uint8], number: NDArray[np.uint8], below: NDArray[np.bool_], names: Mapping[int, str]
) -> dict[str, float]:
    """Return the shares of a card that others cover: what is over the table first, then cards on it."""
    shares = {"cards": float(np.mean((what == 3) | ((what == 0) & below)))}
    for value, name in names.items():
        shares[name] = float(np.mean((what == 1) & (number == value)))
        shares[f"{name}'s hand"] = float(np.mean((what == 2) & (number == value)))
    return {name: round(share, 3) for name, share in shares.items() if share >= 0.0005}


def _moved(points: NDArray[np.float64], movement: NDArray[np.float64] | None) -> NDArray[np.float64]:
    if movement is None:
        return points
    mapped = np.c_[points, np.ones(len(points))] @ movement.T
    return np.asarray(mapped[:, :2] / mapped[:, 2:])


def write_picture(masks: FrameMasks, folder: Path, number: int) -> None:
    """Write the picture of frame `number`. Raises BadInputError if it cannot be written."""
    path = folder / f"{number:06d}.png"
    done, data = cv2.imencode(".png", masks.picture)
    try:
        if not done:
            raise OSError("no PNG")
        path.write_bytes(data.tobytes())
    except OSError as error:
        raise BadInputError(f"{path}: cannot be written ({error})") from error
