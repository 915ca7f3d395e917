"""Cards: how they are written, read and spoken.

A card is text: rank and suit (`10H`), or `JOKER`. A rank alone (`9`) is a card whose suit does not matter.
`??` is a card that nobody has identified. Inside the engine a rank is an int from 2 to 14; the ace is 14.
`JOKER_RANK` is the rank of a joker, and `UNKNOWN_RANK` is a rank that is not known.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from engine.errors import BadInputError

RANKS = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")
SUITS = ("C", "D", "H", "S")
JOKER = "JOKER"
UNKNOWN = "??"
JOKERS_PER_PACK = 2
UNKNOWN_RANK = 0
JOKER_RANK = 15
RANK_VALUES: dict[str, int] = {text: value for value, text in enumerate(RANKS, 2)} | {JOKER: JOKER_RANK}
"""The int of each written rank."""
RANK_TEXTS: dict[int, str] = {value: text for text, value in RANK_VALUES.items()}
RED, BLACK = 1, 2
"""Colours as bits: a set with both colours is `RED | BLACK`."""

FULL_PACK: tuple[str, ...] = tuple(rank + suit for rank in RANKS for suit in SUITS)

_RANK_NAMES = {"J": "jack", "Q": "queen", "K": "king", "A": "ace", JOKER: "joker"}
_SUIT_NAMES = {"C": "clubs", "D": "diamonds", "H": "hearts", "S": "spades"}


def _spellings() -> dict[str, str]:
    """Return the card for every accepted spelling."""
    table = {card: card for card in (*FULL_PACK, *RANKS, JOKER, UNKNOWN)}
    table |= {"T" + suit: "10" + suit for suit in SUITS} | {"T": "10"}
    table |= {f"JOKER{number}": JOKER for number in range(1, 10)}
    return table | {text.lower(): card for text, card in table.items()} | {"Joker": JOKER}


SPELLINGS = _spellings()
"""The card for every usual spelling; `parse_card` accepts a few more."""

RANK_OF: dict[str, int] = {
    card: UNKNOWN_RANK if card == UNKNOWN else RANK_VALUES[card if card in RANK_VALUES else card[:-1]]
    for card in set(SPELLINGS.values())
}
"""The rank of a card as `parse_card` returns it."""
SUIT_OF: dict[str, str] = {card: card[-1] if card in FULL_PACK else "" for card in RANK_OF}
"""The suit letter of a card; empty if the card has no suit or it is not known."""
COLOUR_OF: dict[str, int] = {
    card: RED if suit in ("D", "H") else BLACK if suit else 0 for card, suit in SUIT_OF.items()
}
"""The colour bit of a card; 0 if the card has no colour or it is not known."""


def parse_card(text: object) -> str:
    """Return the card as the engine writes it (`"10h"` gives `"10H"`, `"Joker1"` gives `"JOKER"`).

    Raises:
        BadInputError: the text is not a card.
    """
    card = SPELLINGS.get(text) if isinstance(text, str) else None
    if card is None and isinstance(text, str):
        card = SPELLINGS.get(text.strip().upper())
    if card is None:
        raise BadInputError(
            "{text!r} is not a card (write rank and suit: 10H, QS; JOKER; ??)", text=str(text)[:30]
        )
    return card


def copies(card: str, packs: int) -> int:
    """Return how many copies of a card there are in `packs` packs: one in each, but two of the joker."""
    return packs * JOKERS_PER_PACK if card == JOKER else packs


def all_copies_among(cards: Iterable[str], packs: int) -> set[str]:
    """Return the cards that `cards` holds all copies of, if the game has `packs` packs."""
    return {card for card, count in Counter(cards).items() if count >= copies(card, packs)}


def is_whole(card: str) -> bool:
    """Return whether the text names exactly one card of a pack: rank and suit are both known."""
    return SUIT_OF[card] != ""


def rank_name(rank: int) -> str:
    """Return a rank as it is spoken: `8`, `jack`, `joker`."""
    text = RANK_TEXTS[rank]
    return _RANK_NAMES.get(text, text)


def a_rank(rank: int) -> str:
    """Return a rank with its article: `an 8`, `a jack`."""
    name = rank_name(rank)
    return f"an {name}" if name in ("8", "ace") else f"a {name}"


def rank_plural(rank: int) -> str:
    """Return several cards of a rank as they are spoken: `8s`, `jacks`."""
    return rank_name(rank) + "s"


def card_name(card: str) -> str:
    """Return a card as it is spoken, without article: `4 of hearts`, `joker`, `unknown card`."""
    if card == UNKNOWN:
        return "unknown card"
    name = rank_name(RANK_OF[card])
    return f"{name} of {_SUIT_NAMES[SUIT_OF[card]]}" if SUIT_OF[card] else name


def card_names(cards: Sequence[str]) -> str:
    """Return cards as they are spoken: `the 9 of hearts and the 9 of spades`."""
    return join_words([f"the {card_name(card)}" for card in cards])


def join_words(words: Sequence[str], last: str = "and") -> str:
    """Join words as a list in a sentence: `a, b and c`."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"


def capital(text: str) -> str:
    """Return the text with its first letter in upper case and the rest unchanged."""
    return text[:1].upper() + text[1:]
