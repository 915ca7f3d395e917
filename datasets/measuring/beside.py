"""The reader's rows of `shithead evaluate` and those of a one-stage detector, side by side as Markdown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from datasets.evaluation import BESIDE
from datasets.measuring.tables import number, table

_COLUMNS = (
    ("precision", "precision", ".3f"),
    ("recall", "recall", ".3f"),
    ("named right", "identity_right", ".3f"),
    ("confidently wrong", "confidently_wrong", ".0f"),
    ("calibration error", "calibration_error", ".3f"),
    ("ms", "ms", ".0f"),
)
_WORDS = """Each cell: the reader, without an enrolled deck / a plain one-stage YOLO26n, one class per card,
trained on the same scenes. How far its training got, `models/onestage/MODEL_CARD.md` says, and that is part
of what these numbers mean. Its boxes are held against upright boxes around the cards, and it knows no
face-down cards. The two times were not taken in the same run.
By `shithead evaluate --json --beside WEIGHTS`."""


def beside_rows(photos: Mapping[str, Mapping[str, Any]]) -> str | None:
    """Return the table with a word before it, or None where no such detector was measured.

    `photos` are rows as `shithead evaluate --json` prints them, by set.
    """
    rows = []
    for name, ours in photos.items():
        theirs = photos.get(name + BESIDE)
        if theirs is None:
            continue
        cells = [
            f"{number(ours.get(key), form)} / {number(theirs.get(key), form)}" for _, key, form in _COLUMNS
        ]
        rows.append((name, str(ours.get("cards", "")), *cells))
    if not rows:
        return None
    head = ("set", "cards", *(title for title, _, _ in _COLUMNS))
    return f"{_WORDS}\n\n{table(head, rows)}"
