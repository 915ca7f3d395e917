"""A game that was going on when the table was first seen: which of its piles is the play pile.

Nobody has said so. The pile nearest to the draw pile is believed to be it. It may be the burn pile. While it
lies there, a card that somebody puts on another pile, or nearer to the draw pile, shows the play pile.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from vision.following.scene import Scene
from vision.table.layout import Place
from vision.table.observations import Observation

_OF_PILE_MM = 85.0
"""The greatest distance of a pile's card from the middle of the pile."""


class JoinedGame:
    """The cards that lay beside the rows, until somebody plays or picks up."""

    def __init__(self, scene: Scene, lying: Sequence[Observation]) -> None:
        """`lying`: the face-up cards that may lie on the play pile."""
        self._scene, self._lying = scene, lying

    @property
    def likely_pile(self) -> list[Observation]:
        """The cards of the pile nearest to the draw pile; empty if there is none."""
        nearest = min(self._lying, key=lambda card: self._from_draw_pile(card.place), default=None)
        return [] if nearest is None else self.below(nearest.place)

    def below(self, place: Place) -> list[Observation]:
        """Return the cards of the pile at a place."""
        return [card for card in self._lying if math.dist(card.place, place) <= _OF_PILE_MM]

    def shows_play_pile(self, card: Observation) -> bool:
        """Return whether a card that has come to rest shows that the play pile is elsewhere."""
        pile, place = self._scene.layout.play, card.place
        nearer = pile is None or self._from_draw_pile(place) < self._from_draw_pile(pile)
        return nearer or bool(self.below(place))

    def _from_draw_pile(self, place: Place) -> float:
        """Return the distance of a place from the draw pile, mm."""
        layout = self._scene.layout
        return math.dist(place, layout.draw or layout.middle)
