"""The table top and the floor around it."""

from __future__ import annotations

import random
from dataclasses import dataclass

import cv2
import numpy as np

from datasets.films.geometry import Camera, Pose
from datasets.films.rendering.layers import Image, as_bytes
from datasets.films.rendering.light import Light
from datasets.photos import photos_root, read_image
from datasets.surfaces import drawn_surface
from engine.errors import BadInputError

TABLE_MATERIALS = (
    "Wood",
    "Planks",
    "Fabric",
    "Bamboo",
    "Cork",
    "Marble",
    "Plastic",
    "Carpet",
    "Tatami",
    "Granite",
)
"""Textures of the photo folder that suit a table: the part of their names before the number."""
_IRREGULAR = ("Wood", "Marble", "Cork", "Plastic", "Granite")
"""Materials that do not repeat in nature, as woven and laid ones do."""
_TEXTURE_MM = 190.0
"""Side of one tile of texture on the table."""


@dataclass(frozen=True, slots=True)
class Surface:
    """The surface of the table."""

    name: str
    texture: Image
    regular: bool
    """Whether its pattern may visibly repeat."""


def surface_names() -> list[str]:
    """Return the names of the photographed table surfaces, or none without the photo folder."""
    root = photos_root()
    if root is None:
        return []
    return sorted(
        path.stem
        for path in (root / "textures_cc0").glob("*.jpg")
        if path.stem.split("_")[0] in TABLE_MATERIALS
    )


def load_surface(name: str, rng: random.Random) -> Surface:
    """Return a table surface.

    Args:
        name: One of `surface_names()`, `drawn`, or `any`.
        rng: Chooses if `name` is `any`, and draws if it is `drawn`.

    Raises:
        BadInputError: There is no such surface.
    """
    root, names = photos_root(), surface_names()
    if name == "any":
        name = rng.choice(names) if names else "drawn"
    if name == "drawn":
        texture = drawn_surface(np.random.default_rng(rng.randrange(1 << 30)))
        return Surface(name, np.asarray(texture, dtype=np.uint8), regular=True)
    if root is None or name not in names:
        raise BadInputError(
            f"surface {name!r}: not one of {len(names)} textures in the photo folder, nor `drawn`, nor `any`"
        )
    texture = _seamless(_without_border(read_image(root / "textures_cc0" / f"{name}.jpg")))
    return Surface(name, texture, regular=name.split("_")[0] not in _IRREGULAR)


def _without_border(texture: Image) -> Image:
    """Return a texture without the white strips that pad some of them."""
    white = texture.min(axis=2) >= 252
    rows = np.flatnonzero(white.mean(axis=1) < 0.98)
    columns = np.flatnonzero(white.mean(axis=0) < 0.98)
    if len(rows) < 32 or len(columns) < 32:  # a white surface
        return texture
    return np.ascontiguousarray(texture[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1])


def _seamless(texture: Image, cut: int = 5, overlap: int = 14) -> Image:
    """Return a texture without its rim, which compression stains, and blended so that its edges meet."""
    tile = texture[cut:-cut, cut:-cut].astype(np.float32)
    for _ in range(2):  # columns, then rows
        ramp = np.linspace(0.0, 1.0, overlap, dtype=np.float32)[None, :, None]
        tile[:, :overlap] = tile[:, :overlap] * ramp + tile[:, -overlap:] * (1.0 - ramp)
        tile = tile[:, :-overlap].transpose(1, 0, 2)
    return as_bytes(tile)


