"""Train the outline network: `.venv/bin/python -m models.outlines.train`.

It renders the missing scenes, trains for a fixed time, and writes `models/outlines/outlines.onnx`,
`outlines.json` and the learning curve `curve.png`. It continues from its last checkpoint if there is one.
With `--fine-tune` it starts from shipped weights.
"""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader

from datasets.photos import photos_root
from models.outlines.calibrate import calibrate
from models.outlines.export import export
from models.outlines.loss import Grid, outline_loss
from models.outlines.network import OutlineNet
from models.outlines.photos import LEAST_SURE, label_sets
from models.shared.commands import run_command
from models.shared.curves import draw_curve
from models.shared.devices import Worker, endless_batches
from models.shared.fine_tuning import first_pictures, load_exported
from models.shared.scene_data import SceneDataset, Truth, collate
from models.shared.scene_training import SceneTraining, run_scene_training
from models.shared.state_files import START, load_start
from models.shared.trainer import Parts, Trainer, mean_over, predict
from vision.recognition.detector import OutlineFinder

Batch = tuple[Tensor, list[Truth]]
Stages = tuple[tuple[float, int, tuple[float, float]], ...]

_BATCH = 16
_RATE, _FINE_TUNING_RATE = 1.2e-3, 3e-4
"""The largest learning rate, without and with `--fine-tune`."""
_FROZEN_LAYERS = 3
_STAGES: Stages = ((0.75, 320, (0.75, 2.0)), (1.0, 416, (0.75, 1.8)))
"""(share of the time, picture size, zoom). Small cut-outs come first, because they teach faster."""
_FINE_TUNING_STAGES: Stages = ((1.0, 512, (0.75, 1.6)),)
_WEIGHTS = Path(__file__).with_name("outlines.onnx")
_TRAINING = SceneTraining("outlines", _WEIGHTS, minutes=85.0, scenes=10000, held_out=160)
_PHOTOS_FROM = 0.5
"""Share of the time after which the network can outline the photos that have only boxes."""
_PHOTO_REPEATS = 2


def _batches(
    paths: Sequence[Path], size: int, zoom: tuple[float, float], seed: int, worker: Worker
) -> Iterator[Batch]:
    """Yield an endless series of batches; each pass over the scenes varies them differently."""
    return endless_batches(
        lambda number: SceneDataset(paths, size, number, zoom), _BATCH, seed, worker, collate
    )


@torch.no_grad()
def _validate(net: nn.Module, paths: Sequence[Path], size: int) -> Parts:
    """Return the mean loss parts over held-out scenes."""
    loader = DataLoader(SceneDataset(paths, size, augment=False), _BATCH, collate_fn=collate)
    return mean_over(net, loader, lambda net, batch: _batch_loss(net, batch)[1])


def _batch_loss(net: nn.Module, batch: Batch) -> tuple[Tensor, Parts]:
    images, truths = batch
    height, width = images.shape[-2:]
    return outline_loss(predict(net, images), truths, Grid.of(height, width, images.device))


def _new_trainer(
    folder: Path, minutes: float, worker: Worker, fine_tune: Path | None, held_out: Sequence[Path]
) -> Trainer[Batch]:
    net = OutlineNet()
    root = photos_root()
    if fine_tune is not None:
        load_exported(net, fine_tune, _some_pictures(held_out))
    elif root is not None and (root / START).exists():
        loaded = load_start(net, root / START, _name_in_outline_net)
        if worker.leads:
            print(f"start: {loaded} tensors", flush=True)
    net.freeze(_FROZEN_LAYERS)
    net = net.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    rate = _RATE if fine_tune is None else _FINE_TUNING_RATE
    return Trainer(net, _batch_loss, folder, minutes=minutes, rate=rate, worker=worker)


def _name_in_outline_net(name: str) -> str:
    """Return the name in `OutlineNet` of a tensor of an ultralytics detector."""
    return name.replace("model.", "body.", 1)


def _some_pictures(paths: Sequence[Path]) -> Tensor:
    """Return a few batches of pictures as one (N x 3 x H x W, RGB, 0..1)."""
    data = SceneDataset(paths, _FINE_TUNING_STAGES[0][1])
    return first_pictures(data, min(len(data), 4 * _BATCH))


def _run(
    trainer: Trainer[Batch], stages: Stages, paths: Sequence[Path], held_out: Sequence[Path], until: float
) -> None:
    """Train through the stages until a share (0..1) of the time is spent."""
    for share, size, zoom in stages:
        end = min(share, until)
        if trainer.spent < end * trainer.budget:
            batches = _batches(paths, size, zoom, trainer.step + 1, trainer.worker)
            trainer.run(batches, end, partial(_validate, paths=held_out, size=size), f"{size} px")
    trainer.save()


def _photos(trainer: Trainer[Batch], folder: Path) -> list[Path]:
    """Return the training photos with quads; the current network outlines them if they are missing."""
    if photos_root() is None:
        return []
    trainer.worker.after_leader(lambda: _label_photos(trainer, folder))
    return sorted(folder.glob("*.jpg"))


def _label_photos(trainer: Trainer[Batch], folder: Path) -> None:
    if not any(folder.glob("*.jpg")):
        weights = trainer.folder / "labelling.onnx"
        net = trainer.average.net
        assert isinstance(net, OutlineNet)
        export(net, weights)
        # Elsewhere first: after an interruption the folder must not hold only a part of them.
        part = folder.with_name(f"{folder.name}.part")
        shutil.rmtree(part, ignore_errors=True)
        label_sets(OutlineFinder(weights, least=LEAST_SURE, refine=False, closer_look=False), part)
        shutil.rmtree(folder, ignore_errors=True)
        part.rename(folder)


def main(argv: Sequence[str] | None = None) -> None:
    """Render, train on scenes, label the photos, train on both, export."""
    run_scene_training(_TRAINING, _train, __doc__, argv)


def _train(
    args: argparse.Namespace, scenes: Sequence[Path], held_out: Sequence[Path], worker: Worker
) -> None:
    torch.set_num_threads(args.threads)
    trainer = _new_trainer(args.folder, args.minutes, worker, args.fine_tune, held_out)
    trainer.resume()
    stages = _STAGES
    if args.fine_tune is None:
        _run(trainer, stages, scenes, held_out, _PHOTOS_FROM)
    else:
        stages = _FINE_TUNING_STAGES  # the shipped network can already outline the photos
    photos = _photos(trainer, args.folder / "photos")
    _run(trainer, stages, [*scenes, *photos * _PHOTO_REPEATS], held_out, 1.0)
    if not worker.leads:
        return
    net = trainer.average.net
    assert isinstance(net, OutlineNet)
    export(net, args.out, confidence=calibrate(net, held_out))
    draw_curve(trainer.log, args.out.with_name("curve.png"))


if __name__ == "__main__":
    run_command(main)
