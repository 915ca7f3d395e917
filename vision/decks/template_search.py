"""Registering a deck's templates to an image near an outline that may be wrong.

If an outline is off by part of a card, the networks see half a card. A template can be laid over the card all
the same. It is first tried at every position around the outline at low resolution. The best positions are
then refined by image alignment.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import cv2
import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from vision.decks.templates import (
    UNIT_CARD,
    CardTemplates,
    ink_channel,
    local_contrast,
    unit_card_homography,
)
from vision.geometry import transform_points, upright_card_height
from vision.types import Image, Quad

_SEARCH_MARGIN = 0.34
"""How far the card may lie from the outline, as a share of the card's width and height."""
_PATCH_MARGIN = 0.6
"""Margin that is cropped around the outline, as a share of the card's height."""
_COARSE_BLUR_SIGMA = 0.9
"""Blur before the search at low resolution, in pixels."""
_COARSE_STEPS, _FINE_STEPS = 3, 4
"""Alignment steps of a search, at low and at high resolution."""
_FAINT_ENERGY = 0.02
"""Mean square of local contrast in an area that shows almost nothing."""
_CHECK_STEPS = 3
"""Alignment steps per resolution for an outline that is about right."""
_COARSE_CANDIDATES, _FINE_CANDIDATES = 5, 3
"""How many templates are aligned at low resolution, and how many of these at high resolution."""
_DISTORTIONS = (
    np.eye(3),
    *(np.array([[1, a, 0], [b, 1, 0], [0, 0, 1.0]]) for a, b in ((0.25, 0), (-0.25, 0), (0, 0.2), (0, -0.2))),
    *(np.diag([a, b, 1.0]) for a, b in ((0.8, 1), (1, 0.8), (1.25, 1), (1, 1.25))),
)
"""Distortions of the outline to try: none, four slants, four wrong sizes."""


class ImagePatch(NamedTuple):
    """Part of an image, scaled to about the size of the templates."""

    fine: NDArray[np.float32]
    """Its ink channel, height x width, 0..255."""
    coarse: NDArray[np.float32]
    """The same, blurred."""
    to_patch: NDArray[np.float64]
    """Homography (3 x 3) from pixels of the image to those of the patch."""

    def quad(self, plane: NDArray[np.float64]) -> Quad:
        """Return the quad (4 x 2 px of the image) of a homography from `UNIT_CARD` to this patch."""
        return np.asarray(transform_points(np.linalg.inv(self.to_patch) @ plane, UNIT_CARD), np.float32)


def crop_patch(image: Image, quad: Quad, height: int) -> ImagePatch | None:
    """Return the surroundings of a quad, scaled so that a card is at most `height` pixels tall.

    The result is None if the quad lies outside the image.
    """
    low, high = quad.min(axis=0), quad.max(axis=0)
    room = _PATCH_MARGIN * upright_card_height(quad)
    low = np.maximum(np.floor(low - room), 0).astype(int)
    high = np.minimum(np.ceil(high + room), image.shape[1::-1]).astype(int)
    if (high < low + 8).any():
        return None
    patch = image[low[1] : high[1], low[0] : high[0]]
    shrink = min(1.0, height / max(upright_card_height(quad), 1.0))
    size = (max(4, round(patch.shape[1] * shrink)), max(4, round(patch.shape[0] * shrink)))
    small = np.asarray(cv2.resize(patch, size, interpolation=cv2.INTER_AREA), np.uint8)
    sx, sy = size[0] / patch.shape[1], size[1] / patch.shape[0]
    to_part = np.array([[sx, 0, (0.5 - low[0]) * sx - 0.5], [0, sy, (0.5 - low[1]) * sy - 0.5], [0, 0, 1]])
    seen = ink_channel(small)
    return ImagePatch(
        seen, np.asarray(cv2.GaussianBlur(seen, (0, 0), _COARSE_BLUR_SIGMA), np.float32), to_part
    )


