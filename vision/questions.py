"""The questions that come up while a table is watched, in English.

Each is a form of its own, so that it can be asked in other languages.
"""

from __future__ import annotations

SOMEBODY = "Somebody"
"""Stands for a player where nobody knows who it was."""
UNREAD_CARD = "{player} played a card that cannot be read. Which card is it?"
LIES_OTHERWISE = (
    "The cards do not lie as they lay when the game was broken off. Can you put them and the camera back?"
)
QUESTIONS = (UNREAD_CARD, LIES_OTHERWISE)


def asked(form: str, player: str | None = None) -> str:
    """Return the question of this form about a player."""
    return form.format(player=player or SOMEBODY)
