"""Films of whole people: the same seed gives the same film, and masks say what is where.

They need moderngl, a software renderer, and the bodies, which the first film of people fetches.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.cli.main import main
from datasets.films.people import art
from datasets.films.people.drawing import open_renderer
from engine.errors import BadInputError

SMALL = [
    "--width",
    "320",
    "--height",
    "180",
    "--fps",
    "1",
    "--plays",
    "2",
    "--players",
    "2",
    "--illegal",
    "0",
]
LOOK = ["--deck", "drawn", "--surface", "drawn"]


PLACE = art.package_place()  # of the user, before the tests have folders of their own


@pytest.fixture(autouse=True)
def bodies(folders_of_nobody: Path) -> None:
    """Let the tests' own cache hold the bodies that the user has fetched."""
    place = art.package_place()
    if PLACE.is_dir() and not place.exists():
        place.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to(PLACE)


def missing() -> str | None:
    """Return what this machine lacks to draw people."""
    try:
        open_renderer()[1].release()
    except BadInputError as error:
        return str(error)
    return None if PLACE.is_dir() else "the bodies are not fetched (film --people fetches them)"


WHY = missing()
can_draw = pytest.mark.skipif(WHY is not None, reason=str(WHY))


def frames_in(film: Path) -> int:
    source, count = cv2.VideoCapture(str(film)), 0
    while source.grab():
        count += 1
    return count


@can_draw
def test_the_same_seed_gives_the_same_film(tmp_path: Path) -> None:
    for name in ("one", "two"):
        out = tmp_path / f"{name}.mp4"
        assert main(["film", str(out), "--people", "2", "--seed", "8", *SMALL, *LOOK]) == 0
    assert (tmp_path / "one.mp4").read_bytes() == (tmp_path / "two.mp4").read_bytes()


@can_draw
def test_masks_cover_what_the_film_shows(tmp_path: Path) -> None:
    out, masks = tmp_path / "film.mp4", tmp_path / "masks"
    assert main(["film", str(out), "--people", "1", "--seed", "8", *SMALL, *LOOK, "--masks", str(masks)]) == 0
    lines = [json.loads(line) for line in (masks / "masks.jsonl").read_text().splitlines()]
    assert len(lines) == frames_in(out) == len(list(masks.glob("*.png")))
    header = json.loads(out.with_suffix(".truth.jsonl").read_text().splitlines()[0])
    assert header["condition"]["people"] == 1
    kinds: set[int] = set()
    for path in masks.glob("*.png"):
        picture = cv2.imread(str(path))
        assert picture is not None
        kinds |= set(np.unique(picture[:, :, 1]).tolist())
    assert kinds == {0, 1, 2, 3, 4}
    last = [card for card in lines[-1]["cards"] if card["visible"] is not None]
    assert any(card["card"] for card in last)
    assert all(card["visible"] + sum(card["by"].values()) == pytest.approx(1.0, abs=0.01) for card in last)


def test_masks_without_people_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["film", str(tmp_path / "f.mp4"), "--masks", str(tmp_path / "m"), *SMALL]) == 2
    assert "--masks needs --people" in capsys.readouterr().err


def test_a_low_camera_is_refused_with_people(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["film", str(tmp_path / "f.mp4"), "--people", "1", "--tilt", "40", *SMALL]) == 2
    assert "at most 25" in capsys.readouterr().err


def test_without_moderngl_one_line_says_how_to_add_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "moderngl", None)
    assert main(["film", str(tmp_path / "f.mp4"), "--people", "1", *SMALL, *LOOK]) == 2
    said = capsys.readouterr().err
    assert ".[films]" in said
    assert "Traceback" not in said
