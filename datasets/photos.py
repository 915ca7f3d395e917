"""Photographs of real cards, and of bare surfaces: where they lie and how to read their labels.

The photo folder is not part of this repository. It is found through the environment variable
`SHITHEAD_PHOTOS`, else as `../shared/cards` beside the repository. Its README states each set's licence: sets
marked "measure" state none, so nothing that ships is trained on them (`MEASURE_ONLY`).
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from datasets.surfaces import drawn_surface
from engine.errors import BadInputError
from vision.pictures import read_image as read_image

Kind = Literal["quad", "box", "corner"]

MEASURE_ONLY = frozenset(
    {"vpo_table", "avgustine_quads", "jaxon411", "evan_backs", "alvaro_corners", "yuchenrao_single"}
)
"""Sets without a stated licence: for measuring, never for training."""

BACK = "BACK"
"""Label of a card that lies face down."""


@dataclass(frozen=True, slots=True)
class Label:
    """One labelled thing in a photo."""

    card: str
    """`9S`, `JOKER`, `BACK`, or a rank alone where the set gives no suit."""
    points: NDArray[np.float32]
    """4 x 2 (x, y) in pixels: the card's corners, or those of an upright box around it or its index."""
    kind: Kind
    """`quad`: the card's own corners; `box`: box of the visible card; `corner`: box of one index corner."""


@dataclass(frozen=True, slots=True)
class LabelledPhoto:
    """A photo and its labels."""

    path: Path
    labels: tuple[Label, ...]

    def image(self) -> NDArray[np.uint8]:
        """Return the picture, height x width x 3, BGR. Raises BadInputError when it cannot be decoded."""
        return read_image(self.path)


def photos_root() -> Path | None:
    """Return the photo folder, or None when there is none on this machine."""
    named = os.environ.get("SHITHEAD_PHOTOS")
    root = Path(named) if named else Path(__file__).resolve().parents[2] / "shared" / "cards"
    return root if root.is_dir() else None


def _folder(name: str, root: Path | None) -> Path:
    base = root or photos_root()
    if base is None:
        raise BadInputError("no photo folder: set SHITHEAD_PHOTOS to it")
    folder = base / name
    if not folder.is_dir():
        raise BadInputError(f"{folder}: the photo set is not there")
    return folder


def _box_points(cx: float, cy: float, width: float, height: float) -> NDArray[np.float32]:
    x0, y0, x1, y1 = cx - width / 2, cy - height / 2, cx + width / 2, cy + height / 2
    return np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]], np.float32)


def _yolo_labels(path: Path, size: tuple[int, int], names: list[str], box_kind: Kind) -> Iterator[Label]:
    """Yield the labels of a YOLO file; `size` is (width, height) of its picture in pixels."""
    if not path.exists():
        return
    for number, line in enumerate(path.read_text().splitlines(), start=1):
        name, *fields = line.split() or [""]
        if not name:
            continue
        card = names[int(name)] if name.isdigit() and int(name) < len(names) else name
        values = np.array([float(field) for field in fields], np.float32)
        if len(values) == 8:
            yield Label(card, values.reshape(4, 2) * np.array(size, np.float32), "quad")
        elif len(values) == 4:
            yield Label(card, _box_points(*values.tolist()) * np.array(size, np.float32), box_kind)
        elif len(values) >= 6 and len(values) % 2 == 0:
            # A few labels are free outlines; the box around one is what the others of its set give.
            outline = values.reshape(-1, 2)
            low, high = outline.min(axis=0), outline.max(axis=0)
            box = _box_points(*((low + high) / 2).tolist(), *(high - low).tolist())
            yield Label(card, box * np.array(size, np.float32), box_kind)
        else:
            raise BadInputError(f"{path}:{number}: expected 5 or 9 fields, found {len(values) + 1}")


def _image_size(path: Path) -> tuple[int, int]:
    height, width = read_image(path).shape[:2]
    return width, height


def _yolo_set(folder: Path, names: list[str], box_kind: Kind, labels: str = "labels") -> list[LabelledPhoto]:
    photos = []
    for path in sorted((folder / "images").iterdir()):
        label_file = folder / labels / f"{path.stem}.txt"
        found = tuple(_yolo_labels(label_file, _image_size(path), names, box_kind))
        photos.append(LabelledPhoto(path, found))
    return photos


def _avgustine(folder: Path) -> list[LabelledPhoto]:
    entries = json.loads((folder / "quads.json").read_text())
    return [
        LabelledPhoto(
            folder / "images" / entry["image"],
            (Label(entry["card"], np.array(entry["quad"], np.float32), "quad"),),
        )
        for entry in entries
    ]


def _vpo_table(folder: Path, names: list[str]) -> list[LabelledPhoto]:
    """Face-up cards as quads; the face-down piles, which have only boxes, as boxes."""
    quads = _yolo_set(folder, names, "box", "labels_quad")
    boxes = _yolo_set(folder, names, "box", "labels_box_with_back")
    return [
        LabelledPhoto(q.path, q.labels + tuple(label for label in b.labels if label.card == BACK))
        for q, b in zip(quads, boxes, strict=True)
    ]


def load_set(name: str, root: Path | None = None) -> list[LabelledPhoto]:
    """Return the photos of one set, sorted by file name.

    `name` is a folder below the photo folder: `vpo_table`, `rf100/valid`, `mix55/laptopcam_piles`,
    `bidly_fans`, `avgustine_quads`, `evan_backs`, ... Raises BadInputError when the set is missing or a label
    cannot be read.
    """
    folder = _folder(name, root)
    class_file = (root or photos_root() or folder) / "classes.txt"
    names = class_file.read_text().split() if class_file.exists() else []
    readers: dict[str, Callable[[], list[LabelledPhoto]]] = {
        "vpo_table": lambda: _vpo_table(folder, names),
        "avgustine_quads": lambda: _avgustine(folder),
        "evan_backs": lambda: _yolo_set(folder, [BACK], "box"),
        "jaxon411": lambda: _yolo_set(
            folder, (folder.parent / "classes_jaxon411.txt").read_text().split(), "box"
        ),
    }
    if name in readers:
        return readers[name]()
    if name.startswith("edje"):
        # Its classes are ranks in words: its `9` is a nine, not the tenth class.
        return _yolo_set(folder, [], "box")
    return _yolo_set(folder, names, "corner" if name.startswith(("mix55", "bidly_fans")) else "box")


@cache
def surfaces(drawn: int = 120) -> tuple[NDArray[np.uint8], ...]:
    """Return pictures of bare surfaces, BGR: the CC0 photographs, and `drawn` ones made by code.

    Without the photo folder only the drawn ones are returned.
    """
    root = photos_root()
    folder = root / "textures_cc0" if root else None
    photographed = [read_image(path) for path in sorted(folder.iterdir())] if folder else []
    return (*photographed, *(drawn_surface(np.random.default_rng(seed)) for seed in range(drawn)))
