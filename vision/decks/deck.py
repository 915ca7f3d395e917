"""Decks that were shown to the program once, so that it reads them better from then on.

An enrolled deck is a set of examples: what the frozen face networks make of a card (their features), and
which card it is. A ridge regression from features to cards, solved in closed form, is fitted whenever the
deck is loaded, and refines the networks' own opinion; another one does so for lone indices. A small picture
of each card is kept as well, by which names are confirmed (`vision.recognition.deck_check`). Only plain
numbers are stored; nothing in the file is executed.
"""

from __future__ import annotations

import hashlib
import re
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray
from platformdirs import user_data_dir

from engine.cards import JOKER
from engine.errors import BadInputError
from engine.files.atomic import make_folder, whole_file
from engine.files.bounded import read_capped
from vision.decks.card_classes import CARDS
from vision.decks.templates import PICTURE_HEIGHT, PICTURE_WIDTH, CardPictures

FORMAT = 1
KNOWN = (*CARDS, JOKER)
"""What can be enrolled, in the order of the face reader's classes (which has one more: NONE)."""

RIDGE = 20.0
"""Penalty on the regression's weights, for standardised features."""
SHARPNESS = 8.0
"""Turns the regression's scores (about 1 for the right card, 0 for others) into logits."""
WEIGHT = 1.0
"""Of the deck's opinion beside the networks', where all 52 cards are known. The fewer are, the oftener a card
is one that the deck cannot know: then its weight falls with the square of their share."""
INDEX_WEIGHT = 0.5
"""Of the deck's opinion of a lone index."""
_SEEN_WHOLE = 0.001
"""Where the networks think less likely than this that nothing can be read, a card lies open ..."""
_LEAD = (0.2, 0.4)
"""... elsewhere a deck is heard if its best card leads by more than the first score; fully by the second."""

_PARTS = ("format", "weights", "cards", "features", "backs", "pictured", "pictures", "checksum")
_LATER = ("pictured", "pictures")
"""Parts that files have which were written since cards' pictures are kept."""
_MOST_BYTES = 64 * 2**20
"""Unpacked; a deck with many examples of each card has a few megabytes."""

_NO_PICTURES = (0, PICTURE_HEIGHT, PICTURE_WIDTH)

LEARNT = "learnt"
"""Name of the one deck that is kept of what was learnt during play, in a folder of its own."""

_NAME = re.compile(r"[\w-]{1,40}")


@dataclass(frozen=True, eq=False)
class Deck:
    """Examples of one deck's cards."""

    name: str
    weights: str
    """Fingerprint of the networks that the features come from; others' features mean nothing here."""
    cards: tuple[str, ...]
    """Of each example."""
    features: NDArray[np.float32]
    """N x number of features."""
    backs: NDArray[np.float32] = field(default_factory=lambda: np.zeros((0, 0), np.float32))
    """Of each picture of its back, what `backs` makes of it; none where the back was not shown."""
    pictured: tuple[str, ...] = ()
    """Cards of which a picture is kept, each once; never jokers, of which a pack may have several."""
    pictures: NDArray[np.uint8] = field(default_factory=lambda: np.zeros(_NO_PICTURES, np.uint8))
    """Of each of these (`vision.decks.templates.picture_of`): N x PICTURE_HEIGHT x PICTURE_WIDTH."""


class _Ridge:
    """A ridge regression from features to cards (Hoerl and Kennard 1970)."""

    def __init__(self, examples: NDArray[np.floating], targets: NDArray[np.float64]) -> None:
        """Fit to examples (N x features) and what they are (N x cards, 1 for the right card)."""
        values = np.asarray(examples, np.float64)
        self._mean, self._spread = values.mean(axis=0), values.std(axis=0) + 1e-3
        inputs = self._standardised(values)
        penalty = RIDGE * np.eye(inputs.shape[1])
        penalty[-1, -1] = 1e-6  # the constant is not shrunk
        self._solution = np.linalg.solve(inputs.T @ inputs + penalty, inputs.T @ targets)

    def _standardised(self, features: NDArray[np.floating]) -> NDArray[np.float64]:
        values = (np.asarray(features, np.float64) - self._mean) / self._spread
        return np.column_stack([values, np.ones(len(values))])

    def scores(self, features: NDArray[np.floating]) -> NDArray[np.float64]:
        """Return a score for each card (N x cards): about 1 for the right one, 0 for others."""
        return np.asarray(self._standardised(features) @ self._solution)


