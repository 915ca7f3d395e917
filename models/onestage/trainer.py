"""Ultralytics' trainer with three things added: our start, short rounds, and a clock that goes on.

It is a class of a module, and takes nothing but settings: with several GPUs ultralytics starts a process for
each, which finds it here.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils.data import Sampler

from datasets.photos import photos_root
from models.onestage.curve import spent_seconds
from models.shared.state_files import START, load_start
from models.shared.ultralytics_setup import prepare_ultralytics

prepare_ultralytics()
from ultralytics.data.build import InfiniteDataLoader  # noqa: E402 - once it can be imported
from ultralytics.models.yolo.detect import DetectionTrainer  # noqa: E402

_ROUND = 1600
"""Pictures after which there is a checkpoint: a pass over all scenes would take too long between two."""


class Round(Sampler[int]):
    """The numbers of a round's pictures: drawn anew for each, and dealt out to the processes."""

    def __init__(self, pictures: int, seed: int, rank: int = 0, world: int = 1) -> None:
        self._pictures, self._rank, self._world = pictures, rank, world
        self._generator = torch.Generator().manual_seed(seed)  # the same in all processes

    def __len__(self) -> int:
        return min(_ROUND, self._pictures) // self._world

    def __iter__(self) -> Iterator[int]:
        drawn = torch.randperm(self._pictures, generator=self._generator).tolist()
        yield from drawn[self._rank :: self._world][: len(self)]

    def set_epoch(self, epoch: int) -> None:
        """Do nothing: with several processes ultralytics asks, but each round is drawn anew as it is."""


class OneStageTrainer(DetectionTrainer):
    """Trains the one-stage detector, or goes on training it."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.spent = spent_seconds(self.csv) if self.args.resume else 0.0

    def get_model(self, cfg: Any = None, weights: Any = None, verbose: bool = True) -> Any:
        """Return the network, with our start if there is one and nothing is gone on from."""
        model = super().get_model(cfg, weights, verbose)
        root = photos_root()
        if weights is None and root is not None and (root / START).exists():
            print(f"start: {_load_start(model, root / START)} tensors", flush=True)
        return model

    def get_dataloader(self, path: Any, batch_size: int = 16, rank: int = 0, mode: str = "train") -> Any:
        """Return what yields the batches; in training, a round's."""
        if mode != "train":
            return super().get_dataloader(path, batch_size, rank, mode)
        dataset = self.build_dataset(path, mode, batch_size)
        # Seeded by the time spent: a training that goes on draws other scenes than it began with.
        order = Round(len(dataset), round(self.spent), max(rank, 0), max(self.world_size, 1))
        return InfiniteDataLoader(dataset, batch_size, sampler=order, collate_fn=dataset.collate_fn)


def one_stage_trainer(settings: dict[str, Any]) -> OneStageTrainer:
    """Return the trainer for ultralytics' settings; with several GPUs it hands on what is added here."""
    if settings["device"] == "cpu":
        _in_bfloat16()
    trainer = OneStageTrainer(overrides=settings)
    trainer.add_callback("on_train_start", _go_on_counting)
    trainer.add_callback("on_train_epoch_start", _count_all_rounds)
    return trainer


def _go_on_counting(trainer: Any) -> None:
    trainer.train_time_start -= trainer.spent
    trainer.model.to(memory_format=torch.channels_last)


def _count_all_rounds(trainer: Any) -> None:
    # Ultralytics divides the time spent by the rounds since then, to know how many there will be.
    trainer.start_epoch = 0


def _in_bfloat16() -> None:
    """Have ultralytics' trainer compute in bfloat16 on the CPU, as the other networks here do."""
    from ultralytics.engine import trainer

    trainer.autocast = lambda enabled, device="cpu": torch.autocast("cpu", dtype=torch.bfloat16)


def _load_start(model: nn.Module, path: Path) -> int:
    """Load a detector's state dict where names and shapes fit. Returns how many tensors were loaded.

    Raises:
        BadInputError: `path` cannot be read.
    """
    state = load_start(path)
    own = model.state_dict()
    loaded = {name: value.float() for name, value in state.items() if _fits(own.get(name), value)}
    model.load_state_dict(loaded, strict=False)
    return len(loaded)


def _fits(mine: Tensor | None, value: Tensor) -> bool:
    return mine is not None and mine.shape == value.shape
