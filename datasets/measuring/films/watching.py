"""Watches and scores one film, with the steps of `shithead watch` and `shithead score`.

The row of each film is stored at once, under the digest of the program. So an interrupted measurement
continues where it stopped, and a changed program watches again.
"""

from __future__ import annotations

import hashlib
import json
import math
import time
from contextlib import closing
from pathlib import Path
from typing import Any

from companion.cli.event_writer import EventWriter
from companion.cli.recording import LogWriter, RecordedGames
from companion.cli.watch import follow
from companion.game.history import GameHistory
from companion.game.scoring import Score, compare, read_events, read_lines, read_truth, truth_path
from companion.game.setup import GameSetup
from companion.game.starting import WatchOptions, open_watched_game
from datasets.art.decks import VALID_DECKS
from datasets.measuring.films.baseline import Baseline
from datasets.measuring.films.paced_source import PacedSource
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
"""The description of one film and the scores of its events, as JSON."""


def measured(
    film: Path,
    folder: Path,
    program: str,
    progress: Progress = lambda done, whole: None,
    *,
    live: bool = False,
) -> Row:
    """Return the row of a film: from `folder` if this program has watched it, else after watching it.

    Args:
        film: A film with its truth beside it. The film itself may be missing: see `was_watched`.
        folder: For rows and event lines.
        program: Digest of the program, `datasets.measuring.machine.program`.
        progress: Counts seconds of the film.
        live: Whether the film plays like a camera.

    Raises:
        BadInputError: film or truth cannot be read.
    """
    kept = _kept_at(film, folder, program)
    found = _kept_row(kept)
    if found is not None and _is_of(found, film):
        return found
    row = watch_film(film, folder / f"{film.stem}.{program}.events.jsonl", progress, live=live)
    write_whole(kept, json.dumps(row) + "\n")
    return row


def was_watched(film: Path, folder: Path, program: str) -> bool:
    """Return whether this program has watched a film, here or on another machine.

    Its row and its truth suffice. The film itself may have been deleted, because films are large.
    """
    found = _kept_row(_kept_at(film, folder, program)) if truth_path(film).is_file() else None
    return found is not None and _is_of(found, film)


def _kept_at(film: Path, folder: Path, program: str) -> Path:
    return folder / f"{film.stem}.{program}.json"


def _is_of(row: Row, film: Path) -> bool:
    """Return whether a row describes this film with its current truth."""
    size = film.stat().st_size if film.is_file() else row["bytes"]
    return (row["film"], row["bytes"], row.get("truth")) == (film.name, size, _digest(truth_path(film)))


def _kept_row(path: Path) -> Row | None:
    """Return a stored row, or None if there is no complete one."""
    try:
        row: Row = parse_json(read_capped(path))
    except (OSError, ValueError):
        return None
    return row if is_whole_row(row) else None


def watch_film(
    film: Path, events: Path, progress: Progress = lambda done, whole: None, *, live: bool = False
) -> Row:
    """Watch a whole film without a window, and return its row; `live`: as a camera would show it.

    Event lines go to `events`. The log of looks stands beside it, so that changed event logic can follow the
    film again without pictures (`vision.following.replay`).

    Raises:
        BadInputError: film or truth cannot be read.
    """
    headers = read_lines(truth_path(film))[:1]
    truth = read_truth(truth_path(film))
    row = describe_film(film, headers[0])
    setup = GameSetup(
        source=str(film),
        players=tuple(row["players"]),
        rules=row["rules"],
        options=tuple(row["options"]),
        dealer=row["dealer"],
        kept=False,
    )
    baseline = _baseline(setup, truth)
    with closing(open_source(str(film))) as source, whole_file(events) as part:
        looks = events.with_suffix(".looks")
        with closing(EventWriter(str(part))) as recorder, closing(LogWriter(looks)) as log:
            watching = WatchOptions(make_events=log.event_maker, live=live)
            watched = open_watched_game(setup, GameHistory(), watching=watching)
            game = MeasuredGame(watched, recorder, baseline)
            wall, cpu = time.perf_counter(), time.process_time()
            pictures = PacedSource(source, 1.0, math.inf) if live else source
            follow(pictures, game, lambda t: progress(t, source.seconds or t or 1.0))
            row["wall_s"] = round(time.perf_counter() - wall, 2)
            row["cpu_s"] = round(time.process_time() - cpu, 2)
        lines = read_events(part)
    row |= {"load": load(), "looks": game.looks, "machine": machine()}
    row["watch"] = _scored(compare(lines, truth))
    for line in lines:
        line["decided_at"] += game.computing_s.get(line["id"], 0.0)
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


class MeasuredGame(RecordedGames):
    """A watched game that passes its readings to the baseline, and measures the computing time of events."""

    def __init__(self, game: Any, events: EventWriter, baseline: Baseline) -> None:
        super().__init__(game, events, None)
        self._baseline = baseline
        self.looks = 0
        """Number of readings of the table."""
        self.computing_s: dict[int, float] = {}
        """Seconds from the arrival of the frame to the ruling, by event id."""

    def feed(self, frame: Image, t: float) -> list[dict[str, Any]]:
        """Process one frame."""
        begun = time.perf_counter()
        lines = super().feed(frame, t)
        seconds = time.perf_counter() - begun
        for line in lines:
            self.computing_s[line["id"]] = seconds
            if line["event"] == "deal" and line.get("revise") is None:
                self._baseline.deal(line)
        if self._game.looks > self.looks:
            self.looks = self._game.looks
            if self._game.table is not None and self._game.lines and self._game.layout is not None:
                self._baseline.look(t, self._game.readings, self._game.layout, still=not self._game.moving)
        return lines


def describe_film(film: Path, header: dict[str, Any]) -> Row:
    """Return the description of a film from the first line of its truth: its row, as yet without scores.

    Raises:
        BadInputError: the line does not describe a film.
    """
    try:
        told = dict(header["condition"])
        row = {
            "film": film.name,
            "bytes": film.stat().st_size,
            **{name: header[name] for name in ("rules", "options", "players", "dealer")},
            "deck": header["deck"] or "unknown",
            "seed": None if told.get("real") else header["seed"],
            "real": bool(told.get("real")),
            "confirmed": not header.get("unconfirmed"),
            **{name: header[name] for name in ("seconds", "fps", "width", "height")},
            **{name: told.get(name) for name in ("light", "tilt", "sway", "lively", "people")},
            **{name: told.get(name) for name in ("surface", "card_px", "messy")},
            "deck_held_out": header["deck"] in VALID_DECKS or bool(told.get("real")),
            "truth": _digest(truth_path(film)),
        }
        if not is_film_row(row):
            raise ValueError("a value has the wrong type")
        return row
    except (KeyError, TypeError, ValueError) as error:
        raise BadInputError(
            f"{truth_path(film)}: the first line does not describe a film ({error})"
        ) from None


def _digest(path: Path) -> str:
    """Return a digest of the file of a truth; empty if there is none."""
    try:
        return hashlib.sha256(read_capped(path)).hexdigest()[:12]
    except OSError:
        return ""


def _scored(score: Score) -> dict[str, Any]:
    return {**score.to_json(), "delays_s": _seconds(score), "certainty": score.certainty}


def _seconds(score: Score) -> list[float]:
    return [round(seconds, 3) for seconds in score.delays_s]