class DeckHead:
    """What tells the cards of one deck by their features: of whole cards, and of lone indices."""

    def __init__(self, deck: Deck) -> None:
        """Fit to the deck's examples. Raises BadInputError for fewer than two different cards."""
        self.name, self.weights = deck.name, deck.weights
        self.pictures = CardPictures.of(deck.pictured, deck.pictures) if deck.pictured else None
        self.enrolled = tuple(sorted(set(deck.cards), key=KNOWN.index))
        if len(self.enrolled) < 2:
            raise BadInputError("deck {name}: at least two different cards are needed", name=deck.name)
        known = len(set(self.enrolled) & set(CARDS))
        self._weight = WEIGHT * (known / len(CARDS)) ** 2
        self._complete = known == len(CARDS)
        self._columns = np.array([KNOWN.index(card) for card in self.enrolled])
        self._examples = deck.features
        self._targets = np.array(
            [[card == known for known in self.enrolled] for card in deck.cards], np.float64
        )
        self._whole = _Ridge(self._examples, self._targets)
        self._index: _Ridge | None = None

    def refine(
        self, log_probabilities: NDArray[np.float64], features: NDArray[np.float32]
    ) -> NDArray[np.float64]:
        """Return the networks' log-probabilities (N x classes) with the deck's opinion added, normalised."""
        return self._added(log_probabilities, self._whole.scores(features), self._weight)

    def refine_index(
        self, log_probabilities: NDArray[np.float64], features: NDArray[np.float32]
    ) -> NDArray[np.float64]:
        """Return what the networks say of lone indices (N x classes) with the deck's opinion added.

        `features` are those of an index's two cuts, side by side. A deck of which cards are missing says
        nothing: an index shows too little to tell that a card is none of those that are known.
        """
        if not self._complete or not len(features):
            return log_probabilities
        if self._index is None:
            size = features.shape[1] // 2
            # The last four of an example's parts are its corners: both cut exactly, then both wider.
            parts = np.split(self._examples[:, -4 * size :], 4, axis=1)
            both = [np.concatenate(parts[k::2], axis=1) for k in (0, 1)]
            self._index = _Ridge(np.concatenate(both), np.concatenate([self._targets] * 2))
        return self._added(log_probabilities, self._index.scores(features), INDEX_WEIGHT)

    def tells(self, features: NDArray[np.float32]) -> str:
        """Return the card that views of one card (views x features) are of in the deck's own opinion."""
        return self.enrolled[int(np.median(self._whole.scores(features), axis=0).argmax())]

    def _added(
        self, log_probabilities: NDArray[np.float64], scores: NDArray[np.float64], weight: float
    ) -> NDArray[np.float64]:
        """Return log-probabilities with what the scores say added, as far as they are to be trusted."""
        logits = SHARPNESS * scores
        opinion = logits - np.logaddexp.reduce(logits, axis=1, keepdims=True)
        heard = weight * _trust(np.exp(log_probabilities[:, -1]), scores)[:, None]
        # Of cards that were never shown, the deck says neither yes nor no.
        total = log_probabilities + heard * np.log(1 / len(self.enrolled))
        total[:, self._columns] = log_probabilities[:, self._columns] + heard * opinion
        return np.asarray(total - np.logaddexp.reduce(total, axis=1, keepdims=True))


