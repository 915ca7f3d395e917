"""Identifies cards: one that is read twice, and, with several packs, one of two identical cards."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.cards import copies
from vision.decks.card_classes import rank_and_colour, rank_of
from vision.following.certainty import CERTAIN, SURE
from vision.following.close_ups import PicturePair
from vision.following.pile_geometry import OFF_MM, are_two_ends, hide, hides_part, in_place
from vision.table.observations import MIN_NAME_P, FusedObservation, Observation, angle_between

_BESIDE_NAME = 0.8
"""One card is almost never read in two places at once, each time more surely than this."""
_ONE_NAME = 0.05
"""Two ends of one card are read as the same card with at least this probability; if it is lower, they are two
cards."""
_APART = 8.0, 90.0
"""Two readings nearer than this (mm, degrees) are of one place, however they are turned."""
_ABOUT_MM = 16.0
"""The place of a pile card that was found under a hand may be this far off."""
_JUST_THERE = 3.0, 4.0
"""The edges of two cards this near (mm, degrees) look like one."""
_MOVED = 45.0, 20.0
"""A hand moves a card that it is about to take by this much (mm, degrees). The outline of a half-hidden card
is off by no more mm."""
_ALONG = 30.0
"""A card turned from another by no more degrees lies along it."""
Claim = tuple[str | None, float, Observation]
"""A card that is seen: its name, the probability, and its place."""


@dataclass(slots=True)
class PileCard:
    """A card on the pile, by name, with its last known place."""

    name: str
    place: Observation | None
    sure: bool = False
    """Whether its name was almost certain while no hand was near."""
    put: int = 0
    """A number that cards put down together share; 0: it is not known when this one was put down."""
    pictured: bool = False
    """Whether the latest picture of the uncovered pile was made after it was put down."""

    @property
    def rank(self) -> str:
        """Its rank."""
        return rank_of(self.name)


def numbers_of(name: str | None, pile: Sequence[PileCard]) -> list[int]:
    """Return the numbers of the pile's cards with a name, from 0 for the lowest card."""
    return [number for number, card in enumerate(pile) if card.name == name]


def names_at(seen: Observation, pile: Sequence[PileCard]) -> list[str]:
    """Return the names of the pile's cards that are known to lie exactly where a card is seen."""
    return [card.name for card in pile if card.place and in_place(card.place, seen)]


def top_of(pile: Sequence[PileCard]) -> list[PileCard]:
    """Return the top cards of one rank, the topmost first."""
    top: list[PileCard] = []
    for card in reversed(pile):
        if card.rank != pile[-1].rank:
            break
        top.append(card)
    return top


def joined_ends(cards: Sequence[FusedObservation]) -> list[FusedObservation]:
    """Return the cards of several looks; two ends of one card, outlined as two, are put together.

    This happens if a card lies across others whose edges continue beneath it. One index is read at each end,
    so neither reading is sure. If they were two cards, the upper one would be read surely. A surely read card
    that lies along this card, and not across it, would hide one of the ends. Then they are two.
    """
    upon = [card.observation for card in cards if card.observation.best[1] >= SURE]
    joined: list[FusedObservation] = []
    for card in cards:
        for k, other in enumerate(joined):
            whole = _put_together(other.observation, card.observation)
            if whole is not None and not any(_hides_an_end(upper, whole) for upper in upon):
                joined[k] = FusedObservation(
                    whole,
                    max(other.look_count, card.look_count),
                    max(other.last_look, card.last_look),
                )
                break
        else:
            joined.append(card)
    return joined


def joined_by_name(cards: Sequence[FusedObservation], packs: int) -> list[FusedObservation]:
    """Return the cards of several looks; those of one almost certain name, near each other, are put together.

    The outline of a half-hidden card differs from look to look, but each card exists once per pack.
    """
    joined: list[FusedObservation] = []
    for card in cards:
        for k, other in enumerate(joined):
            if is_one_by_name(card.observation, other.observation, packs):
                last = max(card, other, key=lambda one: one.last_look)
                joined[k] = replace(last, look_count=card.look_count + other.look_count)
                break
        else:
            joined.append(card)
    return joined


def is_one_by_name(first: Observation, second: Observation, packs: int) -> bool:
    """Return whether two readings near each other are of one card, because both names are almost certain."""
    (name, p), (other, q) = first.best, second.best
    one_name = name is not None and name == other and copies(name, packs) == 1
    certain = min(p, q) >= CERTAIN
    return one_name and certain and math.dist(first.place, second.place) <= _MOVED[0]


