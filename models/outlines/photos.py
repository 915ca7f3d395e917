"""Pseudo-labels for photos: an earlier network turns their labelled boxes into the quads that training needs.

The network outlines a photo at several scales. An outline counts as true if its box agrees with a labelled
box, or if labelled indices lie where the card has them. Training ignores the labels that no outline confirms.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.photos import BACK, Label, LabelledPhoto, load_set
from datasets.scenes.scene import UNSURE
from datasets.scenes.store import write_scene_parts
from vision.geometry import (
    CARD_HEIGHT_MM,
    CARD_MM,
    CARD_WIDTH_MM,
    bounding_box,
    homography,
    is_convex,
    polygon_iou,
    rectangle,
    transform,
)
from vision.recognition.detector import Outline, OutlineFinder
from vision.recognition.outline_refinement import refine_quad
from vision.types import Image, Quad

BOX_SETS = ("rf100/train", "edje/train", "edje/test")
CORNER_SETS = ("bidly_fans",)
"""Not mix55: its photos are stretched to squares, and its corners confirmed loose outlines."""
LEAST_SURE = 0.3
"""Least confidence of an outline."""
_SCALES = (1.0, 0.6, 0.4)
_LEAST_BOX_IOU = 0.88
_LONGEST = 480
"""Long side of the stored photos, pixels. Cards are then as large as in scenes."""
_INDEX_MM = (15.0, 27.0)
"""Greatest distance of the middle of an index from the corner of its card, across and along."""


def propose(finder: OutlineFinder, image: Image) -> list[Outline]:
    """Return the outlines found at several scales, refined on the full picture, most confident first."""
    found: list[Outline] = []
    for scale in _SCALES:
        height, width = image.shape[:2]
        canvas = np.full_like(image, 114)
        small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        canvas[: small.shape[0], : small.shape[1]] = small
        for outline in finder.find(np.asarray(canvas, np.uint8)):
            shrunk = np.array([small.shape[1] / width, small.shape[0] / height], np.float32)
            quad = (outline.quad / shrunk).astype(np.float32)
            found.append(Outline(refine_quad(image, quad), outline.face, outline.confidence))
    return sorted(found, key=lambda outline: -outline.confidence)


def box_agrees(quad: Quad, label: Label) -> bool:
    """Whether the box around `quad` agrees with the labelled one."""
    return is_convex(quad) and polygon_iou(rectangle(*bounding_box(quad)), label.points) >= _LEAST_BOX_IOU


def index_agrees(quad: Quad, label: Label) -> bool:
    """Whether a labelled index lies in a corner of the card at `quad`."""
    width, height = CARD_WIDTH_MM, CARD_HEIGHT_MM
    to_card = homography(quad, CARD_MM)
    x, y = transform(to_card, [label.points.mean(axis=0)])[0]
    in_x, in_y = min(x, width - x), min(y, height - y)
    return bool(1 < in_x < _INDEX_MM[0] and 2 < in_y < _INDEX_MM[1])


def confirm_boxes(photo: LabelledPhoto, found: Sequence[Outline]) -> tuple[list[Outline], list[Label]]:
    """Return the outlines that labelled boxes confirm, and the labels without an outline."""
    confirmed: list[Outline] = []
    missed: list[Label] = []
    for label in photo.labels:
        match = next((outline for outline in found if box_agrees(outline.quad, label)), None)
        if match is None:
            missed.append(label)
        else:
            confirmed.append(Outline(match.quad, "down" if label.card == BACK else "up", match.confidence))
    return confirmed, missed


def confirm_corners(photo: LabelledPhoto, found: Sequence[Outline]) -> tuple[list[Outline], list[Label]]:
    """Return the outlines that labelled indices confirm, and the indices without an outline.

    Two indices of the same card must lie in the outline, or one in a confident outline.
    """
    confirmed: list[Outline] = []
    open_labels = [label for label in photo.labels if label.card != BACK]
    for outline in found:
        if outline.face != "up" or any(polygon_iou(outline.quad, other.quad) > 0.75 for other in confirmed):
            continue
        inside = [label for label in open_labels if index_agrees(outline.quad, label)]
        cards = [label.card for label in inside]
        pair = next((card for card in cards if cards.count(card) >= 2), None)
        if pair is None and not (len(set(cards)) == 1 and outline.confidence > 0.6):
            continue
        confirmed.append(outline)
        card = pair or cards[0]
        open_labels = [
            label for label in open_labels if label.card != card or not index_agrees(outline.quad, label)
        ]
    return confirmed, open_labels


def owner_map(
    shape: Sequence[int], confirmed: Sequence[Outline], unsure: Sequence[NDArray[np.float32]]
) -> NDArray[np.uint8]:
    """Return the owner of each pixel; overlaps are UNSURE, because no label says which card is on top."""
    owner = np.zeros(shape[:2], np.uint8)
    for polygon in unsure:
        cv2.fillConvexPoly(owner, np.round(polygon).astype(np.int32), (UNSURE,))
    times = np.zeros(shape[:2], np.uint8)
    for number, outline in enumerate(confirmed, start=1):
        points = np.round(outline.quad).astype(np.int32)
        cv2.fillConvexPoly(owner, points, (number,))
        layer = np.zeros(shape[:2], np.uint8)
        cv2.fillConvexPoly(layer, points, (1,))
        times += layer
    owner[times > 1] = UNSURE
    return owner


def _around(label: Label, grow: float) -> NDArray[np.float32]:
    centre = label.points.mean(axis=0)
    return np.asarray((label.points - centre) * grow + centre, np.float32)


def label_photo(finder: OutlineFinder, photo: LabelledPhoto, path: Path, corners: bool) -> tuple[int, int]:
    """Store one photo with its confirmed quads; returns the numbers of confirmed quads and missed labels."""
    image = photo.image()
    found = propose(finder, image)
    confirmed, missed = (confirm_corners if corners else confirm_boxes)(photo, found)
    if not confirmed:
        return 0, len(missed)
    # Around an index without an outline lies an unknown card, about six indices wide.
    unsure = [_around(label, 6.0 if corners else 1.05) for label in missed]
    if corners:  # unconfirmed outlines may still be true
        unsure += [outline.quad for outline in found if outline.confidence >= LEAST_SURE]
    unsure += [_around(label, 1.1) for label in photo.labels if label.card == BACK and corners]
    scale = _LONGEST / max(image.shape[:2])
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    scaled = [Outline(o.quad * np.float32(scale), o.face, o.confidence) for o in confirmed]
    owner = owner_map(small.shape, scaled, [polygon * np.float32(scale) for polygon in unsure])
    quads = np.array([o.quad for o in scaled], np.float32)
    write_scene_parts(
        path, np.asarray(small, np.uint8), quads, np.array([o.face == "up" for o in scaled]), owner
    )
    return len(confirmed), len(missed)


def label_sets(finder: OutlineFinder, folder: Path) -> list[Path]:
    """Store every photo of the training sets with a confirmed outline, and return the paths."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in (*BOX_SETS, *CORNER_SETS):
        counts = [0, 0]
        for photo in load_set(name):
            path = folder / f"{name.replace('/', '-')}-{photo.path.stem}.jpg"
            confirmed, missed = label_photo(finder, photo, path, name in CORNER_SETS)
            counts = [counts[0] + confirmed, counts[1] + missed]
        print(f"{name}: {counts[0]} confirmed, {counts[1]} not", flush=True)
    return sorted(folder.glob("*.jpg"))


def main() -> None:
    """Label the training photos with the shipped network."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--weights", type=Path, default=None, help="network to label with")
    parser.add_argument("folder", type=Path)
    args = parser.parse_args()
    label_sets(OutlineFinder(args.weights, least=LEAST_SURE, refine=False, closer_look=False), args.folder)


if __name__ == "__main__":
    main()
