"""A film is shown as another camera would see it, or with quicker people."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.game.scoring import read_lines, truth_path
from datasets.films.rendering.video import FilmWriter
from datasets.films.truth import write_lines
from datasets.measuring.films.reshoot import reshoot
from engine.errors import BadInputError
from vision.types import Image

FRAMES, WIDTH, HEIGHT = 24, 320, 180
PLAY = {"t_start": 0.4, "t_end": 0.8, "event": "play", "player": "Ann", "cards": ["9S"]}


@pytest.fixture
def film(tmp_path: Path) -> Path:
    """A square goes from left to right, ten pixels a frame."""
    path = tmp_path / "game.mp4"
    with FilmWriter(path, 15.0, (WIDTH, HEIGHT)) as writer:
        for number in range(FRAMES):
            frame = np.full((HEIGHT, WIDTH, 3), 60, np.uint8)
            cv2.rectangle(frame, (10 * number, 70), (10 * number + 40, 110), (220, 220, 220), -1)
            writer.write(frame)
    write_lines(truth_path(path), [{"film": path.name, "fps": 15.0, "seconds": FRAMES / 15}, PLAY])
    return path


def frames_of(path: Path) -> list[Image]:
    capture, frames = cv2.VideoCapture(str(path)), []
    while (read := capture.read())[0]:
        frames.append(np.asarray(read[1], np.uint8))
    return frames


def middle_of_square(frame: Image, level: int = 140) -> float:
    return float(np.nonzero(frame[..., 1] > level)[1].mean())


def test_quicker_people_move_farther_from_frame_to_frame_and_act_earlier(film: Path, tmp_path: Path) -> None:
    out = tmp_path / "quick.mp4"
    reshoot(film, out, seed=None, speed=2.0)
    frames = frames_of(out)
    assert len(frames) == FRAMES / 2
    steps = np.diff([middle_of_square(frame) for frame in frames])
    assert np.allclose(steps, 20, atol=2)
    header, play = read_lines(truth_path(out))
    assert header["seconds"] == FRAMES / 15 / 2
    assert play == PLAY | {"t_start": 0.2, "t_end": 0.4, "line": 2}


def test_another_camera_sees_the_same_act_elsewhere_in_the_picture(film: Path, tmp_path: Path) -> None:
    out = tmp_path / "other.mp4"
    reshoot(film, out, seed=3)
    before, frames = frames_of(film), frames_of(out)
    assert len(frames) == FRAMES
    assert abs(middle_of_square(frames[0]) - middle_of_square(before[0])) > 2
    assert middle_of_square(frames[-1]) - middle_of_square(frames[0]) > 150
    assert read_lines(truth_path(out))[1] == PLAY | {"line": 2}


def test_the_same_seed_gives_the_same_view(film: Path, tmp_path: Path) -> None:
    paths = [tmp_path / f"{number}.mp4" for number in range(3)]
    for path, seed in zip(paths, (3, 3, 4), strict=True):
        reshoot(film, path, seed=seed)
    first, again, other = (frames_of(path)[5] for path in paths)
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_a_camera_in_a_hand_moves_the_whole_picture(film: Path, tmp_path: Path) -> None:
    out = tmp_path / "held.mp4"
    reshoot(film, out, seed=None, sway=90)
    pairs = zip(frames_of(film), frames_of(out), strict=True)
    offsets = [middle_of_square(moved) - middle_of_square(frame) for frame, moved in pairs]
    assert np.ptp(offsets) > 4
    assert read_lines(truth_path(out))[1] == PLAY | {"line": 2}


def test_in_a_dark_room_the_same_act_is_darker_and_noisier(film: Path, tmp_path: Path) -> None:
    out = tmp_path / "dark.mp4"
    reshoot(film, out, seed=None, light=0.35)
    before, after = frames_of(film)[0], frames_of(out)[0]
    assert after.max() < 0.6 * before.max()
    assert middle_of_square(after, 50) == pytest.approx(middle_of_square(before), abs=2)
    assert read_lines(truth_path(out))[1] == PLAY | {"line": 2}


def test_light_is_switched_off_and_on(film: Path, tmp_path: Path) -> None:
    out = tmp_path / "switched.mp4"
    reshoot(film, out, seed=None, light=0.35, dark_from=0.4, dark_until=0.8)
    dark = [frame.max() < 150 for frame in frames_of(out)]
    assert dark == [0.4 <= number / 15 < 0.8 for number in range(FRAMES)]


@pytest.mark.parametrize("light", [0.0, 1.5])
def test_an_impossible_light_is_refused(film: Path, tmp_path: Path, light: float) -> None:
    with pytest.raises(BadInputError, match="light"):
        reshoot(film, tmp_path / "out.mp4", seed=1, light=light)


@pytest.mark.parametrize("sway", [-1.0, 1000.0])
def test_an_impossible_sway_is_refused(film: Path, tmp_path: Path, sway: float) -> None:
    with pytest.raises(BadInputError, match="sway"):
        reshoot(film, tmp_path / "out.mp4", seed=1, sway=sway)


@pytest.mark.parametrize("speed", [0.0, -1.0, 100.0])
def test_an_impossible_speed_is_refused(film: Path, tmp_path: Path, speed: float) -> None:
    with pytest.raises(BadInputError, match="speed"):
        reshoot(film, tmp_path / "out.mp4", seed=1, speed=speed)
    assert not (tmp_path / "out.mp4").exists()


def test_a_film_without_its_truth_gets_one_clear_line(film: Path, tmp_path: Path) -> None:
    truth_path(film).unlink()
    command = [sys.executable, "-m", "datasets.measuring.films.reshoot", str(film), str(tmp_path / "o.mp4")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert truth_path(film).name in done.stderr
