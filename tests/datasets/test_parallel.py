"""Work spread over processes and over a cluster: the same results, in the same order."""

from __future__ import annotations

import hashlib
import sys
from functools import partial
from pathlib import Path

import cv2
import pytest

from datasets.films.production import truth_path
from datasets.measuring.plan import plan_films, render
from datasets.parallel import spread
from engine.errors import BadInputError
from engine.ruleset import load_ruleset

PLANS = [
    *plan_films(["winnersh"], 2, plays=1, size=(160, 90)),
    *plan_films(["shed"], 1, plays=1, size=(160, 90)),
]


def told_apart(folder: Path) -> list[tuple[str, str, str]]:
    """What tells the films in a folder apart: name, a digest of all pictures, and the truth."""
    films = []
    for plan in PLANS:
        capture = cv2.VideoCapture(str(plan.film_in(folder)))
        digest = hashlib.sha256()
        while (frame := capture.read())[0]:
            digest.update(frame[1].tobytes())
        films.append((plan.name, digest.hexdigest(), truth_path(plan.film_in(folder)).read_text("utf-8")))
    return films


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str, str, str]]:
    folder = tmp_path_factory.mktemp("alone")
    assert all(spread(partial(render, folder=folder), PLANS))
    return told_apart(folder)


def test_films_are_the_same_whatever_the_number_of_processes(
    tmp_path: Path, alone: list[tuple[str, str, str]]
) -> None:
    pytest.importorskip("joblib")
    assert all(spread(partial(render, folder=tmp_path), PLANS, 2))
    assert told_apart(tmp_path) == alone
    assert len({digest for _, digest, _ in alone}) == len(PLANS)


def test_films_are_the_same_on_a_cluster_of_two_workers(
    tmp_path: Path, alone: list[tuple[str, str, str]]
) -> None:
    pytest.importorskip("joblib")
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        assert all(spread(partial(render, folder=tmp_path), PLANS, cluster=cluster.scheduler_address))
    assert told_apart(tmp_path) == alone


def test_bad_input_in_another_process_is_told_as_it_is_here() -> None:
    pytest.importorskip("joblib")
    with pytest.raises(BadInputError, match="whist"):
        list(spread(load_ruleset, ["shed", "whist"], 2))


def test_a_cluster_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr("datasets.parallel._CONNECT_SECONDS", 0.2)
    with pytest.raises(BadInputError, match=r"tcp://127\.0\.0\.1:1: no Dask scheduler"):
        list(spread(load_ruleset, ["shed"], cluster="tcp://127.0.0.1:1"))


def test_without_joblib_one_process_works_and_more_say_what_is_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "joblib", None)
    assert list(spread(str.upper, ["a", "b"])) == ["A", "B"]
    with pytest.raises(BadInputError, match="--jobs needs joblib"):
        list(spread(str.upper, ["a", "b"], 2))
