"""Rulings on picking up the pile, and on taking one's own table cards into the hand."""

from __future__ import annotations

from collections.abc import Sequence

from engine.cards import RANK_OF, UNKNOWN, UNKNOWN_RANK, card_name, card_names, join_words
from engine.demand import ANYTHING
from engine.judging.beats import may_be_played
from engine.judging.case import Case
from engine.judging.matching import missing_cards


def judge_pick_up(case: Case) -> None:
    """Rule on a player who picks up the pile."""
    case.check_turn()
    case.check_replenished()
    _check_whole(case)
    if case.situation.pile == ():
        if not case.mechanics.pick_up_empty:
            case.breach("pick_up_empty", "There is no pile to pick up.")
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
        says = f"{case.who} took {count} of the {len(pile)} cards: the whole pile is picked up."
        case.breach("pick_up_whole", says)
    elif pile is not None and count is not None and count > len(pile):
        case.note(f"{count} cards were picked up, but only {len(pile)} were seen on the pile.")


def _check_could_not_play(case: Case) -> None:
    """Where whoever can play must play: breach if they provably could, and say which cards decide if not."""
    hand, up = case.holding.hand, case.holding.up
    if hand == () and up == ():
        _check_could_not_flip(case)
        return
    if case.demands() == {ANYTHING} and not case.mechanics.never_played:
        case.breach("must_play", f"Any card goes here: {case.who} could play, so must.")
        return
    source = up if hand == () else hand
    where = "up-cards" if hand == () else "hand"
    if source is None:
        case.need(f"{case.who}'s {where}: whoever can play must play")
        return
    _check_could_not_play_from(case, source, where)


def _check_could_not_play_from(case: Case, source: Sequence[str], where: str) -> None:
    playable = {card: may_be_played(case, card) for card in source if card != UNKNOWN}
    could = [card for card, goes in playable.items() if goes]
    hidden = source.count(UNKNOWN)
    if could:
        names = join_words([f"the {card_name(card)}" for card in could], "or")
        case.breach("must_play", f"{case.who} could play {names}, and whoever can play must.")
    elif None in playable.values():
        case.need("what lies on top of the pile")
    elif hidden and may_be_played(case, UNKNOWN) is not False:
        many = "the unseen card" if hidden == 1 else f"the {hidden} unseen cards"
        case.need(f"{many} in {case.who}'s {where}: whoever can play must play")


def _check_could_not_flip(case: Case) -> None:
    """Only face-down cards are left: some rulesets say one must be turned, in others the cards decide."""
    if case.holding.down == 0:
        return
    if case.mechanics.must_flip:
        return  # said once, in `_check_stage`
    if case.demands() == {ANYTHING}:
        case.breach("must_play", f"Any card goes here: {case.who} could play, so must.")
    else:
        case.need(f"{case.who}'s face-down cards: whoever can play must play")


def _check_stage(case: Case) -> None:
    """What some rulesets ask of a player without a hand before the pile is picked up."""
    mechanics, holding = case.mechanics, case.holding
    if holding.hand != ():
        return
    if holding.up:
        if mechanics.up_place_first and all(may_be_played(case, card) is False for card in holding.up):
            case.breach("up_place_first", f"{case.who} first places an up-card on the pile.")
        if mechanics.up_enters_hand and not case.situation.draw_pile:
            case.note(f"One of {case.who}'s up-cards enters the hand at the start of the turn.")
    elif holding.up == () and holding.down:
        if mechanics.must_flip:
            case.breach("must_flip", f"{case.who} has only face-down cards left, and must turn one.")
        elif mechanics.down_enters_hand:
            case.note(f"One of {case.who}'s down-cards enters the hand at the start of the turn.")


def judge_take_up(case: Case) -> None:
    """Rule on up-cards that are taken into the hand."""
    cards, holding, mechanics = case.action.cards, case.holding, case.mechanics
    case.check_turn()
    if not mechanics.up_enters_hand:
        case.breach("up_taken", "Up-cards are played from the table, not taken into the hand.")
    if holding.hand:
        case.breach("up_hand", f"{case.who} still has cards in the hand: no up-card may be taken yet.")
    elif holding.hand is None:
        case.need(f"whether {case.who}'s hand is empty: only then may up-cards be taken")
    if case.situation.draw_pile and mechanics.up_needs_empty_deck:
        case.breach("up_deck", "Up-cards come into play only once the draw pile is empty.")
    if holding.up is not None:
        for card in missing_cards(cards, holding.up):
            case.breach("own_cards", f"The {card_name(card)} is not among {case.who}'s up-cards.")
    ranks = {RANK_OF[card] for card in cards} - {UNKNOWN_RANK}
    if len(ranks) > 1:
        says = f"Several up-cards are taken only if they have one rank, not {card_names(cards)}."
        case.breach("up_same", says)


def judge_take_down(case: Case) -> None:
    """Rule on a down-card that is taken into the hand."""
    holding, mechanics, count = case.holding, case.mechanics, case.action.count
    case.check_in_game()
    if not mechanics.down_enters_hand:
        case.breach("down_look", "Down-cards are not taken up and looked at.")
    if count is not None and count > 1:
        case.breach("down_one", "Only one down-card is taken at a time.")
    if holding.hand:
        case.breach("down_hand", f"{case.who} still has cards in the hand: down-cards come last.")
    elif holding.hand is None:
        case.need(f"whether {case.who}'s hand is empty: only then may a down-card be taken")
    if holding.up:
        case.breach(
            "down_up", f"{case.who} still has {card_names(holding.up)} face up: down-cards come last."
        )
    if holding.down == 0:
        case.breach("own_cards", f"{case.who} has no face-down card left.")
    if case.situation.draw_pile and mechanics.up_needs_empty_deck:
        case.breach("down_deck", "Down-cards come into play only once the draw pile is empty.")
