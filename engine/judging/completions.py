"""The possible cards for unidentified ones, and the ruling that these possibilities have in common.

If nobody identified a played card, the judge rules on each card that it can be. The findings that all those
rulings share are certain; the rest is not known.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from engine.cards import RANK_OF, UNKNOWN
from engine.judging.case import Ruling
from engine.judging.known_cards import actor, unseen_cards
from engine.judging.matching import missing_cards
from engine.judging.situation import Action, Situation
from engine.sentences import Said, facts_of, say
from engine.unseen import UnseenCards

_PLAYED = ("play", "flip", "take_up")


@dataclass(frozen=True, slots=True)
class Completions:
    """The possibilities for the unidentified cards of an action."""

    actions: tuple[Action, ...]
    """The action with all cards named, once for each possibility that may change the ruling."""
    may_differ: bool
    """Whether the cards of a set may also have different ranks, which is never legal."""
    needs: tuple[Said, ...]
    """The missing knowledge, in words for the players."""


def completions(situation: Situation, action: Action) -> Completions | None:
    """Return the possibilities for the unidentified cards of an action; None if nothing fits.

    Cards that are moved together are assumed to have one rank, if that is possible: nobody plays two ranks by
    chance.
    """
    cards = action.cards or ((UNKNOWN,) if action.type == "flip" else ())
    if action.type not in _PLAYED:
        return None
    choices = list(_choices(situation, action))
    named = {RANK_OF[card] for card in cards} - {RANK_OF[UNKNOWN]}
    exact = _suits_matter(situation)
    found: list[tuple[str, ...]] = []
    if len(named) < 2:
        for rank in named or sorted({RANK_OF[card] for card in choices}):
            found += _filled(cards, [card for card in choices if RANK_OF[card] == rank], exact)
    other_ranks = {RANK_OF[card] for card in choices} - named
    may_differ = len(cards) > 1 and (len(other_ranks) > 1 or (bool(named) and bool(other_ranks)))
    if not found and len(choices) >= cards.count(UNKNOWN):
        found = list(_filled(cards, choices, exact))
    if not found:
        return None
    return Completions(tuple(replace(action, cards=one) for one in found), may_differ, _needs(cards))


def _needs(cards: Sequence[str]) -> tuple[Said, ...]:
    card = say("the card played, which nobody identified")
    if len(cards) == 1:
        return (card,)
    same = say("the unidentified cards of the set: they must have one rank")
    return (same, card) if set(cards) == {UNKNOWN} else (same,)


def _suits_matter(situation: Situation) -> bool:
    """Return whether cards of one rank may get different rulings."""
    mechanics = situation.rules.mechanics
    return bool(
        mechanics.suit_order or mechanics.colours or (mechanics.start_card_played and not situation.pile)
    )


def _filled(cards: Sequence[str], choices: Sequence[str], exact: bool) -> Iterator[tuple[str, ...]]:
    """Yield the cards with the unidentified ones filled in: every way if `exact`, else only one."""
    for chosen in combinations(choices, cards.count(UNKNOWN)):
        rest = iter(chosen)
        yield tuple(next(rest) if card == UNKNOWN else card for card in cards)
        if not exact:
            return


def _choices(situation: Situation, action: Action) -> Iterator[str]:
    """Yield every card that an unidentified one can be, once for each copy."""
    unseen = unseen_cards(situation, action)
    named = [card for card in action.cards if card != UNKNOWN]
    places = _places(situation, action)
    held = [card for place in places for card in place or () if card != UNKNOWN]
    for card in named:
        if not missing_cards((card,), held):
            held.remove(card if card in held else next(c for c in held if RANK_OF[c] == RANK_OF[card]))
    yield from held
    if any(place is None or UNKNOWN in place for place in places):
        yield from _each(unseen)


def _each(unseen: UnseenCards) -> Iterator[str]:
    for card in unseen.cards():
        for _ in range(unseen.of_card(card)):
            yield card


def _places(situation: Situation, action: Action) -> list[tuple[str, ...] | None]:
    """Return the cards of each place that the action's cards may come from; None: cards not known."""
    if action.type == "flip" or action.source == "down":
        return [None]
    holding = situation.holding(actor(situation, action))
    if action.type == "take_up" or action.source == "up":
        return [holding.up]
    if action.source == "hand" or (action.source is None and holding.hand != ()):
        return [holding.hand]
    return [holding.up] if action.source is None and holding.up else [holding.hand, holding.up]


def common_ruling(rulings: Sequence[Ruling], needs: Sequence[Said], *, may_differ: bool = False) -> Ruling:
    """Return the ruling that is true whichever of the given ones is right.

    Args:
        rulings: one for each possibility.
        needs: the missing knowledge, for the case that the verdicts differ.
        may_differ: whether there is also a possibility that is illegal in any case.
    """
    verdicts = {ruling["verdict"] for ruling in rulings} | ({"illegal"} if may_differ else set())
    verdict = verdicts.pop() if len(verdicts) == 1 else "unproven"
    first = rulings[0]
    ruling: Ruling = {
        "verdict": verdict,
        "breaches": _common_breaches(rulings) if verdict == "illegal" else [],
        "effects": _common_effects([one["effects"] for one in rulings]),
        "notes": [note for note in first["notes"] if all(note in one["notes"] for one in rulings)],
    }
    possible = _consequences(rulings)
    if len(possible) > 1:
        ruling["possible"] = possible
    if verdict == "unproven":
        own = [need for one in rulings for need in one.get("needs", ())]
        settled = needs if {one["verdict"] for one in rulings} != {"unproven"} or may_differ else ()
        ruling["needs"] = list(dict.fromkeys((*settled, *own)))
    if verdict == "legal":
        ruling["basis"] = [entry for entry in first["basis"] if all(entry in one["basis"] for one in rulings)]
    return ruling


def _consequences(rulings: Sequence[Ruling]) -> list[dict[str, Any]]:
    """Return each different way in which the game may go on."""
    found: list[dict[str, Any]] = []
    for ruling in rulings:
        own = {name: ruling["effects"][name] for name in ("next", "direction", "picks_up")}
        found += [one for one in ruling.get("possible", (own,)) if one not in found]
    return found


def _common_breaches(rulings: Sequence[Ruling]) -> list[dict[str, Any]]:
    """Return the breaches of the rules that are broken in every ruling."""
    first = rulings[0]["breaches"]
    broken = [{breach["rule"] for breach in one["breaches"]} for one in rulings]
    always = [breach for breach in first if all(breach["rule"] in rules for rules in broken)]
    found = []
    for breach in always or first:
        if all(breach in one["breaches"] for one in rulings):
            found.append(breach)
        else:
            says = say("This is not allowed, whichever card the unidentified one is.")
            found.append({**breach, "says": says} | facts_of(says))
    return found


def _common_effects(effects: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the common effects. Lists keep their common entries; other values that differ become None."""
    first, *others = effects
    common: dict[str, Any] = {}
    for name, value in first.items():
        if any(name not in other for other in others):
            continue
        if isinstance(value, list):
            common[name] = [entry for entry in value if all(entry in other[name] for other in others)]
        else:
            common[name] = value if all(other[name] == value for other in others) else None
    return common
