"""The referee's sentences, which keep their values so that they can be translated later.

A template (`form`) is an English sentence with named fields:

    say("{who} holds {cards:the}.", who="Ann", cards=["9S"])

The engine fills the fields in English and keeps template and values (`facts`). The values belong to no
language: names of players, written cards and ranks (`9S`, `K`), numbers. A template must be a literal,
because the catalogue of translations collects literals from the source.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
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
from engine.messages import Said as Said  # other modules import `say` and `Said` from here

Fact = str | int | None | list[str]
"""A player's name (None: no particular player), a number, a written card or rank, or a list of these."""
_FIRST_FIELD = re.compile(r"\{(\w+)\}")


def say(form: str, **facts: str | int | Sequence[str] | None) -> Said:
    """Return the English sentence that the template makes of the values."""
    plain: dict[str, Fact] = {
        name: fact if fact is None or isinstance(fact, str | int) else list(fact)
        for name, fact in facts.items()
    }
    return Said(as_sentence(_ENGLISH.vformat(form, (), plain), form, plain), form, plain)


def as_sentence(text: str, form: str, facts: Mapping[str, Any]) -> str:
    """Return a filled template with a capital if it begins with a player who is not known."""
    field = _FIRST_FIELD.match(form)
    if field is None or facts[field[1]] is not None:
        return text
    return capital(text)


def facts_of(text: str) -> dict[str, Any]:
    """Return the fields `form` and `facts` of a sentence for its JSON object; empty for a plain text."""
    return {"form": text.form, "facts": text.facts} if isinstance(text, Said) else {}


class _English(Formatter):
    """Fills the fields of a template. The word after a colon chooses the wording.

    - `the`, `The`: cards with article (`the 9 of spades and the 9 of clubs`).
    - `or`: the same as a choice.
    - `card`: one card without article.
    - `a`: a rank with article (`an 8`).
    - `rank`: a rank without article.
    - `plural`: one or more ranks in the plural (`2s and 3s`).
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
        return "the player" if value is None else str(value)


_ENGLISH = _English()
