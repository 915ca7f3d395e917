"""Arms and hands, modelled as tapering rods and lit from above.

The rods are fingers, thumb, palm, wrist, forearm and sleeve. Together they give a height map, and its slope
under a lamp gives light and shade. Coordinates are those of a right hand from above, palm down, in
millimetres. x points to the finger tips and y to the little finger. The origin is the point where finger and
thumb grip a card.
"""

from __future__ import annotations

import functools
import math
import random
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.films.geometry import ArmPose, Camera, Grip
from datasets.films.rendering.layers import Image, Layer, bounds_of, gray3, motion_blur_kernel
from datasets.films.rendering.light import Light

Array = NDArray[np.float32]
"""One value for each pixel."""

PIXELS_PER_MM = 2.0
_BACK_MM, _FRONT_MM, _HALF_MM = 1250.0, 34.0, 84.0
_SLEEVE_FROM_MM = 232.0
_DRAWN_GRIPS = ("hold", "flat", "point")


@dataclass(frozen=True, slots=True)
class Rod:
    """A tapering round rod: the ends of its axis (x, y, z in mm) and their radii (mm)."""

    start: tuple[float, float, float]
    end: tuple[float, float, float]
    radius_start: float
    radius_end: float
    nail: bool = False


@dataclass(frozen=True, slots=True)
class ArmLook:
    """The look of the arm of one person."""

    skin: tuple[float, float, float]
    """BGR, 0 to 255."""
    sleeve: tuple[float, float, float]
    long_sleeve: bool
    stripes: float
    """Contrast of the pattern on the sleeve; 0 is plain."""
    size: float
    """Size of the hand, relative to a large one."""
    right_handed: bool
    grain: int


SKINS = ((178, 201, 236), (150, 181, 226), (128, 160, 209), (96, 130, 184), (66, 94, 145), (48, 68, 108))
SLEEVES = (
    (52, 44, 40), (120, 70, 40), (60, 60, 150), (70, 100, 60), (190, 186, 180), (150, 140, 90),
    (40, 90, 140), (95, 95, 100), (110, 60, 110), (225, 222, 218),
)  # fmt: skip


def random_look(rng: random.Random, right_handed: bool) -> ArmLook:
    """Return the look of a random arm."""
    skin = rng.choice(SKINS)
    return ArmLook(
        skin=(skin[0] * rng.uniform(0.94, 1.05), skin[1] * rng.uniform(0.97, 1.03), skin[2]),
        sleeve=rng.choice(SLEEVES),
        long_sleeve=rng.random() < 0.75,
        stripes=rng.choice([0.0, 0.0, 0.12, 0.3]),
        size=rng.uniform(0.82, 1.02),
        right_handed=right_handed,
        grain=rng.randrange(1 << 30),
    )


def _fingers(grip: Grip) -> list[Rod]:
    """Return the rods of the five fingers."""
    spread = {"hold": 0.75, "flat": 1.45, "point": 0.9}[grip]
    length = {"hold": 1.0, "flat": 1.12, "point": 0.9}[grip]
    knuckles = [(-72, -25, 26), (-67, -6, 28), (-73, 13, 27), (-84, 30, 24)]
    tips = [(2, -9, 7), (9, 5, 7), (-2, 17, 7), (-30, 29, 7)]
    if grip == "point":  # ring and little finger are curled
        tips[2], tips[3] = (-36, 17, 9), (-50, 29, 9)
    radii = [(10.0, 7.3), (10.3, 7.5), (9.8, 7.2), (8.8, 6.3)]
    rods = []
    for (kx, ky, kz), (tx, ty, tz), (thick, thin) in zip(knuckles, tips, radii, strict=True):
        tip_x, tip_y = kx + (tx - kx) * length, ty + ty * (spread - 1.0) * 0.8
        # Two joints above the straight line, because a gripping finger is bent.
        bow = {"hold": 9.0, "flat": 3.0, "point": 12.0}[grip]
        one = (kx + (tip_x - kx) * 0.46, ky + (tip_y - ky) * 0.46, kz + (tz - kz) * 0.40 + bow)
        two = (kx + (tip_x - kx) * 0.76, ky + (tip_y - ky) * 0.76, kz + (tz - kz) * 0.72 + bow * 0.6)
        middle = (thick + thin) / 2.0
        rods += [
            Rod((kx, ky, kz), one, thick, middle),
            Rod(one, two, middle, (middle + thin) / 2.0),
            Rod(two, (tip_x, tip_y, tz), (middle + thin) / 2.0, thin, nail=True),
        ]
    thumb = {"hold": (-26, -30, 6), "flat": (-58, -66, 8), "point": (-16, -22, 6)}[grip]
    joint = (-80, -52, 20) if grip != "flat" else (-92, -58, 20)
    return [*rods, Rod((-132, -26, 22), joint, 15.0, 11.5), Rod(joint, thumb, 11.5, 8.3, nail=True)]


