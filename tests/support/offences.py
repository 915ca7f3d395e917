"""Offences of every kind that an onlooker can see, put into simulated games and taken back.

Each kind is found by hand, without the judge: a card that lies elsewhere is played, the pile is burned for
nothing, somebody draws a card that is not due. So a referee that overlooks a kind does not hide it here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from random import Random

from engine.cards import JOKER, RANK_OF
from engine.deals import packs_for
from engine.events import Event
from engine.mechanics import Mechanics
from engine.ruleset import Ruleset
from engine.simulation.simulate import SimulatedGame
from engine.simulation.unfolding import Snapshot

ACTS = ("play", "flip", "show", "pick_up", "take_up", "take_down")
"""The kinds of event with which a player's act begins."""

MECHANISMS: dict[str, tuple[str, ...]] = {
    "out of turn": ("turn", "turn_leads"),
    "picks up out of turn": ("turn", "turn_leads"),
    "up-card too early": ("up_hand", "up_hand_again"),
    "takes an up-card too early": ("up_hand",),
    "flips too early": ("down_hand",),
    "takes a down-card": ("down_look",),
    "takes part of the pile": ("pick_up_whole",),
    "picks up nothing": ("pick_up_empty",),
    "picks up though able to play": ("must_play",),
    "burns for nothing": ("burn.10",),
    "draws a card that is not due": ("draw",),
    "exchanges late": ("exchange_late",),
    "plays a burnt card": ("burnt",),
    "plays a card of the pile": ("one_pack",),
    "plays another's up-card": ("one_pack",),
    "two ranks at once": ("sets",),
    "plays a joker": ("no_joker",),
    "plays what is only shown": ("never_played.3", "never_played_on_empty.3"),
    "shows what is not shown": ("show_three", "show", "actions"),
    "acts after leaving": ("gone",),
    "plays after the end": ("over",),
}
"""By kind of offence: the mechanisms on which the ruleset's rule is broken, whichever it has."""


Breaches = dict[int, frozenset[str]]
"""By the id of an illegal event: the ids of the rules of which it breaks at least one."""


@dataclass(frozen=True)
class Offence:
    """One offence, before the step of a lawful game at which it is committed."""

    kind: str
    event: Event


def offences_at(game: SimulatedGame, place: int) -> list[Offence]:
    """Return one offence of each kind that is possible just before a step with which an act begins."""
    step = game.steps[place]
    if step.event.event not in ACTS or step.before.turn is None or _is_consequence(game, place):
        return []
    return [Offence(kind, event) for kind, event in _offences(game, place, step.before)]


def _is_consequence(game: SimulatedGame, place: int) -> bool:
    """Whether the step follows from the one before it: the pick-up after a show, a flip or a joker."""
    return game.steps[place].event.event == "pick_up" and game.steps[place - 1].event.event in (
        "play",
        "flip",
        "show",
        "burn",
        "out",
        "game_over",
    )


def _offences(game: SimulatedGame, place: int, table: Snapshot) -> Iterator[tuple[str, Event]]:
    mechanics, player = game.rules.mechanics, table.turn
    assert player is not None
    hand = table.hands[player]
    opening = not any(step.event.event in ACTS for step in game.steps[:place])
    others = [name for name in game.players if name != player and table.hands[name]]
    yield from _cards_elsewhere(game, table, player, hand)
    yield from _wrong_cards(game.rules, player, hand, others)
    if others and not opening and mechanics.out_of_turn_four is False:
        yield "out of turn", _event("play", others[0], table.hands[others[0]][:1], source="hand")
        if table.pile:
            yield "picks up out of turn", _event("pick_up", others[0], count=len(table.pile))
    gone = [name for name in game.players if not _cards_of(table, name)]
    if gone and not opening:
        yield "acts after leaving", _event("pick_up", gone[0], count=len(table.pile))
    if hand:
        up = [card for card in table.up[player] if card is not None]
        if up:
            yield "up-card too early", _event("play", player, up[:1], source="up")
        if mechanics.up_enters_hand and up:
            yield "takes an up-card too early", _event("take_up", player, up[:1])
        down = [card for card in table.down[player] if card is not None]
        if down:
            yield "flips too early", _event("flip", player, down[:1], source="down")
    if len(table.pile) > 1:
        yield "takes part of the pile", _event("pick_up", player, count=1)
    if not table.pile and not mechanics.pick_up_empty and not opening:
        yield "picks up nothing", _event("pick_up", player)
    if table.pile:
        yield "burns for nothing", _event("burn", player, table.pile)
    if hand and _could_play_what_all_saw(game, place, player, mechanics):
        yield "picks up though able to play", _event("pick_up", player, count=len(table.pile))
    if table.draw_pile:
        yield "draws a card that is not due", _event("draw", player, count=1)
    if not opening and hand:
        yield "exchanges late", _event("exchange", player, count=1)