def draw_empty_table(
    camera: Camera,
    table: tuple[float, float],
    surface: Surface,
    light: Light,
    rng: random.Random,
    blur: float,
) -> Image:
    """Return the picture of the bare table on its floor."""
    noise = np.random.default_rng(rng.randrange(1 << 30))
    picture = _floor(camera, noise)
    top = _table_top(camera, surface, noise, rng)
    corners = Pose(0.0, 0.0).corners(*table)
    edge = Pose(0.0, 0.0).corners(table[0] + 8.0, table[1] + 8.0)
    for outline, z, colours in ((edge, -25.0, as_bytes(top * 0.55)), (corners, 0.0, top)):
        mask = np.zeros(picture.shape[:2], np.uint8)
        pixels = np.round(camera.project(outline, z) * 16.0).astype(np.int32)
        cv2.fillConvexPoly(mask, pixels, 255, cv2.LINE_AA, 4)
        share = mask[..., None].astype(np.float32) / 255.0
        picture = as_bytes(picture * (1.0 - share) + colours * share)
    lit = light.lit(picture, (0, 0, camera.width, camera.height))
    return np.asarray(cv2.GaussianBlur(lit, (0, 0), max(blur, 0.3)), dtype=np.uint8)


def _table_top(camera: Camera, surface: Surface, noise: np.random.Generator, rng: random.Random) -> Image:
    """Return a picture filled with the texture of the table."""
    turned = rng.random() < 0.5
    tile = np.ascontiguousarray(surface.texture.transpose(1, 0, 2)) if turned else surface.texture
    size = (camera.width, camera.height)
    top = _tiled(camera, tile, noise)
    if not surface.regular:  # a cloudy mix of two tilings hides their repeats
        small = noise.normal(0.0, 1.0, (14, 24)).astype(np.float32)
        clouds = cv2.resize(small, size, interpolation=cv2.INTER_CUBIC)
        share = np.clip(clouds * 2.5 + 0.5, 0.0, 1.0)[..., None]
        top = as_bytes(top * share + _tiled(camera, tile, noise) * (1.0 - share))
    fine = noise.normal(0.0, 4.0, (camera.height, camera.width)).astype(np.float32)
    coarse = cv2.resize(
        noise.normal(0.0, 4.0, (9, 16)).astype(np.float32), size, interpolation=cv2.INTER_CUBIC
    )
    grain = cv2.GaussianBlur(fine, (0, 0), 0.8) + coarse
    return as_bytes(top + grain[..., None])


def _tiled(camera: Camera, tile: Image, noise: np.random.Generator) -> Image:
    """Return a picture filled with a repeated texture from a random start."""
    pixels_per_mm = tile.shape[1] / _TEXTURE_MM
    # Mirrored tiles have no seams.
    pair = np.concatenate([tile, tile[:, ::-1]], axis=1)
    quad = np.concatenate([pair, pair[::-1]], axis=0)
    repeats = (
        int(1400 * pixels_per_mm / quad.shape[0]) + 2,
        int(1900 * pixels_per_mm / quad.shape[1]) + 2,
        1,
    )
    sheet = np.tile(quad, repeats)
    scale = 1.0 / pixels_per_mm
    start = noise.uniform(0.35, 0.65, 2) * sheet.shape[1::-1]
    to_mm = np.array([[scale, 0, -start[0] * scale], [0, scale, -start[1] * scale], [0, 0, 1]])
    size = (camera.width, camera.height)
    turned = cv2.warpPerspective(
        sheet, camera.plane(0.0) @ to_mm, size, flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REFLECT
    )
    return np.asarray(turned, dtype=np.uint8)


def _floor(camera: Camera, noise: np.random.Generator) -> Image:
    """Return a blotchy floor, mostly dark, outside the light of the table."""
    size = (camera.width, camera.height)
    dark, bright = noise.uniform(18.0, 62.0), noise.uniform(70.0, 130.0)
    base = (bright if noise.random() < 0.25 else dark) * (1.0 + noise.uniform(-0.18, 0.18, 3))
    blotches = cv2.resize(
        noise.normal(0.0, 7.0, (7, 12)).astype(np.float32), size, interpolation=cv2.INTER_CUBIC
    )
    return as_bytes(np.maximum(base + blotches[..., None], 2.0))
