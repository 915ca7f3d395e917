"""Readers for the JSON fields that situations and event lines have in common.

Each reader checks a value and returns it in the engine's form. None (absent, or null) means unknown, and most
readers return it unchanged. The error for a wrong value is one line that names the field.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from engine.cards import SPELLINGS, UNKNOWN, parse_card
from engine.errors import BadInputError

_USUAL_SPELLING = SPELLINGS.__getitem__
MOST_CARDS = 1000
"""The most cards that one place may hold; a greater number is a mistake."""
MOST_PLAYERS = 1000
MOST_NUMBER = 10**9
"""The greatest id of an event, and the greatest time in seconds."""
SOURCES = ("hand", "up", "down", "hand+up")
ANSWER_SOURCES = ("hand", "up", "down")


def wrong_field(name: str, expected: str, value: object) -> BadInputError:
    """Return the error for a field that does not hold the expected kind of value."""
    return BadInputError(f"{name} must be {expected}, not {str(value)[:40]!r}")


def read_count(value: Any, name: str, most: int = MOST_CARDS) -> int | None:
    """Read a whole number from 0 to `most`.

    Raises:
        BadInputError: the value is something else.
    """
    if value is None:
        return None
    if type(value) is not int or not 0 <= value <= most:
        raise wrong_field(name, f"a whole number from 0 to {most}", value)
    return value


def read_number(value: Any, name: str, least: float, most: float) -> float | None:
    """Read a number from `least` to `most`.

    Raises:
        BadInputError: the value is something else.
    """
    if value is None:
        return None
    if type(value) not in (int, float) or not math.isfinite(value) or not least <= value <= most:
        raise wrong_field(name, f"a number from {least:g} to {most:g}", value)
    return float(value)


def read_flag(value: Any, name: str) -> bool | None:
    """Read true or false.

    Raises:
        BadInputError: the value is neither.
    """
    if value is not None and not isinstance(value, bool):
        raise wrong_field(name, "true or false", value)
    return value


def read_text(value: Any, name: str) -> str | None:
    """Read a text.

    Raises:
        BadInputError: the value is something else.
    """
    if value is not None and not isinstance(value, str):
        raise wrong_field(name, "text", value)
    return value


def read_choice(value: Any, name: str, choices: Sequence[str]) -> str | None:
    """Read one of the words in `choices`.

    Raises:
        BadInputError: the value is something else.
    """
    if value is not None and value not in choices:
        raise wrong_field(name, f"one of {', '.join(choices)}", value)
    return None if value is None else str(value)


def read_table(value: Any, name: str) -> Mapping[str, Any]:
    """Read a JSON object; None gives an empty one.

    Raises:
        BadInputError: the value is something else.
    """
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise wrong_field(name, "an object", value)
    return value


def read_cards(value: Any, name: str, *, sizes: bool = True) -> tuple[str, ...] | None:
    """Read a list of cards. With `sizes`, a number N stands for N unknown cards.

    Raises:
        BadInputError: the value is something else, or an entry is not a card.
    """
    if value is None:
        return None
    if sizes and type(value) is int:
        return (UNKNOWN,) * (read_count(value, name) or 0)
    if not isinstance(value, (list, tuple)) or len(value) > MOST_CARDS:
        raise wrong_field(name, "a list of cards", value)
    try:
        return tuple(map(_USUAL_SPELLING, value))
    except (KeyError, TypeError):
        pass  # an unusual spelling, or not a card: `parse_card` decides
    try:
        return tuple([parse_card(card) for card in value])
    except BadInputError as error:
        raise BadInputError(f"{name}: {error}") from None


def read_players(value: Any) -> tuple[str, ...]:
    """Read the list of players.

    Raises:
        BadInputError: the value is not a list of two to `MOST_PLAYERS` different names.
    """
    if not isinstance(value, (list, tuple)) or [n for n in value if not isinstance(n, str) or not n]:
        raise wrong_field("players", "a list of names", value)
    if len(value) > MOST_PLAYERS:
        raise BadInputError(f"players: {len(value)} are too many (at most {MOST_PLAYERS})")
    if len(value) < 2:
        raise BadInputError(f"players must be at least two different names, not {str(list(value))[:60]}")
    if len(set(value)) != len(value):
        twice = next(name for place, name in enumerate(value) if name in value[:place])
        raise BadInputError(f"players must be at least two different names: {twice[:40]!r} appears twice")
    if not is_text("".join(value)):
        odd = next(name for name in value if not is_text(name))
        raise BadInputError(f"players: {odd[:40]!r} is not UTF-8 text")
    return tuple(value)


def is_text(name: str) -> bool:
    """Return whether a name can be encoded as UTF-8.

    A command-line argument with other bytes contains lone surrogates, which cannot be encoded.
    """
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


class PlayerNameReader:
    """Checks that names are players of this table.

    Args:
        players: their names; None: the players are not known, and any name is accepted.
    """

    def __init__(self, players: Sequence[str] | None) -> None:
        self._players = None if players is None else frozenset(players)

    def read(self, value: Any, name: str) -> str | None:
        """Read a player's name; None passes as unknown.

        Raises:
            BadInputError: the value is not a name, or not a player of this table.
        """
        if value is None:
            return None
        if not isinstance(value, str):
            raise wrong_field(name, "the name of a player", value)
        if self._players is not None and value not in self._players:
            raise BadInputError(f"{name}: {value[:40]!r} is not one of the players")
        return value

    def require(self, value: Any, name: str) -> str:
        """Read a player's name that may not be missing.

        Raises:
            BadInputError: the value is missing, not a name, or not a player of this table.
        """
        found = self.read(value, name)
        if found is None:
            raise wrong_field(name, "the name of a player", value)
        return found

    def pairs(self, value: Any, name: str) -> tuple[tuple[str, str], ...]:
        """Read a list of pairs of players; None gives an empty one.

        Raises:
            BadInputError: the value is something else, or a name is not a player of this table.
        """
        if value is None:
            return ()
        if not isinstance(value, (list, tuple)) or len(value) > MOST_CARDS:
            raise wrong_field(name, "a list of [from, to]", value)
        pairs = []
        for pair in value:
            if not isinstance(pair, (list, tuple)) or len(pair) != 2:
                raise wrong_field(name, "a list of [from, to]", value)
            pairs.append((self.require(pair[0], name), self.require(pair[1], name)))
        return tuple(pairs)
