"""Which cards are seen: of what is read twice, one; of several packs, one of the same name or another."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from engine.cards import copies
from vision.decks.card_classes import rank_and_colour
from vision.following.pile_geometry import are_two_ends, hide, hides_part, in_place
from vision.table.observations import MIN_NAME, Seen, Settled, turn_between

SURE_NAME = 0.9
"""A card that is named less surely than this may show in part alone."""
_BESIDE_NAME = 0.8
"""One card is hardly ever read twice at once, each time more surely than this, in two places."""
_ONE_NAME = 0.05
"""Two ends of one card are read as one card with at least this probability; less likely they are two."""
_APART = 8.0, 90.0
"""Nearer than this, mm, two readings are of one place, however turned."""
_ABOUT_MM = 16.0
"""So far off may a card on the pile be whose place was told as a hand was over it."""
_JUST_THERE = 3.0, 4.0
"""So little off, mm and degrees, two cards' edges cannot be told from one another."""
_MOVED = 45.0, 20.0
"""By so much, mm and degrees, a hand moves a card that it is about to take."""
_ALONG = 30.0
"""A card turned from another one by no more degrees lies along it."""
OFF_MM = 5.0
"""So far outlines may be off when one card just hides another's index."""
Claim = tuple[str | None, float, Seen]
"""A card that is seen: its name, how sure that is, and where it lies."""


class Before(NamedTuple):
    """What pictures tell of what was to be seen before."""

    placed: Callable[[Seen], bool]
    """Whether a card surely was to be seen just there."""
    hidden: Callable[[Seen], bool]
    """Whether it surely was not."""
    stays: Callable[[Seen, Sequence[Seen]], bool]
    """Whether what shows of a place beside cards that lie upon it looks as it did before."""
    free: bool = True
    """Whether no hand is there now: one may be moving what lies there."""
    edge_stays: Callable[[Seen, Sequence[Seen]], bool] = lambda card, upon: False
    """Whether a card's edge, beside cards that lie upon it, is just where it was."""
    shows_beside: Callable[[Seen, Seen], bool] = lambda card, other: False
    """Whether a card's index that another would hide, if it lay upon it, is to be seen where it was."""


@dataclass(slots=True)
class PileCard:
    """A card on the pile, by name, with the place where it was last seen."""

    name: str
    place: Seen | None
    sure: bool = False
    """Whether it was all but certainly read while no hand was near."""
    put: int = 0
    """Cards that were put down together bear one number; 0: it is not known when this one was."""


def numbers_of(name: str | None, pile: Sequence[PileCard]) -> list[int]:
    """Return which cards of a pile, from 0 for the lowest, bear a name."""
    return [number for number, card in enumerate(pile) if card.name == name]


def names_at(seen: Seen, pile: Sequence[PileCard]) -> list[str]:
    """Return the names of the cards of a pile that are known to lie just where a card is seen."""
    return [card.name for card in pile if card.place and in_place(card.place, seen)]


def top_of(pile: Sequence[PileCard]) -> list[PileCard]:
    """Return the uppermost cards of one rank, the uppermost first."""
    top: list[PileCard] = []
    for card in reversed(pile):
        if card.name[:-1] != pile[-1].name[:-1]:
            break
        top.append(card)
    return top


def joined_ends(cards: Sequence[Settled]) -> list[Settled]:
    """Return what several looks see, with the two ends of a card outlined as two cards put together.

    That happens where a card lies across others whose edges run on beneath it. Of each end one index is read,
    so that neither is read surely; of two cards that lie so the upper one would be. Where one that is surely
    read lies along the card, and not across it, it would hide one of the ends.
    """
    upon = [card.seen for card in cards if card.seen.best[1] >= SURE_NAME]
    joined: list[Settled] = []
    for card in cards:
        for k, other in enumerate(joined):
            whole = _put_together(other.seen, card.seen)
            if whole is not None and not any(_hides_an_end(upper, whole) for upper in upon):
                joined[k] = Settled(whole, max(other.looks, card.looks))
                break
        else:
            joined.append(card)
    return joined


