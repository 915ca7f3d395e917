"""Write the outline network's 8-bit copy: `.venv/bin/python -m models.outlines.quantise`.

A copy that is merely rounded (as `models.faces.quantise` does it) misses cards. So a network that rounds
(`models.outlines.fake_quantisation`) is trained to answer like the one that does not. It learns from the
training scenes and photos, and needs no labels. An interrupted training continues where it stopped.
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
from torch.utils.data import DataLoader

from datasets.photos import load_set, photos_root
from models.outlines.data import UnlabelledPictures
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
from models.shared.devices import Worker, add_device, devices, endless_batches, on_devices
from models.shared.eight_bit_copy import write_copy
from models.shared.trainer import Parts, Trainer, mean_over
from models.shared.training_scenes import render_scenes
from vision.recognition.detector import WEIGHTS

_BATCH = 8
_RATE = 4e-5
_WARM_UP = 20
_HELD_OUT = 64
_PHOTO_REPEATS = 3
_CODE_WEIGHT = 4.0


class Imitation:
    """The distillation loss: how far the answers of a network are from those of its teacher."""

    def __init__(self, teacher: OutlineNet) -> None:
        self.teacher = teacher.eval().requires_grad_(False)

    def __call__(self, net: nn.Module, images: Tensor) -> tuple[Tensor, Parts]:
        """Return the loss and its parts for pictures B x 3 x H x W (RGB, 0..1).

        The part `scores` is the divergence from the scores of the teacher, divided by the number of cards
        that the teacher sees. The part `quads` is the relative error of the codes where the teacher sees a
        card.
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
    """Return the mean loss parts over held-out pictures."""
    return mean_over(
        net, DataLoader(UnlabelledPictures(paths, 0), _BATCH), lambda net, images: loss(net, images)[1]
    )


def write_trained(path: Path, net: OutlineNet) -> Path:
    """Write the trained 8-bit copy of the network at `path` beside it, and return its path."""

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
    """One grey picture. The ranges are known, but the library must see the network run."""

    def __init__(self) -> None:
        self._left = [np.full((1, 3, 64, 64), 0.5, np.float32)]

    def get_next(self) -> dict[str, Any] | None:
        """Return the picture under the name of the input, or None at the end."""
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
    devices(args.device)  # a wrong device is reported before the scenes are rendered
    cv2.setNumThreads(1)
    scenes = render_scenes(args.folder / "scenes", args.scenes, args.threads)
    crowds = render_scenes(args.folder / "crowds", args.crowds, args.threads, "crowds")
    held_out = scenes[:_HELD_OUT]
    pictures = [*scenes[_HELD_OUT:], *crowds, *_photos() * _PHOTO_REPEATS]
    on_devices(partial(_train, args, pictures, held_out), args.device)


def _train(
    args: argparse.Namespace, pictures: Sequence[Path], held_out: Sequence[Path], worker: Worker
) -> None:
    torch.set_num_threads(args.threads)
    cv2.setNumThreads(1)
    teacher, nodes = load_network(args.weights)
    student, _ = load_network(args.weights)
    rounded(student, nodes)
    work = args.folder / "eight_bits"
    work.mkdir(parents=True, exist_ok=True)
    loss = Imitation(teacher.to(worker.device))
    trainer = Trainer(
        student,
        loss,
        work,
        minutes=args.minutes,
        rate=_RATE,
        warm_up=_WARM_UP,
        weight_decay=0.0,
        worker=worker,
    )
    trainer.resume()
    batches: Iterator[Tensor] = endless_batches(
        lambda number: UnlabelledPictures(pictures, number), _BATCH, trainer.step + 1, worker
    )
    trainer.run(batches, 1.0, lambda net: _validate(loss, net, held_out))
    if not worker.leads:
        return
    net = trainer.average.net
    assert isinstance(net, OutlineNet)
    print(write_trained(args.weights, net))
    draw_curve(trainer.log, args.weights.with_name("curve_eight_bits.png"))


if __name__ == "__main__":
    run_command(main)
