"""Learning curves from logs, and the exit status of training commands."""

from __future__ import annotations

from pathlib import Path

import cv2
import pytest

from engine.errors import BadInputError
from models.shared.commands import run_command

pytest.importorskip("matplotlib")

from models.onestage.curve import draw_results, spent_seconds
from models.shared.curves import draw_curve

TRAINED = '{"step": 20, "minutes": 0.3, "note": "320 px", "score": 4.7, "frame": 5.1}\n'
HELD_BACK = '{"step": 30, "minutes": 0.5, "held out": {"score": 1.1, "wrong": 0.4}}\n'


@pytest.mark.parametrize(("log", "panels"), [(HELD_BACK, 2), (TRAINED + HELD_BACK, 3)])
def test_each_number_in_the_log_gets_a_panel(tmp_path: Path, log: str, panels: int) -> None:
    (tmp_path / "curve.jsonl").write_text(log)
    draw_curve(tmp_path / "curve.jsonl", tmp_path / "curve.png")
    picture = cv2.imread(str(tmp_path / "curve.png"))
    assert picture is not None
    assert picture.shape[1] == pytest.approx(405 * panels, abs=3)


@pytest.mark.parametrize("log", [None, ""])
def test_a_missing_or_empty_log_gives_one_line_and_no_picture(tmp_path: Path, log: str | None) -> None:
    if log is not None:
        (tmp_path / "curve.jsonl").write_text(log)
    with pytest.raises(BadInputError, match="there is no log of a training"):
        draw_curve(tmp_path / "curve.jsonl", tmp_path / "curve.png")
    assert not (tmp_path / "curve.png").exists()


@pytest.mark.parametrize(
    ("error", "status", "said"),
    [
        (BadInputError("the picture\nis missing"), 2, "the picture is missing\n"),
        (KeyboardInterrupt(), 130, "interrupted; the same command continues from the last checkpoint\n"),
    ],
)
def test_a_training_command_ends_with_one_line(
    error: BaseException, status: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    def main() -> None:
        raise error

    with pytest.raises(SystemExit) as ended:
        run_command(main)
    assert ended.value.code == status
    assert capsys.readouterr().err == said


RESULTS = """epoch,time,train/box_loss,train/cls_loss,val/box_loss,val/cls_loss,metrics/mAP50(B)
1,300.5,1.4,5.0,1.3,4.9,0.01
2,601,1.2,4.0,1.2,4.1,0.2
"""


def test_the_curve_and_time_of_the_one_stage_detector_come_from_its_rounds(tmp_path: Path) -> None:
    results = tmp_path / "results.csv"
    assert spent_seconds(results) == 0
    draw_results(results, tmp_path / "curve.png")
    assert not (tmp_path / "curve.png").exists()
    results.write_text(RESULTS + "3,9")  # broken off while it was written
    assert spent_seconds(results) == 601
    draw_results(results, tmp_path / "curve.png")
    assert cv2.imread(str(tmp_path / "curve.png")) is not None
