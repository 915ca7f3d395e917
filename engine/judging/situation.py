"""A situation as the contract writes it, checked and made ready to be judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from engine.cards import SPELLINGS, UNKNOWN, parse_card
from engine.errors import BadInputError
from engine.ruleset import DEFAULT_RULESET, Ruleset, load_ruleset

ACTION_TYPES = ("play", "pick_up", "show", "flip", "take_up", "take_down", "exchange", "draw")
SOURCES = ("hand", "up", "down", "hand+up")
CLOCKWISE = "clockwise"
ANTICLOCKWISE = ("anticlockwise", "anti-clockwise", "counterclockwise", "counter-clockwise")
"""The spellings taken; the first is the one given back."""
MOST_CARDS = 1000
"""More cards in one place than this is a mistake, not a table."""


@dataclass(frozen=True, slots=True)
class Holding:
    """What one player has, as far as it is known; None is unknown."""

    hand: tuple[str, ...] | None = None
    """One entry for each card, `??` where it was not seen."""
    up: tuple[str, ...] | None = None
    down: int | None = None

    @property
    def empty(self) -> bool:
        """Whether the player is known to have no card at all."""
        return self.hand == () and self.up == () and self.down == 0


NOTHING_KNOWN = Holding()


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """What a player does; the fields are the contract's."""

    type: str
    player: str | None = None
    cards: tuple[str, ...] = ()
    source: str | None = None
    count: int | None = None
    to: str | None = None
    answers: tuple[tuple[str, str], ...] = ()
    answered_from: str | None = None
    hand_out: tuple[str, ...] | None = None
    up_out: tuple[str, ...] | None = None

    @property
    def from_table(self) -> bool:
        """Whether it is one with table cards, for which the hand has to be empty."""
        return self.source in ("up", "down") or self.type in ("flip", "take_up", "take_down")


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """The table as far as it is known, before an action; None is unknown."""

    rules: Ruleset
    players: tuple[str, ...]
    dealer: str | None = None
    turn: str | None = None
    clockwise: bool = True
    pile: tuple[str, ...] | None = None
    draw_pile: int | None = None
    burned: tuple[str, ...] | None = None
    cards: Mapping[str, Holding] = field(default_factory=dict)
    left: Mapping[str, tuple[str, ...] | None] = field(default_factory=dict)
    """Who has left the game, and who has completed a turn since (None: not known)."""
    last_set: int | None = None
    """How many cards were played together last, where that is known."""
    opening: bool | None = None
    """Whether this is the very first turn of the game."""
    owed: Mapping[str, int] = field(default_factory=dict)
    """Cards that players have yet to draw."""
    losses: Mapping[str, int] = field(default_factory=dict)
    """Games that players have lost in this sitting."""

    def holding(self, player: str | None) -> Holding:
        """Return what is known of a player's cards."""
        return self.cards.get(player, NOTHING_KNOWN) if player is not None else NOTHING_KNOWN


def _wrong(name: str, expected: str, value: object) -> BadInputError:
    return BadInputError(f"{name} must be {expected}, not {str(value)[:40]!r}")


def _count(value: Any, name: str) -> int | None:
    if value is None:
        return None
    if type(value) is not int or not 0 <= value <= MOST_CARDS:
        raise _wrong(name, f"a whole number from 0 to {MOST_CARDS}", value)
    return value


def read_cards(value: Any, name: str) -> tuple[str, ...] | None:
    """Read a list of cards; a bare number stands for so many unknown ones.

    Raises:
        BadInputError: it is neither, or an entry is not a card.
    """
    if value is None:
        return None
    if type(value) is int:
        return (UNKNOWN,) * (_count(value, name) or 0)
    if not isinstance(value, (list, tuple)) or len(value) > MOST_CARDS:
        raise _wrong(name, "a list of cards", value)
    try:
        return tuple([SPELLINGS[card] for card in value])
    except (KeyError, TypeError):
        pass  # an unusual spelling, or no card at all: look closely
    try:
        return tuple([parse_card(card) for card in value])
    except BadInputError as error:
        raise BadInputError(f"{name}: {error}") from None


