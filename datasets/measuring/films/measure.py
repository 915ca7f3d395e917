"""Measures films: it renders the missing ones, watches the unwatched ones, and sums up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from companion.parallel import spread
from datasets.measuring.films.plan import FilmPlan, is_film, outdated, render
from datasets.measuring.films.summary import report
from datasets.measuring.films.watching import Row, measured, was_watched
from datasets.measuring.machine import machine
from datasets.progress import Progress
from engine.files.atomic import make_folder


def measure_films(
    plans: Sequence[FilmPlan],
    films: Sequence[Path],
    folder: Path,
    *,
    jobs: int = 1,
    cluster: str | None = None,
    tell: Callable[[str], None] = lambda text: None,
    progress: Progress = lambda done, whole: None,
    live: bool = False,
) -> dict[str, Any]:
    """Return the report over planned films and named `films`.

    Args:
        plans: Films that are rendered into `folder` if they are missing, or if their truth has an old
            version.
        films: Films that are measured as they are.
        folder: For rendered films and results.
        jobs: See `companion.parallel.spread`.
        cluster: See `companion.parallel.spread`.
        tell: Called with a line for each film, and for each truth with an old version.
        progress: Counts films.
        live: Whether films play like a camera. Then `jobs` should be 1.

    Raises:
        BadInputError: a film or its truth cannot be read, or `folder` cannot be written.
    """
    about = machine()
    todo = [(plan.film_in(folder), plan) for plan in plans] + [(film, None) for film in films]
    outcomes = folder / "watched"
    make_folder(outcomes)
    rows: dict[Path, Row] = {}

    def of_one(done: float, whole: float) -> None:
        progress(len(rows) + done / whole, len(todo))

    program = about["program"] + (".live" if live else "")
    work = partial(_one, folder=folder, outcomes=outcomes, program=program, live=live)
    if jobs == 1 and cluster is None:  # other processes report only whole films
        work = partial(work, progress=of_one)
    _tell_of_outdated(todo, tell)
    progress(0, len(todo))
    # Whole games take longest. If they came last, one process would still run when the others are done.
    longest_first = sorted(todo, key=lambda one: one[1] is None or not one[1].ending)
    for (film, plan), row in zip(longest_first, spread(work, longest_first, jobs, cluster), strict=True):
        rows[film] = row
        overall, plain = row["watch"]["overall"]["f1"], row["baseline"]["overall"]["f1"]
        scored = f"{len(rows)} of {len(todo)}: {row['film']}: F1 {overall} (baseline {plain})"
        tell(scored + _other_deck(plan, row))
        progress(len(rows), len(todo))
    made = datetime.now(UTC).strftime("%Y-%m-%d")
    return report(
        [rows[film] for film, _ in todo], made=made, machine=about, jobs=jobs if cluster is None else None
    )


def _tell_of_outdated(todo: Sequence[tuple[Path, FilmPlan | None]], tell: Callable[[str], None]) -> None:
    for film, plan in todo:
        why = outdated(film) if is_film(film) else None
        if why is not None:
            tell(f"{film.name}: {why}; it is {'measured as it is' if plan is None else 'rendered again'}")


def _other_deck(plan: FilmPlan | None, row: Row) -> str:
    """Return a remark if the film shows another deck than planned, because that was not available."""
    if plan is None or row["deck"] == plan.deck:
        return ""
    return f"; filmed with the deck {row['deck']}, because {plan.deck} is not available"


def _one(
    work: tuple[Path, FilmPlan | None],
    *,
    folder: Path,
    outcomes: Path,
    program: str,
    live: bool,
    progress: Progress = lambda done, whole: None,
) -> Row:
    """Return the row of a film. Rendering and watching each count as half of the work."""
    film, plan = work
    if plan is not None and not (outdated(film) is None and was_watched(film, outcomes, program)):
        render(plan, folder, lambda t, whole: progress(t / 2, whole))
    return measured(film, outcomes, program, lambda t, whole: progress((whole + t) / 2, whole), live=live)
