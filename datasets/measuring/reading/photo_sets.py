"""The sets of labelled photographs, and how each is measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from datasets.measuring.reading.matching import Measure, face_down_places, face_up_places, set_of_cards
from datasets.photos import BACK, card_folders, label_folders, load_set
from engine.errors import BadInputError


class PhotoSet(NamedTuple):
    """A set of photos, and how it is measured."""

    folder: str
    """Path below the photo folder; `.` is that folder itself."""
    measure: Measure


KNOWN_SETS: dict[str, PhotoSet] = {
    "vpo_table": PhotoSet("vpo_table", face_up_places),
    "vpo_table_down": PhotoSet("vpo_table", face_down_places),
    "rf100_valid": PhotoSet("rf100/valid", set_of_cards),
    "laptopcam_piles": PhotoSet("mix55/laptopcam_piles", set_of_cards),
    "bidly_fans": PhotoSet("bidly_fans", set_of_cards),
    "avgustine_quads": PhotoSet("avgustine_quads", face_up_places),
    "jaxon411": PhotoSet("jaxon411", face_up_places),
    "jaxon411_down": PhotoSet("jaxon411", face_down_places),
    "evan_backs": PhotoSet("evan_backs", face_down_places),
    "yuchenrao_single": PhotoSet("yuchenrao_single", set_of_cards),
    "alvaro_corners": PhotoSet("alvaro_corners", set_of_cards),
}
"""The sets that `shithead evaluate` knows by name. It finds others by their labels."""
LONE_INDEX_SET = "alvaro_corners"
"""A set of cut-out index corners without cards. The reader names them like the indices that it finds."""
TRAINED_ON = (
    "rf100/train",
    "mix55/phone_single",
    "mix55/black_deck_phone",
    "mix55/other",
    "edje/train",
    "edje/test",
)
"""Sets that shipped networks were trained on. They are measured only if named."""
_DOWN = "_down"
"""Suffix for the face-down cards of a set that has others too."""
_KEPT_ASIDE = "sealed"
"""A folder of sets for measuring finished work. Its sets are measured only if named."""


def photo_sets(root: Path, asked: Sequence[str] = ()) -> dict[str, PhotoSet]:
    """Return the named sets of a folder, in that order; without names, all except `TRAINED_ON`.

    Raises:
        BadInputError: there is no such set, or none at all.
    """
    others = _other_folders(root)
    if not asked:
        there = {name: one for name, one in KNOWN_SETS.items() if (root / one.folder).is_dir()}
        for name, folder in others.items():
            there |= _sets_in(name, folder, root)
        if not there:
            raise BadInputError(f"{root}: contains no photo sets, and no images with labels")
        return there
    return {name: _named_set(name, others, root) for name in asked}


def _named_set(name: str, others: Mapping[str, str], root: Path) -> PhotoSet:
    if name in KNOWN_SETS:
        return KNOWN_SETS[name]
    folders = {**others, **{folder: folder for folder in TRAINED_ON if (root / folder).is_dir()}}
    whole = name if name in folders else name.removesuffix(_DOWN)
    rows = _sets_in(whole, folders[whole], root) if whole in folders else {}
    if name not in rows:
        there = ", ".join([*KNOWN_SETS, *folders])
        raise BadInputError(f"--sets {name}: no such set; there are {there}, held_out, held_out_jokers")
    return rows[name]


def _other_folders(root: Path) -> dict[str, str]:
    """Return the folders of the sets in or below `root` that are neither known nor trained on, by name."""
    known = {one.folder for one in KNOWN_SETS.values()} | set(TRAINED_ON)
    inside = [path for path in sorted(root.iterdir()) if path.is_dir() and path.name != _KEPT_ASIDE]
    below = [path for folder in inside for path in sorted(folder.iterdir()) if path.is_dir()]
    folders = [path.relative_to(root).as_posix() for path in (root, *inside, *below) if _is_set(path)]
    return {root.resolve().name if name == "." else name: name for name in folders if name not in known}


def _is_set(folder: Path) -> bool:
    if (folder / "images").is_dir():
        return bool(label_folders(folder)) or (folder / "quads.json").is_file()
    return bool(card_folders(folder))


def _sets_in(name: str, folder: str, root: Path) -> dict[str, PhotoSet]:
    """Return the sets in an unknown folder. Its labels decide how they are measured."""
    labels = [label for photo in load_set(folder, root) for label in photo.labels]
    up = [label for label in labels if label.card != BACK]
    found: dict[str, PhotoSet] = {}
    if up:
        places = any(label.kind == "quad" for label in up)
        found[name] = PhotoSet(folder, face_up_places if places else set_of_cards)
    if len(up) < len(labels):
        found[name + _DOWN if up else name] = PhotoSet(folder, face_down_places)
    return found