def _palm() -> list[Rod]:
    return [
        Rod((-150, -6, 26), (-76, -24, 26), 23.0, 13.0),
        Rod((-150, 0, 26), (-72, -5, 28), 24.0, 13.5),
        Rod((-150, 4, 26), (-76, 13, 27), 24.0, 13.0),
        Rod((-150, 8, 25), (-88, 28, 24), 23.0, 12.0),
        Rod((-128, -22, 22), (-96, -40, 20), 19.0, 15.0),
        Rod((-190, 0, 27), (-140, 0, 27), 25.0, 28.0),
    ]


def _height_map(rods: list[Rod], xs: Array, ys: Array) -> Array:
    """Return the height (mm) of the upper surface of the rods at each point, -1 without a rod."""
    height = np.full(np.broadcast_shapes(xs.shape, ys.shape), -1.0, np.float32)
    for rod in rods:
        (ax, ay, az), (bx, by, bz) = rod.start, rod.end
        length = max((bx - ax) ** 2 + (by - ay) ** 2, 1e-6)
        along = np.clip(((xs - ax) * (bx - ax) + (ys - ay) * (by - ay)) / length, 0.0, 1.0)
        away = (xs - ax - along * (bx - ax)) ** 2 + (ys - ay - along * (by - ay)) ** 2
        radius = rod.radius_start + along * (rod.radius_end - rod.radius_start)
        inside = radius**2 - away
        top = az + along * (bz - az) + np.sqrt(np.maximum(inside, 0.0))
        height = np.where(inside > 0, np.maximum(height, top), height)
    return height


def _shade(height: Array, soften: float) -> tuple[Array, Array]:
    """Return the light (about 1 on flat parts) and the coverage (0 to 1) of a height map."""
    solid = (height >= 0).astype(np.float32)
    smooth = cv2.GaussianBlur(np.maximum(height, 0.0), (0, 0), soften) * PIXELS_PER_MM
    slope_x = cv2.Sobel(smooth, cv2.CV_32F, 1, 0, ksize=3) / 8.0
    slope_y = cv2.Sobel(smooth, cv2.CV_32F, 0, 1, ksize=3) / 8.0
    steep = np.sqrt(1.0 + slope_x**2 + slope_y**2)
    lamp = (0.30 * slope_x + 0.34 * slope_y + 0.89) / steep
    around = cv2.GaussianBlur(smooth, (0, 0), 9.0)
    hollow = np.clip((around - smooth) / 26.0, 0.0, 0.45)
    light = 0.42 + 0.66 * np.clip(lamp, 0.0, 1.0) - hollow
    return np.asarray(light, np.float32), _blurred(solid, 0.9)


def _blurred(values: Array, sigma: float) -> Array:
    return np.asarray(cv2.GaussianBlur(values, (0, 0), sigma), np.float32)


@functools.lru_cache(maxsize=8)
def _hand_shape(grip: Grip) -> tuple[Array, Array, Array, Array]:
    """Return light, coverage, redness and nails of the bare arm, from the elbow to the finger tips."""
    xs = np.arange(-_BACK_MM, _FRONT_MM, 1.0 / PIXELS_PER_MM, dtype=np.float32)[None]
    ys = np.arange(-_HALF_MM, _HALF_MM, 1.0 / PIXELS_PER_MM, dtype=np.float32)[:, None]
    fingers = _fingers(grip)
    split = int((_BACK_MM - 250.0) * PIXELS_PER_MM)
    arm = [Rod((-420, 0, 32), (-180, 0, 28), 41.0, 27.0), Rod((-1400, 0, 40), (-420, 0, 32), 55.0, 41.0)]
    rear = _height_map(arm, xs[:, :split], ys)
    front = _height_map([*arm, *_palm(), *fingers], xs[:, split:], ys)
    height = np.concatenate([rear, front], axis=1)
    light, coverage = _shade(height, 2.2)
    red, nails = np.zeros_like(height), np.zeros_like(height)
    for rod in fingers:
        for (x, y, _z), radius in ((rod.start, rod.radius_start), (rod.end, rod.radius_end)):
            red += 0.5 * np.exp(-((xs - x) ** 2 + (ys - y) ** 2) / (2.0 * (radius * 0.8) ** 2))
        if rod.nail:
            dx, dy = rod.end[0] - rod.start[0], rod.end[1] - rod.start[1]
            long = math.hypot(dx, dy)
            u = ((xs - rod.end[0]) * dx + (ys - rod.end[1]) * dy) / long
            v = (-(xs - rod.end[0]) * dy + (ys - rod.end[1]) * dx) / long
            across = (v / (rod.radius_end * 0.62)) ** 2
            nails = np.maximum(nails, np.clip(2.2 - 2.0 * (((u + 1.0) / 6.2) ** 2 + across), 0.0, 1.0))
    return light, coverage, np.asarray(np.minimum(red, 1.0), np.float32), _blurred(nails, 0.7)


