"""Rulings on cards that are played: from the hand, from the up-cards, mixed, and flipped down-cards."""

from __future__ import annotations

from typing import Any

from engine.cards import JOKER, RANK_OF, UNKNOWN, UNKNOWN_RANK
from engine.judging.beats import check_beats, may_be_played
from engine.judging.case import Case
from engine.judging.effects import failed_flip, four_is_complete, placed_before_pick_up, play_effects
from engine.judging.matching import missing_cards, mixed_sources, rest_of
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
    case.check_cards()
    if not placed_before_pick_up(case, from_up):
        check_beats(case, cards)
        play_effects(case, cards, len(from_hand), from_up)


def judge_flip(case: Case) -> None:
    """Rule on a down-card that is turned onto the pile."""
    case.check_turn()
    _check_down_stage(case)
    if len(case.action.cards) > 1:
        case.breach("down_one_flip", say("Face-down cards are turned one at a time."), "down_one")
    if case.mechanics.down_enters_hand:
        case.note(say("A face-down card enters the hand before it is played; nobody has to turn it up."))
    case.check_cards()
    card = case.action.cards[0] if case.action.cards else UNKNOWN
    if card == UNKNOWN:
        case.effects |= {"next": None, "burn": None, "extra_turn": None, "draw": 0}
    elif card == JOKER and not case.mechanics.plays_jokers:
        check_beats(case, (card,))
        play_effects(case, (card,), 0, (), from_down=1)
    elif case.decide("goes", may_be_played(case, card)):
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
    return mixed_sources(cards, case.holding.hand, up or ())


def _check_play_turn(case: Case) -> None:
    """Record a breach if the play is out of turn, unless it may complete four of a kind."""
    turn, mechanics = case.situation.turn, case.mechanics
    if mechanics.out_of_turn_four and turn is not None and case.player != turn:
        need = say("the unidentified cards on the pile: only four of a kind may be completed out of turn")
        if case.decide("four", _completes_four(case), need):
            case.check_in_game()
            case.applied.append(("four_out_of_turn",))
            return
    case.check_turn()


def _completes_four(case: Case) -> bool | None:
    """Return whether the play makes four of a kind with the top of the pile; None if that is not known."""
    ranks, pile = {RANK_OF[card] for card in case.action.cards}, case.situation.pile
    if len(ranks) != 1 or UNKNOWN_RANK in ranks:
        return None if ranks == {UNKNOWN_RANK} else False
    (rank,) = ranks
    if pile is not None and (
        not pile or RANK_OF[pile[-1]] not in (rank, UNKNOWN_RANK, *case.mechanics.four_through)
    ):
        return False
    # The set belongs to the card that is played on: it adds at least one of the four.
    return four_is_complete(case, rank, min(len(case.action.cards), case.mechanics.four - 1))


def _check_sources(case: Case, from_hand: list[str], from_up: list[str]) -> None:
    """Record a breach if the cards cannot come from their named source."""
    hand, up = case.holding.hand, case.holding.up
    if from_hand and hand is not None:
        for card in missing_cards(from_hand, hand):
            says = say("{who} does not hold {card:the}.", who=case.player, card=card)
            case.breach("own_cards", says)
    if not from_up:
        if case.action.source == "hand+up":
            case.note(say("No face-up card was played with the hand cards."))
        return
    if up is not None:
        for card in missing_cards(from_up, up):
            says = say("{card:The} is not among {who}'s face-up cards.", card=card, who=case.player)
            case.breach("own_up", says, "own_cards")
    if from_hand:
        _check_mixed(case, from_hand)
    else:
        _check_up_stage(case)


