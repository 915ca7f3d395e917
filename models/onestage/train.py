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

import torch
from platformdirs import user_cache_dir
from torch import Tensor, nn
from torch.utils.data import RandomSampler

from datasets.photos import photos_root
from models.commands import run_command
from models.onestage.curve import draw_results, spent_seconds
from models.onestage.labels import label_scenes, write_data
from models.outlines.render import render_scenes
from models.outlines.torch_setup import prepare_ultralytics, set_threads

_START = "weights/yolo26n_coco_from_int8_bncal_state_dict.pt"
_HELD_BACK = 160
"""The same scenes as the outline network's are never trained on: they show how the training went."""
_ROUND = 1600
"""Pictures after which there is a checkpoint: a pass over all scenes would take too long between two."""
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
    "amp": False,  # ultralytics' own does not know CPUs; see `_in_bfloat16`
    "patience": 0,
    "nms": False,  # its head that needs none is what is exported, and what rounds are measured by
    "device": "cpu",
    "plots": False,
    "verbose": False,
    "exist_ok": True,
    "name": "run",
}
"""What differs from ultralytics' defaults. Rate and optimiser are the outline network's: the automatic choice
is meant for trainings a hundred times as long."""


def _load_start(model: nn.Module, path: Path) -> int:
    """Load a detector's state dict where names and shapes fit. Returns how many tensors were loaded."""
    state = torch.load(path, map_location="cpu", weights_only=False)
    state = state.get("state_dict", state)
    own = model.state_dict()
    loaded = {name: value.float() for name, value in state.items() if _fits(own.get(name), value)}
    model.load_state_dict(loaded, strict=False)
    return len(loaded)


def _fits(mine: Tensor | None, value: Tensor) -> bool:
    return mine is not None and mine.shape == value.shape


def _in_bfloat16() -> None:
    """Have ultralytics' trainer compute in bfloat16 on the CPU, as the other networks here do."""
    from ultralytics.engine import trainer

    trainer.autocast = lambda enabled, device="cpu": torch.autocast("cpu", dtype=torch.bfloat16)


def _trainer(settings: dict[str, Any], start: Path | None, spent: float) -> Any:
    """Return ultralytics' trainer with three things added: our start, short rounds, a clock that goes on."""
    from ultralytics.data.build import InfiniteDataLoader
    from ultralytics.models.yolo.detect import DetectionTrainer

    class OneStageTrainer(DetectionTrainer):
        def get_model(self, cfg: Any = None, weights: Any = None, verbose: bool = True) -> Any:
            model = super().get_model(cfg, weights, verbose)
            if weights is None and start is not None:
                print(f"start: {_load_start(model, start)} tensors", flush=True)
            return model

        def get_dataloader(self, path: Any, batch_size: int = 16, rank: int = 0, mode: str = "train") -> Any:
            if mode != "train":
                return super().get_dataloader(path, batch_size, rank, mode)
            dataset = self.build_dataset(path, mode, batch_size)
            # Seeded by the time spent: a training that goes on draws other scenes than it began with.
            generator = torch.Generator().manual_seed(round(spent))
            sampler = RandomSampler(dataset, num_samples=min(_ROUND, len(dataset)), generator=generator)
            return InfiniteDataLoader(dataset, batch_size, sampler=sampler, collate_fn=dataset.collate_fn)

    def go_on_counting(trainer: Any) -> None:
        trainer.train_time_start -= spent
        trainer.model.to(memory_format=torch.channels_last)

    def count_all_rounds(trainer: Any) -> None:
        # Ultralytics divides the time spent by the rounds since then, to know how many there will be.
        trainer.start_epoch = 0

    _in_bfloat16()
    trainer = OneStageTrainer(overrides=settings)
    trainer.add_callback("on_train_start", go_on_counting)
    trainer.add_callback("on_train_epoch_start", count_all_rounds)
    return trainer


def _train(folder: Path, data: Path, minutes: float, size: int, start: Path | None) -> Path:
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
        "imgsz": size,
        "time": minutes / 60,
        "project": str(folder.resolve()),
        "save_dir": str(run.resolve()),
    }
    if last.exists():
        print(f"goes on after {spent / 60:.1f} min", flush=True)
        settings |= {"resume": str(last)}
    _trainer(settings, start, spent).train()
    finished.touch()
    return last


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
    args = parser.parse_args(argv)
    prepare_ultralytics()
    set_threads(args.threads)
    args.out.parent.mkdir(parents=True, exist_ok=True)
    scenes = render_scenes(args.scene_folder, args.scenes, args.threads)
    held_back, scenes = label_scenes(scenes[:_HELD_BACK]), label_scenes(scenes[_HELD_BACK:])
    root = photos_root()
    start = root / _START if root is not None and (root / _START).exists() else None
    data = write_data(scenes, held_back, args.folder)
    trained = _train(args.folder, data, args.minutes, args.size, start)
    _export(trained, args.read_size, args.out)
    draw_results(args.folder / "run" / "results.csv", args.out.with_name("curve.png"))


if __name__ == "__main__":
    run_command(main)
