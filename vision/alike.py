"""Games with several packs: cards alike that lie on one another, told apart by where their indices are.

With one pack two readings of one name are one card seen twice, and with several they mostly are, too. That
there are two is told by two indices which no one card can have in those places.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from vision.geometry import CARD_WIDTH_MM, card_plane, transform
from vision.indices import INDEX_MM, Index
from vision.reading import CardReading

_SURELY = 0.85
"""Both indices must be named this surely."""
_APART_MM = 9.0
"""Nearer to one another they may be one index found twice: it is 6 mm wide, and 13 tall."""
_SLIP_MM = 9.0
"""So far a third or fourth index, which some decks have, may seem to be off by the first one's frame."""


def further_alike(
    told: Sequence[tuple[Index, CardReading]], owners: Mapping[int, int], packs: int
) -> set[int]:
    """Return which readings tell of one more card with a name that another reading bears.

    Two indices that stand the same way up, in two places, belong to two cards.

    Args:
        told: Indices and the cards they tell of, surest first.
        owners: By its number in `told`, the known card of the same name an index belongs to, if any.
        packs: How often each card is there.
    """
    further: set[int] = set()
    sure = [k for k, (_, r) in enumerate(told) if r.card is not None and r.confidence >= _SURELY]
    for name in {told[k][1].card for k in sure} if packs > 1 else ():
        of_name = [k for k in sure if told[k][1].card == name]
        # Those that belong to cards seen whole come first: there is no doubt about whose they are.
        order = sorted(of_name, key=lambda k: k not in owners)
        groups: list[list[int]] = []
        for k in order:
            fitting = [g for g in groups if not any(_on_two_cards(told[k][0], told[m][0]) for m in g)]
            if fitting:
                fitting[0].append(k)
            else:
                groups.append([k])
        seen = len({owners[k] for k in of_name if k in owners}) or 1
        further |= set([group[0] for group in groups[1:] if group[0] not in owners][: max(0, packs - seen)])
    return further


def _on_two_cards(first: Index, second: Index) -> bool:
    """Tell whether two indices of one name cannot be those of one card."""
    up = [index.quad[0] - index.quad[3] for index in (first, second)]
    if float(up[0] @ up[1]) <= 0:
        return False
    to_card = np.asarray(np.linalg.inv(card_plane(first.quad)), np.float64)
    x, y = transform(to_card, [second.place])[0] - INDEX_MM
    across = abs(abs(x) - (CARD_WIDTH_MM - 2 * INDEX_MM[0]))
    if max(across, abs(y)) < _SLIP_MM:  # a deck may have an index in all four corners
        return False
    return bool(np.hypot(x, y) >= _APART_MM)
