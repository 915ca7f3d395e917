"""Matching cards with others that are only partly known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from engine.cards import RANK_OF, SUIT_OF, UNKNOWN


def missing_cards(cards: Iterable[str], held: Sequence[str]) -> list[str]:
    """Return the cards that cannot be among `held`.

    A rank without a suit matches any card of that rank, and an unknown card matches any card.
    """
    wanted = list(cards)
    if len(wanted) == 1 and wanted[0] != UNKNOWN and wanted[0] in held:
        return []
    rest = Counter(held)
    loose = []
    for card in wanted:
        if rest[card] and SUIT_OF[card]:
            rest[card] -= 1
        else:
            loose.append(card)
    left = list(rest.elements())
    missing = []
    # A card with a suit fits one without, but not the reverse: it goes first, and unknown cards go last.
    for card in sorted(loose, key=lambda c: (c == UNKNOWN, not SUIT_OF[c])):
        fits = [other for other in left if other != UNKNOWN and card != UNKNOWN and may_be_same(card, other)]
        fits = fits or [other for other in left if UNKNOWN in (card, other)]
        if fits:
            left.remove(card if card in fits else fits[0])
        else:
            missing.append(card)
    return missing


def may_be_same(one: str, other: str) -> bool:
    """Return whether two known cards may be the same: equal, or of one rank with a suit missing."""
    return one == other or (RANK_OF[one] == RANK_OF[other] and not (SUIT_OF[one] and SUIT_OF[other]))


def mixed_sources(
    cards: Iterable[str], hand: Iterable[str] | None, up: Iterable[str]
) -> tuple[list[str], list[str]]:
    """Split a set from hand and table into its hand cards and its up-cards.

    A card that lay face up came from there, unless the hand is known to hold it. At least one card came from
    the table, if that is possible. It may be known in both places, or it may be an unidentified up-card.

    Args:
        cards: the set.
        hand: the hand before the play; None: not known.
        up: the up-cards before the play.
    """
    in_hand, on_table = list(hand or ()), list(up)
    from_hand: list[str] = []
    from_up: list[str] = []
    unplaced: list[str] = []
    for card in cards:
        held = lying = None
        if card != UNKNOWN:
            held, lying = same_among(card, in_hand), same_among(card, on_table)
        if held is None and lying is not None:
            on_table.remove(lying)
            from_up.append(card)
            continue
        from_hand.append(card)
        if held is not None:
            in_hand.remove(held)
        else:
            unplaced.append(card)
    either = next((card for card in from_hand if card != UNKNOWN and same_among(card, on_table)), None)
    if not from_up and either is not None:
        from_hand.remove(either)
        from_up.append(either)
    unplaced.sort(key=UNKNOWN.__eq__)  # an unidentified card may be any up-card, so it counts first
    identified = len(unplaced) - unplaced.count(UNKNOWN)
    surplus = max(identified - in_hand.count(UNKNOWN), len(unplaced) - len(in_hand))
    surplus = 0 if hand is None else surplus
    room = min(len(on_table), max(on_table.count(UNKNOWN), unplaced.count(UNKNOWN)))
    unread = min(len(unplaced), room, max(surplus, 0 if from_up else 1))
    for card in unplaced[len(unplaced) - unread :]:
        from_hand.remove(card)
        from_up.append(card)
    return from_hand, from_up


def rest_of(held: Sequence[str], played: Iterable[str]) -> list[str]:
    """Return the cards that are left of `held`. A card that is not known there is an unidentified one."""
    rest = list(held)
    for card in played:
        if rest:
            unread = UNKNOWN if UNKNOWN in rest else rest[-1]
            rest.remove(same_among(card, rest) or unread)
    return rest


def same_among(card: str, cards: Sequence[str]) -> str | None:
    """Return the entry of `cards` that is the card. Without one, return an entry that may be it, or None."""
    if card in cards:
        return card
    known = (other for other in cards if UNKNOWN not in (card, other))
    return next((other for other in known if may_be_same(card, other)), None)
