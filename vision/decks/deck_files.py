"""Files of enrolled decks: saving, loading, listing and removing them.

A file holds only plain arrays. Nothing in it is executed.
"""

from __future__ import annotations

import hashlib
import re
import zipfile
from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from platformdirs import user_data_dir

from engine.errors import BadInputError
from engine.files.atomic import make_folder, whole_file
from engine.files.bounded import read_capped
from vision.decks.card_classes import CARDS
from vision.decks.deck import DECK_CARDS, EMPTY_TEMPLATES_SHAPE, Deck

FORMAT = 1
"""Version of the file format."""
_PARTS = ("format", "weights", "cards", "features", "backs", "pictured", "pictures", "checksum")
"""The arrays in a file. The last one is a checksum of the others."""
_OPTIONAL_PARTS = ("pictured", "pictures")
"""Arrays that files lack if they were written before decks had templates."""
_MAX_UNPACKED_BYTES = 64 * 2**20
"""Largest unpacked size. A deck with many examples of each card has a few megabytes."""

LEARNT_DECK = "learnt"
"""Name of the single deck that is learnt during play. It has a folder of its own."""

_NAME = re.compile(r"[\w-]{1,40}")
"""Valid names of decks; a name becomes a file name."""


def decks_folder() -> Path:
    """Return the folder of the enrolled decks, which may not exist yet."""
    return Path(user_data_dir("shithead")) / "decks"


def learnt_folder() -> Path:
    """Return the folder of the deck learnt during play, which is not listed with the others."""
    return Path(user_data_dir("shithead")) / "learnt"


def load_learnt_deck(folder: Path | None = None) -> Deck | None:
    """Return the deck learnt in earlier games; None if there is none, or if its file is broken."""
    try:
        return load_deck(LEARNT_DECK, folder or learnt_folder())
    except (BadInputError, OSError):  # the deck is learnt again
        return None


def deck_path(name: str, folder: Path | None = None) -> Path:
    """Return the path of a deck's file.

    Raises:
        BadInputError: The name is not 1 to 40 letters, digits, `-` or `_`.
    """
    if not _NAME.fullmatch(name):
        raise BadInputError("deck {name!r}: a name is 1 to 40 letters, digits, - or _", name=name)
    return (folder or decks_folder()) / f"{name}.npz"


def save_deck(deck: Deck, folder: Path | None = None) -> Path:
    """Save a deck completely or not at all, and return its path.

    Raises:
        BadInputError: The name is not valid, see `deck_path`.
        OSError: The file cannot be written.
    """
    path = deck_path(deck.name, folder)
    make_folder(path.parent)
    parts: dict[str, Any] = {
        "format": np.int64(FORMAT),
        "weights": np.array(deck.weights_fingerprint),
        "cards": np.array(deck.cards),
        # Half precision does not change a reading, and halves the file.
        "features": deck.features.astype(np.float16),
        "backs": deck.backs.astype(np.float32),
        "pictured": np.array(deck.template_cards, "<U8"),
        "pictures": deck.templates,
    }
    with whole_file(path) as part, part.open("wb") as file:
        np.savez_compressed(file, **parts, checksum=np.array(_checksum(parts)))
    return path


def load_deck(name: str, folder: Path | None = None) -> Deck:
    """Return an enrolled deck.

    Raises:
        BadInputError: The deck does not exist, or its file is broken.
    """
    path = deck_path(name, folder)
    if not path.exists():
        known = ", ".join(deck_names(folder)) or "none"
        raise BadInputError("deck {name}: not enrolled (enrolled: {known})", name=name, known=known)
    return read_deck(path, name)


def read_deck(path: Path, name: str) -> Deck:
    """Return the deck in any file, under the given name.

    Raises:
        BadInputError: The file does not exist or is no deck file.
    """
    try:
        data = BytesIO(read_capped(path))
        _refuse_bomb(data)
        with np.load(data, allow_pickle=False) as arrays:
            found_format = int(arrays["format"])
            cards: Sequence[str] = arrays["cards"].tolist()
            features = np.asarray(arrays["features"], np.float32)
            # Older files have no backs.
            backs = np.asarray(arrays["backs"] if "backs" in arrays else np.zeros((0, 0)), np.float32)
            # Still older files have no checksum, and only the newest have templates.
            changed = "checksum" in arrays and str(arrays["checksum"]) != _checksum(arrays)
            pictured = tuple(arrays["pictured"].tolist()) if "pictured" in arrays else ()
            pictures = (
                arrays["pictures"] if "pictures" in arrays else np.zeros(EMPTY_TEMPLATES_SHAPE, np.uint8)
            )
            deck = Deck(name, str(arrays["weights"]), tuple(cards), features, backs, pictured, pictures)
    except FileNotFoundError as error:
        raise BadInputError("{path}: no such file", path=path) from error
    except BadInputError:
        raise
    except Exception as error:  # numpy, zipfile and zlib raise many types over damaged files
        raise BadInputError("{path}: not a deck file", path=path) from error
    whole = deck.features.ndim == deck.backs.ndim == 2 and len(deck.features) == len(cards)
    sound = whole and np.isfinite(deck.features).all() and np.isfinite(deck.backs).all()
    if (
        found_format != FORMAT
        or not sound
        or not set(cards) <= set(DECK_CARDS)
        or not _has_valid_templates(deck)
    ):
        raise BadInputError("{path}: not a deck file of this version", path=path)
    if changed:
        raise BadInputError(
            "{path}: the deck file has been changed since it was written; enrol the deck again", path=path
        )
    return deck


def _has_valid_templates(deck: Deck) -> bool:
    """Return whether the templates are grey images of the right size, at most one for each card."""
    shape = (len(deck.template_cards), *EMPTY_TEMPLATES_SHAPE[1:])
    each_once = len(set(deck.template_cards)) == len(deck.template_cards) and set(deck.template_cards) <= set(
        CARDS
    )
    return each_once and deck.templates.shape == shape and deck.templates.dtype == np.uint8


def _checksum(parts: Mapping[str, Any]) -> str:
    """Return a checksum of all other arrays: the name, type, shape and bytes of each."""
    digest = hashlib.sha256()
    for name in _PARTS[:-1]:
        if name in _OPTIONAL_PARTS and name not in parts:
            continue  # older files were hashed without these
        part = np.asarray(parts[name]) if name in parts else np.zeros(0)
        little = part.astype(part.dtype.newbyteorder("<"))
        digest.update(f"{name} {little.dtype.str} {little.shape}".encode() + little.tobytes())
    return digest.hexdigest()


def _refuse_bomb(data: BinaryIO) -> None:
    """Raise ValueError for an archive that unpacks to more than a deck has, or that holds other parts."""
    with zipfile.ZipFile(data) as archive:
        parts = archive.infolist()
    data.seek(0)
    unknown = {part.filename for part in parts} - {f"{name}.npy" for name in _PARTS}
    if unknown or len(parts) > len(_PARTS) or sum(part.file_size for part in parts) > _MAX_UNPACKED_BYTES:
        raise ValueError("not the parts of a deck")


def deck_names(folder: Path | None = None) -> tuple[str, ...]:
    """Return the names of the enrolled decks, sorted."""
    return tuple(sorted(path.stem for path in (folder or decks_folder()).glob("*.npz")))


def remove_deck(name: str, folder: Path | None = None) -> None:
    """Delete a deck's file.

    Raises:
        BadInputError: There is no deck of that name.
    """
    try:
        deck_path(name, folder).unlink()
    except FileNotFoundError as error:
        raise BadInputError("deck {name}: not enrolled", name=name) from error
