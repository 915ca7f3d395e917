"""Reading rank and suit of cards whose outlines are known.

Three looks at each card are put together: the whole flattened card (pips, courts) and its two index corners
(which also carry fans, where only a corner shows). Of a card of which an index alone is found, and that does
not tell the card for certain, the whole upper end is looked at as well. Each look gives a probability for
every card; their logarithms are summed with weights that were fitted, as was the floor below which no look
may push a card.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine.cards import JOKER
from engine.errors import BadInputError
from engine.files.json_text import parse_json
from vision.decks.card_classes import CARDS, OUTPUTS, RANK_OUTPUTS, SUITS, is_red
from vision.decks.deck import DeckHead
from vision.geometry import quad_sides
from vision.recognition.crops import CORNERS, FaceCrops, face_crops, index_crops, network_input, strip_crop
from vision.recognition.ink import SHOWS_ITS_INK, inks
from vision.recognition.runtime import Backend, Network, load_quickest, preferred
from vision.two_threads import both
from vision.types import Image, Quad
from vision.weights import MODELS

WEIGHTS = MODELS / "faces"
"""Package data of `models`: `whole.onnx`, `corner.onnx`, `strip.onnx`, `fusion.json`."""
FORMAT = 1
"""Of `fusion.json`, raised whenever older code could not use newer weights."""

CLASSES = (*CARDS, JOKER, "NONE")
"""What is told apart, in the order of `FaceReading.log_probabilities`. NONE: nothing that can be read."""
_NONE = len(CLASSES) - 1
_ALTERNATIVES = 3
_IMPOSSIBLE = -50.0
"""The log-probability of what is ruled out."""
_SQUARE_SIDES = 1.25
"""Sides less unequal than this do not tell which edge of a foreshortened card is the short one."""
_IS_RED = np.array([is_red(card) for card in CARDS])
_COLOUR_IN_DOUBT = 0.04
"""Where both colours are likelier than this the ink is asked."""

PLAIN_INDEX = 0.97
"""What is read less surely in a lone index is looked at once more, with all of the card's upper end."""

_WORTH_A_THREAD = 4
"""So many cards, or lone indices, take longer to read than a second thread takes to wake."""

LogProbabilities = NDArray[np.float64]
"""N x len(CLASSES)."""
_Real = TypeVar("_Real", np.float32, np.float64)


@dataclass(frozen=True, slots=True)
class Fusion:
    """How the looks at a card are put together: fitted by `models.faces.calibrate` on held-out decks."""

    whole_weight: float
    corner_weight: float
    floor: float
    """Smallest probability that one look may give to a card."""
    threshold: float
    """Below this probability a card is not named."""
    index_weight: float = 1.0
    """Weight of a corner of which nothing else of its card is seen."""
    index_threshold: float = 0.8
    """Below this probability a card of which only a corner is seen is not named."""
    beside_strip: tuple[float, float] = (1.0, 0.0)
    """Weights of a corner, and of the card's upper end, where both are looked at."""


@dataclass(frozen=True, slots=True, eq=False)
class FaceReading:
    """What one card was read as."""

    card: str | None
    """`9S`, `JOKER`, ... or None when no card is likely enough."""
    confidence: float
    """Calibrated probability of `card`; where it is None, of the likeliest card."""
    alternatives: tuple[tuple[str, float], ...]
    """Other cards it may be, most probable first; where `card` is None, all of them."""
    log_probabilities: NDArray[np.float64]
    """Of each of CLASSES; for `fuse`."""
    alone: NDArray[np.float64] | None = None
    """The same without the opinion of an enrolled deck, where one was heard."""

    @property
    def unreadable(self) -> float:
        """Probability that there is nothing to read: a back, a covered card, no card."""
        return float(np.exp(self.log_probabilities[_NONE]))

    def otherwise(self, threshold: float) -> FaceReading:
        """Return what a card is that cannot be the one which is named: of that rank, but of another suit.

        The rank is read beside the pip, of which others may leave too little to be seen.
        """
        at = CLASSES.index(self.card) if self.card is not None else len(CARDS)
        if at >= len(CARDS):
            return self
        log_p = self.log_probabilities.copy()
        of_rank = log_p[at - at % len(SUITS) :][: len(SUITS)]
        rank = np.logaddexp.reduce(of_rank)
        of_rank[at % len(SUITS)] = _IMPOSSIBLE
        of_rank += rank - np.logaddexp.reduce(of_rank)
        return reading_of(log_p, threshold)


def _log_softmax(logits: NDArray[np.floating]) -> NDArray[np.float64]:
    shifted = np.asarray(logits, np.float64) - np.max(logits, axis=-1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True)))


