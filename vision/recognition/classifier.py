"""Naming cards whose outlines are known: rank and suit.

Each card is classified from several crops: the whole rectified card (pips, courts) and its two index corners.
In a fan, only a corner can be seen. If a lone index leaves doubt, the upper end of the card is classified as
well. The log-probabilities of the crops are summed with fitted weights, and a fitted floor limits how far one
crop can rule a card out.
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
from vision.decks.deck_head import DeckHead
from vision.geometry import quad_size
from vision.parallel import run_both
from vision.recognition.blurred_suits import (
    BLURRED_MM,
    MIN_BLURRED_P,
    blur_mm,
    has_doubtful_suit,
    soften_suits,
)
from vision.recognition.crops import CORNERS, FaceCrops, face_crops, index_crops, network_input, strip_crop
from vision.recognition.ink import INK_SAMPLE_P, InkColours, measure_inks
from vision.recognition.runtime import Backend, Network, load_fastest_network, preferred_backend
from vision.types import Image, Quad
from vision.weights import MODELS

WEIGHTS = MODELS / "faces"
"""Package data of `models`: `whole.onnx`, `corner.onnx`, `strip.onnx`, `fusion.json`."""
FORMAT = 1
"""Version of `fusion.json`, raised whenever older code could not use newer weights."""

CLASSES = (*CARDS, JOKER, "NONE")
"""The classes, in the order of `Classification.log_probabilities`. NONE: nothing that can be read."""
_NONE = len(CLASSES) - 1
_BLANK_P = 0.5
"""With at least this probability of being blank, a reading counts as blank."""
_ALTERNATIVES = 3
"""Other cards reported with a reading."""
_IMPOSSIBLE_LOG_P = -50.0
"""The log-probability of a card that is ruled out."""
_MIN_ASPECT = 1.25
"""Below this ratio of sides, a foreshortened card does not show which edge is the short one."""
_IS_RED = np.array([is_red(card) for card in CARDS])
_DOUBTFUL_COLOUR_P = 0.04
"""If both red and black are more probable than this, the colour of the ink decides."""

SURE_INDEX_P = 0.97
"""A lone index read with less probability is read again with the upper end of its card."""

_MIN_PARALLEL_CARDS = 4
"""From this many cards or indices on, a second thread saves more time than it takes to wake."""

LogProbabilities = NDArray[np.float64]
"""N x len(CLASSES)."""
_Real = TypeVar("_Real", np.float32, np.float64)


@dataclass(frozen=True, slots=True)
class Fusion:
    """How to combine the crops of a card, fitted by `models.faces.calibrate` on held-out decks."""

    whole_weight: float
    """Weight of the whole card's log-probabilities."""
    corner_weight: float
    """Weight of each corner's log-probabilities."""
    floor: float
    """Least probability that one crop may give to a card."""
    threshold: float
    """A card is named from this probability on."""
    index_weight: float = 1.0
    """Weight of the index of a card that shows nothing else."""
    index_threshold: float = 0.8
    """A card that shows only its index is named from this probability on."""
    beside_strip: tuple[float, float] = (1.0, 0.0)
    """Weights of an index and of the card's upper end, if both are classified."""


@dataclass(frozen=True, slots=True, eq=False)
class Classification:
    """The rank and suit of one card, by its crops."""

    card: str | None
    """`9S`, `JOKER`, ...; None if no card is probable enough."""
    confidence: float
    """Calibrated probability of `card`; if that is None, of the likeliest card."""
    alternatives: tuple[tuple[str, float], ...]
    """Other cards that it may be, most probable first. If `card` is None, they include the likeliest card."""
    log_probabilities: NDArray[np.float64]
    """Log-probability of each of CLASSES."""
    without_deck: NDArray[np.float64] | None = None
    """The same without the opinion of an enrolled deck; None if no deck was asked."""
    named_from: float = 0.0
    """Least probability of a name. It is higher if the card is too blurred to tell its suit."""

    @property
    def blank_probability(self) -> float:
        """Probability that there is nothing to read: a back, a covered card, no card."""
        return float(np.exp(self.log_probabilities[_NONE]))

    @property
    def is_blank(self) -> bool:
        """Whether there is probably nothing to read."""
        return self.blank_probability >= _BLANK_P

    def with_another_suit(self, threshold: float) -> Classification:
        """Return the classification of a card that cannot be the named one: same rank, another suit.

        The rank is the surer part, because the pip below it may be covered.
        """
        at = CLASSES.index(self.card) if self.card is not None else len(CARDS)
        if at >= len(CARDS):
            return self
        log_p = self.log_probabilities.copy()
        of_rank = log_p[at - at % len(SUITS) :][: len(SUITS)]
        rank = np.logaddexp.reduce(of_rank)
        of_rank[at % len(SUITS)] = _IMPOSSIBLE_LOG_P
        of_rank += rank - np.logaddexp.reduce(of_rank)
        return classification_of(log_p, threshold)


