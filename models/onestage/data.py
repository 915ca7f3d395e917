"""Stored scenes in the format of ultralytics: beside each picture a text file with boxes of face-up cards."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from datasets.scenes.store import StoredScene, read_scene
from engine.errors import BadInputError
from models.onestage.reader import CLASSES
from vision.geometry import bounding_box
from vision.types import UNKNOWN_CARD


def scene_rows(scene: StoredScene) -> list[str] | None:
    """Return the label lines of a scene, `class cx cy width height` as shares of the picture.

    A box is upright around the quad of a face-up card, clipped to the picture. Face-down cards have no line.
    The result is None for a scene with an invented face, which has no class. Without a line it would teach
    that cards are background, so such a scene is not trained on.

    Raises:
        BadInputError: the scene was stored without the names of its cards.
    """
    if scene.cards is None:
        raise BadInputError(
            "these scenes are from an earlier version and have no names: remove them and start again"
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
    """Write the missing label files of pictures; returns the pictures with a label file."""
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
    """Write the file that gives ultralytics the scenes and the names of the classes."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, pictures in (("train", train), ("valid", valid)):
        (folder / f"{name}.txt").write_text("".join(f"{picture.resolve()}\n" for picture in pictures))
    lines = [f"path: {folder.resolve()}", "train: train.txt", "val: valid.txt", "names:"]
    lines += [f"  {number}: '{name}'" for number, name in enumerate(CLASSES)]
    data = folder / "data.yaml"
    data.write_text("\n".join(lines) + "\n")
    return data
