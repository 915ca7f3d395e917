"""Cards that read alike and lie on one another, told apart by where their indices are.

Two readings of one name are mostly one card seen twice. That there are two is told by two indices which no
one card can have in those places: with several packs they may bear one name, with one the suit of one of them
was misread, of whose pip too little is to be seen.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from engine.cards import copies
from vision.geometry import CARD_WIDTH_MM, card_plane, transform
from vision.recognition.index_finder import INDEX_MM, Index
from vision.types import CardReading

_SURELY = 0.85
"""With several packs both indices must be named this surely."""
_APART_MM = 9.0
"""Nearer to one another they may be one index found twice: it is 6 mm wide, and 13 tall."""
_SLIP_MM = 9.0
"""So far a third or fourth index, which some decks have, may seem to be off by the first one's frame."""


def further_alike(
    told: Sequence[tuple[Index, CardReading]],
    owners: Mapping[int, int],
    packs: int,
    least: float = _SURELY,
    surely_own: Collection[int] = (),
) -> set[int]:
    """Return which readings tell of one more card with a name that another reading surely bears.

    Two indices that stand the same way up, in two places, belong to two cards.

    Args:
        told: Indices and the cards they tell of, surest first.
        owners: By its number in `told`, the known card of the same name an index belongs to, if any; those
            first that stand nearest to where that has its own.
        packs: How many packs the cards are of.
        least: How surely an index must be named to tell of a further card.
        surely_own: Those, by number, that stand just where their owner has an index.
    """
    further: set[int] = set()
    named = [k for k, (_, r) in enumerate(told) if r.card is not None and r.confidence >= least]
    for name in {str(told[k][1].card) for k in named if told[k][1].confidence >= _SURELY}:
        of_name = [k for k in named if told[k][1].card == name]
        # Those that belong to cards seen whole come first: there is no doubt about whose they are.
        order = [*(k for k in owners if k in of_name), *(k for k in of_name if k not in owners)]
        groups: list[list[int]] = []
        for k in order:
            fitting = [g for g in groups if not any(_on_two_cards(told[k][0], told[m][0]) for m in g)]
            if fitting:
                fitting[0].append(k)
            else:
                groups.append([k])
        heads = [group[0] for group in groups]
        first = {owners[head]: head for head in reversed(heads) if head in owners}
        seen = len({owners[k] for k in of_name if k in owners}) or 1
        # No card has two groups: an outline that is drawn about two of them, or too narrow, seems to.
        doubtful = [head for head in heads[1:] if head not in surely_own]
        others = [head for head in doubtful if head not in owners or first[owners[head]] != head]
        further |= set(others[: max(0, copies(name, packs) - seen)])
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