@functools.lru_cache(maxsize=2)
def _sleeve_shape() -> tuple[Array, Array]:
    """Return light and coverage of a sleeve without folds."""
    xs = np.arange(-_BACK_MM, _FRONT_MM, 1.0 / PIXELS_PER_MM, dtype=np.float32)[None]
    ys = np.arange(-_HALF_MM, _HALF_MM, 1.0 / PIXELS_PER_MM, dtype=np.float32)[:, None]
    rods = [
        Rod((-440, 0, 36), (-_SLEEVE_FROM_MM - 34, 0, 32), 53.0, 41.0),
        Rod((-1400, 0, 44), (-440, 0, 36), 70.0, 53.0),
    ]
    height = _height_map(rods, xs, ys)
    # The end of a cuff is nearly straight.
    edge = -_SLEEVE_FROM_MM - 4.0 * (ys / 40.0) ** 2
    height = np.where(xs > edge, -1.0, height)
    folds = 2.2 * np.sin(xs / 17.0 + 0.05 * ys + 1.5 * np.sin(xs / 61.0)) * np.sin(ys / 19.0 + xs / 130.0)
    folds += 1.6 * np.sin(xs / 31.0 - 0.06 * ys)
    return _shade(np.where(height >= 0, height + folds, -1.0).astype(np.float32), 2.6)


def _grain(shape: tuple[int, int], seed: int, size: float, strength: float) -> Array:
    noise = np.random.default_rng(seed).normal(0.0, 1.0, shape).astype(np.float32)
    noise = _blurred(noise, size)
    return np.asarray(noise / max(float(noise.std()), 1e-6) * strength, np.float32)


@functools.lru_cache(maxsize=16)
def draw_arm(look: ArmLook, grip: Grip) -> Image:
    """Return the picture of an arm, BGRA, premultiplied by alpha, with `PIXELS_PER_MM`."""
    light, coverage, red, nails = _hand_shape(grip)
    skin = np.array(look.skin, np.float32)
    warm = skin * np.array([0.74, 0.80, 1.02], np.float32)
    pale = np.minimum(skin * np.array([1.12, 1.10, 1.06], np.float32) + 12.0, 250.0)
    colour = skin + red[..., None] * (warm - skin) * 0.7
    colour = colour + nails[..., None] * (pale - colour) * 0.75
    mottle = (
        1.0 + _grain(light.shape, look.grain, 6.0, 0.025) + _grain(light.shape, look.grain + 1, 0.9, 0.02)
    )
    # Light passes through skin, so shade is red rather than black.
    dark = np.maximum(light, 0.02)[..., None] ** np.array([1.15, 1.05, 0.85], np.float32)
    picture = np.clip(colour * dark * mottle[..., None], 0, 255)
    alpha = coverage
    if look.long_sleeve:
        sleeve_light, sleeve = _sleeve_shape()
        cloth = (
            np.array(look.sleeve, np.float32)
            * (1.0 + _grain(light.shape, look.grain + 2, 1.0, 0.05))[..., None]
        )
        if look.stripes:
            ys = np.arange(light.shape[0], dtype=np.float32)[:, None, None]
            cloth = cloth * (1.0 + look.stripes * np.sign(np.sin(ys / 6.5)))
        picture = (
            picture * (1.0 - sleeve[..., None])
            + np.clip(cloth * sleeve_light[..., None], 0, 255) * sleeve[..., None]
        )
        alpha = np.maximum(alpha, sleeve)
    whole = np.concatenate([picture * alpha[..., None], alpha[..., None] * 255.0], axis=2).astype(np.uint8)
    return np.ascontiguousarray(whole if look.right_handed else whole[::-1])


