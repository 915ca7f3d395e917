"""The owner of an arm that crosses the image border, by where the owner's shoulder must be.

Neighbours reach across each other's places. As an arm is about straight, the line from the hand through the
border leads to a shoulder. Each player's shoulder (right or left, and how far aside) is learnt, with the
colour of the sleeve.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from vision.hands.sleeves import Colour, SleeveColours
from vision.table.layout import Layout, Place

_SHOULDER_BEYOND_MM, _SHOULDER_ASIDE_MM = 350.0, 130.0
"""Approximate distance of shoulders beyond the image border, and to the side of the player's middle."""
_LEFT_ARM_PENALTY_MM = 15.0
"""Penalty on a left arm while a seat's shoulder is unknown, because most people reach with their right."""
_STRAIGHT_AHEAD_WEIGHT = 0.08
"""Weight of the distance between an arm and the middle of the player's edge. It decides if an arm just
appears."""
_SURE_MARGIN_MM = 35.0
"""An owner is certain if every other player fits worse by this much."""
_CHANGE_MARGIN_MM = 15.0
"""An arm keeps its owner if another player fits better by less than this. A sleeve is several times as
wide."""
_OTHER_ARM_MARGIN_MM = 300.0
"""An arm cannot be a player's if another player fits better by this much."""
_LEARNING_RATE = 0.3
"""Weight of the newest arm in the estimate of a seat's shoulder."""


@dataclass(slots=True)
class ArmOwnership:
    """Assigns arms to seats, and learns where each seat's shoulder is."""

    _shoulder_offsets: dict[int, float] = field(default_factory=dict)
    """By seat: how far the shoulder is to the player's right, in mm, if known."""
    _sleeve_colours: SleeveColours = field(default_factory=SleeveColours)
    """The colours of the players' sleeves."""

    def owner_of(
        self,
        layout: Layout,
        contact: Place,
        hand: Place,
        owner: int | None = None,
        sleeve: Colour | None = None,
    ) -> tuple[int, bool]:
        """Return the seat that an arm belongs to, and whether that is certain.

        Args:
            layout: The seats.
            contact: Where the arm crosses the image border, mm.
            hand: Where the hand is, mm.
            owner: The seat that it belonged to so far. It stays unless another seat fits clearly better.
            sleeve: Colour of the sleeve at the border, if seen.
        """
        mismatch = [
            self._mismatch_mm(layout, index, contact, hand) + self._sleeve_colours.mismatch_mm(index, sleeve)
            for index in range(len(layout.seats))
        ]
        seat = min(range(len(mismatch)), key=lambda index: mismatch[index])
        if owner is not None and mismatch[owner] - mismatch[seat] < _CHANGE_MARGIN_MM:
            seat = owner
        others = (distance for index, distance in enumerate(mismatch) if index != seat)
        return seat, min(others, default=math.inf) - mismatch[seat] > _SURE_MARGIN_MM

    def certain_other_owner(self, layout: Layout, seat: int, contact: Place, hand: Place) -> int | None:
        """Return the seat that an arm must belong to if it cannot belong to `seat`; None if it may.

        `contact` is where the arm crosses the image border, and `hand` where the hand is, both in mm.
        """
        other, sure = self.owner_of(layout, contact, hand)
        if other == seat or not sure:
            return None
        mismatch = self._mismatch_mm(layout, seat, contact, hand) - self._mismatch_mm(
            layout, other, contact, hand
        )
        return other if mismatch > _OTHER_ARM_MARGIN_MM else None

    def learn(
        self, layout: Layout, seat: int, contact: Place, hand: Place, sleeve: Colour | None = None
    ) -> None:
        """Learn the shoulder and the sleeve of a seat from an arm that certainly belongs to it.

        Args:
            layout: The seats.
            seat: The owner.
            contact: Where the arm crosses the image border, mm.
            hand: Where the hand is, mm.
            sleeve: Colour of the sleeve at the border, if seen.
        """
        self._sleeve_colours.learn(seat, sleeve)
        border_point, facing = layout.border_point(layout.seats[seat]), layout.seats[seat].facing
        depth = _depth(border_point, facing, hand)
        if depth <= 0:
            return
        stretch = (depth + _SHOULDER_BEYOND_MM) / depth
        x = hand[0] + (contact[0] - hand[0]) * stretch - border_point[0]
        y = hand[1] + (contact[1] - hand[1]) * stretch - border_point[1]
        aside = x * facing[1] - y * facing[0]
        self._shoulder_offsets[seat] = aside + (1 - _LEARNING_RATE) * (
            self._shoulder_offsets.get(seat, aside) - aside
        )

    def _mismatch_mm(self, layout: Layout, seat: int, contact: Place, hand: Place) -> float:
        """Return how far from `contact` the arm of a seat would cross the image border, in mm."""
        border_point, facing = layout.border_point(layout.seats[seat]), layout.seats[seat].facing
        if seat in self._shoulder_offsets:
            mismatch = math.dist(_crossing(border_point, facing, hand, self._shoulder_offsets[seat]), contact)
        else:
            right, left = (
                math.dist(_crossing(border_point, facing, hand, a), contact)
                for a in (_SHOULDER_ASIDE_MM, -_SHOULDER_ASIDE_MM)
            )
            mismatch = min(right, left + _LEFT_ARM_PENALTY_MM)
        return mismatch + _STRAIGHT_AHEAD_WEIGHT * math.dist(border_point, contact)


def _depth(border_point: Place, facing: Place, hand: Place) -> float:
    """Return how far a hand is from the player's edge of the image, in mm."""
    return (border_point[0] - hand[0]) * facing[0] + (border_point[1] - hand[1]) * facing[1]


def _crossing(border_point: Place, facing: Place, hand: Place, aside: float) -> Place:
    """Return where a straight arm crosses the image border (mm).

    Args:
        border_point: Where the image border is in front of the player, mm.
        facing: Unit vector from the table to the player; y points down, as in images.
        hand: Where the hand is, mm.
        aside: How far the shoulder is to the player's right, mm.
    """
    depth = max(0.0, _depth(border_point, facing, hand))
    share = depth / (_SHOULDER_BEYOND_MM + depth)
    # A player who looks along -facing has the right hand at (facing y, -facing x).
    x = border_point[0] + _SHOULDER_BEYOND_MM * facing[0] + aside * facing[1]
    y = border_point[1] + _SHOULDER_BEYOND_MM * facing[1] - aside * facing[0]
    return hand[0] + (x - hand[0]) * share, hand[1] + (y - hand[1]) * share
