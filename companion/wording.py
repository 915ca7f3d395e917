"""Events and cards in words and signs, as screens and logs show them. No rules are known here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

SUITS = "CDHS"
RANKS = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")
SUIT_SIGN = {"C": "♣", "D": "♦", "H": "♥", "S": "♠"}
_RANK_WORD = {"J": "jack", "Q": "queen", "K": "king", "A": "ace"}
_SUIT_WORD = {"C": "clubs", "D": "diamonds", "H": "hearts", "S": "spades"}


def split_card(card: str) -> tuple[str, str]:
    """Return (rank, suit letter); the suit is empty for a joker, an unknown card or a bare rank."""
    if len(card) > 1 and card != "JOKER" and card[-1] in SUITS:
        return card[:-1], card[-1]
    return card, ""


def is_red(card: str) -> bool:
    """Return whether the card's suit is printed in red."""
    return split_card(card)[1] in ("D", "H")


def card_sign(card: str) -> str:
    """Return a card in print: `9♠`, `Joker`, `?`."""
    rank, suit = split_card(card)
    if rank == "??":
        return "?"
    return "Joker" if rank == "JOKER" else rank + SUIT_SIGN.get(suit, "")


def card_words(card: str) -> str:
    """Return a card as it is said aloud: `9 of spades`."""
    rank, suit = split_card(card)
    if rank in ("??", "JOKER"):
        return "a card not read" if rank == "??" else "joker"
    word = _RANK_WORD.get(rank, rank)
    return f"{word} of {_SUIT_WORD[suit]}" if suit else word


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
    who = str(line.get("player") or "Somebody")
    cards = [str(card) for card in line.get("cards") or ()]
    shown = cards_sign(cards)
    count = line.get("count") or len(cards)
    match kind:
        case "play":
            return f"{who} plays {shown}{_from(line.get('source'))}"
        case "flip":
            return f"{who} turns up {shown or 'a card'}"
        case "take_up":
            return f"{who} takes up {shown or 'an up-card'}"
        case "take_down":
            return f"{who} takes a face-down card"
        case "pick_up":
            return f"{who} picks up {_counted(int(count), 'card')}" if count else f"{who} picks up"
        case "burn":
            return f"{_counted(len(cards), 'card')} burnt" if cards else "The pile burns"
        case "show":
            return f"{who} shows {shown or 'a 3'}" + (f" to {line['to']}" if line.get("to") else "")
        case "draw":
            return f"{who} draws {_counted(int(count or 1), 'card')}"
        case "exchange":
            return f"{who} exchanges" if line.get("player") else "Cards are exchanged"
        case "deal":
            return "The cards are dealt"
        case "out":
            return f"{who} is out"
        case "game_over":
            loser = line.get("loser")
            return f"Game over: {loser} is the Shithead" if loser else "Game over"
        case "late_breach":
            return str(line.get("says") or f"{who} broke a rule earlier")
        case "unclear":
            return str(line.get("says") or "Not clear what happened")
    return kind


def _from(source: Any) -> str:
    return {"up": " from the table", "down": " blind", "hand+up": " from hand and table"}.get(str(source), "")


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