def class_log_probabilities(outputs: NDArray[np.float32]) -> LogProbabilities:
    """Return the log-probability of each of CLASSES from a network's outputs (N x at least OUTPUTS)."""
    rank = _log_softmax(outputs[:, :RANK_OUTPUTS])
    suit = _log_softmax(outputs[:, RANK_OUTPUTS:OUTPUTS])
    cards = rank[:, : RANK_OUTPUTS - 2, None] + suit[:, None, :]
    return np.concatenate([cards.reshape(len(outputs), -1), rank[:, RANK_OUTPUTS - 2 :]], axis=1)


def _corner_opinion(log_p: LogProbabilities) -> LogProbabilities:
    """Return what a corner says about the card: one that shows nothing says nothing."""
    p = np.exp(log_p)
    blank = p[:, _NONE:]
    readable = p / np.maximum(1 - blank, 1e-9)
    readable[:, _NONE] = 0
    return np.asarray(np.log((1 - blank) * readable + blank / len(CLASSES) + 1e-12))


def fused(whole: LogProbabilities, corners: Sequence[LogProbabilities], fusion: Fusion) -> LogProbabilities:
    """Return the looks at each card as one: a weighted sum of log-probabilities, normalised.

    `corners` are the opinions of the pieces in the order of `FaceCrops.corners`. The two cuts of one corner
    show the same ink: their probabilities are averaged, and only the corners' logarithms are summed.
    """
    floor = np.log(fusion.floor)
    total = fusion.whole_weight * np.logaddexp(whole, floor)
    opinions = [_corner_opinion(corner) for corner in corners]
    for exact, wide in zip(opinions[:2], opinions[2:], strict=True):
        total = total + fusion.corner_weight * np.logaddexp(np.logaddexp(exact, wide) - np.log(2), floor)
    return _log_softmax(total)


def fused_index(
    exact: LogProbabilities, wide: LogProbabilities, fusion: Fusion, strip: LogProbabilities | None = None
) -> LogProbabilities:
    """Return the two cuts of a lone index as one opinion about its card, normalised.

    `strip`: what the upper ends of the cards say, where they were looked at.
    """
    floor = np.log(fusion.floor)
    index = np.logaddexp(np.logaddexp(_corner_opinion(exact), _corner_opinion(wide)) - np.log(2), floor)
    if strip is None:
        return _log_softmax(fusion.index_weight * index)
    of_index, of_strip = fusion.beside_strip
    return _log_softmax(of_index * index + of_strip * np.logaddexp(_corner_opinion(strip), floor))


def reading_of(
    log_p: NDArray[np.float64], threshold: float, alone: NDArray[np.float64] | None = None
) -> FaceReading:
    """Return the reading for one row of log-probabilities; `alone`: the same without an enrolled deck."""
    cards = log_p[:_NONE]
    order = np.argsort(-cards)[: _ALTERNATIVES + 1]
    likely = [(CLASSES[k], float(np.exp(cards[k]))) for k in order]
    best, confidence = likely[0]
    if confidence < threshold:
        return FaceReading(None, confidence, tuple(likely[:_ALTERNATIVES]), log_p, alone)
    return FaceReading(best, confidence, tuple(likely[1:]), log_p, alone)


def _judged_by_ink(
    log_p: LogProbabilities, image: Image, quads: Sequence[Quad], sure: Sequence[tuple[str, Quad]]
) -> LogProbabilities:
    """Weigh what is read in lone indices by the colour of their ink, where it is open whether that is red.

    Of each rank the ink tells the suit: how likely the rank is stays as it was.
    """
    cards = np.exp(log_p[:, : len(CARDS)])
    either = np.minimum(cards[:, _IS_RED].sum(axis=1), cards[:, ~_IS_RED].sum(axis=1))
    doubtful = np.flatnonzero(either > _COLOUR_IN_DOUBT)
    if not len(doubtful):
        return log_p
    named = zip(cards, quads, strict=True)
    plain = [(CARDS[int(row.argmax())], quad) for row, quad in named if float(row.max()) >= SHOWS_ITS_INK]
    seen = inks(image, [*plain, *sure])
    if seen is None:
        return log_p
    odds = np.zeros((len(log_p), 1))
    odds[doubtful, 0] = seen.log_odds_of_red(image, [quads[int(k)] for k in doubtful])
    of_ranks = log_p[:, : len(CARDS)].reshape(len(log_p), -1, len(SUITS))
    weighed = of_ranks + np.where(_IS_RED, odds / 2, -odds / 2).reshape(of_ranks.shape)
    was, now = (np.logaddexp.reduce(part, axis=2, keepdims=True) for part in (of_ranks, weighed))
    weighed += was - now
    return np.concatenate([weighed.reshape(len(log_p), -1), log_p[:, len(CARDS) :]], axis=1)


