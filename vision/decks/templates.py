"""Templates of the cards of a deck, and their similarity to what lies in an outline.

A template is a small image of a card. A homography lays it over part of an image; Gauss-Newton steps improve
the homography (inverse compositional image alignment, Baker and Matthews 2004). Each block counts as far as
it agrees, so that a covered block does not pull. The comparison uses local contrast: how much darker a pixel
is than the paper around it. The colour of the light and the edges of shadows then matter little.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import homography, rectify
from vision.types import Image, Quad

TEMPLATE_WIDTH, TEMPLATE_HEIGHT = 60, 84
"""Size of a template, in pixels."""

UNIT_CARD = np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]], np.float32)
"""The corners (4 x 2) of a card whose width and height are 1, around the origin. Homographies start from
it."""
_NEIGHBOURHOOD = 0.35
"""Half the side of a pixel's neighbourhood, as a share of the template's width."""
_PAPER_REACH = 0.35
"""Reach within which every pixel has paper near it, as a share of the template's width. A pip is smaller."""
_DARKNESS_OFFSET = 16.0
"""Grey levels added to ink and paper before their ratio, so that noise in deep shadow does not look like
ink."""
_MIN_CONTRAST, _MIN_RELATIVE_CONTRAST = 4.0, 0.5
"""Contrast that counts as faint: in grey levels, and as a share of the contrast of the whole card."""
_RIM = 0.04
"""Rim that is left out, as a share of the template's width, because it often shows the table."""
_BLOCKS = (4, 6)
"""Blocks of a card that are weighted by agreement: columns, rows."""
_EMPTY_BLOCK_ENERGY = 0.05
"""Mean square of local contrast in a block that shows almost nothing."""
_MIN_BLOCK_WEIGHT = 0.1
"""Least weight in alignment of a block that does not agree, such as one under another card."""
_DAMPING, _MAX_STEP = 0.02, 0.15
"""Damping of a Gauss-Newton step, and the largest change of each entry, in units of the card."""


def ink_channel(image: Image) -> NDArray[np.float32]:
    """Return the mean of green and blue (height x width, 0..255), in which red ink is as dark as black."""
    return np.asarray((image[..., 0].astype(np.float32) + image[..., 1]) * np.float32(0.5))


def make_template(image: Image, quad: Quad) -> NDArray[np.uint8]:
    """Return the template (TEMPLATE_HEIGHT x TEMPLATE_WIDTH) of the card in a quad."""
    flat = ink_channel(rectify(image, quad, 2 * TEMPLATE_WIDTH, 2 * TEMPLATE_HEIGHT))
    small = cv2.resize(flat, (TEMPLATE_WIDTH, TEMPLATE_HEIGHT), interpolation=cv2.INTER_AREA)
    return np.asarray(np.rint(small), np.uint8)


