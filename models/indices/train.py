"""Train the index network: `.venv/bin/python -m models.indices.train`.

Renders the scenes it lacks, trains for a fixed time (resuming from its last checkpoint when there is one),
and writes `models/indices/indices.onnx`, `indices.json` and its learning curve `curve.png`. With `--onward`
it starts from weights that ship, and not from nothing.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import torch
from platformdirs import user_cache_dir
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.data import ConcatDataset, DataLoader, Dataset

from datasets.photos import LabelledPhoto
from models.indices.calibrate import calibrate
from models.indices.data import IndexDataset, IndexTruth, collate
from models.indices.export import export
from models.indices.network import UNIT, IndexNet
from models.indices.photos import IndexPhotoDataset, training_photos
from models.shared.commands import run_command
from models.shared.curves import draw_curve
from models.shared.devices import Place, add_device, devices, endless, on_devices
from models.shared.fine_tuning import some_pictures, take_over
from models.shared.trainer import Parts, Trainer, over, predict
from models.shared.training_scenes import render_scenes
from models.shared.ultralytics_setup import set_threads

_BATCH = 16
_SIZE = 256
_RATE, _ONWARD_RATE = 2e-3, 1e-3
"""The largest learning rate, from nothing and from weights that ship."""
_HELD_BACK = 128
"""Scenes that are never trained on: they watch the training and calibrate the result."""
_FOCUS = 2.0
"""Exponent of the focal loss (Lin et al., 2017): easy cells count less."""
_FRAME_WEIGHT = 2.0
Batch = tuple[Tensor, IndexTruth]


def index_loss(output: Tensor, truth: IndexTruth) -> tuple[Tensor, Parts]:
    """Return the loss of a batch (output B x 7 x H x W) and its parts."""
    logits, frame = output[:, 0], output[:, 1:]
    count = truth.wanted.sum().clamp(min=1)
    raw = functional.binary_cross_entropy_with_logits(logits, truth.wanted, reduction="none")
    doubt = (logits.sigmoid() - truth.wanted).abs() ** _FOCUS
    score = (raw * doubt * truth.judged).sum() / count
    error = ((frame - truth.frame).abs().sum(1) * truth.framed).sum() / truth.framed.sum().clamp(min=1) / UNIT
    parts = {"score": float(score.detach()), "frame": float(error.detach())}
    return score + _FRAME_WEIGHT * error, parts


def _batch_loss(net: nn.Module, batch: Batch) -> tuple[Tensor, Parts]:
    images, truth = batch
    return index_loss(predict(net, images), truth)


def _batches(paths: Sequence[Path], photos: list[LabelledPhoto], seed: int, place: Place) -> Iterator[Batch]:
    """Yield batches for ever, each pass over the scenes seen anew."""

    def seen_anew(number: int) -> Dataset[Any]:
        return ConcatDataset([IndexDataset(paths, _SIZE, number), IndexPhotoDataset(photos, _SIZE, number)])

    return endless(seen_anew, _BATCH, seed, place, collate)


def _some_pictures(paths: Sequence[Path]) -> Tensor:
    """Return a few batches of pictures in one (N x 3 x H x W, RGB, 0..1)."""
    data = IndexDataset(paths, _SIZE)
    return some_pictures(data, min(len(data), 4 * _BATCH))


@torch.no_grad()
def _validate(net: nn.Module, paths: Sequence[Path]) -> Parts:
    """Return the mean loss parts over scenes held back from training."""
    loader = DataLoader(IndexDataset(paths, 384, augment=False), _BATCH, collate_fn=collate)
    return over(net, loader, lambda net, batch: _batch_loss(net, batch)[1])


def main(argv: Sequence[str] | None = None) -> None:
    """Render, train, calibrate, export."""
    parser = argparse.ArgumentParser(description=__doc__)
    cache = Path(user_cache_dir("shithead")) / "indices"
    parser.add_argument("--minutes", type=float, default=60.0, help="of training")
    parser.add_argument("--scenes", type=int, default=3500, help="how many to render")
    parser.add_argument("--folder", type=Path, default=cache, help="for scenes and checkpoints")
    parser.add_argument("--out", type=Path, default=Path(__file__).with_name("indices.onnx"))
    parser.add_argument("--onward", type=Path, metavar="ONNX", help="weights to go on from")
    parser.add_argument("--threads", type=int, default=2)
    add_device(parser)
    args = parser.parse_args(argv)
    devices(args.device)  # what is wrong with it is said before the scenes are rendered
    args.out.parent.mkdir(parents=True, exist_ok=True)
    scenes = render_scenes(args.folder / "scenes", args.scenes, args.threads, "crowds")
    on_devices(partial(_train, args, scenes[_HELD_BACK:], scenes[:_HELD_BACK]), args.device)


def _train(args: argparse.Namespace, scenes: Sequence[Path], held_back: Sequence[Path], place: Place) -> None:
    set_threads(args.threads)
    net = IndexNet().to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    if args.onward is not None:
        take_over(net, args.onward, _some_pictures(scenes))
    rate = _RATE if args.onward is None else _ONWARD_RATE
    trainer = Trainer[Batch](net, _batch_loss, args.folder, minutes=args.minutes, rate=rate, place=place)
    trainer.resume()
    batches = _batches(scenes, training_photos(), trainer.step + 1, place)
    trainer.run(batches, 1.0, lambda average: _validate(average, held_back))
    if not place.leads:
        return
    export(trainer.average.net, args.out)
    calibrate(args.out, held_back)
    draw_curve(trainer.log, args.out.with_name("curve.png"))


if __name__ == "__main__":
    run_command(main)
