"""`shithead score`: matching, the last word, rulings, corrections, delays, bad files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.cli.main import main
from companion.game.scoring import calibration_error, compare, percentile, read_events, read_truth
from engine.errors import BadInputError

HEADER = {"film": "a.mp4", "fps": 15, "width": 64, "height": 36, "players": ["Ann", "Bob"]}
ILLEGAL = {"verdict": "illegal", "breaches": [{"rule": "play.equal-or-higher"}]}
LEGAL: dict[str, Any] = {"verdict": "legal", "breaches": []}

Line = dict[str, Any]


def true_play(start: float, end: float, player: str = "Ann", cards: str = "9S", **more: Any) -> Line:
    return {"t_start": start, "t_end": end, "event": "play", "player": player, "cards": cards.split(), **more}


def play(t: float, player: str = "Ann", cards: str = "9S", **more: Any) -> Line:
    return {"t": t, "event": "play", "player": player, "cards": cards.split(), **more}


def write(path: Path, lines: list[Line]) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def score(tmp_path: Path, events: list[Line], truth: list[Line]) -> Line:
    told = read_events(write(tmp_path / "e.jsonl", events))
    facts = read_truth(write(tmp_path / "t.jsonl", [HEADER, *truth]))
    return compare(told, facts).to_json()


def test_truth_told_again_is_perfect(tmp_path: Path) -> None:
    truth = [
        {"t_start": 0, "t_end": 9, "event": "deal", "up": {"Ann": ["9S", "2C"], "Bob": ["4D", "5D"]}},
        {
            "t_start": 9,
            "t_end": 11,
            "event": "exchange",
            "player": "Bob",
            "count": 1,
            "up": {"Bob": ["4D", "AH"]},
        },
        true_play(12, 13, cards="9S 9D"),
        {"t_start": 13, "t_end": 14, "event": "draw", "player": "Ann", "count": 2},
        {
            "t_start": 15,
            "t_end": 18,
            "event": "show",
            "player": "Bob",
            "cards": ["3C"],
            "to": "Ann",
            "answers": [],
        },
        {"t_start": 18, "t_end": 20, "event": "pick_up", "player": "Ann", "cards": ["9D", "9S"]},
        {"t_start": 20, "t_end": 20, "event": "out", "player": "Bob"},
        {"t_start": 20, "t_end": 20, "event": "game_over", "loser": "Ann"},
    ]
    told = [
        {key: value for key, value in line.items() if key not in ("t_start", "t_end")}
        | {"t": line["t_end"] + 0.1, "id": number, "decided_at": line["t_end"] + 0.5}
        for number, line in enumerate(truth)
    ]
    result = score(tmp_path, told, truth)
    assert result["overall"] == {
        "true": 8, "reported": 8, "matched": 8, "precision": 1.0, "recall": 1.0, "f1": 1.0
    }  # fmt: skip
    assert result["corrections"] == 0
    assert result["delay_s"] == {"median": 0.5, "p95": 0.5}


@pytest.mark.parametrize(("t", "matched"), [(9.4, 0), (9.5, 1), (11.0, 1), (13.0, 1), (13.01, 0)])
def test_window_reaches_from_start_to_two_seconds_after_end(tmp_path: Path, t: float, matched: int) -> None:
    assert score(tmp_path, [play(t)], [true_play(10, 11)])["overall"]["matched"] == matched


@pytest.mark.parametrize(
    "wrong",
    [play(11, player="Bob"), play(11, cards="9H"), play(11, cards="9S 9H"), play(11, cards="??")],
)
def test_wrong_player_or_cards_is_one_correction(tmp_path: Path, wrong: Line) -> None:
    result = score(tmp_path, [wrong], [true_play(10, 11)])
    assert result["overall"]["matched"] == 0
    assert result["corrections"] == 1
    assert len(result["mistaken"]) == 1
    assert result["missed"] == result["spurious"] == []


def test_wrong_type_is_two_corrections(tmp_path: Path) -> None:
    burn = {"t": 11, "event": "burn", "player": "Ann", "cards": ["9S"]}
    assert score(tmp_path, [burn], [true_play(10, 11)])["corrections"] == 2


def test_one_report_stands_for_one_fact_only(tmp_path: Path) -> None:
    truth = [true_play(10, 11), true_play(12, 13)]
    assert score(tmp_path, [play(12)], truth)["overall"]["matched"] == 1
    # The one at 12.9 fits both facts; it must be left for the second.
    assert score(tmp_path, [play(12.9), play(11.2)], truth)["overall"]["matched"] == 2
    assert score(tmp_path, [play(12.6), play(12.7), play(12.8)], truth)["overall"]["matched"] == 2


def test_last_word_counts(tmp_path: Path) -> None:
    events = [
        play(11, cards="8S", id=1),
        play(11, id=2, revise=1, decided_at=14.0),
        play(30, cards="KH", id=3),
        {"revise": 3, "withdrawn": True, "id": 4},
    ]
    result = score(tmp_path, events, [true_play(10, 11)])
    assert result["overall"]["precision"] == 1.0
    assert result["delay_s"]["median"] == 3.0


def test_revision_of_a_revision_stands_for_the_first(tmp_path: Path) -> None:
    events = [play(11, cards="8S", id=1), play(11, cards="7S", id=2, revise=1), play(11, id=3, revise=2)]
    assert score(tmp_path, events, [true_play(10, 11)])["overall"]["reported"] == 1
    again = [play(11, cards="8S", id=1), play(11, cards="7S", id=2, revise=1), play(11, id=3, revise=1)]
    assert score(tmp_path, again, [true_play(10, 11)])["overall"]["matched"] == 1


def test_a_breach_that_nobody_meant_is_no_false_alarm_and_none_to_be_found(tmp_path: Path) -> None:
    truth = [true_play(10, 11, cards="4S", verdict="illegal"), true_play(20, 21, cards="5S", verdict="legal")]
    events = [play(11, cards="4S", ruling=ILLEGAL), play(21, cards="5S", ruling=ILLEGAL)]
    result = score(tmp_path, events, truth)
    assert result["illegal"] == {"true": 0, "found": 0, "false_alarms": 1}


def test_illegal_plays_and_false_alarms(tmp_path: Path) -> None:
    truth = [
        true_play(10, 11, cards="4S", legal=False, rule="play.equal-or-higher"),
        true_play(20, 21, cards="5S", legal=False, rule="play.seven"),
        true_play(30, 31, cards="6S", legal=False, rule="play.seven"),
        true_play(40, 41, cards="7S"),
        true_play(50, 51, cards="8S"),
    ]
    events = [
        play(11, cards="4S", ruling=ILLEGAL),
        play(21, cards="5S", ruling=ILLEGAL),
        play(31, cards="6S", ruling=LEGAL),
        play(41, cards="7S", ruling=ILLEGAL),
        play(51, cards="8S", ruling={"verdict": "unproven"}),
        play(70, cards="AS", ruling=ILLEGAL),
    ]
    result = score(tmp_path, events, truth)
    assert result["illegal"] == {"true": 3, "found": 2, "false_alarms": 2}
    # Right is only the first: the second names another rule, the fifth leaves open what was legal.
    assert (result["rulings"]["judged"], result["rulings"]["right"], result["rulings"]["unproven"]) == (
        5,
        1,
        1,
    )


def test_late_breach_finds_what_it_concerns(tmp_path: Path) -> None:
    truth = [true_play(10, 11, legal=False), true_play(20, 21, cards="4S")]
    events = [
        play(11, id=1, ruling={"verdict": "unproven"}),
        play(21, id=2, cards="4S", ruling=LEGAL),
        {"t": 25, "event": "late_breach", "id": 3, "concerns": 1},
    ]
    result = score(tmp_path, events, truth)
    assert result["illegal"] == {"true": 1, "found": 1, "false_alarms": 0}
    assert result["overall"]["reported"] == 2
    # It still concerns that play after the play has been revised; of a play nobody told it says nothing.
    revised = [
        *events,
        play(11, id=4, revise=1, ruling=LEGAL),
        {"t": 26, "event": "late_breach", "concerns": 99},
    ]
    assert score(tmp_path, revised, truth)["illegal"] == {"true": 1, "found": 1, "false_alarms": 0}


def test_verdict_that_truth_names_must_be_met(tmp_path: Path) -> None:
    truth = [true_play(10, 11, verdict="unproven"), true_play(20, 21, cards="4S", verdict="unproven")]
    events = [play(11, ruling={"verdict": "unproven"}), play(21, cards="4S", ruling=LEGAL)]
    assert score(tmp_path, events, truth)["rulings"]["right"] == 1


def test_unclear_is_a_question_and_no_event(tmp_path: Path) -> None:
    result = score(tmp_path, [{"t": 3, "event": "unclear", "says": "Which?"}], [true_play(10, 11)])
    assert (result["asked"], result["overall"]["reported"]) == (1, 0)


@given(st.lists(st.floats(0, 50), max_size=12), st.lists(st.floats(0, 50), max_size=12))
def test_matching_is_one_to_one_and_never_worse_than_first_come(told: list[float], ends: list[float]) -> None:
    events = [play(t) for t in told]
    truth = [true_play(end - 1, end) for end in ends]
    result = compare(events, truth).to_json()
    free, simple = list(truth), 0
    for line in events:
        fits = [f for f in free if f["t_start"] - 0.5 <= line["t"] <= f["t_end"] + 2.0]
        if fits:
            free.remove(fits[-1])
            simple += 1
    assert simple <= result["overall"]["matched"] <= min(len(told), len(ends))
    assert result["corrections"] == len(result["missed"]) + len(result["spurious"]) + len(result["mistaken"])


def test_percentile_interpolates() -> None:
    assert percentile([], 0.95) is None
    assert percentile([3.0], 0.95) == 3.0
    assert percentile([0.0, 1.0], 0.95) == pytest.approx(0.95)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{oops", "line 1 is not JSON"),
        ("[1, 2]", "line 1 is not a JSON object"),
        ('{"t": 1, "event": "jump"}', 'line 1: event "jump" is not one of'),
        ('{"event": "play"}', "line 1: t is not there"),
        ('{"t": true, "event": "play"}', "t must be a number"),
        ('{"t": 1, "event": "play", "cards": 7}', "cards must be a list of cards, not '7'"),
        ('{"t": 1, "event": "deal", "up": [1]}', "up must be an object"),
        ('{"t": 1, "event": "play", "revise": 9}', "revises event 9"),
        ('{"t": 1, "event": "play", "withdrawn": true}', "`revise` does not say which"),
    ],
)
def test_bad_lines_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, says: str
) -> None:
    events = tmp_path / "events.jsonl"
    events.write_text(text + "\n", encoding="utf-8")
    truth = write(tmp_path / "t.jsonl", [HEADER])
    assert main(["score", str(events), str(truth)]) == 2
    error = capsys.readouterr().err
    assert says in error
    assert "events.jsonl" in error
    assert error.count("\n") == 1


def test_truth_without_a_film_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="does not describe a film"):
        read_truth(write(tmp_path / "t.jsonl", [true_play(1, 2)]))
    (tmp_path / "b.jsonl").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BadInputError, match="not UTF-8"):
        read_truth(tmp_path / "b.jsonl")
    with pytest.raises(BadInputError, match="No such file"):
        read_events(tmp_path / "nowhere.jsonl")


def test_command_prints_table_and_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    events = write(tmp_path / "e.jsonl", [play(11, ruling=LEGAL, decided_at=11.5)])
    truth = write(tmp_path / "t.jsonl", [HEADER, true_play(10, 11), true_play(20, 21, player="Bob")])
    assert main(["score", str(events), str(truth), "--details"]) == 0
    table = capsys.readouterr().out
    assert "overall" in table
    assert "rulings right      1 of 1" in table
    assert "missed:" in table
    assert main(["score", str(events), str(truth), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["overall"]["recall"] == 0.5


def test_a_play_credited_to_another_is_counted_against_the_players(tmp_path: Path) -> None:
    truth = [true_play(10, 11), true_play(20, 21, "Bob", "4D"), true_play(30, 31, "Bob", "5D")]
    events = [play(11), play(21, "Ann", "4D"), play(31, "Bob", "6D")]
    assert score(tmp_path, events, truth)["players"] == {"judged": 2, "right": 1}


def test_confidences_are_compared_with_how_often_events_are_right(tmp_path: Path) -> None:
    events = [play(10.0, confidence=0.75), play(20.0, cards="QH", confidence=0.75), play(30.0, cards="2C")]
    truth = [true_play(9.0, 10.0), true_play(19.0, 20.0, cards="KH"), true_play(29.0, 30.0, cards="2C")]
    told = read_events(write(tmp_path / "e.jsonl", events))
    certainty = compare(told, read_truth(write(tmp_path / "t.jsonl", [HEADER, *truth]))).certainty
    assert certainty == [(0.75, True), (0.75, False)]
    assert calibration_error(certainty) == pytest.approx(0.25)


def test_without_confidences_there_is_no_calibration_error() -> None:
    assert calibration_error([]) is None
