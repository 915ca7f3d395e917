"""`shithead soak`: frames come at their time, losses are counted, and the result is written and drawn."""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from companion.cli.main import main
from companion.game.scoring import read_truth, truth_path
from companion.store.store import Store
from datasets.measuring.films import paced_source as pacing
from datasets.measuring.films import soak as soaking
from datasets.measuring.films.paced_source import PacedSource
from datasets.measuring.films.soak import soak
from tests.support.fake_source import FakeSource
from tests.support.small_film import small_film
from vision.capture.frame_queue import MAX_QUEUE_SECONDS
from vision.types import Image


class Clock:
    """A clock that advances only by sleeping and working."""

    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


class TenASecond(FakeSource):
    seconds: float | None = 3.0

    def __iter__(self) -> Iterator[tuple[float, Image]]:
        return ((number / 10, np.zeros((2, 2, 3), np.uint8)) for number in range(30))


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(pacing, "time", clock)
    return clock


def test_each_frame_comes_at_its_time(clock: Clock) -> None:
    paced = PacedSource(TenASecond(), pace=2.0, until=1000.0)
    seen = [(round(t, 3), round(clock.now - 100.0, 3)) for t, _ in paced]
    assert seen == [(number / 10, number / 20) for number in range(30)]
    assert (paced.dropped, paced.interrupted) == (0, False)


def test_frames_that_arrive_during_computing_wait_for_a_moment(clock: Clock) -> None:
    paced, seen = PacedSource(TenASecond(), pace=1.0, until=1000.0), []
    for t, _ in paced:
        seen.append(t)
        clock.sleep(0.25 if t == 0.5 else 0.02)
    assert seen == [number / 10 for number in range(30)]
    assert paced.dropped == 0


def test_after_long_computing_the_oldest_frames_are_dropped(
    clock: Clock,
) -> None:
    paced = PacedSource(TenASecond(), pace=1.0, until=1000.0)
    seen: list[float] = []
    waited: list[float] = []
    for t, _ in paced:
        seen.append(t)
        waited.append(clock.now - 100.0 - t)
        clock.sleep(0.35)
    assert len(seen) + paced.dropped == 30
    at_the_end = 1 + int(10 * MAX_QUEUE_SECONDS)
    assert 8 <= len(seen) <= 9 + at_the_end, "no more is looked at than there is time for"
    late = max(waited[:-at_the_end])
    assert late <= MAX_QUEUE_SECONDS + 0.1 + 0.35, "nor what is long past, but for what waits at the end"


def test_a_film_is_interrupted_when_the_time_is_over(clock: Clock) -> None:
    paced = PacedSource(TenASecond(), pace=1.0, until=101.0)
    assert max(t for t, _ in paced) <= 1.0
    assert paced.interrupted


class Told:
    """A game that reports the true events of a film, each when it has happened."""

    layout = view = arms = None
    readings = ()

    def __init__(self, film: Path) -> None:
        self._open = sorted(read_truth(truth_path(film)), key=lambda line: float(line["t_end"]))
        self.table = SimpleNamespace(players=("Ann", "Bob"))
        self.lines: list[dict[str, Any]] = []

    def feed(self, frame: Any, t: float) -> list[dict[str, Any]]:
        lines: list[dict[str, Any]] = []
        while self._open and self._open[0]["t_end"] <= t:
            fact = self._open.pop(0)
            number = len(self.lines) + len(lines) + 1
            lines.append({**fact, "id": number, "t": fact["t_end"], "decided_at": t})
        self.lines += lines
        return lines

    def finish(self, t: float) -> list[dict[str, Any]]:
        return self.feed(None, t + 1.0)


@pytest.fixture
def film(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = small_film(tmp_path).film_in(tmp_path)
    monkeypatch.setattr(soaking, "open_watched_game", lambda setup, history, watching: Told(path))
    return path


def test_the_films_of_an_evening_are_stored_and_counted(film: Path, tmp_path: Path) -> None:
    report = soak([film], tmp_path, 9.0, pace=40.0, every=0.2)
    assert report["films_played"] >= 2
    assert report["lines_told"] >= 2 * 3
    assert report["lines_lost"] == 0
    whole = [game for game in report["games"] if game["f1"] is not None]
    assert {game["f1"] for game in whole} == {1.0}
    assert report["losers_right"] == len(whole)
    assert len(report["samples"]) >= 4
    with Store.open(tmp_path / "soak.sqlite") as store:
        assert len(store.games()) >= report["films_played"]


def test_pictures_of_events_are_kept_as_in_the_app(
    film: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken: list[int] = []
    monkeypatch.setattr(soaking, "add_event_pictures", lambda _held, lines, *_seen: taken.append(len(lines)))
    report = soak([film], tmp_path, 2.0, pace=100.0)
    assert len(taken) == sum(game["pictures"] for game in report["games"])
    assert sum(taken) > 0


def test_lines_that_are_missing_in_the_store_are_lost(
    film: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    append = Store.append

    def all_but_plays(store: Store, *lines: dict[str, Any]) -> None:
        append(store, *(line for line in lines if line["event"] != "play"))

    monkeypatch.setattr(Store, "append", all_but_plays)
    report = soak([film], tmp_path, 2.0, pace=100.0)
    plays = sum(line["event"] == "play" for line in read_truth(truth_path(film)))
    assert plays > 0
    assert report["games"][0]["lost"] == plays


def memory_told(film: Path, folder: Path) -> dict[str, Any]:
    """Return what is told of the memory after two seconds, with a sample for each picture."""
    told: dict[str, Any] = soak([film], folder, 2.0, pace=40.0, every=0.0)["memory_mib"]
    return told


def test_memory_that_is_taken_in_the_beginning_is_no_growth(
    film: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = itertools.chain([90.0], itertools.repeat(120.0))
    monkeypatch.setattr(soaking, "resident_mib", lambda: next(taken))
    told = memory_told(film, tmp_path)
    assert told == {"first": 90.0, "last": 120.0, "most": 120.0, "growth_per_hour": pytest.approx(0, abs=1)}


def test_growing_memory_is_reported(film: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    began = time.monotonic()
    monkeypatch.setattr(soaking, "resident_mib", lambda: 120.0 + time.monotonic() - began)
    assert memory_told(film, tmp_path)["growth_per_hour"] == pytest.approx(3600.0, rel=0.1)


def test_the_command_writes_one_line_and_a_picture(
    film: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("matplotlib")
    out = tmp_path / "out"
    assert main(["soak", str(film), "--hours", "0.001", "--pace", "60", "--folder", str(out)]) == 0
    (line,) = (out / "soak.json").read_text("utf-8").splitlines()
    assert json.loads(line)["films_played"] >= 1
    assert (out / "soak.png").read_bytes().startswith(b"\x89PNG")
    assert json.loads(capsys.readouterr().out)["lines_lost"] == 0


@pytest.mark.parametrize(
    ("words", "says"),
    [(["--hours", "0"], "--hours 0"), (["--pace", "0"], "--pace 0"), (["missing.mp4"], "missing.mp4")],
)
def test_bad_input_gives_one_line(
    words: list[str], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["soak", *words, "--folder", str(tmp_path / "out")]) == 2
    error = capsys.readouterr().err
    assert says in error
    assert error.count("\n") == 1
