"""The three questions that need no action: who starts, who deals next, how the cards are dealt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.cards import BLACK, COLOUR_OF, RANK_OF, RANK_TEXTS, SUIT_OF, UNKNOWN, card_name, join_words
from engine.deals import deal_for, left_of
from engine.errors import BadInputError
from engine.fields import PlayerNameReader, read_cards, read_players
from engine.judging.situation import read_rules
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
    names = PlayerNameReader(players)
    dealer = names.read(fields.get("dealer", line.get("dealer")), "dealer")
    loser = names.read(fields.get("loser", line.get("loser")), "loser")
    if kind == "deal":
        return _answer_deal(rules, len(players))
    if kind == "next_dealer":
        return next_dealer(rules, players, dealer, loser)
    hands = _hands(fields.get("hands", line.get("hands")), line.get("cards"), names)
    return who_starts(rules, players, hands, dealer, loser)


def _hands(value: object, cards: object, names: PlayerNameReader) -> dict[str, tuple[str, ...]]:
    """Read the hands; without them, those in the situation's `cards`."""
    if value is None and isinstance(cards, dict):
        value = {player: entry.get("hand") for player, entry in cards.items() if isinstance(entry, dict)}
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise BadInputError("hands must be an object of lists of cards, not {value!r}", value=str(value)[:40])
    hands = {}
    for player, held in value.items():
        read = read_cards(held, f"{names.require(player, 'hands')}'s hand")
        if read is not None:
            hands[player] = read
    return hands


def _cited(rule: Rule) -> Answer:
    return {"rule": rule.id, "cite": rule.cite, "quote": rule.quote}


# The deal


def _answer_deal(rules: Ruleset, players: int) -> Answer:
    deal = deal_for(rules, players)
    if deal is None:
        raise BadInputError(
            "ruleset {name!r}: there are not enough cards for {seats} players", name=rules.name, seats=players
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
    """Return how early the hand's best card comes in the start order; cards not in the order come last."""
    for place, wanted in enumerate(mechanics.start_order):
        if any(_matches(card, wanted) for card in hand):
            return place
    return len(mechanics.start_order)


def start_mechanisms(mechanics: Mechanics, place: int, *, tied: bool = False) -> tuple[str, ...]:
    """Return the mechanisms by which a step of the start order decides, the most telling first.

    Args:
        mechanics: the ruleset's switches.
        place: the step, as `start_place` counts.
        tied: whether a second step had to decide between cards of one rank.
    """
    steps: tuple[str, ...] = ("start_tie",) if tied else ()
    if place < len(mechanics.start_order):
        wanted = mechanics.start_order[place]
        colour = "" if not wanted.colour else " black" if wanted.colour == BLACK else " red"
        steps += (f"start.{RANK_TEXTS[wanted.rank]}{wanted.suit}{colour}",)
    return (*steps, "start")


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
    rule = rules.rule_for(*start_mechanisms(mechanics, best, tied=_is_tied(mechanics, places, best)))
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


def _is_tied(mechanics: Mechanics, places: Mapping[str, int], best: int) -> bool:
    """Return whether another hand competes with the best one by a card of the same rank."""
    rank, order = mechanics.start_order[best].rank, mechanics.start_order
    return sum(place < len(order) and order[place].rank == rank for place in places.values()) > 1


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
