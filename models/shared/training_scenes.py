"""Renders the missing training scenes, several at a time.

Without training: `.venv/bin/python -m models.shared.training_scenes FOLDER --scenes N --jobs N`.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Literal, get_args

import cv2
import numpy as np

from companion.parallel import spread
from datasets.art.decks import deck_names, load_deck
from datasets.photos import surfaces
from datasets.scenes.cards import CardStock
from datasets.scenes.layouts import CROWDED_CLUSTERS
from datasets.scenes.scene import SceneMaker
from datasets.scenes.store import write_scene
from engine.errors import BadInputError

Kind = Literal["tables", "crowds"]
"""Whole tables and parts of them, or close views of fans and piles, where most cards show only a corner."""

_CROWD_SIZE = 384
_CROWD_VIEWS = ((210.0, 400.0, 1.0),)
"""A card is then 84 to 160 pixels tall."""
_CROWD_VISIBLE = 0.03


@cache
def scene_maker(kind: Kind, split: Literal["train", "valid"] = "train") -> SceneMaker:
    """Return the maker of scenes of a kind, with the training decks or the held-out ones."""
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


def render_scenes(
    folder: Path, count: int, jobs: int, kind: Kind = "tables", cluster: str | None = None
) -> list[Path]:
    """Return the paths of scenes 0 .. count - 1 in `folder`, after rendering the missing ones."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"{seed:06d}.jpg" for seed in range(count)]
    missing = [(kind, path, seed) for seed, path in enumerate(paths) if not path.exists()]
    if missing:
        print(f"rendering {len(missing)} scenes", flush=True)
        for _ in spread(_render, missing, jobs, cluster):
            pass
    return paths


def main(argv: Sequence[str] | None = None) -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--scenes", type=int, default=100, help="how many scenes")
    parser.add_argument("--kind", choices=get_args(Kind), default="tables")
    parser.add_argument("--jobs", type=int, default=1, help="processes on this machine")
    parser.add_argument("--cluster", metavar="ADDRESS", help="a Dask scheduler, whose workers render instead")
    args = parser.parse_args(argv)
    render_scenes(args.folder.resolve(), args.scenes, args.jobs, args.kind, args.cluster)


if __name__ == "__main__":
    # Under the name of the module, by which other processes find the function that renders.
    from models.shared import training_scenes as render

    render.main()
