"""What is counted of one set of photos, and the row that is printed of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

SURE = 0.9
"""Confidence from which a wrong name counts as confidently wrong."""
_BINS = 10


@dataclass
class Score:
    """Counts over one set of photos."""

    name: str
    photos: int = 0
    cards: int = 0
    """Cards in the truth."""
    readings: int = 0
    """Cards reported: of the kind the truth speaks of."""
    found: int = 0
    """Cards of the truth that a reading matches."""
    named_right: int = 0
    confidently_wrong: int = 0
    """Names that are wrong and as sure as `SURE`; of what is no face-up card, too."""
    names_asked: bool = True
    """Whether the truth tells what the cards are called: of backs it does not."""
    milliseconds: list[float] = field(default_factory=list)
    certainty: list[tuple[float, bool]] = field(default_factory=list)
    """Confidence and rightness of every name given."""

    def add(self, other: Score) -> None:
        """Count what another score of the same set counted as well; photos and times aside."""
        self.cards += other.cards
        self.readings += other.readings
        self.found += other.found
        self.named_right += other.named_right
        self.confidently_wrong += other.confidently_wrong
        self.certainty += other.certainty

    def name_given(self, confidence: float, right: bool) -> None:
        """Count one name that was given."""
        self.named_right += right
        self.confidently_wrong += not right and confidence >= SURE
        self.certainty.append((confidence, right))

    def calibration_error(self) -> float | None:
        """Return the expected calibration error (Naeini et al., 2015) over ten equal bins, or None."""
        if not self.certainty:
            return None
        confidence = np.array([c for c, _ in self.certainty])
        right = np.array([r for _, r in self.certainty], float)
        bins = np.minimum((confidence * _BINS).astype(int), _BINS - 1)
        gaps = [
            abs(confidence[bins == b].mean() - right[bins == b].mean()) * (bins == b).mean()
            for b in np.unique(bins)
        ]
        return float(sum(gaps))

    def to_json(self) -> dict[str, Any]:
        """Return the row as printed: rates 0..1, None where the set says nothing about them."""
        return {
            "set": self.name,
            "photos": self.photos,
            "cards": self.cards,
            "precision": _ratio(self.found, self.readings),
            "recall": _ratio(self.found, self.cards),
            "identity_right": _ratio(self.named_right, self.cards) if self.names_asked else None,
            "confidently_wrong": self.confidently_wrong,
            "confidently_wrong_share": _ratio(self.confidently_wrong, self.cards),
            "calibration_error": _rounded(self.calibration_error()),
            "ms": _rounded(float(np.median(self.milliseconds)), 1) if self.milliseconds else None,
        }


def _ratio(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


def _rounded(value: float | None, digits: int = 4) -> float | None:
    return None if value is None else round(value, digits)
