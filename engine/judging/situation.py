"""Reading of situations (`docs/files.md`): the judge's input, checked and typed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

from engine.cards import JOKER, UNKNOWN
from engine.deals import PACK, packs_for
from engine.errors import BadInputError
from engine.fields import (
    ANSWER_SOURCES,
    MOST_CARDS,
    SOURCES,
    PlayerNameReader,
    read_cards,
    read_choice,
    read_count,
    read_flag,
    read_players,
    read_table,
    wrong_field,
)
from engine.ruleset import DEFAULT_RULESET, Ruleset, load_ruleset

ACTION_TYPES = ("play", "pick_up", "show", "flip", "take_up", "take_down", "exchange", "draw")
CLOCKWISE = "clockwise"
ANTICLOCKWISE = ("anticlockwise", "anti-clockwise", "counterclockwise", "counter-clockwise")
"""The accepted spellings. Rulings use the first."""
_NOBODY: Mapping[str, Any] = MappingProxyType({})


class Holding(NamedTuple):
    """The cards of one player; None is unknown."""

    hand: tuple[str, ...] | None = None
    """One entry for each card; `??` is a card that was not seen."""
    up: tuple[str, ...] | None = None
    down: int | None = None

    @property
    def empty(self) -> bool:
        """Whether the player is known to have no card at all."""
        return self.down == 0 and self.hand == () and self.up == ()


NOTHING_KNOWN = Holding()


@dataclass(slots=True, kw_only=True)  # every ruling makes one, and a frozen one takes twice the time
class Action:
    """An action of a player; `docs/files.md` explains the fields. Nothing changes it once it is made."""

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
    def is_unread(self) -> bool:
        """Whether the action moves a card that nobody identified."""
        return UNKNOWN in self.cards or (self.type == "flip" and not self.cards)

    @property
    def from_table(self) -> bool:
        """Whether the action uses cards of the row, which requires an empty hand."""
        return self.source in ("up", "down") or self.type in ("flip", "take_up", "take_down")


class Situation(NamedTuple):
    """The table before an action; None is unknown."""

    rules: Ruleset
    players: tuple[str, ...]
    dealer: str | None = None
    turn: str | None = None
    clockwise: bool | None = True
    """Whether play goes clockwise; None: not known."""
    pile: tuple[str, ...] | None = None
    draw_pile: int | None = None
    burned: tuple[str, ...] | None = None
    cards: Mapping[str, Holding] = _NOBODY
    left: Mapping[str, tuple[str, ...] | None] = _NOBODY
    """By player who has left the game: the players who have completed a turn since; None: not known."""
    sets: tuple[int, ...] = ()
    """The sizes of the topmost sets of the pile, last set last."""
    opening: bool | None = None
    """Whether this is the very first turn of the game; None: not known."""
    shithead: str | None = None
    """The Shithead, if the game is over."""
    owed: Mapping[str, int] = _NOBODY
    """By player: how many cards they still have to draw."""
    losses: Mapping[str, int] = _NOBODY
    """By player: how many games they have lost this evening."""

    def holding(self, player: str | None) -> Holding:
        """Return what is known of a player's cards."""
        return self.cards.get(player, NOTHING_KNOWN) if player is not None else NOTHING_KNOWN


def read_rules(line: Mapping[str, Any]) -> Ruleset:
    """Read `rules` and `options`; without `rules`, use the default ruleset.

    Raises:
        BadInputError: there is no such ruleset or option.
    """
    options = line.get("options") or ()
    if not isinstance(options, (list, tuple)) or not all(isinstance(option, str) for option in options):
        raise wrong_field("options", "a list of names", options)
    rules = line.get("rules")
    return load_ruleset(DEFAULT_RULESET if rules is None else rules, options)


def read_situation(line: Mapping[str, Any]) -> Situation:
    """Read a situation, except its action or question.

    Raises:
        BadInputError: a required field is missing, or a value has the wrong form.
    """
    players = read_players(line.get("players"))
    names = PlayerNameReader(players)
    rules = read_rules(line)
    direction = line.get("direction")
    if direction not in (None, CLOCKWISE, *ANTICLOCKWISE):
        raise wrong_field("direction", "clockwise or anticlockwise", direction)
    cards = {
        names.require(player, "cards"): _holding(entry, player)
        for player, entry in read_table(line.get("cards"), "cards").items()
    }
    pile = read_cards(line.get("pile"), "pile")
    situation = Situation(
        rules=rules,
        players=players,
        dealer=names.read(line.get("dealer"), "dealer"),
        turn=names.read(line.get("turn"), "turn"),
        clockwise=direction in (None, CLOCKWISE),
        pile=pile,
        draw_pile=read_count(line.get("draw_pile"), "draw_pile"),
        burned=read_cards(line.get("burned"), "burned"),
        cards=cards,
        left=_left(line.get("left"), names),
        sets=_sets(line, pile),
        opening=read_flag(line.get("opening"), "opening"),
        shithead=names.read(line.get("shithead"), "shithead"),
        owed=_counts(line.get("owed"), "owed", names),
        losses=_counts(line.get("losses"), "losses", names),
    )
    _check_sizes(situation)
    return situation