def may_have_one_name(first: Observation, second: Observation) -> bool:
    """Return whether two readings may be of the same card, by their names alone."""
    both = [name for name in first.probabilities if name in second.probabilities]
    return sum(first.probabilities[name] * second.probabilities[name] for name in both) >= _ONE_NAME


def _put_together(first: Observation, second: Observation) -> Observation | None:
    """Return the card whose two ends these are, each read on its own; None if they are not."""
    names = [str(seen.best[0]) for seen in (first, second) if MIN_NAME_P <= seen.best[1] < SURE]
    if (
        len(names) < 2
        or rank_and_colour(names[0]) != rank_and_colour(names[1])
        or first.is_at(second, *_APART)
    ):
        return None
    if not may_have_one_name(first, second):
        return None
    both = [name for name in first.probabilities if name in second.probabilities]
    # If the pips are covered, both readings err in the same way. So they are averaged, not multiplied.
    odds = {name: (first.probabilities[name] + second.probabilities[name]) / 2 for name in both}
    angle = max(first, second, key=lambda seen: seen.best[1]).angle
    whole = Observation((first.x + second.x) / 2, (first.y + second.y) / 2, angle, "up", odds)
    return whole if are_two_ends(whole, first, second) else None


def _hides_an_end(upper: Observation, whole: Observation) -> bool:
    return angle_between(upper.angle, whole.angle) <= _ALONG and hides_part(upper, whole)


def possible_numbers(
    pile: Sequence[PileCard], claims: Sequence[Claim], packs: int, was: PicturePair | None
) -> list[frozenset[int]]:
    """Return the possible numbers on the pile of each card seen; none for a new card.

    A card with the name of a card on the pile may be another copy of it. `was` is given if the places of all
    cards on the pile are well known.
    """
    known = [frozenset[int]() for _ in claims]
    for name in {name for name, _, _ in claims}:
        most = copies(str(name), packs)
        numbers = numbers_of(name, pile)
        seen = [k for k, claim in enumerate(claims) if claim[0] == name]
        rest = set(numbers)
        # Each is identified with the nearest one, because cards do not move by themselves.
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
                known[k] = frozenset(numbers)  # if less surely read, it is one of them, read once more
    return known


def _is_read_as_another(claims: Sequence[Claim], k: int) -> bool:
    """Return whether a card seen is almost certainly not a repeated reading of a pile card of its name.

    In a fan every card except the top one shows only a part. So a lower probability is enough for a card that
    is seen beside another of its name, in another place.
    """
    name, _, seen = claims[k]
    others = [where for number, (other, _, where) in enumerate(claims) if other == name and number != k]
    beside = bool(others) and not any(in_place(where, seen) for where in others)
    return seen.odds(str(name)) >= (_BESIDE_NAME if beside else SURE)


def _way(seen: Observation, card: PileCard) -> float:
    """Return how far, mm, a card seen is from the last place of a card on the pile."""
    last = card.place
    return math.inf if last is None else math.dist(last.place, seen.place)


def _is_another(
    pile: Sequence[PileCard], claims: Sequence[Claim], k: int, number: int, was: PicturePair
) -> bool:
    """Return whether a card seen cannot be the pile card of the same name.

    It cannot if it was not visible before, and lies on a card that was put down later than that one. It also
    cannot if it lies elsewhere and that card is still visible. The same holds if that card is hidden and
    nothing else has moved.
    """
    name, p, seen = claims[k]
    place = pile[number].place
    if place is None or p < SURE or was.lay_there(seen):
        return False
    at_home = in_place(place, seen)
    if at_home and was.lay_there(place):
        return False
    if _lies_beneath_later(pile, number, seen, was) or _is_laid_bare(pile, claims, place, seen):
        return False
    if _changed_places(pile, claims, k, number):
        return True
    seen_before = at_home and pile[number].pictured
    if seen_before and was.shows_new(seen) and _stays_beneath(pile, number, [at for _, _, at in claims], was):
        return True
    # The order of the cards in a set that was put down at once may be unknown.
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
    stays = was.lay_there(place) or was.looks_as_before_beside(place, [where for _, _, where in claims])
    return stays or uppermost < len(pile) - 1 or hide(above, [place], OFF_MM)


