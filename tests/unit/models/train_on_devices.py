"""Run as a program: trains a small network for a few steps on the devices that `--device` names.

Usage: train_on_devices.py DEVICE FOLDER. The folder then holds what any training leaves there.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import partial
from itertools import islice
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.utils.data import Dataset

from models.shared.devices import Worker, endless_batches, on_devices
from models.shared.trainer import Parts, Trainer

STEPS = 40
BATCH = 8


class Points(Dataset[tuple[Tensor, Tensor]]):
    """Points of the plane with their labels."""

    def __len__(self) -> int:
        return 10 * BATCH

    def __getitem__(self, index: int) -> tuple[Tensor, Tensor]:
        point = torch.randn(2, generator=torch.Generator().manual_seed(index))
        return point, (point[0] * point[1]).sin()


def loss(net: nn.Module, batch: tuple[Tensor, Tensor]) -> tuple[Tensor, Parts]:
    points, wanted = batch
    error = (net(points)[:, 0] - wanted).square().mean()
    return error, {"error": float(error.detach())}


def train(folder: Path, worker: Worker) -> None:
    torch.set_num_threads(1)
    torch.manual_seed(worker.rank)  # each process begins with its own weights: only the leader's may count
    net = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 1))
    trainer = Trainer(net, loss, folder, minutes=1e6, rate=1e-2, warm_up=4, worker=worker)
    batches: Iterator[tuple[Tensor, Tensor]] = endless_batches(lambda _: Points(), BATCH, 1, worker)
    trainer.run(islice(batches, STEPS), 1.0, lambda _: {})
    trainer.save()


if __name__ == "__main__":
    on_devices(partial(train, Path(sys.argv[2])), sys.argv[1])
