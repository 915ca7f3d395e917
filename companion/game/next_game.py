"""The next game of an evening: the same table, the dealer as the rules say."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from companion.game.setup import GameSetup
from companion.sources.cameras import DEFAULT_PLAYERS
from engine.errors import BadInputError
from engine.judging.questions import next_dealer
from engine.messages import Said, message
from engine.ruleset import load_ruleset


def next_game_setup(last: GameSetup | None, table: Any = None) -> GameSetup:
    """Return the setup that is offered for the next game.

    Args:
        last: The setup of the last game, if any.
        table: Its public table at the end (`PublicTable`), with dealer and loser.
    """
    if last is None or last.demonstration or not last.kept:  # offer a game of the user's own next
        if last is not None and last.own is not None:
            return last.own
        return GameSetup(source=None, players=DEFAULT_PLAYERS, store=last.store if last else None)
    players = last.players or (tuple(table.players) if table is not None else DEFAULT_PLAYERS)
    fresh = replace(last, resume=None, players=players)
    if table is None or table.loser is None:
        return fresh
    try:
        rules = load_ruleset(last.rules, last.options)
        dealer = next_dealer(rules, players, last.dealer, table.loser)["dealer"]
    except BadInputError:
        return fresh
    return replace(fresh, dealer=dealer if dealer in players else None)


def next_deal_notice(dealer: str | None) -> Said:
    """Return the line that is shown while the next deal is awaited."""
    if dealer is None:
        return message("the next deal starts a new game")
    return message("the next deal starts a new game: {player} deals", player=dealer)


def new_game_notice(dealer: str | None) -> Said:
    """Return the line that is shown once the next game has begun."""
    if dealer is None:
        return message("a new game has begun")
    return message("a new game has begun: {player} deals", player=dealer)
