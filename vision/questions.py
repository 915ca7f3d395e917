"""The questions that come up while a table is watched, in English.

Each is a form of its own, so that it can be asked in other languages.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

SOMEBODY = "Somebody"
"""Stands for a player where nobody knows who it was."""
UNREAD_CARD = "{player} played a card that cannot be read. Which card is it?"
HIDDEN_CARD = (
    "{player} drew more cards than were seen to be played ({count}). Which card lay hidden under the others?"
)
LIES_OTHERWISE = (
    "The cards do not lie as they lay when the game was broken off. Can you put them and the camera back?"
)
NO_ROWS = (
    "No finished deal is seen: {found} of {wanted} rows. Do all face-up cards lie side by side, free and in "
    "the picture?"
)
NO_DRAW_PILE = "No finished deal is seen: the draw pile is missing. Does it lie face down between the rows?"
NO_SEATS = (
    "No finished deal is seen: not every row lies before a player. Does each face outwards, around the pile?"
)
LOST_TRACK = (
    "The cards or the camera have moved, and the game was lost from sight. Do the cards lie as before, and "
    "is nothing missing here?"
)
QUESTIONS = (UNREAD_CARD, HIDDEN_CARD, LIES_OTHERWISE, NO_ROWS, NO_DRAW_PILE, NO_SEATS, LOST_TRACK)

NOT_RECOGNISED = (NO_ROWS, NO_DRAW_PILE, NO_SEATS)
"""Those about a deal that is not recognised: showing where things lie answers them."""
ASTRAY = (LIES_OTHERWISE, LOST_TRACK)
"""Those about a game that does not lie where it lay: until it is found showing where it lies finds it."""


def asked(form: str, player: str | None = None, **facts: object) -> str:
    """Return the question of this form about a player, or about the numbers in it."""
    return form.format(player=player or SOMEBODY, **facts)


def taken_apart(says: str, player: str | None = None) -> tuple[str, Mapping[str, str]] | None:
    """Return the form of a question that was asked and its numbers; None where it has none of the forms."""
    for form in QUESTIONS:
        found = _pattern(form).fullmatch(says)
        if found is not None and asked(form, player, **found.groupdict()) == says:
            return form, found.groupdict()
    return None


@cache
def _pattern(form: str) -> re.Pattern[str]:
    """Return what a question of this form looks like; its numbers are groups, whom it is about is not."""
    plain = re.escape(form).replace(r"\{player\}", ".+")
    return re.compile(re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>\\d+)", plain))
