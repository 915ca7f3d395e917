"""Rulings on what happens beside the turns: exchanging before the game, and drawing."""

from __future__ import annotations

from collections.abc import Sequence

from engine.cards import SUIT_OF, UNKNOWN
from engine.judging.case import Case
from engine.judging.questions import deal_for
from engine.sentences import Said, say


def judge_exchange(case: Case) -> None:
    """Rule on an exchange of hand cards with up-cards."""
    action, holding = case.action, case.holding
    if _has_begun(case):
        says = say("The game has begun: cards may be exchanged only before it.")
        case.breach("exchange_late", says)
    gives, takes = action.hand_out, action.up_out
    if gives is not None and takes is not None and len(gives) != len(takes):
        says = say(
            "{who} put down {gives} and took {takes}: an exchange is one for one.",
            who=case.player,
            gives=len(gives),
            takes=len(takes),
        )
        case.breach("exchange_even", says)
    dealt = case.mechanics.deal.up if holding.up is None else len(holding.up)
    if action.count is not None and action.count > dealt:
        says = say("{who} has only {count} up-cards to exchange.", who=case.player, count=dealt)
        case.breach("exchange_cards", says)
    for card in _not_among(gives, holding.hand):
        says = say("{card:The} is not in {who}'s hand.", card=card, who=case.player)
        case.breach("exchange_cards", says)
    for card in _not_among(takes, holding.up):
        says = say("{card:The} is not in {who}'s up-cards.", card=card, who=case.player)
        case.breach("exchange_cards", says)


def _not_among(cards: Sequence[str] | None, held: Sequence[str] | None) -> list[str]:
    """Return the whole cards that are known not to be among those held."""
    if held is None or UNKNOWN in held:
        return []
    return [card for card in cards or () if SUIT_OF[card] and card not in held]


def _has_begun(case: Case) -> bool:
    """Whether anything on the table shows that play has begun."""
    situation = case.situation
    if situation.opening is not None:
        return not situation.opening
    if situation.pile or situation.burned or situation.left:
        return True
    deal = deal_for(situation.rules, len(situation.players))
    if deal is None:
        return False
    if situation.draw_pile is not None and situation.draw_pile < deal["draw_pile"]:
        return True
    return any(len(h.hand) > deal["hand"] for h in situation.cards.values() if h.hand is not None)


def judge_draw(case: Case) -> None:
    """Rule on cards drawn from the draw pile: as many as are due, no more and no fewer."""
    situation, count = case.situation, case.action.count
    if case.action.cards and count is None:
        count = len(case.action.cards)
    case.check_in_game()
    due = _due(case)
    case.effects["draw"] = 0 if count is None or due is None else max(0, due - count)
    if count is None:
        return
    if situation.draw_pile is not None and count > situation.draw_pile:
        case.breach("draw", _too_few_left(case.player, count, situation.draw_pile))
    elif due is not None and count != due:
        case.breach("draw", _other_than_due(case.player, count, due))


def _too_few_left(who: str | None, count: int, left: int) -> Said:
    if not left:
        return say("{who} cannot draw {count}: no card left on the draw pile.", who=who, count=count)
    return say("{who} cannot draw {count}: {left} left on the draw pile.", who=who, count=count, left=left)


def _other_than_due(who: str | None, count: int, due: int) -> Said:
    if due == 0:
        return say("{who} drew {count}: no card is due.", who=who, count=count)
    if due == 1:
        return say("{who} drew {count}: 1 card is due.", who=who, count=count)
    return say("{who} drew {count}: {due} cards are due.", who=who, count=count, due=due)


def _due(case: Case) -> int | None:
    """Cards that the player has to draw now; None where that is not known."""
    situation, hand = case.situation, case.holding.hand
    if case.player is not None and case.player in situation.owed:
        return situation.owed[case.player]
    if case.mechanics.draw == "as-played" or hand is None:
        return None
    need = max(0, case.mechanics.min_hand - len(hand))
    return need if situation.draw_pile is None else min(need, situation.draw_pile)
