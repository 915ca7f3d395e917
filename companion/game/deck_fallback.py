"""A deck that a game was played with may be forgotten, or its file damaged, before the game goes on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from companion.game.setup import GameSetup
from companion.i18n.catalogue import _
from engine.errors import BadInputError
from engine.messages import Said, message
from vision.decks.deck import deck_names, load_deck


def without_missing_deck(setup: GameSetup, tell: Callable[[Said], object]) -> GameSetup:
    """Return the choice, without its deck where that can be read no more: no game is lost for want of one.

    `tell` is told why.
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
    """Tell whether a deck is enrolled no longer."""
    return deck is not None and deck not in deck_names()


def missing_deck_text(deck: str | None) -> str:
    """Return what is to be said where a game may go on whose deck is enrolled no longer; else nothing."""
    if deck is None or not is_deck_missing(deck):
        return ""
    if deck_names():
        return _("Its deck, {deck}, is enrolled no longer: it goes on with the one chosen below.").format(
            deck=deck
        )
    return _("Its deck, {deck}, is enrolled no longer: it goes on without it.").format(deck=deck)
