"""`shithead label`: what it begins with, what it refuses, and the test that becomes of a film."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from companion.app.window import NoDisplayError
from companion.cli import replay_tests
from companion.cli.main import main
from companion.cli.replay_tests import make_test
from companion.game.label_session import LabelSession
from companion.game.labelling import Labels, read_labels
from companion.game.scoring import read_lines, read_truth
from engine.errors import BadInputError
from tests.support.labelled_film import HEADER, write_events, write_film

RECORDED = Path(__file__).parents[2] / "replay" / "looks" / "winnersh-2-880006.looks"


@pytest.fixture
def window(monkeypatch: pytest.MonkeyPatch) -> list[LabelSession]:
    """In place of the window: the session is opened, and everything is confirmed."""
    opened: list[LabelSession] = []

    def run_label_window(open_session: Callable[[], LabelSession]) -> None:
        session = open_session()
        opened.append(session)
        while session.labels.unconfirmed:
            session.go_to_unconfirmed()
            session.confirm()
        session.stop()

    monkeypatch.setattr("companion.app.window.run_label_window", run_label_window)
    return opened


def command(film: Path, *more: str) -> list[str]:
    return ["label", str(film), "--players", "Ann,Bob,Cat", "--dealer", "Cat", *more]


def test_it_begins_with_event_lines_and_goes_on_with_its_truth(
    tmp_path: Path, window: list[LabelSession]
) -> None:
    film, events = write_film(tmp_path), write_events(tmp_path / "events.jsonl")
    assert main(command(film, "--events", str(events))) == 0
    truth = tmp_path / "game.truth.jsonl"
    assert len(read_truth(truth)) == 4
    header = read_lines(truth)[0]
    assert (header["film"], header["width"], header["fps"]) == ("game.mp4", 960, 15.0)
    assert (header["rules"], header["dealer"], header["unconfirmed"]) == ("winnersh", "Cat", 0)
    assert main(["label", str(film)]) == 0, "neither players nor events are needed any more"
    assert len(window) == 2


def test_the_truth_goes_where_it_is_told_to(tmp_path: Path, window: list[LabelSession]) -> None:
    film, events, truth = write_film(tmp_path), write_events(tmp_path / "events.jsonl"), tmp_path / "t.jsonl"
    assert main(command(film, "--events", str(events), "--truth", str(truth))) == 0
    assert len(read_truth(truth)) == 4
    assert not (tmp_path / "game.truth.jsonl").exists()


def test_without_a_display_the_proposals_are_there_nevertheless(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def none(_open: object) -> None:
        raise NoDisplayError("no display here")

    monkeypatch.setattr("companion.app.window.run_label_window", none)
    film, events = write_film(tmp_path), write_events(tmp_path / "events.jsonl")
    assert main(command(film, "--events", str(events))) == 2
    truth = tmp_path / "game.truth.jsonl"
    assert capsys.readouterr().err == (f"shithead label: no display here; what was proposed is in {truth}\n")
    assert len(read_labels(truth).unconfirmed) == 4


@pytest.mark.parametrize(
    ("name", "says"),
    [("none.mp4", "no such file"), ("folder", "no kept game"), ("game.mp4", "name the players")],
)
def test_bad_input_is_one_clear_line(
    tmp_path: Path, name: str, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    write_film(tmp_path)
    (tmp_path / "folder").mkdir()
    assert main(["label", str(tmp_path / name)]) == 2
    told = capsys.readouterr().err
    assert says in told
    assert told.count("\n") == 1
    assert not (tmp_path / "game.truth.jsonl").exists()


def test_the_truth_of_a_drawn_film_stays_as_it_is(
    tmp_path: Path, window: list[LabelSession], capsys: pytest.CaptureFixture[str]
) -> None:
    film, truth = write_film(tmp_path), tmp_path / "game.truth.jsonl"
    drawn = {**HEADER, "truth_version": 3}
    truth.write_text(json.dumps(drawn) + "\n")
    assert main(command(film)) == 2
    assert "people did not make this truth" in capsys.readouterr().err
    assert json.loads(truth.read_text()) == drawn
    assert window == []


def test_a_damaged_film_is_labelled_as_far_as_it_was_seen(
    tmp_path: Path, window: list[LabelSession], monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    def run(args: Any) -> int:
        if seen:
            write_events(Path(args.events))
        raise BadInputError("the film is cut off")

    monkeypatch.setattr("companion.cli.watch.run", run)
    film, seen = write_film(tmp_path), False
    assert main(command(film)) == 2
    assert not (tmp_path / "game.truth.jsonl").exists()
    seen = True
    assert main(command(film)) == 0
    assert len(read_truth(tmp_path / "game.truth.jsonl")) == 4
    assert capsys.readouterr().err.count("the film is cut off") == 2


def recorded(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Let the film be watched as another one was: its looks are those of a recorded game."""
    asked: list[Any] = []

    def watch_film(film: Path, header: dict[str, Any], output: tuple[str, Path], *_more: object) -> None:
        asked.append((film, header["players"]))
        shutil.copy(RECORDED, output[1])

    monkeypatch.setattr("companion.cli.watch.watch_film", watch_film)
    return asked


def confirmed(tmp_path: Path) -> Labels:
    film, events = write_film(tmp_path), write_events(tmp_path / "events.jsonl")
    main(command(film, "--events", str(events)))
    return read_labels(tmp_path / "game.truth.jsonl")


def test_a_labelled_film_becomes_a_test_without_pictures_and_names(
    tmp_path: Path, window: list[LabelSession], monkeypatch: pytest.MonkeyPatch
) -> None:
    tests = tmp_path / "looks"
    tests.mkdir()
    asked = recorded(monkeypatch)
    assert make_test(confirmed(tmp_path), tmp_path / "game.mp4", None, None, tests) == "game"
    assert sorted(path.name for path in tests.iterdir()) == ["game.looks", "game.truth.jsonl"]
    text = (tests / "game.truth.jsonl").read_text()
    assert not any(name in text for name in ("Ann", "Bob", "Cat"))
    assert asked == [(tmp_path / "game.mp4", ["P1", "P2", "P3"])]
    header = json.loads(text.splitlines()[0])
    assert header["corrections"] > 0, "another game was seen than the labels tell"
    assert len(read_truth(tests / "game.truth.jsonl")) == 4
    with pytest.raises(BadInputError, match="rename the film"):
        make_test(confirmed(tmp_path), tmp_path / "game.mp4", None, None, tests)


def test_one_command_makes_it(
    tmp_path: Path, window: list[LabelSession], monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    recorded(monkeypatch)
    monkeypatch.setattr(replay_tests.make_test, "__defaults__", (tmp_path / "looks",))
    (tmp_path / "looks").mkdir()
    film, events = write_film(tmp_path), write_events(tmp_path / "events.jsonl")
    assert main(command(film, "--events", str(events), "--test")) == 0
    assert (tmp_path / "looks" / "game.looks").is_file()
    assert "the test game is made" in capsys.readouterr().err


def test_what_is_not_confirmed_becomes_no_test(tmp_path: Path, window: list[LabelSession]) -> None:
    labels = confirmed(tmp_path)
    labels.undo()
    lines = [{**line, "id": n, "t": line["t_end"]} for n, line in enumerate(labels.truth_lines()[1:], 1)]
    with pytest.raises(BadInputError, match="4 events are not confirmed"):
        make_test(Labels(labels.header, lines), tmp_path / "game.mp4", None, None, tmp_path)
    with pytest.raises(BadInputError, match="from a checkout"):
        make_test(labels, tmp_path / "game.mp4", None, None, tmp_path / "none")
