"""The story of a film: who does what with which cards, in order, with everything that is hidden."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One thing that the players do. `event` and the fields after it are as in `engine.events.Event`."""

    event: str
    player: str | None = None
    cards: tuple[str, ...] = ()
    """What moves face up; for a set in the order in which it is put down."""
    source: str | None = None
    to: str | None = None
    answers: tuple[tuple[str, str], ...] = ()
    answer_cards: tuple[str, ...] = ()
    """The card of each answer."""
    answered_from: str | None = None
    count: int | None = None
    loser: str | None = None
    hand_out: tuple[str, ...] = ()
    """Exchange: what went from the hand to the table."""
    up_out: tuple[str, ...] = ()
    """Exchange: what went from the table to the hand."""
    legal: bool = True
    rules: tuple[str, ...] = ()
    """The ids of the rules that were broken on purpose."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """One game as it will be filmed."""

    rules: str
    options: tuple[str, ...]
    players: tuple[str, ...]
    dealer: str
    up: dict[str, tuple[str, ...]]
    """The up-cards dealt to each player, left to right as that player sees them."""
    down_count: int
    hand_count: int
    draw_count: int
    """Cards left in the draw pile after the deal."""
    steps: tuple[Step, ...] = field(default=())
    whole: bool = False
    """The game is told to its end."""
