"""The referee's sentences in the current language, built from their facts (`engine.sentences`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from string import Formatter
from typing import Any

from companion.i18n.catalogue import _, gettext_noop, language
from companion.i18n.wording import card_name, demand_text
from engine.sentences import Said, as_sentence, facts_of

SAID = "said"
"""The field of a stored ruling that holds form and facts of its needs and notes, by their English text."""
_SEVERAL = {
    "J": gettext_noop("jacks"),
    "Q": gettext_noop("queens"),
    "K": gettext_noop("kings"),
    "A": gettext_noop("aces"),
}


def storable_ruling(ruling: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return a ruling as it is stored: with form and facts, so that any language can say it later."""
    if ruling is None:
        return None
    sentences = [*(ruling.get("needs") or ()), *(ruling.get("notes") or ())]
    said = {str(text): facts_of(text) for text in sentences if isinstance(text, Said)}
    return {**ruling, SAID: said} if said else ruling


def breach_text(breach: Mapping[str, Any]) -> str:
    """Return a breach's sentence."""
    return _anew(str(breach.get("says") or ""), breach.get("form"), breach.get("facts"))


def ruling_sentence(text: str, ruling: Mapping[str, Any]) -> str:
    """Return a note or a need of a ruling."""
    if isinstance(text, Said):
        return _anew(text, text.form, text.facts)
    known = (ruling.get(SAID) or {}).get(text) or {}
    return _anew(text, known.get("form"), known.get("facts"))


def _anew(english: str, form: Any, facts: Any) -> str:
    """Return a sentence in the current language. An unknown form stays English."""
    if language() == "en" or not isinstance(form, str) or not isinstance(facts, Mapping):
        return english
    translated = _(form)
    if translated == form:
        return english
    try:
        return as_sentence(_WORDS.vformat(translated, (), facts), translated, facts)
    except (KeyError, ValueError, TypeError, IndexError):  # a line of another version of this program
        return english


class _Words(Formatter):
    """Fills the fields of a translated form; the format spec names the kind of word.

    `cards`: names of cards; `or`: the same as a choice; `rank`: a rank; `plural`: a rank in the plural;
    `demand`: what may be played.
    """

    def format_field(self, value: Any, format_spec: str) -> str:
        several = list(value) if isinstance(value, list | tuple) else [value]
        match format_spec:
            case "cards":
                return _joined([card_name(str(card)) for card in several], _("and"))
            case "or":
                return _joined([card_name(str(card)) for card in several], _("or"))
            case "rank":
                return card_name(str(value))
            case "plural":
                return _joined([_plural(str(rank)) for rank in several], _("and"))
            case "demand":
                return demand_text(str(value))
        return _("the player") if value is None else str(value)


def _plural(rank: str) -> str:
    return _(_SEVERAL[rank]) if rank in _SEVERAL else _("{rank}s").format(rank=card_name(rank))


def _joined(words: Sequence[str], last: str) -> str:
    return " ".join([", ".join(words[:-1]), last, words[-1]]) if len(words) > 1 else "".join(words)


_WORDS = _Words()
