"""A second look at cards that cannot be named surely: their outlines may be off.

Where a camera looks at the table from the side, or a picture is blurred, the outline that was found may be a
rectangle though the card is seen as a slanted one, and then nothing lies where the face networks look for it.
So the outline is slanted by several amounts, drawn onto the picture's edges each time, and the best are read.
Seen from farther aside still a card's long sides are the shorter ones in the picture: where an outline shows
nothing, it is read the other way round.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from vision.geometry import is_convex
from vision.recognition.classifier import FaceReader, FaceReading, reading_of
from vision.recognition.detector import Outline
from vision.recognition.outline_refinement import edge_support, refine_quads
from vision.types import Image, Quad

_BLANK = 0.5
"""Where there seems to be nothing to read, with at least this probability, no second look is taken."""
_GUESS = 0.3
"""So likely a card must be at least: what looks like all and none is no badly outlined card."""
_PLAINLY_OUTLINED, _SHOWS_NOTHING, _SURELY_TURNED = 0.8, 0.9, 0.8
"""So sure an outline that so surely shows nothing may be turned; it is if a card is named so surely then."""
_MOST = 6
"""So many cards of a picture are looked at again, those first that are nearest to being named."""
_SLANTS = tuple(
    (across, along)
    for across, along in itertools.product((-0.35, -0.17, 0.0, 0.17, 0.35), repeat=2)
    if abs(across) + abs(along) <= 0.55
)
"""How far the card's height leans along its width, and its width along its height."""
_READ = 3
"""So many slants are read: those whose sides lie most plainly on edges ..."""
_GAIN = 0.05
"""... by at least this much more than those of the outline as it was found."""
_EDGES = 5.0
"""How much more the edges under its sides tell of a quad than the certainty of the name read in it."""
_TRUST = 0.75
"""Share of the second look in the final probabilities: the best of many tries looks surer than it is."""


def look_again(
    image: Image, outlines: Sequence[Outline], names: Sequence[FaceReading], faces: FaceReader
) -> tuple[list[Outline], list[FaceReading]]:
    """Return outlines and names, those of doubtful cards put right where a slanted outline fits better."""
    better_outlines, better_names = list(outlines), list(names)
    doubtful = [
        k
        for k, (outline, name) in enumerate(zip(outlines, names, strict=True))
        if outline.face == "up"
        and name.card is None
        and name.confidence >= _GUESS
        and name.unreadable < _BLANK
    ]
    for k in sorted(doubtful, key=lambda k: -names[k].confidence)[:_MOST]:
        quad, name = _seen_again(image, outlines[k].quad, names[k], faces)
        better_outlines[k], better_names[k] = replace(outlines[k], quad=quad), name
    blank = [k for k, name in enumerate(names) if _may_be_turned(outlines[k], name)][:_MOST]
    turned = [np.roll(outlines[k].quad, 1, axis=0) for k in blank]
    for k, quad, name in zip(blank, turned, faces.read(image, turned) if turned else [], strict=True):
        if name.card is not None and name.confidence >= _SURELY_TURNED:
            better_outlines[k], better_names[k] = replace(outlines[k], quad=quad), name
    return better_outlines, better_names


def _may_be_turned(outline: Outline, name: FaceReading) -> bool:
    plain = outline.face == "up" and outline.confidence >= _PLAINLY_OUTLINED
    return plain and name.card is None and name.unreadable >= _SHOWS_NOTHING


def _seen_again(image: Image, quad: Quad, name: FaceReading, faces: FaceReader) -> tuple[Quad, FaceReading]:
    """Return a card's outline and name after a second look."""
    slanted = [tried for tried in refine_quads(image, list(_slanted(quad))) if is_convex(tried)]
    support = edge_support(image, [quad, *slanted])
    order = 1 + np.argsort(-support[1:], kind="stable")[:_READ]
    tried = [int(k) for k in order if support[k] > support[0] + _GAIN]
    if not tried:
        return quad, name
    quads = [quad, *(slanted[k - 1] for k in tried)]
    readings = [name, *faces.read(image, quads[1:])]
    certainty = np.exp([reading.log_probabilities[:-1].max() for reading in readings])
    best = int(np.argmax(certainty + _EDGES * support[[0, *tried]]))
    pooled = _pooled(readings[best].log_probabilities, name.log_probabilities)
    again, first = readings[best].alone, name.alone
    alone = None if again is None or first is None else _pooled(again, first)
    return quads[best], reading_of(pooled, faces.fusion.threshold, alone)


def _pooled(again: NDArray[np.float64], first: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return both looks' log-probabilities as one."""
    return np.asarray(np.log(_TRUST * np.exp(again) + (1 - _TRUST) * np.exp(first)))


def _slanted(quad: Quad) -> NDArray[np.float32]:
    """Return the quad slanted by each of _SLANTS (their number x 4 x 2), its middle where it was."""
    middle = quad.mean(axis=0)
    right = (quad[1] - quad[0] + quad[2] - quad[3]) / 2
    down = (quad[3] - quad[0] + quad[2] - quad[1]) / 2
    frame = np.stack([right, down], axis=1).astype(np.float64)
    sides = np.linalg.norm(frame, axis=0)
    places = (quad - middle) @ np.linalg.inv(frame).T * sides
    slants = np.array([[[1.0, across], [along, 1.0]] for across, along in _SLANTS])
    moved = (places @ slants.swapaxes(1, 2)) / sides @ frame.T
    return np.asarray(moved + middle, np.float32)