def _put_together(first: Seen, second: Seen) -> Seen | None:
    """Return the card of whose two ends these are, each read on its own; None where they are not."""
    names = [str(seen.best[0]) for seen in (first, second) if MIN_NAME <= seen.best[1] < SURE_NAME]
    if (
        len(names) < 2
        or rank_and_colour(names[0]) != rank_and_colour(names[1])
        or first.is_at(second, *_APART)
    ):
        return None
    both = first.odds.keys() & second.odds.keys()
    if sum(first.odds[name] * second.odds[name] for name in both) < _ONE_NAME:
        return None
    # Where the pips are covered both are misread alike: so they are averaged, and not multiplied.
    odds = {name: (first.odds[name] + second.odds[name]) / 2 for name in both}
    angle = max(first, second, key=lambda seen: seen.best[1]).angle
    whole = Seen((first.x + second.x) / 2, (first.y + second.y) / 2, angle, "up", odds)
    return whole if are_two_ends(whole, first, second) else None


def _hides_an_end(upper: Seen, whole: Seen) -> bool:
    return turn_between(upper.angle, whole.angle) <= _ALONG and hides_part(upper, whole)


def told_apart(
    pile: Sequence[PileCard], claims: Sequence[Claim], packs: int, was: Before | None
) -> list[frozenset[int]]:
    """Return for each card seen which of those on the pile it is, by number; none for one that is new.

    One that bears the name of a card on the pile may be another copy of it. `was` is given
    where the places of all cards on the pile are known well.
    """
    known = [frozenset[int]() for _ in claims]
    for name in {name for name, _, _ in claims}:
        most = copies(str(name), packs)
        numbers = numbers_of(name, pile)
        seen = [k for k, claim in enumerate(claims) if claim[0] == name]
        rest = set(numbers)
        # Each is taken for the nearest: cards do not move by themselves.
        pairs = ((k, number) for k in seen for number in numbers)
        for k, number in sorted(pairs, key=lambda pair: _way(claims[pair[0]][2], pile[pair[1]])):
            if known[k] or number not in rest:
                continue
            room = len(numbers) + len(seen) <= most
            if room and was is not None and _is_another(pile, claims, k, number, was):
                continue
            known[k] = frozenset({number})
            rest.remove(number)
        full = len(numbers) >= most
        for k in seen:
            if not known[k] and (full or not _is_read_as_another(claims, k)):
                known[k] = frozenset(numbers)  # what is less surely read is one of them read once more
    return known


def _is_read_as_another(claims: Sequence[Claim], k: int) -> bool:
    """Tell whether a card seen is hardly one of those of its name on the pile, read once more.

    Of cards in a fan all but the uppermost show less than that: beside another of its name, and in no place
    of that, it need not be read so surely.
    """
    name, _, seen = claims[k]
    others = [where for number, (other, _, where) in enumerate(claims) if other == name and number != k]
    beside = bool(others) and not any(in_place(where, seen) for where in others)
    return seen.odds.get(str(name), 0.0) >= (_BESIDE_NAME if beside else SURE_NAME)


def _way(seen: Seen, card: PileCard) -> float:
    """Return how far, mm, a card seen lies from where one on the pile was seen last."""
    place = card.place
    return math.inf if place is None else math.dist((place.x, place.y), (seen.x, seen.y))


def _is_another(pile: Sequence[PileCard], claims: Sequence[Claim], k: int, number: int, was: Before) -> bool:
    """Tell whether a card seen cannot be the one on the pile that bears its name.

    It was not to be seen before, and lies upon a card that was put down later than that one; or it lies
    elsewhere, while that one is still to be seen, or is hidden and nothing else has moved.
    """
    name, p, seen = claims[k]
    place = pile[number].place
    if place is None or p < SURE_NAME or was.placed(seen):
        return False
    at_home = in_place(place, seen)
    if at_home and was.placed(place):
        return False
    if _lies_beneath_later(pile, number, seen, was) or _is_laid_bare(pile, claims, place, seen):
        return False
    if _changed_places(pile, claims, k, number):
        return True
    if at_home and was.hidden(seen) and _stays_beneath(pile, number, [where for _, _, where in claims], was):
        return True
    # Of a set that was put down at once it may not be known which card lies on which.
    lowest, uppermost = _set_about(number, pile)
    first_above = 1 + (uppermost if at_home else number)
    if any(_lies_upon(seen, later, pile, claims, was) for later in range(first_above, len(pile))):
        return True
    if at_home or (not was.free and seen.is_at(place, *_MOVED)):
        return False
    names = {card.name for card in pile}
    others = [(other, where) for other, _, where in claims if other != name and other in names]
    if any(not alike_lies_at(other, where, pile) for other, where in others):
        return False
    below = {card.name for card in pile[:lowest]}
    above = [where for other, _, where in claims if other not in below]
    stays = was.placed(place) or was.stays(place, [where for _, _, where in claims])
    return stays or uppermost < len(pile) - 1 or hide(above, [place], OFF_MM)


