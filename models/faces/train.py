"""Train the face networks from nothing: `python -m models.faces.train`.

One process makes samples. Another trains both networks in turn, on a changing pool of samples. After an
interruption it continues where it stopped. At the end it writes the two ONNX files and their learning curve,
`curve.png`, to the folder of the weights, and fits `fusion.json`.
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import os
import threading
import time
from collections.abc import Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from platformdirs import user_cache_dir
from torch import Tensor, nn

from models.faces.calibrate import calibrate
from models.faces.data import SampleMaker
from models.faces.export import export
from models.faces.labels import IGNORE
from models.faces.loss import face_losses
from models.faces.network import FaceNetwork, build
from models.faces.photos import real_cards
from models.faces.shards import SHARD_SAMPLES, Shard, join, load, pick, produce, shard_path
from models.faces.styles import ArtFaces
from models.shared.commands import run_command
from models.shared.curves import draw_curve
from models.shared.devices import add_device, device_of, one_device, to_device
from models.shared.state_files import load_state
from models.shared.trainer import Parts, means
from vision.decks.card_classes import OUTPUTS, RANK_OUTPUTS
from vision.recognition.classifier import WEIGHTS
from vision.recognition.crops import network_input

BATCH = 128
POOL_SHARDS = 20
"""Shards in memory at a time: 1.6 GB."""
KEPT_SHARDS = 70
REUSE = 4.0
"""How often each sample is used, on average, each time with another brightness, shift and turn."""
LEARNING_RATE = 2e-3
VALID_SHARDS = 2
CURVE = "curve.jsonl"
"""The log, in the folder of the training."""
AVERAGING = 0.998
"""Weight of the past in the moving average of the weights. The average is measured and exported."""


# --- making samples -----------------------------------------------------------------------------------


def make_samples(folder: Path, seed: int, count: int) -> None:
    """Make the validation shards, then training shards until training ends. Runs in its own process."""
    cv2.setNumThreads(1)
    _end_with_parent()
    valid = range(VALID_SHARDS)
    if not all(shard_path(folder / "valid", number).exists() for number in valid):
        produce(SampleMaker(ArtFaces("valid"), 777, invented=0.0), folder / "valid", valid, KEPT_SHARDS)
    made = [int(path.stem) for path in (folder / "train").glob("*.npz")]
    first = max(made, default=-1) + 1
    maker = SampleMaker(ArtFaces("train"), seed + first, real=real_cards())
    produce(maker, folder / "train", range(first, count), KEPT_SHARDS)


def _end_with_parent() -> None:
    """End this process when the training process has ended, even if that was killed."""
    parent = multiprocessing.parent_process()
    if parent is None:
        return

    def wait() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


class Pool:
    """Samples in memory. Each round replaces some of them with newer ones."""

    def __init__(self, folder: Path, rng: np.random.Generator) -> None:
        self.folder = folder
        self.rng = rng
        self.shards: dict[Path, Shard] = {}

    def refresh(self) -> None:
        """Load one or two shards, the newest first, and drop the oldest. Waits until there are some."""
        while len(paths := sorted(self.folder.glob("*.npz"))) < 4:
            time.sleep(5)
        missing = [path for path in reversed(paths) if path not in self.shards]
        wanted = POOL_SHARDS if not self.shards else 2
        for path in missing[:wanted]:
            try:
                self.shards[path] = load(path)
            except FileNotFoundError:
                continue  # it has just been removed to make room
        for path in sorted(self.shards)[:-POOL_SHARDS]:
            del self.shards[path]

    def batch(self, size: int) -> Shard:
        """Return random samples from all shards in memory."""
        shards = list(self.shards.values())
        counts = self.rng.multinomial(size, np.full(len(shards), 1 / len(shards)))
        parts = []
        for shard, count in zip(shards, counts, strict=True):
            parts.append(pick(shard, np.sort(self.rng.choice(len(shard), count, replace=False))))
        return join(parts)


# --- learning -----------------------------------------------------------------------------------------


def _varied(pieces: NDArray[np.uint8], rng: np.random.Generator, turn: bool) -> Tensor:
    """Return pieces as network input, each varied a little."""
    batch = brightened(torch.from_numpy(network_input(pieces)), rng)
    dx, dy = (int(v) for v in rng.integers(-2, 3, 2))
    batch = torch.roll(batch, (dy, dx), (2, 3))
    if turn:
        # A card that is upside down is the same card.
        turned = torch.from_numpy(rng.random(len(batch)) < 0.5)
        batch[turned] = torch.flip(batch[turned], (2, 3))
    return batch.to(memory_format=torch.channels_last)


def brightened(batch: Tensor, rng: np.random.Generator) -> Tensor:
    """Return network input with the brightness of each channel varied a little."""
    shape = (len(batch), 3, 1, 1)
    gain = torch.from_numpy(rng.uniform(0.8, 1.2, shape).astype(np.float32))
    shift = torch.from_numpy(rng.normal(0, 0.12, shape).astype(np.float32))
    return batch * (0.5 + 0.5 * gain) + shift


class Learner:
    """One network, its optimiser and the moving average of its weights."""

    def __init__(self, name: str, device: torch.device) -> None:
        self.name = name
        self.network = build(name).to(device)
        self.average = deepcopy(self.network).eval()
        decayed = [p for p in self.network.parameters() if p.ndim > 1]
        others = [p for p in self.network.parameters() if p.ndim <= 1]
        groups = [{"params": decayed, "weight_decay": 0.02}, {"params": others, "weight_decay": 0.0}]
        self.optimiser = torch.optim.AdamW(groups, lr=LEARNING_RATE)
        self.steps = 0

    def step(self, batch: Tensor, rank: Tensor, suit: Tensor, rate: float) -> float:
        """Learn from one batch, on any device; returns the loss."""
        batch, rank, suit = to_device((batch, rank, suit), device_of(self.network))
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        self.network.train()
        with torch.autocast(batch.device.type, dtype=torch.bfloat16):
            output = self.network(batch)
        loss = torch.stack(face_losses(output, rank, suit)).sum()
        self.optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(self.network.parameters(), 5.0)
        self.optimiser.step()
        self.steps += 1
        self._average()
        return float(loss.detach())

    @torch.no_grad()
    def _average(self) -> None:
        share = min(AVERAGING, self.steps / (self.steps + 10))
        current = self.network.state_dict()
        for name, value in self.average.state_dict().items():
            if value.dtype.is_floating_point:
                value.mul_(share).add_(current[name], alpha=1 - share)
            else:
                value.copy_(current[name])

    def state(self) -> dict[str, Any]:
        """Return everything that training needs to continue."""
        return {
            "network": self.network.state_dict(),
            "average": self.average.state_dict(),
            "optimiser": self.optimiser.state_dict(),
            "steps": self.steps,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from a saved state."""
        self.network.load_state_dict(state["network"])
        self.average.load_state_dict(state["average"])
        self.optimiser.load_state_dict(state["optimiser"])
        self.steps = state["steps"]


