"""The cards on a table at rest, agreed on by several looks and sorted into the rows of a deal."""

from __future__ import annotations

import math
from collections.abc import Sequence

from vision.plane import TablePlane
from vision.table.layout import Layout
from vision.table.observations import Observation, assign_names, fuse_looks, observe
from vision.table.relocation import KnownUpCards
from vision.table.rows import OVERLAP_MM
from vision.types import UNKNOWN_CARD, CardReading

SURE_NAME_P = 0.9
"""The least probability of a name that proves that an up-card is there."""
_LATELY_LOOKS = 3
"""A card that is in none of so many latest looks was not seen lately."""
_ON_DOWN_MM = 35.0
_SAME_CARD_MM = 25.0
"""Within this distance of another up-card, a certain reading counts as that card. An uncertain one does
if the two overlap."""


def settled_cards(readings: Sequence[Sequence[CardReading]], plane: TablePlane) -> list[Observation]:
    """Return the cards that several looks agree on, in table coordinates (mm).

    An up-card lies on a down-card, and the reader may see either. One certain name shows that there is an
    up-card. Up-cards do not overlap: the less certain of two is a duplicate reading, or the table's pattern.
    A card that was not seen lately may lie there no more.
    """
    looks = [observe(look, plane) for look in readings]
    groups = fuse_looks(looks)
    agreed = [group.observation for group in groups if group.look_count >= max(2, len(looks) // 3)]
    downs = [card for card in agreed if card.face == "down"]
    ups = [card for card in agreed if card.face == "up"]
    seen_lately = {id(group.observation) for group in groups if group.last_look >= len(looks) - _LATELY_LOOKS}
    for group in groups:
        card = group.observation
        on_down = _near(card, downs, _ON_DOWN_MM) and not _near(card, ups, _ON_DOWN_MM)
        if card.best[1] >= SURE_NAME_P and on_down:
            ups.append(card)
    single: list[Observation] = []
    for card in sorted(ups, key=lambda card: (id(card) not in seen_lately, -card.best[1])):
        if not _near(card, single, _SAME_CARD_MM if card.best[1] >= SURE_NAME_P else OVERLAP_MM):
            single.append(card)
    return single + downs


def _near(card: Observation, others: Sequence[Observation], within: float) -> bool:
    return any(math.dist((card.x, card.y), (other.x, other.y)) < within for other in others)


def remaining_up_cards(
    up: Sequence[Sequence[str]], layout: Layout, known: KnownUpCards
) -> list[list[str | None]]:
    """Return the rows of a continued game, with None for empty spots.

    A spot without a reading (`??`) still has a card if the player is known to have more up-cards than were
    read.

    Args:
        up: The read names on the spots of each row.
        layout: The layout with these rows.
        known: The face-up cards that each player is known to have.
    """
    rows: list[list[str | None]] = []
    for seat, row in zip(layout.seats, up, strict=True):
        missed = len(known.get(seat.player, ())) - sum(name != UNKNOWN_CARD for name in row)
        rows.append([])
        for name in row:
            there = name != UNKNOWN_CARD or missed > 0
            missed -= name == UNKNOWN_CARD
            rows[-1].append(name if there else None)
    return rows


def read_up_cards(
    settled: Sequence[Observation], layout: Layout, packs: int
) -> tuple[list[list[str]], float]:
    """Return the names on the spots of each row (`??`: unreadable), and their least probability.

    Args:
        settled: The cards on the table.
        layout: The layout with the rows.
        packs: The number of packs in the game.
    """
    ups = [card for card in settled if card.face == "up"]
    names = assign_names(ups, packs=packs)
    rows = [["??"] * len(seat.row) for seat in layout.seats]
    certainty = [[0.0] * len(seat.row) for seat in layout.seats]
    for card, (name, p) in zip(ups, names, strict=True):
        zone = layout.zone_at(card.x, card.y)
        if zone is not None and zone.kind == "row" and name and p > certainty[zone.seat][zone.spot]:
            rows[zone.seat][zone.spot], certainty[zone.seat][zone.spot] = name, p
    return rows, min(p for row in certainty for p in row)
