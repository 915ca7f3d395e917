"""Write the outline network's 8-bit copy: `.venv/bin/python -m models.outlines.quantise`.

A copy that is merely rounded (as `models.faces.quantise` does it) misses cards. So a network that rounds
(`models.outlines.fake_quantisation`) is trained to answer like the one that does not. It learns from the
training scenes and photos, and does not need their labels. An interrupted training goes on.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx import numpy_helper
from onnxruntime.quantization import CalibrationDataReader
from platformdirs import user_cache_dir
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.data import DataLoader, Dataset

from datasets.photos import load_set, photos_root
from models.outlines.data import random_view, tinted
from models.outlines.fake_quantisation import (
    convolutions,
    is_rounded,
    kernels,
    load_network,
    ranges,
    rounded,
)
from models.outlines.network import OutlineNet
from models.outlines.photos import BOX_SETS
from models.shared.commands import run_command
from models.shared.curves import draw_curve
from models.shared.devices import Place, add_device, devices, endless, on_devices
from models.shared.eight_bit_copy import write_copy
from models.shared.trainer import Parts, Trainer, over
from models.shared.training_scenes import render_scenes
from models.shared.ultralytics_setup import set_threads
from vision.images import read_image
from vision.recognition.detector import WEIGHTS

_BATCH = 8
_SIZE = 416
_ZOOM = (0.75, 1.8)
_RATE = 4e-5
_WARM_UP = 20
_HELD_BACK = 64
_LONGEST = 640
"""Photos are made so small, in pixels: cards are then about as large as in scenes."""
_PHOTO_REPEATS = 3
_CODE_WEIGHT = 4.0


class Pictures(Dataset[Tensor]):
    """Pictures without labels as network inputs, 3 x _SIZE x _SIZE, RGB, 0..1: seen anew in each `epoch`."""

    def __init__(self, paths: Sequence[Path], epoch: int) -> None:
        self.paths, self.epoch = list(paths), epoch

    def __len__(self) -> int:
        return len(self.paths)

    def __getitem__(self, index: int) -> Tensor:
        rng = np.random.default_rng([self.epoch, index])
        image = read_image(self.paths[index])
        shrink = min(1.0, _LONGEST / max(image.shape[:2]))
        small = cv2.resize(image, None, fx=shrink, fy=shrink, interpolation=cv2.INTER_AREA)
        image = np.asarray(small, np.uint8)
        matrix = random_view(rng, image.shape, _SIZE, _ZOOM, 1.0)
        image = tinted(image, rng) if rng.random() < 0.5 else image
        seen = cv2.warpAffine(
            image, matrix[:2], (_SIZE, _SIZE), borderMode=cv2.BORDER_CONSTANT, borderValue=(114, 114, 114)
        )
        return torch.from_numpy(np.ascontiguousarray(seen[..., ::-1].transpose(2, 0, 1))).float() / 255


class Imitation:
    """How far a network's answers are from those of the one that it shall answer like."""

    def __init__(self, teacher: OutlineNet) -> None:
        self.teacher = teacher.eval().requires_grad_(False)

    def __call__(self, net: nn.Module, images: Tensor) -> tuple[Tensor, Parts]:
        """Return the loss and its parts for pictures B x 3 x H x W (RGB, 0..1).

        Scores: the divergence from the teacher's, summed up over cells, for each card that the teacher sees.
        Quads: the relative error of their codes, where the teacher sees a card.
        """
        with torch.no_grad():
            target = self.teacher(images)
            wanted = target[..., :2].sigmoid()
            best = wanted.amax(-1)
            size = (target[..., 4:6].norm(dim=-1) + target[..., 6:8].norm(dim=-1)).clamp(min=4.0)
            count = best.sum().clamp(min=1.0)
            unavoidable = functional.binary_cross_entropy(wanted, wanted, reduction="sum")
        output = net(images)
        scores = functional.binary_cross_entropy_with_logits(output[..., :2], wanted, reduction="sum")
        scores = (scores - unavoidable) / count
        error = (output[..., 2:] - target[..., 2:]).abs().mean(-1) / size
        quads = (error * best).sum() / count
        loss = scores + _CODE_WEIGHT * quads
        return loss, {"scores": float(scores.detach()), "quads": float(quads.detach())}


