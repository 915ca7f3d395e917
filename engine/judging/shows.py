"""Rulings on a card that is shown to another player, with the answers and the way back in."""

from __future__ import annotations

from engine.cards import RANK_OF, RANK_TEXTS, UNKNOWN, UNKNOWN_RANK
from engine.judging.case import Case
from engine.judging.matching import missing_cards
from engine.judging.situation import Holding
from engine.sentences import say


def judge_show(case: Case) -> None:
    """Rule on a show, settled with all its answers. A card that cannot be shown brings nothing about."""
    case.check_turn()
    if not case.mechanics.shown:
        case.breach("show", say("No card is shown to another player in these rules."), "actions")
        return
    case.check_replenished()
    _check_shown_cards(case)
    _check_recipient(case)
    _check_answers(case)
    if not any(RANK_OF[card] not in (*case.mechanics.shown, UNKNOWN_RANK) for card in case.action.cards):
        _settle(case)


def _check_shown_cards(case: Case) -> None:
    """Exactly one card of the right rank, out of the hand."""
    cards, holding = case.action.cards, case.holding
    shown = sorted(case.mechanics.shown)
    for card in cards:
        if card == UNKNOWN:
            case.need(say("the card shown, which nobody identified"))
        elif RANK_OF[card] not in case.mechanics.shown:
            says = say(
                "{card:The} cannot be shown: only {rank:plural} are.", card=card, rank=RANK_TEXTS[shown[0]]
            )
            case.breach("show_three", says)
    if len(cards) > 1 + len(case.action.answers):
        case.breach("show_one", say("{who} showed {cards:the}: one at a time.", who=case.player, cards=cards))
    if holding.hand is None:
        return
    for card in cards[:1]:
        if card != UNKNOWN and missing_cards((card,), holding.hand):
            _check_shown_from_table(case, card)


def _may_hold(cards: tuple[str, ...], rank: int) -> bool:
    """Whether a card of a rank may be among `cards`."""
    return any(RANK_OF[held] in (rank, UNKNOWN_RANK) for held in cards)


def _check_shown_from_table(case: Case, card: str) -> None:
    """The card is not in the hand: it may still come from the up-cards once they are in play."""
    holding = case.holding
    at_up_stage = holding.hand == () and not case.situation.draw_pile
    if at_up_stage and card in (holding.up or ()):
        case.note(say("{card:The} enters the hand before it is shown; this comes to the same.", card=card))
    elif at_up_stage and holding.up == () and holding.down:
        case.note(say("A down-card enters the hand before it is shown; this comes to the same."))
    else:
        case.breach("own_cards", say("{who} does not hold {card:the}.", who=case.player, card=card))


def _check_recipient(case: Case) -> None:
    """It is shown to another player, who is in the game or has only just left it."""
    to, left = case.action.to, case.situation.left
    if to is None:
        return
    if to == case.player:
        case.breach("show_self", say("{who} cannot show a card to themselves.", who=case.player))
    elif case.situation.holding(to).empty and to not in left:
        case.note(say("{to} has just left the game and can be shown back in.", to=to))
    elif to in left:
        since, right = left[to], _right_neighbour(case, to)
        if not case.mechanics.back_in or (since is not None and right in since):
            says = say(
                "{to} is out for good: {right}, on their right, has had a turn since.", to=to, right=right
            )
            case.breach("show_gone", says)
        elif since is None:
            note = say(
                "{to} can be shown back in only until {right} has completed a turn.", to=to, right=right
            )
            case.note(note)


def _right_neighbour(case: Case, player: str) -> str:
    """The nearest player on `player`'s right who was still playing when `player` left."""
    players, left = case.situation.players, case.situation.left
    here = players.index(player)
    since = left[player] or ()
    for step in range(1, len(players)):
        other = players[here - step]
        if other not in left or other in since:
            return other
    return players[here - 1]


def _check_answers(case: Case) -> None:
    """Each answer goes back to the one who showed, and needs a card to answer with."""
    shower, shown_to = case.player, case.action.to
    spent: dict[str, int] = {}
    for number, (giver, receiver) in enumerate(case.action.answers):
        if (shown_to is not None and giver != shown_to) or (shower is not None and receiver != shower):
            says = say(
                "{giver} cannot answer to {receiver}: an answer goes back to the one who showed.",
                giver=giver,
                receiver=receiver,
            )
            case.breach("answer_order", says)
        if giver != case.player or number:
            _check_can_answer(case, giver, spent)
        shower, shown_to = giver, receiver


