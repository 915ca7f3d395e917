"""Training for a fixed time: averaged weights, checkpoints, a falling learning rate, a log.

The schedule follows the time spent, not the number of steps. So on a busy machine training does fewer steps,
and still ends with a small learning rate. On several devices (`models.shared.devices`) each process has its
own `Trainer`.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterable
from copy import deepcopy
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np
import torch
from torch import Tensor, nn

from models.shared.devices import Worker, device_of, to_device
from models.shared.state_files import load_state

Batch = TypeVar("Batch")
Parts = dict[str, float]
"""The parts of a loss, by name, for the log."""

_LOG_EVERY = 20
_SAVE_SECONDS = 240


class Average:
    """An exponential moving average of the weights, which is shipped."""

    def __init__(self, net: nn.Module, decay: float = 0.998) -> None:
        self.net, self.decay, self.steps = deepcopy(net).eval(), decay, 0

    @torch.no_grad()
    def update(self, net: nn.Module) -> None:
        """Add the weights after a step."""
        self.steps += 1
        decay = self.decay * (1 - math.exp(-self.steps / 400))
        for mine, theirs in zip(self.net.state_dict().values(), net.state_dict().values(), strict=True):
            if mine.is_floating_point():
                mine.lerp_(theirs, 1 - decay)
            else:
                mine.copy_(theirs)


def cosine_rate(top: float, share: float, step: int, warm_up: int) -> float:
    """Return the learning rate after a share (0..1) of the time: a warm-up, then a cosine down to 2 %."""
    warm = min(1.0, (step + 1) / warm_up)
    return top * warm * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * min(share, 1.0))))


def predict(net: nn.Module, images: Tensor) -> Tensor:
    """Return the output for pictures B x 3 x H x W (RGB, 0..255), in bfloat16 on their device."""
    inputs = (images.float() / 255).to(memory_format=torch.channels_last)
    with torch.autocast(images.device.type, dtype=torch.bfloat16):
        output: Tensor = net(inputs)
    return output


class Trainer(Generic[Batch]):
    """The state of a training: network, average, optimiser, time spent."""

    def __init__(
        self,
        net: nn.Module,
        loss: Callable[[nn.Module, Batch], tuple[Tensor, Parts]],
        folder: Path,
        *,
        minutes: float,
        rate: float,
        warm_up: int = 150,
        weight_decay: float = 0.02,
        worker: Worker = Worker(),  # noqa: B008 - it is immutable
    ) -> None:
        """Prepare to train.

        Args:
            net: The network; it is moved to the device. Parameters without a gradient do not change.
            loss: Returns the loss of a batch on that device, and its parts.
            folder: For the checkpoint and the learning curve (`curve.jsonl`).
            minutes: Length of the whole training.
            rate: The largest learning rate.
            warm_up: Number of steps in which it is reached.
            weight_decay: For weights; biases and norms do not decay.
            worker: The process; with several, each gets its share of the batches.
        """
        self.net, self.loss, self.folder, self.worker = net.to(worker.device), loss, folder, worker
        self._parallel = worker.data_parallel(self.net)
        self.budget, self.rate, self.warm_up = minutes * 60, rate, warm_up
        self.average = Average(net)
        trained = [p for p in net.parameters() if p.requires_grad]
        decayed = [p for p in trained if p.ndim > 1]
        rest = [p for p in trained if p.ndim <= 1]
        self.optimiser = torch.optim.AdamW(
            [{"params": decayed, "weight_decay": weight_decay}, {"params": rest, "weight_decay": 0.0}],
            lr=rate,
        )
        self.spent, self.step = 0.0, 0
        folder.mkdir(parents=True, exist_ok=True)

    @property
    def checkpoint(self) -> Path:
        """The file of the last state."""
        return self.folder / "last.pt"

    @property
    def log(self) -> Path:
        """The file of the learning curve, with a line every few steps."""
        return self.folder / "curve.jsonl"

    def save(self) -> None:
        """Write the checkpoint, if this process leads. A crash meanwhile leaves the old one whole."""
        if not self.worker.leads:
            return
        state = {
            "net": self.net.state_dict(),
            "average": self.average.net.state_dict(),
            "average_steps": self.average.steps,
            "optimiser": self.optimiser.state_dict(),
            "spent": self.spent,
            "step": self.step,
        }
        fresh = self.checkpoint.with_suffix(".new")
        torch.save(state, fresh)
        fresh.replace(self.checkpoint)

    def resume(self) -> None:
        """Continue from the checkpoint, if there is one.

        Raises:
            BadInputError: the checkpoint is damaged.
        """
        if not self.checkpoint.exists():
            return
        state = load_state(self.checkpoint)
        self.net.load_state_dict(state["net"])
        self.average.net.load_state_dict(state["average"])
        self.average.steps = state["average_steps"]
        self.optimiser.load_state_dict(state["optimiser"])
        self.spent, self.step = state["spent"], state["step"]
        if self.worker.leads:
            print(f"resumed at step {self.step}, {self.spent / 60:.1f} min", flush=True)

    def run(
        self, batches: Iterable[Batch], until: float, validate: Callable[[nn.Module], Parts], note: str = ""
    ) -> None:
        """Train on the endless `batches` until a share (0..1) of the time is spent.

        Every few minutes it writes the checkpoint, and logs what `validate` returns for the averaged network.
        That network is on the device: `mean_over` moves batches there.
        """
        end = until * self.budget
        if self.spent >= end:
            return
        self.net.train()
        last, saved = time.monotonic(), self.spent
        recent: list[Parts] = []
        for batch in batches:
            recent.append(self._one_step(batch))
            now = time.monotonic()
            self.spent, last = self.worker.from_leader(self.spent + now - last), now
            if self.step % _LOG_EVERY == 0:
                self._log({"note": note} | means(recent))
                recent.clear()
            if self.spent - saved > _SAVE_SECONDS or self.spent >= end:
                saved = self.spent
                self.save()
                self.worker.after_leader(lambda: self._log({"held out": validate(self.average.net)}))
                last = time.monotonic()
            if self.spent >= end:
                return

    def _one_step(self, batch: Batch) -> Parts:
        for group in self.optimiser.param_groups:
            group["lr"] = cosine_rate(self.rate, self.spent / self.budget, self.step, self.warm_up)
        loss, parts = self.loss(self._parallel, to_device(batch, self.worker.device))
        self.optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self.net.parameters(), 10.0)
        self.optimiser.step()
        self.average.update(self.net)
        self.step += 1
        return parts

    def _log(self, entry: dict[str, Any]) -> None:
        if not self.worker.leads:
            return
        line = json.dumps({"step": self.step, "minutes": round(self.spent / 60, 2)} | entry)
        print(line, flush=True)
        with self.log.open("a") as file:
            file.write(line + "\n")


def means(parts: list[Parts]) -> Parts:
    """Return the mean of each part, for the log."""
    return {key: round(float(np.mean([p[key] for p in parts])), 4) for key in parts[0]}


def mean_over(net: nn.Module, batches: Iterable[Batch], loss: Callable[[nn.Module, Batch], Parts]) -> Parts:
    """Return the means of the loss parts over batches, each moved to the device of the network."""
    device = device_of(net)
    return means([loss(net, to_device(batch, device)) for batch in batches])
