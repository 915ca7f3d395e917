"""The mechanisms of rulesets: one field for each, filled from data.

No code asks for a ruleset's name; it asks whether a mechanism is on. The `[mechanics]` tables of the ruleset
files (`engine/rulesets/*.toml`) set these fields by name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal

from engine.cards import BLACK, RANK_VALUES, RED, SUITS
from engine.errors import BadInputError

Ranks = frozenset[int]
NONE: Ranks = frozenset()


@dataclass(frozen=True, slots=True)
class Deal:
    """How many cards each player is dealt."""

    down: int
    up: int
    hand: int
    from_players: int = 2
    """The smallest number of players for which this deal holds."""

    @property
    def each(self) -> int:
        """The number of cards for one player."""
        return self.down + self.up + self.hand


@dataclass(frozen=True, slots=True)
class StartCard:
    """One step of the order in which cards decide who starts."""

    rank: int
    suit: str = ""
    """A suit letter; empty: any suit."""
    colour: int = 0
    """A colour bit; 0: any colour."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mechanics:
    """The mechanisms of one ruleset, options applied. Ranks are ints as in `engine.cards`."""

    # The pack and the deal
    deal: Deal
    small_deal: Deal | None = None
    """The deal for many players, if it differs."""
    jokers: int = 0
    """Jokers added to each pack."""
    players_per_pack: int = 0
    """The number of players that one pack serves; 0: there is always one pack."""

    # Which cards may be played
    never_played: Ranks = NONE
    shown: Ranks = NONE
    """Ranks that are shown to another player, who must pick up."""
    on_anything: Ranks = NONE
    transparent: Ranks = NONE
    """Ranks that do not change the demand of the pile under them."""
    resets: Ranks = NONE
    """Ranks that any card may follow."""
    limits: Ranks = NONE
    """Ranks that only equal or lower cards may follow."""
    not_on_limit: Ranks = NONE
    """Ranks that go on anything except a limit."""
    colours: Ranks = NONE
    """Ranks that only cards of their colour may follow."""
    suit_order: str = ""
    """Suits from low to high, if a card of equal rank needs a better suit; empty: suits do not matter."""
    also_beaten_by: Mapping[int, int] = field(default_factory=dict)
    """By rank: a lower rank that also beats it."""
    plays_jokers: bool = False
    max_set: int = 0
    """The most cards in a set; 0: no limit."""

    # Effects of a played card
    burns: Ranks = NONE
    four: int = 4
    """The number of cards of one rank that burn the pile."""
    four_anywhere: bool = False
    """Cards anywhere in the pile count towards four of a kind, not only a run on top."""
    four_through: Ranks = NONE
    """Ranks that do not break a run of four of a kind."""
    out_of_turn_four: bool = False
    """A player may complete four of a kind out of turn."""
    burn_again: bool = True
    """The player who burns the pile has another turn."""
    again: Ranks = NONE
    """Ranks that give another turn."""
    skips: Ranks = NONE
    reverses: Ranks = NONE
    reverse_once: bool = False
    """A set reverses the direction once, not once for each card."""
    forces_pick_up: Ranks = NONE
    """Ranks that make the next player pick up, and are burned."""

    # Picking up and drawing
    must_play: bool = False
    """A player who can play must play."""
    pick_up_empty: bool = False
    """A player may pick up an empty pile, which passes the turn."""
    after_pick_up: Literal["next", "picker"] = "next"
    """The player who leads after a pick-up."""
    min_hand: int = 0
    """The number of cards up to which a hand is replenished; 0: no minimum."""
    draw: Literal["to-minimum", "as-played"] = "to-minimum"

    # The cards on the table
    up_needs_empty_deck: bool = False
    """Up-cards and down-cards come into play only after the draw pile is empty."""
    up_enters_hand: bool = False
    """Up-cards are taken into the hand and played from there."""
    up_place_first: bool = False
    """A player who can play no up-card places one on the pile before picking up."""
    mixed: bool = False
    """The last hand cards may be played together with up-cards of their rank."""
    down_enters_hand: bool = False
    """A down-card is taken into the hand and played from there."""
    must_flip: bool = False
    """A player with only down-cards must flip one, and may not pick up the pile instead."""
    back_in: bool = False
    """A player who has just left may be shown back into the game."""

    # Start, end, rituals
    start: Literal["cards", "left-of-dealer"] = "cards"
    start_order: tuple[StartCard, ...] = ()
    start_by: Literal["candidates", "race", "after-dealer"] = "candidates"
    """How players with equal cards decide who starts: freely, by a race, or by the seats after the dealer."""
    start_loser: bool = False
    """The Shithead of the last game starts."""
    start_card_played: bool = False
    """The first play must contain the card that decides who starts."""
    next_dealer: Literal["", "left", "loser"] = ""
    library: int = 0
    """The size of a hand that earns the library ritual after a pick-up; 0: no such ritual."""
    library_title: str = ""
    third_loss_title: str = ""
    loser_says_title: str = ""


