"""Whether cards can be among others that are known only in part."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from engine.cards import RANK_OF, SUIT_OF, UNKNOWN


def missing_cards(cards: Iterable[str], held: Sequence[str]) -> list[str]:
    """Return the cards that cannot be among `held` (ranks alone and unknown cards match what they may be)."""
    exact = Counter(held)
    loose = []
    for card in cards:
        if exact[card] and card != UNKNOWN:
            exact[card] -= 1
        else:
            loose.append(card)
    if not loose:
        return loose
    rest = [card for card, count in exact.items() for _ in range(count)]
    missing = []
    for card in sorted(loose, key=lambda c: c == UNKNOWN):
        fit = next((other for other in rest if _same_rank_unsuited(card, other)), None)
        fit = fit or next((other for other in rest if UNKNOWN in (card, other)), None)
        if fit is None:
            missing.append(card)
        else:
            rest.remove(fit)
    return missing


def _same_rank_unsuited(one: str, other: str) -> bool:
    return RANK_OF[one] == RANK_OF[other] and not (SUIT_OF[one] and SUIT_OF[other])
