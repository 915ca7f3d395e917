"""Rulings on picking up the pile, and on taking one's own table cards into the hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.cards import RANK_OF, UNKNOWN, UNKNOWN_RANK
from engine.demand import ANYTHING
from engine.judging.beats import may_be_played
from engine.judging.case import Case
from engine.judging.matching import missing_cards
from engine.sentences import Said, say


def judge_pick_up(case: Case) -> None:
    """Rule on a player who picks up the pile."""
    case.check_turn()
    case.check_replenished()
    _check_whole(case)
    if case.situation.pile == ():
        if not case.mechanics.pick_up_empty:
            case.breach("pick_up_empty", say("There is no pile to pick up."))
    elif case.mechanics.must_play:
        _check_could_not_play(case)
    _check_stage(case)
    case.picks_up(case.player)
    others = case.others_in_game()
    if case.player is None:
        case.effects["next"] = None
    else:
        picker_leads = case.mechanics.after_pick_up == "picker" or not others
        case.effects["next"] = case.player if picker_leads else others[0]


def _check_whole(case: Case) -> None:
    """Breach if only a part of the pile was taken."""
    pile, count = case.situation.pile, case.action.count
    if pile is not None and count is not None and count < len(pile):
        says = say(
            "{who} took {count} of the {all} cards: the whole pile is picked up.",
            who=case.player,
            count=count,
            all=len(pile),
        )
        case.breach("pick_up_whole", says)
    elif pile is not None and count is not None and count > len(pile):
        says = say(
            "{count} cards were picked up, but only {all} were seen on the pile.", count=count, all=len(pile)
        )
        case.note(says)


def _check_could_not_play(case: Case) -> None:
    """Where whoever can play must play: breach if they provably could, and say which cards decide if not."""
    hand, up = case.holding.hand, case.holding.up
    if hand == () and up == ():
        _check_could_not_flip(case)
        return
    if case.demands() == {ANYTHING} and not case.mechanics.never_played:
        case.breach("must_play", say("Any card goes here: {who} could play, so must.", who=case.player))
        return
    source = up if hand == () else hand
    if source is not None:
        _check_could_not_play_from(case, source, face_up=hand == ())
    elif hand == ():
        case.need(say("{who}'s up-cards: whoever can play must play", who=case.player))
    else:
        case.need(say("{who}'s hand: whoever can play must play", who=case.player))


def _check_could_not_play_from(case: Case, source: Sequence[str], *, face_up: bool) -> None:
    playable = {card: may_be_played(case, card) for card in source if card != UNKNOWN}
    could = [card for card, goes in playable.items() if goes]
    hidden = source.count(UNKNOWN)
    if could:
        says = say("{who} could play {cards:or}, and whoever can play must.", who=case.player, cards=could)
        case.breach("must_play", says)
    elif None in playable.values():
        case.need(say("what lies on top of the pile"))
    elif hidden and may_be_played(case, UNKNOWN) is not False:
        case.need(_unseen_among(case, hidden, face_up=face_up))


def _unseen_among(case: Case, hidden: int, *, face_up: bool) -> Said:
    """Name the cards that nobody has seen and that may be playable."""
    facts: dict[str, Any] = {"who": case.player, "count": hidden}
    if face_up:
        if hidden == 1:
            return say("the unseen card in {who}'s up-cards: whoever can play must play", **facts)
        return say("the {count} unseen cards in {who}'s up-cards: whoever can play must play", **facts)
    if hidden == 1:
        return say("the unseen card in {who}'s hand: whoever can play must play", **facts)
    return say("the {count} unseen cards in {who}'s hand: whoever can play must play", **facts)


def _check_could_not_flip(case: Case) -> None:
    """Only face-down cards are left: some rulesets say one must be turned, in others the cards decide."""
    if case.holding.down == 0:
        return
    if case.mechanics.must_flip:
        return  # said once, in `_check_stage`
    if case.demands() == {ANYTHING}:
        case.breach("must_play", say("Any card goes here: {who} could play, so must.", who=case.player))
    else:
        case.need(say("{who}'s face-down cards: whoever can play must play", who=case.player))


def _check_stage(case: Case) -> None:
    """What some rulesets ask of a player without a hand before the pile is picked up."""
    mechanics, holding = case.mechanics, case.holding
    if holding.hand != ():
        return
    if holding.up:
        if mechanics.up_place_first and all(may_be_played(case, card) is False for card in holding.up):
            case.breach("up_place_first", say("{who} first places an up-card on the pile.", who=case.player))
        if mechanics.up_enters_hand and not case.situation.draw_pile:
            note = say("One of {who}'s up-cards enters the hand at the start of the turn.", who=case.player)
            case.note(note)
    elif holding.up == () and holding.down:
        if mechanics.must_flip:
            says = say("{who} has only face-down cards left, and must turn one.", who=case.player)
            case.breach("must_flip", says)
        elif mechanics.down_enters_hand:
            note = say("One of {who}'s down-cards enters the hand at the start of the turn.", who=case.player)
            case.note(note)


def judge_take_up(case: Case) -> None:
    """Rule on up-cards that are taken into the hand."""
    cards, holding, mechanics = case.action.cards, case.holding, case.mechanics
    case.check_turn()
    if not mechanics.up_enters_hand:
        case.breach("up_taken", say("Up-cards are played from the table, not taken into the hand."))
    if holding.hand:
        says = say("{who} still has cards in the hand: no up-card may be taken yet.", who=case.player)
        case.breach("up_hand", says)
    elif holding.hand is None:
        case.need(say("whether {who}'s hand is empty: only then may up-cards be taken", who=case.player))
    if case.situation.draw_pile and mechanics.up_needs_empty_deck:
        case.breach("up_deck", say("Up-cards come into play only once the draw pile is empty."))
    if holding.up is not None:
        for card in missing_cards(cards, holding.up):
            says = say("{card:The} is not among {who}'s up-cards.", card=card, who=case.player)
            case.breach("own_cards", says)
    ranks = {RANK_OF[card] for card in cards} - {UNKNOWN_RANK}
    if len(ranks) > 1:
        says = say("Several up-cards are taken only if they have one rank, not {cards:the}.", cards=cards)
        case.breach("up_same", says)


def judge_take_down(case: Case) -> None:
    """Rule on a down-card that is taken into the hand."""
    holding, mechanics, count = case.holding, case.mechanics, case.action.count
    case.check_in_game()
    if not mechanics.down_enters_hand:
        case.breach("down_look", say("Down-cards are not taken up and looked at."))
    if count is not None and count > 1:
        case.breach("down_one", say("Only one down-card is taken at a time."))
    if holding.hand:
        says = say("{who} still has cards in the hand: down-cards come last.", who=case.player)
        case.breach("down_hand", says)
    elif holding.hand is None:
        case.need(say("whether {who}'s hand is empty: only then may a down-card be taken", who=case.player))
    if holding.up:
        says = say(
            "{who} still has {cards:the} face up: down-cards come last.", who=case.player, cards=holding.up
        )
        case.breach("down_up", says)
    if holding.down == 0:
        case.breach("own_cards", say("{who} has no face-down card left.", who=case.player))
    if case.situation.draw_pile and mechanics.up_needs_empty_deck:
        case.breach("down_deck", say("Down-cards come into play only once the draw pile is empty."))
