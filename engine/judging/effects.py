"""What a play brings about: burns, draws, leaving, whose turn follows."""

from __future__ import annotations

from collections.abc import Sequence

from engine.cards import RANK_OF, UNKNOWN_RANK
from engine.demand import run_on_top
from engine.judging.beats import may_be_played
from engine.judging.case import Case
from engine.judging.situation import ANTICLOCKWISE, CLOCKWISE
from engine.sentences import say


def play_effects(
    case: Case, cards: Sequence[str], from_hand: int, from_up: Sequence[str], from_down: int = 0
) -> None:
    """Enter what follows if the cards stay where they were played."""
    mechanics, effects = case.mechanics, case.effects
    top = RANK_OF[cards[-1]]
    burn = _burns(case, cards, top)
    effects["burn"] = burn
    effects["draw"] = _draw_due(case, from_hand)
    leaving = _leaves(case, from_hand, from_up, from_down)
    if top in mechanics.reverses and (1 if mechanics.reverse_once else len(cards)) % 2:
        effects["direction"] = ANTICLOCKWISE[0] if case.situation.clockwise else CLOCKWISE
    others = case.others_in_game()
    if leaving:
        effects["left"] = [case.player]
    if case.player is None or top == UNKNOWN_RANK:
        effects |= {"next": None, "extra_turn": None}
        return
    _pass_turn(case, others, leaving, burn, top, len(cards))
    case.end_if_over(others if leaving else [case.player, *others])


def _pass_turn(case: Case, others: list[str], leaving: bool, burn: bool | None, top: int, count: int) -> None:
    """Enter whose turn follows, who is skipped and who is made to pick up."""
    mechanics, effects, player = case.mechanics, case.effects, case.player
    if top in mechanics.again or (burn and mechanics.burn_again):
        effects["extra_turn"] = not leaving
        if not leaving:
            effects["next"] = player
            return
    elif burn is None:
        effects |= {"extra_turn": None if mechanics.burn_again else False, "next": None}
        if mechanics.burn_again:
            return
    if not others:
        effects["next"] = None if leaving else player
        return
    skip = min(count, len(others)) if top in mechanics.skips and not burn else 0
    effects["skipped"] = others[:skip]
    effects["next"] = others[skip % len(others)] if leaving or skip < len(others) else player
    if top in mechanics.forces_pick_up:
        victim = others[0]
        if case.situation.pile != ():
            case.picks_up(victim)
        if mechanics.after_pick_up == "next":
            effects["next"] = ([*others[1:], *([] if leaving else [player])] or [victim])[0]


def _burns(case: Case, cards: Sequence[str], top: int) -> bool | None:
    """Whether the play burns the pile; None where that is not known."""
    mechanics = case.mechanics
    if top in mechanics.forces_pick_up:
        return False
    if any(RANK_OF[card] in mechanics.burns for card in cards):
        return True
    if top == UNKNOWN_RANK:
        return None
    same = 0
    for card in reversed(cards):
        if RANK_OF[card] != top:
            return same >= mechanics.four
        same += 1
    count, sure = run_on_top(mechanics, case.situation.pile, top)
    if count + same >= mechanics.four:
        return True
    # A pile of which nothing is known is taken to burn only by what is seen.
    return False if sure or case.situation.pile is None else None


def _draw_due(case: Case, from_hand: int) -> int | None:
    """Cards to draw after playing so many from the hand; None where that is not known."""
    mechanics, draw_pile, hand = case.mechanics, case.situation.draw_pile, case.holding.hand
    if not from_hand or draw_pile == 0:
        return 0
    if mechanics.draw == "as-played":
        need = from_hand
    elif hand is None:
        return None
    else:
        need = max(0, mechanics.min_hand - max(0, len(hand) - from_hand))
    if not need:
        return 0
    return None if draw_pile is None else min(need, draw_pile)


def _leaves(case: Case, from_hand: int, from_up: Sequence[str], from_down: int) -> bool:
    """Whether the acting player is known to have no card left afterwards."""
    hand, up, down = case.holding.hand, case.holding.up, case.holding.down
    if hand is None or up is None or down is None or case.effects["draw"]:
        return False
    return len(hand) <= from_hand and len(up) <= len(from_up) and down <= from_down


def failed_flip(case: Case, card: str) -> None:
    """Enter what follows when a flipped card does not go on the pile: no breach, but a pick-up."""
    mechanics, effects = case.mechanics, case.effects
    if RANK_OF[card] in mechanics.shown and mechanics.down_enters_hand:
        effects |= {"next": case.player, "enters_hand": True}
        case.note(say("{card:The} stays in the hand; it may be shown, or the pile picked up.", card=card))
        return
    case.note(say("{card:The} does not go on the pile: {who} picks it up.", card=card, who=case.player))
    case.picks_up(case.player)
    others = case.others_in_game()
    picker_leads = mechanics.after_pick_up == "picker" or not others
    effects["next"] = case.player if picker_leads else others[0]


def place_before_pick_up(case: Case, from_up: Sequence[str]) -> bool:
    """Where an up-card is placed before picking up: whether this play is that, its effects entered."""
    holding = case.holding
    if not case.mechanics.up_place_first or not from_up or holding.hand != () or len(from_up) != 1:
        return False
    if any(may_be_played(case, card) is not False for card in holding.up or from_up):
        return False
    note = say("No up-card goes on the pile: {who} picks it up with the card just placed.", who=case.player)
    case.note(note)
    case.picks_up(case.player)
    others = case.others_in_game()
    picker_leads = case.mechanics.after_pick_up == "picker" or not others
    case.effects["next"] = case.player if picker_leads else others[0]
    return True
