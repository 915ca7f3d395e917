"""The reader of a game for which no deck was named: it knows an enrolled deck by its back, or learns one."""

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
    """Return the reader for the pictures of one game, and the same where it learns.

    It begins with the networks alone.

    Args:
        learn: Whether to learn the deck. What is collected is kept for later games: of one deck, that which
            was played with last.
        tell: Told in one line which enrolled deck is used, if its back was seen; None: no back is looked for.
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
    """Return what earlier games collected, if these networks can use it."""
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
    """Return a reader and the face reader inside it, loaded once.

    Not the ones of `reader.default_reader`: what else reads with those knows nothing of this game.
    """
    classifier = CardClassifier()
    return TableReader(classifier=classifier), classifier