def _log_softmax(logits: NDArray[np.floating]) -> NDArray[np.float64]:
    shifted = np.asarray(logits, np.float64) - np.max(logits, axis=-1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True)))


def class_log_probabilities(outputs: NDArray[np.float32]) -> LogProbabilities:
    """Return the log-probabilities (N x len(CLASSES)) in a network's raw outputs (N x at least OUTPUTS)."""
    rank = _log_softmax(outputs[:, :RANK_OUTPUTS])
    suit = _log_softmax(outputs[:, RANK_OUTPUTS:OUTPUTS])
    cards = rank[:, : RANK_OUTPUTS - 2, None] + suit[:, None, :]
    return np.concatenate([cards.reshape(len(outputs), -1), rank[:, RANK_OUTPUTS - 2 :]], axis=1)


def _corner_opinion(log_p: LogProbabilities) -> LogProbabilities:
    """Return a corner's log-probabilities with those of a blank corner made uniform."""
    p = np.exp(log_p)
    blank = p[:, _NONE:]
    readable = p / np.maximum(1 - blank, 1e-9)
    readable[:, _NONE] = 0
    return np.asarray(np.log((1 - blank) * readable + blank / len(CLASSES) + 1e-12))


def fuse_views(
    whole: LogProbabilities, corners: Sequence[LogProbabilities], fusion: Fusion
) -> LogProbabilities:
    """Return the crops' opinions on each card as one: a weighted sum of log-probabilities, normalised.

    `corners` are the opinions of the crops in the order of `FaceCrops.corners`. The two crops of one corner
    show the same ink. So their probabilities are averaged, and only the logarithms of the corners are summed.
    """
    floor = np.log(fusion.floor)
    total = fusion.whole_weight * np.logaddexp(whole, floor)
    opinions = [_corner_opinion(corner) for corner in corners]
    for exact, wide in zip(opinions[:2], opinions[2:], strict=True):
        total = total + fusion.corner_weight * np.logaddexp(np.logaddexp(exact, wide) - np.log(2), floor)
    return _log_softmax(total)


def fuse_index_views(
    exact: LogProbabilities, wide: LogProbabilities, fusion: Fusion, strip: LogProbabilities | None = None
) -> LogProbabilities:
    """Return the opinions on lone indices as one for each card, normalised.

    Args:
        exact: Log-probabilities of the exact crops.
        wide: Log-probabilities of the wide crops.
        fusion: The fitted weights.
        strip: Log-probabilities of the cards' upper ends, if they were classified.
    """
    floor = np.log(fusion.floor)
    index = np.logaddexp(np.logaddexp(_corner_opinion(exact), _corner_opinion(wide)) - np.log(2), floor)
    if strip is None:
        return _log_softmax(fusion.index_weight * index)
    of_index, of_strip = fusion.beside_strip
    return _log_softmax(of_index * index + of_strip * np.logaddexp(_corner_opinion(strip), floor))


def mix_readings(
    chosen: NDArray[np.float64], first: NDArray[np.float64], chosen_weight: float
) -> NDArray[np.float64]:
    """Return the log-probabilities of a card that was read in two outlines.

    The best of several tries seems more certain than it is, so the first reading counts, too.

    Args:
        chosen: Log-probability of each of CLASSES in the chosen outline.
        first: The same in the first outline.
        chosen_weight: Weight of `chosen`, 0..1.
    """
    return np.asarray(np.logaddexp(chosen + np.log(chosen_weight), first + np.log(1 - chosen_weight)))


