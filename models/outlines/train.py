"""Train the outline network: `.venv/bin/python -m models.outlines.train`.

Renders the scenes it lacks, trains for a fixed time (resuming from its last checkpoint when there is one),
and writes `models/outlines/outlines.onnx`, `outlines.json` and its learning curve `curve.png`. With
`--onward` it starts from weights that ship.
"""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import torch
from platformdirs import user_cache_dir
from torch import Tensor, nn
from torch.utils.data import DataLoader

from datasets.photos import photos_root
from models.outlines.calibrate import calibrate
from models.outlines.data import SceneDataset, collate
from models.outlines.export import export
from models.outlines.loss import Grid, Truth, outline_loss
from models.outlines.network import OutlineNet
from models.outlines.photos import LEAST_SURE, label_sets
from models.shared.commands import run_command
from models.shared.curves import draw_curve
from models.shared.devices import Place, add_device, devices, endless, on_devices
from models.shared.fine_tuning import some_pictures, take_over
from models.shared.state_files import START
from models.shared.trainer import Parts, Trainer, over, predict
from models.shared.training_scenes import render_scenes
from models.shared.ultralytics_setup import set_threads
from vision.recognition.detector import OutlineFinder

Batch = tuple[Tensor, list[Truth]]
Stages = tuple[tuple[float, int, tuple[float, float]], ...]

_BATCH = 16
_RATE, _ONWARD_RATE = 1.2e-3, 3e-4
"""The largest learning rate, from a detector of other things and from weights that ship."""
_FROZEN_LAYERS = 3
_STAGES: Stages = ((0.75, 320, (0.75, 2.0)), (1.0, 416, (0.75, 1.8)))
"""(share of the time, picture size, zoom): small cut-outs first, which teach the same things sooner."""
_ONWARD_STAGES: Stages = ((1.0, 512, (0.75, 1.6)),)
_HELD_BACK = 160
"""Scenes that are never trained on: they watch the training and calibrate the result."""
_PHOTOS_FROM = 0.5
"""Share of the time after which the network is good enough to outline the photos that have only boxes."""
_PHOTO_REPEATS = 2


def _batches(
    paths: Sequence[Path], size: int, zoom: tuple[float, float], seed: int, place: Place
) -> Iterator[Batch]:
    """Yield batches for ever, each pass over the scenes seen anew."""
    return endless(lambda number: SceneDataset(paths, size, number, zoom), _BATCH, seed, place, collate)


@torch.no_grad()
def _validate(net: nn.Module, paths: Sequence[Path], size: int) -> Parts:
    """Return the mean loss parts over scenes held back from training."""
    loader = DataLoader(SceneDataset(paths, size, augment=False), _BATCH, collate_fn=collate)
    return over(net, loader, lambda net, batch: _batch_loss(net, batch)[1])


def _batch_loss(net: nn.Module, batch: Batch) -> tuple[Tensor, Parts]:
    images, truths = batch
    height, width = images.shape[-2:]
    return outline_loss(predict(net, images), truths, Grid.of(height, width, images.device))


def _new_trainer(
    folder: Path, minutes: float, place: Place, onward: Path | None, held_back: Sequence[Path]
) -> Trainer[Batch]:
    net = OutlineNet()
    root = photos_root()
    if onward is not None:
        take_over(net, onward, _some_pictures(held_back))
    elif root is not None and (root / START).exists():
        loaded = net.load_start(root / START)
        if place.leads:
            print(f"start: {loaded} tensors", flush=True)
    net.freeze(_FROZEN_LAYERS)
    net = net.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    rate = _RATE if onward is None else _ONWARD_RATE
    return Trainer(net, _batch_loss, folder, minutes=minutes, rate=rate, place=place)


def _some_pictures(paths: Sequence[Path]) -> Tensor:
    """Return a few batches of pictures in one (N x 3 x H x W, RGB, 0..1)."""
    data = SceneDataset(paths, _ONWARD_STAGES[0][1])
    return some_pictures(data, min(len(data), 4 * _BATCH))


def _run(
    trainer: Trainer[Batch], stages: Stages, paths: Sequence[Path], held_back: Sequence[Path], until: float
) -> None:
    """Train through the stages until a share (0..1) of the time is spent."""
    for share, size, zoom in stages:
        end = min(share, until)
        if trainer.spent < end * trainer.budget:
            batches = _batches(paths, size, zoom, trainer.step + 1, trainer.place)
            trainer.run(batches, end, partial(_validate, paths=held_back, size=size), f"{size} px")
    trainer.save()


def _photos(trainer: Trainer[Batch], folder: Path) -> list[Path]:
    """Return the training photos with quads; where they are missing, the network as it is now gives them."""
    if photos_root() is None:
        return []
    trainer.place.after_leader(lambda: _label_photos(trainer, folder))
    return sorted(folder.glob("*.jpg"))


def _label_photos(trainer: Trainer[Batch], folder: Path) -> None:
    if not any(folder.glob("*.jpg")):
        weights = trainer.folder / "labelling.onnx"
        net = trainer.average.net
        assert isinstance(net, OutlineNet)
        export(net, weights)
        # Elsewhere first: what an interruption leaves half done must not pass for all of it.
        part = folder.with_name(f"{folder.name}.part")
        shutil.rmtree(part, ignore_errors=True)
        label_sets(OutlineFinder(weights, least=LEAST_SURE, refine=False, closer_look=False), part)
        shutil.rmtree(folder, ignore_errors=True)
        part.rename(folder)


def main(argv: Sequence[str] | None = None) -> None:
    """Render, train on scenes, label the photos, train on both, export."""
    parser = argparse.ArgumentParser(description=__doc__)
    cache = Path(user_cache_dir("shithead")) / "outlines"
    parser.add_argument("--minutes", type=float, default=85.0, help="of training")
    parser.add_argument("--scenes", type=int, default=10000, help="how many to render")
    parser.add_argument("--folder", type=Path, default=cache, help="for scenes, labelled photos, checkpoints")
    parser.add_argument("--out", type=Path, default=Path(__file__).with_name("outlines.onnx"))
    parser.add_argument("--onward", type=Path, metavar="ONNX", help="weights to go on from")
    parser.add_argument("--threads", type=int, default=2)
    add_device(parser)
    args = parser.parse_args(argv)
    devices(args.device)  # what is wrong with it is said before the scenes are rendered
    args.out.parent.mkdir(parents=True, exist_ok=True)
    scenes = render_scenes(args.folder / "scenes", args.scenes, args.threads)
    on_devices(partial(_train, args, scenes[_HELD_BACK:], scenes[:_HELD_BACK]), args.device)


def _train(args: argparse.Namespace, scenes: Sequence[Path], held_back: Sequence[Path], place: Place) -> None:
    set_threads(args.threads)
    trainer = _new_trainer(args.folder, args.minutes, place, args.onward, held_back)
    trainer.resume()
    stages = _STAGES
    if args.onward is None:
        _run(trainer, stages, scenes, held_back, _PHOTOS_FROM)
    else:
        stages = _ONWARD_STAGES  # and it can outline the photos as it is
    photos = _photos(trainer, args.folder / "photos")
    _run(trainer, stages, [*scenes, *photos * _PHOTO_REPEATS], held_back, 1.0)
    if not place.leads:
        return
    net = trainer.average.net
    assert isinstance(net, OutlineNet)
    export(net, args.out, confidence=calibrate(net, held_back))
    draw_curve(trainer.log, args.out.with_name("curve.png"))


if __name__ == "__main__":
    run_command(main)
