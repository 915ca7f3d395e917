"""The trainer of the one-stage detector: rounds are divided, and the process of each GPU finds it."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

from engine.errors import BadInputError

pytest.importorskip("torch")
pytest.importorskip("ultralytics")

from ultralytics.engine import trainer as ultralytics_trainer

from datasets.scenes.store import write_scene_parts
from models.onestage import train
from models.onestage.data import label_scenes, write_data
from models.onestage.trainer import OneStageTrainer, Round, one_stage_trainer


def test_a_round_is_divided_among_the_processes_and_each_round_differs() -> None:
    alone, first, second = Round(5000, 7), Round(5000, 7, 0, 2), Round(5000, 7, 1, 2)
    rounds = [[list(one) for one in (alone, first, second)] for _ in range(2)]
    for whole, *shares in rounds:
        assert [len(share) for share in shares] == [800, 800]
        assert sorted(shares[0] + shares[1]) == sorted(whole)
    assert set(rounds[0][0]) != set(rounds[1][0])
    assert len(Round(5, 7)) == 5


def test_the_process_of_each_gpu_finds_the_trainer_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    picture = tmp_path / "000000.jpg"
    quad = np.array([[[10, 10], [50, 10], [50, 70], [10, 70]]], np.float32)
    seen = np.zeros((96, 96), np.uint8)
    write_scene_parts(picture, np.zeros((96, 96, 3), np.uint8), quad, np.array([True]), seen, cards=("10H",))
    data = write_data(label_scenes([picture]), [picture], tmp_path / "data")
    # On a CPU, the way to compute is replaced in ultralytics: have it put back.
    monkeypatch.setattr(ultralytics_trainer, "autocast", ultralytics_trainer.autocast)
    settings = train._SETTINGS | {"data": str(data), "device": "cpu", "save_dir": str(tmp_path / "run")}
    trainer = one_stage_trainer(settings)
    added = [trainer.callbacks[name][-1] for name in ("on_train_start", "on_train_epoch_start")]
    # Another process can find a class that is pickled by its name alone.
    assert pickle.loads(pickle.dumps([type(trainer), *added])) == [OneStageTrainer, *added]
    assert trainer.spent == 0.0


@pytest.mark.parametrize(("device", "says"), [("cpu,cpu", "one CPU or on GPUs"), ("900", "no GPU 900 here")])
def test_unsuitable_devices_are_refused_before_anything_is_rendered(
    device: str, says: str, tmp_path: Path
) -> None:
    out = tmp_path / "out" / "onestage.onnx"
    with pytest.raises(BadInputError, match=says):
        train.main(["--device", device, "--scene-folder", str(tmp_path / "scenes"), "--out", str(out)])
    assert list(tmp_path.iterdir()) == []
