"""The table top, the floor around it and the lamp."""

from __future__ import annotations

import random
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.films.geometry import Camera, Pose
from datasets.films.layers import Image, Light
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
"""Textures of the photo folder that a table may be covered with; the part of the name before the number."""
_IRREGULAR = ("Wood", "Marble", "Cork", "Plastic", "Granite")
"""Materials whose repeats would give them away; woven and laid ones repeat by nature."""
LIGHTS = ("day", "lamp", "evening", "dim")
_TEXTURE_MM = 190.0
"""What one tile of texture covers."""


@dataclass(frozen=True, slots=True)
class Surface:
    """What the table is covered with."""

    name: str
    texture: Image
    regular: bool
    """It may be seen to repeat."""


@dataclass(frozen=True, slots=True)
class LightSpec:
    """One kind of light."""

    level: float
    """Brightness, 1 shows a white card just under white."""
    warmth: float
    """0 is daylight, 1 is candle light."""
    fall_off: float
    """How much darker the far corner of the table is, as a share."""
    darkness: float
    softness: float
    noise: float
    """Standard deviation of the sensor noise in grey levels."""
    gloss: float
    """The most grey levels that a card mirrors of the lamp."""


LIGHT_SPECS = {
    "day": LightSpec(1.0, 0.05, 0.18, 0.34, 0.55, 1.6, 18.0),
    "lamp": LightSpec(0.92, 0.35, 0.36, 0.55, 0.22, 2.2, 60.0),
    "evening": LightSpec(0.8, 0.55, 0.42, 0.48, 0.35, 3.4, 40.0),
    "dim": LightSpec(0.62, 0.4, 0.40, 0.40, 0.45, 5.5, 15.0),
}


def surface_names() -> list[str]:
    """Return the names of the photographed table surfaces, none where the photo folder is missing."""
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
        rng: Chooses where `name` leaves a choice.

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
    """Cut off the white strips that some of the textures are padded with."""
    white = texture.min(axis=2) >= 252
    rows = np.flatnonzero(white.mean(axis=1) < 0.98)
    columns = np.flatnonzero(white.mean(axis=0) < 0.98)
    if len(rows) < 32 or len(columns) < 32:  # a white surface
        return texture
    return np.ascontiguousarray(texture[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1])


def _seamless(texture: Image, cut: int = 5, overlap: int = 14) -> Image:
    """Cut off the rim, where compression stains it, and fade what is left into itself so that it repeats."""
    tile = texture[cut:-cut, cut:-cut].astype(np.float32)
    for _ in range(2):  # columns, then rows
        ramp = np.linspace(0.0, 1.0, overlap, dtype=np.float32)[None, :, None]
        tile[:, :overlap] = tile[:, :overlap] * ramp + tile[:, -overlap:] * (1.0 - ramp)
        tile = tile[:, :-overlap].transpose(1, 0, 2)
    return _bytes(tile)


def make_light(name: str, camera: Camera, table: tuple[float, float], rng: random.Random) -> Light:
    """Hang the lamp: a smooth gain over the picture and where shadows fall."""
    spec = LIGHT_SPECS[name]
    width, height = camera.width, camera.height
    lamp_x, lamp_y = rng.uniform(-0.4, 0.4) * table[0], rng.uniform(-0.6, 0.3) * table[1]
    step = 8
    ys, xs = np.mgrid[0 : height : step * 1.0, 0 : width : step * 1.0]
    inverse = np.linalg.inv(camera.plane(0.0))
    points = np.stack([xs, ys, np.ones_like(xs)], axis=-1) @ inverse.T
    points = points[..., :2] / points[..., 2:]
    away = ((points[..., 0] - lamp_x) / table[0]) ** 2 + ((points[..., 1] - lamp_y) / table[1]) ** 2
    gain = 1.0 / (1.0 + spec.fall_off * away * 1.6)
    corner = ((xs / width - 0.5) ** 2 + (ys / height - 0.5) ** 2) / 0.5
    gain *= 1.0 - 0.16 * corner
    level = spec.level * rng.uniform(0.93, 1.05)
    warm = spec.warmth * rng.uniform(0.7, 1.2)
    colour = np.array([1.0 - 0.34 * warm, 1.0 - 0.10 * warm, 1.0 + 0.02 * warm])
    small = np.clip(gain[..., None] * colour * level * 128.0, 0, 255).astype(np.float32)
    full = cv2.resize(small, (width, height), interpolation=cv2.INTER_LINEAR)
    lean = np.array([-lamp_x, -lamp_y]) / 700.0
    return Light(
        gain=_bytes(np.round(full)),
        gloss=_gloss(spec, camera, rng),
        shadow=(float(lean[0]), float(lean[1])),
        darkness=spec.darkness,
        softness=spec.softness,
    )


