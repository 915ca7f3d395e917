"""Makes what is known of a table agree with what was just seen of it.

Readings err and movements are missed far more often than players conjure. So where a played card cannot
have been where it is said to have been, the knowledge gives way: what follows physically from the sight is
entered, the rest of the doubtful knowledge is forgotten, and a note says so. Nothing here asks whether a play
is legal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from engine.cards import RANK_OF, SUIT_OF, UNKNOWN
from engine.deals import packs_for
from engine.judging.matching import missing_cards, mixed_sources, same_among
from engine.referee.state import Knowledge, Seat
from engine.sentences import Said, say


def reconcile(state: Knowledge, player: str, cards: Sequence[str], source: str | None) -> list[Said]:
    """Let a player hold, in hand or face up, what they were just seen to play; return what was odd."""
    seat = state.seats[player]
    notes = _missed_pick_up(state, player, cards)
    if source == "up":
        return notes + _misread_up_cards(seat, cards)
    if source == "hand+up":
        return notes + _misread_up_cards(seat, _must_be_up(seat, cards))
    if source not in ("hand", None):
        return notes
    notes += _missed_take_up(state, seat, player, cards)
    if source is None and seat.up and not seat.hand:
        return notes  # it came from the table
    return notes + _make_room(state, seat, player, cards)


def give_up_surplus(state: Knowledge, player: str, surplus: int) -> list[Said]:
    """Stop counting cards that a player drew beyond what was due; return what to tell the players.

    Who draws up to the minimum has most likely played cards that nobody saw. It is said once: were the count
    kept, every later draw of that player would be called wrong for the same reason.
    """
    hand, minimum = state.seats[player].hand, state.rules.mechanics.min_hand
    given_up = min(surplus, len(hand) - minimum, hand.count(UNKNOWN)) if minimum else 0
    for _ in range(given_up):
        hand.remove(UNKNOWN)
    counted = say("{who}'s hand is counted as {count} from here on.", who=player, count=len(hand))
    return [counted] if given_up > 0 else []


def _one_pack(state: Knowledge) -> bool:
    return packs_for(state.rules.mechanics, len(state.players)) == 1


def _missed_pick_up(state: Knowledge, player: str, cards: Sequence[str]) -> list[Said]:
    """A card that lay on the pile comes out of a hand: the pile was picked up unseen."""
    if not _one_pack(state) or not any(SUIT_OF[card] and card in state.pile for card in cards):
        return []
    state.move_pile_to(player)
    return [say("{who} must have picked up the pile, and nobody saw it.", who=player)]


def _missed_take_up(state: Knowledge, seat: Seat, player: str, cards: Sequence[str]) -> list[Said]:
    """With no cards in hand, one that lay face up was taken up unseen."""
    taken = [card for card in cards if SUIT_OF[card] and card in seat.up and card not in seat.hand]
    if not state.rules.mechanics.up_enters_hand or not taken or len(seat.hand) >= len(cards):
        return []
    for card in taken:
        seat.up.remove(card)
        seat.hand.append(card)
    return [say("{who} must have taken up-cards into the hand, and nobody saw it.", who=player)]


def _misread_up_cards(seat: Seat, cards: Sequence[str]) -> list[Said]:
    """A played up-card that was not known to lie there takes the place of one that was."""
    spare = Counter(seat.up)
    spare.subtract(cards)
    notes: list[Said] = []
    for card in cards:
        if spare[card] < 0 and card != UNKNOWN:
            free = [up for up, count in spare.items() if count > 0]
            instead = same_among(card, free)
            known = instead is not None
            instead = instead or next((up for up in free if up == UNKNOWN), None)
            instead = instead or next((up for up in free if RANK_OF[up] == RANK_OF[card]), None)
            instead = instead or (free[0] if free else None)
            if instead is None:
                continue
            seat.up[seat.up.index(instead)] = card
            spare[instead] -= 1
            spare[card] += 1
            if instead != UNKNOWN and not known:
                notes.append(say("An up-card had been misread as another card."))
    return notes


def _must_be_up(seat: Seat, cards: Sequence[str]) -> list[str]:
    """Which cards of a mixed set lay face up: those seen there, and those the hand has no room for."""
    from_hand, up = mixed_sources(cards, seat.hand, seat.up)
    rest = _not_known(without(from_hand, [card for card in seat.hand if card == UNKNOWN]), seat.hand)
    if not up and not rest:
        return [card for card in from_hand if not SUIT_OF[card] and card != UNKNOWN][:1]
    more = max(len(rest) - seat.hand.count(UNKNOWN), 0 if up else 1)
    return up + rest[len(rest) - min(more, len(rest)) :]


def _make_room(state: Knowledge, seat: Seat, player: str, cards: Sequence[str]) -> list[Said]:
    """A hand that is too small, or known not to hold the cards, was not what had been seen of it."""
    notes: list[Said] = []
    missing = len(cards) - len(seat.hand)
    if 0 < missing <= seat.may_draw:
        state.draw(player, missing)
        seat.may_draw -= missing
        notes.append(say("{who} must have drawn a card that nobody saw.", who=player))
    unknown = _not_known(cards, seat.hand)
    if len(unknown) > seat.hand.count(UNKNOWN) or len(cards) > len(seat.hand):
        seat.blur()
        seat.hand.extend([UNKNOWN] * (len(cards) - len(seat.hand)))
        notes.append(say("{who}'s hand was not what the referee had seen of it.", who=player))
    return notes


def _not_known(cards: Sequence[str], hand: Sequence[str]) -> list[str]:
    """Return the cards that are not known to be in a hand; one that was not read never is."""
    unread = [card for card in cards if card == UNKNOWN]
    return unread + missing_cards(without(cards, unread), [card for card in hand if card != UNKNOWN])


def changed_places(before: Sequence[str], now: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return which up-cards an exchange brought and which it took away; one may be named with a suit once."""
    put, taken = without(now, before), without(before, now)
    for card in list(put):
        same = same_among(card, taken)
        if same is not None:
            put.remove(card)
            taken.remove(same)
    return put, taken


def without(cards: Sequence[str], others: Sequence[str]) -> list[str]:
    """Return the cards that are not among the others, counted."""
    rest = list(others)
    left = []
    for card in cards:
        if card in rest:
            rest.remove(card)
        else:
            left.append(card)
    return left


def split_sources(
    hand: Sequence[str], up: Sequence[str], cards: Sequence[str], source: str | None
) -> tuple[list[str], list[str]]:
    """Split played cards into those from the hand and those from the up-cards, as the judge does."""
    if source == "hand":
        return list(cards), []
    if source == "up":
        return [], list(cards)
    if source == "down":
        return [], []
    if hand:
        return mixed_sources(cards, hand, up) if source == "hand+up" else (list(cards), [])
    rest_up, from_hand, from_up = list(up), [], []
    for card in cards:
        if rest_up:
            rest_up.remove(card if card in rest_up else rest_up[0])
            from_up.append(card)
        else:
            from_hand.append(card)
    return from_hand, from_up
