"""Cards that seem to have been put down on the pile together: which of them are most likely misread."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from operator import itemgetter
from typing import NamedTuple

from vision.decks.card_classes import rank_and_colour
from vision.following.pile_geometry import in_place
from vision.table.observations import Observation, angle_between

CERTAIN = 0.97
"""A name this probable is all but certain."""
_OTHER_RANK = 0.9
"""How surely a card must be read to be put down together with one of another rank."""
_MATE, _READ_AT_ALL = 4.0, 0.25
"""By how much likelier than another a card is one of the rank of a card that was put down with it, if it is
read so at all."""
_MUCH_LESS = 6.0
"""What is read so many times less surely is hardly it."""
_ECHO = 0.85
"""What is read less surely, where a card much like it lies, is most likely that one."""
_THROUGH, _THROUGH_MM, _THROUGH_DEGREES = 0.1, 25.0, 25.0
"""So surely is a card read as one of the other colour, and so near to that, where it is drawn through it."""
_RANK_TOLD, _RANK_PLAIN = 0.4, 2.0
"""So sure looks must be of a card's rank, and of no other one half as sure."""
_A_GUESS, _HARDLY_LESS = 0.5, 2.0
"""A name read less surely is a guess, and one that is read half as surely is hardly less likely."""
_ACROSS = 40.0
"""Degrees by which a card that lies covered is not turned without being taken up."""
Lying = Mapping[str, Observation | None]
"""Cards that lie on the pile, each with where it was last seen."""
NOTHING_LIES: Lying = {}
NewCard = tuple[str, float, Observation]
"""A card that was not there before: its name (or `??`), how sure that is, and where it lies."""
Named = tuple[str | None, float]
"""What a card most likely is, and how likely."""
ShowsNew = Callable[[Observation], bool]
"""Tells whether a card surely was not to be seen before."""


def unknown(_: Observation) -> bool:
    """Tell nothing: no picture shows whether a card is new."""
    return False


class Pictured(NamedTuple):
    """What pictures of the pile tell of cards that are seen there, and of cards that are not."""

    shows_new: ShowsNew = unknown
    stays: Callable[[Observation, Sequence[Observation], Sequence[Observation]], bool] = (
        lambda card, upon, alike: False
    )
    """Tells whether a card surely lies where it did beneath others, and none of those alike it is it."""
    changed: Callable[[Observation], bool] = unknown
    """Tells whether the whole place of a card surely shows something else than before."""


NOTHING_PICTURED = Pictured()


def one_set(
    new: Sequence[NewCard],
    unseen: Lying = NOTHING_LIES,
    shows_new: ShowsNew = unknown,
    ranks: Collection[str] = (),
    on_pile: Collection[str] | None = None,
) -> list[NewCard]:
    """Return new cards, lowest first, without doubtful ones of another rank than the surest.

    Half-covered cards are easily misread; what is read best lies on top. The surest is of one of `ranks`,
    where any is. Cards of several ranks stay when each is read surely: then somebody did play them. But any
    but the surest may be one that lay there and is `unseen`, see `may_be_one_of`, unless the picture shows
    that one of the surest's rank was not there: what lies under others shows less and less.
    """
    if not new:
        return []
    surest = max([c for c in new if c[0][:-1] in ranks] or new, key=lambda card: card[1])
    rank = surest[0][:-1]
    likely = [
        c
        for c in new
        if c is surest or not may_be_one_of(unseen, c) or (c[0][:-1] == rank and shows_new(c[2]))
    ]
    return sorted(of_ranks({rank}, likely, unseen, on_pile=on_pile), key=lambda card: card[0][:-1] == rank)


def with_mates(named: Sequence[Named], cards: Sequence[Observation], known: Collection[str]) -> list[Named]:
    """Return the names of cards, a doubtful one's being that of a new card's mate where it is likeliest so.

    Cards that one hand puts down at once are nearly always of one rank. A mate is of the rank of a card that
    is surely read and none of those `known` to have lain there. One of its own colour may be the same card,
    outlined twice, unless it is hardly read as that one.
    """
    sure = [name for name, p in named if name is not None and p >= _OTHER_RANK and name not in known]
    given = {name for name, _ in named}
    better = []
    for (name, p), card in zip(named, cards, strict=True):
        left = {other: q for other, q in card.probabilities.items() if other == name or other not in given}
        likely = max(left, key=lambda other: left[other], default="")
        q = left.get(likely, 0.0)
        alike = [one for one in sure if one[:-1] == likely[:-1]]
        its_like = [one for one in alike if rank_and_colour(one) == rank_and_colour(likely)]
        other_suit = all(_MUCH_LESS * card.probabilities.get(one, 0.0) <= q for one in its_like)
        if q >= _READ_AT_ALL and p < _OTHER_RANK and alike and other_suit:
            name, p = likely, max(p, q * _MATE / (1.0 + q * (_MATE - 1.0)))
            given.add(name)
        better.append((name, p))
    return better


