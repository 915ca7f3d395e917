"""Cards that seem to have been put on the pile together: finds those that are most likely misread."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from operator import itemgetter
from typing import NamedTuple

from vision.decks.card_classes import rank_and_colour, rank_of
from vision.following.certainty import CERTAIN, QUITE_SURE, READ_AT_ALL, SURE
from vision.following.close_ups import NO_PICTURES, PicturePair
from vision.following.pile_geometry import in_place, roughly_at
from vision.table.observations import Observation, angle_between

_MATE = 4.0
"""How many times likelier a card has the rank of a card put down with it, if it is read so at all."""
_MUCH_LESS = 6.0
"""A card is most likely not what it is read as this many times less surely than as another."""
_THROUGH = 0.1
"""An outline drawn through a card of the other colour reads it with at least this probability."""
_RANK_TOLD, _RANK_PLAIN = 0.4, 2.0
"""A card's rank is clear if its probability is at least the first number, and this many times that of any
other rank."""
_A_GUESS, _HARDLY_LESS = 0.5, 2.0
"""A name less likely than the first number is a guess. Then a name half as likely may be right, too."""
_LIES_ACROSS_DEGREES = 40.0
"""A covered card does not turn by more degrees than this unless it is taken up."""
Lying = Mapping[str, Observation | None]
"""Cards that lie on the pile, each with its last known place."""
NOTHING_LIES: Lying = {}
"""No card lies on the pile."""
Named = tuple[str | None, float]
"""The likeliest name of a card, and its probability."""


class NewCard(NamedTuple):
    """A card that was not there before."""

    name: str
    """Its name, or `??`."""
    p: float
    """The probability of that name."""
    seen: Observation
    """Its reading, with its place."""

    @property
    def rank(self) -> str:
        """Its rank."""
        return rank_of(self.name)

    @property
    def read(self) -> float:
        """How surely it was read as that card, whatever else is known of it."""
        return self.seen.odds(self.name)


def without_doubtful(
    new: Sequence[NewCard],
    unseen: Lying = NOTHING_LIES,
    pictured: PicturePair = NO_PICTURES,
    ranks: Collection[str] = (),
    on_pile: Collection[str] | None = None,
) -> list[NewCard]:
    """Return new cards, lowest first, without doubtful ones of another rank than the surest.

    Half-covered cards are easily misread; the card that is read best lies on top. The surest card has one of
    `ranks`, if any card does. Cards of several ranks stay if each is read surely, because then a player did
    play them. A card other than the surest is dropped if it may be an `unseen` card that lay there, see
    `may_be_one_of`. It stays if it has the surest card's rank and a picture shows that it is new. A picture
    does not make up for a guess: the outline of a partly hidden card may be off. A card under others shows
    less and less.
    """
    if not new:
        return []
    surest = max([c for c in new if c.rank in ranks] or new, key=lambda card: card.p)
    rank = surest.rank
    likely = [
        c
        for c in new
        if c is surest
        or not may_be_one_of(unseen, c)
        or (c.rank == rank and pictured.shows_new(c.seen) and not is_read_as_one_of(unseen, c))
    ]
    return sorted(without_other_ranks({rank}, likely, on_pile, unseen), key=lambda card: card.rank == rank)


def named_like_mates(
    named: Sequence[Named], cards: Sequence[Observation], known: Collection[str]
) -> list[Named]:
    """Return the names of cards; a doubtful card gets the rank of a sure new card if that is likely.

    Cards that one hand puts down at once nearly always have one rank. The sure card must be new, so none of
    `known`. A doubtful card of the same colour may be the sure card, outlined twice, unless it is hardly read
    as that card.
    """
    sure = [name for name, p in named if name is not None and p >= SURE and name not in known]
    given = {name for name, _ in named}
    better = []
    for (name, p), card in zip(named, cards, strict=True):
        left = {other: q for other, q in card.probabilities.items() if other == name or other not in given}
        likely = max(left, key=lambda other: left[other], default="")
        q = left.get(likely, 0.0)
        alike = [one for one in sure if rank_of(one) == rank_of(likely)]
        its_like = [one for one in alike if rank_and_colour(one) == rank_and_colour(likely)]
        other_suit = all(_MUCH_LESS * card.odds(one) <= q for one in its_like)
        if q >= READ_AT_ALL and p < SURE and alike and other_suit:
            name, p = likely, max(p, q * _MATE / (1.0 + q * (_MATE - 1.0)))
            given.add(name)
        better.append((name, p))
    return better


def without_other_ranks(
    ranks: Collection[str],
    new: Sequence[NewCard],
    on_pile: Collection[str] | None,
    unseen: Lying = NOTHING_LIES,
    sure: float = SURE,
) -> list[NewCard]:
    """Drop cards of ranks other than `ranks` that are read less than `sure`ly; see `without_doubtful`.

    If `on_pile` is given, and a card's rank is not on the pile, only its rank must be sure, not its suit. If
    the rank is there, a card that seems new may be one of them, outlined twice.
    """
    there = None if on_pile is None else {rank_of(name) for name in on_pile}

    def surely(card: NewCard) -> float:
        return _surely_read(card) if there is None or card.rank in there else _rank_surely_read(card)

    return [
        card
        for card in new
        if card.rank in ranks or (surely(card) >= sure and not may_be_one_of(unseen, card))
    ]


def is_read_as_one_of(unseen: Collection[str], card: NewCard) -> bool:
    """Return whether a card that seems new more likely lay there already, and is not seen.

    That card has the same rank and colour, and may have been moved: a pile was straightened. If the new name
    is a guess, any unseen card counts that is more than half as likely.
    """
    kind, odds = rank_and_colour(card.name), card.seen.odds
    alike = [odds(name) for name in unseen if rank_and_colour(name) == kind]
    others = [_HARDLY_LESS * odds(name) for name in unseen] if 0 < card.read < _A_GUESS else []
    return max([*alike, *others], default=0.0) > card.read


def may_be_one_of(unseen: Lying, card: NewCard) -> bool:
    """Return whether a card that seems new may be an unseen card of the pile, its suit misread.

    The unseen card has the same rank and colour, and does not lie across the new one. A new card with an
    almost certain name is none. It is also none if it is read well, and hardly as the unseen card. Other
    names it may have do not matter.
    """
    seen, kind = card.seen, rank_and_colour(card.name)
    alike = ((name, place) for name, place in unseen.items() if rank_and_colour(name) == kind)
    there = [
        n
        for n, place in alike
        if place is None or angle_between(place.angle, seen.angle) <= _LIES_ACROSS_DEGREES
    ]
    surely = _surely_read(card)
    if not there or surely >= CERTAIN:
        return False
    either = surely + sum(map(seen.odds, there))
    return surely < max(SURE, CERTAIN * either)


def _surely_read(card: NewCard) -> float:
    """Return how surely a card was read, without the support of rivals that lie elsewhere.

    An almost certain reading stays certain, even if another card lay in that place.
    """
    return card.read if card.read >= CERTAIN else min(card.p, card.read)


def _rank_surely_read(card: NewCard) -> float:
    """Return how surely a card's rank was read: if another card covers its pip, the suit is a guess."""
    return max(_surely_read(card), rank_odds(card.seen, card.rank))


