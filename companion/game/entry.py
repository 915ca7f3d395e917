"""Events that people enter by touch, free of Kivy. The referee decides whether they are legal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal, cast

from companion.game.interface import EventLine
from engine.cards import RANK_TEXTS, UNKNOWN
from engine.deals import deal_for
from engine.errors import BadInputError
from engine.events import PUTS_ON_PILE, Event, EventKind
from engine.ruleset import load_ruleset

Source = Literal["hand", "up", "hand+up", "down"]
SOURCES: tuple[Source, ...] = ("hand", "up", "hand+up", "down")
"""Origins of played cards, in the order in which screens offer them."""
_BEFORE_THE_GAME = ("deal", "exchange")
_WITH_CARDS = ("play", "flip", "show", "take_up")
PLAYER_EVENTS = ("play", "flip", "pick_up", "show", "draw", "take_up", "take_down", "exchange")
"""Events that one player causes, known or not."""


def entered_event(
    kind: str,
    player: str,
    cards: Sequence[str] = (),
    source: str = "hand",
    *,
    to: str | None = None,
    shown: str | None = None,
    face_up: int = 0,
) -> Event:
    """Return an event that somebody reports. The game adds time and id.

    Args:
        kind: `deal`, `exchange`, `play`, `pick_up`, `burn`, `draw`, `show`, `take_up`, `take_down` or `out`.
            A `deal` gives one player's up-cards, an `exchange` the up-cards after it.
        player: The player who did it.
        cards: The cards that were tapped.
        source: Where the cards were played from. A card played from `down` is a `flip`.
        to: The player to whom a card was shown.
        shown: The rank that is shown if no card was tapped.
        face_up: Number of the player's up-cards. Those that were not tapped are unknown.
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
        source=cast(Source, source) if kind in PUTS_ON_PILE else None,
        to=to,
        count=1 if kind in ("draw", "take_down") else None,
    )


def likely_source(table: Any, player: str) -> Source:
    """Return where a player's cards most likely come from: the hand, else the table, else face down.

    `table` is the referee's public table.
    """
    if table.hands[player].size != 0 or table.to_draw.get(player):
        return "hand"
    return "up" if table.up.get(player) else "down"


def likely_cards(table: Any, player: str) -> tuple[str, ...]:
    """Return the cards that everybody knows the player to have where they most likely come from."""
    source = likely_source(table, player)
    known = table.hands[player].known if source == "hand" else table.up.get(player) or ()
    return tuple(card for card in known if card != UNKNOWN) if source != "down" else ()


def has_begun(lines: Sequence[EventLine]) -> bool:
    """Return whether anything but a deal and exchanges has happened."""
    return any(line.get("event") not in (*_BEFORE_THE_GAME, "unclear") for line in lines)


def with_player(event: Event, player: str) -> Event:
    """Return the same event with another player, whose up-cards change instead."""
    moved = {player if one == event.player else one: cards for one, cards in event.up.items()}
    return replace(event, player=player, up=moved)


def shown_rank(rules: str, options: Sequence[str] = ()) -> str | None:
    """Return the rank that a ruleset lets players show to others, or None."""
    shown = load_ruleset(rules, tuple(options)).mechanics.shown
    return RANK_TEXTS[min(shown)] if shown else None


def uses_jokers(rules: str, options: Sequence[str], players: int) -> bool:
    """Return whether this number of players use jokers. False if the ruleset's file is gone."""
    try:
        deal = deal_for(load_ruleset(rules, tuple(options)), players)
    except BadInputError:
        return False
    return deal is not None and deal["jokers"] > 0


def last_event_by_another(lines: Sequence[EventLine], player: str) -> EventLine | None:
    """Return the newest event that a player caused, if it was not `player`; it may have been."""
    for line in reversed(lines):
        if line.get("event") in PLAYER_EVENTS:
            return None if line.get("player") in (None, player) else line
    return None


def answered_show(lines: Sequence[EventLine], player: str) -> Event | None:
    """Return the show that `player` may answer now, with that answer added, or None."""
    acts = [line for line in lines if line.get("event") in PLAYER_EVENTS]
    if not acts or acts[-1].get("event") != "show":
        return None
    event: Event = Event.from_json(dict(cast(dict[str, Any], acts[-1])))
    giver, taker = event.answers[-1] if event.answers else (event.player, event.to)
    if taker != player or giver is None:
        return None
    return replace(event, answers=(*event.answers, (player, giver)))
