"""The effects of a play: burns, draws, leaving the game, and the next turn."""

from __future__ import annotations

from collections.abc import Sequence

from engine.cards import RANK_OF, RANK_TEXTS, UNKNOWN, UNKNOWN_RANK
from engine.demand import completes_four, run_on_top
from engine.judging.beats import can_play, may_be_played
from engine.judging.case import Case
from engine.judging.matching import rest_of
from engine.judging.situation import ANTICLOCKWISE, CLOCKWISE
from engine.sentences import say


def play_effects(
    case: Case, cards: Sequence[str], from_hand: int, from_up: Sequence[str], from_down: int = 0
) -> None:
    """Enter the effects of a play that stands.

    Args:
        case: the case, whose `effects` are changed.
        cards: the played cards, top card last.
        from_hand: how many of them came from the hand.
        from_up: the ones that came from the up-cards.
        from_down: how many came from the down-cards.
    """
    mechanics, effects = case.mechanics, case.effects
    top = RANK_OF[cards[-1]]
    effects["draw"] = _draw_due(case, from_hand)
    if case.player is None or top == UNKNOWN_RANK:
        burn = None if top == UNKNOWN_RANK else _burns(case, cards)
        effects |= {"next": None, "extra_turn": None, "burn": burn}
        return
    effects["burn"] = burn = case.decide("burn", _burns(case, cards))
    leaving = _leaves(case, from_hand, from_up, from_down)
    if top in mechanics.reverses and (1 if mechanics.reverse_once else len(cards)) % 2:
        effects["direction"] = ANTICLOCKWISE[0] if case.situation.clockwise else CLOCKWISE
        case.applied.append((f"reverse.{RANK_TEXTS[top]}",))
    others = case.others_in_game()
    if leaving:
        effects["left"] = [case.player]
        case.applied.append(("leaving",))
    _pass_turn(case, others, leaving, burn, cards)
    case.end_if_over(others if leaving else [case.player, *others])


def _pass_turn(case: Case, others: list[str], leaving: bool, burn: bool, cards: Sequence[str]) -> None:
    """Enter the next player, the skipped players and the player who must pick up."""
    mechanics, effects, player, top = case.mechanics, case.effects, case.player, RANK_OF[cards[-1]]
    if top in mechanics.again or (burn and mechanics.burn_again):
        effects["extra_turn"] = not leaving
        if leaving:
            case.applied.append(("last_card",))
        else:
            effects["next"] = player
            case.applied.append(_why_again(case, burn, cards))
            return
    if not others:
        effects["next"] = None if leaving else player
        return
    skip = min(len(cards), len(others)) if top in mechanics.skips and not burn else 0
    effects["skipped"] = others[:skip]
    if skip:
        case.applied += [(f"skip.{RANK_TEXTS[top]}",), *([("skip_all",)] if skip < len(cards) else [])]
    effects["next"] = others[skip % len(others)] if leaving or skip < len(others) else player
    if top in mechanics.forces_pick_up:
        victim = others[0]
        case.applied.append((f"forces_pick_up.{RANK_TEXTS[top]}",))
        if case.situation.pile != ():
            hand = case.situation.holding(victim).hand
            case.picks_up(victim, hand=None if hand is None else len(hand))
        if mechanics.after_pick_up == "next":
            effects["next"] = ([*others[1:], *([] if leaving else [player])] or [victim])[0]


def _why_again(case: Case, burn: bool, cards: Sequence[str]) -> tuple[str, ...]:
    """Return the mechanisms that give another turn, most specific first."""
    top = RANK_OF[cards[-1]]
    if not (burn and case.mechanics.burn_again):
        return (f"again.{RANK_TEXTS[top]}",)
    by_rank = [RANK_OF[card] for card in cards if RANK_OF[card] in case.mechanics.burns]
    how = RANK_TEXTS[by_rank[0]] if by_rank else "four"
    return (f"burn_again.{how}", "burn_again")


def _burns(case: Case, cards: Sequence[str]) -> bool | None:
    """Return whether the play burns the pile; None: not known."""
    mechanics, top = case.mechanics, RANK_OF[cards[-1]]
    if top in mechanics.forces_pick_up:
        return False
    if any(RANK_OF[card] in mechanics.burns for card in cards):
        return True
    same = 0
    for card in reversed(cards):
        if RANK_OF[card] != top:
            return same >= mechanics.four  # a card of another rank separates them from the pile
        same += 1
    return four_is_complete(case, top, same)


def four_is_complete(case: Case, rank: int, count: int) -> bool | None:
    """Return whether `count` more cards of a rank complete four of a kind on the pile; None: not known."""
    pile = case.situation.pile
    if pile is not None and UNKNOWN not in pile:
        return run_on_top(case.mechanics, pile, rank) + count >= case.mechanics.four
    return completes_four(case.mechanics, pile, rank, count, case.unseen)


def _draw_due(case: Case, from_hand: int) -> int | None:
    """Return how many cards to draw after `from_hand` cards left the hand; None: not known."""
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
    """Return whether the acting player surely has no card left afterwards.

    A player counts as holding cards until the situation shows that there are none.
    """
    hand, up, down = case.holding.hand, case.holding.up, case.holding.down
    if hand is None or up is None or down is None or case.effects["draw"]:
        return False
    return len(hand) <= from_hand and len(up) <= len(from_up) and down <= from_down


def failed_flip(case: Case, card: str) -> None:
    """Enter the effects of a flipped card that may not be played: no breach, but a pick-up."""
    mechanics, effects = case.mechanics, case.effects
    case.took_back = True
    if RANK_OF[card] in mechanics.shown and mechanics.down_enters_hand:
        effects |= {"next": case.player, "enters_hand": True}
        case.note(
            say("{card:The} stays in the hand. It may be shown, or the pile may be picked up.", card=card)
        )
        return
    case.note(say("{card:The} does not go on the pile: {who} picks it up.", card=card, who=case.player))
    hand = None if case.holding.hand is None else len(case.holding.hand)
    if mechanics.down_enters_hand and hand is not None:
        case.picks_up(case.player, hand=hand + 1)
    else:
        case.picks_up(case.player, hand=hand, more=1)
    case.next_after_pick_up()


def placed_before_pick_up(case: Case, from_up: Sequence[str]) -> bool:
    """Return whether this play only places an up-card before picking up; if so, enter its effects.

    Only rulesets with `up_place_first` have such plays: a player who can play no up-card places one first.
    """
    holding = case.holding
    if not case.mechanics.up_place_first or len(from_up) != 1 or holding.hand:
        return False
    case.decide_demand()  # whether this card goes, and whether another does, is asked of the same pile
    goes = may_be_played(case, from_up[0])
    stuck = False if goes else None if goes is None else _no_other_goes(case, from_up)
    if stuck and holding.hand is None:
        stuck = None
    need = say(
        "the unseen cards in {who}'s face-up cards: one is placed only if none can be played", who=case.player
    )
    if not case.decide("placed", stuck, need):
        return False
    note = say(
        "No face-up card goes on the pile: {who} picks it up with the card just placed.", who=case.player
    )
    case.note(note)
    case.took_back = True
    case.picks_up(case.player, hand=0, more=1)
    case.next_after_pick_up()
    return True


def _no_other_goes(case: Case, placed: Sequence[str]) -> bool | None:
    """Return whether no other up-card than the placed one may be played; None if unidentified ones decide."""
    if case.holding.up is None:  # there may be more up-cards
        return True if can_play(case, (), 1) is False else None
    others = rest_of(case.holding.up, placed)
    could = can_play(case, others, others.count(UNKNOWN))
    return None if could is None else not could
