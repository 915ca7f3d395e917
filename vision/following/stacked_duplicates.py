"""With several packs: a card that was put exactly on an identical card, which no picture shows."""

from __future__ import annotations

from typing import NamedTuple

from vision.following.pile import Pile
from vision.following.scene import Scene
from vision.following.sets import NewCard
from vision.following.visits import Visits

_HOW_SURELY = 0.6
"""A hand may also have paused at the pile without playing, and drawn though no card was owed."""


class OnItsLike(NamedTuple):
    """A card that lies exactly on an identical card."""

    card: NewCard
    t: float
    """When it was put there."""


def infer_stacked_duplicate(scene: Scene, pile: Pile, visits: Visits, player: str | None) -> OnItsLike | None:
    """Return the card that a player who draws must have put on an identical card; None if none.

    Nobody draws without having put a card down. A hand paused at the pile, which looks unchanged, and its
    player then drew though no card was owed. So an identical card lies exactly on the top card.
    """
    top = pile.cards[-1] if pile.cards else None
    due = scene.log.put_down_by(player)
    if top is None or top.place is None or not top.sure or not pile.may_have_another(top.name):
        return None
    if due is not None and not scene.log.is_past(due):
        return None
    paused = [
        stop.end
        for stop, reach in scene.stops_near(top.place.place, visits.played_at)
        if scene.player(reach.seat) == player and not scene.at_draw_pile(stop.place)
    ]
    return OnItsLike(NewCard(top.name, _HOW_SURELY, top.place), max(paused)) if paused else None