def rank_odds(seen: Observation, rank: str) -> float:
    """Return the probability that a card is of a rank, whatever its suit."""
    return sum(p for name, p in seen.probabilities.items() if rank_of(name) == rank)


def is_duplicate_reading(
    card: NewCard, known: Sequence[tuple[str, Observation]], kind: Callable[[str], Hashable]
) -> bool:
    """Return whether a card that seems new is a known one of its kind, read again by another index.

    It is read doubtfully and lies exactly there. If two cards lay in one place, the upper would be read well.
    """
    there = (other for other, where in known if in_place(where, card.seen))
    return _surely_read(card) < QUITE_SURE and any(kind(other) == kind(card.name) for other in there)


def is_drawn_through(card: NewCard, unseen: Lying) -> bool:
    """Return whether a new card's outline was drawn through an unseen card of its rank about there.

    A covered pip leaves the suit of a card open, but not its colour. This outline is also read as the unseen
    card, which has the other colour.
    """
    others = ((name, place) for name, place in unseen.items() if rank_of(name) == card.rank and place)
    through = any(
        rank_and_colour(name) != rank_and_colour(card.name)
        and card.seen.odds(name) >= _THROUGH
        and roughly_at(place, card.seen)
        for name, place in others
    )
    return through and _surely_read(card) < SURE


def clear_rank(seen: Observation) -> str | None:
    """Return the rank of a card, whatever its suit; None if it is not clear."""
    ranks = {rank_of(name): rank_odds(seen, rank_of(name)) for name in seen.probabilities}
    (rank, surely), *others = sorted(ranks.items(), key=itemgetter(1), reverse=True) or [("", 0.0)]
    plain = surely >= _RANK_TOLD and all(surely >= _RANK_PLAIN * p for _, p in others)
    return rank if plain else None
