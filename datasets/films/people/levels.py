"""How much people are in the picture: levels 0 to 3, each with all of the one before.

| level | what people do |
|---|---|
| 0 | arms appear only to act |
| 1 | and hands rest on the table, a fan of cards is held in sight, drawn cards go into it |
| 2 | and people lean over rows and piles, drink, point, gesticulate, reach for crisps, reach at once |
| 3 | and the phone is knocked, exposure, colour and focus drift, the film has a phone's bit rate |
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.errors import BadInputError

MOST_TILT = 25.0
"""Degrees from straight down up to which no head of somebody upright hides the table."""


@dataclass(frozen=True, slots=True)
class Level:
    """What happens at one level."""

    number: int
    rests: bool
    """Whether hands rest on the table and hold fans; else they lie in the lap."""
    on_row: float
    """Chance that a resting hand lies on the own row, not beside it."""
    upright: tuple[float, float]
    """Range of how far trunks bend forward, degrees."""
    leans: float
    """Chance that somebody leans into the picture before an act."""
    points: float
    """Chance that somebody points before an act; others as well: gesticulates, takes crisps, reaches too."""
    gesticulates: float
    snacks: float
    reaches_too: float
    faults: bool
    """Whether the camera has the faults of a phone."""


LEVELS = (
    Level(0, False, 0.0, (1.0, 7.0), 0.0, 0.0, 0.0, 0.0, 0.0, False),
    Level(1, True, 0.3, (2.0, 9.0), 0.0, 0.0, 0.0, 0.0, 0.0, False),
    Level(2, True, 0.4, (4.0, 14.0), 0.45, 0.16, 0.2, 0.12, 0.14, False),
    Level(3, True, 0.4, (4.0, 14.0), 0.45, 0.16, 0.2, 0.12, 0.14, True),
)


def level_of(number: int) -> Level:
    """Return a level by its number. Raises BadInputError if there is none."""
    if not 0 <= number < len(LEVELS):
        raise BadInputError(f"--people {number}: it must be from 0 to {len(LEVELS) - 1}")
    return LEVELS[number]