def _sets(line: Mapping[str, Any], pile: Sequence[str] | None) -> tuple[int, ...]:
    """Read `sets`, or else `last_set`.

    Raises:
        BadInputError: the value is not a list of counts, or they exceed the pile.
    """
    given = line.get("sets")
    last = read_count(line.get("last_set"), "last_set")
    if given is None:
        return (last,) if last else ()
    if not isinstance(given, (list, tuple)):
        raise wrong_field("sets", "a list of counts", given)
    sets = tuple(given)
    if not all(type(size) is int and size > 0 for size in sets):
        raise wrong_field("sets", "a list of counts", given)
    if sum(sets) > (MOST_CARDS if pile is None else len(pile)):
        raise BadInputError("sets: together they hold more cards than the pile")
    return sets


def _check_sizes(situation: Situation) -> None:
    """Check that no place holds more cards than the game has.

    Raises:
        BadInputError: a place holds more; the message names it.
    """
    mechanics = situation.rules.mechanics
    most = (PACK + mechanics.jokers) * packs_for(mechanics, len(situation.players))
    pile, burned, left = situation.pile or (), situation.burned or (), situation.draw_pile or 0
    held = [len(hand or ()) + len(up or ()) + (down or 0) for hand, up, down in situation.cards.values()]
    if len(pile) + len(burned) + left + sum(held) <= most:
        return
    counts = {"draw_pile": left, "pile": _counted(pile), "burned": _counted(burned)}
    for player, holding in situation.cards.items():
        counts[f"{player}'s hand"] = _counted(holding.hand or ())
        counts[f"{player}'s up"] = _counted(holding.up or ())
        counts[f"{player}'s down"] = holding.down or 0
    for name, count in counts.items():
        if count > most:
            raise BadInputError(f"{name}: {count} cards are more than the {most} of the game")


def _counted(cards: Sequence[str]) -> int:
    """Return how many of the cards are not jokers. A ruling reports jokers in a game without them."""
    return len(cards) - cards.count(JOKER)


def _counts(value: Any, name: str, names: PlayerNameReader) -> Mapping[str, int]:
    if value is None:
        return _NOBODY
    return {names.require(p, name): read_count(n, name) or 0 for p, n in read_table(value, name).items()}


def _holding(entry: Any, player: str) -> Holding:
    try:
        table = read_table(entry, "cards")
        down = table.get("down")
        if isinstance(down, list):
            down = len(read_cards(down, "down") or ())
        return Holding(
            read_cards(table.get("hand"), "hand"), read_cards(table.get("up"), "up"), read_count(down, "down")
        )
    except BadInputError as error:
        raise BadInputError(f"{player}'s {error}") from None


def _left(value: Any, names: PlayerNameReader) -> Mapping[str, tuple[str, ...] | None]:
    if value is None or value == {}:
        return _NOBODY
    if isinstance(value, list):
        value = {player if isinstance(player, str) else "": None for player in value}
    left: dict[str, tuple[str, ...] | None] = {}
    for player, entry in read_table(value, "left").items():
        since = read_table(entry, "left").get("turns_since")
        if since is not None and not isinstance(since, list):
            raise wrong_field("turns_since", "a list of players", since)
        left[names.require(player, "left")] = (
            None if since is None else tuple([names.require(name, "turns_since") for name in since])
        )
    return left


def read_action(value: Any, players: Sequence[str]) -> Action:
    """Read the action of a situation.

    Raises:
        BadInputError: the action is missing, has no known type, or a field has the wrong form.
    """
    if not isinstance(value, dict):
        raise wrong_field("action", "an object with a type", value)
    kind = value.get("type")
    if kind not in ACTION_TYPES:
        raise BadInputError(f"action type {str(kind)[:40]!r} is not one of: {', '.join(ACTION_TYPES)}")
    names = PlayerNameReader(players)
    cards = read_cards(value.get("cards"), "cards")
    if cards is None and value.get("card") is not None:
        cards = read_cards([value["card"]], "card")
    if kind == "play" and not cards:
        raise BadInputError("a play must name its cards")
    return Action(
        type=kind,
        player=names.read(value.get("player"), "action's player"),
        cards=cards or (),
        source=read_choice(value.get("source"), "source", SOURCES),
        count=read_count(value.get("count"), "count"),
        to=names.read(value.get("to"), "to"),
        answers=names.pairs(value.get("answers"), "answers"),
        answered_from=read_choice(value.get("answered_from"), "answered_from", ANSWER_SOURCES),
        hand_out=read_cards(value.get("hand_out"), "hand_out"),
        up_out=read_cards(value.get("up_out"), "up_out"),
    )
