"""Of several packs: a card that was put exactly on its like, which no picture shows."""

from __future__ import annotations

from typing import NamedTuple

from vision.following.pile import Pile
from vision.following.scene import Scene
from vision.following.sets import NewCard
from vision.following.visits import Visits

_HOW_SURELY = 0.6
"""A hand may also have paused at the pile in vain, and drawn though no card was due."""


class OnItsLike(NamedTuple):
    """A card that lies exactly on its like."""

    card: NewCard
    t: float
    """When it was put there."""


def put_on_its_like(scene: Scene, pile: Pile, visits: Visits, player: str | None) -> OnItsLike | None:
    """Return the card that a player who draws must have put on its like; None for none.

    Nobody draws who has put nothing down. Where a hand paused at the pile, which looks as it did, and its
    player then drew, though no card was due, what it put there is as the uppermost and lies exactly on it.
    """
    top = pile.cards[-1] if pile.cards else None
    due = scene.log.put_down_by(player)
    if top is None or top.place is None or not top.sure or not pile.may_have_another(top.name):
        return None
    if due is not None and not scene.log.is_past(due):
        return None
    paused = [
        stop.end
        for stop, reach in scene.stops_near((top.place.x, top.place.y), visits.played)
        if scene.player(reach.seat) == player and not scene.at_draw_pile(stop.place)
    ]
    return OnItsLike((top.name, _HOW_SURELY, top.place), max(paused)) if paused else None
