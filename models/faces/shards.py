"""Training samples on disk: one process makes them, and another reads them."""

from __future__ import annotations

import os
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from models.faces.data import Sample, SampleMaker

SHARD_SAMPLES = 2000


@dataclass(frozen=True)
class Shard:
    """N samples."""

    whole: NDArray[np.uint8]
    """N x WHOLE_HEIGHT x WHOLE_WIDTH x 3."""
    corners: NDArray[np.uint8]
    """N x 2 x CORNER_HEIGHT x CORNER_WIDTH x 3."""
    rank: NDArray[np.int64]
    suit: NDArray[np.int64]
    corner_ranks: NDArray[np.int64]
    """N x 2."""
    corner_suits: NDArray[np.int64]
    """N x 2."""

    def __len__(self) -> int:
        return len(self.rank)


def stack(samples: list[Sample]) -> Shard:
    """Return samples as one shard."""
    return Shard(
        whole=np.stack([s.crops.whole for s in samples]),
        corners=np.stack([np.stack(s.corners) for s in samples]),
        rank=np.array([s.rank for s in samples], np.int64),
        suit=np.array([s.suit for s in samples], np.int64),
        corner_ranks=np.array([s.corner_ranks for s in samples], np.int64),
        corner_suits=np.array([s.corner_suits for s in samples], np.int64),
    )


def join(shards: list[Shard]) -> Shard:
    """Return several shards as one."""
    return Shard(**{f.name: np.concatenate([getattr(s, f.name) for s in shards]) for f in fields(Shard)})


def pick(shard: Shard, places: NDArray[np.int64]) -> Shard:
    """Return some samples of a shard."""
    return Shard(**{f.name: getattr(shard, f.name)[places] for f in fields(Shard)})


def save(shard: Shard, path: Path) -> None:
    """Save a shard as plain arrays, in one step: a reader never meets half a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    scratch = path.with_suffix(f".{os.getpid()}.tmp")
    with scratch.open("wb") as file:
        np.savez(file, **{f.name: getattr(shard, f.name) for f in fields(Shard)})
    scratch.replace(path)


def load(path: Path) -> Shard:
    """Return a saved shard."""
    with np.load(path, allow_pickle=False) as arrays:
        return Shard(**{f.name: arrays[f.name] for f in fields(Shard)})


def shard_path(folder: Path, number: int) -> Path:
    """Return the path of a shard."""
    return folder / f"{number:05d}.npz"


def produce(maker: SampleMaker, folder: Path, numbers: range, keep: int) -> None:
    """Make the shards `numbers` one after the other, and keep only the last `keep` of them."""
    for number in numbers:
        path = shard_path(folder, number)
        if not path.exists():
            save(stack([maker.sample() for _ in range(SHARD_SAMPLES)]), path)
        shard_path(folder, number - keep).unlink(missing_ok=True)
