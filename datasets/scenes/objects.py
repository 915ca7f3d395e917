"""Objects on or over cards: hands and arms, glasses, coins, phones, pens."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.surfaces import random_colour

Picture = NDArray[np.float32]
Floats = NDArray[np.floating]
Mask = NDArray[np.uint8]
"""Coverage of an object: 255 where it hides the table completely."""
_BRASS = np.array((90, 140, 170), np.float32)


def _capsule(mask: Mask, start: Floats, end: Floats, width: float) -> None:
    ends = np.round(start).astype(int).tolist(), np.round(end).astype(int).tolist()
    cv2.line(mask, *ends, (255,), max(1, round(width)), cv2.LINE_AA)


def _blend(picture: Picture, mask: Mask, colour: Floats, strength: float = 1.0) -> None:
    share = mask.astype(np.float32)[..., None] / 255 * strength
    picture += (np.float32(colour) - picture) * share


def _shade(mask: Mask, unit: float) -> Picture:
    """Return the brightness (height x width x 1) of a shape, darker towards its edge, so it looks round."""
    inside = cv2.distanceTransform((mask > 127).astype(np.uint8), cv2.DIST_L2, 3)
    return np.asarray(0.6 + 0.4 * np.clip(inside / (4 * unit), 0, 1), np.float32)[..., None]


def _cast_shadow(picture: Picture, mask: Mask, rng: np.random.Generator, unit: float) -> None:
    dx, dy = rng.normal(0, 8 * unit, 2)
    shifted = cv2.warpAffine(mask, np.array([[1, 0, dx], [0, 1, dy]]), (mask.shape[1], mask.shape[0]))
    soft = cv2.GaussianBlur(shifted, (0, 0), max(0.8, 5 * unit)).astype(np.float32)[..., None] / 255
    picture *= 1 - np.float32(rng.uniform(0.2, 0.6)) * soft


def draw_hand(picture: Picture, rng: np.random.Generator, unit: float) -> Mask:
    """Draw an arm from the edge of the picture, and its hand. `unit` is pixels per millimetre."""
    size = picture.shape[0]
    arm, sleeve = np.zeros((size, size), np.uint8), np.zeros((size, size), np.uint8)
    palm = rng.uniform(0.1, 0.9, 2) * size
    side = rng.uniform(0, 2 * np.pi)
    elbow = palm + np.array([np.cos(side), np.sin(side)]) * size * 1.6
    inwards = (palm - elbow) / np.linalg.norm(palm - elbow)
    across = np.array([-inwards[1], inwards[0]])
    grow = unit * rng.uniform(0.8, 1.2)
    wrist = palm - inwards * 65 * grow
    _capsule(arm, elbow, wrist, 58 * grow)
    _capsule(arm, wrist, palm, 72 * grow)
    curl = rng.uniform(0.4, 1.0)
    for i in range(4):  # fingers
        base = palm + across * (i - 1.5) * 20 * grow + inwards * 18 * grow
        spread = inwards + across * (i - 1.5) * rng.uniform(0, 0.25)
        _capsule(arm, base, base + spread * rng.uniform(50, 78) * grow * curl, 18 * grow)
    hand_side = 1 if rng.random() < 0.5 else -1
    thumb = palm + across * hand_side * 32 * grow
    _capsule(arm, palm, thumb, 28 * grow)
    _capsule(arm, thumb, thumb + (inwards + across * hand_side * 0.4) * 42 * grow, 21 * grow)
    _cast_shadow(picture, arm, rng, unit)
    skin = np.array(
        [(120, 155, 215), (95, 130, 190), (60, 90, 145), (35, 55, 95), (150, 175, 230)], np.float32
    )
    tone = skin[int(rng.integers(5))] * np.float32(rng.uniform(0.8, 1.15))
    _blend(picture, arm, tone * _shade(arm, unit) + rng.normal(0, 5, (size, size, 1)))
    if rng.random() < 0.6:
        cuff = wrist - inwards * rng.uniform(0, 120) * grow
        _capsule(sleeve, elbow, cuff, rng.uniform(75, 110) * grow)
        _blend(picture, sleeve, random_colour(rng) * _shade(sleeve, unit))
        arm = np.maximum(arm, sleeve)
    return arm


def draw_glass(picture: Picture, rng: np.random.Generator, unit: float) -> Mask:
    """Draw a drink from above: rim, content, reflections."""
    size = picture.shape[0]
    centre, radius = (
        (rng.uniform(0, 1, 2) * size).astype(int).tolist(),
        max(2, int(rng.uniform(28, 45) * unit)),
    )
    mask = np.zeros((size, size), np.uint8)
    cv2.circle(mask, centre, radius, (255,), -1, cv2.LINE_AA)
    _cast_shadow(picture, mask, rng, unit)
    _blend(picture, mask, random_colour(rng), rng.uniform(0.4, 1.0))
    rim = random_colour(rng, 0.3).tolist()
    cv2.circle(picture, centre, radius, rim, max(1, int(2 * unit)), cv2.LINE_AA)
    cv2.circle(picture, centre, int(radius * rng.uniform(0.5, 0.9)), rim, max(1, int(unit)), cv2.LINE_AA)
    start = rng.uniform(0, 360)
    axes = (int(radius * 0.8),) * 2
    cv2.ellipse(
        picture, centre, axes, 0, start, start + 50, (250, 250, 250), max(1, int(2 * unit)), cv2.LINE_AA
    )
    return mask


def draw_coins(picture: Picture, rng: np.random.Generator, unit: float) -> Mask:
    """Draw coins or chips, scattered around one point."""
    size = picture.shape[0]
    mask = np.zeros((size, size), np.uint8)
    heart = rng.uniform(0.1, 0.9, 2) * size
    for _ in range(int(rng.integers(1, 8))):
        centre = (heart + rng.normal(0, 40 * unit, 2)).astype(int).tolist()
        radius = max(1, int(rng.uniform(9, 20) * unit))
        colour = random_colour(rng) if rng.random() < 0.5 else _BRASS * rng.uniform(0.6, 1.4)
        cv2.circle(picture, centre, radius, colour.tolist(), -1, cv2.LINE_AA)
        edge = (colour * np.float32(0.6)).tolist()
        cv2.circle(picture, centre, max(1, int(radius * 0.75)), edge, max(1, int(unit)), cv2.LINE_AA)
        cv2.circle(mask, centre, radius, (255,), -1)
    return mask


def draw_slab(picture: Picture, rng: np.random.Generator, unit: float) -> Mask:
    """Draw a phone, a wallet or a packet: a rounded dark or coloured block."""
    size = picture.shape[0]
    mask = np.zeros((size, size), np.uint8)
    width, height = rng.uniform(55, 85) * unit, rng.uniform(90, 165) * unit
    centre = rng.uniform(0, 1, 2) * size
    box = cv2.boxPoints((centre.tolist(), (width * 0.85, height * 0.9), rng.uniform(0, 180)))
    points = [np.round(box).astype(np.int32)]
    cv2.fillPoly(mask, points, (255,), cv2.LINE_AA)
    cv2.polylines(mask, points, True, (255,), max(1, int(width * 0.15)), cv2.LINE_AA)
    _cast_shadow(picture, mask, rng, unit)
    colour = random_colour(rng) * np.float32(rng.choice([0.25, 1.0]))
    _blend(picture, mask, colour * _shade(mask, unit * 0.5))
    if rng.random() < 0.5:
        inner = [np.round(centre + (box - centre) * rng.uniform(0.6, 0.95)).astype(np.int32)]
        cv2.fillPoly(picture, inner, random_colour(rng).tolist(), cv2.LINE_AA)
    return mask


def draw_pen(picture: Picture, rng: np.random.Generator, unit: float) -> Mask:
    """Draw a pen, a cable or a straw."""
    size = picture.shape[0]
    mask = np.zeros((size, size), np.uint8)
    start, turn = rng.uniform(0, 1, 2) * size, rng.uniform(0, 2 * np.pi)
    end = start + np.array([np.cos(turn), np.sin(turn)]) * rng.uniform(100, 250) * unit
    _capsule(mask, start, end, rng.uniform(4, 11) * unit)
    _cast_shadow(picture, mask, rng, unit * 0.3)
    _blend(picture, mask, random_colour(rng))
    return mask


DrawObject = Callable[[Picture, np.random.Generator, float], Mask]
"""Draws an object into a picture, with the pixels per mm, and returns its coverage."""
OBJECTS: tuple[tuple[DrawObject, float], ...] = (
    (draw_hand, 0.3),
    (draw_glass, 0.15),
    (draw_coins, 0.15),
    (draw_slab, 0.15),
    (draw_pen, 0.08),
)
"""Each object, and the share of the scenes with one."""
