"""The pieces on the table by their role in the game, and the habits of the company."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

from datasets.films.choreography.stage import Piece
from datasets.films.geometry import Pose


@dataclass(frozen=True, slots=True)
class Habits:
    """The habits that all players of a company share."""

    pause: tuple[float, float]
    """Seconds between two actions."""
    deal_pace: float
    """Seconds between two dealt cards."""
    hands_wait: bool
    """Whether dealt hand cards lie at the edge until the deal ends; else they slide into the lap."""
    burn_face_up: bool
    show_seconds: tuple[float, float]
    show_reach: float
    """Distance of a shown 3 from the middle, as a share of the way to the edge of the recipient."""
    up_offset: tuple[float, float]
    """Shift of an up-card on its down-card, mm to the right of the player and towards the player."""
    fidgets: float
    """Chance that somebody points or squares the pile before an action."""


def random_habits(rng: random.Random, players: int) -> Habits:
    """Return random habits for a company of this size."""
    low = rng.uniform(0.8, 1.4)
    return Habits(
        pause=(low, low + rng.uniform(0.5, 1.6)),
        deal_pace=rng.uniform(0.34, 0.5),
        # A table of five has no room for waiting hands.
        hands_wait=rng.random() < 0.5 and players <= 4,
        burn_face_up=rng.random() < 0.3,
        show_seconds=(1.0, rng.uniform(1.3, 2.0)),
        show_reach=rng.uniform(0.40, 0.60),
        up_offset=(rng.uniform(-6.0, 6.0), rng.uniform(4.0, 16.0)),
        fidgets=rng.choice([0.0, 0.04, 0.1]),
    )


@dataclass(slots=True)
class Tabletop:
    """The pieces on the table by their role in the game."""

    down: dict[str, list[Piece]]
    up: dict[str, list[tuple[int, Piece]]]
    """The up-cards of each player, with their places in the row."""
    draw: list[Piece] = field(default_factory=list)
    pile: list[Piece] = field(default_factory=list)
    burned: list[Piece] = field(default_factory=list)

    def find_up(self, player: str, card: str) -> tuple[int, Piece] | None:
        """Remove and return an up-card of a player with its place in the row, or None if it is not there."""
        for entry in self.up[player]:
            if entry[1].card == card:
                self.up[player].remove(entry)
                return entry
        return None

    def take_up(self, player: str, card: str) -> tuple[int, Piece]:
        """Remove and return an up-card of a player, with its place in the row.

        Raises:
            ValueError: the card does not lie there.
        """
        entry = self.find_up(player, card)
        if entry is None:
            raise ValueError(f"{player} has no up-card {card}")
        return entry

    def burn(self, cards: Sequence[str]) -> list[Piece]:
        """Remove the burned cards from the top of the play pile, and return them, bottom first."""
        cut = len(self.pile) - len(cards)
        burned, self.pile = self.pile[cut:], self.pile[:cut]
        return burned

    def take_down(self, player: str, rng: random.Random) -> Piece:
        """Remove and return a random down-card of a player."""
        pieces = self.down[player]
        return pieces.pop(rng.randrange(len(pieces)))


def placed(piece: Piece) -> Pose:
    """Return the pose of a piece on the table.

    Raises:
        ValueError: the piece is not on the table.
    """
    if piece.pose is None:
        raise ValueError(f"piece {piece.number} ({piece.card}) is not on the table")
    return piece.pose
