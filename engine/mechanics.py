"""What a ruleset can consist of: one field for each mechanism, filled from data.

No code asks for a ruleset's name; it asks whether a mechanism is on. The
`[mechanics]` tables of the ruleset files (`engine/rulesets/*.toml`) hold these fields by name.
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
    """The number of players from which this deal holds."""

    @property
    def each(self) -> int:
        """Cards for one player altogether."""
        return self.down + self.up + self.hand


@dataclass(frozen=True, slots=True)
class StartCard:
    """One step of the order in which cards decide who starts."""

    rank: int
    suit: str = ""
    """A suit letter, or empty: any suit."""
    colour: int = 0
    """A colour bit, or 0: any colour."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mechanics:
    """The switches and card powers of one ruleset, options applied. Ranks are ints as in `engine.cards`."""

    # The pack and the deal
    deal: Deal
    small_deal: Deal | None = None
    """The deal for many players, where it differs."""
    jokers: int = 0
    """Jokers added to each pack."""
    players_per_pack: int = 0
    """Players that one pack serves; 0: there is only ever one pack."""

    # What may be played on what
    never_played: Ranks = NONE
    shown: Ranks = NONE
    """Ranks that are shown to another player, who must pick up."""
    on_anything: Ranks = NONE
    transparent: Ranks = NONE
    """Ranks that leave in effect what lies under them."""
    resets: Ranks = NONE
    """Ranks that anything may follow."""
    limits: Ranks = NONE
    """Ranks that only the same or lower may follow."""
    not_on_limit: Ranks = NONE
    """Ranks that go on anything, but not on a limit."""
    colours: Ranks = NONE
    """Ranks whose colour must be followed."""
    suit_order: str = ""
    """Suits from low to high where an equal card must have a better suit; empty: suits do not matter."""
    also_beaten_by: Mapping[int, int] = field(default_factory=dict)
    """Ranks that one particular lower rank beats."""
    plays_jokers: bool = False
    max_set: int = 0
    """The most cards played at once; 0: no limit."""

    # What a played card does
    burns: Ranks = NONE
    four: int = 4
    """So many of a kind burn the pile."""
    four_anywhere: bool = False
    four_through: Ranks = NONE
    """Ranks that do not break a run of four of a kind."""
    out_of_turn_four: bool = False
    burn_again: bool = True
    """Whether who burns the pile has another turn."""
    again: Ranks = NONE
    """Ranks that give another turn."""
    skips: Ranks = NONE
    reverses: Ranks = NONE
    reverse_once: bool = False
    """A set reverses once, not once for each card."""
    forces_pick_up: Ranks = NONE
    """Ranks that make the next player pick up, and are burned."""

    # Picking up and drawing
    must_play: bool = False
    pick_up_empty: bool = False
    after_pick_up: Literal["next", "picker"] = "next"
    min_hand: int = 0
    draw: Literal["to-minimum", "as-played"] = "to-minimum"

    # The cards on the table
    up_needs_empty_deck: bool = False
    up_enters_hand: bool = False
    up_place_first: bool = False
    """Who can play no up-card places one on the pile before picking up."""
    mixed: bool = False
    """The last hand cards may be played together with up-cards of their rank."""
    down_enters_hand: bool = False
    must_flip: bool = False
    """With only down-cards left one must be flipped; the pile may not be picked up instead."""
    back_in: bool = False
    """Who has just left may be shown back in."""

    # Start, end, rituals
    start: Literal["cards", "left-of-dealer"] = "cards"
    start_order: tuple[StartCard, ...] = ()
    start_by: Literal["candidates", "race", "after-dealer"] = "candidates"
    """What happens between players with equal cards."""
    start_loser: bool = False
    start_card_played: bool = False
    next_dealer: Literal["", "left", "loser"] = ""
    library: int = 0
    """A hand of so many cards after a pick-up is a library; 0: no such thing."""
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
"""No number of cards, players or packs is greater."""
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
        raise BadInputError("a deal gives counts of cards: down, up, hand")
    deal = Deal(**counts)
    if not 1 <= deal.each <= _MOST:
        raise BadInputError("{each} cards for each player cannot be dealt", each=deal.each)
    return deal


def _start_card(text: str) -> StartCard:
    """Read `4C`, `4`, `3 black`."""
    rank, _, colour = text.partition(" ")
    if colour:
        return StartCard(_rank(rank), colour={"red": RED, "black": BLACK}[colour])
    if rank not in RANK_VALUES and rank[-1:] in SUITS:
        return StartCard(_rank(rank[:-1]), suit=rank[-1])
    return StartCard(_rank(rank))


def _value(name: str, kind: str, value: Any) -> Any:
    """Turn one value of a ruleset file into what the field holds."""
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
    """Return the value of one field as `Mechanics` holds it, from how a ruleset file writes it.

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