def _check_mixed(case: Case, from_hand: list[str]) -> None:
    """Record a breach if face-up cards go with any but the last cards of the hand."""
    hand = case.holding.hand
    if not case.mechanics.mixed:
        case.breach("mixed", say("Cards from the hand and face-up cards cannot be played together."))
        return
    if len({RANK_OF[card] for card in case.action.cards} - {UNKNOWN_RANK}) > 1:
        says = say("A face-up card goes with the last hand cards only if it has the same rank.")
        case.breach("mixed", says)
    if hand is None:
        what = say("{who}'s hand: a face-up card may be played only with its last cards", who=case.player)
        case.need(what)
    elif len(hand) > len(from_hand):
        rest = rest_of(hand, from_hand)
        facts: dict[str, Any] = {"who": case.player}
        if UNKNOWN in rest:
            facts["count"] = len(rest)
            says = say(
                "{who} still holds {count} more: face-up cards go only with the last hand cards.", **facts
            )
        else:
            facts["cards"] = rest
            says = say(
                "{who} still holds {cards:the}: face-up cards go only with the last hand cards.", **facts
            )
        case.breach("mixed_rest", says, "mixed")
    if case.draw_pile_remains():
        says = say("Hand and face-up cards go together only once the draw pile is empty.")
        case.breach("mixed_deck", says)


def _check_up_stage(case: Case) -> None:
    """Record a breach if the hand, or in some rulesets the draw pile, is not yet empty."""
    hand = case.holding.hand
    if hand is None:
        case.need(
            say("whether {who}'s hand is empty: only then may face-up cards be played", who=case.player)
        )
    elif hand:
        facts: dict[str, Any] = {"who": case.player, "count": len(hand)}
        one = say("{who} still holds a card: face-up cards come after the hand.", **facts)
        more = say("{who} still holds {count} cards: face-up cards come after the hand.", **facts)
        _breach_up_hand(case, one if len(hand) == 1 else more)
    if case.mechanics.up_needs_empty_deck and case.draw_pile_remains():
        case.breach("up_deck", say("Face-up cards come into play only once the draw pile is empty."))
    if case.mechanics.up_enters_hand and not hand:
        note = say(
            "A face-up card enters the hand before it is played. Playing it at once makes no difference."
        )
        case.note(note)


def _breach_up_hand(case: Case, says: Said) -> None:
    """Record the breach. If face-up cards are gone, the rule on emptying the hand again decides."""
    up = case.holding.up
    again = up is not None and len(up) < case.dealt("up") and not case.situation.draw_pile
    if again:
        case.breach("up_hand_again", says, "up_hand")
    else:
        case.breach("up_hand", says)


def _check_down_stage(case: Case) -> None:
    """Record a breach if other cards than face-down ones may be left."""
    holding = case.holding
    if holding.hand is None:
        case.need(
            say("whether {who}'s hand is empty: only then may a face-down card be played", who=case.player)
        )
    elif holding.hand:
        says = say("{who} still has cards in the hand: face-down cards come last.", who=case.player)
        case.breach("down_hand", says)
    check_up_gone(case)
    if case.mechanics.up_needs_empty_deck and case.draw_pile_remains():
        case.breach("down_deck", say("Face-down cards come into play only once the draw pile is empty."))
    if holding.down == 0:
        says = say("{who} has no face-down card left.", who=case.player)
        case.breach("own_down", says, "own_cards")


def check_up_gone(case: Case) -> None:
    """Record a breach if face-up cards are left: face-down cards come after them."""
    up = case.holding.up
    if up is None:
        case.need(
            say("whether {who}'s face-up cards are gone: face-down cards come after them", who=case.player)
        )
    elif up:
        says = say(
            "{who} still has {cards:the} face up: face-down cards come last.", who=case.player, cards=up
        )
        case.breach("down_up", says)


def _check_set(case: Case) -> None:
    """Record a breach if the cards have different ranks, or are too many."""
    cards = case.action.cards
    ranks = {RANK_OF[card] for card in cards}
    if len(ranks) > 1:
        case.breach("sets", say("{cards:The} cannot be played together: a set has one rank.", cards=cards))
    if case.mechanics.max_set and len(cards) > case.mechanics.max_set:
        most = case.mechanics.max_set
        case.breach("set_size", say("At most {count} cards may be played at once.", count=most))
