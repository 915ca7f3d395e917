"""The rows of `shithead evaluate` as Markdown tables: this program, and a one-stage detector beside it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from datasets.measuring.reading.evaluation import DETECTOR_SUFFIX
from datasets.measuring.results.film_tables import number, table

_WRONG = ("confident wrong names", "confidently_wrong", ".0f")
_COLUMNS = (
    ("precision", "precision", ".3f"),
    ("recall", "recall", ".3f"),
    ("named correctly", "identity_right", ".3f"),
    _WRONG,
    ("calibration error", "calibration_error", ".3f"),
    ("ms", "ms", ".0f"),
)
_WORDS = """Each cell holds two numbers: this program / a plain one-stage detector. The detector is a YOLO26n
with one class per card, trained on the same scenes. `models/onestage/MODEL_CARD.md` says how long it was
trained. No deck was enrolled. The detector is scored by upright boxes, and does not know face-down cards.
The two times come from different runs: compare them with care.

Command: `shithead evaluate --json --beside WEIGHTS`."""


def beside_rows(photos: Mapping[str, Mapping[str, Any]]) -> str | None:
    """Return the table with an introduction, or None if no such detector was measured.

    `photos` holds the rows of `shithead evaluate --json` by the name of the set.
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


_SETS = {
    "vpo_table": "6 photos of a whole table, 12 megapixels, from above at a tilt",
    "rf100_valid": "close photos of 1 to 5 cards, overlap, dim light; training saw this deck in other photos",
    "laptopcam_piles": "untidy piles",
    "bidly_fans": "one photo of four fanned hands; training saw it",
    "avgustine_quads": "single cards on a black table, bright to dim",
    "jaxon411": "coarse photos from above, 1024 x 288; ranks only",
    "evan_backs": "face-down cards and piles; some labels hold two cards",
    "yuchenrao_single": "single cards",
    "alvaro_corners": "index corners, cut out",
    "held_out": "rendered frames of three decks that training did not see",
    "held_out_jokers": "the jokers in those frames",
}
_SET_WORDS = """*Named correctly* is a share of all labelled cards. A *confident wrong name* has a
confidence of 0.9 or more. *Calibration error* is the average difference between confidence and truth. A set
that ends in `_down` holds the face-down cards of the same photos. `+deck` means that the deck was enrolled
first, from other pictures. Sets that training used are left out, except for the photo of `bidly_fans`.

Command: `shithead evaluate --json --enrolled`."""


def photo_rows(photos: Mapping[str, Mapping[str, Any]]) -> str:
    """Return two tables: what each set shows, and the results on it."""
    columns = [*_COLUMNS]
    columns.insert(
        columns.index(_WRONG) + 1, ("share of confident wrong names", "confidently_wrong_share", ".3f")
    )
    columns.append(("busy processes", "load", ".0f"))
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
    shown = [(name, words) for name, words in _SETS.items() if name in photos]
    return f"{table(('set', 'content'), shown, 2)}\n\n{_SET_WORDS}\n\n{table(head, rows)}"