def _check_can_answer(case: Case, giver: str, spent: dict[str, int]) -> None:
    """Breach if the answering player is known to have no card to answer with."""
    holding = case.situation.holding(giver)
    rank = min(case.mechanics.shown)
    used = spent.get(giver, 1 if giver == case.player else 0)
    spent[giver] = used + 1
    table = case.action.answered_from
    if giver != case.player and table in ("up", "down"):
        _check_answer_from_table(case, giver, holding, rank)
        return
    if giver in case.situation.left:
        says = say("{giver} has left the game and holds no card to answer with.", giver=giver)
        case.breach("gone", says)
    elif holding.hand is not None:
        able = sum(RANK_OF[card] in (rank, UNKNOWN_RANK) for card in holding.hand)
        if holding.hand == () and table is None and (holding.up is None or _may_hold(holding.up, rank)):
            able += 1
        if able <= used:
            says = say("{giver} holds no {rank:rank} to answer with.", giver=giver, rank=RANK_TEXTS[rank])
            case.breach("answer_three", says)


def _check_answer_from_table(case: Case, giver: str, holding: Holding, rank: int) -> None:
    """An up-card answers only with an empty hand, a down-card only with no up-cards either."""
    if holding.hand:
        rule_from = "answer_up" if case.action.answered_from == "up" else "answer_down"
        says = say("{giver} still has cards in the hand and must answer from there.", giver=giver)
        case.breach(rule_from, says)
    if case.action.answered_from == "up":
        if holding.up is not None and not _may_hold(holding.up, rank):
            says = say("{giver} has no {rank:rank} among the up-cards.", giver=giver, rank=RANK_TEXTS[rank])
            case.breach("answer_three", says)
        return
    if holding.up:
        says = say("{giver} still has up-cards: a down-card may not be taken yet.", giver=giver)
        case.breach("answer_down", says)
    if holding.down == 0:
        case.breach("own_cards", say("{who} has no face-down card left.", who=giver))


def _settle(case: Case) -> None:
    """Enter who picks up, who comes back in, who leaves and whose turn follows."""
    situation, effects, answers = case.situation, case.effects, case.action.answers
    loser = answers[-1][1] if answers else case.action.to
    effects["burned"] = list(case.action.cards[:1]) + [UNKNOWN] * len(answers)
    if case.player is None or loser is None:
        effects["next"] = None
        return
    sizes = _cards_left(case)
    nothing_there = situation.pile == ()
    case.picks_up(None if nothing_there and sizes[loser] == 0 and loser != case.player else loser)
    before = [p for p in situation.players if p in case.others_in_game() or p == case.player]
    remaining = [p for p in before if sizes[p] != 0 or (p == loser and not nothing_there)]
    if not nothing_there and loser not in before:
        effects["back_in"] = [loser]
        remaining = [p for p in situation.players if p in remaining or p == loser]
    last_answered = len(before) == 2 and loser == case.player and sizes[loser] == 0
    if not remaining or (last_answered and _ends(case, sizes)):
        remaining = [loser]  # a last card that was answered makes its owner the Shithead
    effects["left"] = [p for p in before if p not in remaining]
    effects["next"] = _left_of(case, loser, remaining)
    effects["draw"] = _soft_draw(case, picks_up=loser == case.player)
    case.end_if_over(remaining)


def _ends(case: Case, sizes: dict[str, int | None]) -> bool:
    """Two players, a last 3, answered: the game goes on only if both are known to have cards afterwards."""
    out = (case.player, *case.situation.left)
    others = [size for player, size in sizes.items() if player not in out]
    return case.situation.pile == () or not others or not others[0]


def _cards_left(case: Case) -> dict[str, int | None]:
    """Cards of each player after the show and its answers, before the pile is picked up; None: not known."""
    spent = dict.fromkeys(case.situation.players, 0)
    for giver, _ in case.action.answers:
        spent[giver] += 1
    sizes: dict[str, int | None] = {}
    for player in case.situation.players:
        holding = case.situation.holding(player)
        used = spent[player] + (len(case.action.cards[:1]) if player == case.player else 0)
        if player in case.situation.left:
            sizes[player] = 0
        elif holding.hand is None or holding.up is None or holding.down is None:
            sizes[player] = None
        else:
            sizes[player] = max(0, len(holding.hand) + len(holding.up) + holding.down - used)
    return sizes


def _left_of(case: Case, player: str, remaining: list[str]) -> str | None:
    """The next player in playing order after `player` who is still in the game."""
    players = case.situation.players
    here = players.index(player)
    step = 1 if case.situation.clockwise else -1
    for distance in range(1, len(players) + 1):
        other = players[(here + step * distance) % len(players)]
        if other in remaining:
            return other
    return None


def _soft_draw(case: Case, picks_up: bool) -> int | None:
    """Cards that the shower is expected to draw; nobody is told off for drawing or for not drawing them."""
    hand, draw_pile, pile = case.holding.hand, case.situation.draw_pile, case.situation.pile
    if draw_pile == 0:
        return 0
    if hand is None or (picks_up and pile is None):
        return None
    spent = 1 + sum(giver == case.player for giver, _ in case.action.answers)
    after = max(0, len(hand) - spent) + (len(pile or ()) if picks_up else 0)
    need = max(0, case.mechanics.min_hand - after)
    return need if not need or draw_pile is None else min(need, draw_pile)
