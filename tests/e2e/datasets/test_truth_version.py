"""A truth with an old version is reported."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

import datasets.measuring.films.measure as running
from companion.game.scoring import truth_path
from datasets.films.production import Shot, prepare
from datasets.films.story import find_story
from datasets.films.truth import TRUTH_VERSION, event_line, with_verdicts
from datasets.measuring.films.plan import outdated
from datasets.measuring.films.watching import measured
from engine.ruleset import RULESET_NAMES
from tests.support.small_film import film_few_pictures, small_film
from vision.types import CardReading, Image, Region

KNOWN = {3: "78af26519e64b3c0"}
"""Digest of the truths of some films, by version."""
TIMES = ("t_start", "t_end")


def test_changed_truths_have_a_new_version() -> None:
    """If this fails, raise TRUTH_VERSION and add the new digest. Stored films are then rendered again."""
    told = []
    for rules in RULESET_NAMES:
        for seed in (1, 2):
            story = find_story(rules, ("Ann", "Bob", "Cat"), seed, illegal=2, acts=40)
            shot = Shot(seed=seed, width=160, height=90, deck="drawn", surface="drawn", light="day")
            actions = prepare(story, shot).timeline.actions
            lines = with_verdicts([event_line(action) for action in actions], story)
            told += [{name: fact for name, fact in line.items() if name not in TIMES} for line in lines]
    digest = hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()[:16]
    assert {TRUTH_VERSION: digest} == KNOWN


def older(film: Path) -> str:
    """Remove the version from the truth of a film, and return the truth."""
    header, *lines = truth_path(film).read_text("utf-8").splitlines()
    told = {name: fact for name, fact in json.loads(header).items() if name != "truth_version"}
    text = "\n".join([json.dumps(told), *lines]) + "\n"
    truth_path(film).write_text(text, "utf-8")
    return text


@pytest.mark.parametrize("header", ["", "no JSON", '{"film": "a.mp4", "truth_version": "2\\n3"}'])
def test_a_truth_without_a_sensible_header_has_no_version(header: str, tmp_path: Path) -> None:
    (tmp_path / "a.truth.jsonl").write_text(header + "\n")
    assert outdated(tmp_path / "a.mp4") == f"its truth has no known version, not version {TRUTH_VERSION}"


def test_a_planned_film_with_an_old_version_is_reported_and_rendered_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    film_few_pictures(monkeypatch)
    plan = small_film(tmp_path)
    film = plan.film_in(tmp_path)
    assert outdated(film) is None
    older(film)
    said: list[str] = []
    f1 = {"overall": {"f1": 1.0}}
    row = {"film": film.name, "deck": plan.deck, "watch": f1, "baseline": f1}
    monkeypatch.setattr(running, "measured", lambda *_, **_live: row)
    monkeypatch.setattr(running, "report", lambda rows, **_: {})
    running.measure_films([plan], [], tmp_path, tell=said.append)
    assert (
        said[0] == f"{film.name}: its truth has version 1, not version {TRUTH_VERSION}; it is rendered again"
    )
    assert outdated(film) is None
    said.clear()
    running.measure_films([plan], [], tmp_path, tell=said.append)
    assert "version" not in said[0]


class Blind:
    """A reader that finds no card, because these tests need no readings."""

    def read(
        self, image: Image, crowded: Sequence[Region] | None = None, ignored: object = None
    ) -> list[CardReading]:
        return []


def test_a_named_film_with_an_old_version_is_reported_and_measured_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vision.recognition.incremental.game_reader", lambda *_: Blind())
    film = small_film(tmp_path).film_in(tmp_path)
    text = older(film)
    before = film.read_bytes()
    said: list[str] = []
    running.measure_films([], [film], tmp_path, tell=said.append)
    assert (
        said[0]
        == f"{film.name}: its truth has version 1, not version {TRUTH_VERSION}; it is measured as it is"
    )
    assert (truth_path(film).read_text("utf-8"), film.read_bytes()) == (text, before)
    (kept,) = (tmp_path / "watched").glob("*.json")
    row = json.loads(kept.read_text())
    truth_path(film).write_text(text + "\n", "utf-8")
    program = kept.name.split(".")[-2]
    again = measured(film, tmp_path / "watched", program)
    assert again["truth"] != row["truth"], "an outcome that was kept is of that truth alone"