def unit_card_homography(quad: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return the homography (3 x 3) from `UNIT_CARD` to a quad."""
    return homography(UNIT_CARD, quad)


def local_contrast(image: NDArray[np.float32], width: int) -> NDArray[np.float32]:
    """Return the local contrast of a card's ink channel that is `width` pixels wide.

    Each pixel is compared with the paper and with its neighbourhood; the result has a spread of about 1.
    """
    size = (2 * round(_NEIGHBOURHOOD * width) + 1,) * 2
    lit = cv2.morphologyEx(image, cv2.MORPH_CLOSE, np.ones((round(_PAPER_REACH * width),) * 2, np.uint8))
    image = np.asarray(255 * (image + _DARKNESS_OFFSET) / (lit + _DARKNESS_OFFSET), np.float32)
    apart = image - cv2.blur(image, size, borderType=cv2.BORDER_REFLECT)
    around = cv2.sqrBoxFilter(apart, -1, size, borderType=cv2.BORDER_REFLECT)
    faint = _MIN_CONTRAST**2 + _MIN_RELATIVE_CONTRAST**2 * float(np.vdot(apart, apart)) / apart.size
    return np.asarray(apart / np.sqrt(around + np.float32(faint)))


class Alignment(NamedTuple):
    """Templates aligned to parts of an image."""

    planes: NDArray[np.float64]
    """N homographies (N x 3 x 3) from `UNIT_CARD` to each patch."""
    similarity: NDArray[np.float64]
    """N similarities: about 1 if the patch shows the card, about 0 if it shows anything else."""


class TemplateBank:
    """All templates of a deck at one size, each both ways up: 2 k is card k, and 2 k + 1 the same turned."""

    def __init__(self, templates: Sequence[NDArray[np.uint8]], width: int, height: int) -> None:
        """Resize templates (each TEMPLATE_HEIGHT x TEMPLATE_WIDTH or less) to a size in pixels."""
        self.width, self.height = width, height
        rows, columns = np.mgrid[0:height, 0:width]
        x, y = (columns.ravel() + 0.5) / width - 0.5, (rows.ravel() + 0.5) / height - 0.5
        self._places = np.stack([x, y, np.ones_like(x)]).astype(np.float32)
        rim = max(1, round(_RIM * width))
        inside = np.zeros((height, width), np.float32)
        inside[rim:-rim, rim:-rim] = 1
        self.inside = inside.ravel()
        block = (rows * _BLOCKS[1] // height) * _BLOCKS[0] + columns * _BLOCKS[0] // width
        self._block = (block.ravel()[:, None] == np.arange(_BLOCKS[0] * _BLOCKS[1])).astype(np.float32)
        self._block_size = width * height / self._block.shape[1]
        small = [cv2.resize(p, (width, height), interpolation=cv2.INTER_AREA) for p in templates]
        ways = [way.astype(np.float32) for p in small for way in (p, cv2.rotate(p, cv2.ROTATE_180))]
        self.cards = np.stack([local_contrast(way, width).ravel() for way in ways]) * self.inside
        slopes = np.stack([self._slopes(card.reshape(height, width)) for card in self.cards])
        self._slope = slopes
        self._curvature = np.stack(
            [[((part[:, None] * slope).T @ slope).ravel() for part in self._block.T] for slope in slopes]
        )

    def _slopes(self, card: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the derivatives of a template by the eight entries of a homography (pixels x 8)."""
        across, down = (
            np.gradient(card, axis=1).ravel() * self.width,
            np.gradient(card, axis=0).ravel() * self.height,
        )
        x, y = self._places[:2]
        along = across * x + down * y
        patches = [across * x, across * y, across, down * x, down * y, down, -along * x, -along * y]
        return np.stack(patches, axis=1).astype(np.float32)

    def sample(
        self, patches: Sequence[NDArray[np.float32]], planes: NDArray[np.float64]
    ) -> NDArray[np.float32]:
        """Return the local contrast of patches under homographies (N x 3 x 3): N x pixels of a template."""
        x, y, depth = np.moveaxis(planes.astype(np.float32) @ self._places, 1, 0)
        depth = np.maximum(depth, np.float32(1e-3))
        columns, rows = ((axis / depth).reshape(-1, self.height, self.width) for axis in (x, y))
        flat = [
            cv2.remap(part, column, row, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
            for part, column, row in zip(patches, columns, rows, strict=True)
        ]
        return (
            np.stack([local_contrast(np.asarray(one, np.float32), self.width).ravel() for one in flat])
            * self.inside
        )

    def similarities(self, seen: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return the similarity of samples (N x pixels) to every template (N x templates), 1 for the same."""
        shared = 2 * seen @ self.cards.T
        energy = np.einsum("np,np->n", seen, seen)[:, None] + np.einsum("kp,kp->k", self.cards, self.cards)
        return np.asarray(shared / np.maximum(energy, 1e-3), np.float64)

    def _agreement(
        self, seen: NDArray[np.float32], which: NDArray[np.intp]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the similarity of samples to the templates `which` (N), and that of each block."""
        cards = self.cards[which]
        shared = (seen * cards) @ self._block
        energy = 0.5 * (seen * seen + cards * cards) @ self._block
        likeness = shared.sum(axis=1) / np.maximum(energy.sum(axis=1), 1e-3)
        return likeness.astype(np.float64), shared / (energy + _EMPTY_BLOCK_ENERGY * self._block_size)

    def align(
        self,
        patches: Sequence[NDArray[np.float32]],
        planes: NDArray[np.float64],
        which: NDArray[np.intp],
        steps: int,
    ) -> Alignment:
        """Return the templates `which` (N) aligned to patches, starting from homographies `planes`.

        Args:
            patches: The patch of each template, N.
            planes: N x 3 x 3, from `UNIT_CARD` to each patch.
            which: Numbers of the templates, N.
            steps: Gauss-Newton steps; the best result of all steps is returned.
        """
        best = Alignment(planes.copy(), np.full(len(planes), -np.inf))
        for step in range(steps + 1):
            seen = self.sample(patches, planes)
            likeness, blocks = self._agreement(seen, which)
            better = likeness > best.similarity
            best.planes[better], best.similarity[better] = planes[better], likeness[better]
            if step < steps:
                planes = _moved(planes, self._step(seen, which, np.clip(blocks, _MIN_BLOCK_WEIGHT, 1)))
        return best

    def _step(
        self, seen: NDArray[np.float32], which: NDArray[np.intp], weights: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the Gauss-Newton step (N x 8) of each homography; `weights` are those of the blocks."""
        apart = (seen - self.cards[which]) * (weights.astype(np.float32) @ self._block.T)
        slope = np.stack([one @ self._slope[k] for one, k in zip(apart, which, strict=True)])
        curvature = (weights[:, None] @ self._curvature[which])[:, 0].reshape(-1, 8, 8)
        own = np.einsum("nii->ni", curvature)
        curvature = (
            curvature + _DAMPING * np.eye(8) * (own + 0.05 * own.mean(axis=1, keepdims=True))[:, :, None]
        )
        curvature += 1e-6 * np.eye(8)
        step = np.linalg.solve(curvature, slope[..., None].astype(np.float64))[..., 0]
        return np.asarray(np.clip(step, -_MAX_STEP, _MAX_STEP))


def _moved(planes: NDArray[np.float64], step: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return homographies (N x 3 x 3) changed by a step (N x 8) in the plane of the card."""
    by = np.concatenate([step, np.zeros((len(step), 1))], axis=1).reshape(-1, 3, 3) + np.eye(3)
    moved = planes @ np.linalg.inv(by)
    return np.asarray(moved / moved[:, 2:, 2:])


@dataclass(frozen=True, eq=False)
class CardTemplates:
    """The templates of a deck, at low and at high resolution."""

    cards: tuple[str, ...]
    coarse: TemplateBank
    fine: TemplateBank

    @classmethod
    def build(cls, cards: Sequence[str], templates: NDArray[np.uint8]) -> CardTemplates:
        """Return the templates of cards (N x TEMPLATE_HEIGHT x TEMPLATE_WIDTH) at both resolutions."""
        halves = [
            np.asarray(cv2.resize(p, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)) for p in templates
        ]
        return cls(tuple(cards), TemplateBank(halves, 15, 21), TemplateBank(halves, 30, 42))
