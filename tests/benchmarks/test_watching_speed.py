"""How many times faster than real time a film of a game is watched, with nothing else running.

Run: `pytest -m benchmark -s tests/benchmarks/test_watching_speed.py` on a quiet machine. It takes minutes;
SHITHEAD_FILMS names a folder in which the rendered films are kept. `shithead measure` tells it of every film
that it watches, however much else runs meanwhile.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from datasets.measuring.films.plan import plan_films, render
from datasets.measuring.films.watching import watch_film

pytestmark = pytest.mark.benchmark

SEED = 4001
"""Below those of the films by which it is measured how well games are followed."""
RULESETS = ("winnersh", "shed")
LEAST = 2.0


def test_films_are_watched_twice_as_fast_as_they_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], measured: Callable[[str, float], None]
) -> None:
    folder = Path(os.environ.get("SHITHEAD_FILMS") or tmp_path)
    folder.mkdir(parents=True, exist_ok=True)
    filmed = watched = 0.0
    for plan in plan_films(RULESETS, 1, first_seed=SEED):
        assert (plan.width, plan.height) == (1920, 1080)
        render(plan, folder)
        row = watch_film(plan.film_in(folder), tmp_path / "events.jsonl")
        filmed, watched = filmed + row["seconds"], watched + row["wall_s"]
        with capsys.disabled():
            print(f"{row['film']}: {row['seconds']} s of film watched in {row['wall_s']} s")
    measured("watching_times_real_time", filmed / watched)
    assert filmed / watched >= LEAST
