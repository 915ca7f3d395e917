"""What commands are given that nobody should give them: one line, and nothing half done."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from companion.app.window import NoDisplayError, prepare_kivy
from companion.cli.main import main
from companion.game.evening import Standing, Tally
from companion.game.scoring import read_lines
from companion.game.sharing import as_csv
from engine.files import bounded as capped_files
from engine.messages import printable
from vision.decks.deck import Deck
from vision.decks.deck_files import decks_folder, save_deck


def refused(arguments: list[Any], capsys: pytest.CaptureFixture[str]) -> str:
    """Run a command that is to refuse; returns its one line."""
    assert main([str(argument) for argument in arguments]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1, error
    return error


@pytest.mark.parametrize("command", [["film", "out.mp4"], ["measure", "--films", "1"]])
def test_a_seed_below_nought_is_refused(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert "--seed -1: it must be" in refused([*command, "--seed", "-1"], capsys)


def test_one_damaged_deck_does_not_hide_the_others(capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("ann", "zoe"):
        save_deck(Deck(name, "w", ("9S", "KH"), np.zeros((2, 4), np.float32)))
    (decks_folder() / "mid.npz").write_bytes(b"no deck")
    (decks_folder() / "odd name.npz").write_bytes(b"")
    assert main(["deck", "list"]) == 2
    told = capsys.readouterr()
    assert told.out == "ann: 2 cards\nzoe: 2 cards\n"
    assert [name in line for line, name in zip(told.err.splitlines(), ("mid", "odd name"), strict=True)] == [
        True
    ] * 2


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1}',
        '{"machine": {}}',
        '{"machine": 7}',
        '{"load": "x", "machine": [1]}',
        '{"hours": "x"}',
        "\xff",
    ],
)
@pytest.mark.parametrize("name", ["soak.json", "films.json", "photos.jsonl", "benchmarks.jsonl"])
def test_results_of_any_json_are_a_page_or_one_line_that_names_the_file(
    name: str, text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "soak.png").write_bytes(b"")
    (tmp_path / name).write_bytes(text.encode("latin-1"))
    status = main(["results", "--folder", str(tmp_path), "--out", str(tmp_path / "r.md")])
    error = capsys.readouterr().err
    assert (status, error.count("\n")) in ((0, 0), (2, 1)), error
    if status:
        assert f"{name}: not what a command of this program wrote" in error
        assert not (tmp_path / "r.md").exists()


@pytest.mark.parametrize(
    "header",
    ["{}", '{"film": "a", "players": 7}', '{"film": "a", "players": ["A"], "rules": "x", "dealer": []}', ""],
)
def test_a_soak_over_a_film_with_a_bad_truth_names_it(
    header: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.mp4").write_bytes(b"x")
    (tmp_path / "a.truth.jsonl").write_text(header + "\n")
    error = refused(["soak", tmp_path / "a.mp4", "--hours", "0.001", "--folder", tmp_path / "out"], capsys)
    assert "a.truth.jsonl: the first line" in error


@pytest.mark.parametrize("sign", ["\u2028", "\u0085", "\x1c", "\x0b"])
def test_a_name_with_a_sign_that_may_end_a_line_does_not_end_ours(
    sign: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "events.jsonl"
    line = {"id": 1, "event": "draw", "player": f"A{sign}nn", "t": 1.0}
    path.write_text(json.dumps(line, ensure_ascii=False) + "\n", encoding="utf-8")
    assert [read["player"] for read in read_lines(path)] == [f"A{sign}nn"]
    words = ["record", str(path), "--from-events", "winnersh", "--players", f"A{sign}nn,Bob"]
    status, error = main(words), capsys.readouterr().err
    assert "JSON" not in error
    assert status == 0, error


@pytest.mark.parametrize("name", ["=1+1", "\t=1+1", "\r=1+1", " \t@x", "+1", "-1"])
def test_no_name_is_a_formula_in_a_spreadsheet(name: str) -> None:
    told = as_csv(Tally((Standing(name, rituals=("=2+2",)),)))
    assert "'" + printable(name) in told
    assert "'=2+2" in told


@pytest.mark.parametrize("display", ["host:99999", "a..b:1", "127.0.0.1:1"])
def test_a_display_that_cannot_be_is_a_display_that_does_not_answer(
    display: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.delenv("SDL_VIDEODRIVER", raising=False)
    monkeypatch.setenv("DISPLAY", display)
    with pytest.raises(NoDisplayError, match="does not answer"):
        prepare_kivy()


@pytest.mark.parametrize(
    "command",
    [
        ["read", "{file}"],
        ["record", "{file}"],
        ["score", "{file}", "{file}"],
        ["rules", "{file}.toml"],
        ["read", "/dev/zero"],
        ["record", "/dev/zero"],
        ["judge", "/dev/zero"],
    ],
)
def test_a_file_without_an_end_is_not_read_to_it(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(capped_files, "MOST_BYTES", 1 << 20)
    for name in ("large", "large.toml"):
        (tmp_path / name).write_bytes(bytes(2 << 20))
    words = [word.format(file=tmp_path / "large") for word in command]
    assert "is too large (more than 1 MB)" in refused(words, capsys)
