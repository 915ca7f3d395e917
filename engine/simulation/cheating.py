"""Deliberate illegal plays for simulated games, and their situations for the judge."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

from engine.judging.judge import judge
from engine.judging.situation import ANTICLOCKWISE, CLOCKWISE
from engine.simulation.play import CompiledRules
from engine.simulation.table import FLIP, PICK_UP, PLAY, SHOW, TAKE_UP, Act, Table, cards_of


def situation_of(game: CompiledRules, table: Table, players: Sequence[str], act: Act) -> dict[str, Any]:
    """Return the situation (a JSON object) before an act, with every card known except the down-cards."""
    pack = game.pack
    cards = {
        player: {
            "hand": list(pack.text(table.hands[seat])),
            "up": list(pack.text(table.ups[seat])),
            "down": table.downs[seat].bit_count(),
        }
        for seat, player in enumerate(players)
        if not table.out >> seat & 1
    }
    left = {
        player: {"turns_since": [players[s] for s in cards_of(table.since[seat])]}
        for seat, player in enumerate(players)
        if table.out >> seat & 1
    }
    situation = {
        "rules": game.rules.base,
        "options": list(game.rules.options),
        "players": list(players),
        "turn": players[table.turn] if table.turn >= 0 else None,
        "direction": CLOCKWISE if table.step == 1 else ANTICLOCKWISE[0],
        "pile": list(pack.texts(table.pile)),
        "last_set": table.sets[-1] if table.sets else 0,
        "draw_pile": len(table.deck) - table.drawn,
        "burned": list(pack.text(table.burned)),
        "cards": cards,
        "left": left,
        "opening": table.acts == 0,
        "action": action_of(game, players, act),
    }
    # If suits or colours matter, sets are judged as a whole, so the sizes of all sets are needed.
    return situation if game.plain else situation | {"sets": list(table.sets)}


def action_of(game: CompiledRules, players: Sequence[str], act: Act) -> dict[str, Any]:
    """Return the action of a situation (a JSON object) for an act."""
    pack = game.pack
    action: dict[str, Any] = {"player": players[act.player]}
    if act.kind == PLAY:
        source = "hand+up" if act.hand and act.up else "up" if act.up else "hand"
        return action | {"type": "play", "cards": list(pack.text(act.hand | act.up)), "source": source}
    if act.kind == PICK_UP:
        return action | {"type": "pick_up"}
    if act.kind == FLIP:
        return action | {"type": "flip", "card": pack.codes[act.down]}
    if act.kind == SHOW:
        pair = (players[act.to], players[act.player])
        answers = [list(pair[:: 1 if number % 2 == 0 else -1]) for number in range(act.answers)]
        action |= {"type": "show", "cards": list(pack.text(act.hand)), "to": players[act.to]}
        return action | {"answers": answers}
    if act.kind == TAKE_UP:
        return action | {"type": "take_up", "cards": list(pack.text(act.up))}
    return action | {"type": "take_down", "count": 1}


def find_cheat(
    game: CompiledRules, table: Table, players: Sequence[str], rng: Random
) -> tuple[Act | None, str | None]:
    """Return a random illegal play and the id of the first rule that it breaks, or (None, None)."""
    tries = list(_tries(game, table))
    rng.shuffle(tries)
    for act in tries:
        # The ruleset object replaces its name, because a house variant may change more than options.
        ruling = judge({**situation_of(game, table, players, act), "rules": game.rules, "options": []})
        if ruling["verdict"] == "illegal":
            return act, str(ruling["breaches"][0]["rule"])
    return None, None


def _tries(game: CompiledRules, table: Table) -> Iterator[Act]:
    """Yield plays that people try: too low a card, out of turn, an up-card too early, two ranks at once."""
    seat = table.turn
    hand, playable = table.hands[seat], game.playable[table.demand]
    plain = hand & ~game.shown_bits
    if not plain or hand.bit_count() < 2:
        return
    for card in cards_of(plain & ~playable):
        yield Act(PLAY, seat, hand=1 << card)
    for other in range(game.seats):
        fit = table.hands[other] & playable & ~game.shown_bits
        if other != seat and table.hands[other].bit_count() > 1 and fit:
            yield Act(PLAY, other, hand=fit & -fit)
    for card in cards_of(table.ups[seat] & playable):
        yield Act(PLAY, seat, up=1 << card)
    low = plain & -plain
    other_rank = plain & ~game.same_rank[low.bit_length() - 1]
    if other_rank:
        yield Act(PLAY, seat, hand=low | (other_rank & -other_rank))
