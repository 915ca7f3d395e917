"""Corrects each wrong event of recorded games, as players would, and counts how often that is needed.

`python -m datasets.measuring.films.corrected GAME.looks ...` follows logs that `watch --log` wrote. The truth
of each lies beside it (`GAME.truth.jsonl`), or where `shithead measure` has its films. A few seconds after a
wrong event it is corrected, and the game goes on. If the program went on believing what it had read, later
events would be wrong, too.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np

from companion.game.refereeing import WatchedGame, make_referee
from companion.game.scoring import EventLine, Score, compare, read_lines, read_truth, truth_path
from engine.errors import BadInputError
from engine.events import Event
from vision.following.replay import Recorded, Replay, read_log
from vision.following.watcher import Watcher
from vision.table.view import TableView
from vision.types import Image

_PATIENCE_S = 5.0
"""How long players wait with a correction: the program often corrects itself."""
_FIELDS = ("event", "player", "cards", "count", "source", "up", "to", "answers", "loser")
"""The fields of an event that a person enters."""
_BLANK = np.zeros((9, 16, 3), np.uint8)


@dataclass(frozen=True, slots=True)
class Corrected:
    """One game, with and without corrections."""

    errors: int
    """Wrong, invented and missed events if nobody corrects anything."""
    corrections: tuple[str, ...]
    """The corrections, in words."""
    left: int
    """Errors in the end, all the same."""
    false_alarms: tuple[int, int]
    """Honest acts that count as breaches in the end: without corrections, and with them."""


class _ReplayedWatcher:
    """Stands for the watcher of a game: sees in each picture what a call in a log decided."""

    def __init__(self) -> None:
        self.view, self.question, self.layout, self.lost = TableView(), None, None, False
        self.seen: Sequence[Event] = ()

    def feed(self, frame: Image, t: float) -> Sequence[Event]:
        return self.seen


def follow(
    log: Recorded, header: EventLine, true: Sequence[EventLine], *, correct: bool
) -> tuple[Score, list[str]]:
    """Follow a recorded game; return how well in the end, and the corrections.

    Args:
        log: What the program saw.
        header: The first line of the truth of the film.
        true: The true events.
        correct: Whether players correct what is wrong.
    """
    watcher = _ReplayedWatcher()
    game = WatchedGame(
        cast(Watcher, watcher),
        lambda names: make_referee(
            header["rules"], names, options=header["options"], dealer=header["dealer"]
        ),
        header["players"],
    )
    corrections: list[str] = []
    for _, watcher.seen in Replay(log):
        if not watcher.seen:
            continue
        now = max(event.decided_at for event in watcher.seen)
        if correct:  # before the next act
            corrections += _corrected(game, true, now)
        game.feed(_BLANK, now)
    if correct:
        corrections += _corrected(game, true, np.inf)
    return _score(game, true), corrections


def _score(game: WatchedGame, true: Sequence[EventLine]) -> Score:
    told = [line | {"line": number} for number, line in enumerate(game.lines, 1)]
    return compare(told, true)


def _corrected(game: WatchedGame, true: Sequence[EventLine], now: float) -> list[str]:
    """Correct what has been wrong for a while at `now` (seconds); return the corrections in words."""
    score, done, then = _score(game, true), [], now - _PATIENCE_S
    for wanted, told in score.mistaken:
        if told["decided_at"] <= then and wanted["t_end"] <= then:
            game.correct(told["id"], _event(wanted, told["t"], now))
            done.append(f"{_words(told)} was {_words(wanted)}")
    for told in score.spurious:
        entered = "by" in told
        if not entered and told["decided_at"] <= then:
            game.correct(told["id"], None)
            done.append(f"{_words(told)} never happened")
    for wanted in score.missed:
        if wanted["t_end"] <= then:
            game.enter(_event(wanted, wanted["t_end"], now))
            done.append(f"{_words(wanted)} was missed")
    return done


def _event(wanted: EventLine, t: float, now: float) -> Event:
    """Return a true event as a person enters it."""
    given = {key: wanted[key] for key in _FIELDS if key in wanted}
    return Event.from_json({**given, "id": 0, "t": t, "decided_at": min(now, t + _PATIENCE_S)})


def _words(line: dict[str, Any]) -> str:
    about = line.get("cards") or line.get("count")
    parts = (line.get("player"), line["event"], " ".join(about) if isinstance(about, list) else about)
    return " ".join(str(part) for part in parts if part)


def _truth_of(log: Path) -> Path:
    """Return the path of the truth; `shithead measure` keeps logs in a folder beside its films."""
    beside = truth_path(log)
    return beside if beside.exists() else log.parent.parent / f"{log.name.split('.')[0]}.truth.jsonl"


def correct_game(log: Path) -> Corrected:
    """Follow a recorded game with and without corrections.

    Raises:
        BadInputError: A file is damaged.
        OSError: A file cannot be read.
    """
    truth, recorded = _truth_of(log), read_log(log)
    header, true = read_lines(truth)[0], read_truth(truth)
    alone, _ = follow(recorded, header, true, correct=False)
    score, corrections = follow(recorded, header, true, correct=True)
    alarms = alone.false_alarms, score.false_alarms
    return Corrected(alone.corrections, tuple(corrections), score.corrections, alarms)


def main(arguments: Sequence[str]) -> int:
    """Print the corrections that recorded games need."""
    parser = argparse.ArgumentParser(prog="python -m datasets.measuring.films.corrected", description=__doc__)
    parser.add_argument("logs", type=Path, nargs="+", metavar="GAME.looks", help="what `watch --log` wrote")
    errors = corrections = left = 0
    for log in parser.parse_args(arguments).logs:
        game = correct_game(log)
        before, after = game.false_alarms
        print(
            f"{log.stem}: {game.errors} errors, {before} false accusations; "
            f"{len(game.corrections)} corrections leave {game.left} and {after}",
            *(f"  {line}" for line in game.corrections),
            sep="\n",
            flush=True,
        )
        errors, corrections = errors + game.errors, corrections + len(game.corrections)
        left += game.left
    print(f"{errors} errors, {corrections} corrections, {left} errors left")
    return 0


if __name__ == "__main__":
    try:
        raise SystemExit(main(sys.argv[1:]))
    except (BadInputError, OSError) as error:
        print(error, file=sys.stderr)
        raise SystemExit(2) from None
