"""Nothing is told where nobody plays: a busy table without a game, and hands dealing another game.

Run: `pytest -m benchmark -s tests/benchmarks/test_false_events.py`. It takes about a quarter of an hour;
SHITHEAD_FILMS names a folder in which the rendered film is kept. The other game is a film in the folder that
SHITHEAD_PHOTOS names; without it that half is skipped, and its number stays as it was.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import cv2
import pytest

from datasets.films.busy_table import make_busy_film
from datasets.films.production import Shot
from datasets.photos import photos_root

pytestmark = pytest.mark.benchmark

SECONDS = 180.0
SHOT = Shot(seed=5, tilt=10.0, light="lamp")
GAMES = (("winnersh", "Ann,Bob,Cat,Dan"), ("shed", "Ann,Bob"), ("rulebook", None))
"""What the program is told to expect: ruleset and players, or that it should find the players out."""
Told = list[dict[str, object]]


def told_of(film: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, Told]:
    """Watch a film as each of `GAMES`; returns every line that was told, by ruleset."""
    told = {}
    for rules, players in GAMES:
        command = [
            sys.executable,
            "-m",
            "companion.cli.main",
            "watch",
            str(film),
            "--headless",
            "--events",
            "-",
        ]
        command += ["--rules", rules, *(["--players", players] if players else [])]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr[-3000:]
        told[rules] = [json.loads(line) for line in done.stdout.splitlines()]
        with capsys.disabled():
            print(f"{film.name} as {rules}: {len(told[rules])} events", *told[rules], sep="\n  ")
    return told


def seconds_of(film: Path) -> float:
    """How long a film lasts."""
    capture = cv2.VideoCapture(str(film))
    frames, rate = capture.get(cv2.CAP_PROP_FRAME_COUNT), capture.get(cv2.CAP_PROP_FPS)
    capture.release()
    return float(frames / rate)


def test_nothing_is_told_of_a_busy_table_without_a_game(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], measured: Callable[[str, float], None]
) -> None:
    folder = Path(os.environ.get("SHITHEAD_FILMS") or tmp_path)
    folder.mkdir(parents=True, exist_ok=True)
    film = folder / f"busy-{SHOT.seed}-{SECONDS:.0f}.mp4"
    if not film.is_file():
        make_busy_film(SHOT, SECONDS, film)
    assert seconds_of(film) >= SECONDS
    told = told_of(film, capsys)
    measured("false_events_busy_table", sum(map(len, told.values())))
    assert told == {rules: [] for rules, _ in GAMES}


def test_nothing_is_told_of_hands_dealing_another_game(
    capsys: pytest.CaptureFixture[str], measured: Callable[[str, float], None]
) -> None:
    root = photos_root()
    film = root / "videos" / "blackjack_overhead_hands.mp4" if root else None
    if film is None or not film.is_file():
        pytest.skip("SHITHEAD_PHOTOS names no folder with videos/blackjack_overhead_hands.mp4")
    told = told_of(film, capsys)
    measured("false_events_other_game", sum(map(len, told.values())))
    assert told == {rules: [] for rules, _ in GAMES}
