"""The sentences on which a legal ruling rests: those that allow what was done, and those that took effect."""

from __future__ import annotations

from collections.abc import Iterator

from engine.cards import RANK_OF, RANK_TEXTS, UNKNOWN_RANK
from engine.demand import ANY, AT_LEAST, AT_MOST
from engine.judging.case import Case
from engine.ruleset import Rule

_ACTIONS: dict[str, tuple[str, ...]] = {
    "show": ("show",),
    "take_up": ("up_enters_hand",),
    "take_down": ("down_flip", "down_one"),
    "exchange": ("exchange_late",),
    "draw": ("draw",),
    "out": ("end",),
}
"""By action, except plays and pick-ups: the mechanisms that allow it. The first that has a rule counts."""


def basis_of(case: Case) -> list[dict[str, str]]:
    """Return the rules that allow a legal action, then those that took effect: rule, cite, quote.

    Empty where a ruleset has no sentence on it.
    """
    found: dict[str, Rule] = {}
    deciding = case.situation.rules.deciding
    for mechanisms in (*_mechanisms(case), *case.applied):
        for name in mechanisms:
            if name in deciding:
                rule = deciding[name]
                found.setdefault(rule.id, rule)
                break
    return [{"rule": rule.id, "cite": rule.cite, "quote": rule.quote} for rule in found.values()]


def _mechanisms(case: Case) -> Iterator[tuple[str, ...]]:
    """Yield, most telling first, the mechanisms that allow the action; each with its stand-ins."""
    action = case.action
    if action.type == "pick_up":
        if ("pick_up_nothing",) in case.applied:
            yield ("pick_up_nothing",)
        if not case.forced_by():
            yield ("pick_up_stuck", "must_play") if case.mechanics.must_play else ("pick_up_choice",)
        return
    if action.type not in ("play", "flip"):
        yield _ACTIONS[action.type]
        if action.type == "take_up" and len(action.cards) > 1:
            yield ("up_same",)
        return
    rank = RANK_OF[action.cards[0]] if action.cards else UNKNOWN_RANK
    if case.took_back:
        yield ("down_fail",) if action.type == "flip" or action.source == "down" else ("up_place_first",)
    elif rank != UNKNOWN_RANK:
        if case.effects["burn"]:
            yield (f"burn.{RANK_TEXTS[rank]}",) if rank in case.mechanics.burns else ("four",)
        yield from _what_it_goes_on(case, rank)
    if len(action.cards) > 1:
        yield ("sets",)
    if action.type == "flip" or action.source == "down":
        yield ("down_flip", "must_flip", "down_one")
    elif action.source == "up":
        yield ("up_enters_hand", "up_when", "up_hand")
    elif action.source == "hand+up":
        yield ("mixed",)


def _what_it_goes_on(case: Case, rank: int) -> Iterator[tuple[str, ...]]:
    """Name what let a card of `rank` go on the pile."""
    text, pile = RANK_TEXTS[rank], case.situation.pile
    if rank in case.mechanics.on_anything:
        yield (f"on_anything.{text}",)
        yield (f"any_card.{text}",)
        if rank in case.mechanics.transparent:
            yield (f"through.{text}",)
        return
    if not pile:
        yield ("on_empty",) if pile == () else ("too_low",)
        return
    demands = case.demands()
    lying = next(iter(demands))
    top = RANK_OF[pile[-1]]
    if top in case.mechanics.transparent:
        yield (f"through.{RANK_TEXTS[top]}",)
    if len(demands) > 1:
        return
    if lying.kind == AT_MOST:
        yield (f"too_high.{RANK_TEXTS[lying.rank]}",)
    elif lying.kind == ANY:
        below = next(
            (RANK_OF[card] for card in reversed(pile) if RANK_OF[card] not in case.mechanics.transparent), 0
        )
        if below:
            yield (f"resets.{RANK_TEXTS[below]}", "resets")
    elif lying.kind == AT_LEAST and rank < lying.rank:
        yield (f"also_beaten_by.{RANK_TEXTS[lying.rank]}.{text}",)
    else:
        yield ("too_low",)
        if lying.suit and rank == lying.rank:
            yield ("suit",)
        if lying.colour and rank != lying.rank:
            yield (f"colour.{RANK_TEXTS[lying.rank]}",)
