"""Events and cards in words and signs, as screens and logs show them. No rules are known here."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from companion.i18n.catalogue import _, many, marked
from vision.questions import taken_apart

SUITS = "CDHS"
RANKS = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")
SUIT_SIGN = {"C": "♣", "D": "♦", "H": "♥", "S": "♠"}
_RANK_WORD = {"J": marked("jack"), "Q": marked("queen"), "K": marked("king"), "A": marked("ace")}
_SUIT_WORD = {"C": marked("clubs"), "D": marked("diamonds"), "H": marked("hearts"), "S": marked("spades")}

_MONTHS = (
    *(marked("January"), marked("February"), marked("March"), marked("April"), marked("May"), marked("June")),
    *(marked("July"), marked("August"), marked("September"), marked("October"), marked("November")),
    marked("December"),
)


def split_card(card: str) -> tuple[str, str]:
    """Return (rank, suit letter); the suit is empty for a joker, an unknown card or a bare rank."""
    if len(card) > 1 and card != "JOKER" and card[-1] in SUITS:
        return card[:-1], card[-1]
    return card, ""


def is_red(card: str) -> bool:
    """Return whether the card's suit is printed in red."""
    return split_card(card)[1] in ("D", "H")


def day_words(seconds: float) -> str:
    """Return the day, where the device is, of a time in seconds since 1970: `14 November 2026`."""
    day = time.localtime(seconds)
    month = _(_MONTHS[day.tm_mon - 1])
    return _("{day} {month} {year}").format(day=day.tm_mday, month=month, year=day.tm_year)


def path_sign(path: Path) -> str:
    """Return a path as people write it: from their own folder on, where it lies there."""
    try:
        return f"~/{path.relative_to(Path.home()).as_posix()}"
    except (ValueError, RuntimeError):  # elsewhere, or nobody's home is known
        return str(path)


def card_sign(card: str) -> str:
    """Return a card in print: `9♠`, `Joker`, `?`."""
    rank, suit = split_card(card)
    if rank == "??":
        return "?"
    return _("Joker") if rank == "JOKER" else rank + SUIT_SIGN.get(suit, "")


def card_words(card: str) -> str:
    """Return a card as it is said aloud: `9 of spades`."""
    rank, suit = split_card(card)
    if rank in ("??", "JOKER"):
        return _("a card not read") if rank == "??" else _("joker")
    word = _(_RANK_WORD.get(rank, rank))
    return _("{rank} of {suit}").format(rank=word, suit=_(_SUIT_WORD[suit])) if suit else word


_DEMAND_MORE = (marked("red"), marked("black"), marked("of a better suit if equal"))
"""What may follow a comma in what the engine says of a demand."""
_DEMAND = re.compile(r"(\w+) or (higher|lower)(.*)", re.DOTALL)


def demand_words(text: str) -> str:
    """Return what may be played (`9 or higher`, `anything`) in the language in force."""
    found = _DEMAND.fullmatch(text)
    if found is None:
        return _(text) if text in (marked("anything"), marked("not known")) else text
    form = marked("{rank} or higher") if found[2] == "higher" else marked("{rank} or lower")
    more = [_(part) if part in _DEMAND_MORE else part for part in found[3].split(", ") if part]
    return ", ".join([_(form).format(rank=_(found[1])), *more])


def cards_sign(cards: Sequence[str]) -> str:
    """Return several cards in print, long rows cut in the middle: `9♠ 9♦`."""
    if len(cards) > 6:
        return " ".join(map(card_sign, cards[:3])) + f" … {card_sign(cards[-1])}"
    return " ".join(map(card_sign, cards))


def clock(seconds: float) -> str:
    """Return a time of the source as minutes and seconds."""
    whole = max(0, int(seconds))
    return f"{whole // 60}:{whole % 60:02d}"


def event_words(line: Mapping[str, Any]) -> str:
    """Return what an event line says happened, in a few words: `Bob plays 9♠ 9♦`."""
    kind = str(line.get("event"))
    who = str(line.get("player") or _("Somebody"))
    cards = [str(card) for card in line.get("cards") or ()]
    shown = cards_sign(cards)
    count = line.get("count") or len(cards)
    match kind:
        case "play":
            return _("{player} plays {cards}").format(player=who, cards=shown) + _from(line.get("source"))
        case "flip":
            return _("{player} turns up {cards}").format(player=who, cards=shown or _("a card"))
        case "take_up":
            return _("{player} takes up {cards}").format(player=who, cards=shown or _("an up-card"))
        case "take_down":
            return _("{player} takes a face-down card").format(player=who)
        case "pick_up":
            if not count:
                return _("{player} picks up").format(player=who)
            return _("{player} picks up {cards}").format(player=who, cards=_cards(int(count)))
        case "burn":
            if not line.get("player"):
                return _("{cards} burnt").format(cards=_cards(len(cards))) if cards else _("The pile burns")
            if not cards:
                return _("{player} burns the pile").format(player=who)
            return _("{player} burns {cards}").format(player=who, cards=_cards(len(cards)))
        case "show":
            what = _("{player} shows {cards}").format(player=who, cards=shown or "3")
            return what + (" " + _("to {player}").format(player=line["to"]) if line.get("to") else "")
        case "draw":
            return _("{player} draws {cards}").format(player=who, cards=_cards(int(count or 1)))
        case "recount":
            return _("{player} has more cards than were counted").format(player=who)
        case "exchange":
            what = _("{player} exchanges").format(player=who)
            return what if line.get("player") else _("Cards are exchanged")
        case "deal":
            up = line.get("up") or {}
            if len(up) != 1:
                return _("The cards are dealt")
            player, lying = next(iter(up.items()))
            return _("{player} has {cards} face up").format(player=player, cards=cards_sign(lying))
        case "out":
            return _("{player} is out").format(player=who)
        case "game_over":
            loser = line.get("loser")
            return _("Game over: {player} is the Shithead").format(player=loser) if loser else _("Game over")
        case "late_breach":
            from companion.i18n.sentences import breach_words  # which takes its words from here

            breach = line.get("breach") or {"says": line.get("says")}
            return breach_words(breach) or _("{player} broke a rule earlier").format(player=who)
        case "unclear":
            return question_words(line) or _("Not clear what happened")
    return kind


def question_words(line: Mapping[str, Any]) -> str:
    """Return what an `unclear` event asks, in the language in force; a question of old as it was written."""
    says, player = str(line.get("says") or ""), line.get("player")
    known = taken_apart(says, player)
    return says if known is None else _(known[0]).format(player=player or _("Somebody"), **known[1])


def _from(source: Any) -> str:
    words = {"up": _("from the table"), "down": _("blind"), "hand+up": _("from hand and table")}
    return f" {words[str(source)]}" if source in words else ""


def _cards(number: int) -> str:
    return many("{n} card", "{n} cards", number)
