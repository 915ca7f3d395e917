"""Names and labels of cards, dates and paths, as screens and logs show them. This module knows no rules."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from companion.i18n.catalogue import _, gettext_noop
from engine.cards import SUITS

SUIT_SIGN = {"C": "♣", "D": "♦", "H": "♥", "S": "♠"}
_RANK_WORD = {
    "J": gettext_noop("jack"),
    "Q": gettext_noop("queen"),
    "K": gettext_noop("king"),
    "A": gettext_noop("ace"),
}
_SUIT_WORD = {
    "C": gettext_noop("clubs"),
    "D": gettext_noop("diamonds"),
    "H": gettext_noop("hearts"),
    "S": gettext_noop("spades"),
}

_MONTHS = (
    *(
        gettext_noop("January"),
        gettext_noop("February"),
        gettext_noop("March"),
        gettext_noop("April"),
        gettext_noop("May"),
        gettext_noop("June"),
    ),
    *(
        gettext_noop("July"),
        gettext_noop("August"),
        gettext_noop("September"),
        gettext_noop("October"),
        gettext_noop("November"),
    ),
    gettext_noop("December"),
)


def split_card(card: str) -> tuple[str, str]:
    """Return (rank, suit letter). The suit is empty for a joker, an unknown card or a bare rank."""
    if len(card) > 1 and card != "JOKER" and card[-1] in SUITS:
        return card[:-1], card[-1]
    return card, ""


def is_red(card: str) -> bool:
    """Return whether the card's suit is printed in red."""
    return split_card(card)[1] in ("D", "H")


def date_text(seconds: float) -> str:
    """Return the local date of a time in seconds since 1970: `14 November 2026`."""
    day = time.localtime(seconds)
    month = _(_MONTHS[day.tm_mon - 1])
    return _("{day} {month} {year}").format(day=day.tm_mday, month=month, year=day.tm_year)


def short_path(path: Path) -> str:
    """Return a path, shortened to `~/…` inside the home folder."""
    try:
        return f"~/{path.relative_to(Path.home()).as_posix()}"
    except (ValueError, RuntimeError):  # elsewhere, or the home folder is unknown
        return str(path)


def card_label(card: str) -> str:
    """Return a card as it is printed: `9♠`, `Joker`, `?`."""
    rank, suit = split_card(card)
    if rank == "??":
        return "?"
    return _("Joker") if rank == "JOKER" else rank + SUIT_SIGN.get(suit, "")


def card_name(card: str) -> str:
    """Return a card as it is spoken: `9 of spades`."""
    rank, suit = split_card(card)
    if rank in ("??", "JOKER"):
        return _("an unknown card") if rank == "??" else _("joker")
    word = _(_RANK_WORD.get(rank, rank))
    return _("{rank} of {suit}").format(rank=word, suit=_(_SUIT_WORD[suit])) if suit else word


_DEMAND_MORE = (gettext_noop("red"), gettext_noop("black"), gettext_noop("of a better suit if equal"))
"""Phrases that may follow a comma in the engine's demand."""
_DEMAND = re.compile(r"(\w+) or (higher|lower)(.*)", re.DOTALL)


def demand_text(text: str) -> str:
    """Return what may be played (`9 or higher`, `anything`) in the current language."""
    found = _DEMAND.fullmatch(text)
    if found is None:
        return _(text) if text in (gettext_noop("anything"), gettext_noop("not known")) else text
    form = gettext_noop("{rank} or higher") if found[2] == "higher" else gettext_noop("{rank} or lower")
    more = [_(part) if part in _DEMAND_MORE else part for part in found[3].split(", ") if part]
    return ", ".join([_(form).format(rank=_(found[1])), *more])


_ONE_OF = {
    "2": gettext_noop("a 2"),
    "3": gettext_noop("a 3"),
    "4": gettext_noop("a 4"),
    "5": gettext_noop("a 5"),
    "6": gettext_noop("a 6"),
    "7": gettext_noop("a 7"),
    "8": gettext_noop("an 8"),
    "9": gettext_noop("a 9"),
    "10": gettext_noop("a 10"),
    "J": gettext_noop("a jack"),
    "Q": gettext_noop("a queen"),
    "K": gettext_noop("a king"),
    "A": gettext_noop("an ace"),
    "JOKER": gettext_noop("a joker"),
}


def playable_text(demand: str, also: Sequence[str]) -> str:
    """Return all that may be played: `9 or higher, or a 2`."""
    needed = demand_text(demand)
    cards = _(" or ").join(_(_ONE_OF[rank]) for rank in also if rank in _ONE_OF)
    return _("{demand}, or {cards}").format(demand=needed, cards=cards) if needed and cards else needed


def capitalized(text: str | None) -> str:
    """Return `text` with a capital first letter."""
    return text[:1].upper() + text[1:] if text else ""


def turn_text(table: Any, waiting: str) -> str:
    """Return who acts, or who has lost; `waiting` if it is nobody's turn.

    `table` is the referee's public table.
    """
    if table.loser:
        return _("{player} is the Shithead").format(player=table.loser)
    return _("{player} to play").format(player=table.turn) if table.turn else waiting


def playable_now(table: Any) -> str:
    """Return what the player whose turn it is may play, as a line of its own; nothing if it is nobody's."""
    if not table.turn or table.loser:
        return ""
    return capitalized(playable_text(table.demand_in_words, table.also_playable))


def cards_label(cards: Sequence[str]) -> str:
    """Return several cards as they are printed, long lists cut in the middle: `9♠ 9♦`."""
    if len(cards) > 6:
        return " ".join(map(card_label, cards[:3])) + f" … {card_label(cards[-1])}"
    return " ".join(map(card_label, cards))


def clock_text(seconds: float) -> str:
    """Return a time of the source as minutes and seconds."""
    whole = max(0, int(seconds))
    return f"{whole // 60}:{whole % 60:02d}"
