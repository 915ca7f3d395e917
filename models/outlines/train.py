"""Train the outline network: `.venv/bin/python -m models.outlines.train`.

Renders the scenes it lacks, trains for a fixed time (resuming from its last checkpoint when there is one),
and writes `models/outlines/outlines.onnx`. The schedule follows the clock, not a number of steps: on a busy
machine it does fewer steps and still ends with a small learning rate.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Iterator, Sequence
from copy import deepcopy
from pathlib import Path

import numpy as np
import torch
from platformdirs import user_cache_dir
from torch import Tensor
from torch.utils.data import DataLoader, RandomSampler

from datasets.photos import photos_root
from models.outlines.calibrate import calibrate
from models.outlines.data import SceneDataset, collate
from models.outlines.export import export
from models.outlines.loss import Grid, Truth, outline_loss
from models.outlines.network import OutlineNet
from models.outlines.real import LEAST_SURE, label_sets
from models.outlines.render import render_scenes
from models.outlines.torch_setup import set_threads
from vision.outlines import OutlineFinder

_START = "weights/yolo26n_coco_from_int8_bncal_state_dict.pt"
_BATCH = 16
_RATE = 1.2e-3
_WARM_UP_STEPS = 150
_FROZEN_LAYERS = 3
_STAGES = ((0.75, 320, (0.75, 2.0)), (1.0, 416, (0.75, 1.8)))
"""(share of the time, picture size, zoom): small cut-outs first, which teach the same things sooner."""
_HELD_BACK = 160
"""Scenes that are never trained on: they watch the training and calibrate the result."""
_PHOTOS_FROM = 0.5
"""Share of the time after which the network is good enough to outline the photos that have only boxes."""
_PHOTO_REPEATS = 2
Batch = tuple[Tensor, list[Truth]]


class Average:
    """A running average of the weights (EMA), which is what is shipped."""

    def __init__(self, net: OutlineNet, decay: float = 0.998) -> None:
        self.net, self.decay, self.steps = deepcopy(net).eval(), decay, 0

    @torch.no_grad()
    def update(self, net: OutlineNet) -> None:
        """Take in the weights after a step."""
        self.steps += 1
        decay = self.decay * (1 - math.exp(-self.steps / 400))
        for mine, theirs in zip(self.net.state_dict().values(), net.state_dict().values(), strict=True):
            if mine.is_floating_point():
                mine.lerp_(theirs, 1 - decay)
            else:
                mine.copy_(theirs)


def _batches(paths: Sequence[Path], size: int, zoom: tuple[float, float], seed: int) -> Iterator[Batch]:
    """Yield batches for ever, each pass over the scenes seen anew."""
    for epoch in range(1_000_000):
        data = SceneDataset(paths, size, seed * 1000 + epoch, zoom)
        order = RandomSampler(data, generator=torch.Generator().manual_seed(seed * 1000 + epoch))
        yield from DataLoader(
            data, _BATCH, sampler=order, num_workers=1, collate_fn=collate, drop_last=True, prefetch_factor=3
        )


def _predict(net: OutlineNet, images: Tensor) -> Tensor:
    inputs = (images.float() / 255).to(memory_format=torch.channels_last)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        output: Tensor = net(inputs)
    return output


@torch.no_grad()
def _validate(net: OutlineNet, paths: Sequence[Path], size: int) -> dict[str, float]:
    """Return the mean loss parts over scenes held back from training."""
    loader = DataLoader(SceneDataset(paths, size, augment=False), _BATCH, collate_fn=collate)
    parts = [outline_loss(_predict(net, images), truths, Grid.of(size, size))[1] for images, truths in loader]
    return {key: round(float(np.mean([part[key] for part in parts])), 4) for key in parts[0]}


def _rate(share: float, step: int) -> float:
    """Return the learning rate after a share (0..1) of the time: warm-up, then a cosine down to 2 %."""
    warm = min(1.0, (step + 1) / _WARM_UP_STEPS)
    return _RATE * warm * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * min(share, 1.0))))


class Trainer:
    """Holds what a checkpoint holds: network, average, optimiser, time spent."""

    def __init__(self, folder: Path, minutes: float) -> None:
        self.folder, self.budget = folder, minutes * 60
        self.net = OutlineNet()
        root = photos_root()
        if root is not None and (root / _START).exists():
            print(f"start: {self.net.load_start(root / _START)} tensors", flush=True)
        self.net.freeze(_FROZEN_LAYERS)
        self.net = self.net.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        self.average = Average(self.net)
        trained = [p for p in self.net.parameters() if p.requires_grad]
        decayed = [p for p in trained if p.ndim > 1]
        rest = [p for p in trained if p.ndim <= 1]
        self.optimiser = torch.optim.AdamW(
            [{"params": decayed, "weight_decay": 0.02}, {"params": rest, "weight_decay": 0.0}], lr=_RATE
        )
        self.spent, self.step = 0.0, 0

    @property
    def checkpoint(self) -> Path:
        """Where the last state is kept."""
        return self.folder / "last.pt"

    def save(self) -> None:
        """Write the checkpoint; a crash while writing leaves the old one whole."""
        state = {
            "net": self.net.state_dict(),
            "average": self.average.net.state_dict(),
            "average_steps": self.average.steps,
            "optimiser": self.optimiser.state_dict(),
            "spent": self.spent,
            "step": self.step,
        }
        fresh = self.checkpoint.with_suffix(".new")
        torch.save(state, fresh)
        fresh.replace(self.checkpoint)

    def resume(self) -> None:
        """Go on from the checkpoint, if there is one."""
        if not self.checkpoint.exists():
            return
        state = torch.load(self.checkpoint, map_location="cpu", weights_only=False)
        self.net.load_state_dict(state["net"])
        self.average.net.load_state_dict(state["average"])
        self.average.steps = state["average_steps"]
        self.optimiser.load_state_dict(state["optimiser"])
        self.spent, self.step = state["spent"], state["step"]
        print(f"resumed at step {self.step}, {self.spent / 60:.1f} min", flush=True)

    def run(self, paths: Sequence[Path], held_back: Sequence[Path], until: float = 1.0) -> None:
        """Train until a share (0..1) of the time is spent."""
        for share, size, zoom in _STAGES:
            end = min(share, until) * self.budget
            if self.spent < end:
                self._stage(_batches(paths, size, zoom, self.step + 1), held_back, end, size)
        self.save()

    def _stage(self, batches: Iterator[Batch], held_back: Sequence[Path], until: float, size: int) -> None:
        grid = Grid.of(size, size)
        self.net.train()
        last, saved = time.monotonic(), self.spent
        recent: list[dict[str, float]] = []
        for images, truths in batches:
            for group in self.optimiser.param_groups:
                group["lr"] = _rate(self.spent / self.budget, self.step)
            loss, parts = outline_loss(_predict(self.net, images), truths, grid)
            self.optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            torch.nn.utils.clip_grad_norm_(self.net.parameters(), 10.0)
            self.optimiser.step()
            self.average.update(self.net)
            self.step += 1
            recent.append(parts)
            now = time.monotonic()
            self.spent, last = self.spent + now - last, now
            if self.step % 20 == 0:
                line = {key: round(float(np.mean([p[key] for p in recent])), 4) for key in parts}
                print(
                    json.dumps({"step": self.step, "min": round(self.spent / 60, 2), "size": size} | line),
                    flush=True,
                )
                recent.clear()
            if self.spent - saved > 240 or self.spent >= until:
                saved = self.spent
                self.save()
                check = _validate(self.average.net, held_back, size)
                print(json.dumps({"step": self.step, "held back": check}), flush=True)
                last = time.monotonic()
            if self.spent >= until:
                return


def _photos(trainer: Trainer, folder: Path) -> list[Path]:
    """Return the training photos with quads; where they are missing, the network as it is now gives them."""
    if photos_root() is None:
        return []
    if not any(folder.glob("*.jpg")):
        weights = trainer.folder / "labelling.onnx"
        export(trainer.average.net, weights)
        label_sets(OutlineFinder(weights, least=LEAST_SURE, refine=False, closer_look=False), folder)
    return sorted(folder.glob("*.jpg"))


def main(argv: Sequence[str] | None = None) -> None:
    """Render, train on scenes, label the photos, train on both, export."""
    parser = argparse.ArgumentParser(description=__doc__)
    cache = Path(user_cache_dir("shithead")) / "outlines"
    parser.add_argument("--minutes", type=float, default=85.0, help="of training")
    parser.add_argument("--scenes", type=int, default=10000, help="how many to render")
    parser.add_argument("--folder", type=Path, default=cache, help="for scenes, labelled photos, checkpoints")
    parser.add_argument("--out", type=Path, default=Path(__file__).with_name("outlines.onnx"))
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args(argv)
    set_threads(args.threads)
    scenes = render_scenes(args.folder / "scenes", args.scenes, args.threads)
    held_back, scenes = scenes[:_HELD_BACK], scenes[_HELD_BACK:]
    trainer = Trainer(args.folder, args.minutes)
    trainer.resume()
    trainer.run(scenes, held_back, _PHOTOS_FROM)
    photos = _photos(trainer, args.folder / "photos")
    trainer.run([*scenes, *photos * _PHOTO_REPEATS], held_back)
    export(trainer.average.net, args.out, confidence=calibrate(trainer.average.net, held_back))


if __name__ == "__main__":
    main()
