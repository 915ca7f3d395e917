"""Rulings on what happens beside the turns: exchanging before the game, and drawing."""

from __future__ import annotations

from engine.cards import SUIT_OF, UNKNOWN, card_name
from engine.judging.case import Case
from engine.questions import deal_for


def judge_exchange(case: Case) -> None:
    """Rule on an exchange of hand cards with up-cards."""
    action, holding = case.action, case.holding
    if _has_begun(case):
        case.breach("exchange_late", "The game has begun: cards may be exchanged only before it.")
    gives, takes = action.hand_out, action.up_out
    if gives is not None and takes is not None and len(gives) != len(takes):
        says = f"{case.who} put down {len(gives)} and took {len(takes)}: an exchange is one for one."
        case.breach("exchange_even", says)
    dealt = case.mechanics.deal.up if holding.up is None else len(holding.up)
    if action.count is not None and action.count > dealt:
        case.breach("exchange_cards", f"{case.who} has only {dealt} up-cards to exchange.")
    for cards, held, where in ((gives, holding.hand, "hand"), (takes, holding.up, "up-cards")):
        for card in cards or ():
            known = held is not None and UNKNOWN not in held and SUIT_OF[card]
            if known and held is not None and card not in held:
                case.breach("exchange_cards", f"The {card_name(card)} is not in {case.who}'s {where}.")


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
        lying = situation.draw_pile
        case.breach("draw", f"{case.who} cannot draw {count}: {lying or 'no card'} left on the draw pile.")
    elif due is not None and count != due:
        cards = "no card" if due == 0 else "1 card" if due == 1 else f"{due} cards"
        case.breach("draw", f"{case.who} drew {count}: {cards} {'is' if due < 2 else 'are'} due.")


def _due(case: Case) -> int | None:
    """Cards that the player has to draw now; None where that is not known."""
    situation, hand = case.situation, case.holding.hand
    if case.player is not None and case.player in situation.owed:
        return situation.owed[case.player]
    if case.mechanics.draw == "as-played" or hand is None:
        return None
    need = max(0, case.mechanics.min_hand - len(hand))
    return need if situation.draw_pile is None else min(need, situation.draw_pile)
