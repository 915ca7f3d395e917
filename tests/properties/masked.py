"""Situations of simulated games with some cards hidden, and what the hidden cards may be."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from random import Random
from typing import Any

from engine.cards import FULL_PACK, JOKER, RANK_OF
from engine.deals import packs_for
from engine.ruleset import load_ruleset
from engine.simulation.cheating import situation_of
from engine.simulation.choices import interruptions, legal_acts
from engine.simulation.play import CompiledRules
from engine.simulation.policies import random_act
from engine.simulation.table import PICK_UP, PLAY, Act, cards_of

NAMES = ("Ann", "Bob", "Cat", "Dan")
TABLES = [
    *[(name, ()) for name in ("winnersh", "jokers", "backpacker", "shed", "rulebook")],
    ("jokers", ("4-colour", "jokers")),
    ("jokers", ("four-through-3s", "q-reverse")),
    ("backpacker", ("up-card-pick-up",)),
    ("shed", ("suit-values",)),
    ("shed", ("bastard-card", "flange-card")),
    ("shed", ("four-anywhere",)),
]
Situation = dict[str, Any]


def true_situations(rng: Random, rules: str, options: tuple[str, ...], count: int) -> Iterator[Situation]:
    """Yield situations of random games in which every card but the down-cards is known."""
    game = CompiledRules(load_ruleset(rules, options), rng.randint(2, 4))
    table = game.deal(rng)._replace(turn=0, acts=1)
    for _ in range(count):
        for _ in range(rng.randint(1, 12)):
            if table.turn < 0:
                table = game.deal(rng)._replace(turn=0, acts=1)
            act = random_act(game, table, rng) if rng.random() < 0.7 else rng.choice(legal_acts(game, table))
            before, table = table, game.apply(table, act)
        seat = before.turn
        tries = [act, *interruptions(game, before), Act(PICK_UP, seat)]
        tries += [Act(PLAY, seat, hand=1 << card) for card in cards_of(before.hands[seat])]
        tries += [Act(PLAY, seat, up=1 << card) for card in cards_of(before.ups[seat])]
        yield situation_of(game, before, NAMES[: game.seats], rng.choice(tries))


def masked(rng: Random, situation: Situation) -> Situation:
    """Return the situation with some cards hidden; sometimes the card that is played, too."""
    hidden: Situation = json.loads(json.dumps(situation))
    action, share = hidden["action"], rng.choice((0.1, 0.4, 0.8))
    played = set(action.get("cards", ()))
    unread = action["type"] == "play" and rng.random() < 0.3
    for name, held in hidden["cards"].items():
        own = name == action["player"]
        for part in ("hand", "up"):
            keep = played if own and not unread else set()
            held[part] = [
                "??"
                if (rng.random() < share or (own and unread and card in played)) and card not in keep
                else card
                for card in held[part]
            ]
    if rng.random() < 0.6:
        hidden["pile"] = ["??" if rng.random() < share else card for card in hidden["pile"]]
    if unread:
        action["cards"] = ["??"] * len(action["cards"])
    return hidden


def completed(rng: Random, hidden: Situation, first: str | None = None) -> Situation | None:
    """Return the situation with its hidden cards filled in at random; `first` goes to a random place.

    Each card is there once per pack. None where the cards do not suffice, or where a player who answered a
    shown card would have had no card to answer with.
    """
    rules = load_ruleset(hidden["rules"], hidden["options"])
    packs = packs_for(rules.mechanics, len(hidden["players"]))
    pool = [card for card in FULL_PACK for _ in range(packs)] + [JOKER] * rules.mechanics.jokers * packs
    full: Situation = json.loads(json.dumps(hidden))
    rows = [full["pile"], full["burned"]]
    rows += [held[part] for held in full["cards"].values() for part in ("hand", "up")]
    flipped = full["action"].get("card", "??")
    for card in [card for row in (*rows, [flipped]) for card in row if card != "??"]:
        pool.remove(card)
    slots = [(row, place) for row in rows for place, card in enumerate(row) if card == "??"]
    if len(slots) > len(pool):
        return None
    rng.shuffle(pool)
    rng.shuffle(slots)
    if first in pool:
        pool.remove(first)
        pool.insert(0, first)
    for (row, place), card in zip(slots, pool, strict=False):
        row[place] = card
    return _with_played(rng, full) if _answers_are_there(full, rules.mechanics.shown) else None


def _answers_are_there(full: Situation, shown: Collection[int]) -> bool:
    """Whether everybody who answered holds the cards for it, in the hand or else among the up-cards."""
    action = full["action"]
    for giver, held in full["cards"].items():
        given = sum(answering == giver for answering, _ in action.get("answers", ()))
        needed = given + (given > 0 and giver == action["player"])
        for place in (held["hand"], held["up"]):
            taken = min(needed, len(place))
            if sum(RANK_OF[card] in shown for card in place) < taken:
                return False
            needed -= taken
    return True


def _with_played(rng: Random, full: Situation) -> Situation | None:
    """Name unread played cards: they are cards of the place they came from."""
    action = full["action"]
    unread = [place for place, card in enumerate(action.get("cards", ())) if card == "??"]
    if not unread:
        return full
    held = full["cards"][action["player"]]
    place = held["up"] if action["source"] == "up" else held["hand"]
    if action["source"] == "hand+up":
        place = held["hand"] + held["up"]
    if len(place) < len(unread):
        return None
    for number, card in zip(unread, rng.sample(place, len(unread)), strict=True):
        action["cards"][number] = card
    return full


def unseen_cards(hidden: Situation) -> list[str]:
    """Return every card that may be among the hidden ones."""
    known = [*hidden["pile"], *hidden["burned"]]
    known += [card for held in hidden["cards"].values() for part in ("hand", "up") for card in held[part]]
    known.append(hidden["action"].get("card"))  # a flipped card has left its place
    return [card for card in FULL_PACK if card not in known]
