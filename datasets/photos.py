"""Photographs of real cards and bare surfaces, with their labels.

The photo folder is not part of this repository. The environment variable `SHITHEAD_PHOTOS` names it;
otherwise it is `../shared/cards` beside the repository. Its README gives the licence of each set. Sets marked
"measure" have no licence, so no list of training sets in `models/` names them.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from datasets.surfaces import drawn_surface
from engine.cards import JOKER, RANKS, SUITS
from engine.errors import BadInputError
from engine.files.bounded import read_capped
from engine.files.json_text import parse_json
from vision.images import read_image as read_image

Kind = Literal["quad", "box", "corner"]

BACK = "BACK"
"""Label of a face-down card."""
_ALONE = "corners"
"""A folder with this ending holds pictures of cut-out index corners."""
_FARTHEST = 10.0
"""Greatest coordinate of a label, in widths or heights of its picture."""
_MOST_PIXELS = 1e5
"""Greatest coordinate of a label in pixels."""
_MOST_DIGITS = 6
"""Most digits in the number of a class."""
_PICTURES = frozenset({".jpg", ".jpeg", ".png", ".webp", ".bmp", ".tif", ".tiff"})
_RANK_WORDS = dict(
    zip(
        (
            "TWO",
            "THREE",
            "FOUR",
            "FIVE",
            "SIX",
            "SEVEN",
            "EIGHT",
            "NINE",
            "TEN",
            "JACK",
            "QUEEN",
            "KING",
            "ACE",
        ),
        RANKS,
        strict=True,
    )
)
_SUIT_WORDS = {"CLUBS": "C", "DIAMONDS": "D", "HEARTS": "H", "SPADES": "S"}


@dataclass(frozen=True, slots=True, eq=False)
class Label:
    """One label in a photo."""

    card: str
    """`9S`, `JOKER`, `BACK`, or a rank alone if the set gives no suit."""
    points: NDArray[np.float32]
    """4 x 2 (x, y) in pixels: the corners of the card, or of an upright box around it or its index."""
    kind: Kind
    """`quad`: corners of the card; `box`: box around the visible card; `corner`: box around one index."""


@dataclass(frozen=True, slots=True)
class LabelledPhoto:
    """A photo and its labels."""

    path: Path
    labels: tuple[Label, ...]
    index_alone: bool = False
    """Whether the picture shows only a cut-out index corner, and no card."""

    def image(self) -> NDArray[np.uint8]:
        """Return the picture, height x width x 3, BGR. Raises BadInputError if it cannot be decoded."""
        return read_image(self.path)


def photos_root() -> Path | None:
    """Return the photo folder, or None if this machine has none."""
    named = os.environ.get("SHITHEAD_PHOTOS")
    root = Path(named) if named else Path(__file__).resolve().parents[2] / "shared" / "cards"
    return root if root.is_dir() else None


def _folder(name: str, root: Path | None) -> Path:
    base = root or photos_root()
    if base is None:
        raise BadInputError("no photo folder: set SHITHEAD_PHOTOS to its path")
    folder = base / name
    if not folder.is_dir():
        raise BadInputError(f"{folder}: there is no such photo set")
    return folder


def _box_points(cx: float, cy: float, width: float, height: float) -> NDArray[np.float32]:
    x0, y0, x1, y1 = cx - width / 2, cy - height / 2, cx + width / 2, cy + height / 2
    return np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]], np.float32)


def card_named(name: str) -> str | None:
    """Return the card that the name of a class or folder means, or None.

    Such names are `10H`, `10h`, `ten of hearts`, `back`, `joker`. A name without a suit (`king`) gives a
    rank.
    """
    words = [word for word in name.upper().replace("_", " ").replace("-", " ").split() if word != "OF"]
    code = "".join(_RANK_WORDS.get(word, _SUIT_WORDS.get(word, word)) for word in words)
    known = code in (BACK, JOKER, *RANKS) or (code[:-1] in RANKS and code[-1] in SUITS)
    return code if known else None


def _class_names(folder: Path) -> list[str]:
    """Return the cards of the classes of a set, from the nearest list in the folder or above."""
    for above in (folder, *folder.resolve().parents):
        for file in (above / f"classes_{folder.name}.txt", above / "classes.txt"):
            if file.is_file():
                names = _text(file).splitlines()
                return [card_named(name) or name for name in names if name.strip()]
    return []


def _text(path: Path) -> str:
    """Return the content of a text file. Raises BadInputError if it is too large, or no text."""
    try:
        return read_capped(path).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadInputError(f"{path}: not UTF-8 text") from None


def _label_lines(path: Path) -> list[tuple[int, str, list[str]]]:
    """Return the number, the class and the other fields of each non-empty line."""
    if not path.exists():
        return []
    lines = enumerate(_text(path).splitlines(), start=1)
    return [(number, *_parted(line)) for number, line in lines if line.strip()]


def _parted(line: str) -> tuple[str, list[str]]:
    name, *fields = line.split()
    return name, fields


def _yolo_labels(path: Path, size: tuple[int, int], names: list[str], box_kind: Kind) -> Iterator[Label]:
    """Yield the labels of a YOLO file; `size` is (width, height) of its picture in pixels."""
    for number, name, fields in _label_lines(path):
        known = name.isdecimal() and len(name) <= _MOST_DIGITS and int(name) < len(names)
        card = names[int(name)] if known else card_named(name) or name
        try:
            values = _finite([float(field) for field in fields], _FARTHEST)
        except ValueError:
            raise BadInputError(
                f"{path}:{number}: a coordinate is not a number, or far outside the picture"
            ) from None
        if len(values) == 8:
            yield Label(card, values.reshape(4, 2) * np.array(size, np.float32), "quad")
        elif len(values) == 4:
            yield Label(card, _box_points(*values.tolist()) * np.array(size, np.float32), box_kind)
        elif len(values) >= 6 and len(values) % 2 == 0:
            # A few labels are free outlines. The other labels of their sets are boxes, so these become boxes.
            outline = values.reshape(-1, 2)
            low, high = outline.min(axis=0), outline.max(axis=0)
            box = _box_points(*((low + high) / 2).tolist(), *(high - low).tolist())
            yield Label(card, box * np.array(size, np.float32), box_kind)
        else:
            raise BadInputError(f"{path}:{number}: expected 5 or 9 fields, found {len(values) + 1}")


def _finite(values: Sequence[Any], most: float) -> NDArray[np.float32]:
    """Return numbers as an array. Raises ValueError for anything else, and for numbers beyond `most`."""
    found = np.array(values, np.float64)
    if not (np.abs(found) <= most).all():  # also false for NaN
        raise ValueError("not finite, or too large")
    return found.astype(np.float32)


def _image_size(path: Path) -> tuple[int, int]:
    height, width = read_image(path).shape[:2]
    return width, height


def pictures_in(folder: Path) -> list[Path]:
    """Return the pictures of a folder, sorted."""
    return sorted(path for path in folder.iterdir() if path.suffix.lower() in _PICTURES)


def label_folders(folder: Path) -> list[Path]:
    """Return the folders of labels of a set: quads and boxes may have one each."""
    return sorted(path for path in folder.glob("labels*") if path.is_dir())


def _yolo_set(folder: Path, names: list[str], box_kind: Kind) -> list[LabelledPhoto]:
    """Return a set with `images` and one or more folders of labels.

    If a photo has quads, its boxes count only for face-down cards.
    """
    given = label_folders(folder)
    lines = [line for labels in given for path in labels.glob("*.txt") for line in _label_lines(path)]
    if any(not name.isdecimal() for _, name, _ in lines):
        names = []  # the classes are names of cards: `9` is a nine, not the tenth class
    photos = []
    for path in pictures_in(folder / "images"):
        size = _image_size(path)
        found = [
            label
            for labels in given
            for label in _yolo_labels(labels / f"{path.stem}.txt", size, names, box_kind)
        ]
        if any(label.kind == "quad" for label in found) and len(given) > 1:
            found = [label for label in found if label.kind == "quad" or label.card == BACK]
        photos.append(LabelledPhoto(path, tuple(found)))
    return photos


def _avgustine(folder: Path) -> list[LabelledPhoto]:
    """Return photos of one card each. `quads.json` lists pictures, cards and corners in pixels.

    Raises:
        BadInputError: the file cannot be read, or an entry is wrong. The message counts entries from 1.
    """
    path = folder / "quads.json"
    try:
        entries = parse_json(read_capped(path))
    except ValueError as error:
        raise BadInputError(f"{path}: not JSON ({error})") from None
    if not isinstance(entries, list):
        raise BadInputError(f"{path}: not a list of labels")
    return [_listed(path, number, entry) for number, entry in enumerate(entries, start=1)]


def _listed(path: Path, number: int, entry: Any) -> LabelledPhoto:
    """Return the photo of an entry of `quads.json`."""
    try:
        image, card, quad = (entry[name] for name in ("image", "card", "quad"))
        points = _finite([[float(x), float(y)] for x, y in quad], _MOST_PIXELS)
        sound = isinstance(image, str) and Path(image).name == image and "\0" not in image
        if not (sound and isinstance(card, str) and card.strip() and points.shape == (4, 2)):
            raise ValueError("wrong type")
    except (KeyError, TypeError, ValueError, OverflowError):
        wanted = "a picture's name, a card and four corners in it"
        raise BadInputError(f"{path}: entry {number} does not give {wanted}") from None
    return LabelledPhoto(path.parent / "images" / image, (Label(card, points, "quad"),))


def card_folders(folder: Path) -> list[tuple[Path, str]]:
    """Return the folders in `folder` that are named after a card, and the cards."""
    inside = sorted(path for path in folder.iterdir() if path.is_dir())
    return [(path, card) for path in inside if (card := card_named(path.name)) is not None]


def _one_card_each(folder: Path) -> list[LabelledPhoto]:
    """Return pictures of one card each, somewhere in the picture; the folders have the names of the cards."""
    alone = folder.name.endswith(_ALONE)
    photos = []
    for inside, card in card_folders(folder):
        for path in pictures_in(inside):
            width, height = _image_size(path)
            anywhere = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
            label = Label(card, anywhere, "corner" if alone else "box")
            photos.append(LabelledPhoto(path, (label,), alone))
    return photos


def load_set(name: str, root: Path | None = None) -> list[LabelledPhoto]:
    """Return the photos of one set, sorted by file name.

    `name` is a folder below the photo folder, such as `vpo_table` or `rf100/valid`. It contains `images` and
    `labels`, or folders with the names of cards. `classes.txt`, there or above, lists the classes.

    Raises:
        BadInputError: the set is missing, or a label cannot be read.
    """
    folder = _folder(name, root)
    if (folder / "quads.json").is_file():
        return _avgustine(folder)
    if not (folder / "images").is_dir():
        photos = _one_card_each(folder)
        if not photos:
            raise BadInputError(f"{folder}: neither images with labels nor folders with the names of cards")
        return photos
    names = [BACK] if name == "evan_backs" else _class_names(folder)
    return _yolo_set(folder, names, "corner" if name.startswith(("mix55", "bidly_fans")) else "box")


@cache
def surfaces(drawn: int = 120) -> tuple[NDArray[np.uint8], ...]:
    """Return pictures of bare surfaces, BGR: the CC0 photographs, and a number of drawn ones.

    Without the photo folder there are only the drawn ones.
    """
    root = photos_root()
    folder = root / "textures_cc0" if root else None
    photographed = [read_image(path) for path in sorted(folder.iterdir())] if folder else []
    return (*photographed, *(drawn_surface(np.random.default_rng(seed)) for seed in range(drawn)))
