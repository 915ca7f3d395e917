"""Reconciles the knowledge of a table with the event just seen.

Misreadings and missed movements are much more likely than impossible plays. So if a played card contradicts
the knowledge, the knowledge is changed. The change enters the physical consequences of the event and forgets
doubtful cards, and a note reports it. Nothing here asks whether a play is legal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from engine.cards import RANK_OF, SUIT_OF, UNKNOWN
from engine.judging.matching import missing_cards, mixed_sources, same_among
from engine.referee.state import Knowledge, Seat
from engine.sentences import Said, say


def reconcile(state: Knowledge, player: str, cards: Sequence[str], source: str | None) -> list[Said]:
    """Change the knowledge so that the player held the played cards; return the notes on contradictions.

    Args:
        state: the knowledge to change.
        player: the player who played.
        cards: the played cards.
        source: `hand`, `up`, `hand+up`, `down`, or None: not known.
    """
    seat = state.seats[player]
    if source == "up":
        return _misread_up_cards(seat, cards)
    if source == "hand+up":
        return _misread_up_cards(seat, _must_be_up(seat, cards))
    if source not in ("hand", None):
        return []
    notes = _missed_take_up(state, seat, player, cards)
    if source is None and seat.up and not seat.hand:
        return notes  # it came from the table
    return notes + _make_room(state, seat, player, cards)


def give_up_surplus(state: Knowledge, player: str, surplus: int) -> list[Said]:
    """Remove up to `surplus` cards from the hand of a player who drew too many. Return the note on it.

    A player who draws up to the minimum has most likely played cards that nobody saw. The surplus gives one
    breach. If the count stayed, every later draw of that player would give the same breach.
    """
    hand, minimum = state.seats[player].hand, state.rules.mechanics.min_hand
    given_up = min(surplus, len(hand) - minimum, hand.count(UNKNOWN)) if minimum else 0
    for _ in range(given_up):
        hand.remove(UNKNOWN)
    counted = say("{who}'s hand is counted as {count} from here on.", who=player, count=len(hand))
    return [counted] if given_up > 0 else []


def _missed_take_up(state: Knowledge, seat: Seat, player: str, cards: Sequence[str]) -> list[Said]:
    """Enter that up-cards entered the hand unseen, if the hand is too small; return the note on it."""
    taken = [card for card in cards if SUIT_OF[card] and card in seat.up and card not in seat.hand]
    if not state.rules.mechanics.up_enters_hand or not taken or len(seat.hand) >= len(cards):
        return []
    for card in taken:
        seat.up.remove(card)
        seat.hand.append(card)
    return [say("{who} must have taken face-up cards into the hand, and nobody saw it.", who=player)]


def _misread_up_cards(seat: Seat, cards: Sequence[str]) -> list[Said]:
    """Replace known up-cards by played ones that were not known to lie there; return the notes on it."""
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
                notes.append(say("A face-up card had been misread as another card."))
    return notes


def _must_be_up(seat: Seat, cards: Sequence[str]) -> list[str]:
    """Return the cards of a mixed set that lay face up: the known ones, and those that exceed the hand."""
    from_hand, up = mixed_sources(cards, seat.hand, seat.up)
    rest = _not_known(without(from_hand, [card for card in seat.hand if card == UNKNOWN]), seat.hand)
    if not up and not rest:
        return [card for card in from_hand if not SUIT_OF[card] and card != UNKNOWN][:1]
    more = max(len(rest) - seat.hand.count(UNKNOWN), 0 if up else 1)
    return up + rest[len(rest) - min(more, len(rest)) :]


def _make_room(state: Knowledge, seat: Seat, player: str, cards: Sequence[str]) -> list[Said]:
    """Correct a hand that is too small, or is known not to hold the cards; return the notes on it."""
    notes: list[Said] = []
    missing = len(cards) - len(seat.hand)
    if 0 < missing <= seat.may_draw:
        state.draw(player, missing)
        seat.may_draw -= missing
        notes.append(say("{who} must have drawn a card that nobody saw.", who=player))
    unknown = _not_known(cards, seat.hand)
    if len(unknown) > seat.hand.count(UNKNOWN) or len(cards) > len(seat.hand):
        seat.forget_hand()
        seat.hand.extend([UNKNOWN] * (len(cards) - len(seat.hand)))
        notes.append(say("The referee's record of {who}'s hand was wrong.", who=player))
    return notes


def _not_known(cards: Sequence[str], hand: Sequence[str]) -> list[str]:
    """Return the cards that are not known to be in a hand; unidentified cards never are."""
    unread = [card for card in cards if card == UNKNOWN]
    return unread + missing_cards(without(cards, unread), [card for card in hand if card != UNKNOWN])


def changed_places(before: Sequence[str], now: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the up-cards that an exchange brought and those that it took away.

    A card that has a suit in one list and none in the other counts as the same.
    """
    put, taken = without(now, before), without(before, now)
    for card in list(put):
        same = same_among(card, taken)
        if same is not None:
            put.remove(card)
            taken.remove(same)
    return put, taken


def without(cards: Sequence[str], others: Sequence[str]) -> list[str]:
    """Return the cards without the others, counting copies, in their order."""
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
    """Split played cards into those from the hand and those from the up-cards, as the judge does.

    Args:
        hand: the hand before the play.
        up: the up-cards before the play.
        cards: the played cards.
        source: `hand`, `up`, `hand+up`, `down`, or None: not known.
    """
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
