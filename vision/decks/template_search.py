"""Looks for the card of an enrolled deck that lies near an outline, by what the deck's cards look like.

An outline that is off by a part of the card shows the face networks half a card. The picture of a card can be
laid over it all the same: coarsely at every place about the outline, and from the best ones by small steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import cv2
import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from vision.decks.templates import UNIT, CardPictures, ink, local, plane_of
from vision.geometry import transform, upright_height
from vision.types import Image, Quad

_MARGIN = 0.34
"""Of a card's width and height: how far from the outline its card may begin."""
_ROOM = 0.6
"""Of the outline's size: what is cut out around it."""
_SOFT = 0.9
"""Standard deviation of the blur before a part is looked at coarsely, pixels."""
_COARSE_STEPS, _FINE_STEPS = 3, 4
_FAINT = 0.02
"""Mean square of what shows hardly anything."""
_CHECK_STEPS = 3
_TRIED, _KEPT = 5, 3
"""So many cards are tried from where they lie best, and so many of them finely."""
_FORMS = (
    np.eye(3),
    *(np.array([[1, a, 0], [b, 1, 0], [0, 0, 1.0]]) for a, b in ((0.25, 0), (-0.25, 0), (0, 0.2), (0, -0.2))),
    *(np.diag([a, b, 1.0]) for a, b in ((0.8, 1), (1, 0.8), (1.25, 1), (1, 1.25))),
)
"""By how much an outline may be slanted, too large or too small."""


class Part(NamedTuple):
    """A part of a picture, about as large as the sketches of a deck's cards."""

    fine: NDArray[np.float32]
    coarse: NDArray[np.float32]
    """The same, blurred."""
    to_part: NDArray[np.float64]
    """3 x 3, from the picture's pixels."""

    def quad(self, plane: NDArray[np.float64]) -> Quad:
        """Return the quad in the picture of a plane in this part."""
        return np.asarray(transform(np.linalg.inv(self.to_part) @ plane, UNIT), np.float32)


def part_about(image: Image, quad: Quad, height: int) -> Part | None:
    """Return what lies about a quad, made so small that a card is `height` pixels tall; None: outside."""
    low, high = quad.min(axis=0), quad.max(axis=0)
    room = _ROOM * upright_height(quad)
    low = np.maximum(np.floor(low - room), 0).astype(int)
    high = np.minimum(np.ceil(high + room), image.shape[1::-1]).astype(int)
    if (high < low + 8).any():
        return None
    part = image[low[1] : high[1], low[0] : high[0]]
    shrink = min(1.0, height / max(upright_height(quad), 1.0))
    size = (max(4, round(part.shape[1] * shrink)), max(4, round(part.shape[0] * shrink)))
    small = np.asarray(cv2.resize(part, size, interpolation=cv2.INTER_AREA), np.uint8)
    sx, sy = size[0] / part.shape[1], size[1] / part.shape[0]
    to_part = np.array([[sx, 0, (0.5 - low[0]) * sx - 0.5], [0, sy, (0.5 - low[1]) * sy - 0.5], [0, 0, 1]])
    seen = ink(small)
    return Part(seen, np.asarray(cv2.GaussianBlur(seen, (0, 0), _SOFT), np.float32), to_part)


def likeness(
    parts: Sequence[Part], quads: Sequence[Quad], cards: Sequence[str], pictures: CardPictures
) -> NDArray[np.float64]:
    """Return how much what lies in each quad looks like each card of the deck (N x cards).

    Each quad is first moved a little, to where the card that it is named (`cards`) fits best.
    """
    if not len(parts):
        return np.zeros((0, len(pictures.cards)))
    coarse, fine = [part.coarse for part in parts], [part.fine for part in parts]
    planes = np.stack([part.to_part @ plane_of(quad) for part, quad in zip(parts, quads, strict=True)])
    which = np.array([2 * pictures.cards.index(card) for card in cards])
    ways = pictures.coarse.alike(pictures.coarse.seen(coarse, planes))
    every = np.arange(len(which))
    which = which + (ways[every, which + 1] > ways[every, which])
    planes = pictures.coarse.align(coarse, planes, which, _CHECK_STEPS).planes
    planes = pictures.fine.align(fine, planes, which, _CHECK_STEPS).planes
    return _to_cards(pictures.fine.alike(pictures.fine.seen(fine, planes)))


def _to_cards(alike: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the likeness to cards (N x cards) by that to their sketches, whichever way up."""
    return np.asarray(alike.reshape(len(alike), -1, 2).max(axis=2))


@dataclass(frozen=True, slots=True, eq=False)
class Registered:
    """A card of the deck, laid over a picture."""

    quad: Quad
    to_all: NDArray[np.float64]
    """Likeness to each card of the deck of what is seen in the quad."""


def registered(part: Part, quad: Quad, pictures: CardPictures) -> Registered:
    """Return where near a quad a card of the deck lies, the one that fits best."""
    which, planes = _laid_anywhere(part.coarse, part.to_part @ plane_of(quad), pictures)
    coarse = pictures.coarse.align([part.coarse] * len(which), planes, which, _COARSE_STEPS)
    best = np.argsort(-coarse.likeness, kind="stable")[:_KEPT]
    fine = pictures.fine.align([part.fine] * len(best), coarse.planes[best], which[best], _FINE_STEPS)
    plane = fine.planes[[int(fine.likeness.argmax())]]
    alike = pictures.fine.alike(pictures.fine.seen([part.fine], plane))
    return Registered(part.quad(plane[0]), _to_cards(alike)[0])


def _laid_anywhere(
    seen: NDArray[np.float32], start: NDArray[np.float64], pictures: CardPictures
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return the sketches (_TRIED) that are most like anything about a plane, and the planes they lie in."""
    sketches = pictures.coarse
    w, h = sketches.width, sketches.height
    size = (round(w * (1 + 2 * _MARGIN)), round(h * (1 + 2 * _MARGIN)))
    to_unit = np.array([[1 / w, 0, (0.5 - size[0] / 2) / w], [0, 1 / h, (0.5 - size[1] / 2) / h], [0, 0, 1]])
    # Half a turn hardly changes what a card looks like coarsely.
    cards = sketches.cards[::2]
    cards = (cards / (np.linalg.norm(cards, axis=1, keepdims=True) + 1e-3)).T
    found = []
    for form in _FORMS:
        flat = cv2.warpPerspective(
            seen,
            start @ form @ to_unit,
            size,
            flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
            borderMode=cv2.BORDER_REPLICATE,
        )
        windows = sliding_window_view(local(np.asarray(flat, np.float32), w), (h, w))
        places = windows.shape[:2]
        looks = windows.reshape(-1, h * w)
        faint = _FAINT * h * w
        found.append((looks @ cards) / np.sqrt(np.einsum("np,np->n", looks, looks) + faint)[:, None])
    alike = np.concatenate(found)
    best = alike.argmax(axis=0)
    chosen = np.argsort(-alike[best, np.arange(len(best))], kind="stable")[:_TRIED]
    number, place = np.divmod(best[chosen], places[0] * places[1])
    row, column = np.divmod(place, places[1])
    shifts = np.tile(np.eye(3), (len(chosen), 1, 1))
    shifts[:, 0, 2] = (column - (places[1] - 1) / 2) / w
    shifts[:, 1, 2] = (row - (places[0] - 1) / 2) / h
    planes = start @ np.stack(_FORMS)[number] @ shifts
    both = (2 * chosen[:, None] + np.arange(2)).ravel()
    return both, planes.repeat(2, axis=0)