def _gloss(spec: LightSpec, camera: Camera, rng: random.Random) -> Image | None:
    """Return what a varnished card mirrors of the lamp (h x w grey levels to add), None where it is dull."""
    x, y, size = (rng.uniform(0.25, 0.75), rng.uniform(0.2, 0.8), rng.uniform(0.08, 0.2))
    strength = rng.uniform(0.3, 1.0) * spec.gloss
    if rng.random() < 0.4 or strength < 1.0:
        return None
    ys, xs = np.mgrid[0.0 : camera.height : 8.0, 0.0 : camera.width : 8.0]
    away = (
        (xs / camera.width - x) ** 2 + ((ys / camera.width) - y * camera.height / camera.width) ** 2
    ) / size**2
    spot = (strength * np.exp(-away)).astype(np.float32)
    return _bytes(cv2.resize(spot, (camera.width, camera.height), interpolation=cv2.INTER_LINEAR))


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
    for outline, z, colours in ((edge, -25.0, _bytes(top * 0.55)), (corners, 0.0, top)):
        mask = np.zeros(picture.shape[:2], np.uint8)
        pixels = np.round(camera.project(outline, z) * 16.0).astype(np.int32)
        cv2.fillConvexPoly(mask, pixels, 255, cv2.LINE_AA, 4)
        share = mask[..., None].astype(np.float32) / 255.0
        picture = _bytes(picture * (1.0 - share) + colours * share)
    lit = light.lit(picture, (0, 0, camera.width, camera.height))
    return np.asarray(cv2.GaussianBlur(lit, (0, 0), max(blur, 0.3)), dtype=np.uint8)


def _table_top(camera: Camera, surface: Surface, noise: np.random.Generator, rng: random.Random) -> Image:
    """Return the whole picture filled with the table's texture."""
    turned = rng.random() < 0.5
    tile = np.ascontiguousarray(surface.texture.transpose(1, 0, 2)) if turned else surface.texture
    size = (camera.width, camera.height)
    top = _tiled(camera, tile, noise)
    if not surface.regular:  # two tilings, mixed by clouds, hide that each repeats itself
        small = noise.normal(0.0, 1.0, (14, 24)).astype(np.float32)
        clouds = cv2.resize(small, size, interpolation=cv2.INTER_CUBIC)
        share = np.clip(clouds * 2.5 + 0.5, 0.0, 1.0)[..., None]
        top = _bytes(top * share + _tiled(camera, tile, noise) * (1.0 - share))
    fine = noise.normal(0.0, 4.0, (camera.height, camera.width)).astype(np.float32)
    coarse = cv2.resize(
        noise.normal(0.0, 4.0, (9, 16)).astype(np.float32), size, interpolation=cv2.INTER_CUBIC
    )
    grain = cv2.GaussianBlur(fine, (0, 0), 0.8) + coarse
    return _bytes(top + grain[..., None])


def _tiled(camera: Camera, tile: Image, noise: np.random.Generator) -> Image:
    """Return the picture filled with a repeated texture that begins at a random place."""
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
    """Return a blotchy floor, mostly dark, out of the table's light."""
    size = (camera.width, camera.height)
    dark, bright = noise.uniform(18.0, 62.0), noise.uniform(70.0, 130.0)
    base = (bright if noise.random() < 0.25 else dark) * (1.0 + noise.uniform(-0.18, 0.18, 3))
    blotches = cv2.resize(
        noise.normal(0.0, 7.0, (7, 12)).astype(np.float32), size, interpolation=cv2.INTER_CUBIC
    )
    return _bytes(np.maximum(base + blotches[..., None], 2.0))


def _bytes(values: NDArray[np.floating]) -> Image:
    return np.asarray(np.clip(values, 0, 255), dtype=np.uint8)