@torch.no_grad()
def accuracy(
    network: FaceNetwork, pieces: NDArray[np.uint8], rank: NDArray[Any], suit: NDArray[Any]
) -> float:
    """Return the share of the labelled pieces with the right rank and suit."""
    right, known = 0, 0
    network.eval()
    for start in range(0, len(pieces), 500):
        part = slice(start, start + 500)
        inputs = torch.from_numpy(network_input(pieces[part])).to(device_of(network))
        out = network(inputs).cpu().numpy()
        ranks, suits = out[:, :RANK_OUTPUTS].argmax(1), out[:, RANK_OUTPUTS:OUTPUTS].argmax(1)
        good = (ranks == rank[part]) & ((suits == suit[part]) | (suit[part] == IGNORE))
        right += int(good[rank[part] != IGNORE].sum())
        known += int((rank[part] != IGNORE).sum())
    return right / max(known, 1)


def _flat_corners(shard: Shard) -> tuple[NDArray[np.uint8], NDArray[Any], NDArray[Any]]:
    pieces = shard.corners.reshape(-1, *shard.corners.shape[2:])
    return pieces, shard.corner_ranks.reshape(-1), shard.corner_suits.reshape(-1)


def _rate(seen: int, total: int) -> float:
    """Return the learning rate: a short warm-up, then half a cosine down to a hundredth."""
    warm = min(1.0, (seen + BATCH) / (60 * BATCH))
    progress = min(1.0, seen / total)
    return LEARNING_RATE * warm * (0.01 + 0.99 * 0.5 * (1 + math.cos(math.pi * progress)))


