"""The reader of a game for which no deck was named: it knows an enrolled deck by its back, or learns one."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from engine.messages import Said
from vision.decks.deck import Deck, deck_names, learnt_folder, load_learnt, save_deck
from vision.enrolment.known_backs import DeckByBack, decks_with_backs
from vision.enrolment.online_learning import AGREED, LearningReader
from vision.recognition import incremental as rereading
from vision.recognition.classifier import FaceReader
from vision.recognition.reader import TableReader
from vision.types import CardReader


def unnamed_reader(
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
    reader, faces = _networks()
    faces.deck = None
    weights = faces.fingerprint
    seen: CardReader = rereading.ChangedParts(reader)
    decks = decks_with_backs(weights) if by_back else ()
    if decks and tell is not None:
        seen = DeckByBack(seen, faces, decks, tell)
    if not learn:
        return seen, None
    learning = LearningReader(seen, faces, _collected(weights), _keep)
    return learning, learning


def _collected(weights: str) -> Deck | None:
    """Return what earlier games collected, if these networks can use it."""
    before = load_learnt()
    usable = before is not None and before.weights == weights and len(set(before.cards)) >= AGREED
    return before if usable else None


def _keep(deck: Deck) -> None:
    save_deck(deck, learnt_folder())


@cache
def _networks() -> tuple[TableReader, FaceReader]:
    """Return a reader and the face reader inside it, loaded once.

    Not the ones of `reader.default_reader`: what else reads with those knows nothing of this game.
    """
    faces = FaceReader()
    return TableReader(faces=faces), faces