@torch.no_grad()
def _validate(loss: Imitation, net: nn.Module, paths: Sequence[Path]) -> Parts:
    """Return the mean loss parts over pictures held back from training."""
    return over(net, DataLoader(Pictures(paths, 0), _BATCH), lambda net, images: loss(net, images)[1])


def write_trained(path: Path, net: OutlineNet) -> Path:
    """Write the trained 8-bit copy of the network at `path` beside it, and return where."""

    def as_trained(network: onnx.ModelProto) -> dict[str, Any]:
        nodes = convolutions(network.graph)
        _write_weights(network.graph, {name: tensor.cpu().numpy() for name, tensor in kernels(net, nodes)})
        chosen = [node for node in nodes if is_rounded(node)]
        products = [node.activation[0] for node in chosen if node.activation is not None]
        known = {
            name: [{"rmin": np.float32(low), "rmax": np.float32(high)}]
            for name, (low, high) in ranges(net, nodes).items()
        }
        return {
            "nodes_to_quantize": [*(node.name for node in chosen), *products],
            "op_types_to_quantize": ["Conv", "Mul"],
            "extra_options": {"TensorQuantOverrides": known},
        }

    return write_copy(path, _Grey(), as_trained)


def _write_weights(graph: onnx.GraphProto, values: dict[str, NDArray[np.float32]]) -> None:
    for tensor in graph.initializer:
        if tensor.name in values:
            tensor.CopyFrom(numpy_helper.from_array(values[tensor.name], tensor.name))


class _Grey(CalibrationDataReader):  # type: ignore[misc]
    """One grey picture: the ranges are known, but the library must see the network run."""

    def __init__(self) -> None:
        self._left = [np.full((1, 3, 64, 64), 0.5, np.float32)]

    def get_next(self) -> dict[str, Any] | None:
        """Return the picture by the input's name, None at the end."""
        return {"images": self._left.pop()} if self._left else None


def _photos() -> list[Path]:
    if photos_root() is None:
        return []
    return [photo.path for name in BOX_SETS for photo in load_set(name)]


def main(argv: Sequence[str] | None = None) -> None:
    """Train, and write the copy."""
    parser = argparse.ArgumentParser(description=__doc__)
    cache = Path(user_cache_dir("shithead")) / "outlines"
    parser.add_argument("--minutes", type=float, default=60.0, help="of training")
    parser.add_argument("--scenes", type=int, default=4000, help="whole tables to render")
    parser.add_argument("--crowds", type=int, default=2000, help="close views of fans and piles to render")
    parser.add_argument("--folder", type=Path, default=cache, help="for scenes and checkpoints")
    parser.add_argument("--weights", type=Path, default=WEIGHTS, help="the network")
    parser.add_argument("--threads", type=int, default=2)
    add_device(parser)
    args = parser.parse_args(argv)
    devices(args.device)  # what is wrong with it is said before the scenes are rendered
    cv2.setNumThreads(1)
    scenes = render_scenes(args.folder / "scenes", args.scenes, args.threads)
    crowds = render_scenes(args.folder / "crowds", args.crowds, args.threads, "crowds")
    held_back = scenes[:_HELD_BACK]
    pictures = [*scenes[_HELD_BACK:], *crowds, *_photos() * _PHOTO_REPEATS]
    on_devices(partial(_train, args, pictures, held_back), args.device)


def _train(
    args: argparse.Namespace, pictures: Sequence[Path], held_back: Sequence[Path], place: Place
) -> None:
    set_threads(args.threads)
    cv2.setNumThreads(1)
    teacher, nodes = load_network(args.weights)
    student, _ = load_network(args.weights)
    rounded(student, nodes)
    work = args.folder / "eight_bits"
    work.mkdir(parents=True, exist_ok=True)
    loss = Imitation(teacher.to(place.device))
    trainer = Trainer(
        student, loss, work, minutes=args.minutes, rate=_RATE, warm_up=_WARM_UP, weight_decay=0.0, place=place
    )
    trainer.resume()
    batches: Iterator[Tensor] = endless(
        lambda number: Pictures(pictures, number), _BATCH, trainer.step + 1, place
    )
    trainer.run(batches, 1.0, lambda net: _validate(loss, net, held_back))
    if not place.leads:
        return
    net = trainer.average.net
    assert isinstance(net, OutlineNet)
    print(write_trained(args.weights, net))
    draw_curve(trainer.log, args.weights.with_name("curve_eight_bits.png"))


if __name__ == "__main__":
    run_command(main)
