"""The bare table of a scene, drawn as a flat plan: floor, table top, mat, print, sheets, coasters."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.surfaces import random_colour
from vision.geometry import CARD_HEIGHT_MM, CARD_WIDTH_MM

PLAN_SIZE = 1000
"""Side of a plan, in pixels."""
PLAN_VIEWS = 2.6
"""Width of a plan, in widths of the view."""
_WORDS = ("BLACK JACK", "CASINO", "POKER", "21", "BEER", "Menu", "ALE", "1984", "PALACE", "A", "K", "7", "10")

Plan = NDArray[np.uint8]


def _tiled(texture: NDArray[np.uint8], rng: np.random.Generator) -> Plan:
    """Return a plan covered with a texture at a random scale, turn and tint."""
    side = int(rng.uniform(120, 900))
    tile = cv2.resize(texture, (side, side), interpolation=cv2.INTER_AREA if side < 128 else cv2.INTER_CUBIC)
    tile = np.rot90(tile, int(rng.integers(4)))
    if rng.random() < 0.6:
        tile = tile * np.float32(rng.uniform(0.6, 1.3, 3)) + np.float32(rng.uniform(-15, 15))
    if rng.random() < 0.3:
        mean = float(tile.mean())
        tile = (tile - np.float32(mean)) * np.float32(rng.uniform(0.2, 1.2)) + np.float32(
            mean * rng.uniform(0.4, 1.6)
        )
    tile = np.clip(tile, 0, 255).astype(np.uint8)
    # Mirrored tiles have no seams.
    tile = np.concatenate([tile, tile[:, ::-1]], 1)
    tile = np.concatenate([tile, tile[::-1]], 0)
    repeats = -(-PLAN_SIZE // tile.shape[0])
    return np.asarray(np.tile(tile, (repeats, repeats, 1))[:PLAN_SIZE, :PLAN_SIZE], np.uint8)


def _turned_rectangle(x: float, y: float, width: float, height: float, angle: float) -> NDArray[np.int32]:
    box = cv2.boxPoints(((x, y), (width, height), float(np.degrees(angle))))
    return np.asarray(np.round(box), np.int32)


def _spot(
    plan: Plan,
    rng: np.random.Generator,
    at: tuple[float, float],
    size: float,
    angle: float,
    colour: list[float],
) -> None:
    """Print a disc, a lozenge or a heart."""
    shape, (x, y) = int(rng.integers(3)), at
    if shape == 0:
        cv2.circle(plan, (int(x), int(y)), max(1, int(size)), colour, -1, cv2.LINE_AA)
        return
    outline = [[0, -1], [0.75, 0], [0, 1], [-0.75, 0]]
    if shape == 2:
        outline = [
            [0, 1],
            [-1, -0.1],
            [-0.9, -0.7],
            [-0.4, -0.9],
            [0, -0.5],
            [0.4, -0.9],
            [0.9, -0.7],
            [1, -0.1],
        ]
    cos, sin = np.cos(angle), np.sin(angle)
    points = np.array(outline) * size @ np.array([[cos, sin], [-sin, cos]]) + (x, y)
    cv2.fillPoly(plan, [np.round(points).astype(np.int32)], colour, cv2.LINE_AA)


def _printed(plan: Plan, rng: np.random.Generator, scale: float, angle: float) -> None:
    """Print outlines of card size, words and spots like suits, as on a mat. They are no cards."""
    centre = PLAN_SIZE / 2
    colour = random_colour(rng, 0.5).tolist()
    width = max(1, round(rng.uniform(0.4, 2.5) * scale))
    across = np.array([np.cos(angle), np.sin(angle)])
    start = rng.uniform(-0.3, 0.3, 2) * PLAN_SIZE + centre
    grow, spotted, filled = rng.uniform(0.95, 1.25), rng.random() < 0.5, rng.random() < 0.25
    spot, ground = random_colour(rng).tolist(), random_colour(rng).tolist()
    step = (CARD_WIDTH_MM + rng.uniform(4, 30)) * scale
    for i in range(int(rng.integers(1, 9))):
        x, y = start + across * (i - 3) * step
        box = _turned_rectangle(x, y, CARD_WIDTH_MM * scale * grow, CARD_HEIGHT_MM * scale * grow, angle)
        if filled:
            cv2.fillPoly(plan, [box], ground, cv2.LINE_AA)
        cv2.polylines(plan, [box], True, colour, width, cv2.LINE_AA)
        if spotted:
            _spot(plan, rng, (x, y), rng.uniform(8, 24) * scale, angle, spot)
    for _ in range(int(rng.integers(0, 3))):
        at = (rng.uniform(0.25, 0.75, 2) * PLAN_SIZE).astype(int).tolist()
        word, size = str(rng.choice(_WORDS)), rng.uniform(0.5, 2.5) * scale / 0.7
        cv2.putText(plan, word, at, cv2.FONT_HERSHEY_COMPLEX, size, colour, width + 1, cv2.LINE_AA)


def _sheet(plan: Plan, rng: np.random.Generator, scale: float) -> None:
    """Draw a sheet of paper or a printed box, which often look like cards."""
    x, y = rng.uniform(0.2, 0.8, 2) * PLAN_SIZE
    width, height, angle = rng.uniform(60, 300) * scale, rng.uniform(60, 300) * scale, rng.uniform(0, np.pi)
    colour = np.float32(rng.uniform(190, 255, 3)) if rng.random() < 0.6 else random_colour(rng)
    cv2.fillPoly(plan, [_turned_rectangle(x, y, width, height, angle)], colour.tolist(), cv2.LINE_AA)
    ink = (colour * np.float32(rng.uniform(0.1, 0.7))).tolist()
    along, down = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
    for i in range(int(rng.integers(0, 10))):  # lines of writing
        middle = np.array([x, y]) + down * (i / 10 - 0.45) * height
        start, end = middle - along * width * 0.4, middle + along * width * rng.uniform(-0.2, 0.42)
        ends = start.astype(int).tolist(), end.astype(int).tolist()
        cv2.line(plan, *ends, ink, max(1, int(rng.uniform(0.5, 3) * scale)), cv2.LINE_AA)


def _coaster(plan: Plan, rng: np.random.Generator, scale: float) -> None:
    """Draw a beer mat: round, or square and wider than a card."""
    x, y = (rng.uniform(0.2, 0.8, 2) * PLAN_SIZE).tolist()
    side = rng.uniform(85, 110) * scale
    ground, ink = random_colour(rng).tolist(), random_colour(rng).tolist()
    if rng.random() < 0.5:
        cv2.circle(plan, (int(x), int(y)), int(side / 2), ground, -1, cv2.LINE_AA)
    else:
        cv2.fillPoly(plan, [_turned_rectangle(x, y, side, side, rng.uniform(0, np.pi))], ground, cv2.LINE_AA)
    cv2.circle(
        plan, (int(x), int(y)), int(side * rng.uniform(0.15, 0.4)), ink, int(rng.choice([-1, 2])), cv2.LINE_AA
    )
    cv2.putText(
        plan, str(rng.choice(_WORDS)), (int(x - side / 3), int(y)), 0, side / 160, ink, 2, cv2.LINE_AA
    )


def random_plan(
    rng: np.random.Generator, textures: Sequence[NDArray[np.uint8]], view_mm: float
) -> tuple[Plan, NDArray[np.float64]]:
    """Return the plan of a table, BGR, and the 3 x 3 map from millimetres to pixels of the plan."""
    scale = PLAN_SIZE / (PLAN_VIEWS * view_mm)
    plan = _tiled(textures[int(rng.integers(len(textures)))], rng)
    angle = rng.uniform(0, np.pi)
    for share, low, high in (
        (0.35, 0.35, 1.0),
        (0.3, 0.3, 0.8),
    ):  # a table top on the floor, a mat on the table
        if rng.random() > share:
            continue
        top = _tiled(textures[int(rng.integers(len(textures)))], rng)
        mask = np.zeros((PLAN_SIZE, PLAN_SIZE), np.uint8)
        x, y = PLAN_SIZE * rng.uniform(0.4, 0.6, 2)
        width, height = PLAN_SIZE * rng.uniform(low, high, 2)
        if rng.random() < 0.2:
            cv2.ellipse(mask, ((x, y), (width, height), float(np.degrees(angle))), (255,), -1, cv2.LINE_AA)
        else:
            cv2.fillPoly(mask, [_turned_rectangle(x, y, width, height, angle)], (255,), cv2.LINE_AA)
        plan = np.where(mask[..., None] > 127, top, plan)
        if rng.random() < 0.5:
            edges = cv2.Canny(mask, 50, 150)
            edges = cv2.dilate(edges, np.ones((int(rng.integers(2, 7)),) * 2, np.uint8))
            plan[edges > 0] = random_colour(rng)
    plan = np.ascontiguousarray(plan)
    if rng.random() < 0.45:
        _printed(plan, rng, scale, angle)
    for draw, share in ((_sheet, 0.2), (_coaster, 0.15)):
        if rng.random() < share:
            for _ in range(int(rng.integers(1, 4))):
                draw(plan, rng, scale)
    to_plan = np.array([[scale, 0, PLAN_SIZE / 2], [0, scale, PLAN_SIZE / 2], [0, 0, 1]])
    return plan, to_plan