def _cards_elsewhere(
    game: SimulatedGame, table: Snapshot, player: str, hand: Sequence[str]
) -> Iterator[tuple[str, Event]]:
    """Yield plays of cards that everybody saw elsewhere; with two packs there may be another."""
    if not hand or packs_for(game.rules.mechanics, len(game.players)) > 1:
        return
    if table.burned and table.burned[0] != JOKER:
        yield "plays a burnt card", _event("play", player, table.burned[:1], source="hand")
    if table.pile and table.pile[0] != JOKER:
        yield "plays a card of the pile", _event("play", player, table.pile[:1], source="hand")
    for other in game.players:
        up = [card for card in table.up[other] if card is not None and card != JOKER]
        if other != player and up:
            yield "plays another's up-card", _event("play", player, up[:1], source="hand")
            return


def _wrong_cards(
    rules: Ruleset, player: str, hand: Sequence[str], others: Sequence[str]
) -> Iterator[tuple[str, Event]]:
    """Yield plays and shows of cards that are wrong whatever lies on the pile."""
    mechanics = rules.mechanics
    plain = [card for card in hand if RANK_OF[card] not in mechanics.shown]
    if plain and (other := [card for card in plain if RANK_OF[card] != RANK_OF[plain[0]]]):
        yield "two ranks at once", _event("play", player, (plain[0], other[0]), source="hand")
    if hand and not mechanics.plays_jokers:
        yield "plays a joker", _event("play", player, (JOKER,), source="hand")
    if plain and others:
        yield "shows what is not shown", _event("show", player, plain[:1], to=others[0])
    if len(plain) < len(hand):
        three = next(card for card in hand if RANK_OF[card] in mechanics.shown)
        yield "plays what is only shown", _event("play", player, (three,), source="hand")
    if not mechanics.up_enters_hand and hand:
        yield "takes a down-card", _event("take_down", player, count=1)


def _cards_of(table: Snapshot, player: str) -> list[str]:
    row = (*table.up[player], *table.down[player])
    return [*table.hands[player], *(card for card in row if card is not None)]


def _could_play_what_all_saw(game: SimulatedGame, place: int, player: str, mechanics: Mechanics) -> bool:
    """Whether a player who must play holds a card of the top's rank that everybody saw enter the hand."""
    table = game.steps[place].before
    if not (mechanics.must_play and table.pile) or mechanics.suit_order or RANK_OF[table.pile[-1]] == 0:
        return False
    seen: set[str] = set()
    for step in game.steps[:place]:
        if step.event.event == "pick_up" and step.event.player == player:
            seen.update(step.event.cards)
        elif step.event.player == player:
            seen.difference_update(step.event.cards)
    top = RANK_OF[table.pile[-1]]
    return any(RANK_OF[card] == top for card in seen.intersection(table.hands[player]))


def _event(kind: str, player: str, cards: Sequence[str] = (), **fields: object) -> Event:
    return Event(id=0, event=kind, player=player, cards=tuple(cards), **fields)  # type: ignore[arg-type]


def with_offences(game: SimulatedGame, rng: Random, most: int) -> tuple[tuple[Event, ...], Breaches]:
    """Return the events of a lawful game with offences in it, each called and taken back at once.

    Args:
        game: the game.
        rng: the source of random numbers.
        most: the most offences.

    Returns:
        The events, and the offences among them.
    """
    places = list(range(len(game.steps)))
    rng.shuffle(places)
    possible = ((place, offences_at(game, place)) for place in places)
    chosen = dict(islice(((place, found) for place, found in possible if found), most))
    log: list[Event] = []
    breaches: Breaches = {}
    for place, step in enumerate(game.steps):
        if place in chosen:
            offence = rng.choice(chosen[place])
            log += _called_and_taken_back(game, offence, breaches)
        log.append(step.event)
    if game.loser is not None and (rest := game.steps[-1].after.hands[game.loser]):
        after = _event("play", game.loser, rest[:1], source="hand")
        log += _called_and_taken_back(game, Offence("plays after the end", after), breaches)
    return tuple(log), breaches


def _called_and_taken_back(game: SimulatedGame, offence: Offence, breaches: Breaches) -> list[Event]:
    wrong = offence.event.renumbered(len(game.steps) + 1 + len(breaches))
    rules = [game.rules.find_rule(mechanism) for mechanism in MECHANISMS[offence.kind]]
    breaches[wrong.id] = frozenset(rule.id for rule in rules if rule is not None)
    return [wrong, replace(wrong, revise=wrong.id, withdrawn=True)]


def cheats_in(game: SimulatedGame) -> Breaches:
    """Return the illegal plays of a game that was simulated with cheats."""
    return {step.event.id: frozenset((step.rule or "",)) for step in game if not step.legal}
