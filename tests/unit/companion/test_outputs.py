"""A file that a command is to write is no file that it reads, and no other one that it writes."""

from __future__ import annotations

import os
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.cli.main import main
from companion.cli.outputs import check_outputs
from companion.store.store import Store
from engine.errors import BadInputError


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with something of every kind that commands read."""
    monkeypatch.chdir(tmp_path)
    writer = cv2.VideoWriter("f.mp4", cv2.VideoWriter.fourcc(*"mp4v"), 10, (64, 48))
    for _ in range(3):
        writer.write(np.zeros((48, 64, 3), np.uint8))
    writer.release()
    cv2.imwrite("p.png", np.zeros((48, 64, 3), np.uint8))
    Path("house.toml").write_text('name = "x"\nbase = "winnersh"\n')
    Path("l.json").write_text("{}")
    with Store.open(Path("s.sqlite")) as store:
        store.start_game("winnersh", ["Ann", "Bob"])
    Path("measured").mkdir()
    Path("measured/films.json").write_text("{}")
    Path("f.truth.jsonl").write_text("{}\n")
    Path("link.mp4").symlink_to("f.mp4")
    os.link("f.mp4", "hard.mp4")
    return tmp_path


@pytest.mark.parametrize(
    "line",
    [
        "watch f.mp4 --headless --events f.mp4",
        "watch f.mp4 --headless --save f.mp4",
        "watch f.mp4 --headless --save ./link.mp4",
        "watch f.mp4 --headless --save hard.mp4",
        "watch f.mp4 --headless --save-layout f.mp4",
        "watch f.mp4 --headless --layout l.json --save-layout l.json",
        "watch f.mp4 --headless --rules house.toml --events house.toml",
        "watch f.mp4 --headless --store f.mp4",
        "watch f.mp4 --headless --events s.sqlite --store s.sqlite",
        "watch f.mp4 --headless --events s.sqlite-wal --store s.sqlite",
        "watch f.mp4 --headless --events new.x --save-layout new.x",
        "watch f.mp4 --headless --events new.x --save {folder}/new.x",
        "watch f.mp4 --headless --save new.mp4 --store new.mp4",
        "app f.mp4 --store f.mp4",
        "read p.png --save p.png",
        "read p.png --save {folder}/../{name}/p.png",
        "simulate --rules house.toml --save house.toml",
        "rules house.toml --save house.toml",
        "tally --store s.sqlite --png s.sqlite",
        "results --folder measured --out measured/films.json",
        "film new.mp4 --cards new.mp4",
        "film new.mp4 --cards new.truth.jsonl",
        "film new.mp4 --rules house.toml --cards house.toml",
        "backup s.sqlite --store s.sqlite",
        "backup s.sqlite-wal --store s.sqlite",
        "restore s.sqlite --store s.sqlite",
        "restore s.restoring.sqlite --store s.sqlite",
    ],
)
def test_what_is_read_is_not_overwritten_nor_one_output_by_another(
    line: str, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    if "s.restoring" in line:
        Path("s.restoring.sqlite").write_bytes(Path("s.sqlite").read_bytes())
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert main(line.format(folder=folder, name=folder.name).split()) == 2
    said = capfd.readouterr().err
    assert said.count("\n") == 1
    assert said.startswith(f"shithead {line.split()[0]}: ")
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("watch f.mp4 --headless --save-layout none/l.json", "there is no folder none"),
        ("watch f.mp4 --headless --events none/e.jsonl", "there is no folder none"),
        ("watch f.mp4 --headless --save measured", "--save measured: is a folder"),
        ("film none/x.mp4", "none/x.mp4: there is no folder none"),
        ("film measured", "measured: is a folder"),
        ("film x.mp4 --cards none/c.jsonl", "there is no folder none"),
        ("simulate --save measured", "is a folder"),
        ("rules --save none/x.toml", "there is no folder none"),
        ("tally --store s.sqlite --png none/t.png", "there is no folder none"),
        ("read p.png --save none/t.png", "there is no folder none"),
        ("read p.png --save z.unknown", "z.unknown: .unknown is not a picture format that can be written"),
        ("read p.png --save z", "z: no suffix is not a picture format that can be written"),
        ("tally --store s.sqlite --png z.unknown", ".unknown is not a picture format that can be written"),
        ("results --folder measured --out none/r.md", "there is no folder none"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_a_place_that_cannot_be_written_to_is_said_before_any_work(
    line: str, what: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def work(*_: object, **__: object) -> None:
        raise AssertionError("began to work")

    monkeypatch.setattr("datasets.films.story.find_story", work)
    monkeypatch.setattr("companion.game.starting.open_source", work)
    monkeypatch.setattr("vision.recognition.reader.reader_for_deck", work)
    monkeypatch.setattr("companion.store.store.Store.open_to_read", work)
    assert main(line.split()) == 2
    said = capfd.readouterr().err
    assert what in said
    assert said.count("\n") == 1


@pytest.mark.usefixtures("folder")
def test_a_folder_is_no_backup(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["restore", "measured", "--store", "s.sqlite"]) == 2
    assert capfd.readouterr().err == "shithead restore: measured: not a file\n"


@pytest.mark.usefixtures("folder")
def test_what_goes_nowhere_may_be_named_twice_and_a_page_be_made_anew(tmp_path: Path) -> None:
    check_outputs({"--events": "/dev/null", "--save-layout": "/dev/null"}, ["/dev/null"])
    check_outputs({"--events": "-", "--save": None}, ["-", None, "0", "rtsp://table"])
    check_outputs({"--events": "old.jsonl", "--save": tmp_path / "f2.mp4"}, ["f.mp4"], store=tmp_path / "x")
    (tmp_path / "measured" / "results.md").write_text("of yesterday")
    with pytest.raises(BadInputError, match="is the same file as --events"):
        check_outputs({"--events": "measured/results.md", "--save": "measured/../measured/results.md"})
