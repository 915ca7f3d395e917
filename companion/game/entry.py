"""What people enter by touch, as events. Free of Kivy; whether it is allowed is the referee's business."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal, cast

from companion.game.interface import Line
from engine.cards import RANK_TEXTS, UNKNOWN
from engine.deals import deal_for
from engine.errors import BadInputError
from engine.events import Event, EventKind
from engine.ruleset import load_ruleset

Source = Literal["hand", "up", "hand+up", "down"]
SOURCES: tuple[Source, ...] = ("hand", "up", "hand+up", "down")
"""Where played cards may come from, in the order in which screens offer it."""
_BEFORE_THE_GAME = ("deal", "exchange")
_WITH_CARDS = ("play", "flip", "show", "take_up")
OF_A_PLAYER = ("play", "flip", "pick_up", "show", "draw", "take_up", "take_down", "exchange")
"""Events that one player does, whether it was seen who or not."""


def entered(
    kind: str,
    player: str,
    cards: Sequence[str] = (),
    source: str = "hand",
    *,
    to: str | None = None,
    shown: str | None = None,
    face_up: int = 0,
) -> Event:
    """Return the event that somebody reports; its time and number come with the game.

    Args:
        kind: `deal`, `exchange`, `play`, `pick_up`, `burn`, `draw`, `show`, `take_up`, `take_down` or `out`.
            A `deal` says which cards lie face up before one player, an `exchange` which do so after it.
        player: Who did it.
        cards: The cards tapped.
        source: Where they were played from; one played blindly is a `flip`.
        to: Whom a card was shown to.
        shown: The rank that is shown, where none was tapped.
        face_up: How many cards lie face up before the player; those that were not tapped are not known.
    """
    if kind in _BEFORE_THE_GAME:
        up = {player: (*cards, *[UNKNOWN] * (face_up - len(cards)))} if cards else {}
        return Event(id=0, event=cast(EventKind, kind), player=player if kind == "exchange" else None, up=up)
    if kind == "play" and source == "down":
        kind = "flip"
    named = tuple(cards) if kind in _WITH_CARDS else ()
    if kind == "show" and not named and shown is not None:
        named = (shown,)
    return Event(
        id=0,
        event=cast(EventKind, kind),
        player=player,
        cards=named,
        source=cast(Source, source) if kind in ("play", "flip") else None,
        to=to,
        count=1 if kind in ("draw", "take_down") else None,
    )


def has_begun(lines: Sequence[Line]) -> bool:
    """Return whether more has happened than a deal and exchanges."""
    return any(line.get("event") not in (*_BEFORE_THE_GAME, "unclear") for line in lines)


def by_another(event: Event, player: str) -> Event:
    """Return the same act as `player`'s: what lies face up afterwards lies before them."""
    moved = {player if one == event.player else one: cards for one, cards in event.up.items()}
    return replace(event, player=player, up=moved)


def shown_rank(rules: str, options: Sequence[str] = ()) -> str | None:
    """Return the rank that is shown to others by a ruleset, or None where nothing is."""
    shown = load_ruleset(rules, tuple(options)).mechanics.shown
    return RANK_TEXTS[min(shown)] if shown else None


def plays_with_jokers(rules: str, options: Sequence[str], players: int) -> bool:
    """Return whether so many play with jokers by a ruleset; False where its file has gone."""
    try:
        deal = deal_for(load_ruleset(rules, tuple(options)), players)
    except BadInputError:
        return False
    return deal is not None and deal["jokers"] > 0


def newest_by_another(lines: Sequence[Line], player: str) -> Line | None:
    """Return the newest event that some player did, if it was another one: it may have been `player`'s."""
    for line in reversed(lines):
        if line.get("event") in OF_A_PLAYER:
            return None if line.get("player") in (None, player) else line
    return None


def answered(lines: Sequence[Line], player: str) -> Event | None:
    """Return the show that `player` may answer now, with that answer in it; None where there is none."""
    acts = [line for line in lines if line.get("event") in OF_A_PLAYER]
    if not acts or acts[-1].get("event") != "show":
        return None
    event: Event = Event.from_json(dict(cast(dict[str, Any], acts[-1])))
    giver, taker = event.answers[-1] if event.answers else (event.player, event.to)
    if taker != player or giver is None:
        return None
    return replace(event, answers=(*event.answers, (player, giver)))