def classification_of(
    log_p: NDArray[np.float64], threshold: float, without_deck: NDArray[np.float64] | None = None
) -> Classification:
    """Return the classification for one row of log-probabilities.

    Args:
        log_p: Log-probability of each of CLASSES.
        threshold: Least probability of a name.
        without_deck: The same row without the opinion of an enrolled deck.
    """
    cards = log_p[:_NONE]
    order = np.argsort(-cards)[: _ALTERNATIVES + 1]
    likely = [(CLASSES[k], float(np.exp(cards[k]))) for k in order]
    best, confidence = likely[0]
    if confidence < threshold:
        open_ = tuple(likely[:_ALTERNATIVES])
        return Classification(None, confidence, open_, log_p, without_deck, threshold)
    return Classification(best, confidence, tuple(likely[1:]), log_p, without_deck, threshold)


def _classification_in_blur(
    image: Image,
    quad: Quad,
    log_p: NDArray[np.float64],
    threshold: float,
    without_deck: NDArray[np.float64] | None = None,
) -> Classification:
    """Return the classification for one row of log-probabilities, whose suit stays open if blur hides it."""
    if not has_doubtful_suit(log_p):
        return classification_of(log_p, threshold, without_deck)
    blur = blur_mm(image, quad)
    named_from = max(threshold, MIN_BLURRED_P) if blur >= BLURRED_MM else threshold
    alone = None if without_deck is None else soften_suits(without_deck, blur)
    return classification_of(soften_suits(log_p, blur), named_from, alone)


def _weighed_by_ink(
    log_p: LogProbabilities,
    image: Image,
    quads: Sequence[Quad],
    sure: Sequence[tuple[str, Quad]],
    inks: InkColours | None,
) -> LogProbabilities:
    """Return log-probabilities of lone indices, weighed by the colour of their ink if that is in doubt.

    Only the suits of each rank change; the probability of the rank itself stays the same.
    """
    cards = np.exp(log_p[:, : len(CARDS)])
    either = np.minimum(cards[:, _IS_RED].sum(axis=1), cards[:, ~_IS_RED].sum(axis=1))
    doubtful = np.flatnonzero(either > _DOUBTFUL_COLOUR_P)
    if not len(doubtful):
        return log_p
    if inks is None:
        named = zip(cards, quads, strict=True)
        plain = [(CARDS[int(row.argmax())], quad) for row, quad in named if float(row.max()) >= INK_SAMPLE_P]
        inks = measure_inks(image, [*plain, *sure])
    if inks is None:
        return log_p
    odds = np.zeros((len(log_p), 1))
    odds[doubtful, 0] = inks.log_odds_of_red(image, [quads[int(k)] for k in doubtful])
    of_ranks = log_p[:, : len(CARDS)].reshape(len(log_p), -1, len(SUITS))
    weighed = of_ranks + np.where(_IS_RED, odds / 2, -odds / 2).reshape(of_ranks.shape)
    was, now = (np.logaddexp.reduce(part, axis=2, keepdims=True) for part in (of_ranks, weighed))
    weighed += was - now
    return np.concatenate([weighed.reshape(len(log_p), -1), log_p[:, len(CARDS) :]], axis=1)


def fuse_frames(readings: Sequence[Classification], threshold: float = 0.5) -> Classification:
    """Return the classifications of one card in several frames as one, by their summed log-probabilities.

    Frames of one camera share their errors. So N frames count as much as the square root of N independent
    ones.

    Raises:
        ValueError: There are no classifications.
    """
    if not readings:
        raise ValueError("there is no reading to fuse")
    total = np.sum([reading.log_probabilities for reading in readings], axis=0) / np.sqrt(len(readings))
    return classification_of(_log_softmax(total), threshold)


def load_fusion(path: Path) -> Fusion:
    """Return the fitted weights.

    Raises:
        BadInputError: The file is missing or broken, or has another format.
    """
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


