"""Targets of the fuzzer that measuring reads: labels of photos, and what it has kept of films."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from datasets.measuring.films import watching
from datasets.measuring.films.summary import report
from datasets.measuring.reading.evaluation import TimedReadings, evaluate_photos, timed
from datasets.measuring.reading.photo_sets import photo_sets
from datasets.measuring.results.film_tables import as_markdown
from datasets.photos import LabelledPhoto
from engine.errors import BadInputError
from engine.files.json_text import parse_json
from tests.faults.fuzz_running import written
from vision.types import CardReading

_BETWEEN = b"\n--\n"
"""Stands between the files of one input."""
_PICTURE = cv2.imencode(".png", np.full((60, 80, 3), 90, np.uint8))[1].tobytes()
_PROGRAM = "a"


class _Seeing:
    """Sees the same two cards in every picture."""

    def read(self, image: Any, crowded: object = None, ignored: object = None) -> list[CardReading]:
        quad = np.array([[20, 10], [40, 10], [40, 50], [20, 50]], np.float32)
        return [CardReading(quad, "up", 0.95, "9S", 0.95), CardReading(quad + 30, "down", 0.9, None, 0.0)]


def _read(photos: Sequence[LabelledPhoto]) -> Iterator[TimedReadings]:
    return (timed(_Seeing(), photo) for photo in photos)


def photo_set(data: bytes, folder: Path) -> None:
    """A set of one photo with its classes and labels, and one with its quads; both are measured."""
    classes, labels, quads, listed = (data.split(_BETWEEN) + [b""] * 4)[:4]
    files = {"classes.txt": classes, "set/labels/a.txt": labels, "set/labels_quads/a.txt": quads}
    said: BadInputError | None = None
    for name, parts in (("boxes", files), ("listed", {"set/quads.json": listed})):
        for path, content in {**parts, "set/images/a.png": _PICTURE}.items():
            (folder / name / path).parent.mkdir(parents=True, exist_ok=True)
            written(folder / name, path, content)
        try:
            sets = photo_sets(folder / name)
            for score in evaluate_photos(_read, sets, folder / name, boxes=name == "boxes", sets=sets):
                json.dumps(score.to_json(), allow_nan=False).encode()
        except BadInputError as error:
            said = error
    if said is not None:
        raise said


def watched_rows(data: bytes, folder: Path) -> None:
    """A line for what was kept of a film, and one for the head of its truth."""
    kept, _, head = data.partition(b"\n")
    film = written(folder, "a.mp4", b"film")
    written(folder, f"a.{_PROGRAM}.json", kept)
    with _watched_anew():
        rows = [watching.measured(film, folder, _PROGRAM)]
    rows += [{**_ROW, **_described(film, head)}]
    about = {"made": "2026-01-01", "machine": _MACHINE, "jobs": 1}
    as_markdown(report(rows, **about)).encode()
    json.dumps(rows, allow_nan=False).encode()


def _described(film: Path, head: bytes) -> dict[str, Any]:
    try:
        header = parse_json(head)
    except ValueError:
        return {}
    return watching.describe_film(film, header) if isinstance(header, dict) else {}


@contextmanager
def _watched_anew() -> Iterator[None]:
    """Have no film watched: what is fuzzed is what was kept of it."""
    before, watching.watch_film = watching.watch_film, lambda *_, **_live: json.loads(json.dumps(_ROW))
    try:
        yield
    finally:
        watching.watch_film = before


MEASURED = (photo_set, watched_rows)
MEASURED_AS_JSON = ("watched_rows",)


# --- what is mutated ----------------------------------------------------------------------------------

_MACHINE = {"processor": "P", "cores": 2, "program": "a"}
_TALLY = {"true": 4, "reported": 5, "matched": 3, "precision": 0.6, "recall": 0.75, "f1": 0.667}
_SCORE: dict[str, Any] = {
    "events": {"play": _TALLY},
    "overall": _TALLY,
    "players": {"judged": 3, "right": 3},
    "rulings": {"judged": 3, "right": 2, "unproven": 0, "share_right": 0.667},
    "illegal": {"true": 1, "found": 1, "false_alarms": 0},
    "corrections": 0,
    "asked": 0,
    "delay_s": {"median": 0.5, "p95": 0.9},
    "missed": [],
    "spurious": [],
    "mistaken": [],
    "delays_s": [0.4, 0.5],
}
_GAME = {"rules": "shed", "options": [], "players": ["A", "B"], "dealer": "A", "deck": "drawn", "seed": 3}
_FILMED = {"seconds": 12.0, "fps": 15, "width": 160, "height": 90}
_CONDITION = {"light": "dim", "tilt": 12.5, "sway": 0.0, "lively": False, "surface": "drawn", "card_px": 40.0}
_ROW: dict[str, Any] = {
    "film": "a.mp4",
    "bytes": 4,
    **_GAME,
    **_FILMED,
    **_CONDITION,
    "messy": 0.0,
    "deck_held_out": False,
    "wall_s": 3.0,
    "cpu_s": 4.0,
    "load": 1.0,
    "looks": 3,
    "machine": {"processor": "P", "cores": 2, "program": "a"},
    "watch": {**_SCORE, "computed_s": [0.1, 0.2]},
    "baseline": _SCORE,
}
_QUADS = b"0 0.25 0.2 0.5 0.2 0.5 0.8 0.25 0.8\n3 0.1 0.2 0.3 0.2 0.3 0.6 0.1 0.6 0.2 0.2\n"


def measured_seeds() -> dict[str, tuple[bytes, ...]]:
    """Return sound inputs of each target."""
    listed = [{"image": "a.png", "card": "9S", "quad": [[20, 10], [40, 10], [40, 50], [20, 50]]}]
    boxes = (b"9S\n10D\nking of hearts\nBACK\n", b"1 0.5 0.5 0.2 0.4\n3 0.2 0.2 0.1 0.1\n", _QUADS)
    named = (b"", b"9S 0.5 0.5 0.2 0.4\nBACK 0.1 0.2 0.3 0.2 0.3 0.6 0.1 0.6\n", b"")
    header = {"film": "a.mp4", **_GAME, **_FILMED, "condition": {**_CONDITION, "messy": 0.0}}
    return {
        "photo_set": tuple(_BETWEEN.join((*files, json.dumps(listed).encode())) for files in (boxes, named)),
        "watched_rows": ("\n".join(json.dumps(line) for line in (_ROW, header)).encode(),),
    }
