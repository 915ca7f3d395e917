"""Answer "Can I play this?" with the engine's judge, on a pile that a person names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.judging.judge import judge

_ASKER, _OTHER = "You", "The next player"
_HELD = 3
"""Other cards in the hand, enough that the play does not end the game."""


def check_play(
    cards: Sequence[str], pile: Sequence[str], *, rules: str, options: Sequence[str] = ()
) -> Mapping[str, Any]:
    """Return the judge's ruling on playing `cards` from the hand, in turn, on a pile (bottom first).

    Raises:
        BadInputError: unknown rules, options or cards.
    """
    return judge(
        {
            "rules": rules,
            "options": list(options),
            "players": [_ASKER, _OTHER],
            "turn": _ASKER,
            "opening": False,
            "pile": list(pile),
            "draw_pile": _HELD,
            "cards": {_ASKER: {"hand": [*cards, *["??"] * _HELD], "up": [], "down": _HELD}},
            "action": {"type": "play", "player": _ASKER, "cards": list(cards), "source": "hand"},
        }
    )
