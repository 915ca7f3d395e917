"""The commands `judge`, `rules`, `simulate` and `record`, as people call them."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import pytest

from companion.cli.main import main

GOOD = {
    "rules": "winnersh",
    "players": ["P1", "P2"],
    "turn": "P1",
    "pile": ["8S"],
    "cards": {"P1": {"hand": ["4H"]}},
    "action": {"type": "play", "player": "P1", "cards": ["4H"], "source": "hand"},
}
DEAL = {"rules": "shed", "players": ["P1", "P2", "P3"], "ask": {"type": "deal"}}


class Run(Protocol):
    """Call the program: what it returned, what it said and what it complained of."""

    def __call__(self, *args: str, stdin: bytes = b"") -> tuple[int, str, str]: ...


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    def call(*args: str, stdin: bytes = b"") -> tuple[int, str, str]:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"))
        status = main(args)
        out, err = capsys.readouterr()
        return status, out, err

    return call


def one_line(err: str, *parts: str) -> None:
    assert err.count("\n") == 1
    for part in parts:
        assert part in err


def lines(*situations: object) -> bytes:
    return b"".join(json.dumps(s).encode() + b"\n" for s in situations)


def test_judge_from_stdin_and_from_a_file(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "one.json"
    file.write_text(json.dumps(GOOD, indent=2))
    status, out, err = run("judge", str(file))
    assert (status, err) == (0, "")
    assert json.loads(out)["breaches"][0]["cite"] == "Winnersh §5"
    assert run("judge", stdin=json.dumps(GOOD).encode()) == (0, out, "")


def test_judge_lines_answers_in_order(run: Run) -> None:
    status, out, _ = run("judge", "--lines", stdin=lines(GOOD, DEAL) + b"\n" + lines(GOOD))
    answers = [json.loads(line) for line in out.splitlines()]
    assert status == 0
    assert [a.get("verdict") for a in answers] == ["illegal", None, "illegal"]
    assert answers[1]["draw_pile"] == 13


def test_judge_lines_loses_nothing_around_a_broken_line(run: Run) -> None:
    broken = b'{"rules": \n\xff\xfe\n' + lines({"rules": "whist", "players": ["a", "b"], "action": {}})
    status, out, err = run("judge", "--lines", stdin=lines(GOOD) + broken + lines(DEAL))
    answers = [json.loads(line) for line in out.splitlines()]
    assert status == 2
    assert answers[0]["verdict"] == "illegal"
    assert ["error" in a for a in answers] == [False, True, True, True, False]
    one_line(err, "line 2", "not JSON", "2 more")


@pytest.mark.parametrize(
    "stdin", [b"", b"\xff\xd8\xff\xe0", b"[]", b"{}", b'{"a": NaN', b"[" * 100_000, b'"x"']
)
def test_judge_of_what_is_no_situation(run: Run, stdin: bytes) -> None:
    status, out, err = run("judge", stdin=stdin)
    assert (status, out) == (2, "")
    one_line(err, "stdin")


def test_judge_of_a_missing_file(run: Run) -> None:
    status, _, err = run("judge", "nowhere.json")
    assert status == 2
    one_line(err, "nowhere.json")


def test_rules_and_compare(run: Run) -> None:
    status, out, _ = run("rules", "shed", "--option", "flange-card")
    assert status == 0
    assert "* flange-card" in out
    status, out, _ = run("rules", "--compare", "winnersh", "rulebook")
    assert status == 0
    assert "Rulebook, Wildcards" in out


def test_rules_saves_a_house_variant(run: Run, tmp_path: Path) -> None:
    file = str(tmp_path / "friday.toml")
    assert run("rules", "jokers", "--option", "q-reverse", "--save", file)[0] == 0
    assert "q-reverse" in run("rules", file)[1].splitlines()[0]


@pytest.mark.parametrize(
    "args",
    [
        ("whist",),
        ("jokers", "--option", "nonsense"),
        ("--compare", "winnersh", "whist"),
        ("winnersh", "--compare", "shed", "jokers"),
        ("winnersh", "--save", "friday.txt"),
        ("nowhere.toml",),
    ],
)
def test_rules_of_bad_input(run: Run, args: Sequence[str]) -> None:
    status, out, err = run("rules", *args)
    assert (status, out) == (2, "")
    one_line(err)


def test_simulate_prints_a_record_that_record_reads(run: Run, tmp_path: Path) -> None:
    status, out, _ = run("simulate", "--rules", "jokers", "--players", "3", "--seed", "5", "--cheats", "1")
    assert status == 0
    assert out.count("; illegal") >= 1
    file = tmp_path / "game.txt"
    file.write_text(out, encoding="utf-8")
    assert run("record", str(file)) == (0, out, "")


def test_simulate_counts(run: Run) -> None:
    status, out, _ = run("simulate", "--games", "3", "--policy", "random", "--seed", "2")
    assert status == 0
    assert "3 games, 4 players, Winnersh, random play" in out


@pytest.mark.parametrize(
    "args",
    [("--players", "1"), ("--players", "6"), ("--games", "0"), ("--cheats", "-1"), ("--rules", "whist")],
)
def test_simulate_of_bad_input(run: Run, args: Sequence[str]) -> None:
    status, out, err = run("simulate", *args)
    assert (status, out) == (2, "")
    one_line(err)


def test_record_keeps_what_is_whole_and_names_what_is_not(run: Run, tmp_path: Path) -> None:
    text = run("simulate", "--seed", "5")[1].replace(" plays ", " pl@ys ", 1)
    file = tmp_path / "game.txt"
    file.write_text(text, encoding="utf-8")
    status, out, err = run("record", str(file))
    assert status == 2
    assert out.count(" plays ") == text.count(" plays ")
    one_line(err, "game.txt", "line ", "pl@ys")


def test_record_from_events_without_numbers(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "events.jsonl"
    play = '{"event": "play", "player": "Bob", "cards": ["5S"], "source": "hand"}'
    file.write_text(f'{{"event": "deal"}}\n{play[:-1]}, "id": 1}}\n{play.replace("Bob", "Ann")}\n', "utf-8")
    status, out, err = run("record", str(file), "--from-events", "winnersh", "--players", "Ann,Bob")
    assert (status, err) == (0, "")
    assert [line for line in out.splitlines() if line[:1].isdigit()] == [
        "2. deal",
        "1. Bob plays 5S from hand",
        "3. Ann plays 5S from hand",
    ]


def test_record_from_events(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "events.jsonl"
    event = {"t": 4.5, "event": "play", "player": "Ann", "cards": ["9S"], "source": "hand", "id": 1}
    file.write_text(json.dumps(event) + "\nbroken\n")
    status, out, err = run("record", str(file), "--from-events", "winnersh", "--players", "Ann,Bob")
    assert status == 2
    assert "1. Ann plays 9S from hand [t=4.5]" in out
    one_line(err, "line 2")


def test_record_of_what_is_no_record_names_the_file(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "letter.txt"
    path.write_text("Dear Ann")
    status, out, err = run("record", str(path))
    assert (status, out) == (2, "")
    one_line(err, f"shithead record: {path}: this is not a record of a game")
