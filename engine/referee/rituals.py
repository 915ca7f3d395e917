"""The rituals that the loser of a game owes."""

from __future__ import annotations

from collections.abc import Mapping

from engine.ruleset import Ruleset


def loser_rituals(rules: Ruleset, loser: str, losses: Mapping[str, int]) -> list[str]:
    """Return the titles of the rituals that a finished game gives its loser.

    Args:
        rules: the ruleset of the game.
        loser: the Shithead of the game.
        losses: by player: how many games they have lost this evening, this game included.
    """
    mechanics, titles = rules.mechanics, []
    if mechanics.loser_says_title:
        titles.append(mechanics.loser_says_title)
    if mechanics.third_loss_title and losses.get(loser) == 3:
        titles.append(mechanics.third_loss_title)
    return titles
