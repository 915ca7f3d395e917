"""Train the index network: `.venv/bin/python -m models.indices.train`.

It renders the missing scenes, trains for a fixed time, and writes `models/indices/indices.onnx`,
`indices.json` and the learning curve `curve.png`. It continues from its last checkpoint if there is one. With
`--fine-tune` it starts from shipped weights.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils.data import ConcatDataset, DataLoader, Dataset

from datasets.photos import LabelledPhoto
from models.indices.calibrate import calibrate
from models.indices.data import IndexDataset, IndexTruth, collate
from models.indices.export import export
from models.indices.loss import index_loss
from models.indices.network import IndexNet
from models.indices.photos import IndexPhotoDataset, training_photos
from models.shared.commands import run_command
from models.shared.curves import draw_curve
from models.shared.devices import Worker, endless_batches
from models.shared.fine_tuning import first_pictures, load_exported
from models.shared.scene_training import SceneTraining, run_scene_training
from models.shared.trainer import Parts, Trainer, mean_over, predict

_BATCH = 16
_SIZE = 256
_RATE, _FINE_TUNING_RATE = 2e-3, 1e-3
"""The largest learning rate, without and with `--fine-tune`."""
_TRAINING = SceneTraining(
    "indices",
    Path(__file__).with_name("indices.onnx"),
    minutes=60.0,
    scenes=3500,
    held_out=128,
    kind="crowds",
)
Batch = tuple[Tensor, IndexTruth]


def _batch_loss(net: nn.Module, batch: Batch) -> tuple[Tensor, Parts]:
    images, truth = batch
    return index_loss(predict(net, images), truth)


def _batches(
    paths: Sequence[Path], photos: list[LabelledPhoto], seed: int, worker: Worker
) -> Iterator[Batch]:
    """Yield an endless series of batches; each pass over the scenes varies them differently."""

    def varied(number: int) -> Dataset[Any]:
        return ConcatDataset([IndexDataset(paths, _SIZE, number), IndexPhotoDataset(photos, _SIZE, number)])

    return endless_batches(varied, _BATCH, seed, worker, collate)


def _some_pictures(paths: Sequence[Path]) -> Tensor:
    """Return a few batches of pictures as one (N x 3 x H x W, RGB, 0..1)."""
    data = IndexDataset(paths, _SIZE)
    return first_pictures(data, min(len(data), 4 * _BATCH))


@torch.no_grad()
def _validate(net: nn.Module, paths: Sequence[Path]) -> Parts:
    """Return the mean loss parts over held-out scenes."""
    loader = DataLoader(IndexDataset(paths, 384, augment=False), _BATCH, collate_fn=collate)
    return mean_over(net, loader, lambda net, batch: _batch_loss(net, batch)[1])


def main(argv: Sequence[str] | None = None) -> None:
    """Render, train, calibrate, export."""
    run_scene_training(_TRAINING, _train, __doc__, argv)


def _train(
    args: argparse.Namespace, scenes: Sequence[Path], held_out: Sequence[Path], worker: Worker
) -> None:
    torch.set_num_threads(args.threads)
    net = IndexNet().to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    if args.fine_tune is not None:
        load_exported(net, args.fine_tune, _some_pictures(scenes))
    rate = _RATE if args.fine_tune is None else _FINE_TUNING_RATE
    trainer = Trainer[Batch](net, _batch_loss, args.folder, minutes=args.minutes, rate=rate, worker=worker)
    trainer.resume()
    batches = _batches(scenes, training_photos(), trainer.step + 1, worker)
    trainer.run(batches, 1.0, lambda average: _validate(average, held_out))
    if not worker.leads:
        return
    export(trainer.average.net, args.out)
    calibrate(args.out, held_out)
    draw_curve(trainer.log, args.out.with_name("curve.png"))


if __name__ == "__main__":
    run_command(main)
