"""A film watched by the real program into the real store, killed (SIGKILL) at some moments and gone on with.

Here a drawn film of half a minute; the evening of whole games is `tests/benchmarks/test_evening_by_film.py`.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from companion.game.evening import apply_revisions
from companion.store.store import Store
from tests.e2e.films import drawn_film

Line = dict[str, Any]


def watch(program: Sequence[str], store: Path, *, resume: bool, kill_after: int | None = None) -> list[Line]:
    """Watch, and kill the program once it has shown so many lines; returns the lines that it showed."""
    command = [
        *program,
        "--headless",
        "--events",
        "-",
        "--store",
        str(store),
        *(["--resume"] if resume else []),
    ]
    hidden = ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER")
    env = {key: value for key, value in os.environ.items() if key not in hidden} | {"OMP_NUM_THREADS": "1"}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        shown: list[Line] = []
        for text in process.stdout:
            if not text.endswith("\n"):
                break  # torn by the kill: nobody saw it
            shown.append(json.loads(text))
            if len(shown) == kill_after:
                os.kill(process.pid, signal.SIGKILL)
        told = process.stderr.read()
    wanted = 0 if kill_after is None or len(shown) < kill_after else -signal.SIGKILL
    assert process.returncode == wanted, told[-3000:]
    return shown


def lost(store: Path, shown: Sequence[Line]) -> list[Line]:
    """Return the lines of the newest game that were shown and are not in the store."""
    with Store.open(store) as opened:
        held = opened.events(opened.games()[-1].id)
    return [line for line in shown if line not in held]


def test_a_film_through_two_kills_loses_nothing_and_tells_nothing_twice(film: Path, tmp_path: Path) -> None:
    store = tmp_path / "s.sqlite"
    program = [sys.executable, drawn_film.__file__, str(film), "--players", "Ann,Bob", "--dealer", "Bob"]
    shown = watch(program, store, resume=False, kill_after=3)
    assert len(shown) >= 3
    shown += watch(program, store, resume=True, kill_after=2)
    shown += watch(program, store, resume=True)
    assert lost(store, shown) == []
    with Store.open(store) as opened:
        (game,) = opened.games()
        lines = apply_revisions(opened.events(game.id))
    plays = [(line["player"], line["cards"]) for line in lines if line["event"] == "play"]
    assert plays == [(player, [card]) for player, card in drawn_film.PLAYS]
    times = [line["t"] for line in lines if line["event"] == "play"]
    assert times == sorted(times)
    assert sum(line["event"] == "deal" for line in lines) == 1
