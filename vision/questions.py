"""The questions that following a game may ask the players, in English.

Each is a template, so that the app can ask it in other languages.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

UNKNOWN_PLAYER = "Somebody"
"""Stands for the player where nobody knows who it was."""
UNREAD_CARD = "{player} played a card that cannot be read. Which card is it?"
HIDDEN_CARD = (
    "{player} drew more cards than were seen to be played ({count}). Which card lay hidden under the others?"
)
TABLE_CHANGED = (
    "The cards are not where they were when the game was interrupted. Can you put them and the camera back?"
)
NO_ROWS = (
    "No finished deal is in view: {found} of {wanted} rows. Do all face-up cards lie side by side, free and "
    "in the picture?"
)
NO_DRAW_PILE = (
    "No finished deal is in view: the draw pile is missing. Does it lie face down between the rows?"
)
NO_SEATS = (
    "No finished deal is in view: not every row lies before a player. Does each face outwards, around the "
    "pile?"
)
LOST_TRACK = (
    "The cards or the camera have moved, and the game was lost from sight. Do the cards lie as before, and "
    "is nothing missing here?"
)
UNDER_WAY = (
    "A game seems to be going on, because cards lie beside the rows. Which of them is the play pile, and not "
    "the burn pile?"
)
QUESTIONS = (
    *(UNREAD_CARD, HIDDEN_CARD, TABLE_CHANGED, NO_ROWS, NO_DRAW_PILE, NO_SEATS, LOST_TRACK),
    UNDER_WAY,
)
"""All templates, for the translators."""

LAYOUT_QUESTIONS = (NO_ROWS, NO_DRAW_PILE, NO_SEATS)
"""Questions about a deal that is not recognised. The players answer them by tapping where things lie."""
LOST_TABLE_QUESTIONS = (TABLE_CHANGED, LOST_TRACK)
"""Questions about a table that no longer looks as before. Tapping where things lie answers them too."""


def format_question(form: str, player: str | None = None, **facts: object) -> str:
    """Return a question made from a template, the player it is about, and the numbers in it."""
    return form.format(player=player or UNKNOWN_PLAYER, **facts)


def parse_question(says: str, player: str | None = None) -> tuple[str, Mapping[str, str]] | None:
    """Return the template of a question and the numbers in it; None if no template fits.

    `player` is whom the question is about; None stands for `UNKNOWN_PLAYER`.
    """
    for form in QUESTIONS:
        found = _pattern(form).fullmatch(says)
        if found is not None and format_question(form, player, **found.groupdict()) == says:
            return form, found.groupdict()
    return None


@cache
def _pattern(form: str) -> re.Pattern[str]:
    """Return a pattern that matches the questions made from a template, with a group for each number."""
    plain = re.escape(form).replace(r"\{player\}", ".+")
    return re.compile(re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>\\d+)", plain))
