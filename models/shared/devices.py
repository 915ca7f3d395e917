"""On what networks are trained: this machine's processor, one GPU, or several with a process for each.

With several, each process learns from its share of every batch and they agree on the gradients
(DistributedDataParallel), so the steps are those that one process would take. The first process leads: it
alone writes checkpoints, logs and results, and its clock counts.
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
"""The others wait for the leader while it measures, or outlines photos: longer than by default."""


@dataclass(frozen=True, slots=True)
class Place:
    """One process of a training: where it computes, and which of how many it is."""

    device: torch.device = field(default_factory=lambda: torch.device("cpu"))
    rank: int = 0
    world: int = 1

    @property
    def leads(self) -> bool:
        """Whether this is the process that writes."""
        return self.rank == 0

    def agreed(self, value: float) -> float:
        """Return the leader's `value`; all processes must ask."""
        if self.world == 1:
            return value
        number = torch.tensor([value], dtype=torch.float64, device=self.device)
        distributed.broadcast(number, 0)
        return float(number)

    def after_leader(self, work: Callable[[], None]) -> None:
        """Have the leader do something while the others wait for it."""
        if self.leads:
            work()
        if self.world > 1:
            distributed.barrier()

    def shared(self, net: nn.Module) -> nn.Module:
        """Return a network that learns with those of all processes, from the leader's weights."""
        if self.world == 1:
            return net
        return nn.parallel.DistributedDataParallel(net, [self.device] if self.device.type == "cuda" else None)


def moved(batch: Any, device: torch.device) -> Any:
    """Return a batch (tensors, in tuples, lists and data classes) on a device."""
    if isinstance(batch, torch.Tensor):
        return batch.to(device, non_blocking=True)
    if isinstance(batch, tuple | list):
        return type(batch)(moved(part, device) for part in batch)
    if is_dataclass(batch) and not isinstance(batch, type):
        parts = {part.name: moved(getattr(batch, part.name), device) for part in fields(batch)}
        return type(batch)(**parts)
    return batch


def device_of(net: nn.Module) -> torch.device:
    """Return where a network's weights are."""
    return next(net.parameters()).device


def endless(
    data_of: Callable[[int], Dataset[Any]],
    size: int,
    seed: int,
    place: Place,
    collate: Callable[[list[Any]], Batch] | None = None,
) -> Iterator[Batch]:
    """Yield batches for ever, in each pass in another order.

    Args:
        data_of: Returns what a pass goes over, by the pass's number; the same in all processes.
        size: Of a batch, all processes' shares together.
        seed: Other numbers, other passes.
        place: Gets its share of each batch.
        collate: Makes a batch of samples, if not as torch does.
    """
    for number in range(seed * 1000, seed * 1000 + 1_000_000):
        data = data_of(number)
        order = DistributedSampler(data, place.world, place.rank, seed=number, drop_last=True)
        yield from DataLoader(
            data,
            size // place.world,
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

    `cpu,cpu` stands for two processes on the processor: slower than one, but a way to try it without a GPU.

    Raises:
        BadInputError: it names no devices, or such that are not here.
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


def on_devices(work: Callable[[Place], None], text: str) -> None:
    """Do `work` on what `--device` names: in this process for one device, else in one for each.

    `work` is then sent to the processes by its name: a function of a module, or a `partial` of one. Where it
    ends badly in one of them, this process ends likewise; what was said was said there.

    Raises:
        BadInputError: as `devices` does.
    """
    named = devices(text)
    if len(named) == 1:
        work(Place(named[0]))
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
    rank: int, work: Callable[[Place], None], named: list[torch.device], meeting: str
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
    run_command(partial(_and_leave, work, Place(device, rank, len(named))))


def _and_leave(work: Callable[[Place], None], place: Place) -> None:
    work(place)
    distributed.destroy_process_group()
