"""The public knowledge of the table, for screens. It contains nothing hidden."""

from __future__ import annotations

from dataclasses import dataclass

from engine.cards import JOKER_RANK, RANK_TEXTS, is_whole
from engine.demand import AT_LEAST, AT_MOST, Demand, failures, possible_demands
from engine.judging.beats import demand_in_words
from engine.judging.situation import ANTICLOCKWISE, CLOCKWISE
from engine.referee.state import Knowledge


@dataclass(frozen=True, slots=True)
class HandView:
    """The public part of a hand: its size, and the cards that everybody saw enter it."""

    size: int | None
    known: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicTable:
    """The public knowledge of the table; None is unknown."""

    players: tuple[str, ...]
    dealer: str | None
    turn: str | None
    direction: str
    pile: list[str]
    """Bottom first."""
    draw_pile: int | None
    burned: list[str]
    hands: dict[str, HandView]
    up: dict[str, list[str]]
    down: dict[str, int | None]
    left: list[str]
    """The players who are out, in the order in which they left."""
    loser: str | None
    playable_ranks: list[str]
    """The ranks that may be played on the pile now, lowest first."""
    demand_in_words: str
    """The demand in words: `9 or higher`, `7 or lower`, `anything`."""
    also_playable: list[str]
    """The ranks that may be played too, although those words do not cover them, lowest first."""
    to_draw: dict[str, int]
    """By player: how many owed cards nobody has seen drawn. Here they still count to the draw pile."""


def public_table(state: Knowledge) -> PublicTable:
    """Return the part of the state that screens may show."""
    mechanics = state.rules.mechanics
    demands = possible_demands(mechanics, state.pile, state.sets)
    ranks = [
        text
        for rank, text in RANK_TEXTS.items()
        if (rank != JOKER_RANK or mechanics.jokers)
        and any(not failures(mechanics, demand, rank, 4, 0) for demand in demands)
    ]
    also = _outside(next(iter(demands)), ranks) if len(demands) == 1 else []
    words = demand_in_words(next(iter(demands))) if len(demands) == 1 else "not known"
    owed = {player: seat.owed for player, seat in state.seats.items() if seat.owed}
    return PublicTable(
        players=state.players,
        dealer=state.dealer,
        turn=state.turn,
        direction=CLOCKWISE if state.clockwise else ANTICLOCKWISE[0],
        pile=list(state.pile),
        draw_pile=None
        if state.draw_pile is None
        else state.draw_pile + sum(s.owed for s in state.seats.values()),
        burned=list(state.burned),
        hands={
            player: HandView(
                max(0, len(seat.hand) - seat.owed),
                tuple(sorted(card for card in seat.hand if is_whole(card))),
            )
            for player, seat in state.seats.items()
        },
        up={player: list(seat.up) for player, seat in state.seats.items()},
        down={player: seat.down for player, seat in state.seats.items()},
        left=list(state.left),
        loser=state.loser,
        playable_ranks=ranks,
        demand_in_words=words,
        also_playable=also,
        to_draw=owed,
    )


def _outside(demand: Demand, playable: list[str]) -> list[str]:
    """Return the playable ranks that a demand's words (`9 or higher`) leave out."""
    found = []
    for rank, text in RANK_TEXTS.items():
        below = demand.kind == AT_LEAST and (rank < demand.rank or rank == JOKER_RANK)
        above = demand.kind == AT_MOST and rank > demand.rank
        if text in playable and (below or above):
            found.append(text)
    return found
