"""Train the strip network: `python -m models.faces.strip.train`.

Some processes make samples, and another learns from each sample once. It learns for a fixed time, and
continues from its last checkpoint if there is one. At the end it writes `strip.onnx` and `strip_curve.png` to
the folder of the weights. `models.indices.calibrate` fits the weight of this network beside the others.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

import cv2
import numpy as np
import torch
from platformdirs import user_cache_dir
from torch import Tensor, nn
from torch.utils.data import DataLoader, IterableDataset

from models.faces.export import export
from models.faces.labels import IGNORE
from models.faces.loss import face_losses
from models.faces.network import build
from models.faces.photos import real_cards
from models.faces.strip.data import MirroredCourts, StripMaker, StripSample
from models.faces.styles import ArtFaces
from models.faces.train import brightened
from models.shared.commands import run_command
from models.shared.curves import draw_curve
from models.shared.devices import Worker, add_device, one_device
from models.shared.trainer import Parts, Trainer, mean_over
from vision.decks.card_classes import OUTPUTS, RANK_OUTPUTS
from vision.recognition.classifier import WEIGHTS
from vision.recognition.crops import network_input

BATCH = 128
RATE = 2e-3
HELD_OUT = 2048
"""Samples of decks that are never trained on. They watch the training."""
_HELD_OUT_SEED = 777
Batch = tuple[Tensor, Tensor, Tensor]
"""Network inputs, with their ranks and suits."""


class Strips(IterableDataset[Batch]):
    """An endless series of batches of new samples; each process has its own seed."""

    def __iter__(self) -> Iterator[Batch]:
        cv2.setNumThreads(1)
        maker = StripMaker(MirroredCourts("train"), torch.initial_seed() % 2**31, real=real_cards())
        while True:
            pieces, rank, suit = batch_of([maker.strip() for _ in range(BATCH)])
            yield brightened(pieces, maker.rng), rank, suit


def batch_of(samples: Sequence[StripSample]) -> Batch:
    """Return samples as network inputs and labels."""
    pieces = torch.from_numpy(network_input(np.stack([sample.strip for sample in samples])))
    rank, suit = (torch.tensor([getattr(sample, part) for sample in samples]) for part in ("rank", "suit"))
    return pieces, rank, suit


def strip_loss(net: nn.Module, batch: Batch) -> tuple[Tensor, Parts]:
    """Return the loss of a batch and its parts: of the rank, and of the suit."""
    pieces, rank, suit = batch
    of_rank, of_suit = face_losses(net(pieces.to(memory_format=torch.channels_last)), rank, suit)
    return of_rank + of_suit, {"rank": float(of_rank.detach()), "suit": float(of_suit.detach())}


@torch.no_grad()
def mistakes(net: nn.Module, batch: Batch) -> Parts:
    """Return the shares of labelled pieces with a wrong rank, and with a wrong suit."""
    pieces, rank, suit = batch
    logits = net(pieces)
    told = logits[:, :RANK_OUTPUTS].argmax(1), logits[:, RANK_OUTPUTS:OUTPUTS].argmax(1)
    parts = {}
    for name, mine, true in zip(("wrong rank", "wrong suit"), told, (rank, suit), strict=True):
        known = true != IGNORE
        parts[name] = float((mine[known] != true[known]).float().mean())
    return parts


def main(argv: Sequence[str] | None = None) -> None:
    """Train and export."""
    parser = argparse.ArgumentParser(description=__doc__)
    cache = Path(user_cache_dir("shithead")) / "training" / "strips"
    parser.add_argument("--minutes", type=float, default=60.0, help="of training (default: %(default)s)")
    parser.add_argument("--folder", type=Path, default=cache, help="checkpoint (default: %(default)s)")
    parser.add_argument("--out", type=Path, default=WEIGHTS, help="folder of the weights")
    parser.add_argument("--makers", type=int, default=2, help="processes (default: %(default)s)")
    parser.add_argument("--threads", type=int, default=1)
    # Making samples takes as long as learning from them, so a second GPU would wait.
    add_device(parser, several=False)
    args = parser.parse_args(argv)
    worker = Worker(one_device(args.device))
    torch.set_num_threads(args.threads)
    cv2.setNumThreads(1)
    args.out.mkdir(parents=True, exist_ok=True)
    net = build("strip").to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    trainer = Trainer[Batch](net, strip_loss, args.folder, minutes=args.minutes, rate=RATE, worker=worker)
    trainer.resume()
    maker = StripMaker(ArtFaces("valid"), _HELD_OUT_SEED, invented=0.0)
    held_out = [batch_of([maker.strip() for _ in range(BATCH)]) for _ in range(HELD_OUT // BATCH)]
    # "spawn": a forked child would inherit torch's threads.
    torch.manual_seed(trainer.step + 1)
    batches = DataLoader(Strips(), batch_size=None, num_workers=args.makers, multiprocessing_context="spawn")
    trainer.run(batches, 1.0, lambda average: mean_over(average, held_out, mistakes))
    print(export(trainer.average.net.cpu(), "strip", args.out))
    draw_curve(trainer.log, args.out / "strip_curve.png")


if __name__ == "__main__":
    run_command(main)
