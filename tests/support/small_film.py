"""The smallest film that `shithead measure` plans: one play, hardly more than points, and its truth."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from datasets.films.production import Shot, make_film
from datasets.films.story import Story
from datasets.measuring.films.plan import FilmPlan, plan_films, shot_of, story_of
from tests.support.made_once import made_once

SMALL: dict[str, Any] = {"plays": 1, "size": (160, 90)}


def film_few_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have planned films rendered with three pictures a second, where nobody looks at them."""
    monkeypatch.setattr("datasets.measuring.films.plan.shot_of", _with_few_pictures)


def _with_few_pictures(plan: FilmPlan, story: Story) -> Shot:
    return replace(shot_of(plan, story), fps=3.0)


def small_film(folder: Path) -> FilmPlan:
    """Put the film and its truth into a folder, and return its plan. It is rendered once for all tests."""
    (plan,) = plan_films(["winnersh"], 1, **SMALL)
    made = made_once("small-film", lambda place: _render(plan, place))
    shutil.copytree(made, folder, dirs_exist_ok=True)
    return plan


def _render(plan: FilmPlan, folder: Path) -> None:
    story = story_of(plan)
    make_film(story, _with_few_pictures(plan, story), plan.film_in(folder))