class CardClassifier:
    """Names cards whose outlines are known."""

    def __init__(
        self,
        weights: Path = WEIGHTS,
        deck: DeckHead | None = None,
        backend: Backend | None = None,
        threads: int | None = None,
    ) -> None:
        """Load the networks.

        Args:
            weights: Folder of the weights.
            deck: Head of an enrolled deck, which refines the networks' opinion.
            backend: The runtime; None: the preferred one.
            threads: Threads per network; None: the default for the runtime.

        Raises:
            BadInputError: Weights are missing or broken, or the deck was enrolled with other weights.
        """
        if threads is None and preferred_backend(backend) == "onnxruntime":
            threads = 1  # each half of an image's cards has a thread of its own, which is faster
        self._folder = weights
        self._load = partial(load_fastest_network, backend=backend, threads=threads)
        self._whole = self._load(weights / "whole.onnx")
        self._corner = self._load(weights / "corner.onnx")
        self.fusion = load_fusion(weights / "fusion.json")
        if deck is not None and deck.weights_fingerprint != self.fingerprint:
            raise BadInputError(
                "deck {name}: enrolled with other network weights; enrol it again", name=deck.name
            )
        self.deck = deck

    def classify(self, image: Image, quads: Sequence[Quad]) -> list[Classification]:
        """Return a classification for each quad (4 x 2 px, clockwise, a short edge first, either way up)."""
        if not len(quads):
            return []
        turned = [k for k, quad in enumerate(quads) if _looks_square(quad)]
        tried = [*quads, *(np.roll(quads[k], 1, axis=0) for k in turned)]
        log_p, features = _in_halves(
            tried, lambda part: self._network_opinion([face_crops(image, q) for q in part])
        )
        chosen = np.arange(len(quads))
        for other, k in enumerate(turned, start=len(quads)):
            # A card turned on its side is rarely mistaken for another card with as much certainty. The
            # networks alone decide this, because an enrolled deck has never seen a card on its side.
            if log_p[other, :_NONE].max() > log_p[k, :_NONE].max():
                chosen[k] = other
        alone = log_p[chosen]
        read = [tried[k] for k in chosen]
        threshold = self.fusion.threshold
        if self.deck is None:
            return [
                _classification_in_blur(image, quad, row, threshold)
                for quad, row in zip(read, alone, strict=True)
            ]
        helped = self.deck.refine(alone, features[chosen])
        return [
            _classification_in_blur(image, quad, row, threshold, own)
            for quad, row, own in zip(read, helped, alone, strict=True)
        ]

    @cached_property
    def _strip(self) -> Network:
        """The network for the upper ends of cards.

        Raises:
            BadInputError: Its weights are missing or broken.
        """
        return self._load(self._folder / "strip.onnx")

    def classify_indices(
        self,
        image: Image,
        quads: Sequence[Quad],
        confident_cards: Sequence[tuple[str, Quad]] = (),
        *,
        index_only: bool = False,
        inks: InkColours | None = None,
    ) -> list[Classification]:
        """Return a classification for each card that shows only the index beside its quad's first corner.

        Args:
            image: Height x width x 3, BGR, 8 bit.
            quads: The cards, 4 x 2 px each, clockwise, a short edge first.
            confident_cards: Names and quads of cards in the same image, whose ink shows what red looks like.
            index_only: Whether to ignore the rest of the card's upper end.
            inks: The colours of ink, if they are known; None: measured from the confident cards.
        """
        if not len(quads):
            return []
        outputs = _in_halves(quads, lambda part: self._index_outputs([index_crops(image, q) for q in part]))
        exact, wide = (class_log_probabilities(part) for part in outputs)
        log_p = fuse_index_views(exact, wide, self.fusion)
        doubtful = np.flatnonzero(log_p.max(axis=1) < np.log(SURE_INDEX_P))
        if len(doubtful) and not index_only:
            strips = self.strip_log_probabilities([strip_crop(image, quads[int(k)]) for k in doubtful])
            log_p[doubtful] = fuse_index_views(exact[doubtful], wide[doubtful], self.fusion, strips)
        if self.deck is not None:
            log_p = self.deck.refine_index(log_p, self.features(outputs[0], outputs[1:]))
        log_p = _weighed_by_ink(log_p, image, quads, confident_cards, inks)
        threshold = self.fusion.index_threshold
        return [
            _classification_in_blur(image, quad, row, threshold)
            for quad, row in zip(quads, log_p, strict=True)
        ]

    def index_log_probabilities(
        self, crops: Sequence[tuple[NDArray[np.uint8], NDArray[np.uint8]]]
    ) -> tuple[LogProbabilities, LogProbabilities]:
        """Return the log-probabilities of the exact and the wide crops of lone indices, see `index_crops`.

        Both are N x len(CLASSES).
        """
        exact, wide = self._index_outputs(crops)
        return class_log_probabilities(exact), class_log_probabilities(wide)

    def strip_log_probabilities(self, strips: Sequence[NDArray[np.uint8]]) -> LogProbabilities:
        """Return the log-probabilities (N x len(CLASSES)) of the upper ends of cards, see `strip_crop`."""
        return class_log_probabilities(_run(self._strip, np.stack(strips)))

    def _index_outputs(
        self, crops: Sequence[tuple[NDArray[np.uint8], NDArray[np.uint8]]]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return the corner network's raw outputs for the exact and for the wide crops of lone indices."""
        outputs = _run(self._corner, np.stack([piece for pair in crops for piece in pair]))
        return outputs[0::2], outputs[1::2]

    def log_probabilities(self, crops: Sequence[FaceCrops]) -> LogProbabilities:
        """Return the log-probabilities (N x len(CLASSES)) of cards by their crops."""
        return self._with_deck(*self._network_opinion(crops))

    def _network_opinion(self, crops: Sequence[FaceCrops]) -> tuple[LogProbabilities, NDArray[np.float32]]:
        """Return the networks' log-probabilities, and the features by which an enrolled deck judges."""
        whole, corners = self.outputs(crops)
        log_p = fuse_views(
            class_log_probabilities(whole), [class_log_probabilities(part) for part in corners], self.fusion
        )
        return log_p, self.features(whole, corners)

    def _with_deck(self, log_p: LogProbabilities, features: NDArray[np.float32]) -> LogProbabilities:
        return log_p if self.deck is None else self.deck.refine(log_p, features)

    def outputs(self, crops: Sequence[FaceCrops]) -> tuple[NDArray[np.float32], list[NDArray[np.float32]]]:
        """Return the networks' raw outputs: for the whole cards, and for each of the CORNERS crops."""
        whole = _run(self._whole, np.stack([c.whole for c in crops]))
        pieces = _run(self._corner, np.stack([corner for c in crops for corner in c.corners]))
        return whole, [pieces[k::CORNERS] for k in range(CORNERS)]

    @property
    def fingerprint(self) -> str:
        """Identifies the weights, because the features of an enrolled deck belong to one set of weights."""
        return weights_fingerprint(self._folder)

    @staticmethod
    def features(whole: NDArray[np.float32], corners: Sequence[NDArray[np.float32]]) -> NDArray[np.float32]:
        """Return the features (N x their number) behind the logits, from which an enrolled deck learns."""
        return np.concatenate([part[:, OUTPUTS:] for part in (whole, *corners)], axis=1)


def weights_fingerprint(folder: Path = WEIGHTS) -> str:
    """Return the fingerprint of the weights in a folder, without loading them."""
    parts = (folder / name for name in ("whole.onnx", "corner.onnx"))
    return hashlib.sha256(b"".join(part.read_bytes() for part in parts)).hexdigest()[:16]


def _run(network: Network, pieces: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Return a network's output for crops (N x height x width x 3).

    Raises BadInputError if the output has the wrong shape.
    """
    output = network.run(network_input(pieces))
    if output.ndim != 2 or len(output) != len(pieces) or output.shape[1] < OUTPUTS:
        raise BadInputError(
            "the face network's output has shape {shape}: weights of another version", shape=output.shape
        )
    return output


def _in_halves(
    quads: Sequence[Quad], read: Callable[[Sequence[Quad]], tuple[NDArray[_Real], NDArray[np.float32]]]
) -> tuple[NDArray[_Real], NDArray[np.float32]]:
    """Return the two arrays of `read` for all quads, half of them read by a second thread."""
    if len(quads) < _MIN_PARALLEL_CARDS:
        return read(quads)
    half = (len(quads) + 1) // 2  # the second thread starts a little later
    first, second = run_both(lambda: read(quads[:half]), lambda: read(quads[half:]))
    return np.concatenate([first[0], second[0]]), np.concatenate([first[1], second[1]])


def _looks_square(quad: ArrayLike) -> bool:
    """Return whether a quad's sides do not show which edge of the card is the short one."""
    width, height = quad_size(quad)
    return height < _MIN_ASPECT * width
