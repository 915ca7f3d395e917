"""Renders the training scenes that are not there yet, several at a time."""

from __future__ import annotations

from functools import cache
from multiprocessing import Pool
from pathlib import Path

import cv2
import numpy as np

from datasets.art import deck_names, load_deck
from datasets.photos import surfaces
from datasets.scenes import SceneMaker
from datasets.scenes_cards import CardStock
from datasets.scenes_store import write_scene
from engine.errors import BadInputError


@cache
def _maker() -> SceneMaker:
    cv2.setNumThreads(1)
    decks = []
    for name in deck_names("train"):
        try:
            decks.append(load_deck(name))
        except BadInputError as error:
            print(f"without deck {name}: {error}")
    return SceneMaker(CardStock(decks), surfaces())


def _render(job: tuple[Path, int]) -> None:
    path, seed = job
    quality = int(np.random.default_rng(seed).integers(35, 96))
    write_scene(path, _maker().make(seed), quality)


def render_scenes(folder: Path, count: int, processes: int) -> list[Path]:
    """Return the paths of scenes 0 .. count - 1 in `folder`, rendering those that are missing."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"{seed:06d}.jpg" for seed in range(count)]
    missing = [(path, seed) for seed, path in enumerate(paths) if not path.exists()]
    if missing:
        print(f"rendering {len(missing)} scenes", flush=True)
        with Pool(processes) as pool:
            for _ in pool.imap_unordered(_render, missing, chunksize=16):
                pass
    return paths
