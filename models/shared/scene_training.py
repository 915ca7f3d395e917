"""The command that renders scenes and trains a network on them."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from platformdirs import user_cache_dir

from models.shared.devices import Worker, add_device, devices, on_devices
from models.shared.training_scenes import Kind, render_scenes


@dataclass(frozen=True, slots=True)
class SceneTraining:
    """The defaults of such a command."""

    name: str
    """Name of the network, and of its folder in the cache."""
    weights: Path
    """The file that training writes."""
    minutes: float
    scenes: int
    held_out: int
    """Number of scenes that are never trained on. They watch the training and calibrate the result."""
    kind: Kind = "tables"


Train = Callable[[argparse.Namespace, Sequence[Path], Sequence[Path], Worker], None]
"""Trains on scenes; further arguments are the held-out scenes, and the place in which to compute."""


def run_scene_training(
    training: SceneTraining, train: Train, description: str | None, argv: Sequence[str] | None
) -> None:
    """Read the arguments, render the scenes that are missing, and run `train` on each device.

    Raises:
        BadInputError: there is no such device.
    """
    parser = argparse.ArgumentParser(description=description)
    folder = Path(user_cache_dir("shithead")) / training.name
    parser.add_argument("--minutes", type=float, default=training.minutes, help="of training")
    parser.add_argument("--scenes", type=int, default=training.scenes, help="how many to render")
    parser.add_argument("--folder", type=Path, default=folder, help="for scenes, photos and checkpoints")
    parser.add_argument("--out", type=Path, default=training.weights, help="the weights")
    parser.add_argument("--fine-tune", type=Path, metavar="ONNX", help="weights to start from")
    parser.add_argument("--threads", type=int, default=2)
    add_device(parser)
    args = parser.parse_args(argv)
    devices(args.device)  # a wrong device is reported before the scenes are rendered
    args.out.parent.mkdir(parents=True, exist_ok=True)
    scenes = render_scenes(args.folder / "scenes", args.scenes, args.threads, training.kind)
    held_out, trained_on = scenes[: training.held_out], scenes[training.held_out :]
    on_devices(partial(train, args, trained_on, held_out), args.device)
