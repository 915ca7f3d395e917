"""Whether the table still lies as it is believed to lie, or has been lost from sight.

Cards that are played, drawn or taken up are acts of the game: one hand, one row, one pile. A camera that is
carried away, or somebody who tidies the table, moves everything at once, and none of that is an act.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from vision.following.records import Look, Patch, same_patch
from vision.following.rows import Rows, Spot
from vision.hands.tracks import HandsFrame
from vision.table.layout import Layout, Zone
from vision.table.observations import Observation
from vision.table.relocation import KnownUpCards, is_unmoved

_UNSTEADY_SECONDS = 1.0
"""For so long it may be unknown how the camera has moved before the table is doubted."""
_SAME_SHARE = 0.34
"""While so many places in the rows look as they did the camera stands where it stood."""
_FREE_SHARE = 0.5
"""So does this share of the cards that no arm covers."""
_SURE_NAME = 0.9
_SPOTS = 3
"""So many spots in all, and half of each row, must be otherwise: less is a slip, or a play."""
_ROWS, _ONE_SEAT = 2, 1
_ELSEWHERE, _ELSEWHERE_SHARE = 2, 0.3
"""So many cards, and such a share of them, lie where none may once the camera has been moved."""


class Track:
    """Watches one table for signs that all of it has moved."""

    def __init__(self) -> None:
        self._unsteady: float | None = None
        """Since when it has not been known how the camera has moved."""
        self._reached: set[int] = set()
        """Whose arms have come in since all rows were last seen in their places."""
        self._trusted = False
        self.covered: Collection[Zone] = ()
        """What arms, or whatever else moves, were seen to cover last."""

    def trust(self) -> None:
        """Note that somebody has made sure that the table lies as believed: the next look is not doubted."""
        self._trusted = True
        self._unsteady = None

    def is_unsteady(self, moved: bool, t: float) -> bool:
        """Note whether the camera seems to have moved, nobody knows where to; tell whether it long has."""
        self._unsteady = (t if self._unsteady is None else self._unsteady) if moved else None
        return self._unsteady is not None and t - self._unsteady > _UNSTEADY_SECONDS

    def seems_moved(self, patches: Mapping[Zone, Patch], rows: Rows) -> bool:
        """Tell whether most of the rows' places look otherwise than they did.

        Of two rows an arm that reaches from one to the other may cover most. So those do not count that arms
        seem to have covered, where other cards look as they did: bare places look alike wherever they are.
        """
        known = {zone: spot.patch for zone, spot in rows.spots.items() if spot.patch is not None}
        same = {zone for zone, patch in known.items() if same_patch(patches.get(zone), patch)}
        cards = {zone for zone in known if rows.spots[zone].up is not None or rows.spots[zone].down}
        free = cards - set(self.covered)
        if free and len(free & same) >= _FREE_SHARE * len(free):
            return False
        return len(known) >= _SPOTS and len(same) < _SAME_SHARE * len(known)

    def reach(self, hands: HandsFrame) -> None:
        """Note whose arms are in the picture."""
        self._reached |= {reach.seat for reach in hands.tracks}

    def is_displaced(self, look: Look, rows: Rows, layout: Layout) -> bool:
        """Tell whether the rows of several players are not what they were, though one at most reached in."""
        if self._trusted:
            self._trusted = False
            return False
        moved = _moved(look.cards, look.hidden, look.patches, rows, layout)
        if not moved and not look.hidden:
            self._reached.clear()
        return len(moved) >= _ROWS and sum(moved.values()) >= _SPOTS and len(self._reached) <= _ONE_SEAT

    @staticmethod
    def is_moved(cards: Sequence[Observation], layout: Layout, known: KnownUpCards) -> bool:
        """Tell whether cards show that the camera stands otherwise than where `layout` lies as believed."""
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
    """Return by seat how many of its spots are otherwise than believed, of rows of which half are."""
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
    """Tell whether a spot is bare, or shows another card than the one that lay there.

    A reader may overlook a card: then the place still looks as it did.
    """
    if spot.patch is None or same_patch(patch, spot.patch):
        return False
    names = [name for name, p in (card.best for card in cards) if p >= _SURE_NAME]
    return not cards or (spot.up is not None and bool(names) and spot.up not in names)
