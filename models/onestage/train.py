"""Train the plain one-stage detector: `.venv/bin/python -m models.onestage.train --minutes 85`.

It is what one would do without this project's own networks: ultralytics' YOLO26n from COCO, its own trainer,
loss and augmentation, one class per card, on the very scenes that the outline network learns from. It is
there to be measured (`shithead evaluate --beside`); the program does not use it.
"""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from platformdirs import user_cache_dir

from engine.errors import BadInputError
from models.onestage.curve import draw_results, spent_seconds
from models.onestage.data import label_scenes, write_data
from models.onestage.trainer import one_stage_trainer
from models.shared.commands import run_command
from models.shared.devices import add_device, devices
from models.shared.training_scenes import render_scenes
from models.shared.ultralytics_setup import set_threads

_HELD_BACK = 160
"""The same scenes as the outline network's are never trained on: they show how the training went."""
_CLOSING_ROUNDS = 2
"""Rounds at the end without mosaic, about the tenth that is ultralytics' default."""
_SETTINGS: dict[str, Any] = {
    "model": "yolo26n.yaml",
    "batch": 16,
    "nbs": 16,  # a step per batch: by default four batches make one, too few steps for a training this short
    "optimizer": "AdamW",
    "lr0": 1.2e-3,
    "lrf": 0.02,
    "cos_lr": True,
    "warmup_epochs": 1.0,
    "warmup_bias_lr": 0.0,
    "freeze": 3,  # as in the outline network: the first layers cost the most and serve as they are
    "close_mosaic": _CLOSING_ROUNDS,
    "fliplr": 0.0,  # a mirrored card is no card
    "flipud": 0.0,
    "amp": False,  # ultralytics' own does not know CPUs (see the trainer), and on GPUs would fetch weights
    "patience": 0,
    "nms": False,  # its head that needs none is what is exported, and what rounds are measured by
    "plots": False,
    "verbose": False,
    "exist_ok": True,
    "name": "run",
}
"""What differs from ultralytics' defaults. Rate and optimiser are the outline network's: the automatic choice
is meant for trainings a hundred times as long."""


def _train(folder: Path, data: Path, minutes: float, size: int, device: str) -> Path:
    """Train, or go on training, until the time is spent. Returns the last round's averaged weights."""
    run = folder / "run"
    last = run / "weights" / "last.pt"
    finished = run / "finished"
    spent = spent_seconds(run / "results.csv") if last.exists() else 0.0
    if finished.exists() or spent >= 60 * minutes:  # the latter: broken off in its last check
        print(f"{run}: has had its time; remove it to train again", flush=True)
        return last
    settings = _SETTINGS | {
        "data": str(data),
        "device": device,
        "imgsz": size,
        "time": minutes / 60,
        "project": str(folder.resolve()),
        "save_dir": str(run.resolve()),
    }
    if last.exists():
        print(f"goes on after {spent / 60:.1f} min", flush=True)
        settings |= {"resume": str(last)}
    one_stage_trainer(settings).train()
    finished.touch()
    return last


def _check_device(text: str) -> None:
    named = devices(text)
    if len(named) > 1 and named[0].type == "cpu":
        raise BadInputError("--device {text}: ultralytics trains on one CPU or on GPUs", text=text)


def _export(weights: Path, size: int, out: Path) -> None:
    from ultralytics import YOLO

    made = YOLO(str(weights)).export(format="onnx", imgsz=size, opset=17, simplify=True, nms=False)
    shutil.move(str(made), out)


def main(argv: Sequence[str] | None = None) -> None:
    """Render, label, train, export."""
    parser = argparse.ArgumentParser(description=__doc__)
    cache = Path(user_cache_dir("shithead"))
    parser.add_argument("--minutes", type=float, default=85.0, help="of training")
    parser.add_argument("--scenes", type=int, default=10000, help="how many to render")
    parser.add_argument("--scene-folder", type=Path, default=cache / "outlines" / "scenes", metavar="FOLDER")
    parser.add_argument("--folder", type=Path, default=cache / "onestage", help="for checkpoints and log")
    parser.add_argument("--out", type=Path, default=cache / "onestage" / "onestage.onnx")
    parser.add_argument("--size", type=int, default=416, help="of the pictures it learns from, pixels")
    parser.add_argument("--read-size", type=int, default=640, help="of those it reads, pixels")
    parser.add_argument("--threads", type=int, default=2)
    add_device(parser)
    args = parser.parse_args(argv)
    _check_device(args.device)
    set_threads(args.threads)
    args.out.parent.mkdir(parents=True, exist_ok=True)
    scenes = render_scenes(args.scene_folder, args.scenes, args.threads)
    held_back, scenes = label_scenes(scenes[:_HELD_BACK]), label_scenes(scenes[_HELD_BACK:])
    data = write_data(scenes, held_back, args.folder)
    trained = _train(args.folder, data, args.minutes, args.size, args.device)
    _export(trained, args.read_size, args.out)
    draw_results(args.folder / "run" / "results.csv", args.out.with_name("curve.png"))


if __name__ == "__main__":
    run_command(main)