_KINDS = {field.name: str(field.type) for field in fields(Mechanics)}
_RANK_FIELDS = {name for name, kind in _KINDS.items() if kind == "Ranks"}
_CHOICES = {
    "after_pick_up": ("next", "picker"),
    "draw": ("to-minimum", "as-played"),
    "start": ("cards", "left-of-dealer"),
    "start_by": ("candidates", "race", "after-dealer"),
    "next_dealer": ("", "left", "loser"),
}
_MOST = 1000
"""The greatest allowed number of cards, players or packs."""
_TYPES: dict[str, type] = {"bool": bool, "int": int, "str": str}


def _rank(value: object) -> int:
    if value not in RANK_VALUES:
        raise BadInputError("{value!r} is not a rank", value=str(value)[:30])
    return RANK_VALUES[str(value)]


def _deal(value: Any) -> Deal | None:
    if not value:
        return None
    counts = {"from_players" if name == "from" else name: number for name, number in dict(value).items()}
    if not all(type(number) is int and number >= 0 for number in counts.values()):
        raise BadInputError("deal needs whole numbers: down, up and hand")
    deal = Deal(**counts)
    if not 1 <= deal.each <= _MOST:
        raise BadInputError("{each} cards for each player cannot be dealt", each=deal.each)
    return deal


def _start_card(text: str) -> StartCard:
    """Read a start card such as `4C`, `4` or `3 black`."""
    rank, _, colour = text.partition(" ")
    if colour:
        return StartCard(_rank(rank), colour={"red": RED, "black": BLACK}[colour])
    if rank not in RANK_VALUES and rank[-1:] in SUITS:
        return StartCard(_rank(rank[:-1]), suit=rank[-1])
    return StartCard(_rank(rank))


def _value(name: str, kind: str, value: Any) -> Any:
    """Convert one value of a ruleset file for the field `name` of type `kind`."""
    if name in _RANK_FIELDS:
        if not isinstance(value, list):
            raise BadInputError("a list of ranks is expected")
        return frozenset(_rank(rank) for rank in value)
    if name in ("deal", "small_deal"):
        return _deal(value)
    if name == "start_order":
        return tuple(_start_card(text) for text in value)
    if name == "also_beaten_by":
        return {_rank(str(high)): _rank(str(low)) for high, low in dict(value).items()}
    if name in _CHOICES:
        if value not in _CHOICES[name]:
            raise BadInputError(
                "{value!r} is not one of: {known}", value=value, known=", ".join(map(repr, _CHOICES[name]))
            )
    elif type(value) is not _TYPES[kind]:
        raise BadInputError("{value!r} is not of type {kind}", value=str(value)[:30], kind=kind)
    if kind == "int" and not (2 if name == "four" else 0) <= value <= _MOST:
        raise BadInputError("{value} is out of range", value=value)
    if name == "suit_order" and value and sorted(value) != sorted(SUITS):
        raise BadInputError("{value!r} does not name each of the four suits once", value=value)
    return value


def mechanic_value(name: str, value: Any) -> Any:
    """Return the value for one field of `Mechanics`, converted from a ruleset file.

    Raises:
        BadInputError: there is no such field, or the value has the wrong form; the message names it.
    """
    if name not in _KINDS:
        raise BadInputError("there is no mechanism {name!r}", name=name[:40])
    try:
        return _value(name, _KINDS[name], value)
    except BadInputError as error:
        raise BadInputError("mechanism {name!r}: {reason}", name=name, reason=error) from None
    except (TypeError, ValueError, KeyError, AttributeError):
        raise BadInputError(
            "mechanism {name!r}: {value!r} has the wrong form", name=name, value=str(value)[:40]
        ) from None


def read_mechanics(table: Mapping[str, Any]) -> Mechanics:
    """Build the mechanics from a ruleset file's table.

    Raises:
        BadInputError: a name is unknown or a value has the wrong form; the message names it.
    """
    values = {name: mechanic_value(name, value) for name, value in table.items()}
    if values.get("deal") is None:
        raise BadInputError("mechanism 'deal' is missing")
    return Mechanics(**values)