def _table(value: Any, name: str) -> Mapping[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise _wrong(name, "an object", value)
    return value


class _Names:
    """Checks that names are players of this table."""

    def __init__(self, players: Sequence[str]) -> None:
        self.known = frozenset(players)

    def one(self, value: Any, name: str) -> str | None:
        if value is None:
            return None
        if not isinstance(value, str):
            raise _wrong(name, "the name of a player", value)
        if value not in self.known:
            raise BadInputError(f"{name}: {value[:40]!r} is not one of the players")
        return value

    def must(self, value: Any, name: str) -> str:
        found = self.one(value, name)
        if found is None:
            raise _wrong(name, "the name of a player", value)
        return found


def read_players(value: Any) -> tuple[str, ...]:
    """Read the list of players.

    Raises:
        BadInputError: it is not a list of at least two different names.
    """
    if not isinstance(value, (list, tuple)) or not all(isinstance(name, str) and name for name in value):
        raise _wrong("players", "a list of names", value)
    if len(value) < 2 or len(set(value)) != len(value) or len(value) > MOST_CARDS:
        raise BadInputError(f"players must be at least two different names, not {str(list(value))[:60]}")
    odd = next((name for name in value if not is_text(name)), None)
    if odd is not None:
        raise BadInputError(f"players: {odd[:40]!r} is not UTF-8 text")
    return tuple(value)


def is_text(name: str) -> bool:
    """Return whether a name can be written down: an argument that was no UTF-8 holds half characters."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def read_rules(line: Mapping[str, Any]) -> Ruleset:
    """Read `rules` and `options`; without `rules` the default ruleset is meant.

    Raises:
        BadInputError: no such ruleset or option.
    """
    options = line.get("options") or ()
    if not isinstance(options, (list, tuple)) or not all(isinstance(option, str) for option in options):
        raise _wrong("options", "a list of names", options)
    rules = line.get("rules")
    return load_ruleset(DEFAULT_RULESET if rules is None else rules, options)


def read_situation(line: Mapping[str, Any]) -> Situation:
    """Read everything of a situation but its action or question.

    Raises:
        BadInputError: a field is missing that is needed, unknown, or of the wrong form.
    """
    players = read_players(line.get("players"))
    names = _Names(players)
    direction = line.get("direction")
    if direction not in (None, CLOCKWISE, *ANTICLOCKWISE):
        raise _wrong("direction", "clockwise or anticlockwise", direction)
    opening = line.get("opening")
    if opening is not None and not isinstance(opening, bool):
        raise _wrong("opening", "true or false", opening)
    cards = {
        names.must(player, "cards"): _holding(entry, player)
        for player, entry in _table(line.get("cards"), "cards").items()
    }
    return Situation(
        rules=read_rules(line),
        players=players,
        dealer=names.one(line.get("dealer"), "dealer"),
        turn=names.one(line.get("turn"), "turn"),
        clockwise=direction in (None, CLOCKWISE),
        pile=read_cards(line.get("pile"), "pile"),
        draw_pile=_count(line.get("draw_pile"), "draw_pile"),
        burned=read_cards(line.get("burned"), "burned"),
        cards=cards,
        left=_left(line.get("left"), names),
        last_set=_count(line.get("last_set"), "last_set"),
        opening=opening,
        owed=_counts(line.get("owed"), "owed", names),
        losses=_counts(line.get("losses"), "losses", names),
    )


def _counts(value: Any, name: str, names: _Names) -> dict[str, int]:
    return {names.must(p, name): _count(n, name) or 0 for p, n in _table(value, name).items()}


def _holding(entry: Any, player: str) -> Holding:
    try:
        table = _table(entry, "cards")
        down = table.get("down")
        if isinstance(down, list):
            down = len(read_cards(down, "down") or ())
        return Holding(
            read_cards(table.get("hand"), "hand"), read_cards(table.get("up"), "up"), _count(down, "down")
        )
    except BadInputError as error:
        raise BadInputError(f"{player}'s {error}") from None


def _left(value: Any, names: _Names) -> dict[str, tuple[str, ...] | None]:
    if isinstance(value, list):
        value = {player if isinstance(player, str) else "": None for player in value}
    left: dict[str, tuple[str, ...] | None] = {}
    for player, entry in _table(value, "left").items():
        since = _table(entry, "left").get("turns_since")
        if since is not None and not isinstance(since, list):
            raise _wrong("turns_since", "a list of players", since)
        left[names.must(player, "left")] = (
            None if since is None else tuple([names.must(name, "turns_since") for name in since])
        )
    return left


def read_action(value: Any, players: Sequence[str]) -> Action:
    """Read the action of a situation.

    Raises:
        BadInputError: it is missing, of no known type, or a field has the wrong form.
    """
    if not isinstance(value, dict):
        raise _wrong("action", "an object with a type", value)
    kind = value.get("type")
    if kind not in ACTION_TYPES:
        raise BadInputError(f"action type {str(kind)[:40]!r} is not one of: {', '.join(ACTION_TYPES)}")
    names = _Names(players)
    source = value.get("source")
    if source is not None and source not in SOURCES:
        raise _wrong("source", f"one of {', '.join(SOURCES)}", source)
    answered_from = value.get("answered_from")
    if answered_from is not None and answered_from not in ("hand", "up", "down"):
        raise _wrong("answered_from", "hand, up or down", answered_from)
    cards = read_cards(value.get("cards"), "cards")
    if cards is None and value.get("card") is not None:
        cards = read_cards([value["card"]], "card")
    if kind == "play" and not cards:
        raise BadInputError("a play must name its cards")
    return Action(
        type=str(kind),
        player=names.one(value.get("player"), "action's player"),
        cards=cards or (),
        source=source,
        count=_count(value.get("count"), "count"),
        to=names.one(value.get("to"), "to"),
        answers=_answers(value.get("answers"), names),
        answered_from=answered_from,
        hand_out=read_cards(value.get("hand_out"), "hand_out"),
        up_out=read_cards(value.get("up_out"), "up_out"),
    )


def _answers(value: Any, names: _Names) -> tuple[tuple[str, str], ...]:
    if value is None:
        return ()
    if not isinstance(value, (list, tuple)):
        raise _wrong("answers", "a list of [from, to]", value)
    answers = []
    for pair in value:
        if not isinstance(pair, (list, tuple)) or len(pair) != 2:
            raise _wrong("answers", "a list of [from, to]", value)
        answers.append((names.must(pair[0], "answers"), names.must(pair[1], "answers")))
    return tuple(answers)
