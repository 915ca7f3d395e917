"""Whose arm it is that crosses the picture's border: told by where the shoulder must be.

People who sit side by side reach across one another's place. An arm is about straight, so the line from the
hand through the place where it crosses the border leads to a shoulder; whether that is the right or the left
one of somebody, and how far aside, shows soon. So does what everybody wears.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from vision.hands.sleeves import Colour, Sleeves
from vision.table.layout import Layout, Place

_BEYOND_MM, _ASIDE_MM = 350.0, 130.0
"""How far shoulders are beyond the picture's border, and to the side of where their owner sits; about."""
_LEFT_MM = 15.0
"""How much farther off a left arm seems to be while nothing is known: most people reach with their right."""
_STRAIGHT_AHEAD = 0.08
"""How much it counts that an arm comes in straight before a seat: all that tells of one that just appears."""
_SURE_MM = 35.0
"""An arm is surely somebody's if it fits everybody else so much worse."""
_HARDLY_MM = 15.0
"""What is so much better is hardly better: a sleeve is as wide as several of these."""
_ANOTHERS_MM = 300.0
"""Who fits an arm so much worse than somebody else has another one."""
_NEWEST = 0.3
"""What the newest reach counts for where a seat's shoulder is."""


@dataclass(slots=True)
class Shoulders:
    """Tells whose arms come in, and learns where each seat's shoulder is."""

    _aside: dict[int, float] = field(default_factory=dict)
    """How far (mm) a seat's shoulder is to its owner's right, as far as that is known."""
    _sleeves: Sleeves = field(default_factory=Sleeves)

    def seat(
        self,
        layout: Layout,
        contact: Place,
        hand: Place,
        owner: int | None = None,
        sleeve: Colour | None = None,
    ) -> tuple[int, bool]:
        """Return whose arm crosses the border at `contact`, its hand at `hand` (mm), and whether surely.

        `owner` is whose arm it has been so far: it stays theirs where another's fits hardly better. `sleeve`:
        its colour at the border, where that was seen.
        """
        apart = [
            self._apart(layout, index, contact, hand) + self._sleeves.unlike(index, sleeve)
            for index in range(len(layout.seats))
        ]
        seat = min(range(len(apart)), key=lambda index: apart[index])
        if owner is not None and apart[owner] - apart[seat] < _HARDLY_MM:
            seat = owner
        others = (distance for index, distance in enumerate(apart) if index != seat)
        return seat, min(others, default=math.inf) - apart[seat] > _SURE_MM

    def instead_of(self, layout: Layout, seat: int, contact: Place, hand: Place) -> int | None:
        """Return whose arm this must be if it cannot be that of `seat`; None where it may be theirs."""
        other, sure = self.seat(layout, contact, hand)
        if other == seat or not sure:
            return None
        apart = self._apart(layout, seat, contact, hand) - self._apart(layout, other, contact, hand)
        return other if apart > _ANOTHERS_MM else None

    def learn(
        self, layout: Layout, seat: int, contact: Place, hand: Place, sleeve: Colour | None = None
    ) -> None:
        """Note where the arm of somebody who surely sits at `seat` crossed the border (mm), and in what."""
        self._sleeves.learn(seat, sleeve)
        door, out = layout.door(layout.seats[seat]), layout.seats[seat].facing
        depth = _depth(door, out, hand)
        if depth <= 0:
            return
        stretch = (depth + _BEYOND_MM) / depth
        x = hand[0] + (contact[0] - hand[0]) * stretch - door[0]
        y = hand[1] + (contact[1] - hand[1]) * stretch - door[1]
        aside = x * out[1] - y * out[0]
        self._aside[seat] = aside + (1 - _NEWEST) * (self._aside.get(seat, aside) - aside)

    def _apart(self, layout: Layout, seat: int, contact: Place, hand: Place) -> float:
        """Return how far from `contact` the arm of somebody at `seat` would cross the border (mm)."""
        door, out = layout.door(layout.seats[seat]), layout.seats[seat].facing
        if seat in self._aside:
            apart = math.dist(_crossing(door, out, hand, self._aside[seat]), contact)
        else:
            right, left = (math.dist(_crossing(door, out, hand, a), contact) for a in (_ASIDE_MM, -_ASIDE_MM))
            apart = min(right, left + _LEFT_MM)
        return apart + _STRAIGHT_AHEAD * math.dist(door, contact)


def _depth(door: Place, out: Place, hand: Place) -> float:
    return (door[0] - hand[0]) * out[0] + (door[1] - hand[1]) * out[1]


def _crossing(door: Place, out: Place, hand: Place, aside: float) -> Place:
    """Return where the straight arm of somebody before a `door` crosses the border (mm).

    Args:
        door: The place on the border before which the person sits, mm.
        out: The direction from the table to the person, of length 1; y points down, as in pictures.
        hand: Where the hand is, mm.
        aside: How far the shoulder is to the person's right, mm.
    """
    depth = max(0.0, _depth(door, out, hand))
    share = depth / (_BEYOND_MM + depth)
    # Who looks along -out has the right hand at (out y, -out x).
    x = door[0] + _BEYOND_MM * out[0] + aside * out[1]
    y = door[1] + _BEYOND_MM * out[1] - aside * out[0]
    return hand[0] + (x - hand[0]) * share, hand[1] + (y - hand[1]) * share
