"""Train the plain one-stage detector: `.venv/bin/python -m models.onestage.train --minutes 85`.

It replaces the networks of this project with the YOLO26n of ultralytics, pretrained on COCO, with one class
per card. Trainer, loss and augmentation are those of ultralytics, and the scenes are those of the outline
network. `shithead evaluate --beside` measures it; the program does not use it.
"""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from platformdirs import user_cache_dir

from engine.errors import BadInputError
from models.onestage.curve import draw_results, spent_seconds
from models.onestage.data import label_scenes, write_data
from models.onestage.trainer import one_stage_trainer
from models.shared.commands import run_command
from models.shared.devices import add_device, devices
from models.shared.training_scenes import render_scenes

_HELD_OUT = 160
"""Scenes that are never trained on, the same as for the outline network."""
_CLOSING_ROUNDS = 2
"""Rounds at the end without mosaic: about a tenth, as is the default of ultralytics."""
_SETTINGS: dict[str, Any] = {
    "model": "yolo26n.yaml",
    "batch": 16,
    "nbs": 16,  # a step per batch; the default of four batches per step gives a short training too few steps
    "optimizer": "AdamW",
    "lr0": 1.2e-3,
    "lrf": 0.02,
    "cos_lr": True,
    "warmup_epochs": 1.0,
    "warmup_bias_lr": 0.0,
    "freeze": 3,  # as in the outline network: the first layers cost the most and need no training
    "close_mosaic": _CLOSING_ROUNDS,
    "fliplr": 0.0,  # cards are never mirrored
    "flipud": 0.0,
    "amp": False,  # that of ultralytics ignores CPUs (see the trainer), and on GPUs it would download weights
    "patience": 0,
    "nms": False,  # the head that needs none is exported, and used for validation
    "plots": False,
    "verbose": False,
    "exist_ok": True,
    "name": "run",
}
"""Settings that differ from the defaults of ultralytics.

Learning rate and optimiser are those of the outline network. The automatic choice suits trainings a hundred
times as long.
"""


def _train(folder: Path, data: Path, minutes: float, size: int, device: str) -> Path:
    """Train, or continue, until the time is spent; returns the averaged weights of the last round."""
    run = folder / "run"
    last = run / "weights" / "last.pt"
    finished = run / "finished"
    spent = spent_seconds(run / "results.csv") if last.exists() else 0.0
    if finished.exists() or spent >= 60 * minutes:  # or interrupted in its last validation
        print(f"{run}: this training is finished; remove the folder to train again", flush=True)
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
        print(f"continues after {spent / 60:.1f} min", flush=True)
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
    parser.add_argument("--size", type=int, default=416, help="of the training pictures, pixels")
    parser.add_argument("--read-size", type=int, default=640, help="of the pictures it will read, pixels")
    parser.add_argument("--threads", type=int, default=2)
    add_device(parser)
    args = parser.parse_args(argv)
    _check_device(args.device)
    torch.set_num_threads(args.threads)
    args.out.parent.mkdir(parents=True, exist_ok=True)
    scenes = render_scenes(args.scene_folder, args.scenes, args.threads)
    held_out, scenes = label_scenes(scenes[:_HELD_OUT]), label_scenes(scenes[_HELD_OUT:])
    data = write_data(scenes, held_out, args.folder)
    trained = _train(args.folder, data, args.minutes, args.size, args.device)
    _export(trained, args.read_size, args.out)
    draw_results(args.folder / "run" / "results.csv", args.out.with_name("curve.png"))


if __name__ == "__main__":
    run_command(main)
