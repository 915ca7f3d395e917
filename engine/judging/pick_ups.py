"""Rulings on picking up the pile, and on taking up-cards and down-cards into the hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.cards import RANK_OF, RANK_TEXTS, UNKNOWN
from engine.judging.beats import anything_goes, can_play
from engine.judging.case import Case
from engine.judging.matching import missing_cards
from engine.judging.plays import check_up_gone
from engine.sentences import Said, say


def judge_pick_up(case: Case) -> None:
    """Rule on picking up the pile."""
    case.check_turn()
    case.check_replenished()
    case.check_cards()
    forced = case.forced_by() if case.mechanics.forces_pick_up else 0
    _check_whole(case, burned=1 if forced else 0)
    if case.situation.pile == ():
        _check_nothing_there(case)
    elif forced:
        case.applied.append((f"forces_pick_up.{RANK_TEXTS[forced]}",))
    elif case.mechanics.must_play:
        _check_could_not_play(case)
    elif case.situation.pile is None and not case.action.count and not case.mechanics.pick_up_empty:
        case.need(say("whether there is a pile to pick up"))
    _check_stage(case)
    count, pile = case.action.count, case.situation.pile
    more = count - len(pile) if count is not None and pile is not None else -1 if forced else 0
    case.picks_up(case.player, hand=_hand_at_turn(case), more=more)
    if case.player is None:
        case.effects["next"] = None
    else:
        case.next_after_pick_up()


def _check_nothing_there(case: Case) -> None:
    """Rule on picking up an empty pile: a breach, unless the ruleset allows it to pass the turn."""
    if not case.mechanics.pick_up_empty:
        case.breach("pick_up_empty", say("There is no pile to pick up."))
        return
    case.applied.append(("pick_up_nothing",))
    cite = case.situation.rules.rule_for("pick_up_nothing").cite
    note = say(
        "An empty pile may be picked up: {cite} speaks of a pile that could be empty. The turn passes.",
        cite=cite,
    )
    case.note(note)


def _hand_at_turn(case: Case) -> int | None:
    """Return the size of the hand after an up-card or down-card has entered it at the start of the turn."""
    holding = case.holding
    if holding.hand is None:
        return None
    enters = not holding.hand and not case.situation.draw_pile
    if enters and holding.up and case.mechanics.up_enters_hand:
        return 1
    if enters and holding.up == () and holding.down and case.mechanics.down_enters_hand:
        return 1
    return len(holding.hand)


def _check_whole(case: Case, burned: int) -> None:
    """Record a breach if only a part of the pile was taken; `burned` cards on top of it are not taken."""
    pile, count = case.situation.pile, case.action.count
    if pile is not None and count is not None and count < len(pile) - burned:
        says = say(
            "{who} took {count} of the {all} cards: the whole pile is picked up.",
            who=case.player,
            count=count,
            all=len(pile) - burned,
        )
        case.breach("pick_up_whole", says)
    elif pile is not None and count is not None and count > len(pile):
        says = say(
            "{count} cards were picked up, but only {all} were seen on the pile.", count=count, all=len(pile)
        )
        case.note(says)


def _check_could_not_play(case: Case) -> None:
    """Record a breach if the player surely could play, or the hidden cards that decide.

    Only rulesets in which a player who can play must play call this.
    """
    hand, up = case.holding.hand, case.holding.up
    if hand is None:
        need = say("{who}'s hand: whoever can play must play", who=case.player)
        could = {can_play(case, (), 1)}
        if case.deck_is_empty() is not False:  # the hand may be empty
            could.add(can_play(case, up or (), 1 if not up else up.count(UNKNOWN)))
        _rule_on_could(case, could.pop() if len(could) == 1 else None, (), need)
    elif hand:
        _check_could_not_play_from(case, hand, face_up=False)
    elif up:
        _check_could_not_play_from(case, up, face_up=True)
    elif up is None:
        need = say("{who}'s face-up cards: whoever can play must play", who=case.player)
        _rule_on_could(case, can_play(case, (), 1), (), need)
    elif not case.mechanics.must_flip and case.holding.down != 0:
        need = say("{who}'s face-down cards: whoever can play must play", who=case.player)
        _rule_on_could(case, can_play(case, (), case.holding.down or 1), (), need)


def _check_could_not_play_from(case: Case, source: Sequence[str], *, face_up: bool) -> None:
    known = [card for card in source if card != UNKNOWN and card not in case.doubtful]
    hidden = len(source) - len(known)
    need = _unseen_among(case, hidden, face_up=face_up)
    if not hidden or (len(case.demands()) > 1 and can_play(case, known, 0) is None):
        need = say("what lies on top of the pile")
    _rule_on_could(case, can_play(case, known, hidden), known, need)


def _rule_on_could(case: Case, could: bool | None, known: Sequence[str], need: Said) -> None:
    """Record a breach if a card could be played, or `need` if that is not known."""
    if could is None:
        case.need(need)
        return
    if not could:
        return
    if case.may_be_forced():
        case.need(say("what lies on top of the pile"))
        return
    cards = [card for card in known if can_play(case, (card,), 0)]
    if anything_goes(case):
        says = say("Any card can be played here, so {who} must play.", who=case.player)
    elif cards:
        says = say("{who} could play {cards:or}. Whoever can play must play.", who=case.player, cards=cards)
    else:
        says = say("At least one of {who}'s unseen cards can be played, so {who} must play.", who=case.player)
    case.breach("must_play", says)


def _unseen_among(case: Case, hidden: int, *, face_up: bool) -> Said:
    """Return the words for the hidden cards that decide whether the player could play."""
    facts: dict[str, Any] = {"who": case.player, "count": hidden}
    if face_up:
        if hidden == 1:
            return say("the unseen card in {who}'s face-up cards: whoever can play must play", **facts)
        return say("the {count} unseen cards in {who}'s face-up cards: whoever can play must play", **facts)
    if hidden == 1:
        return say("the unseen card in {who}'s hand: whoever can play must play", **facts)
    return say("the {count} unseen cards in {who}'s hand: whoever can play must play", **facts)


def _check_stage(case: Case) -> None:
    """Apply the rules of some rulesets for a player without hand cards who picks up."""
    mechanics, holding = case.mechanics, case.holding
    if holding.hand:
        return
    if holding.hand is None:
        _check_hidden_stage(case)
    elif holding.up:
        case.applied.append(("pick_up_up",))
        if mechanics.up_place_first:
            _check_placed_first(case)
        if mechanics.up_enters_hand and not case.situation.draw_pile:
            note = say(
                "One of {who}'s face-up cards enters the hand at the start of the turn.", who=case.player
            )
            case.note(note)
    elif holding.up == () and holding.down:
        if mechanics.must_flip:
            says = say("{who} has only face-down cards left and must turn one over.", who=case.player)
            case.breach("must_flip", says)
        elif mechanics.down_enters_hand:
            note = say(
                "One of {who}'s face-down cards enters the hand at the start of the turn.", who=case.player
            )
            case.note(note)


def _check_hidden_stage(case: Case) -> None:
    """Record the missing knowledge if the player may have only face-down cards left."""
    mechanics, holding = case.mechanics, case.holding
    if mechanics.must_flip and holding.up == () and holding.down != 0 and case.deck_is_empty() is not False:
        case.need(say("whether {who} has only face-down cards left", who=case.player))


def _check_placed_first(case: Case) -> None:
    """Record a breach if the player had to place an up-card on the pile before picking up."""
    up = case.holding.up or ()
    known = [card for card in up if card != UNKNOWN]
    could = can_play(case, known, len(up) - len(known))
    if could is False:
        case.breach(
            "up_place_first", say("{who} must first place a face-up card on the pile.", who=case.player)
        )
    elif could is None:
        what = say(
            "the unseen cards in {who}'s face-up cards: one is placed only if none can be played",
            who=case.player,
        )
        if len(known) == len(up):
            what = say("what lies on top of the pile")
        case.need(what)


def judge_take_up(case: Case) -> None:
    """Rule on taking up-cards into the hand."""
    cards, holding, mechanics = case.action.cards, case.holding, case.mechanics
    case.check_turn()
    if not mechanics.up_enters_hand:
        case.breach("up_taken", say("Face-up cards are played from the table, not taken into the hand."))
    if holding.hand:
        says = say("{who} still has cards in the hand: no face-up card may be taken yet.", who=case.player)
        case.breach("up_hand", says)
    elif holding.hand is None:
        case.need(say("whether {who}'s hand is empty: only then may face-up cards be taken", who=case.player))
    if mechanics.up_needs_empty_deck and case.draw_pile_remains():
        case.breach("up_deck", say("Face-up cards come into play only once the draw pile is empty."))
    if holding.up is not None:
        for card in missing_cards(cards, holding.up):
            says = say("{card:The} is not among {who}'s face-up cards.", card=card, who=case.player)
            case.breach("own_up", says, "own_cards")
    if len({RANK_OF[card] for card in cards}) > 1:
        says = say(
            "Face-up cards are taken together only if they have the same rank, unlike {cards:the}.",
            cards=cards,
        )
        case.breach("up_same", says)
    case.check_cards()


def judge_take_down(case: Case) -> None:
    """Rule on taking a down-card into the hand."""
    holding, mechanics, count = case.holding, case.mechanics, case.action.count
    case.check_in_game()
    if not mechanics.down_enters_hand:
        case.breach("down_look", say("Face-down cards are not taken up and looked at."))
    if count is not None and count > 1:
        case.breach("down_one", say("Only one face-down card is taken at a time."))
    if holding.hand:
        says = say("{who} still has cards in the hand: face-down cards come last.", who=case.player)
        case.breach("down_hand", says)
    elif holding.hand is None:
        case.need(
            say("whether {who}'s hand is empty: only then may a face-down card be taken", who=case.player)
        )
    check_up_gone(case)
    if holding.down == 0:
        says = say("{who} has no face-down card left.", who=case.player)
        case.breach("own_down", says, "own_cards")
    if mechanics.up_needs_empty_deck and case.draw_pile_remains():
        case.breach("down_deck", say("Face-down cards come into play only once the draw pile is empty."))
