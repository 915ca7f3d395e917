"""Random positions of cards on a table: rows, rows on rows, piles, fans, spreads, stacks, messes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.geometry import CARD_HEIGHT_MM, CARD_WIDTH_MM

_THICKNESS_MM = 0.3


@dataclass(frozen=True, slots=True)
class Placement:
    """One card on the table, in millimetres and radians. In lists the lowest card comes first."""

    x: float
    y: float
    angle: float
    face_up: bool
    height: float = 0.0
    """Height of its face above the table."""
    below: int = 0
    """Number of squared cards below it. They are drawn as the edge of a stack, and have no label."""


@dataclass(frozen=True, slots=True)
class _Frame:
    """The axes of one cluster on the table."""

    x: float
    y: float
    angle: float

    def place(
        self, along: float, up: float, turn: float, face_up: bool, height: float = 0.0, below: int = 0
    ) -> Placement:
        cos, sin = np.cos(self.angle), np.sin(self.angle)
        return Placement(
            float(self.x + cos * along - sin * up),
            float(self.y + sin * along + cos * up),
            float(self.angle + turn),
            face_up,
            height,
            below,
        )


def _row(rng: np.random.Generator, frame: _Frame) -> list[Placement]:
    count = int(rng.integers(1, 7))
    step = CARD_WIDTH_MM + rng.uniform(-6, 20)
    face_up = rng.random() < 0.8
    wobble = rng.uniform(0, 4)
    return [
        frame.place(
            step * (i - (count - 1) / 2),
            rng.normal(0, wobble),
            rng.normal(0, wobble / 60),
            face_up if rng.random() < 0.92 else not face_up,
        )
        for i in range(count)
    ]


def _up_on_down(rng: np.random.Generator, frame: _Frame) -> list[Placement]:
    """The row of a player in Shithead: three down-cards, most of them covered by an up-card."""
    step = CARD_WIDTH_MM + rng.uniform(1, 22)
    slip = rng.choice([0.0, rng.uniform(0, 8), rng.uniform(8, 45)])
    untidy = rng.uniform(0, 4)
    row: list[Placement] = []
    for i in range(3):
        along = step * (i - 1)
        if rng.random() < 0.9:
            row.append(frame.place(along, rng.normal(0, untidy / 2), rng.normal(0, untidy / 50), False))
        for up in range(int(rng.choice([0, 1, 1, 1, 1, 2]))):
            row.append(
                frame.place(
                    along + rng.normal(0, untidy),
                    slip + up * 18 + rng.normal(0, untidy),
                    rng.normal(0, untidy / 40),
                    True,
                    _THICKNESS_MM,
                )
            )
    return row


def _askew_pile(rng: np.random.Generator, frame: _Frame) -> list[Placement]:
    count = int(rng.integers(2, 13))
    spread = rng.choice([rng.uniform(1, 6), rng.uniform(6, 30)])
    turn = rng.choice([rng.uniform(0.03, 0.2), rng.uniform(0.2, 1.5)])
    face_up = rng.random() < 0.85
    mixed = rng.random() < 0.25  # a burn pile
    base = rng.choice([0.0, rng.uniform(0, 8)])
    pile = []
    for i in range(count):
        up = rng.random() < 0.5 if mixed else face_up
        offset = rng.normal(0, spread, 2)
        height = base + i * _THICKNESS_MM
        pile.append(frame.place(offset[0], offset[1], rng.normal(0, turn), bool(up), height))
    return pile


def _fan(rng: np.random.Generator, frame: _Frame) -> list[Placement]:
    """Cards turned about a point near their lower end, like a hand that is laid down."""
    count = int(rng.integers(3, 11))
    radius = rng.uniform(50, 160)
    step = rng.uniform(0.08, 0.3) * 90 / radius
    face_up = rng.random() < 0.85
    fan = []
    for i in range(count):
        turn = step * (i - (count - 1) / 2) + rng.normal(0, 0.02)
        fan.append(
            frame.place(-radius * np.sin(turn), radius * (np.cos(turn) - 1), turn, face_up, i * _THICKNESS_MM)
        )
    return fan if rng.random() < 0.5 else fan[::-1]


def _spread(rng: np.random.Generator, frame: _Frame) -> list[Placement]:
    """Overlapping cards in a line, along the short side or the long side."""
    count = int(rng.integers(2, 12))
    step = rng.uniform(9, 42)
    sideways = rng.random() < 0.65
    face_up = rng.random() < 0.85
    wobble = rng.uniform(0, 3)
    spread = []
    for i in range(count):
        shift = step * (i - (count - 1) / 2)
        along, up = (shift, 0.0) if sideways else (0.0, shift)
        spread.append(
            frame.place(
                along + rng.normal(0, wobble),
                up + rng.normal(0, wobble),
                rng.normal(0, wobble / 50),
                face_up,
                i * _THICKNESS_MM,
            )
        )
    return spread


def _stack(rng: np.random.Generator, frame: _Frame) -> list[Placement]:
    """A squared stack: a draw pile, or a tidy pile of played cards."""
    below = int(rng.integers(2, 52))
    face_up = rng.random() < 0.25
    return [frame.place(0, 0, 0, face_up, below * _THICKNESS_MM, below)]


def _mess(rng: np.random.Generator, frame: _Frame) -> list[Placement]:
    count = int(rng.integers(3, 16))
    spread = rng.uniform(35, 110)
    up_share = rng.choice([1.0, 0.8, 0.4, 0.0], p=[0.5, 0.25, 0.15, 0.1])
    return [
        frame.place(
            rng.normal(0, spread),
            rng.normal(0, spread),
            rng.uniform(0, 2 * np.pi),
            bool(rng.random() < up_share),
            i * _THICKNESS_MM / 2,
        )
        for i in range(count)
    ]


def _set_on_pile(rng: np.random.Generator, frame: _Frame) -> list[Placement]:
    """A set of two to four cards on a pile, each a little beside or below the last."""
    pile = _askew_pile(rng, frame)[:6] if rng.random() < 0.7 else []
    count, step = int(rng.integers(2, 5)), rng.uniform(9, 32)
    below = rng.random() < 0.5
    slant, turn = rng.normal(0, 0.25), rng.normal(0, 0.08)
    base = rng.normal(0, 0.25)
    start = len(pile) * _THICKNESS_MM
    shifts = [(step * (i - (count - 1) / 2), slant * step * i) for i in range(count)]
    laid = [
        frame.place(
            (aside if below else onwards) + rng.normal(0, 2),
            (onwards if below else aside) + rng.normal(0, 2),
            base + turn * i + rng.normal(0, 0.03),
            True,
            start + i * _THICKNESS_MM,
        )
        for i, (onwards, aside) in enumerate(shifts)
    ]
    return pile + laid


_CLUSTERS: dict[str, tuple[Callable[[np.random.Generator, _Frame], list[Placement]], float]] = {
    # the maker of a cluster, and its radius in mm
    "row": (_row, 110),
    "up_on_down": (_up_on_down, 130),
    "askew_pile": (_askew_pile, 75),
    "fan": (_fan, 110),
    "spread": (_spread, 110),
    "stack": (_stack, 60),
    "mess": (_mess, 130),
    "set_on_pile": (_set_on_pile, 90),
}

USUAL_CLUSTERS: Mapping[str, float] = {
    "row": 0.24,
    "up_on_down": 0.22,
    "askew_pile": 0.18,
    "fan": 0.09,
    "spread": 0.08,
    "stack": 0.11,
    "mess": 0.08,
}
"""Shares of the clusters on a whole table."""
CROWDED_CLUSTERS: Mapping[str, float] = {
    "row": 0.06,
    "up_on_down": 0.06,
    "askew_pile": 0.2,
    "fan": 0.2,
    "spread": 0.18,
    "mess": 0.12,
    "set_on_pile": 0.18,
}
"""Shares of the clusters on a table where most cards show only a corner."""


def random_layout(
    rng: np.random.Generator, view_mm: float, clusters: Mapping[str, float] = USUAL_CLUSTERS
) -> list[Placement]:
    """Return the cards of one table, bottom first: about as many as fit into a view `view_mm` wide.

    `clusters` holds the share of each kind of cluster.
    """
    names, weights = list(clusters), np.array(list(clusters.values()))
    reach = view_mm * 0.48
    wanted = 1 if view_mm < 260 else int(rng.integers(1, 2 + int(view_mm / 110)))
    aligned = rng.random() < 0.6
    main_angle = rng.uniform(0, 2 * np.pi)
    taken: list[tuple[float, float, float]] = []
    cards: list[Placement] = []
    for _ in range(wanted * 3):
        if len(taken) == wanted or len(cards) > 45:
            break
        cluster, room = _CLUSTERS[names[int(rng.choice(len(names), p=weights / weights.sum()))]]
        x, y = rng.uniform(-reach, reach, 2) if wanted > 1 else rng.uniform(-reach / 3, reach / 3, 2)
        crowded = any(np.hypot(x - a, y - b) < 0.75 * (room + c) for a, b, c in taken)
        if crowded and rng.random() < 0.85:
            continue
        angle = main_angle + rng.integers(4) * np.pi / 2 + rng.normal(0, 0.06)
        frame = _Frame(x, y, angle if aligned else rng.uniform(0, 2 * np.pi))
        cards += cluster(rng, frame)
        taken.append((x, y, room))
    return cards


def card_outline(card: Placement) -> NDArray[np.float64]:
    """Return the corners of the card on the table (4 x 2 mm), clockwise from the top left of its face.

    The axes are those of a picture from above: x to the right, y down.
    """
    w, h = CARD_WIDTH_MM / 2, CARD_HEIGHT_MM / 2
    local = np.array([[-w, -h], [w, -h], [w, h], [-w, h]])
    cos, sin = np.cos(card.angle), np.sin(card.angle)
    return np.asarray(local @ np.array([[cos, sin], [-sin, cos]]) + (card.x, card.y))