def _lies_beneath_later(pile: Sequence[PileCard], number: int, seen: Seen, was: Before) -> bool:
    """Tell whether a card seen lies beneath one put down later than one of its name: no hand puts it there.

    The index of one of its own rank would look like the one that hides it.
    """
    later = (card for card in pile[number + 1 :] if card.name[:-1] != pile[number].name[:-1])
    return any(card.place is not None and was.shows_beside(card.place, seen) for card in later)


def _is_laid_bare(pile: Sequence[PileCard], claims: Sequence[Claim], place: Seen, seen: Seen) -> bool:
    """Tell whether a card seen lies exactly where one of its name did, the uppermost one gone from it."""
    gone = pile[-1].name not in {name for name, _, _ in claims}
    return gone and place.is_at(seen, *_JUST_THERE)


def alike_lies_at(name: str, seen: Seen, pile: Sequence[PileCard]) -> bool:
    """Tell whether a card of the rank and colour of `name` is known to lie just there."""
    return any(rank_and_colour(other) == rank_and_colour(name) for other in names_at(seen, pile))


def _changed_places(pile: Sequence[PileCard], claims: Sequence[Claim], k: int, number: int) -> bool:
    """Tell whether a card seen, and another one, each lie where the other lay: two like them lie upon both.

    A hand that moves cards pushes them together, and does not change them round.
    """
    name, _, seen = claims[k]
    own = pile[number]
    for other, p, where in claims:
        theirs = [card for card in pile if card.name == other]
        if p < SURE_NAME or other == name or len(theirs) != 1:
            continue
        if _lies_rather_at(theirs[0], own, seen) and _lies_rather_at(own, theirs[0], where):
            return True
    return False


def _lies_rather_at(there: PileCard, home: PileCard, seen: Seen) -> bool:
    """Tell whether a card lies about where one of the pile lay, and much nearer to that than to another."""
    away = _way(seen, there)
    return away <= _ABOUT_MM and 2 * away < _way(seen, home) < math.inf


def _stays_beneath(pile: Sequence[PileCard], number: int, upon: Sequence[Seen], was: Before) -> bool:
    """Tell whether a card of the pile surely lies where it did, beneath those that are seen."""
    place = pile[number].place
    return place is not None and lies_alone(number, pile) and was.edge_stays(place, upon)


def lies_alone(number: int, pile: Sequence[PileCard]) -> bool:
    """Tell whether no other card of the pile lies just there: an edge that shows there is this one's."""
    place = pile[number].place
    others = (card.place for k, card in enumerate(pile) if k != number and card.place is not None)
    return place is not None and not any(other.is_at(place, *_JUST_THERE) for other in others)


def _set_about(number: int, pile: Sequence[PileCard]) -> tuple[int, int]:
    """Return the first and the last of the cards that were put down together, of which one is `number`."""
    first = last = number
    while first and _together(pile[first - 1], pile[number]):
        first -= 1
    while last + 1 < len(pile) and _together(pile[last + 1], pile[number]):
        last += 1
    return first, last


def _together(card: PileCard, other: PileCard) -> bool:
    return card.name[:-1] == other.name[:-1] and (card.put == other.put or not card.put or not other.put)


def _lies_upon(
    seen: Seen, number: int, pile: Sequence[PileCard], claims: Sequence[Claim], was: Before
) -> bool:
    """Tell whether a card seen lies upon one of the pile that has not moved: it hides an index of that.

    Or, if it surely was not to be seen before, upon the uppermost one, which lay bare and is read less surely
    now: of two that overlap the lower one shows less. Or it helped to hide that one.
    """
    card = pile[number]
    if card.place is None or not hides_part(seen, card.place):
        return False
    if was.placed(card.place):
        return True
    if card is not pile[-1] or not was.hidden(seen):
        return False
    there = [where for name, _, where in claims if name == card.name and in_place(card.place, where)]
    if not there:
        return _is_played_upon(card.place, pile, claims)
    return any(where.odds[card.name] < seen.best[1] for where in there)


def _is_played_upon(top: Seen, pile: Sequence[PileCard], claims: Sequence[Claim]) -> bool:
    """Tell whether what is seen hides the uppermost card, and one at least that has just been put there.

    If none has, that card may have been taken.
    """
    names = {card.name for card in pile}
    put = [where for name, _, where in claims if name is not None and name not in names]
    return any(hides_part(where, top) for where in put) and hide(
        [where for _, _, where in claims], [top], OFF_MM
    )
