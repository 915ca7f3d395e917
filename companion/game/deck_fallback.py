"""Handle a game whose deck was removed or damaged before the game goes on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from companion.game.setup import GameSetup
from companion.i18n.catalogue import _
from engine.errors import BadInputError
from engine.messages import Said, message
from vision.decks.deck import deck_names, load_deck


def without_missing_deck(setup: GameSetup, tell: Callable[[Said], object]) -> GameSetup:
    """Return the setup, without its deck if that cannot be loaded. The game goes on in any case.

    `tell` gets the reason.
    """
    if setup.deck is None:
        return setup
    try:
        load_deck(setup.deck)
    except BadInputError as error:
        tell(message("{reason}; the game goes on without it", reason=error))
        return replace(setup, deck=None)
    return setup


def is_deck_missing(deck: str | None) -> bool:
    """Return whether a deck is no longer enrolled."""
    return deck is not None and deck not in deck_names()


def missing_deck_text(deck: str | None) -> str:
    """Return a line about a game's deck that is no longer enrolled, or an empty text."""
    if deck is None or not is_deck_missing(deck):
        return ""
    if deck_names():
        return _("Its deck, {deck}, is no longer enrolled. The game will use the deck chosen below.").format(
            deck=deck
        )
    return _("Its deck, {deck}, is no longer enrolled. The game goes on without it.").format(deck=deck)
