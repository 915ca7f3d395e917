"""The evening that is played by touch in the window (`drive_evening.py`), and who truly loses which game."""

from __future__ import annotations

from dataclasses import dataclass

from engine.simulation.simulate import SimulatedGame, play_game

PLAYERS = ("Ann", "Bob", "Cat", "Dan")


@dataclass(frozen=True)
class Planned:
    """One game of the evening."""

    loser: str
    seed: int | None = None
    """Of the game that is played out; None: one card is played, then it is said who is out."""
    rules: str = "winnersh"
    seats: int = len(PLAYERS)
    """How many of the four play."""
    suits: bool = False
    """Whether the suits are tapped as well."""

    @property
    def players(self) -> tuple[str, ...]:
        return PLAYERS[: self.seats]

    @property
    def dealer(self) -> str | None:
        return None if self.seed is None else "Bob"

    def truth(self) -> SimulatedGame:
        """Return the game as it was truly played."""
        assert self.seed is not None
        return play_game(self.rules, self.players, self.seed, dealer=self.dealer)


EVENING = (
    Planned("Bob"),
    Planned("Ann", 244, "shed", seats=2),
    Planned("Bob", 350, "winnersh"),
    Planned("Cat", 146, "shed"),
    Planned("Bob", 252, "rulebook", seats=3, suits=True),
    Planned("Bob", 0, "jokers"),
    Planned("Dan", 305, "shed"),
    Planned("Ann", 15, "winnersh", seats=3),
    Planned("Dan", 0, "winnersh"),
    Planned("Cat", 66, "backpacker", seats=3),
    Planned("Ann", 39, "winnersh", seats=2, suits=True),
    Planned("Bob", 260, "backpacker"),
)
"""In the first one only losing is kept account of; the others are played to their end."""
LOSERS = tuple(game.loser for game in EVENING)