class ArmArtist:
    """Draws the arm of one person as layers."""

    def __init__(self, look: ArmLook, camera: Camera, light: Light) -> None:
        """Prepare to draw. Each grip is drawn when it is first needed."""
        self._camera = camera
        self._light = light
        self._look = look

    def _picture(self, grip: Grip) -> Image:
        return draw_arm(self._look, grip if grip in _DRAWN_GRIPS else "hold")

    def _to_table(self, pose: ArmPose, slide: tuple[float, float] = (0.0, 0.0)) -> NDArray[np.float64]:
        """Return the matrix from pixels of the picture to millimetres on the plane of the hand."""
        turn, size = math.radians(pose.heading), self._look.size
        scale = size / PIXELS_PER_MM
        cos, sin = math.cos(turn) * scale, math.sin(turn) * scale
        origin_x, origin_y = _BACK_MM * PIXELS_PER_MM, _HALF_MM * PIXELS_PER_MM
        return np.array(
            [
                [cos, -sin, pose.x + slide[0] - cos * origin_x + sin * origin_y],
                [sin, cos, pose.y + slide[1] - sin * origin_x - cos * origin_y],
                [0.0, 0.0, 1.0],
            ]
        )

    def _outline(self, matrix: NDArray[np.float64], picture: Image) -> NDArray[np.float64]:
        """Return pixels along both edges of the arm, except those near or behind the camera."""
        height, width = picture.shape[:2]
        along = np.linspace(0.0, width, 16)
        points = np.r_[np.c_[along, np.zeros(16)], np.c_[along, np.full(16, float(height))]]
        mapped = np.c_[points, np.ones(32)] @ matrix.T
        before = mapped[:, 2] > 0.08 * mapped[:, 2].max()
        return np.asarray(mapped[before, :2] / mapped[before, 2:])

    def shadow(self, pose: ArmPose) -> Layer | None:
        """Return the shadow of the arm on the table, or None if it is outside the picture."""
        picture, camera, light = self._picture(pose.grip), self._camera, self._light
        height = pose.z + 18.0
        slide = (light.shadow[0] * height, light.shadow[1] * height)
        matrix = camera.plane(0.0) @ self._to_table(pose, slide)
        blur = (2.0 + light.softness * height) * camera.scale()
        rect = bounds_of(self._outline(matrix, picture), 3.0 * blur, camera.width, camera.height)
        x0, y0, x1, y1 = rect
        if x1 - x0 < 8 or y1 - y0 < 8:
            return None
        # A shadow is soft, so a resolution of one eighth is enough.
        step = 8.0
        size = (max(1, math.ceil((x1 - x0) / step)), max(1, math.ceil((y1 - y0) / step)))
        shrink = np.array([[1 / step, 0, -x0 / step], [0, 1 / step, -y0 / step], [0, 0, 1]])
        alpha = cv2.warpPerspective(picture[:, :, 3], shrink @ matrix, size, flags=cv2.INTER_LINEAR)
        alpha = cv2.GaussianBlur(alpha, (0, 0), max(0.4, blur / step))
        alpha = cv2.resize(
            alpha, (round(size[0] * step), round(size[1] * step)), interpolation=cv2.INTER_LINEAR
        )
        keep = 255 - np.asarray(alpha[: y1 - y0, : x1 - x0] * (light.darkness * 0.8), np.uint8)
        return Layer(x0, y0, gray3(keep), np.zeros((*keep.shape, 3), np.uint8))

    def layer(self, pose: ArmPose, motion: tuple[float, float] = (0.0, 0.0)) -> Layer | None:
        """Return the arm as a layer, or None; `motion` is its motion (mm) while the shutter is open."""
        picture, camera = self._picture(pose.grip), self._camera
        matrix = camera.plane(pose.z) @ self._to_table(pose)
        rect = bounds_of(self._outline(matrix, picture), 12.0, camera.width, camera.height)
        x0, y0, x1, y1 = rect
        if x1 - x0 < 4 or y1 - y0 < 4:
            return None
        streak = math.hypot(*motion) * camera.scale()
        step = 2 if streak > 5.0 else 1
        size = (math.ceil((x1 - x0) / step), math.ceil((y1 - y0) / step))
        shrink = np.array([[1 / step, 0, -x0 / step], [0, 1 / step, -y0 / step], [0, 0, 1]])
        warped = cv2.warpPerspective(picture, shrink @ matrix, size, flags=cv2.INTER_LINEAR)
        if step > 1:
            kernel = motion_blur_kernel(motion, streak / step)
            warped = cv2.filter2D(warped, -1, kernel)
            warped = cv2.resize(warped, (size[0] * step, size[1] * step))[: y1 - y0, : x1 - x0]
        add = self._light.lit(np.ascontiguousarray(warped[:, :, :3]), rect)
        return Layer(x0, y0, gray3(np.asarray(255 - warped[:, :, 3], np.uint8)), add)
