"""The three questions that need no action: who starts, who deals next, how the cards are dealt."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from engine.cards import COLOUR_OF, RANK_OF, RANK_TEXTS, SUIT_OF, UNKNOWN, card_name, join_words
from engine.errors import BadInputError
from engine.judging.situation import read_cards, read_players, read_rules
from engine.mechanics import Mechanics, StartCard
from engine.ruleset import Rule, Ruleset

QUESTIONS = ("who_starts", "next_dealer", "deal")
Answer = dict[str, Any]


def answer(line: Mapping[str, Any]) -> Answer:
    """Answer the question in `ask`, written as `{"type": "deal", ...}` or as its name alone.

    Raises:
        BadInputError: the question is unknown, a field has the wrong form, or the deal is impossible.
    """
    ask = line.get("ask")
    fields: dict[str, Any] = {"type": ask} if isinstance(ask, str) else ask if isinstance(ask, dict) else {}
    kind = fields.get("type")
    if kind not in QUESTIONS:
        raise BadInputError(
            "ask {kind!r} is not one of: {known}", kind=str(kind)[:40], known=", ".join(QUESTIONS)
        )
    rules = read_rules(line)
    players = read_players(line.get("players"))
    dealer = _player(fields.get("dealer", line.get("dealer")), "dealer", players)
    loser = _player(fields.get("loser", line.get("loser")), "loser", players)
    if kind == "deal":
        return _answer_deal(rules, len(players))
    if kind == "next_dealer":
        return next_dealer(rules, players, dealer, loser)
    hands = _hands(fields.get("hands", line.get("hands")), line.get("cards"), players)
    return who_starts(rules, players, hands, dealer, loser)


def _player(value: object, name: str, players: Sequence[str]) -> str | None:
    if value is not None and value not in players:
        raise BadInputError("{name}: {value!r} is not one of the players", name=name, value=str(value)[:40])
    return None if value is None else str(value)


def _hands(value: object, cards: object, players: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Read the hands; without them, those in the situation's `cards`."""
    if value is None and isinstance(cards, dict):
        value = {player: entry.get("hand") for player, entry in cards.items() if isinstance(entry, dict)}
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise BadInputError("hands must be an object of lists of cards, not {value!r}", value=str(value)[:40])
    hands = {}
    for player, held in value.items():
        _player(player, "hands", players)
        read = read_cards(held, f"{player}'s hand")
        if read is not None:
            hands[player] = read
    return hands


def _cited(rule: Rule) -> Answer:
    return {"rule": rule.id, "cite": rule.cite, "quote": rule.quote}


# The deal


