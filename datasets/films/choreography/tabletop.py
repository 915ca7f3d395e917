"""What lies where in the game's own terms, and the habits of those who play it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

from datasets.films.choreography.stage import Piece
from datasets.films.geometry import Pose


@dataclass(frozen=True, slots=True)
class Habits:
    """What this company does alike."""

    pause: tuple[float, float]
    """Seconds between two actions."""
    deal_pace: float
    """Seconds from card to card."""
    hands_wait: bool
    """Dealt hand cards lie at the table's edge until all have theirs, else they slide into the lap."""
    burn_face_up: bool
    show_seconds: tuple[float, float]
    show_reach: float
    """How far towards the recipient's table edge a 3 is held out, as a share of the way from the middle."""
    up_offset: tuple[float, float]
    """Where an up-card lies on its down-card, mm to the player's right and towards the player."""
    fidgets: float
    """Chance that before an action somebody reaches in for nothing: points, or squares the pile."""


def random_habits(rng: random.Random, players: int) -> Habits:
    """Return the habits of one company."""
    low = rng.uniform(0.8, 1.4)
    return Habits(
        pause=(low, low + rng.uniform(0.5, 1.6)),
        deal_pace=rng.uniform(0.34, 0.5),
        # With five at the table there is no room for waiting hands.
        hands_wait=rng.random() < 0.5 and players <= 4,
        burn_face_up=rng.random() < 0.3,
        show_seconds=(1.0, rng.uniform(1.3, 2.0)),
        show_reach=rng.uniform(0.40, 0.60),
        up_offset=(rng.uniform(-6.0, 6.0), rng.uniform(4.0, 16.0)),
        fidgets=rng.choice([0.0, 0.04, 0.1]),
    )


@dataclass(slots=True)
class Tabletop:
    """The pieces on the table by what they are in the game."""

    down: dict[str, list[Piece]]
    up: dict[str, list[tuple[int, Piece]]]
    """Each player's up-cards with the place in the row that they lie on."""
    draw: list[Piece] = field(default_factory=list)
    pile: list[Piece] = field(default_factory=list)
    burned: list[Piece] = field(default_factory=list)

    def find_up(self, player: str, card: str) -> tuple[int, Piece] | None:
        """Remove and return one of a player's up-cards with its place in the row, None if it is not there."""
        for entry in self.up[player]:
            if entry[1].card == card:
                self.up[player].remove(entry)
                return entry
        return None

    def take_up(self, player: str, card: str) -> tuple[int, Piece]:
        """Remove and return one of a player's up-cards.

        Raises:
            ValueError: The story takes a card that does not lie there.
        """
        entry = self.find_up(player, card)
        if entry is None:
            raise ValueError(f"{player} has no up-card {card}")
        return entry

    def burn(self, cards: Sequence[str]) -> list[Piece]:
        """Remove cards from the top of the play pile (all of it, or what is burned alone); bottom first."""
        cut = len(self.pile) - len(cards)
        burned, self.pile = self.pile[cut:], self.pile[:cut]
        return burned

    def take_down(self, player: str, rng: random.Random) -> Piece:
        """Remove and return one of a player's down-cards."""
        pieces = self.down[player]
        return pieces.pop(rng.randrange(len(pieces)))


def placed(piece: Piece) -> Pose:
    """Return where a piece lies that must be on the table.

    Raises:
        ValueError: It is not.
    """
    if piece.pose is None:
        raise ValueError(f"piece {piece.number} ({piece.card}) is not on the table")
    return piece.pose
