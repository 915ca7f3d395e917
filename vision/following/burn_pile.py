"""Remembers the cards that lie in no row and on no other pile, and finds the burn pile among them."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from engine.cards import copies
from vision.following.certainty import CERTAIN, LIKELY
from vision.following.close_ups import CloseUp, PicturePair
from vision.following.looks import AGREEING_LOOKS
from vision.following.scene import NEAR_MM, PUT_DOWN_SECONDS, Scene
from vision.table.layout import BURN, Place
from vision.table.observations import Observation, fuse_looks

_LYING_LOOKS = 3
"""A card lies still if two of so many latest looks agree."""
_REMEMBERED_LOOKS, _REMEMBERED_CARDS = 8, 120
"""So many looks, and so many loose cards, are kept at most."""
_SAME_MM, _SAME_DEGREES = 10.0, 10.0
"""Two outlines that differ by less are of one card in one place."""
_LYING_MM, _LYING_DEGREES = 30.0, 20.0
"""A card of the same name that differs by less is the known one, though its outline has shifted."""
_HAND_SECONDS = 3.0
"""The hand that put a card down was there at most this long before a look showed the card."""
_BURNT = 0.5
"""For the name of a burnt card, which may well lie there, this probability is enough."""
_PICTURED_SECONDS = 5.0
"""Pictures are kept for this long, and one that is older."""
_AROUND_MM, _UNTOUCHED, _TOUCHED = 60.0, 0.05, 0.2
"""Around the burn pile, less than the first share of the picture changes if nothing was put there: mostly a
hundredth. More than the second share changes if something was: three tenths or more."""


@dataclass(slots=True)
class _Put:
    """A card that has come to lie somewhere."""

    t: float
    card: Observation
    sure: bool
    """Whether it was seen with no arm over the place: the outlines of cards beside an arm are poor."""
    by_hand: bool
    """Whether a hand was seen near it."""


class BurnPile:
    """The burn pile, and all cards that lie in no row and on no other pile: any of them may be burnt."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._known: list[Observation] = []
        self._grown: list[_Put] = []
        self._pictures: list[tuple[float, CloseUp]] = []
        """The latest pictures of the burn pile with no arm over it, and one older picture."""
        self._free: deque[list[Observation]] = deque(maxlen=_LYING_LOOKS)
        """The cards in the latest looks that no arm was over."""
        self._past: deque[tuple[float, list[Observation]]] = deque(maxlen=_REMEMBERED_LOOKS)
        """The times and the cards of looks, oldest first."""

    def look(
        self,
        free: list[Observation],
        t: float,
        *,
        under_arms: Sequence[Observation] = (),
        burnt: CloseUp | None = None,
    ) -> list[Observation]:
        """Take in one look; return the cards that have come to rest and were not known.

        Args:
            free: Cards that no arm is over.
            t: Time of the look.
            under_arms: Cards on the burn pile while an arm is over it, and others that a hand has left.
            burnt: A close picture of the burn pile; None while an arm is over it.
        """
        if burnt is not None:
            earlier = [picture for picture in self._pictures if picture[0] <= t - _PICTURED_SECONDS]
            self._pictures = [*self._pictures[max(0, len(earlier) - 1) :], (t, burnt)]
        self._free.append(free)
        for put in self._grown:
            put.sure = put.sure or _is_among(put.card, free)
        cards = [*free, *under_arms]
        self._past.append((t, cards))
        settled = [s.observation for s in fuse_looks(self.looks) if s.look_count >= AGREEING_LOOKS]
        return [card for card in settled if not self._is_known(card)]

    @property
    def _latest(self) -> list[tuple[float, list[Observation]]]:
        """The latest looks, which show whether a card lies still."""
        return list(self._past)[-_LYING_LOOKS:]

    @property
    def looks(self) -> list[list[Observation]]:
        """The cards in the latest looks, oldest first."""
        return [cards for _, cards in self._latest]

    def _is_known(self, card: Observation) -> bool:
        """Return whether a card may be one that is known to lie in its place."""
        return _is_among(card, [known for known in self._known if _may_be(known, card)])

    def times_without(self, place: Place, cards: Sequence[Observation]) -> list[float]:
        """Return when the latest looks showed no card at a place, before any of these cards lay there.

        A look that shows nothing between two that show the same card has only overlooked it.
        """
        there = [(t, [c for c in look if math.dist(c.place, place) < NEAR_MM]) for t, look in self._past]
        shown = (t for t, near in there if any(_is_same(c, card) for c in near for card in cards))
        first = min(shown, default=math.inf)
        return [t for t, near in there if not near and t < first]

    def looks_since(self, t: float) -> int:
        """Return how many of the latest looks were made after `t`."""
        return sum(when > t for when, _ in self._latest)

    def may_have_grown(self, since: float) -> bool:
        """Return whether a look after `since` shows an unknown card where a hand was.

        Such a card is not settled until a second look shows it, too.
        """
        looks = [look for when, look in self._latest if when > since]
        return any(
            self._scene.somebody_was_at(card.place, since - _HAND_SECONDS) and not self._is_known(card)
            for look in looks
            for card in look
        )

    def add(self, fresh: Sequence[Observation], t: float) -> None:
        """Note new cards, and whether a hand has just been there."""
        self.know(fresh)
        put = []
        for card in fresh:
            first, place = self._first_seen(card, t), card.place
            by_hand = self._scene.somebody_was_at(place, first - _HAND_SECONDS)
            if not (by_hand or self._scene.by_hands) or self._scene.layout.is_at_a_player(place):
                continue
            if not self._lay_there(card, first - _HAND_SECONDS):
                put.append(_Put(first, card, any(_is_among(card, look) for look in self._free), by_hand))
        self._grown = [*self._grown, *put][-_REMEMBERED_CARDS:]

    def know(self, cards: Sequence[Observation]) -> None:
        """Note cards that lie in their places and are not new."""
        self._known = [*self._known, *cards][-_REMEMBERED_CARDS:]

    def _lay_there(self, card: Observation, then: float) -> bool:
        """Return whether a card on the burn pile was only overlooked: its place looks as at `then`."""
        return self._compared(then).looks_as_before(card)

    def is_untouched(self, start: float, end: float) -> bool:
        """Return whether the burn pile was seen before `start` and after `end`, and nothing was put there."""
        changed = self._changed(start, end)
        return changed is not None and changed < _UNTOUCHED

    def looks_otherwise(self, start: float, end: float) -> bool:
        """Return whether something was put there between these times: backs on backs may not seem new."""
        changed = self._changed(start, end)
        return changed is not None and changed >= _TOUCHED

    def _changed(self, start: float, end: float) -> float | None:
        """Return the share of the burn pile's picture that changed from `start` to `end`; None if unknown."""
        burn = self._scene.layout.burn
        if burn is None or not self._pictures or self._pictures[-1][0] <= end:
            return None
        return self._compared(start).changed_share_around(burn, _AROUND_MM)

    def _compared(self, then: float) -> PicturePair:
        """Return the latest picture of the burn pile up to a time, and the latest of all."""
        pictures = [picture for _, picture in self._pictures]
        earlier = (picture for t, picture in reversed(self._pictures) if t <= then)
        return PicturePair(next(earlier, None), pictures[-1] if pictures else None)

    def _first_seen(self, card: Observation, t: float) -> float:
        first = (when for when, look in self._latest if any(other.is_at(card) for other in look))
        return min(first, default=t)

    def lies(self, card: Observation) -> bool:
        """Return whether a card is one that is known to lie there."""
        name = card.best[0]
        return any(k.best[0] == name and k.is_at(card, _LYING_MM, _LYING_DEGREES) for k in self._known)

    def where_lies(self, name: str) -> Observation | None:
        """Return where a card was last surely read, face up; None if it was not."""
        cards = (*self._known, *(card for look in self.looks for card in look))
        there = (card for card in reversed(cards) if card.best[0] == name and card.best[1] >= CERTAIN)
        return next(there, None)

    def _put_since(self, t: float) -> list[_Put]:
        """Return the cards that a hand has put there since shortly before `t`."""
        return [put for put in self._came_since(t) if put.by_hand]

    def _came_since(self, t: float) -> list[_Put]:
        """Return the cards that came to lie there since shortly before `t`, perhaps by an unseen hand."""
        return [put for put in self._grown if put.t >= t - PUT_DOWN_SECONDS]

    def places_since(
        self,
        t: float,
        cards: Collection[str] | None = None,
        *,
        sure: bool = False,
        unlike: float = -math.inf,
    ) -> list[Place]:
        """Return the places of cards that were put there since shortly before `t` and may be among `cards`.

        `cards`: None for any. A card that surely has another name, such as a shown 3, was not put there with
        them. `sure`: the card was seen there with no arm over the burn pile. `unlike`: leave out places that
        look the same as at this time, because their cards lay there already. The cards of an untidy burn pile
        are read differently from look to look.
        """
        recent = [
            put.card
            for put in self._put_since(t)
            if (put.sure or not sure)
            and not (self._pictured_since(put.t) and self._lay_there(put.card, unlike))
        ]
        return [c.place for c in recent if cards is None or self._may_be_one_of(cards, c)]

    def _may_be_one_of(self, cards: Collection[str], card: Observation) -> bool:
        """Return whether a card may be one of `cards`: it is surely no other card, and not burnt already."""
        name, p = card.best
        burnt = name is not None and self._scene.burned.count(name) >= copies(name, self._scene.packs)
        return name in cards or p < (_BURNT if burnt else LIKELY)

    def _pictured_since(self, t: float) -> bool:
        """Return whether the burn pile has been seen since `t` with no arm over it."""
        return bool(self._pictures) and self._pictures[-1][0] >= t

    def came_with(self, cards: Collection[str], t: float) -> list[str]:
        """Return further cards that came to the burn pile with burnt `cards`, since shortly before `t`.

        They lay hidden under those, in a set that was put down as one stack.
        """
        names = dict.fromkeys(put.card.best[0] for put in self._put_since(t) if put.card.best[1] >= LIKELY)
        known = {*cards, *self._scene.burned}
        return [name for name in names if name is not None and name not in known]

    def has_since(self, t: float, cards: Collection[str]) -> bool:
        """Return whether one of `cards` was surely put there since shortly before `t`.

        A card with an almost certain name has come there, even if no hand was seen.
        """
        sure = [put for put in self._came_since(t) if put.sure and put.card.best[0] in cards]
        return any(put.by_hand or put.card.best[1] >= CERTAIN for put in sure)

    def comes_to_light(self, since: float, cards: Collection[str]) -> bool:
        """Return whether a card that may be one of `cards` lies there and came to light after `since`.

        It lies free; a body or a hand may have hidden it. Elsewhere it may be a card of a fan.
        """
        burn = self._scene.layout.burn
        return any(
            put.sure
            and (burn is None or math.dist(put.card.place, burn) < NEAR_MM)
            and self._may_be_one_of(cards, put.card)
            for put in self._grown
            if put.t >= since
        )

    def seen_at(self, t: float, cards: Collection[str]) -> float:
        """Return when the last of `cards` was first seen there, since shortly before `t`; -inf if none."""
        return max((put.t for put in self._put_since(t) if put.card.best[0] in cards), default=-math.inf)

    def place_where_put(self, t: float, cards: Collection[str] | None = None) -> None:
        """Place the burn pile where `cards` (None: any) were put shortly before `t`.

        It stays where it is if some of them lie there, or if no card was seen to be put down. Cards that
        seemed to lie there, but are seen no more, were held out by an arm that was lost from sight.
        """
        self._grown = [put for put in self._grown if not put.sure or _is_among(put.card, self.looks[-1])]
        burn = self._scene.layout.burn
        places = self.places_since(t, cards, sure=burn is not None)
        if burn is not None and any(math.dist(place, burn) < NEAR_MM for place in places):
            return
        if places:
            x, y = (sum(values) / len(places) for values in zip(*places, strict=True))
            self._scene.layout = self._scene.layout.with_pile(BURN, (x, y))


def _may_be(known: Observation, card: Observation) -> bool:
    """Return whether a card in the place of a known one may be that card.

    A card with an almost certain name is no face-down card. It is also not one with another name as certain.
    """
    (name, p), (other, q) = card.best, known.best
    return card.face == "down" or p < CERTAIN or (known.face == "up" and (other == name or q < CERTAIN))


def _is_same(card: Observation, other: Observation) -> bool:
    """Return whether two readings are of one card in one place."""
    return card.best[0] == other.best[0] and card.is_at(other, _SAME_MM, _SAME_DEGREES)


def _is_among(card: Observation, others: Sequence[Observation]) -> bool:
    return any(card.is_at(other, _SAME_MM, _SAME_DEGREES) for other in others)
