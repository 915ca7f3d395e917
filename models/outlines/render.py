"""Renders the training scenes that are not there yet, several at a time."""

from __future__ import annotations

from functools import cache
from multiprocessing import Pool
from pathlib import Path
from typing import Literal

import cv2
import numpy as np

from datasets.art import deck_names, load_deck
from datasets.photos import surfaces
from datasets.scenes import SceneMaker
from datasets.scenes_cards import CardStock
from datasets.scenes_layouts import CROWDED_CLUSTERS
from datasets.scenes_store import write_scene
from engine.errors import BadInputError

Kind = Literal["tables", "crowds"]
"""Whole tables and parts of them, or close views of fans and piles in which a corner of most cards shows."""

_CROWD_SIZE = 384
_CROWD_VIEWS = ((210.0, 400.0, 1.0),)
"""A card is then 84 to 160 pixels tall."""
_CROWD_VISIBLE = 0.03


@cache
def scene_maker(kind: Kind, split: Literal["train", "valid"] = "train") -> SceneMaker:
    """Return what renders scenes of a kind, with the decks for training or with those held out."""
    decks = []
    for name in deck_names(split):
        try:
            decks.append(load_deck(name))
        except BadInputError as error:
            print(f"without deck {name}: {error}")
    if kind == "tables":
        return SceneMaker(CardStock(decks), surfaces())
    return SceneMaker(
        CardStock(decks, real_share=1.0),
        surfaces(),
        _CROWD_SIZE,
        views=_CROWD_VIEWS,
        clusters=CROWDED_CLUSTERS,
        min_visible=_CROWD_VISIBLE,
    )


def _render(job: tuple[Kind, Path, int]) -> None:
    kind, path, seed = job
    cv2.setNumThreads(1)
    quality = int(np.random.default_rng(seed).integers(35, 96))
    write_scene(path, scene_maker(kind).make(seed), quality)


def render_scenes(folder: Path, count: int, processes: int, kind: Kind = "tables") -> list[Path]:
    """Return the paths of scenes 0 .. count - 1 in `folder`, rendering those that are missing."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"{seed:06d}.jpg" for seed in range(count)]
    missing = [(kind, path, seed) for seed, path in enumerate(paths) if not path.exists()]
    if missing:
        print(f"rendering {len(missing)} scenes", flush=True)
        with Pool(processes) as pool:
            for _ in pool.imap_unordered(_render, missing, chunksize=16):
                pass
    return paths