def _round(learners: dict[str, Learner], pool: Pool, seen: int, total: int) -> tuple[int, Parts]:
    """Learn from as many samples as one new shard allows; returns their number and the mean losses."""
    samples = min(int(SHARD_SAMPLES * REUSE), total - seen)
    losses: list[Parts] = []
    for start in range(0, samples, BATCH):
        rate = _rate(seen + start, total)
        data = pool.batch(BATCH)
        rank, suit = torch.from_numpy(data.rank), torch.from_numpy(data.suit)
        whole = learners["whole"].step(_varied(data.whole, pool.rng, turn=True), rank, suit, rate)
        # One corner of each sample, if it has a label.
        side = int(pool.rng.integers(2))
        pieces, ranks, suits = (values[side::2] for values in _flat_corners(data))
        known = ranks != IGNORE
        corner = learners["corner"].step(
            _varied(pieces[known], pool.rng, turn=False),
            torch.from_numpy(ranks[known]),
            torch.from_numpy(suits[known]),
            rate,
        )
        losses.append({"loss, whole card": whole, "loss, corner": corner})
    return samples, means(losses)


def _report(learners: dict[str, Learner], folder: Path) -> Parts:
    """Return the shares of the held-out pieces that are read wrongly."""
    held = join([load(path) for path in sorted(folder.glob("*.npz"))])
    whole = accuracy(learners["whole"].average, held.whole, held.rank, held.suit)
    corner = accuracy(learners["corner"].average, *_flat_corners(held))
    return {"wrong, whole card": round(1 - whole, 4), "wrong, corner": round(1 - corner, 4)}


def _log(folder: Path, step: int, seen: int, entry: dict[str, Any]) -> None:
    """Print a line of the learning curve and keep it."""
    line = json.dumps({"step": step, "samples": seen} | entry)
    print(line, flush=True)
    with (folder / CURVE).open("a") as file:
        file.write(line + "\n")


def train(folder: Path, total: int, seed: int, device: torch.device) -> dict[str, Learner]:
    """Train both networks on `total` samples, and return the learners. Everything is kept in `folder`."""
    rng = np.random.default_rng(seed)
    torch.manual_seed(seed)
    learners = {name: Learner(name, device) for name in ("whole", "corner")}
    checkpoint, seen = folder / "checkpoint.pt", 0
    if checkpoint.exists():
        state = load_state(checkpoint, device)
        seen = state["seen"]
        for name, learner in learners.items():
            learner.restore(state[name])
    pool = Pool(folder / "train", rng)
    rounds = 0
    while seen < total:
        pool.refresh()
        samples, losses = _round(learners, pool, seen, total)
        seen += samples
        state = {name: learner.state() for name, learner in learners.items()} | {"seen": seen}
        torch.save(state, checkpoint.with_suffix(".tmp"))
        checkpoint.with_suffix(".tmp").replace(checkpoint)
        step = learners["whole"].steps
        _log(folder, step, seen, losses)
        rounds += 1
        if rounds % 3 == 0 or seen >= total:
            _log(folder, step, seen, {"held out": _report(learners, folder / "valid")})
    return learners


def main(argv: Sequence[str] | None = None) -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description="Train the face networks.")
    default = Path(user_cache_dir("shithead")) / "training" / "faces"
    parser.add_argument(
        "--folder", type=Path, default=default, help="samples and checkpoint (default: %(default)s)"
    )
    parser.add_argument(
        "--samples", type=int, default=1_000_000, help="samples to learn from (default: %(default)s)"
    )
    parser.add_argument("--out", type=Path, default=WEIGHTS, help="folder of the weights")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    # Making samples takes as long as learning from them, so a second GPU would wait.
    add_device(parser, several=False)
    args = parser.parse_args(argv)
    device = one_device(args.device)
    torch.set_num_threads(args.threads)
    cv2.setNumThreads(1)
    args.folder.mkdir(parents=True, exist_ok=True)
    args.out.mkdir(parents=True, exist_ok=True)
    # "spawn": a forked child would inherit torch's threads.
    maker = multiprocessing.get_context("spawn").Process(
        target=make_samples, args=(args.folder, args.seed, 10**6), daemon=True
    )
    maker.start()
    try:
        learners = train(args.folder, args.samples, args.seed, device)
    finally:
        maker.terminate()
    for name, learner in learners.items():
        print(export(learner.average.cpu(), name, args.out))
    print(calibrate(args.out))
    draw_curve(args.folder / CURVE, args.out / "curve.png")


if __name__ == "__main__":
    run_command(main)
