"""Watching one film and scoring what was told: the same steps as `shithead watch` and `shithead score`.

Each film's outcome is written down at once, under the digest of the program that watched it: what was broken
off goes on where it was, and another program watches anew.
"""

from __future__ import annotations

import hashlib
import json
import time
from contextlib import closing
from pathlib import Path
from typing import Any

from companion.cli.event_writer import EventWriter
from companion.cli.recording import RecordedGames
from companion.cli.watch import follow
from companion.game.history import GameHistory
from companion.game.scoring import Score, compare, read_events, read_lines, read_truth
from companion.game.setup import GameSetup
from companion.game.starting import open_watched_game
from datasets.art.decks import VALID_DECKS
from datasets.films.production import truth_path
from datasets.measuring.films.baseline import Baseline
from datasets.measuring.films.row_shapes import is_film_row, is_whole_row
from datasets.measuring.machine import load, machine
from datasets.progress import Progress
from engine.errors import BadInputError
from engine.files.atomic import whole_file, write_whole
from engine.files.bounded import read_capped
from engine.files.json_text import parse_json
from vision.capture.sources import open_source
from vision.types import Image

Row = dict[str, Any]
"""What is known of one film and how it was followed, as JSON."""


def measured(film: Path, folder: Path, program: str, progress: Progress = lambda done, whole: None) -> Row:
    """Return a film's row: from `folder` if this program has watched it already, else after watching it.

    Args:
        film: Has its truth beside it; it may be gone itself, see `was_watched`.
        folder: Where rows and event lines are kept.
        program: Digest of the program, `datasets.measuring.machine.program`.
        progress: Told seconds of the film.

    Raises:
        BadInputError: film or truth cannot be read.
    """
    kept = _kept_at(film, folder, program)
    found = _kept_row(kept)
    if found is not None and _is_of(found, film):
        return found
    row = watch_film(film, folder / f"{film.stem}.{program}.events.jsonl", progress)
    write_whole(kept, json.dumps(row) + "\n")
    return row


def was_watched(film: Path, folder: Path, program: str) -> bool:
    """Tell whether this program has watched a film, here or elsewhere, that may be gone: it takes much room.

    Its row and its truth tell what there is to tell of it.
    """
    found = _kept_row(_kept_at(film, folder, program)) if truth_path(film).is_file() else None
    return found is not None and _is_of(found, film)


def _kept_at(film: Path, folder: Path, program: str) -> Path:
    return folder / f"{film.stem}.{program}.json"


def _is_of(row: Row, film: Path) -> bool:
    """Tell whether a row is of this film with its truth as it is now."""
    size = film.stat().st_size if film.is_file() else row["bytes"]
    return (row["film"], row["bytes"], row.get("truth")) == (film.name, size, _digest(truth_path(film)))


def _kept_row(path: Path) -> Row | None:
    """Return a row that was kept, or None where there is none that is whole."""
    try:
        row: Row = parse_json(read_capped(path))
    except (OSError, ValueError):
        return None
    return row if is_whole_row(row) else None


def watch_film(film: Path, events: Path, progress: Progress = lambda done, whole: None) -> Row:
    """Watch a film from end to end without a window, and score it; event lines go to `events`.

    Raises:
        BadInputError: film or truth cannot be read.
    """
    told = read_lines(truth_path(film))[:1]
    truth = read_truth(truth_path(film))
    row = _condition(film, told[0])
    game = {"rules": row["rules"], "options": tuple(row["options"]), "dealer": row["dealer"]}
    setup = GameSetup(source=str(film), players=tuple(row["players"]), kept=False, **game)
    baseline = _baseline(setup, truth)
    with closing(open_source(str(film))) as source, whole_file(events) as part:
        with closing(EventWriter(str(part))) as recorder:
            overheard = Overheard(open_watched_game(setup, GameHistory()), recorder, baseline)
            wall, cpu = time.perf_counter(), time.process_time()
            follow(source, overheard, lambda t: progress(t, source.seconds or t or 1.0))
            row["wall_s"] = round(time.perf_counter() - wall, 2)
            row["cpu_s"] = round(time.process_time() - cpu, 2)
        lines = read_events(part)
    row |= {"load": load(), "looks": overheard.looks, "machine": machine()}
    row["watch"] = _scored(compare(lines, truth))
    for line in lines:
        line["decided_at"] += overheard.took.get(line["id"], 0.0)
    row["watch"]["computed_s"] = _seconds(compare(lines, truth))
    row["baseline"] = _scored(compare(baseline.lines, truth))
    return row


def _baseline(setup: GameSetup, truth: list[Row]) -> Baseline:
    acts = (line["player"] for line in truth if line["event"] in ("play", "flip", "pick_up", "show"))
    return Baseline(
        setup.rules,
        setup.players,
        starter=next(acts, setup.players[0]),
        options=setup.options,
        dealer=setup.dealer,
    )


class Overheard(RecordedGames):
    """A watched game whose readings the baseline sees as well; notes how long each event took to compute."""

    def __init__(self, game: Any, events: EventWriter, baseline: Baseline) -> None:
        super().__init__(game, events, None)
        self._baseline = baseline
        self.looks = 0
        """How often the table was read."""
        self.took: dict[int, float] = {}
        """By event id: seconds from its picture's arrival to its ruling."""

    def feed(self, frame: Image, t: float) -> list[dict[str, Any]]:
        """Take one picture."""
        begun = time.perf_counter()
        lines = super().feed(frame, t)
        seconds = time.perf_counter() - begun
        for line in lines:
            self.took[line["id"]] = seconds
            if line["event"] == "deal" and line.get("revise") is None:
                self._baseline.deal(line)
        if self._game.looks > self.looks:
            self.looks = self._game.looks
            if self._game.table is not None and self._game.lines and self._game.layout is not None:
                self._baseline.look(t, self._game.readings, self._game.layout, still=not self._game.moving)
        return lines


def _condition(film: Path, header: dict[str, Any]) -> Row:
    """Return what the film's truth says of it."""
    try:
        told = dict(header["condition"])
        row = {
            "film": film.name,
            "bytes": film.stat().st_size,
            **{name: header[name] for name in ("rules", "options", "players", "dealer", "deck", "seed")},
            **{name: header[name] for name in ("seconds", "fps", "width", "height")},
            **{name: told.get(name) for name in ("light", "tilt", "sway", "lively")},
            **{name: told.get(name) for name in ("surface", "card_px", "messy")},
            "deck_held_out": header["deck"] in VALID_DECKS,
            "truth": _digest(truth_path(film)),
        }
        if not is_film_row(row):
            raise ValueError("a value is of another kind")
        return row
    except (KeyError, TypeError, ValueError) as error:
        raise BadInputError(
            f"{truth_path(film)}: the first line does not describe a film ({error})"
        ) from None


def _digest(path: Path) -> str:
    """Return what tells a truth from another one for the same film; nothing where there is none."""
    try:
        return hashlib.sha256(read_capped(path)).hexdigest()[:12]
    except OSError:
        return ""


def _scored(score: Score) -> dict[str, Any]:
    return {**score.to_json(), "delays_s": _seconds(score)}


def _seconds(score: Score) -> list[float]:
    return [round(seconds, 3) for seconds in score.delays_s]
