"""The trainer of ultralytics with three additions: pretrained weights, short rounds, a clock that continues.

With several GPUs ultralytics starts a process for each. The process finds the class in this module and gives
it only settings.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch.utils.data import Sampler

from datasets.photos import photos_root
from models.onestage.curve import spent_seconds
from models.shared.state_files import START, load_start
from models.shared.ultralytics_setup import prepare_ultralytics

prepare_ultralytics()
from ultralytics.data.build import InfiniteDataLoader  # noqa: E402 - once it can be imported
from ultralytics.models.yolo.detect import DetectionTrainer  # noqa: E402

_ROUND = 1600
"""Pictures in a round, after which there is a checkpoint. A pass over all scenes would take too long."""


class Round(Sampler[int]):
    """The numbers of the pictures in a round, random for each round and divided among the processes."""

    def __init__(self, pictures: int, seed: int, rank: int = 0, world: int = 1) -> None:
        self._pictures, self._rank, self._world = pictures, rank, world
        self._generator = torch.Generator().manual_seed(seed)  # the same in all processes

    def __len__(self) -> int:
        return min(_ROUND, self._pictures) // self._world

    def __iter__(self) -> Iterator[int]:
        drawn = torch.randperm(self._pictures, generator=self._generator).tolist()
        yield from drawn[self._rank :: self._world][: len(self)]

    def set_epoch(self, epoch: int) -> None:
        """Do nothing. With several processes ultralytics calls this, but each round is random anyway."""


class OneStageTrainer(DetectionTrainer):
    """Trains the one-stage detector, or continues its training."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.spent = spent_seconds(self.csv) if self.args.resume else 0.0

    def get_model(self, cfg: Any = None, weights: Any = None, verbose: bool = True) -> Any:
        """Return the network, with pretrained weights if they exist and no training is continued."""
        model = super().get_model(cfg, weights, verbose)
        root = photos_root()
        if weights is None and root is not None and (root / START).exists():
            print(f"start: {load_start(model, root / START)} tensors", flush=True)
        return model

    def get_dataloader(self, path: Any, batch_size: int = 16, rank: int = 0, mode: str = "train") -> Any:
        """Return the loader of the batches; in training, those of a round."""
        if mode != "train":
            return super().get_dataloader(path, batch_size, rank, mode)
        dataset = self.build_dataset(path, mode, batch_size)
        # The time spent is the seed, so a continued training sees other scenes than at its start.
        order = Round(len(dataset), round(self.spent), max(rank, 0), max(self.world_size, 1))
        return InfiniteDataLoader(dataset, batch_size, sampler=order, collate_fn=dataset.collate_fn)


def one_stage_trainer(settings: dict[str, Any]) -> OneStageTrainer:
    """Return the trainer for settings of ultralytics; several GPUs get the same additions."""
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
    # From the rounds since then ultralytics estimates the number of rounds in all.
    trainer.start_epoch = 0


def _in_bfloat16() -> None:
    """Make the trainer of ultralytics compute in bfloat16 on the CPU, as for the other networks here."""
    from ultralytics.engine import trainer

    trainer.autocast = lambda enabled, device="cpu": torch.autocast("cpu", dtype=torch.bfloat16)
