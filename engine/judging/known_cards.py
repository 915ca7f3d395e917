"""Known places of cards: no card can be in two places.

Each physical card exists once per pack. If a card is known to lie in one place, nobody can play, show or hold
it in another. If somebody does, one of the two cards was misread, or the pack has a surplus card.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import chain

from engine.cards import JOKER, RANK_OF, RANK_TEXTS, SUIT_OF, UNKNOWN
from engine.deals import packs_for
from engine.judging.matching import missing_cards
from engine.judging.situation import Action, Holding, Situation
from engine.sentences import Said, say
from engine.unseen import UnseenCards


def unseen_cards(situation: Situation, action: Action) -> UnseenCards:
    """Return the cards that an unidentified card can be: those not known on the table or in the action."""
    mechanics = situation.rules.mechanics
    packs = packs_for(mechanics, len(situation.players))
    known = [*(situation.pile or ()), *(situation.burned or ())]
    moved: dict[str | None, list[str]] = {}
    for owner, card in _moved(situation, action):
        moved.setdefault(owner, []).append(card)
    from_hand, from_up = _may_come_from(action)
    for player in {*situation.cards, *moved}:
        holding = situation.holding(player)
        hand = [card for card in holding.hand or () if card != UNKNOWN]
        up = [card for card in holding.up or () if card != UNKNOWN]
        known += hand + up
        source = (hand if from_hand else []) + (up if from_up else [])
        known += missing_cards([card for card in moved.get(player, ()) if card != UNKNOWN], source)
    return UnseenCards(packs, mechanics.jokers * packs, known)


def _moved(situation: Situation, action: Action) -> Iterator[tuple[str | None, str]]:
    """Yield (owner, card) for every card that an action moves; the owner is None if not known."""
    player = actor(situation, action)
    answers = action.answers if action.type == "show" else ()
    for place, card in enumerate(action.cards):
        answered = 0 < place <= len(answers)
        yield (answers[place - 1][0] if answered else player), card
    for card in (*(action.hand_out or ()), *(action.up_out or ())):
        yield player, card


def actor(situation: Situation, action: Action) -> str | None:
    """Return the named player, or else the player whose turn it is."""
    return situation.turn if action.player is None else action.player


def cards_in_two_places(situation: Situation, player: str | None) -> list[str]:
    """Return the cards of a player that are known in more places than there are packs."""
    hand, up, _ = situation.holding(player)
    own = (hand or ()) + (up or ())
    distinct, blank = set(own), own.count(UNKNOWN)
    distinct.discard(UNKNOWN)
    if not distinct:
        return []
    places = [situation.pile or (), situation.burned or ()]
    for other, (held, row, _) in situation.cards.items():
        if other != player:
            places += (held or (), row or ())
    if len(distinct) + blank == len(own) and all(map(distinct.isdisjoint, places)):
        return []
    packs = packs_for(situation.rules.mechanics, len(situation.players))
    times = Counter(chain(own, *places))
    return [card for card in dict.fromkeys(own) if SUIT_OF[card] and times[card] > packs]


def came_from_own(action: Action, holding: Holding) -> bool:
    """Return whether every moved card is known to come from its player's cards.

    Such cards cannot be impossible, unless a card is known in two places.
    """
    if action.type == "play" and action.source in ("hand", "up"):
        own, cards = holding.hand if action.source == "hand" else holding.up, set(action.cards)
        if own is None or len(cards) < len(action.cards):
            return False
        return cards.issubset(own) and all(map(SUIT_OF.get, cards))
    return action.type == "pick_up"


def impossible_cards(situation: Situation, action: Action) -> Iterator[tuple[str, Said]]:
    """Yield (mechanism, sentence) for each moved card that cannot have been there."""
    packs = packs_for(situation.rules.mechanics, len(situation.players))
    moved = list(_moved(situation, action))
    here = Counter(card for _, card in moved)
    for owner, card in dict.fromkeys(moved):
        if not SUIT_OF[card]:
            continue
        burned = (situation.burned or ()).count(card)
        if burned and burned + here[card] > packs:
            yield "burnt", say("{card:The} has been burned and is out of the game.", card=card)
            continue
        places = list(_other_places(situation, action, owner, card, here[card]))
        if len(places) + burned + here[card] > packs:
            many = say("{card:The} was seen {count} times: one was misread.", card=card, count=here[card])
            yield "one_pack", places[0] if places else many
    ranks = {RANK_OF[card] for card in here if not SUIT_OF[card] and card != UNKNOWN}
    if not situation.rules.mechanics.jokers:
        ranks.discard(RANK_OF[JOKER])
    for rank in sorted(ranks):
        if unseen_cards(situation, action).overdrawn(rank):
            text = RANK_TEXTS[rank]
            yield "one_pack", say("There are not that many {rank:plural}: one was misread.", rank=text)


def _other_places(
    situation: Situation, action: Action, owner: str | None, card: str, moved: int
) -> Iterator[Said]:
    """Yield a sentence for each other place in which the card is known to be.

    Args:
        situation: the table before the action.
        action: the action that moved the card.
        owner: the player who had the card; None: not known.
        card: the moved card.
        moved: how many copies of it the action moved.
    """
    for _ in range((situation.pile or ()).count(card)):
        yield say("{card:The} already lies on the pile: one of the two was misread.", card=card)
    for player, holding in situation.cards.items():
        hand, up = (holding.hand or ()).count(card), (holding.up or ()).count(card)
        if player == owner and (hand or up):
            from_hand, from_up = _may_come_from(action)
            if from_hand and from_up:
                continue
            hand, up = hand - (moved if from_hand else 0), up - (moved if from_up else 0)
        for _ in range(hand):
            yield say("{card:The} is in {who}'s hand: one of the two was misread.", card=card, who=player)
        for _ in range(up):
            says = say(
                "{card:The} lies face up in front of {who}: one of the two was misread.",
                card=card,
                who=player,
            )
            yield says


def _may_come_from(action: Action) -> tuple[bool, bool]:
    """Return whether the action's cards may come from the hand, and from the up-cards."""
    if action.type == "flip" or action.source == "down":
        return False, False
    if action.type == "play" and action.source in ("hand", "up"):
        return action.source == "hand", action.source == "up"
    return action.type != "take_up", True