def fuse(readings: Sequence[FaceReading], threshold: float = 0.5) -> FaceReading:
    """Return several frames' readings of one card as one: they vote by summed log-probabilities.

    Frames of one camera err alike, so their sum counts as that of the square root of their number of
    independent looks. Raises ValueError for no readings at all.
    """
    if not readings:
        raise ValueError("there is no reading to fuse")
    total = np.sum([reading.log_probabilities for reading in readings], axis=0) / np.sqrt(len(readings))
    return reading_of(_log_softmax(total), threshold)


def load_fusion(path: Path) -> Fusion:
    """Return the fitted numbers. Raises BadInputError for a missing or broken file, or another format."""
    try:
        found = parse_json(path.read_bytes())
        if found["format"] != FORMAT:
            raise BadInputError(
                "{path}: format {format} of the weights, this program needs {needed}",
                path=path,
                format=found["format"],
                needed=FORMAT,
            )
        names = ("whole_weight", "corner_weight", "floor", "threshold", "index_weight", "index_threshold")
        numbers = {name: float(found[name]) for name in names}
        of_index, of_strip = map(float, found["beside_strip"])
        if not np.isfinite([*numbers.values(), of_index, of_strip]).all():
            raise ValueError
        return Fusion(**numbers, beside_strip=(of_index, of_strip))
    except OSError as error:
        raise BadInputError("{path}: cannot be read ({reason})", path=path, reason=error.strerror) from error
    except (ValueError, KeyError, TypeError) as error:
        if isinstance(error, BadInputError):
            raise
        raise BadInputError("{path}: not a fusion file of the face networks", path=path) from error