def packs_for(mechanics: Mechanics, players: int) -> int:
    """Return how many packs so many players use. With one, each card is there once."""
    return -(-players // mechanics.players_per_pack) if mechanics.players_per_pack else 1


def deal_for(rules: Ruleset, players: int) -> dict[str, int] | None:
    """Return how the cards are dealt to so many players, or None if they do not suffice."""
    mechanics = rules.mechanics
    small = mechanics.small_deal
    deal = small if small is not None and players >= small.from_players else mechanics.deal
    packs = packs_for(mechanics, players)
    jokers = mechanics.jokers * packs
    left = 52 * packs + jokers - deal.each * players
    if left < 0:
        return None
    return {
        "down": deal.down,
        "up": deal.up,
        "hand": deal.hand,
        "draw_pile": left,
        "packs": packs,
        "jokers": jokers,
    }


def _answer_deal(rules: Ruleset, players: int) -> Answer:
    deal = deal_for(rules, players)
    if deal is None:
        raise BadInputError(
            "ruleset {name!r}: one pack does not serve {players} players", name=rules.name, players=players
        )
    small = rules.mechanics.small_deal
    if small is not None and players >= small.from_players:
        rule = rules.rule_for("deal_small", "deal")
    else:
        rule = rules.rule_for("deal_jokers", "deal") if deal["jokers"] else rules.rule_for("deal")
    notes = []
    if not rules.players[0] <= players <= rules.players[1]:
        notes.append(f"The rules speak of {rules.players[0]} to {rules.players[1]} players.")
    return {**deal, **_cited(rule), "notes": notes}


# Who starts


def _matches(card: str, wanted: StartCard) -> bool:
    if RANK_OF[card] != wanted.rank:
        return False
    if wanted.suit:
        return SUIT_OF[card] == wanted.suit
    return not wanted.colour or COLOUR_OF[card] == wanted.colour


def starting_cards(mechanics: Mechanics, hand: Sequence[str]) -> tuple[str, ...]:
    """Return the cards of a hand with which it competes for the start: its first in the order, and equals."""
    for wanted in mechanics.start_order:
        found = tuple(card for card in hand if _matches(card, wanted))
        if found:
            return found
    return ()


def start_place(mechanics: Mechanics, hand: Sequence[str]) -> int:
    """Return how early in the start order a hand's best card comes; unknown cards and 3s count as last."""
    for place, wanted in enumerate(mechanics.start_order):
        if any(_matches(card, wanted) for card in hand):
            return place
    return len(mechanics.start_order)


def sure_start_card(mechanics: Mechanics, players: int, face_up: Collection[str]) -> str | None:
    """Return the card that decides who starts whatever else is held: the first that does not lie face up.

    None where several players may hold such a card.
    """
    if packs_for(mechanics, players) > 1:
        return None
    for wanted in mechanics.start_order:
        card = RANK_TEXTS[wanted.rank] + wanted.suit
        if not wanted.suit or card not in face_up:
            return card if wanted.suit else None
    return None


def left_of(players: Sequence[str], player: str) -> str:
    """Return the next player clockwise."""
    return players[(players.index(player) + 1) % len(players)]


def who_starts(
    rules: Ruleset,
    players: Sequence[str],
    hands: Mapping[str, Sequence[str]],
    dealer: str | None = None,
    loser: str | None = None,
) -> Answer:
    """Say who takes the first turn, as far as the hands given can tell.

    Returns:
        `starter` (None where a race or the players decide, then `candidates`), the deciding `cards`,
        the rule, and `notes`.
    """
    mechanics = rules.mechanics
    if mechanics.start == "left-of-dealer":
        starter = None if dealer is None else left_of(players, dealer)
        notes = [] if dealer else ["The dealer is not known."]
        return {"starter": starter, **_cited(rules.rule_for("start")), "notes": notes}
    if mechanics.start_loser and loser is not None:
        return {"starter": loser, **_cited(rules.rule_for("start_loser")), "notes": []}
    return _starter_by_cards(rules, players, hands, dealer)


def _starter_by_cards(
    rules: Ruleset, players: Sequence[str], hands: Mapping[str, Sequence[str]], dealer: str | None
) -> Answer:
    mechanics = rules.mechanics
    places = {player: start_place(mechanics, hands[player]) for player in players if player in hands}
    best = min(places.values(), default=len(mechanics.start_order))
    first = [player for player, place in places.items() if place == best]
    notes = []
    unknown = [p for p in players if p not in hands or UNKNOWN in hands[p]]
    if unknown and best > 0:
        notes.append(f"Not all of {join_words(unknown)}'s cards are known.")
    if best == len(mechanics.start_order):
        notes.append("No card that decides the start is known.")
        return {"starter": None, "candidates": first, **_cited(rules.rule_for("start")), "notes": notes}
    cards = starting_cards(mechanics, hands[first[0]])
    rule = rules.rule_for("start") if best == 0 or len(first) == 1 else rules.rule_for("start_tie", "start")
    result: Answer = {
        "starter": None,
        "candidates": first,
        "cards": list(cards),
        **_cited(rule),
        "notes": notes,
    }
    if len(first) == 1:
        result["starter"] = first[0]
    elif mechanics.start_by == "after-dealer" and dealer is not None:
        here = players.index(dealer)
        order = [*players[here + 1 :], *players[: here + 1]]
        result["starter"] = min(first, key=order.index)
    else:
        how = "is quickest" if mechanics.start_by == "race" else "plays first"
        notes.append(f"{join_words(first)} have equal cards ({card_name(cards[0])}): whoever {how} starts.")
    return result


# The next dealer


def next_dealer(
    rules: Ruleset, players: Sequence[str], dealer: str | None = None, loser: str | None = None
) -> Answer:
    """Say who deals the next game; None where the rules do not say or what they go by is not known."""
    mechanics = rules.mechanics
    if not mechanics.next_dealer:
        return {"dealer": None, "notes": ["These rules do not say who deals next."]}
    rule = _cited(rules.rule_for("next_dealer"))
    if mechanics.next_dealer == "left":
        new = None if dealer is None else left_of(players, dealer)
        notes = [] if dealer else ["The last dealer is not known."]
    else:
        new, notes = loser, [] if loser else ["The last Shithead is not known."]
    return {"dealer": new, **rule, "notes": notes}
