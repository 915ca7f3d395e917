"""The smallest film that `shithead measure` plans: one play, hardly more than points, and its truth."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from datasets.measuring.films.plan import FilmPlan, plan_films, render
from tests.support.made_once import made_once

SMALL: dict[str, Any] = {"plays": 1, "size": (160, 90)}


def small_film(folder: Path) -> FilmPlan:
    """Put the film and its truth into a folder, and return its plan. It is rendered once for all tests."""
    (plan,) = plan_films(["winnersh"], 1, **SMALL)
    made = made_once("small-film", lambda place: _render(plan, place))
    shutil.copytree(made, folder, dirs_exist_ok=True)
    return plan


def _render(plan: FilmPlan, folder: Path) -> None:
    render(plan, folder)
