"""How the cards are dealt: packs, cards for each player, and what is left to draw."""

from __future__ import annotations

from collections.abc import Sequence

from engine.mechanics import Mechanics
from engine.ruleset import Ruleset

PACK = 52
"""Cards of one pack, without jokers."""


def packs_for(mechanics: Mechanics, players: int) -> int:
    """Return how many packs so many players use. With one, each card is there once."""
    return -(-players // mechanics.players_per_pack) if mechanics.players_per_pack else 1


def deal_for(rules: Ruleset, players: int) -> dict[str, int] | None:
    """Return how the cards are dealt to so many players, or None if they do not suffice.

    Returns:
        Cards for each player (`down`, `up`, `hand`), then `draw_pile`, `packs` and `jokers` in all.
    """
    mechanics = rules.mechanics
    small = mechanics.small_deal
    deal = small if small is not None and players >= small.from_players else mechanics.deal
    packs = packs_for(mechanics, players)
    jokers = mechanics.jokers * packs
    left = PACK * packs + jokers - deal.each * players
    if left < 0:
        return None
    return {
        "down": deal.down,
        "up": deal.up,
        "hand": deal.hand,
        "draw_pile": left,
        "packs": packs,
        "jokers": jokers,
    }


def left_of(players: Sequence[str], player: str) -> str:
    """Return the next player clockwise."""
    return players[(players.index(player) + 1) % len(players)]