class FaceReader:
    """Names cards whose outlines are known."""

    def __init__(
        self,
        weights: Path = WEIGHTS,
        deck: DeckHead | None = None,
        backend: Backend | None = None,
        threads: int | None = None,
    ) -> None:
        """Load the networks; `deck` is an enrolled deck's head. Raises BadInputError for missing weights."""
        if threads is None and preferred(backend) == "onnxruntime":
            threads = 1  # each half of a picture's cards has its own thread, which brings more
        self._folder = weights
        self._load = partial(load_quickest, backend=backend, threads=threads)
        self._whole = self._load(weights / "whole.onnx")
        self._corner = self._load(weights / "corner.onnx")
        self.fusion = load_fusion(weights / "fusion.json")
        if deck is not None and deck.weights != self.fingerprint:
            raise BadInputError(
                "deck {name}: enrolled with other network weights; enrol it again", name=deck.name
            )
        self.deck = deck

    def read(self, image: Image, quads: Sequence[Quad]) -> list[FaceReading]:
        """Return a reading for each quad (4 x 2 px, clockwise, a short edge first, either way up)."""
        if not len(quads):
            return []
        turned = [k for k, quad in enumerate(quads) if _sides_unclear(quad)]
        tried = [*quads, *(np.roll(quads[k], 1, axis=0) for k in turned)]
        log_p, features = _in_halves(tried, lambda part: self._unhelped([face_crops(image, q) for q in part]))
        chosen = np.arange(len(quads))
        for other, k in enumerate(turned, start=len(quads)):
            # A card on its side is seldom mistaken for another one with as much certainty. The networks alone
            # know that: an enrolled deck has never seen a card on its side.
            if log_p[other, :_NONE].max() > log_p[k, :_NONE].max():
                chosen[k] = other
        alone = log_p[chosen]
        if self.deck is None:
            return [reading_of(row, self.fusion.threshold) for row in alone]
        helped = self.deck.refine(alone, features[chosen])
        return [reading_of(row, self.fusion.threshold, own) for row, own in zip(helped, alone, strict=True)]

    @cached_property
    def _strip(self) -> Network:
        """The network for upper ends. Raises BadInputError for missing weights."""
        return self._load(self._folder / "strip.onnx")

    def read_indices(
        self,
        image: Image,
        quads: Sequence[Quad],
        sure: Sequence[tuple[str, Quad]] = (),
        *,
        alone: bool = False,
    ) -> list[FaceReading]:
        """Return a reading for each card of which only the index beside its quad's first corner is seen.

        Where the suit's colour is in doubt it is judged by the ink of `sure` cards in the same picture.
        `alone`: by nothing but the index, whatever shows of the card beside it.
        """
        if not len(quads):
            return []
        outputs = _in_halves(quads, lambda part: self._index_outputs([index_crops(image, q) for q in part]))
        exact, wide = (class_log_probabilities(part) for part in outputs)
        log_p = fused_index(exact, wide, self.fusion)
        doubtful = np.flatnonzero(log_p.max(axis=1) < np.log(PLAIN_INDEX))
        if len(doubtful) and not alone:
            strips = self.strip_log_probabilities([strip_crop(image, quads[int(k)]) for k in doubtful])
            log_p[doubtful] = fused_index(exact[doubtful], wide[doubtful], self.fusion, strips)
        if self.deck is not None:
            log_p = self.deck.refine_index(log_p, self.features(outputs[0], outputs[1:]))
        log_p = _judged_by_ink(log_p, image, quads, sure)
        return [reading_of(row, self.fusion.index_threshold) for row in log_p]

    def index_log_probabilities(
        self, crops: Sequence[tuple[NDArray[np.uint8], NDArray[np.uint8]]]
    ) -> tuple[LogProbabilities, LogProbabilities]:
        """Return what each cut of lone indices says (twice N x len(CLASSES)), see `index_crops`."""
        exact, wide = self._index_outputs(crops)
        return class_log_probabilities(exact), class_log_probabilities(wide)

    def strip_log_probabilities(self, strips: Sequence[NDArray[np.uint8]]) -> LogProbabilities:
        """Return what the upper ends of cards say (N x len(CLASSES)), see `strip_crop`."""
        return class_log_probabilities(_run(self._strip, np.stack(strips)))

    def _index_outputs(
        self, crops: Sequence[tuple[NDArray[np.uint8], NDArray[np.uint8]]]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return the corner network's raw outputs for each cut of lone indices."""
        outputs = _run(self._corner, np.stack([piece for pair in crops for piece in pair]))
        return outputs[0::2], outputs[1::2]

    def log_probabilities(self, crops: Sequence[FaceCrops]) -> LogProbabilities:
        """Return the log-probabilities (N x len(CLASSES)) of cards that are cut out already."""
        return self._helped(*self._unhelped(crops))

    def _unhelped(self, crops: Sequence[FaceCrops]) -> tuple[LogProbabilities, NDArray[np.float32]]:
        """Return what the networks alone say, and the features that an enrolled deck judges by."""
        whole, corners = self.outputs(crops)
        log_p = fused(
            class_log_probabilities(whole), [class_log_probabilities(part) for part in corners], self.fusion
        )
        return log_p, self.features(whole, corners)

    def _helped(self, log_p: LogProbabilities, features: NDArray[np.float32]) -> LogProbabilities:
        return log_p if self.deck is None else self.deck.refine(log_p, features)

    def outputs(self, crops: Sequence[FaceCrops]) -> tuple[NDArray[np.float32], list[NDArray[np.float32]]]:
        """Return the networks' raw outputs: for the whole cards, and for each of the CORNERS pieces."""
        whole = _run(self._whole, np.stack([c.whole for c in crops]))
        pieces = _run(self._corner, np.stack([corner for c in crops for corner in c.corners]))
        return whole, [pieces[k::CORNERS] for k in range(CORNERS)]

    @property
    def fingerprint(self) -> str:
        """Tells these weights from others: the features of an enrolled deck belong to one set of weights."""
        return weights_fingerprint(self._folder)

    @staticmethod
    def features(whole: NDArray[np.float32], corners: Sequence[NDArray[np.float32]]) -> NDArray[np.float32]:
        """Return what an enrolled deck learns from: the features behind the logits (N x their number)."""
        return np.concatenate([part[:, OUTPUTS:] for part in (whole, *corners)], axis=1)


def weights_fingerprint(folder: Path = WEIGHTS) -> str:
    """Return what tells these weights from others, without loading them."""
    parts = (folder / name for name in ("whole.onnx", "corner.onnx"))
    return hashlib.sha256(b"".join(part.read_bytes() for part in parts)).hexdigest()[:16]


def _run(network: Network, pieces: NDArray[np.uint8]) -> NDArray[np.float32]:
    output = network.run(network_input(pieces))
    if output.ndim != 2 or len(output) != len(pieces) or output.shape[1] < OUTPUTS:
        raise BadInputError(
            "the face network's output has shape {shape}: weights of another version", shape=output.shape
        )
    return output


def _in_halves(
    quads: Sequence[Quad], read: Callable[[Sequence[Quad]], tuple[NDArray[_Real], NDArray[np.float32]]]
) -> tuple[NDArray[_Real], NDArray[np.float32]]:
    """Return what `read` says of many quads, two arrays with a row for each: half of it by another thread."""
    if len(quads) < _WORTH_A_THREAD:
        return read(quads)
    half = (len(quads) + 1) // 2  # the second thread begins a little later
    first, second = both(lambda: read(quads[:half]), lambda: read(quads[half:]))
    return np.concatenate([first[0], second[0]]), np.concatenate([first[1], second[1]])


def _sides_unclear(quad: ArrayLike) -> bool:
    width, height = quad_sides(quad)
    return height < _SQUARE_SIDES * width