def _lies_beneath_later(pile: Sequence[PileCard], number: int, seen: Observation, was: PicturePair) -> bool:
    """Return whether a card seen lies beneath one put down later than its namesake; no hand puts it there.

    Cards of its own rank are left out: their indices look like those of the card that hides them.
    """
    later = (card for card in pile[number + 1 :] if card.rank != pile[number].rank)
    return any(card.place is not None and was.index_shows_beside(card.place, seen) for card in later)


def _is_laid_bare(
    pile: Sequence[PileCard], claims: Sequence[Claim], place: Observation, seen: Observation
) -> bool:
    """Return whether a card seen lies exactly where its namesake did, and the top card has gone from it."""
    gone = pile[-1].name not in {name for name, _, _ in claims}
    return gone and place.is_at(seen, *_JUST_THERE)


def alike_lies_at(name: str, seen: Observation, pile: Sequence[PileCard]) -> bool:
    """Return whether a card of the rank and colour of `name` is known to lie exactly there."""
    return any(rank_and_colour(other) == rank_and_colour(name) for other in names_at(seen, pile))


def _changed_places(pile: Sequence[PileCard], claims: Sequence[Claim], k: int, number: int) -> bool:
    """Return whether a card seen and another lie in each other's places: new copies lie on both.

    A hand that moves cards pushes them together. It does not swap them.
    """
    name, _, seen = claims[k]
    own = pile[number]
    for other, p, where in claims:
        theirs = [card for card in pile if card.name == other]
        if p < SURE or other == name or len(theirs) != 1:
            continue
        if _lies_rather_at(theirs[0], own, seen) and _lies_rather_at(own, theirs[0], where):
            return True
    return False


def _lies_rather_at(there: PileCard, home: PileCard, seen: Observation) -> bool:
    """Return whether a card lies about where one pile card lay, and much nearer to it than to another."""
    away = _way(seen, there)
    return away <= _ABOUT_MM and 2 * away < _way(seen, home) < math.inf


def _stays_beneath(
    pile: Sequence[PileCard], number: int, upon: Sequence[Observation], was: PicturePair
) -> bool:
    """Return whether a pile card surely still lies in its place, beneath those that are seen."""
    place = pile[number].place
    return place is not None and lies_alone(number, pile) and was.edge_as_before(place, upon)


def lies_alone(number: int, pile: Sequence[PileCard]) -> bool:
    """Return whether no other pile card lies exactly there: an edge that shows belongs to this one."""
    place = pile[number].place
    others = (card.place for k, card in enumerate(pile) if k != number and card.place is not None)
    return place is not None and not any(other.is_at(place, *_JUST_THERE) for other in others)


def _set_about(number: int, pile: Sequence[PileCard]) -> tuple[int, int]:
    """Return the first and the last of the cards that were put down together with `number`."""
    first = last = number
    while first and _together(pile[first - 1], pile[number]):
        first -= 1
    while last + 1 < len(pile) and _together(pile[last + 1], pile[number]):
        last += 1
    return first, last


def _together(card: PileCard, other: PileCard) -> bool:
    return card.rank == other.rank and (card.put == other.put or not card.put or not other.put)


def _lies_upon(
    seen: Observation, number: int, pile: Sequence[PileCard], claims: Sequence[Claim], was: PicturePair
) -> bool:
    """Return whether a card seen lies on a pile card that has not moved, and hides one of its indices.

    This also holds if the card was surely not visible before and the pile card is the top one, which lay
    bare. That card must be read less surely now, because the lower of two overlapping cards shows less. Or
    the new cards must hide it.
    """
    card = pile[number]
    if card.place is None or not hides_part(seen, card.place):
        return False
    if was.lay_there(card.place):
        return True
    if card is not pile[-1] or not was.shows_new(seen):
        return False
    there = [where for name, _, where in claims if name == card.name and in_place(card.place, where)]
    if not there:
        return _is_played_upon(card.place, pile, claims)
    return any(where.probabilities[card.name] < seen.best[1] for where in there)


def _is_played_upon(top: Observation, pile: Sequence[PileCard], claims: Sequence[Claim]) -> bool:
    """Return whether the cards seen hide the top card, and one of them was just put there.

    If none was, the top card may have been taken.
    """
    names = {card.name for card in pile}
    put = [where for name, _, where in claims if name is not None and name not in names]
    return any(hides_part(where, top) for where in put) and hide(
        [where for _, _, where in claims], [top], OFF_MM
    )
