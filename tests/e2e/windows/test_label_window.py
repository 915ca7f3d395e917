"""A film is labelled in a window, by touch and by key (see drive_label.py)."""

from __future__ import annotations

import functools
import os
import tempfile
from pathlib import Path
from typing import Any

import pytest

from companion.game.labelling import propose_labels, read_labels
from companion.game.scoring import read_truth, truth_path
from tests.e2e.windows.driven import answer_of, cut_texts, small_targets
from tests.e2e.windows.test_screens import has
from tests.support.labelled_film import HEADER, write_events, write_film

SIZES = ((1280, 720), (400, 600), (640, 600))


@functools.cache
def label(width: int, height: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="shithead-label-") as folder:
        film = write_film(Path(folder))
        truth = truth_path(film)
        propose_labels(HEADER, write_events(Path(folder) / "events.jsonl")).save(truth)
        wanted = os.environ.get("SHITHEAD_SCREENSHOTS")
        pictures = [str(Path(wanted) / f"labelled-{width}x{height}")] if wanted else []
        driver = Path(__file__).with_name("drive_label.py")
        arguments = [*map(str, ("labelled", film, truth, width, height)), *pictures]
        answer = answer_of(driver, arguments, {"HOME": folder})
        answer["truth"] = read_truth(truth)
        answer["again"] = len(read_labels(truth).unconfirmed)
        return answer


@pytest.mark.parametrize("size", SIZES)
def test_each_event_is_played_and_confirmed_corrected_removed_or_entered(size: tuple[int, int]) -> None:
    seen = label(*size)
    assert seen["waiting"] == 4
    assert seen["first"] == ["deal", pytest.approx(1.7, abs=0.1)]
    assert seen["second"] == "play"
    assert seen["corrected"] == [["8S"]]
    assert seen["after removal"].count("play") == 1
    assert seen["after undo"] == ["deal", "play", "play", "draw"]
    assert seen["entered"][-1] == ["draw", "Bob", pytest.approx(2.8, abs=0.1)]


def test_keys_step_run_and_confirm() -> None:
    seen = label(*SIZES[0])
    assert seen["slid to"] < 0.5
    assert seen["a picture on"] == pytest.approx(1 / 15, abs=0.02)
    assert seen["runs"] == [True, 2.0]
    assert has(seen["label done"], "All confirmed")


def test_the_truth_is_saved_and_nothing_is_left_to_confirm() -> None:
    seen = label(*SIZES[0])
    assert [line["event"] for line in seen["truth"]] == ["deal", "play", "draw", "play", "draw"]
    assert seen["truth"][1]["cards"] == ["8S"]
    assert seen["again"] == 0


@pytest.mark.parametrize("size", SIZES)
def test_what_stands_there_can_be_read_and_tapped(size: tuple[int, int]) -> None:
    measured = label(*size)["measured"]
    for name in ("label at first", "label first event", "label entered", "label done"):
        assert cut_texts(measured[name]) == [], name
        assert small_targets(measured[name]) == [], name
