"""Finding two cards with one name that overlap, by the positions of their indices.

Two readings with one name are mostly one card seen twice. They are two cards if no single card can have
indices in both places. With several packs, both cards may bear the name. With one pack, a covered pip was
misread, and one of them has another suit.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from engine.cards import copies
from vision.geometry import CARD_WIDTH_MM, card_homography, transform_points
from vision.recognition.index_detector import INDEX_CENTRE_MM, IndexDetection
from vision.types import CardReading

_SURE_P = 0.85
"""With several packs, both indices must be named with this probability."""
_MIN_DISTANCE_MM = 9.0
"""Two indices nearer than this may be one index found twice. An index is 6 mm wide and 13 mm tall."""
_OTHER_CORNER_TOLERANCE_MM = 9.0
"""How far the third or fourth index of some decks may seem to lie from its place."""


def find_duplicate_cards(
    index_readings: Sequence[tuple[IndexDetection, CardReading]],
    owners: Mapping[int, int],
    packs: int,
    min_confidence: float = _SURE_P,
    exactly_placed: Collection[int] = (),
) -> set[int]:
    """Return the numbers of index readings that show one more card of a name that is already taken.

    Two indices that have the same way up, in two places, belong to two cards.

    Args:
        index_readings: Indices with the readings of their cards, surest first.
        owners: For indices by number: the number of the known card with that name to which each belongs.
            Those nearest to the card's own index come first.
        packs: How many cards may bear one name.
        min_confidence: Least probability of the name of such an index.
        exactly_placed: Numbers of the indices that lie exactly where their owner has an index.
    """
    further: set[int] = set()
    named = [
        k for k, (_, r) in enumerate(index_readings) if r.card is not None and r.confidence >= min_confidence
    ]
    for name in {str(index_readings[k][1].card) for k in named if index_readings[k][1].confidence >= _SURE_P}:
        of_name = [k for k in named if index_readings[k][1].card == name]
        # Indices of fully visible cards come first, because their owners are certain.
        order = [*(k for k in owners if k in of_name), *(k for k in of_name if k not in owners)]
        groups: list[list[int]] = []
        for k in order:
            fitting = [
                g
                for g in groups
                if not any(_on_two_cards(index_readings[k][0], index_readings[m][0]) for m in g)
            ]
            if fitting:
                fitting[0].append(k)
            else:
                groups.append([k])
        heads = [group[0] for group in groups]
        first = {owners[head]: head for head in reversed(heads) if head in owners}
        seen = len({owners[k] for k in of_name if k in owners}) or 1
        # A card has only one group. An outline around two cards, or one too narrow, seems to have two.
        doubtful = [head for head in heads[1:] if head not in exactly_placed]
        others = [head for head in doubtful if head not in owners or first[owners[head]] != head]
        further |= set(others[: max(0, copies(name, packs) - seen)])
    return further


def _on_two_cards(first: IndexDetection, second: IndexDetection) -> bool:
    """Return whether two indices with one name cannot belong to the same card."""
    up = [index.quad[0] - index.quad[3] for index in (first, second)]
    if float(up[0] @ up[1]) <= 0:
        return False
    to_card = np.asarray(np.linalg.inv(card_homography(first.quad)), np.float64)
    x, y = transform_points(to_card, [second.centre])[0] - INDEX_CENTRE_MM
    across = abs(abs(x) - (CARD_WIDTH_MM - 2 * INDEX_CENTRE_MM[0]))
    if max(across, abs(y)) < _OTHER_CORNER_TOLERANCE_MM:  # a deck may have an index in all four corners
        return False
    return bool(np.hypot(x, y) >= _MIN_DISTANCE_MM)
