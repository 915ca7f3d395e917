"""The input of the event logic: the deal with which a game begins, and looks at the table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from vision.following.close_ups import CloseUp
from vision.following.patches import Patch
from vision.table.layout import Layout, Zone
from vision.table.observations import Observation

AGREEING_LOOKS = 2
"""So many looks that agree show what lies there. In a single one a card may be overlooked."""
PATIENCE_LOOKS = 5
"""After so many looks there is a decision, though they do not agree."""
LATEST_LOOKS = 4
"""So many looks count as the latest."""
BARE_LOOKS = 4
"""After so many looks that show nothing, a pile has gone from its place."""


@dataclass(frozen=True, slots=True)
class Deal:
    """A finished deal, with which the event logic of a game begins."""

    layout: Layout
    """Where everything is; the play pile and the burn pile may be found later."""
    up: Sequence[Sequence[str | None]]
    """The face-up cards before each seat, left to right as the player sees them; None: no card."""
    t: float
    """When it came to rest, seconds of the source."""
    now: float
    """When that was decided."""
    confidence: float = 1.0
    """Probability that every face-up card is named correctly."""
    packs: int = 1
    """How many packs the game is played with."""
    draws_as_played: bool = False
    """Whether players draw as many cards as they have played, also with more than at the deal in hand."""
    told: int = 0
    """How many events the game already has: new ones are numbered after them."""


@dataclass(frozen=True, slots=True)
class UnderArm:
    """A card that an arm partly covers, holds, or has just put down."""

    seat: int
    seen: Observation
    covered: float
    """Share of the card that lies under the arm (0..1)."""
    moving: bool


@dataclass(frozen=True, slots=True)
class Look:
    """One reading of the whole table, sorted by how reliable its parts are."""

    t: float
    cards: tuple[Observation, ...]
    """Cards that lie free of arms and movement."""
    under_arms: tuple[UnderArm, ...] = ()
    hidden: frozenset[Zone] = frozenset()
    """Zones that something covers: what is there is unknown, not gone."""
    patches: Mapping[Zone, Patch] = field(default_factory=dict)
    """Small pictures of the zones. They show whether anything there has changed at all."""
    pile: CloseUp | None = None
    """A close picture of the play pile."""
    burnt: CloseUp | None = None
    """A close picture of the burn pile; None while something covers it."""
