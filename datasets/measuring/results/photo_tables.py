"""The rows of `shithead evaluate` as Markdown: the reader's, and beside them a one-stage detector's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from datasets.measuring.reading.evaluation import DETECTOR_SUFFIX
from datasets.measuring.results.film_tables import number, table

_WRONG = ("confidently wrong", "confidently_wrong", ".0f")
_COLUMNS = (
    ("precision", "precision", ".3f"),
    ("recall", "recall", ".3f"),
    ("named right", "identity_right", ".3f"),
    _WRONG,
    ("calibration error", "calibration_error", ".3f"),
    ("ms", "ms", ".0f"),
)
_WORDS = """Each cell: the reader, without an enrolled deck / a plain one-stage YOLO26n, one class per card,
trained on the same scenes. How far its training got, `models/onestage/MODEL_CARD.md` says, and that is part
of what these numbers mean. Its boxes are held against upright boxes around the cards, and it knows no
face-down cards. The two times were not taken in the same run, nor on an equally quiet machine: beside each
reader's time in the table above stands how many processes wanted to run.
By `shithead evaluate --json --beside WEIGHTS`."""


def beside_rows(photos: Mapping[str, Mapping[str, Any]]) -> str | None:
    """Return the table with a word before it, or None where no such detector was measured.

    `photos` are rows as `shithead evaluate --json` prints them, by set.
    """
    rows = []
    for name, ours in photos.items():
        theirs = photos.get(name + DETECTOR_SUFFIX)
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


_SET_WORDS = """`SET_down`: the face-down cards; `SET+deck`: read with that deck enrolled from other pictures.
`held_out` are rendered frames of decks that no network was trained on; `alvaro_corners` shows index corners
alone, cut out. Sets that networks were trained on are left out, but for the one photo of bidly_fans.
By `shithead evaluate --json --enrolled`."""


def photo_rows(photos: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the reader's rows, one for each set, with a word before them."""
    columns = [*_COLUMNS]
    columns.insert(columns.index(_WRONG) + 1, ("their share", "confidently_wrong_share", ".3f"))
    columns.append(("processes that wanted to run", "load", ".0f"))
    rows = [
        (
            name,
            str(row.get("photos", "")),
            str(row.get("cards", "")),
            *(number(row.get(key), form) for _, key, form in columns),
        )
        for name, row in photos.items()
        if not name.endswith(DETECTOR_SUFFIX)
    ]
    head = ("set", "photos", "cards", *(title for title, _, _ in columns))
    return f"{_SET_WORDS}\n\n{table(head, rows)}"
