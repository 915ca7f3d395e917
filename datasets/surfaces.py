"""Table surfaces drawn by code: plain, felt, gradient, striped, chequered, ornamented, woven, printed."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np
from numpy.typing import NDArray

Texture = NDArray[np.uint8]
"""Height x width x 3, BGR."""

_SIZE = 256


def random_colour(rng: np.random.Generator, saturation: float = 1.0) -> NDArray[np.float32]:
    """Return a BGR colour, 0..255. `saturation` 0 gives greys only."""
    hue, value = rng.uniform(0, 180), 255 * rng.beta(1.1, 1.1)
    colourful = saturation * 255 * rng.beta(1.0, 1.6)
    pixel = np.array([[[hue, colourful, value]]], np.uint8)
    return np.asarray(cv2.cvtColor(pixel, cv2.COLOR_HSV2BGR)[0, 0], np.float32)


def _plain(rng: np.random.Generator) -> NDArray[np.float32]:
    return np.broadcast_to(random_colour(rng), (_SIZE, _SIZE, 3)).astype(np.float32)


def _white(rng: np.random.Generator) -> NDArray[np.float32]:
    """A table as white as a card. Only the edge and the shadow of the card stand out."""
    colour = np.float32(rng.uniform(185, 255)) + rng.uniform(-12, 6, 3)
    return np.broadcast_to(colour, (_SIZE, _SIZE, 3)).astype(np.float32)


def _felt(rng: np.random.Generator) -> NDArray[np.float32]:
    green, blue, red = ((45, 95, 20), (110, 50, 20), (30, 25, 120))
    base = np.array((green, green, blue, red)[int(rng.integers(4))], np.float32) * rng.uniform(0.5, 1.6)
    grain = rng.normal(0, rng.uniform(4, 16), (_SIZE, _SIZE, 1)).astype(np.float32)
    return base + cv2.GaussianBlur(grain, (0, 0), 0.8)[..., None] * 2


def _stripes(rng: np.random.Generator) -> NDArray[np.float32]:
    colours = np.stack([random_colour(rng) for _ in range(int(rng.integers(2, 5)))])
    edges = np.sort(rng.integers(0, _SIZE, int(rng.integers(3, 24))))
    band = np.searchsorted(edges, np.arange(_SIZE)) % len(colours)
    pattern: NDArray[np.float32] = np.broadcast_to(colours[band][None], (_SIZE, _SIZE, 3)).astype(np.float32)
    if rng.random() < 0.4:  # tartan: the same bands across
        pattern = (pattern + pattern.transpose(1, 0, 2)) / np.float32(2)
    return pattern


def _chequers(rng: np.random.Generator) -> NDArray[np.float32]:
    cell = int(rng.choice([8, 16, 32, 64]))
    row, column = np.indices((_SIZE, _SIZE)) // cell
    colours = np.stack([random_colour(rng), random_colour(rng)])
    return np.asarray(colours[(row + column) % 2], np.float32)


def _ornaments(rng: np.random.Generator) -> NDArray[np.float32]:
    """Line figures repeated on a grid, as on printed cloth and playing mats."""
    cell = int(rng.choice([32, 64, 128]))
    tile = np.broadcast_to(random_colour(rng), (cell, cell, 3)).astype(np.float32).copy()
    for _ in range(int(rng.integers(2, 7))):
        colour = random_colour(rng).tolist()
        start, end = rng.integers(0, cell, 2).tolist(), rng.integers(0, cell, 2).tolist()
        width = int(rng.integers(1, 5))
        if rng.random() < 0.6:
            cv2.line(tile, start, end, colour, width, cv2.LINE_AA)
        else:
            cv2.circle(tile, start, int(rng.integers(3, cell // 2)), colour, width, cv2.LINE_AA)
    if rng.random() < 0.7:
        tile = np.concatenate([tile, tile[:, ::-1]], 1)
        tile = np.concatenate([tile, tile[::-1]], 0)
    repeats = _SIZE // tile.shape[0]
    return np.tile(tile, (repeats, repeats, 1))


def _grain(rng: np.random.Generator) -> NDArray[np.float32]:
    """Noise stretched along one direction: wood, brushed plastic, woven threads."""
    noise = rng.normal(0, 1, (_SIZE, _SIZE)).astype(np.float32)
    threads = cv2.GaussianBlur(noise, (0, 0), sigmaX=rng.uniform(4, 30), sigmaY=rng.uniform(0.5, 3))
    contrast = rng.uniform(5, 28) / (float(threads.std()) + 1e-6)
    return np.asarray(random_colour(rng) + threads[..., None] * contrast, np.float32)


_STYLES: tuple[Callable[[np.random.Generator], NDArray[np.float32]], ...] = (
    _plain,
    _white,
    _white,
    _felt,
    _stripes,
    _chequers,
    _ornaments,
    _ornaments,
    _grain,
)


def drawn_surface(rng: np.random.Generator) -> Texture:
    """Return one drawn surface, 256 x 256 x 3, BGR; the same for the same state of `rng`."""
    style = _STYLES[int(rng.integers(len(_STYLES)))]
    picture = style(rng) + rng.normal(0, rng.uniform(0, 4), (_SIZE, _SIZE, 1))
    return np.clip(picture, 0, 255).astype(np.uint8)
