"""Finds out that the play pile lies elsewhere than it was believed to lie.

The first card of a game that comes to rest is believed to lie on the play pile. It may have been shown to
somebody and then put away. If players then put down cards at another place, the play pile is there.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import NamedTuple

from vision.decks.card_classes import rank_of
from vision.following.certainty import CERTAIN
from vision.following.put_away import hand_and_hold, hand_that_put
from vision.following.scene import ON_PILE_MM, Scene
from vision.table.observations import Observation


class Put(NamedTuple):
    """A card that a player put down beside the piles."""

    seat: int
    t: float
    card: Observation


class MisplacedPile:
    """Watches what players put down beside the play pile while nothing happens on it."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._puts: list[Put] = []
        self._turns = 0
        """The number of turns that had been reported when the first of them was put down."""
        self._shown_to: int | None = None
        """The seat to which the hand of that play held something out before."""

    def begin(self, card: Observation, now: float) -> None:
        """Note that the play pile is believed to be where this card, the first of the game, lies."""
        self._shown_to = None
        found = hand_and_hold(self._scene, card.place, now)
        if found is not None and found[1] is not None:
            self._shown_to = self._scene.layout.seat_pointed_at(found[0].seat, found[1].place)

    def look(self, fresh: Sequence[Observation], now: float, known: Collection[str]) -> list[Put]:
        """Return the plays, oldest first, that show where the play pile is; empty while nothing shows it.

        Args:
            fresh: the cards that have just come to rest beside the piles.
            now: when that is.
            known: the names of the cards that are known to lie elsewhere.
        """
        log = self._scene.log
        if log.turns != self._turns:
            self._puts, self._turns = [], log.turns
        for card in fresh:
            (name, p), place = card.best, card.place
            if card.face != "up" or name is None or p < CERTAIN or name in known:
                continue
            hand = hand_that_put(self._scene, place, now)
            if hand is not None and not self._scene.layout.is_at_a_player(place):
                self._puts.append(Put(hand.seat, hand.t, card))
        return self._pile()

    def _pile(self) -> list[Put]:
        """Return cards of several players and ranks that lie on each other."""
        if not self._puts:
            return []
        top = self._puts[-1].card
        pile = [put for put in self._puts if math.dist(put.card.place, top.place) <= ON_PILE_MM]
        ranks = {rank_of(put.card.best[0]) for put in pile}
        several = len({put.seat for put in pile}) > 1 and len(ranks) > 1
        return pile if several else []

    def correct_first(self, now: float) -> None:
        """Report the first play, which was none, as a card that was shown, or withdraw it."""
        log, scene = self._scene.log, self._scene
        if log.turns != 1 or not log.last_plays:
            return
        (first,) = log.last_plays.values()
        to = self._shown_to
        if to is None or first.player is None or scene.player(to) == first.player:
            log.revise(first, now, withdrawn=True)
        else:
            log.revise(first, now, event="show", to=scene.player(to), source=None)
            scene.burned += first.cards
