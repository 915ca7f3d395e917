"""What the referee says: sentences that carry their facts, so that they can be said anew in other languages.

A form is an English sentence with named places: `say("{who} holds {cards:the}.", who="Ann", cards=["9S"])`.
The engine fills the places in English and keeps form and facts. Facts know no language: players by name,
cards and ranks as they are written (`9S`, `K`), numbers. A form is written where it is said, as a literal: a
catalogue of translations collects them from the source.
"""

from __future__ import annotations

from collections.abc import Sequence
from string import Formatter
from typing import Any

from engine.cards import (
    RANK_VALUES,
    a_rank,
    capital,
    card_name,
    card_names,
    join_words,
    rank_name,
    rank_plural,
)
from engine.messages import Said as Said  # those who say something take both from here

Fact = str | int | None | list[str]
"""A player's name (None: nobody in particular), a number, a card or rank as it is written, or several."""


def say(form: str, **facts: str | int | Sequence[str] | None) -> Said:
    """Return what `form` says of `facts`, in English."""
    plain: dict[str, Fact] = {
        name: fact if fact is None or isinstance(fact, str | int) else list(fact)
        for name, fact in facts.items()
    }
    return Said(_ENGLISH.vformat(form, (), plain), form, plain)


def facts_of(text: str) -> dict[str, Any]:
    """Return form and facts of a sentence, to stand beside it where it is written down."""
    return {"form": text.form, "facts": text.facts} if isinstance(text, Said) else {}


class _English(Formatter):
    """Fills the places of a form; what stands after a colon says how.

    `the`, `The`: cards with their article; `or`: the same, as a choice; `card`: one card without; `a`: a rank
    with its article; `rank`: without; `plural`: several of that rank, or of several ranks.
    """

    def format_field(self, value: Any, format_spec: str) -> str:
        several = value if isinstance(value, list) else [value]
        match format_spec:
            case "the":
                return card_names(several)
            case "The":
                return capital(card_names(several))
            case "or":
                return join_words([f"the {card_name(card)}" for card in several], "or")
            case "card":
                return card_name(str(value))
            case "a":
                return a_rank(RANK_VALUES[str(value)])
            case "rank":
                return rank_name(RANK_VALUES[str(value)])
            case "plural":
                return " and ".join(rank_plural(RANK_VALUES[str(rank)]) for rank in several)
        return "The player" if value is None else str(value)


_ENGLISH = _English()
