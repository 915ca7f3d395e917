"""Readings of the play pile beside or under a hand: a card may leave with the hand and never be seen free."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean

from vision.decks.card_classes import rank_and_colour, rank_of
from vision.following.certainty import CERTAIN, FAIRLY_LIKELY, LIKELY, QUITE_SURE, SURE, VERY_SURE
from vision.following.looks import AGREEING_LOOKS, Look
from vision.following.pile import PileView
from vision.following.pile_geometry import in_place, same_card
from vision.following.scene import Scene
from vision.following.sets import NewCard
from vision.table.layout import PLAY, Layout
from vision.table.observations import MIN_NAME_P, Observation

_SECONDS = 4.0
"""How long such a reading counts."""
_REMEMBERED_READINGS = 20
"""Number of readings that are kept at most."""
_CARRY_SECONDS = 1.0
"""A hand carries the cards that it took for no longer than this."""
_OFTEN_LOOKS = 3
"""In so many looks a card of the rank just put down may be read less surely."""
_OFTEN_READINGS = 4
"""So often a card below others must be read if looks disagree on its place."""
_AT_REST = ((AGREEING_LOOKS, CERTAIN), (AGREEING_LOOKS + 1, SURE))
"""Numbers of looks under a resting hand, and how surely they must name all cards that it has put down."""
_AT_REST_SECONDS = 0.7
"""The longest time over which these looks may be spread."""


@dataclass(slots=True)
class OccludedReadings:
    """Remembers cards read under hands for a few seconds."""

    _read: list[tuple[float, Observation]] = field(default_factory=list)
    _resting: list[tuple[float, list[Observation]]] = field(default_factory=list)
    _taken_off: frozenset[str] = frozenset()
    _taken_till: float = -math.inf

    def taken_off(self, names: Collection[str], t: float) -> None:
        """Note that these cards were taken off the pile at `t`.

        They are also read in the hand that carries them, and these readings do not count.
        """
        self._taken_off, self._taken_till = frozenset(names), t + _CARRY_SECONDS
        self._read = [(when, seen) for when, seen in self._read if seen.best[0] not in self._taken_off]

    def note(self, look: Look, layout: Layout, lay_there: Callable[[Observation], bool]) -> None:
        """Remember the cards under arms in one look, except those that `lay_there` before."""
        carried = self._taken_off if look.t < self._taken_till else ()
        for held in look.under_arms:
            name, p = held.seen.best
            if name is None or p < MIN_NAME_P or held.seen.face != "up" or (held.moving and p < VERY_SURE):
                continue
            on_pile = layout.zone_at(held.seen.x, held.seen.y) == PLAY
            if on_pile and name not in carried and (p >= CERTAIN or not lay_there(held.seen)):
                self._read = [*self._read[-_REMEMBERED_READINGS:], (look.t, held.seen)]

    def note_at_rest(self, look: Look, scene: Scene) -> None:
        """Remember the cards that lie at rest on the pile under resting hands."""
        lying = [
            held.seen
            for held in look.under_arms
            if scene.hand_rests(held.seat) and not held.moving and held.seen.best[1] >= _AT_REST[-1][1]
        ]
        on_pile = [seen for seen in lying if scene.layout.zone_at(seen.x, seen.y) == PLAY]
        self._resting = [(t, cards) for t, cards in self._resting if look.t - t < _AT_REST_SECONDS]
        self._resting.append((look.t, on_pile))

    def at_rest(self) -> Iterator[tuple[float, list[list[Observation]], float]]:
        """Yield the start of the time that cards have been at rest under a hand, and the looks at them.

        Each comes with the probability that all new names must have in so many looks before they are
        reported.
        """
        for looks, sure in _AT_REST:
            if len(self._resting) >= looks:
                lately = self._resting[-looks:]
                yield lately[0][0], [cards for _, cards in lately], sure

    def forget(self) -> None:
        """Forget the readings: the pile is seen now, and any other card has left with the hand."""
        self._read.clear()

    def clear_resting(self) -> None:
        """Note that the cards at rest are settled."""
        self._resting.clear()

    def lately(self, now: float, *, since: float = -math.inf) -> list[Observation]:
        """Return the readings after `since` that count now, oldest first."""
        return [seen for t, seen in self._recent(now) if t > since]

    def _recent(self, now: float) -> list[tuple[float, Observation]]:
        return [(t, seen) for t, seen in self._read if now - t < _SECONDS]

    def named_as_read(self, view: PileView, ranks: Collection[str], known: Collection[str]) -> PileView:
        """Return a view of the pile in which doubtful cards are named as they were read under the hand.

        A partly covered card may show too little once the hand has left. The name must fit the new cards
        beside it, or the `ranks` just put down, and must not be among `known`. The readings under the hand
        also count for the suit of a new card.
        """
        ranks = {card.rank for card in view.new} or ranks
        taken = {*known, *(card.name for card in view.new)}
        new = [self._read_at(card.seen, ranks) for card in view.doubtful]
        fitting = [card for card in new if card is not None and card.name not in taken]
        named = [self._with_readings(card, view.looks, taken) for card in view.new]
        return replace(view, new=(*named, *fitting))

    def _with_readings(self, card: NewCard, looks: int, taken: Collection[str]) -> NewCard:
        """Return a card seen in `looks` looks, its suit decided also by the readings under the hand."""
        name, p, seen = card
        kind = rank_and_colour(name)
        there = [other for other in self._lately_read() if same_card(other, seen)]
        alike = [other for other in there if rank_and_colour(str(other.best[0])) == kind]
        if p >= QUITE_SURE or not alike:
            return card
        every = [*alike, *[seen] * looks]
        names = {n for other in every for n in other.probabilities if rank_and_colour(n) == kind}
        odds = {n: sum(other.odds(n) for other in every) / len(every) for n in names - {*taken} | {name}}
        best = max(sorted(odds), key=lambda n: odds[n])
        return NewCard(best, max(odds[best], p if best == name else 0.0), seen)

    def _lately_read(self) -> list[Observation]:
        """Return the readings that counted when a card was last read."""
        return self.lately(self._read[-1][0] if self._read else 0.0)

    def _read_at(self, place: Observation, ranks: Collection[str]) -> NewCard | None:
        """Return the card of one of these ranks that was lately read surely where a card is seen now."""
        there = [
            seen
            for seen in self._lately_read()
            if rank_of(seen.best[0]) in ranks and seen.best[1] >= QUITE_SURE and same_card(seen, place)
        ]
        surest = max(there, key=_surely, default=None)
        return None if surest is None else NewCard(str(surest.best[0]), surest.best[1], place)

    def since(self, names: Collection[str], now: float) -> float:
        """Return when one of these cards was first read. At least one of them must count now."""
        return min(t for t, seen in self._recent(now) if seen.best[0] in names)

    def sure(self, known: Collection[str], now: float, ranks: Collection[str]) -> list[NewCard]:
        """Return cards that were read in two looks, one of them sure, and are not among `known`.

        Cards come in sets. So a card that shares its rank with such a card need be read only once, if surely.
        A card of the `ranks` just put down must be read a few times, less surely.
        """
        recent = self._recent(now)
        once: list[NewCard] = []
        twice: list[NewCard] = []
        for name in sorted({str(seen.best[0]) for _, seen in recent} - set(known)):
            read = [(t, card) for t, card in recent if card.best[0] == name]
            seen, looks = [card for _, card in read], len({t for t, _ in read})
            surest = max(seen, key=_surely)
            often = (
                rank_of(name) in ranks
                and looks >= _OFTEN_LOOKS
                and fmean(map(_surely, seen)) >= FAIRLY_LIKELY
            )
            if surest.best[1] >= QUITE_SURE or often:
                (twice if looks >= AGREEING_LOOKS else once).append(NewCard(name, surest.best[1], surest))
        ranks = {card.rank for card in twice}
        return twice + [card for card in once if card.rank in ranks and card.p >= VERY_SURE]

    def beside(self, names: Collection[str], now: float) -> list[NewCard]:
        """Return the second copy of each of these cards that was read beside the first (several packs).

        If one look reads both well in different places, they are two cards. At least two looks must do so.
        """
        found: list[NewCard] = []
        for name in sorted(set(names)):
            looks: dict[float, list[Observation]] = {}
            for t, seen in self._recent(now):
                if seen.best[0] == name and not any(in_place(other, seen) for other in looks.get(t, ())):
                    looks.setdefault(t, []).append(seen)
            seconds = [sorted(seen, key=_surely)[-2] for seen in looks.values() if len(seen) > 1]
            best = max(seconds, key=_surely, default=None)
            if best is not None and len(seconds) >= AGREEING_LOOKS and _surely(best) >= SURE:
                found.append(NewCard(name, _surely(best), best))
        return found


def plainly_read(
    under_hand: Sequence[Observation], free: Sequence[Observation], *, first_seen: bool
) -> NewCard | None:
    """Return the card that all these readings name, if it was read often enough with and without a hand.

    Readings without the hand count if they are exactly there. A card that is `first_seen` now, and exists
    only once, may be outlined in different places. Looks seldom agree on the place of a card that lies under
    another.
    """
    if len(under_hand) >= AGREEING_LOOKS:
        there = [*(seen for seen in free if same_card(seen, under_hand[-1])), *under_hand]
        p = fmean(map(_surely, there))
        plain = len(there) > AGREEING_LOOKS and p >= LIKELY
        return NewCard(str(there[-1].best[0]), p, there[-1]) if plain else None
    every = [*under_hand, *free]
    if not first_seen or not under_hand or len(free) < AGREEING_LOOKS or len(every) < _OFTEN_READINGS:
        return None
    p, surest = fmean(map(_surely, every)), max(free, key=_surely)
    return NewCard(str(surest.best[0]), p, surest) if p >= SURE else None


def _surely(seen: Observation) -> float:
    """Return the probability of a card's likeliest name."""
    return seen.best[1]
