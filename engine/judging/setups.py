"""Rulings on what happens beside the turns: exchanging before the game, and drawing."""

from __future__ import annotations

from engine.deals import deal_for
from engine.judging.case import Case
from engine.judging.matching import missing_cards
from engine.sentences import Said, say


def judge_exchange(case: Case) -> None:
    """Rule on an exchange of hand cards with up-cards."""
    action, holding = case.action, case.holding
    if _has_begun(case):
        says = say("The game has begun: cards may be exchanged only before the first turn.")
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
    dealt = case.dealt("up") if holding.up is None else len(holding.up)
    if action.count is not None and action.count > dealt:
        says = say("{who} has only {count} face-up cards to exchange.", who=case.player, count=dealt)
        case.breach("exchange_cards", says)
    for card in missing_cards(gives or (), holding.hand) if holding.hand is not None else ():
        says = say("{card:The} is not in {who}'s hand.", card=card, who=case.player)
        case.breach("exchange_cards", says)
    for card in missing_cards(takes or (), holding.up) if holding.up is not None else ():
        says = say("{card:The} is not in {who}'s face-up cards.", card=card, who=case.player)
        case.breach("exchange_cards", says)
    case.check_cards()


def _has_begun(case: Case) -> bool:
    """Return whether anything on the table shows that play has begun."""
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
    least, most = _due(case)
    due = least if least == most else None
    case.effects["draw"] = 0 if count is None else None if due is None else max(0, due - count)
    if count is None:
        return
    if situation.draw_pile is not None and count > situation.draw_pile:
        case.breach("draw", _too_few_left(case.player, count, situation.draw_pile))
    elif due is not None and count != due:
        case.breach("draw", _other_than_due(case.player, count, due))
    elif most is not None and count > most:
        says = say("{who} drew {count}: at most {due} can be due.", who=case.player, count=count, due=most)
        case.breach("draw", says)
    elif due is None and (case.holding.hand is None or count != most):
        case.need(say("how many cards {who} has to draw", who=case.player))


def _too_few_left(who: str | None, count: int, left: int) -> Said:
    if not left:
        return say("{who} cannot draw {count}: the draw pile is empty.", who=who, count=count)
    return say("{who} cannot draw {count}: {left} left on the draw pile.", who=who, count=count, left=left)


def _other_than_due(who: str | None, count: int, due: int) -> Said:
    if due == 0:
        return say("{who} drew {count}: no card is due.", who=who, count=count)
    if due == 1:
        return say("{who} drew {count}: 1 card is due.", who=who, count=count)
    return say("{who} drew {count}: {due} cards are due.", who=who, count=count, due=due)


def _due(case: Case) -> tuple[int, int | None]:
    """Return how many cards the player has to draw now: at least, and at most (None: any number)."""
    situation, hand, mechanics = case.situation, case.holding.hand, case.mechanics
    left = situation.draw_pile
    if case.player is not None and case.player in situation.owed:
        return situation.owed[case.player], situation.owed[case.player]
    if mechanics.draw == "as-played":
        return 0, left
    need = mechanics.min_hand if hand is None else max(0, mechanics.min_hand - len(hand))
    most = need if left is None else min(need, left)
    return (0 if hand is None or left is None else most), most