def _trust(blank: NDArray[np.float64], scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how far a deck is to be heard (N, 0..1), by the networks' probability that nothing can be read.

    It has seen its cards whole and alone: of one that lies half under another, or of an outline drawn through
    two cards, it knows nothing, and takes it for some card all the same.
    """
    first, second = np.sort(scores, axis=1)[:, [-1, -2]].T
    plainly = (first - second - _LEAD[0]) / (_LEAD[1] - _LEAD[0])
    return np.asarray(np.clip(np.maximum(1 - blank / _SEEN_WHOLE, plainly), 0, 1))


# --- keeping decks ------------------------------------------------------------------------------------


def decks_folder() -> Path:
    """Return the folder of the enrolled decks (it may not exist yet)."""
    return Path(user_data_dir("shithead")) / "decks"


def learnt_folder() -> Path:
    """Return the folder of the deck that was learnt during play: nobody's list of decks fills with it."""
    return Path(user_data_dir("shithead")) / "learnt"


def load_learnt(folder: Path | None = None) -> Deck | None:
    """Return the deck that was learnt during play in earlier games; None where there is none of any use."""
    try:
        return load_deck(LEARNT, folder or learnt_folder())
    except (BadInputError, OSError):  # it is learnt anew
        return None


def deck_path(name: str, folder: Path | None = None) -> Path:
    """Return the file of a deck. Raises BadInputError for a name that is no plain word."""
    if not _NAME.fullmatch(name):
        raise BadInputError("deck {name!r}: a name is 1 to 40 letters, digits, - or _", name=name)
    return (folder or decks_folder()) / f"{name}.npz"


def save_deck(deck: Deck, folder: Path | None = None) -> Path:
    """Save a deck, in one step, and return its file."""
    path = deck_path(deck.name, folder)
    make_folder(path.parent)
    parts: dict[str, Any] = {
        "format": np.int64(FORMAT),
        "weights": np.array(deck.weights),
        "cards": np.array(deck.cards),
        # Half the precision does not change a reading, and halves what is to be shared.
        "features": deck.features.astype(np.float16),
        "backs": deck.backs.astype(np.float32),
        "pictured": np.array(deck.pictured, "<U8"),
        "pictures": deck.pictures,
    }
    with whole_file(path) as part, part.open("wb") as file:
        np.savez_compressed(file, **parts, checksum=np.array(_checksum(parts)))
    return path


def load_deck(name: str, folder: Path | None = None) -> Deck:
    """Return an enrolled deck. Raises BadInputError when it does not exist or its file is broken."""
    path = deck_path(name, folder)
    if not path.exists():
        known = ", ".join(deck_names(folder)) or "none"
        raise BadInputError("deck {name}: not enrolled (enrolled: {known})", name=name, known=known)
    return read_deck(path, name)


def read_deck(path: Path, name: str) -> Deck:
    """Return the deck in a file, wherever it lies, under a name. Raises BadInputError when it is none."""
    try:
        data = BytesIO(read_capped(path))
        _refuse_bomb(data)
        with np.load(data, allow_pickle=False) as arrays:
            found_format = int(arrays["format"])
            cards: Sequence[str] = arrays["cards"].tolist()
            features = np.asarray(arrays["features"], np.float32)
            # Older files know nothing of backs.
            backs = np.asarray(arrays["backs"] if "backs" in arrays else np.zeros((0, 0)), np.float32)
            # Nor, older still, of checksums; and none but the newest of pictures.
            changed = "checksum" in arrays and str(arrays["checksum"]) != _checksum(arrays)
            pictured = tuple(arrays["pictured"].tolist()) if "pictured" in arrays else ()
            pictures = arrays["pictures"] if "pictures" in arrays else np.zeros(_NO_PICTURES, np.uint8)
            deck = Deck(name, str(arrays["weights"]), tuple(cards), features, backs, pictured, pictures)
    except FileNotFoundError as error:
        raise BadInputError("{path}: there is no such file", path=path) from error
    except BadInputError:
        raise
    except Exception as error:  # of the many that numpy, zipfile and zlib raise over damaged files
        raise BadInputError("{path}: not a deck file", path=path) from error
    whole = deck.features.ndim == deck.backs.ndim == 2 and len(deck.features) == len(cards)
    sound = whole and np.isfinite(deck.features).all() and np.isfinite(deck.backs).all()
    if found_format != FORMAT or not sound or not set(cards) <= set(KNOWN) or not _is_pictured(deck):
        raise BadInputError("{path}: not a deck file of this version", path=path)
    if changed:
        raise BadInputError(
            "{path}: the deck file has been changed since it was written; enrol the deck again", path=path
        )
    return deck


def _is_pictured(deck: Deck) -> bool:
    """Tell whether a deck's pictures are what they should be: small grey ones, of one card each."""
    shape = (len(deck.pictured), *_NO_PICTURES[1:])
    each_once = len(set(deck.pictured)) == len(deck.pictured) and set(deck.pictured) <= set(CARDS)
    return each_once and deck.pictures.shape == shape and deck.pictures.dtype == np.uint8


def _checksum(parts: Mapping[str, Any]) -> str:
    """Return what tells whether any other part has been changed: of each its name, kind, shape and bytes."""
    digest = hashlib.sha256()
    for name in _PARTS[:-1]:
        if name in _LATER and name not in parts:
            continue  # what older files say of themselves stays true
        part = np.asarray(parts[name]) if name in parts else np.zeros(0)
        little = part.astype(part.dtype.newbyteorder("<"))
        digest.update(f"{name} {little.dtype.str} {little.shape}".encode() + little.tobytes())
    return digest.hexdigest()


def _refuse_bomb(data: BinaryIO) -> None:
    """Raise ValueError for an archive that unpacks to more than any deck, or holds what no deck does."""
    with zipfile.ZipFile(data) as archive:
        parts = archive.infolist()
    data.seek(0)
    unknown = {part.filename for part in parts} - {f"{name}.npy" for name in _PARTS}
    if unknown or len(parts) > len(_PARTS) or sum(part.file_size for part in parts) > _MOST_BYTES:
        raise ValueError("not the parts of a deck")


def deck_names(folder: Path | None = None) -> tuple[str, ...]:
    """Return the names of the enrolled decks."""
    return tuple(sorted(path.stem for path in (folder or decks_folder()).glob("*.npz")))


def remove_deck(name: str, folder: Path | None = None) -> None:
    """Forget a deck. Raises BadInputError when there is none of that name."""
    try:
        deck_path(name, folder).unlink()
    except FileNotFoundError as error:
        raise BadInputError("deck {name}: not enrolled", name=name) from error
