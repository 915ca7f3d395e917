"""Rulings on cards that are played: from the hand, from the up-cards, mixed, and flipped down-cards."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from engine.cards import RANK_OF, SUIT_OF, UNKNOWN, UNKNOWN_RANK
from engine.demand import run_on_top
from engine.judging.beats import check_beats, may_be_played
from engine.judging.case import Case
from engine.judging.effects import failed_flip, place_before_pick_up, play_effects
from engine.judging.matching import missing_cards, mixed_sources
from engine.judging.questions import packs_for
from engine.sentences import Said, say


def judge_play(case: Case) -> None:
    """Rule on a play."""
    if case.action.source == "down":
        judge_flip(case)
        return
    from_hand, from_up = _split_sources(case)
    cards = case.action.cards
    _check_play_turn(case)
    case.check_replenished()
    _check_sources(case, from_hand, from_up)
    _check_set(case)
    case.check_opening(cards)
    _check_out_of_play(case)
    if not place_before_pick_up(case, from_up):
        check_beats(case, cards)
        play_effects(case, cards, len(from_hand), from_up)


def judge_flip(case: Case) -> None:
    """Rule on a down-card that is turned onto the pile."""
    case.check_turn()
    _check_down_stage(case)
    if len(case.action.cards) > 1:
        case.breach("down_one", say("Face-down cards are turned one at a time."), "must_flip")
    if case.mechanics.down_enters_hand:
        case.note(say("A down-card enters the hand before it is played; nobody has to turn it up."))
    card = case.action.cards[0] if case.action.cards else UNKNOWN
    if card == UNKNOWN:
        case.effects |= {"next": None, "burn": None, "extra_turn": None, "draw": 0}
        return
    goes = may_be_played(case, card)
    if goes is None:
        case.effects |= {"next": None, "burn": None, "extra_turn": None}
    elif goes:
        play_effects(case, (card,), 0, (), from_down=1)
    else:
        failed_flip(case, card)


# What is checked


def _split_sources(case: Case) -> tuple[list[str], list[str]]:
    """Split the played cards into those from the hand and those from the up-cards."""
    action, up = case.action, case.holding.up
    cards = list(action.cards)
    if action.source == "up":
        return [], cards
    if action.source == "hand":
        return cards, []
    if action.source is None:
        hand = case.holding.hand
        if hand == () and up:
            return [], cards
        if hand is None or not up or not missing_cards(cards, hand):
            return cards, []
    return mixed_sources(cards, case.holding.hand or (), up or ())


def _check_play_turn(case: Case) -> None:
    """A play out of turn is a breach, unless it may complete four of a kind."""
    turn, mechanics = case.situation.turn, case.mechanics
    if mechanics.out_of_turn_four and turn is not None and case.player != turn:
        complete = _completes_four(case)
        if complete:
            case.check_in_game()
            return
        if complete is None:
            case.check_in_game()
            case.need(
                say("the unidentified cards on the pile: only four of a kind may be completed out of turn")
            )
            return
    case.check_turn()


def _completes_four(case: Case) -> bool | None:
    """Whether the play makes four of a kind with the top of the pile; None where that is not known."""
    ranks = {RANK_OF[card] for card in case.action.cards}
    if len(ranks) != 1 or UNKNOWN_RANK in ranks:
        return None if UNKNOWN_RANK in ranks and len(ranks) == 1 else False
    count, sure = run_on_top(case.mechanics, case.situation.pile, ranks.pop())
    if count and count + len(case.action.cards) >= case.mechanics.four:
        return True
    return False if sure else None


def _check_sources(case: Case, from_hand: list[str], from_up: list[str]) -> None:
    """Breach if the cards cannot come from where they are said to come from."""
    hand, up = case.holding.hand, case.holding.up
    if from_hand and hand is not None:
        for card in missing_cards(from_hand, hand):
            says = say("{who} does not hold {card:the}.", who=case.player, card=card)
            case.breach("own_cards", says)
    if not from_up:
        if case.action.source == "hand+up":
            case.note(say("No up-card was played with the hand cards."))
        return
    if up is not None:
        for card in missing_cards(from_up, up):
            says = say("{card:The} is not among {who}'s up-cards.", card=card, who=case.player)
            case.breach("own_cards", says)
    if from_hand:
        _check_mixed(case, from_hand)
    else:
        _check_up_stage(case)


def _check_mixed(case: Case, from_hand: list[str]) -> None:
    """Hand and up-cards go together only with the last cards of the hand."""
    hand, draw_pile = case.holding.hand, case.situation.draw_pile
    if not case.mechanics.mixed:
        case.breach("mixed", say("Cards from the hand and up-cards cannot be played together."))
        return
    if len({RANK_OF[card] for card in case.action.cards} - {UNKNOWN_RANK}) > 1:
        says = say("An up-card goes with the last hand cards only if it has the same rank.")
        case.breach("mixed", says)
    if hand is None:
        what = say("{who}'s hand: only with its last cards may an up-card be played", who=case.player)
        case.need(what)
    elif len(hand) > len(from_hand):
        rest = _rest(hand, from_hand)
        facts: dict[str, Any] = {"who": case.player}
        if UNKNOWN in rest:
            facts["count"] = len(rest)
            says = say("{who} still holds {count} more: up-cards go only with the last hand cards.", **facts)
        else:
            facts["cards"] = rest
            says = say("{who} still holds {cards:the}: up-cards go only with the last hand cards.", **facts)
        case.breach("mixed", says)
    if draw_pile:
        says = say("Hand and up-cards go together only once the draw pile is empty.")
        case.breach("mixed_deck", says)


def _rest(hand: Sequence[str], played: Iterable[str]) -> list[str]:
    rest = list(hand)
    for card in played:
        rest.remove(card if card in rest else UNKNOWN if UNKNOWN in rest else rest[-1])
    return rest


def _check_up_stage(case: Case) -> None:
    """Up-cards are played when the hand is empty, and in some rulesets the draw pile too."""
    hand, draw_pile = case.holding.hand, case.situation.draw_pile
    if hand is None:
        case.need(say("whether {who}'s hand is empty: only then may up-cards be played", who=case.player))
    elif hand:
        facts: dict[str, Any] = {"who": case.player, "count": len(hand)}
        one = say("{who} still holds a card: up-cards come after the hand.", **facts)
        more = say("{who} still holds {count} cards: up-cards come after the hand.", **facts)
        _breach_up_hand(case, one if len(hand) == 1 else more)
    if draw_pile and case.mechanics.up_needs_empty_deck:
        case.breach("up_deck", say("Up-cards come into play only once the draw pile is empty."))
    if case.mechanics.up_enters_hand and not hand:
        note = say("An up-card enters the hand before it is played; playing it at once comes to the same.")
        case.note(note)


def _breach_up_hand(case: Case, says: Said) -> None:
    """With up-cards gone the hand was emptied once before: the rule on doing so again decides."""
    up, dealt = case.holding.up, case.mechanics.deal.up
    again = up is not None and len(up) < dealt and not case.situation.draw_pile
    case.breach("up_hand_again" if again else "up_hand", says)


def _check_down_stage(case: Case) -> None:
    """Down-cards are played when nothing else is left."""
    holding, draw_pile = case.holding, case.situation.draw_pile
    if holding.hand is None:
        case.need(say("whether {who}'s hand is empty: only then may a down-card be played", who=case.player))
    elif holding.hand:
        says = say("{who} still has cards in the hand: down-cards come last.", who=case.player)
        case.breach("down_hand", says)
    if holding.up:
        says = say(
            "{who} still has {cards:the} face up: down-cards come last.", who=case.player, cards=holding.up
        )
        case.breach("down_up", says)
    if draw_pile and case.mechanics.up_needs_empty_deck:
        case.breach("down_deck", say("Down-cards come into play only once the draw pile is empty."))
    if holding.down == 0:
        case.breach("own_cards", say("{who} has no face-down card left.", who=case.player))


def _check_set(case: Case) -> None:
    """Several cards must be of one rank, and not too many."""
    cards = case.action.cards
    ranks = {RANK_OF[card] for card in cards} - {UNKNOWN_RANK}
    if len(ranks) > 1:
        case.breach("sets", say("{cards:The} cannot be played together: a set has one rank.", cards=cards))
    elif len(cards) > 1 and UNKNOWN in cards:
        case.need(say("the unidentified cards of the set: they must have one rank"))
    if case.mechanics.max_set and len(cards) > case.mechanics.max_set:
        most = case.mechanics.max_set
        case.breach("set_size", say("At most {count} cards may be played at once.", count=most))


def _check_out_of_play(case: Case) -> None:
    """A burnt card cannot come back; a card that lies elsewhere is a misreading, not a breach."""
    if packs_for(case.mechanics, len(case.situation.players)) > 1:
        return  # there are other cards like it
    burned = case.situation.burned or ()
    for card in case.action.cards:
        if SUIT_OF[card] and card in burned:
            case.breach("burnt", say("{card:The} has been burned and is out of the game.", card=card))
        elif SUIT_OF[card] and card in (case.situation.pile or ()):
            note = say("{card:The} already lies on the pile: one of the two was misread.", card=card)
            case.note(note)
