"""The counts for one set of photos, and the row that is printed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from companion.game.scoring import calibration_error

SURE = 0.9
"""Least confidence of a name that counts as confidently wrong."""


@dataclass
class Score:
    """Counts over one set of photos."""

    name: str
    photos: int = 0
    cards: int = 0
    """Cards in the truth."""
    readings: int = 0
    """Reported cards of the kind in the truth."""
    found: int = 0
    """Cards of the truth that a reading matches."""
    named_right: int = 0
    confidently_wrong: int = 0
    """Wrong names with a confidence of at least `SURE`, also where no face-up card lies."""
    names_asked: bool = True
    """Whether the truth names the cards; it does not name backs."""
    milliseconds: list[float] = field(default_factory=list)
    certainty: list[tuple[float, bool]] = field(default_factory=list)
    """Confidence of every name, and whether it is right."""

    def add(self, other: Score) -> None:
        """Add the counts of another score of the same set, except photos and times."""
        self.cards += other.cards
        self.readings += other.readings
        self.found += other.found
        self.named_right += other.named_right
        self.confidently_wrong += other.confidently_wrong
        self.certainty += other.certainty

    def name_given(self, confidence: float, right: bool) -> None:
        """Count one name."""
        self.named_right += right
        self.confidently_wrong += not right and confidence >= SURE
        self.certainty.append((confidence, right))

    def to_json(self) -> dict[str, Any]:
        """Return the printed row: rates are 0..1, or None if the set does not give them."""
        return {
            "set": self.name,
            "photos": self.photos,
            "cards": self.cards,
            "precision": _ratio(self.found, self.readings),
            "recall": _ratio(self.found, self.cards),
            "identity_right": _ratio(self.named_right, self.cards) if self.names_asked else None,
            "confidently_wrong": self.confidently_wrong,
            "confidently_wrong_share": _ratio(self.confidently_wrong, self.cards),
            "calibration_error": _rounded(calibration_error(self.certainty)),
            "ms": _rounded(float(np.median(self.milliseconds)), 1) if self.milliseconds else None,
        }


def _ratio(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


def _rounded(value: float | None, digits: int = 4) -> float | None:
    return None if value is None else round(value, digits)
