"""Stored scenes as ultralytics reads them: beside each picture a text file with one box per face-up card."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from datasets.scenes.store import StoredScene, read_scene
from engine.errors import BadInputError
from models.onestage.classes import CLASSES
from vision.geometry import bounding_box
from vision.types import UNKNOWN_CARD


def scene_rows(scene: StoredScene) -> list[str] | None:
    """Return a scene's label lines, `class cx cy width height` as shares of the picture.

    A box is the upright one around a face-up card's quad, cut off at the picture's edge. Face-down cards have
    no line. None: a made-up face lies there, for which there is no class; left without a line it would teach
    that cards are background, so such scenes are not trained on.

    Raises:
        BadInputError: the scene was stored without its cards' names.
    """
    if scene.cards is None:
        raise BadInputError(
            "scenes rendered by an earlier program, without names: remove them and start again"
        )
    height, width = scene.image.shape[:2]
    rows = []
    for card, up, quad in zip(scene.cards, scene.face_up, scene.quads, strict=True):
        if not up:
            continue
        if card == UNKNOWN_CARD:
            return None
        box = np.clip(bounding_box(quad), 0, [width, height, width, height]) / [width, height, width, height]
        left, top, right, bottom = box.tolist()
        if right > left and bottom > top:
            cx, cy = (left + right) / 2, (top + bottom) / 2
            rows.append(f"{CLASSES.index(card)} {cx:.6f} {cy:.6f} {right - left:.6f} {bottom - top:.6f}")
    return rows


def label_scenes(pictures: Sequence[Path]) -> list[Path]:
    """Write each picture's label file where there is none yet. Returns the pictures that have one."""
    labelled = []
    for picture in pictures:
        file, unnamed = picture.with_suffix(".txt"), picture.with_suffix(".unnamed")
        if not file.exists() and not unnamed.exists():
            rows = scene_rows(read_scene(picture))
            if rows is None:
                unnamed.touch()
            else:
                file.write_text("".join(f"{row}\n" for row in rows))
        if file.exists():
            labelled.append(picture)
    return labelled


def write_data(train: Sequence[Path], valid: Sequence[Path], folder: Path) -> Path:
    """Write the file that tells ultralytics where the scenes are and what the classes are called."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, pictures in (("train", train), ("valid", valid)):
        (folder / f"{name}.txt").write_text("".join(f"{picture.resolve()}\n" for picture in pictures))
    lines = [f"path: {folder.resolve()}", "train: train.txt", "val: valid.txt", "names:"]
    lines += [f"  {number}: '{name}'" for number, name in enumerate(CLASSES)]
    data = folder / "data.yaml"
    data.write_text("\n".join(lines) + "\n")
    return data
