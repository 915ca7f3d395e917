"""Checks that cards and camera are still in place, or finds that the table is lost from sight.

Cards that are played, drawn or taken up are acts of the game: one hand, one row, one pile. A camera that is
carried away, or a person who tidies the table, moves everything at once. That is no act.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from vision.following.certainty import SURE
from vision.following.looks import Look
from vision.following.patches import Patch, same_patch
from vision.following.rows import Rows, Spot
from vision.hands.tracks import HandsFrame
from vision.table.layout import Layout, Zone
from vision.table.observations import Observation
from vision.table.relocation import KnownUpCards, is_unmoved

_UNSTEADY_SECONDS = 1.0
"""How long the movement of the camera may be unknown before the table is doubted."""
_SAME_SHARE = 0.34
"""While at least this share of the places in the rows looks unchanged, the camera has not moved."""
_FREE_SHARE = 0.5
"""It has not moved either if this share of the cards that no arm covers looks unchanged."""
_SPOTS = 3
"""At least this many spots, and half of each row, must have changed: less is a slip or a play."""
_ROWS, _ONE_SEAT = 2, 1
"""Rows of so many players must have changed, while no more than the second number reached in."""
_ELSEWHERE, _ELSEWHERE_SHARE = 2, 0.3
"""If this many cards, and this share of them, lie where no card may, the camera has moved."""


class TableTracker:
    """Watches one table for signs that all of it has moved."""

    def __init__(self) -> None:
        self._unsteady: float | None = None
        """Since when the movement of the camera has been unknown."""
        self._reached: set[int] = set()
        """The seats whose arms have come in since all rows were last seen in their places."""
        self._trusted = False
        self.covered: Collection[Zone] = ()
        """The zones that arms, or anything else that moves, covered last."""

    def trust(self) -> None:
        """Note that the table has been checked and lies as believed: do not doubt the next look."""
        self._trusted = True
        self._unsteady = None

    def is_unsteady(self, moved: bool, t: float) -> bool:
        """Note whether the camera seems to have moved; return whether its place has long been unknown."""
        self._unsteady = (t if self._unsteady is None else self._unsteady) if moved else None
        return self._unsteady is not None and t - self._unsteady > _UNSTEADY_SECONDS

    def seems_moved(self, patches: Mapping[Zone, Patch], rows: Rows) -> bool:
        """Return whether most places in the rows look different from before.

        An arm that reaches from one row to the other may cover most of both. So covered places do not count
        if the cards elsewhere look unchanged. Bare places prove nothing: they look the same wherever they
        are.
        """
        known = {zone: spot.patch for zone, spot in rows.spots.items() if spot.patch is not None}
        same = {zone for zone, patch in known.items() if same_patch(patches.get(zone), patch)}
        cards = {zone for zone in known if rows.spots[zone].up is not None or rows.spots[zone].down}
        free = cards - set(self.covered)
        if free and len(free & same) >= _FREE_SHARE * len(free):
            return False
        return len(known) >= _SPOTS and len(same) < _SAME_SHARE * len(known)

    def reach(self, hands: HandsFrame) -> None:
        """Note the seats whose arms are in the picture."""
        self._reached |= {reach.seat for reach in hands.tracks}

    def is_displaced(self, look: Look, rows: Rows, layout: Layout) -> bool:
        """Return whether the rows of several players have changed, though at most one of them reached in."""
        if self._trusted:
            self._trusted = False
            return False
        moved = _moved(look.cards, look.hidden, look.patches, rows, layout)
        if not moved and not look.hidden:
            self._reached.clear()
        return len(moved) >= _ROWS and sum(moved.values()) >= _SPOTS and len(self._reached) <= _ONE_SEAT

    @staticmethod
    def is_moved(cards: Sequence[Observation], layout: Layout, known: KnownUpCards) -> bool:
        """Return whether cards show that the camera has moved from where `layout` is correct."""
        elsewhere = sum(layout.zone_at(card.x, card.y) is None for card in cards)
        if elsewhere < max(_ELSEWHERE, _ELSEWHERE_SHARE * len(cards)):
            return False
        return not is_unmoved(layout, cards, known)


def _moved(
    cards: Sequence[Observation],
    hidden: Collection[Zone],
    patches: Mapping[Zone, Patch],
    rows: Rows,
    layout: Layout,
) -> dict[int, int]:
    """Return by seat how many of its spots have changed, for rows where at least half have."""
    there: dict[Zone | None, list[Observation]] = {}
    for card in cards:
        there.setdefault(layout.zone_at(card.x, card.y), []).append(card)
    set_: Counter[int] = Counter()
    otherwise: Counter[int] = Counter()
    for zone, spot in rows.spots.items():
        if (spot.up is None and not spot.down) or zone in hidden:
            continue
        set_[zone.seat] += 1
        otherwise[zone.seat] += _is_otherwise(spot, there.get(zone, []), patches.get(zone))
    return {seat: count for seat, count in otherwise.items() if count and 2 * count >= set_[seat]}


def _is_otherwise(spot: Spot, cards: Sequence[Observation], patch: Patch | None) -> bool:
    """Return whether a spot is bare, or shows a card other than the one that lay there.

    A reader may overlook a card, but then the place looks unchanged.
    """
    if spot.patch is None or same_patch(patch, spot.patch):
        return False
    names = [name for name, p in (card.best for card in cards) if p >= SURE]
    return not cards or (spot.up is not None and bool(names) and spot.up not in names)