def of_ranks(
    ranks: Collection[str],
    new: Sequence[NewCard],
    unseen: Lying = NOTHING_LIES,
    sure: float = _OTHER_RANK,
    on_pile: Collection[str] | None = None,
) -> list[NewCard]:
    """Drop doubtful cards of other ranks than `ranks`, see `one_set`: those read less than `sure`ly.

    Of a rank that is not among the cards `on_pile`, where these are given, the rank must be sure and not the
    suit; of one that is, what seems new may be one of those that was outlined twice.
    """
    there = None if on_pile is None else {name[:-1] for name in on_pile}

    def surely(card: NewCard) -> float:
        return _surely_read(card) if there is None or card[0][:-1] in there else _rank_surely_read(card)

    return [
        card
        for card in new
        if card[0][:-1] in ranks or (surely(card) >= sure and not may_be_one_of(unseen, card))
    ]


def is_read_as_one_of(unseen: Collection[str], card: NewCard) -> bool:
    """Tell whether a card that seems new is rather read as one that lies there and is not seen.

    That one is of its rank and colour, and may have been moved: a pile was straightened. Of what is read as
    no card surely any other may be it that is hardly less likely.
    """
    name, _, seen = card
    read = seen.probabilities.get(name, 0.0)
    alike = [seen.probabilities.get(n, 0.0) for n in unseen if rank_and_colour(n) == rank_and_colour(name)]
    others = [_HARDLY_LESS * seen.probabilities.get(n, 0.0) for n in unseen] if 0 < read < _A_GUESS else []
    return max([*alike, *others], default=0.0) > read


def may_be_one_of(unseen: Lying, card: NewCard) -> bool:
    """Tell whether a card that seems new may be one that lies there and is not seen, its suit misread.

    That one is of its rank and colour and does not lie across it; and the new one was not read all but
    certainly, or well and hardly at all as that one: what else it may be says nothing for that one.
    """
    name, _, seen = card
    kind = rank_and_colour(name)
    alike = ((other, place) for other, place in unseen.items() if rank_and_colour(other) == kind)
    there = [n for n, place in alike if place is None or angle_between(place.angle, seen.angle) <= _ACROSS]
    surely = _surely_read(card)
    if not there or surely >= CERTAIN:
        return False
    either = surely + sum(seen.probabilities.get(other, 0.0) for other in there)
    return surely < max(_OTHER_RANK, CERTAIN * either)


def _surely_read(card: NewCard) -> float:
    """Return how surely a card was read; that what rivals it lies elsewhere does not make it surer.

    Nor does it make a card doubtful that is read all but certainly that another one lay in its place.
    """
    name, p, seen = card
    read = seen.probabilities.get(name, 0.0)
    return read if read >= CERTAIN else min(p, read)


def _rank_surely_read(card: NewCard) -> float:
    """Return how surely a card's rank was read: where another card covers its pip, the suit is a guess."""
    name, _, seen = card
    return max(_surely_read(card), rank_odds(seen, name[:-1]))


def rank_odds(seen: Observation, rank: str) -> float:
    """Return the probability that a card is of a rank, whatever its suit."""
    return sum(p for name, p in seen.probabilities.items() if name[:-1] == rank)


def is_echo(card: NewCard, known: Sequence[tuple[str, Observation]], kind: Callable[[str], Hashable]) -> bool:
    """Tell whether what seems new is a known card of its kind, read once more by another of its indices.

    It is read doubtfully and lies just there: of two cards in one place the upper one is read well.
    """
    there = (other for other, where in known if in_place(where, card[2]))
    return _surely_read(card) < _ECHO and any(kind(other) == kind(card[0]) for other in there)


def is_drawn_through(card: NewCard, unseen: Lying) -> bool:
    """Tell whether what seems new was outlined through one of its rank that lies about there and is not seen.

    Of one card a covered pip leaves the suit open, but not the colour: it is read as that one, too, and that
    one is of the other colour.
    """
    name, _, seen = card
    others = ((other, place) for other, place in unseen.items() if other[:-1] == name[:-1] and place)
    through = any(
        rank_and_colour(other) != rank_and_colour(name)
        and seen.probabilities.get(other, 0.0) >= _THROUGH
        and place.is_at(seen, _THROUGH_MM, _THROUGH_DEGREES)
        for other, place in others
    )
    return through and _surely_read(card) < _OTHER_RANK


def rank_told(seen: Observation) -> str | None:
    """Return the rank that a card most likely has, whatever its suit; None where that is not plain."""
    ranks = {name[:-1]: rank_odds(seen, name[:-1]) for name in seen.probabilities}
    (rank, surely), *others = sorted(ranks.items(), key=itemgetter(1), reverse=True) or [("", 0.0)]
    plain = surely >= _RANK_TOLD and all(surely >= _RANK_PLAIN * p for _, p in others)
    return rank if plain else None
