"""The devices for training: the processor, one GPU, or several devices with a process for each.

With several devices each process learns from its share of every batch, and the processes average their
gradients (DistributedDataParallel). So the steps are those of one process. Process 0 leads: only this one
writes checkpoints, logs and results, and its clock counts.
"""

from __future__ import annotations

import argparse
import re
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields, is_dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import torch
from torch import distributed, nn
from torch.utils.data import DataLoader, Dataset, DistributedSampler

from engine.errors import BadInputError
from models.shared.commands import run_command

Batch = TypeVar("Batch")

_PATIENCE = timedelta(hours=12)
"""How long the others wait for the leader, which may measure or outline photos."""


@dataclass(frozen=True, slots=True)
class Worker:
    """One process of a training: its device, its rank, and the number of processes."""

    device: torch.device = field(default_factory=lambda: torch.device("cpu"))
    rank: int = 0
    world: int = 1

    @property
    def leads(self) -> bool:
        """Whether this process writes the results."""
        return self.rank == 0

    def from_leader(self, value: float) -> float:
        """Return the `value` of the leader; all processes must call this."""
        if self.world == 1:
            return value
        number = torch.tensor([value], dtype=torch.float64, device=self.device)
        distributed.broadcast(number, 0)
        return float(number)

    def after_leader(self, work: Callable[[], None]) -> None:
        """Let the leader do the work while the others wait."""
        if self.leads:
            work()
        if self.world > 1:
            distributed.barrier()

    def data_parallel(self, net: nn.Module) -> nn.Module:
        """Return the network wrapped so that all processes learn together, from the weights of the leader."""
        if self.world == 1:
            return net
        return nn.parallel.DistributedDataParallel(net, [self.device] if self.device.type == "cuda" else None)


def to_device(batch: Any, device: torch.device) -> Any:
    """Return a batch (tensors, in tuples, lists and data classes) on a device."""
    if isinstance(batch, torch.Tensor):
        return batch.to(device, non_blocking=True)
    if isinstance(batch, tuple | list):
        return type(batch)(to_device(part, device) for part in batch)
    if is_dataclass(batch) and not isinstance(batch, type):
        parts = {part.name: to_device(getattr(batch, part.name), device) for part in fields(batch)}
        return type(batch)(**parts)
    return batch


def device_of(net: nn.Module) -> torch.device:
    """Return the device of the weights of a network."""
    return next(net.parameters()).device


def endless_batches(
    data_of: Callable[[int], Dataset[Any]],
    size: int,
    seed: int,
    worker: Worker,
    collate: Callable[[list[Any]], Batch] | None = None,
) -> Iterator[Batch]:
    """Yield an endless series of batches, in another order in each pass.

    Args:
        data_of: Returns the data of a pass by its number; the same in all processes.
        size: Size of a batch over all processes.
        seed: Decides the numbers of the passes.
        worker: Gets its share of each batch.
        collate: Makes a batch of samples, if not as torch does.
    """
    for number in range(seed * 1000, seed * 1000 + 1_000_000):
        data = data_of(number)
        order = DistributedSampler(data, worker.world, worker.rank, seed=number, drop_last=True)
        yield from DataLoader(
            data,
            size // worker.world,
            sampler=order,
            num_workers=1,
            collate_fn=collate,
            drop_last=True,
            prefetch_factor=3,
        )


def add_device(parser: argparse.ArgumentParser, several: bool = True) -> None:
    """Add `--device` to a command's arguments."""
    text = "cpu, or a GPU's number" + (", or several as 0,1" if several else "")
    parser.add_argument("--device", default="cpu", metavar="D", help=f"{text} (default: cpu)")


def devices(text: str) -> list[torch.device]:
    """Return the devices that `--device` names, such as `cpu`, `0` and `0,1`.

    `cpu,cpu` means two processes on the processor: slower than one, but a way to try this without a GPU.

    Raises:
        BadInputError: it names no devices, or devices that this machine does not have.
    """
    names = text.split(",")
    if set(names) == {"cpu"}:
        return [torch.device("cpu")] * len(names)
    if not all(re.fullmatch(r"\d{1,3}", name) for name in names) or len({*map(int, names)}) != len(names):
        raise BadInputError("--device {text}: neither cpu nor numbers of GPUs such as 0 or 0,1", text=text)
    there = torch.cuda.device_count()
    for number in map(int, names):
        if number >= there:
            raise BadInputError(
                "--device {text}: there is no GPU {number} here, of {there}",
                text=text,
                number=number,
                there=there,
            )
    return [torch.device("cuda", int(name)) for name in names]


def one_device(text: str) -> torch.device:
    """Return the device that `--device` names. Raises BadInputError for several, and as `devices` does."""
    named = devices(text)
    if len(named) > 1:
        raise BadInputError("--device {text}: this training takes one device", text=text)
    return named[0]


def on_devices(work: Callable[[Worker], None], text: str) -> None:
    """Do `work` on the devices that `--device` names: one in this process, several in a process for each.

    `work` must be a function of a module, or a `partial` of one, because it is pickled by name. If it fails
    in a process, that process prints why, and this one ends with the same status.

    Raises:
        BadInputError: as `devices` does.
    """
    named = devices(text)
    if len(named) == 1:
        work(Worker(named[0]))
        return
    from torch import multiprocessing

    with tempfile.TemporaryDirectory() as folder:
        meeting = (Path(folder) / "meeting").as_uri()
        try:
            multiprocessing.spawn(_one_of_several, (work, named, meeting), len(named))
        except multiprocessing.ProcessExitedException as error:
            raise SystemExit(error.exit_code) from None
        except KeyboardInterrupt:
            raise SystemExit(130) from None


def _one_of_several(
    rank: int, work: Callable[[Worker], None], named: list[torch.device], meeting: str
) -> None:
    device = named[rank]
    if device.type == "cuda":
        torch.cuda.set_device(device)
    distributed.init_process_group(
        "nccl" if device.type == "cuda" else "gloo",
        init_method=meeting,
        rank=rank,
        world_size=len(named),
        timeout=_PATIENCE,
    )
    run_command(partial(_and_leave, work, Worker(device, rank, len(named))))


def _and_leave(work: Callable[[Worker], None], worker: Worker) -> None:
    work(worker)
    distributed.destroy_process_group()
