"""Stored rows of `shithead measure`: a complete row is used again, else the film is watched again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from companion.game.scoring import Score
from datasets.measuring.films import watching
from datasets.measuring.films.summary import report
from datasets.measuring.results.film_tables import as_markdown
from engine.errors import BadInputError

HEADER: dict[str, Any] = {
    "rules": "shed",
    "options": ["suit-values"],
    "players": ["A", "B"],
    "dealer": "A",
    "deck": "drawn",
    "seed": 3,
    "seconds": 12.0,
    "fps": 15,
    "width": 160,
    "height": 90,
    "condition": {"light": "dim", "tilt": 12.5, "surface": "drawn", "card_px": 40.0, "messy": 0.0},
}
MACHINE = {"cores": 2, "processor": "P", "program": "a"}


@pytest.fixture
def film(tmp_path: Path) -> Path:
    path = tmp_path / "a.mp4"
    path.write_bytes(b"film")
    return path


def whole(film: Path) -> dict[str, Any]:
    """Return the row of a film with one play, which was missed."""
    score = Score()
    score.overall.true = 1
    side = {**score.to_json(), "events": {"play": score.overall.to_json()}, "delays_s": [0.5]}
    took = {"wall_s": 3.0, "cpu_s": 4.0, "load": None, "looks": 3, "machine": MACHINE | {"processor": "Q"}}
    return {
        **watching.describe_film(film, HEADER),
        **took,
        "watch": side | {"computed_s": []},
        "baseline": side,
    }


@pytest.fixture
def watched(film: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the files of event lines, one for each time that a film was watched."""
    names: list[str] = []

    def watch(path: Path, events: Path, _progress: object, **_live: bool) -> dict[str, Any]:
        names.append(events.name)
        return {**whole(path), "looks": len(names)}

    monkeypatch.setattr(watching, "watch_film", watch)
    return names


def test_a_film_is_watched_once_by_each_program(film: Path, watched: list[str], tmp_path: Path) -> None:
    assert watching.measured(film, tmp_path, "one") == watching.measured(film, tmp_path, "one")
    assert watching.measured(film, tmp_path, "two")["looks"] == 2
    film.write_bytes(b"another film")
    assert watching.measured(film, tmp_path, "two")["looks"] == 3
    assert watched == ["a.one.events.jsonl", "a.two.events.jsonl", "a.two.events.jsonl"]


@pytest.mark.parametrize("content", ['{"bytes": 4, "num', "", "[]", "5", "null", '{"bytes": 4}', "[" * 3000])
def test_an_incomplete_row_is_made_again(
    content: str, film: Path, watched: list[str], tmp_path: Path
) -> None:
    kept = tmp_path / "a.one.json"
    kept.write_text(content)
    assert watching.measured(film, tmp_path, "one")["looks"] == 1
    assert json.loads(kept.read_text())["looks"] == 1
    assert watching.measured(film, tmp_path, "one")["looks"] == len(watched) == 1


def test_a_watched_film_may_be_missing(film: Path, watched: list[str], tmp_path: Path) -> None:
    """It may be deleted, or on another machine. Its row and its truth suffice."""
    truth = film.with_name("a.truth.jsonl")
    assert not watching.was_watched(film, tmp_path, "one")
    truth.write_text("{}\n")
    row = watching.measured(film, tmp_path, "one")
    film.unlink()
    assert watching.was_watched(film, tmp_path, "one")
    assert watching.measured(film, tmp_path, "one") == row
    assert not watching.was_watched(film, tmp_path, "two"), "another program has not watched it"
    truth.write_text('{"another": "truth"}\n')
    assert not watching.was_watched(film, tmp_path, "one")
    truth.unlink()
    assert not watching.was_watched(film, tmp_path, "one")
    assert len(watched) == 1


def places(value: Any, *before: Any) -> Iterator[tuple[Any, ...]]:
    """Yield the path of every value in a row, except lists of single events."""
    if before:
        yield before
    for key, inner in value.items() if isinstance(value, dict) else ():
        if key not in ("missed", "spurious", "mistaken", "delay_s", "share_right"):
            yield from places(inner, *before, key)


@pytest.mark.parametrize("wrong", [["x"], {"x": [2]}, float("nan"), float("inf"), 10**300], ids=repr)
def test_a_row_with_a_value_of_the_wrong_type_is_made_again(
    wrong: Any, film: Path, watched: list[str], tmp_path: Path
) -> None:
    """Otherwise the whole measurement would fail at its end, after hours."""
    written = json.dumps(whole(film))
    for way in places(json.loads(written)):
        row = json.loads(written)
        inside = row
        for key in way[:-1]:
            inside = inside[key]
        inside[way[-1]] = wrong
        (tmp_path / "a.one.json").write_text(json.dumps(row))
        found = watching.measured(film, tmp_path, "one")
        assert (found["looks"], len(watched)) == (len(watched), len(watched)), way
        as_markdown(report([found], made="2026-01-01", machine=MACHINE, jobs=1))
    assert len(watched) > 50


@pytest.mark.parametrize("name", list(HEADER))
def test_the_first_line_of_a_truth_must_describe_the_film(name: str, film: Path) -> None:
    assert watching.describe_film(film, HEADER)["seconds"] == 12.0
    for wrong in (float("nan"), [[1]]):
        with pytest.raises(BadInputError, match=r"a\.truth\.jsonl: the first line does not describe a film"):
            watching.describe_film(film, {**HEADER, name: wrong})
    with pytest.raises(BadInputError, match="does not describe a film"):
        watching.describe_film(film, {key: value for key, value in HEADER.items() if key != name})
