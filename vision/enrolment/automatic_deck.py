"""The reader for a game without a named deck: it recognises an enrolled deck by its back, or learns it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from engine.messages import Said
from vision.decks.deck import Deck
from vision.decks.deck_files import deck_names, learnt_folder, load_learnt_deck, save_deck
from vision.enrolment.known_backs import BackMatchingReader, decks_with_backs
from vision.enrolment.online_learning import MIN_AGREEING_CARDS, LearningReader
from vision.recognition import incremental as rereading
from vision.recognition.classifier import CardClassifier
from vision.recognition.reader import TableReader
from vision.types import CardReader


def reader_with_automatic_deck(
    *, learn: bool = False, tell: Callable[[Said], object] | None = None
) -> tuple[CardReader, LearningReader | None]:
    """Return the reader for the pictures of one game, and its learning part (None if it does not learn).

    The reader begins with the networks alone.

    Args:
        learn: Whether to learn the deck. The examples are kept for later games, but only those of the deck
            that was played last.
        tell: Gets one line that names the enrolled deck in use, if its back was seen. None: backs are
            ignored.
    """
    by_back = tell is not None and bool(deck_names())
    if not learn and not by_back:
        return rereading.game_reader(None), None
    reader, classifier = _networks()
    classifier.deck = None
    weights = classifier.fingerprint
    seen: CardReader = rereading.IncrementalReader(reader)
    decks = decks_with_backs(weights) if by_back else ()
    if decks and tell is not None:
        seen = BackMatchingReader(seen, classifier, decks, tell)
    if not learn:
        return seen, None
    learning = LearningReader(seen, classifier, _earlier_examples(weights), _save)
    return learning, learning


def _earlier_examples(weights: str) -> Deck | None:
    """Return the examples of earlier games, if these networks can use them and they are enough."""
    before = load_learnt_deck()
    usable = (
        before is not None
        and before.weights_fingerprint == weights
        and len(set(before.cards)) >= MIN_AGREEING_CARDS
    )
    return before if usable else None


def _save(deck: Deck) -> None:
    save_deck(deck, learnt_folder())


@cache
def _networks() -> tuple[TableReader, CardClassifier]:
    """Return a reader and the classifier inside it, loaded once.

    The shared ones of `reader.default_reader` must not get the deck of this game.
    """
    classifier = CardClassifier()
    return TableReader(classifier=classifier), classifier
