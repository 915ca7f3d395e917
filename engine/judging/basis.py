"""The sentences on which a legal ruling rests: the rules that allowed what was done."""

from __future__ import annotations

from collections.abc import Iterator

from engine.cards import RANK_OF, RANK_TEXTS, UNKNOWN_RANK
from engine.demand import AT_LEAST, AT_MOST
from engine.judging.case import Case
from engine.ruleset import Rule

_ACTIONS: dict[str, tuple[str, ...]] = {
    "pick_up": ("pick_up_choice", "must_play", "pick_up_whole"),
    "show": ("show",),
    "take_up": ("up_enters_hand", "up_same"),
    "take_down": ("down_one", "must_flip"),
    "exchange": ("exchange_late",),
    "draw": ("draw",),
    "out": ("end",),
}
"""By action other than a play: the mechanisms that allow it; the first that a ruleset speaks of counts."""


def basis_of(case: Case) -> list[dict[str, str]]:
    """Return the rules that allow a legal action, the most telling first: rule, cite, quote.

    Empty where a ruleset has no sentence on it.
    """
    found: dict[str, Rule] = {}
    for mechanisms in _mechanisms(case):
        rule = case.situation.rules.find_rule(*mechanisms)
        if rule is not None:
            found.setdefault(rule.id, rule)
    return [{"rule": rule.id, "cite": rule.cite, "quote": rule.quote} for rule in found.values()]


def _mechanisms(case: Case) -> Iterator[tuple[str, ...]]:
    """Yield, most telling first, the mechanisms that decided; each with its stand-ins."""
    action = case.action
    if action.type not in ("play", "flip"):
        yield _ACTIONS[action.type]
        return
    rank = RANK_OF[action.cards[0]] if action.cards else UNKNOWN_RANK
    failed = action.type == "flip" and case.effects["picks_up"] is not None
    if case.effects["burn"]:
        yield ("burn",) if rank in case.mechanics.burns else ("four", "burn")
    if failed:
        yield ("down_fail", "down_look", "must_flip")
    elif rank != UNKNOWN_RANK:
        yield _what_it_goes_on(case, rank)
    if len(action.cards) > 1:
        yield ("sets",)
    if action.type == "flip" or action.source == "down":
        yield ("down_look", "must_flip", "down_one")
    elif action.source == "up":
        yield ("up_when", "up_enters_hand", "up_hand")
    elif action.source == "hand+up":
        yield ("mixed",)


def _what_it_goes_on(case: Case, rank: int) -> tuple[str, ...]:
    """Name what let a card of `rank` go on the pile."""
    if rank in case.mechanics.on_anything:
        text = RANK_TEXTS[rank]
        return (f"on_anything.{text}", "on_anything", f"through.{text}", "burn", "too_low")
    if not case.situation.pile:
        return ("never_played_on_empty", "too_low")
    kinds = {demand.kind for demand in case.demands()}
    if kinds == {AT_MOST}:
        return ("too_high",)
    top = RANK_OF[case.situation.pile[-1]]
    if AT_LEAST not in kinds and top in case.mechanics.resets:
        return (f"resets.{RANK_TEXTS[top]}", f"on_anything.{RANK_TEXTS[top]}", "too_low")
    return ("too_low",)
