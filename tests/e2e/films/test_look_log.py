"""A film watched with `--log`: from the log alone the same events follow, in a process without pictures."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.e2e.films import drawn_film
from vision.following.replay import read_log

_OF_THE_REFEREE = ("ruling", "id", "revise")
"""What the referee adds to an event, or counts anew."""


def run(*command: str) -> list[dict[str, Any]]:
    """Run a program to its end; returns the event lines that it printed."""
    done = subprocess.run([sys.executable, *command], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stderr == ""
    return [json.loads(line) for line in done.stdout.splitlines()]


def seen(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return what lines say was seen at the table."""
    return [{key: value for key, value in line.items() if key not in _OF_THE_REFEREE} for line in lines]


def test_the_log_of_a_watched_film_tells_its_events(film: Path, tmp_path: Path) -> None:
    log = tmp_path / "film.looks"
    watched = run(drawn_film.__file__, str(film), "--headless", "--events", "-", "--log", str(log))
    plays = [tuple(line["cards"]) for line in watched if line["event"] == "play"]
    assert plays == [(card,) for _, card in drawn_film.PLAYS]
    replayed = run("-m", "vision.following.replay", str(log))
    assert seen(replayed) == seen(watched)
    assert [event for call in read_log(log).calls for event in call.events] == replayed
    minutes = watched[-1]["decided_at"] / 60
    assert log.stat().st_size < 1e6 * minutes
