"""A game that was going on when the table was first seen: what lay beside its rows is no act.

Nobody has said which of the piles is the play pile. A single pile is believed to be it. If there are
several, the next play shows it. A burn shows it too: then one pile goes, and its cards come to lie on
another, which must not count as a play there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

from vision.table.layout import Place
from vision.table.observations import MIN_NAME_P, Observation

_LEFT_ALONE_LOOKS = 4
"""Looks after the last arm before what lies there counts as left alone. A play is found before."""
_OF_PILE_MM = 85.0
"""The greatest distance of a pile's card from the middle of the pile."""


class JoinedGame:
    """The cards that lay beside the rows, until the play pile is found."""

    def __init__(self, lying: Sequence[Observation]) -> None:
        """`lying`: the cards beside rows and draw pile when the game was joined."""
        self._names = frozenset(str(card.best[0]) for card in lying if card.best[1] >= MIN_NAME_P)
        self._lying = list(lying)
        self._last_arm, self._looks_since_arm = -math.inf, 0

    def only_pile(self, near: Callable[[Sequence[Observation]], list[Observation]]) -> list[Observation]:
        """Return the face-up cards of the only pile; empty if there is no pile, or there are several.

        `near` returns those of some cards that may lie on the play pile.
        """
        cards = near(self._lying)
        several = any(math.dist(card.place, cards[-1].place) > _OF_PILE_MM for card in cards)
        return [] if several else cards

    @property
    def settled(self) -> bool:
        """Whether it is known what lies there since the last arm has gone."""
        return self._looks_since_arm >= _LEFT_ALONE_LOOKS

    def look(self, unchanged: Sequence[Observation], last_arm: float) -> None:
        """Note which of the cards lie unchanged. `last_arm`: when an arm was last seen before this look."""
        self._looks_since_arm = 1 if last_arm != self._last_arm else self._looks_since_arm + 1
        self._last_arm = last_arm
        if self.settled:
            self._lying = list(unchanged)

    def plays(self, fresh: Iterable[Observation], unchanged: Sequence[Observation]) -> list[Observation]:
        """Return the new cards that may be a play: they lay nowhere before, and no other pile has gone."""
        plays = [card for card in fresh if card.best[0] not in self._names]
        return [] if self.seems_gone(plays, unchanged) else plays

    def seems_gone(self, fresh: Iterable[Observation], unchanged: Sequence[Observation]) -> bool:
        """Return whether a card that lay there is not seen any more, and none of the new ones covers it.

        An arm may cover it, too.
        """
        new = list(fresh)
        gone = (
            card for card in self._lying if not any(card is other or card.is_at(other) for other in unchanged)
        )
        return any(all(math.dist(card.place, other.place) > _OF_PILE_MM for other in new) for card in gone)

    def below(self, place: Place) -> list[Observation]:
        """Return the cards that lie where the play pile turns out to be."""
        return [card for card in self._lying if math.dist(card.place, place) <= _OF_PILE_MM]
