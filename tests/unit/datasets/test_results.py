"""`shithead results`: the page compares each goal with its number, or says that it was not measured."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from companion.cli.main import main
from datasets.measuring.results import coverage as covered
from datasets.measuring.results.film_goals import FILM_GOALS
from datasets.measuring.results.page import NOT_MEASURED, Measured, page, read_measured
from datasets.measuring.results.product_goals import PARTS
from engine.errors import BadInputError

MACHINE = {
    "processor": "P",
    "cores": 2,
    "memory_gib": 8.0,
    "system": "Linux 6",
    "python": "3.11.7",
    "versions": {"numpy": "2.4"},
    "program": "abc",
}
ABOUT = {"made": "2026-01-01", "machine": MACHINE, "load": 1.0}


def row_of(text: str, title: str) -> list[str]:
    (line,) = (line for line in text.splitlines() if line.startswith(f"| {title} |"))
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_without_measurements_every_goal_is_not_measured() -> None:
    text = page(Measured(), None)
    goals = [goal for part in PARTS.values() for goal in part]
    assert text.count("| not measured |") == len(goals) + 6
    assert "**no**" not in text


def test_each_goal_is_compared_with_its_number() -> None:
    measured = Measured(
        photos={"vpo_table": {**ABOUT, "recall": 1.0, "identity_right": 0.9, "confidently_wrong": 0}},
        benchmarks={"ruling_us": {**ABOUT, "value": 41.2}, "unchanged_frame_ms": {**ABOUT, "value": 2.5}},
        soak={"lines_lost": 0, "memory_mib": {"growth_per_hour": 7.25}},
    )
    text = page(measured, None)
    assert row_of(text, "time for one ruling, µs")[1:4] == ["at most 50", "41.2", "yes"]
    assert row_of(text, "time for an unchanged frame, ms")[2:4] == ["2.50", "**no**"]
    assert row_of(text, "whole tables: share of face-up cards found")[2:4] == ["1.000", "yes"]
    assert row_of(text, "whole tables: share of face-up cards named correctly")[2:4] == ["0.900", "**no**"]
    assert row_of(text, "whole tables: number of confident wrong names")[2:4] == ["0", "yes"]
    assert row_of(text, "growth of memory, MiB per hour")[2:4] == ["7.2", "**no**"]
    assert row_of(text, "peak memory, MiB")[2:4] == ["not measured", ""]
    assert "| benchmarks | 2026-01-01 | P, 2 cores, 8.0 GiB | 1 |" in text


def test_the_command_of_a_report_stands_above_its_numbers() -> None:
    said = "shithead measure " + " ".join(f"a-film-of-people-{number}.mp4" for number in range(7))
    measured = read_measured(Path(__file__).parents[3] / "docs" / "measured")
    people = {**measured.people, "command": said}
    text = page(replace(measured, people=people), None)
    part = text.split("## Following a game with whole people\n")[1].split("| what |")[0]
    assert f"\n    {said}\n" in part
    assert row_of(text, "level 1: F1 of all events")[1] == "at least 0.95"


def test_a_command_that_measured_only_some_numbers_stands_in_their_rows() -> None:
    text = page(read_measured(Path(__file__).parents[3] / "docs" / "measured"), None)
    row = row_of(text, "time for one ruling, µs")
    assert row[-1] == "`.venv/bin/pytest -m benchmark tests/benchmarks/test_engine_speed.py`"


def test_the_numbers_of_the_detector_are_in_the_cells_of_the_reader() -> None:
    ours = {**ABOUT, "cards": 78, "precision": 1.0, "recall": 0.99, "confidently_wrong": 0, "ms": 512.3}
    theirs = {**ABOUT, "cards": 78, "precision": None, "recall": 0.25, "confidently_wrong": 3, "ms": 41.0}
    photos = {"vpo_table": ours, "vpo_table+one-stage": theirs, "evan_backs": ours}
    text = page(Measured(photos=photos), None)
    cells = ["78", "1.000 / -", "0.990 / 0.250", "- / -", "0 / 3", "- / -", "512 / 41"]
    sets, beside = text.split("## Beside a one-stage detector")
    assert row_of(beside, "vpo_table")[1:] == cells
    assert "| evan_backs |" not in beside
    sets = sets.split("| set | photos |")[1]
    assert row_of(sets, "evan_backs")[2:] == ["78", "1.000", "0.990", "-", "0", "-", "-", "512", "1"]
    assert "one-stage detector" not in page(Measured(photos={"evan_backs": ours}), None)


def test_benchmarks_of_several_programs_have_a_row_each() -> None:
    newer = {**ABOUT, "made": "2026-02-02", "load": 3.0, "machine": {**MACHINE, "program": "def"}}
    benchmarks = {
        "ruling_us": {**ABOUT, "value": 41.2},
        "acts_per_s": {**ABOUT, "value": 2e5, "load": 2.0},
        "unchanged_frame_ms": {**newer, "value": 0.5},
        "measured_by_nobody_any_more": {**newer, "value": 1.0},
    }
    text = page(Measured(benchmarks=benchmarks), None)
    first = row_of(text, "benchmarks: `test_engine_speed.py`")
    second = row_of(text, "benchmarks: `test_reading_speed.py`")
    assert (first[1], first[3], first[-1]) == ("2026-01-01", "1 to 2", "`abc`")
    assert (second[1], second[3], second[-1]) == ("2026-02-02", "3", "`def`")


def test_confident_wrong_names_are_a_share_of_all_cards(tmp_path: Path) -> None:
    row = {"set": "held_out+deck", "cards": 2000, "confidently_wrong": 5, **ABOUT}
    (tmp_path / "photos.jsonl").write_text(json.dumps(row) + "\n")
    text = page(read_measured(tmp_path), None)
    title = "unknown decks, then enrolled: share of confident wrong names"
    assert row_of(text, title)[1:4] == ["at most 0.002", "0.0025", "**no**"]


def test_the_coverage_is_summed_up_by_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def file(statements: int, run: int) -> dict[str, Any]:
        return {"summary": {"num_statements": statements, "covered_lines": run}}

    files = {"engine/a.py": file(80, 80), "engine/b.py": file(20, 10), "models/c.py": file(100, 30)}
    report, kept = tmp_path / "coverage.json", tmp_path / "benchmarks.jsonl"
    report.write_text(json.dumps({"files": files}))
    monkeypatch.setenv("SHITHEAD_MEASURED", str(kept))
    covered.main(report)
    assert capsys.readouterr().out.split() == [
        "engine",
        "90.0",
        "%",
        "models",
        "30.0",
        "%",
        "all",
        "60.0",
        "%",
    ]
    text = page(read_measured(tmp_path), None)
    assert row_of(text, "share of statements that the tests run: `engine/`")[2:] == ["0.900", ""]
    assert "\n    make coverage\n" in text
    report.write_text("[]")
    with pytest.raises(BadInputError, match=r"coverage\.json: not a report"):
        covered.main(report)


def test_the_field_of_every_goal_is_in_a_file_that_is_read() -> None:
    for goal in (goal for part in PARTS.values() for goal in part if goal.field):
        assert goal.command
        assert goal.field.split("/")[0] in Measured.__dataclass_fields__


def test_the_fields_of_the_goals_are_those_of_the_commands() -> None:
    kept = Path(__file__).parents[3] / "docs" / "measured"
    measured = read_measured(kept)
    for goal in FILM_GOALS:
        assert measured.value(f"films/overall/watch/{goal.field}") is not None
    assert measured.value("films/events/play/watch/f1") is not None


def test_the_page_in_the_docs_is_what_the_command_writes(tmp_path: Path) -> None:
    docs = Path(__file__).parents[3] / "docs"
    assert main(["results", "--folder", str(docs / "measured"), "--out", str(tmp_path / "results.md")]) == 0
    made, kept = ((folder / "results.md").read_text("utf-8") for folder in (tmp_path, docs))
    picture = re.compile(r"\]\([^)]*soak\.png\)")  # its path depends on that of the page
    assert picture.sub("", made) == picture.sub("", kept)


def test_the_newest_line_of_a_benchmark_counts(tmp_path: Path) -> None:
    lines = [{"what": "ruling_us", "value": value, **ABOUT} for value in (60.0, 40.0)]
    (tmp_path / "benchmarks.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert read_measured(tmp_path).value("benchmarks/ruling_us/value") == 40.0


def test_a_soak_at_double_pace_shows_double_hours_of_film(tmp_path: Path) -> None:
    (tmp_path / "soak.json").write_text('{"hours": 2.1, "pace": 2.0}\n')
    assert read_measured(tmp_path).value("soak/film_hours") == 4.2


@pytest.mark.parametrize(("pace", "met"), [(1.0, "yes"), (1.8, "**no**")])
def test_a_pace_above_real_time_misses_a_goal(pace: float, met: str, tmp_path: Path) -> None:
    (tmp_path / "soak.json").write_text(json.dumps({"hours": 4.0, "pace": pace}))
    row = row_of(page(read_measured(tmp_path), None), "pace, times real time")
    assert row[2:4] == [f"{pace}", met]


@pytest.mark.parametrize(
    ("first", "second", "ratio", "met"),
    [(0.1, 0.12, "1.20", "yes"), (0.1, 0.13, "1.30", "**no**"), (0.0, 0.1, NOT_MEASURED, "")],
)
def test_a_growing_lag_misses_a_goal(
    first: float, second: float, ratio: str, met: str, tmp_path: Path
) -> None:
    halves = {"first_half": {"median": first}, "second_half": {"median": second}}
    (tmp_path / "soak.json").write_text(json.dumps({"lag_s": halves}))
    row = row_of(page(read_measured(tmp_path), None), "second half divided by first half")
    assert row[2:4] == [ratio, met]


@pytest.mark.parametrize("text", ["{", "[]", "7", "nonsense"])
def test_a_file_that_no_command_wrote_is_named(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "films.json").write_text(text)
    words: list[Any] = ["results", "--folder", str(tmp_path), "--out", str(tmp_path / "r.md")]
    assert main(words) == 2
    assert "films.json: not what a command" in capsys.readouterr().err
    assert not (tmp_path / "r.md").exists()


def test_a_missing_folder_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["results", "--folder", str(tmp_path / "none"), "--out", str(tmp_path / "r.md")]) == 2
    assert "there is no such folder" in capsys.readouterr().err