def template_similarities(
    patches: Sequence[ImagePatch], quads: Sequence[Quad], cards: Sequence[str], templates: CardTemplates
) -> NDArray[np.float64]:
    """Return the similarity of what lies in each quad to each card of the deck (N x cards).

    Each quad is first aligned to the template of its supposed card in `cards`.
    """
    if not len(patches):
        return np.zeros((0, len(templates.cards)))
    coarse, fine = [patch.coarse for patch in patches], [patch.fine for patch in patches]
    planes = np.stack(
        [patch.to_patch @ unit_card_homography(quad) for patch, quad in zip(patches, quads, strict=True)]
    )
    which = np.array([2 * templates.cards.index(card) for card in cards])
    ways = templates.coarse.similarities(templates.coarse.sample(coarse, planes))
    every = np.arange(len(which))
    which = which + (ways[every, which + 1] > ways[every, which])
    planes = templates.coarse.align(coarse, planes, which, _CHECK_STEPS).planes
    planes = templates.fine.align(fine, planes, which, _CHECK_STEPS).planes
    return _best_orientation(templates.fine.similarities(templates.fine.sample(fine, planes)))


def _best_orientation(similarity: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the similarity to each card (N x cards), given that to its template both ways up."""
    return np.asarray(similarity.reshape(len(similarity), -1, 2).max(axis=2))


@dataclass(frozen=True, slots=True, eq=False)
class Registration:
    """A card of the deck, aligned to an image."""

    quad: Quad
    """Where it lies: 4 x 2 px of the image."""
    similarities: NDArray[np.float64]
    """Similarity of what lies in the quad to each card of the deck."""


def register_card(patch: ImagePatch, quad: Quad, templates: CardTemplates) -> Registration:
    """Return the card of the deck that fits best near a quad."""
    which, planes = _search_coarsely(patch.coarse, patch.to_patch @ unit_card_homography(quad), templates)
    coarse = templates.coarse.align([patch.coarse] * len(which), planes, which, _COARSE_STEPS)
    best = np.argsort(-coarse.similarity, kind="stable")[:_FINE_CANDIDATES]
    fine = templates.fine.align([patch.fine] * len(best), coarse.planes[best], which[best], _FINE_STEPS)
    plane = fine.planes[[int(fine.similarity.argmax())]]
    similarity = templates.fine.similarities(templates.fine.sample([patch.fine], plane))
    return Registration(patch.quad(plane[0]), _best_orientation(similarity)[0])


def _search_coarsely(
    seen: NDArray[np.float32], start: NDArray[np.float64], templates: CardTemplates
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return the templates most similar to something near a quad, with the homographies to where.

    Both arrays have 2 x _COARSE_CANDIDATES rows, as each template comes both ways up.
    """
    bank = templates.coarse
    w, h = bank.width, bank.height
    size = (round(w * (1 + 2 * _SEARCH_MARGIN)), round(h * (1 + 2 * _SEARCH_MARGIN)))
    to_unit = np.array([[1 / w, 0, (0.5 - size[0] / 2) / w], [0, 1 / h, (0.5 - size[1] / 2) / h], [0, 0, 1]])
    # At low resolution, a card looks almost the same after half a turn.
    cards = bank.cards[::2]
    cards = (cards / (np.linalg.norm(cards, axis=1, keepdims=True) + 1e-3)).T
    found = []
    for form in _DISTORTIONS:
        flat = cv2.warpPerspective(
            seen,
            start @ form @ to_unit,
            size,
            flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
            borderMode=cv2.BORDER_REPLICATE,
        )
        windows = sliding_window_view(local_contrast(np.asarray(flat, np.float32), w), (h, w))
        places = windows.shape[:2]
        looks = windows.reshape(-1, h * w)
        faint = _FAINT_ENERGY * h * w
        found.append((looks @ cards) / np.sqrt(np.einsum("np,np->n", looks, looks) + faint)[:, None])
    similarity = np.concatenate(found)
    best = similarity.argmax(axis=0)
    chosen = np.argsort(-similarity[best, np.arange(len(best))], kind="stable")[:_COARSE_CANDIDATES]
    number, place = np.divmod(best[chosen], places[0] * places[1])
    row, column = np.divmod(place, places[1])
    shifts = np.tile(np.eye(3), (len(chosen), 1, 1))
    shifts[:, 0, 2] = (column - (places[1] - 1) / 2) / w
    shifts[:, 1, 2] = (row - (places[0] - 1) / 2) / h
    planes = start @ np.stack(_DISTORTIONS)[number] @ shifts
    both = (2 * chosen[:, None] + np.arange(2)).ravel()
    return both, planes.repeat(2, axis=0)
