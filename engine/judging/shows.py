"""Rulings on a card that is shown to another player, with the answers and the way back in."""

from __future__ import annotations

from dataclasses import dataclass, field

from engine.cards import RANK_OF, RANK_TEXTS, UNKNOWN, UNKNOWN_RANK
from engine.judging.case import Case
from engine.judging.matching import missing_cards, same_among
from engine.judging.situation import Holding
from engine.sentences import say


def judge_show(case: Case) -> None:
    """Rule on a show, settled with all its answers. A card that cannot be shown brings nothing about."""
    case.check_turn()
    if not case.mechanics.shown:
        case.breach("show", say("No card is shown to another player in these rules."), "actions")
        return
    case.check_replenished()
    case.check_cards()
    _check_shown_cards(case)
    _check_recipient(case)
    _check_order(case)
    spent = _check_answers(case)
    if not any(RANK_OF[card] not in (*case.mechanics.shown, UNKNOWN_RANK) for card in case.action.cards):
        _settle(case, spent)


def _rank(case: Case) -> int:
    """Return the rank that is shown."""
    return min(case.mechanics.shown)


# The card, and the recipient


def _check_shown_cards(case: Case) -> None:
    """Record a breach if the shown cards are not exactly one card of the right rank, from the hand."""
    cards, holding, rank = case.action.cards, case.holding, RANK_TEXTS[_rank(case)]
    for card in cards:
        if card == UNKNOWN:
            _check_unread(case)
        elif RANK_OF[card] not in case.mechanics.shown:
            says = say("{card:The} cannot be shown: only {rank:plural} are.", card=card, rank=rank)
            case.breach("show_three", says)
    if len(cards) > 1 + len(case.action.answers):
        case.breach(
            "show_one",
            say("{who} showed {cards:the}: cards are shown one at a time.", who=case.player, cards=cards),
        )
    if holding.hand is None:
        return
    for card in cards[:1]:
        if card != UNKNOWN and missing_cards((card,), holding.hand):
            _check_shown_from_table(case, card)


def _check_unread(case: Case) -> None:
    """Record a breach if an unidentified card cannot be one that may be shown."""
    rank, holding = _rank(case), case.holding
    places = [holding.hand] if holding.hand != () else [holding.up, None]
    known = [card for place in places for card in place or ()]
    hidden = any(place is None or UNKNOWN in place for place in places)
    if any(RANK_OF[card] == rank for card in known) or (hidden and case.unseen.of_rank(rank)):
        others = {RANK_OF[card] for card in known} | (set(case.unseen.ranks()) if hidden else set())
        if others - {rank, UNKNOWN_RANK}:
            case.need(say("the card shown, which nobody identified"))
        return
    says = say("{who} holds no {rank:rank} that could be shown.", who=case.player, rank=RANK_TEXTS[rank])
    case.breach("show_three", says)


def _check_shown_from_table(case: Case, card: str) -> None:
    """Record a breach if the card, which is not in the hand, cannot come from the table cards either."""
    holding = case.holding
    at_up_stage = holding.hand == () and case.deck_is_empty() is not False
    if at_up_stage and holding.up and not missing_cards((card,), holding.up):
        case.note(
            say("{card:The} enters the hand before it is shown. That makes no difference here.", card=card)
        )
    elif at_up_stage and holding.up == () and holding.down:
        case.note(say("A face-down card enters the hand before it is shown. That makes no difference here."))
    elif not at_up_stage or holding.up is not None:
        says = say("{who} does not hold {card:the}.", who=case.player, card=card)
        case.breach("show_own", says, "own_cards")


def _check_recipient(case: Case) -> None:
    """Record a breach if nobody may be shown the card: only players in the game or just out of it."""
    to, left = case.action.to, case.situation.left
    if to is None:
        return
    if to == case.player:
        case.breach("show_self", say("{who} cannot show a card to themselves.", who=case.player))
    elif not case.mechanics.back_in and (to in left or case.situation.holding(to).empty):
        says = say("{to} has left the game, and nobody is shown back in here.", to=to)
        case.breach("show_gone", says, "gone")
    elif case.situation.holding(to).empty and to not in left:
        case.note(say("{to} has just left the game and can be shown back in.", to=to))
    elif to in left:
        since, right = left[to], _right_neighbour(case, to)
        if since is not None and right in since:
            says = say(
                "{to} is out for good: {right}, on their right, has had a turn since.", to=to, right=right
            )
            case.breach("show_gone", says)
        elif since is None:
            case.need(say("whether {right} has completed a turn since {to} left", to=to, right=right))


def _right_neighbour(case: Case, player: str) -> str:
    """Return the nearest player on `player`'s right who was still playing when `player` left."""
    players, left = case.situation.players, case.situation.left
    here = players.index(player)
    since = left[player] or ()
    for step in range(1, len(players)):
        other = players[here - step]
        if other not in left or other in since:
            return other
    return players[here - 1]


# The answers


def _check_order(case: Case) -> None:
    """Record a breach if an answer does not go back to the player who showed."""
    shower, shown_to = case.player, case.action.to
    for giver, receiver in case.action.answers:
        if (shown_to is not None and giver != shown_to) or (shower is not None and receiver != shower):
            says = say(
                "{giver} cannot answer {receiver}: an answer goes back to the player who showed.",
                giver=giver,
                receiver=receiver,
            )
            case.breach("answer_order", says)
        shower, shown_to = giver, receiver


@dataclass(slots=True)
class _Supply:
    """The cards of one player while a show is answered back and forth; None: not known."""

    hand: list[str] | None
    up: list[str] | None
    down: int | None
    from_hand: int = 0
    """How many cards have left the hand so far."""

    @classmethod
    def of(cls, holding: Holding) -> _Supply:
        hand, up = holding.hand, holding.up
        return cls(None if hand is None else [*hand], None if up is None else [*up], holding.down)

    def place(self, rank: int) -> str | None:
        """Return where a card of `rank` comes from now: `hand`, `up`, `down` or `?`; None: there is none."""
        if self.hand is None:
            return "?"
        if self.hand:
            return "hand" if _may_hold(self.hand, rank) else None
        if self.up is None:
            return "?"
        if self.up:
            return "up" if _may_hold(self.up, rank) else None
        return None if self.down == 0 else "down"

    def is_hidden(self, rank: int) -> bool:
        """Return whether the next card of `rank` is one that nobody has seen."""
        cards = self.hand if self.hand else self.up if self.hand == [] else None
        return not cards or all(RANK_OF[card] != rank for card in cards)

    def take(self, place: str | None, rank: int) -> None:
        """Take a card of `rank` away."""
        if place == "down":
            self.down = None if self.down is None else max(0, self.down - 1)
            return
        cards = self.up if place == "up" else self.hand
        if place != "up":
            self.from_hand += 1
        if cards:
            card = next((c for c in cards if RANK_OF[c] == rank), UNKNOWN)
            cards.remove(card if card in cards else cards[-1])


@dataclass(slots=True)
class _Chain:
    """A show and its answers, carried out card by card."""

    case: Case
    supplies: dict[str, _Supply] = field(default_factory=dict)
    hidden: int = 0
    """How many of the answers were cards that nobody had seen."""

    def supply(self, player: str) -> _Supply:
        """Return a player's cards as they are by now."""
        if player not in self.supplies:
            self.supplies[player] = _Supply.of(self.case.situation.holding(player))
        return self.supplies[player]

    def show(self) -> None:
        """Take the shown card away from the player who shows it."""
        player, cards = self.case.player, self.case.action.cards
        if player is None or not cards:
            return
        shown, supply, rank = cards[0], self.supply(player), RANK_OF[cards[0]] or _rank(self.case)
        if shown == UNKNOWN:
            self.hidden += supply.is_hidden(rank)
            supply.take(supply.place(rank), rank)
            return
        hand = supply.hand or []
        held = same_among(shown, hand) or (UNKNOWN if UNKNOWN in hand else None)
        if held is None:
            supply.take(supply.place(rank), rank)
        else:  # a known card of the rank is still there for an answer
            hand.remove(held)
            supply.from_hand += 1


def _may_hold(cards: list[str], rank: int) -> bool:
    """Return whether a card of a rank may be among `cards`."""
    return any(RANK_OF[held] in (rank, UNKNOWN_RANK) for held in cards)


def _check_answers(case: Case) -> dict[str, int]:
    """Record a breach if a player surely has no card to answer with; return what left each hand."""
    wanted = case.action.answered_from
    sources = _carry_out(_Chain(case), None, {})
    forced: dict[int, str] = {}
    if wanted is not None and sources and not {wanted, "?"} & set(sources):
        givers = [giver for giver, _ in case.action.answers]
        last = max((n for n, giver in enumerate(givers) if giver != case.player), default=len(givers) - 1)
        forced[last] = wanted
    chain = _Chain(case)
    _carry_out(chain, case, forced)
    return {player: supply.from_hand for player, supply in chain.supplies.items()}


def _carry_out(chain: _Chain, case: Case | None, forced: dict[int, str]) -> list[str | None]:
    """Take the shown cards away; return the sources of answers. With `case`, record breaches."""
    chain.show()
    sources: list[str | None] = []
    for number, (giver, _) in enumerate(chain.case.action.answers):
        supply, rank = chain.supply(giver), _rank(chain.case)
        place = supply.place(rank)
        sources.append(place)
        if case is not None:
            _check_answer(chain, giver, place, forced.get(number))
        chain.hidden += supply.is_hidden(rank)
        supply.take(forced.get(number, place), rank)
    return sources


def _check_answer(chain: _Chain, giver: str, place: str | None, forced: str | None) -> None:
    """Record a breach if a player cannot have answered, or not from the named source."""
    case, supply, rank = chain.case, chain.supply(giver), _rank(chain.case)
    if giver in case.situation.left:
        says = say("{giver} has left the game and holds no card to answer with.", giver=giver)
        case.breach("gone", says)
    elif forced in ("up", "down"):
        _check_forced(case, giver, supply, forced)
    elif place is None or (supply.is_hidden(rank) and chain.hidden >= _hidden_left(case)):
        says = say("{giver} holds no {rank:rank} to answer with.", giver=giver, rank=RANK_TEXTS[rank])
        case.breach("answer_three", says)
    if (forced or place) in ("up", "down"):
        case.applied.append((f"answer_{forced or place}",))


def _hidden_left(case: Case) -> int:
    """Return how many cards that can be shown nobody has seen yet, with those named as answers."""
    return case.unseen.of_rank(_rank(case)) + len(case.action.cards[1:])


def _check_forced(case: Case, giver: str, supply: _Supply, source: str) -> None:
    """Record a breach if the hand is not empty, or face-up cards are left before a face-down one."""
    if supply.hand:
        says = say("{giver} still has cards in the hand and must answer from there.", giver=giver)
        case.breach("answer_up" if source == "up" else "answer_down", says)
    if source == "up":
        if supply.up is not None and not _may_hold(supply.up, _rank(case)):
            rank = RANK_TEXTS[_rank(case)]
            says = say("{giver} has no {rank:rank} among the face-up cards.", giver=giver, rank=rank)
            case.breach("answer_three", says)
        return
    if supply.up:
        says = say("{giver} still has face-up cards: a face-down card may not be taken yet.", giver=giver)
        case.breach("answer_down", says)
    if supply.down == 0:
        says = say("{who} has no face-down card left.", who=giver)
        case.breach("own_down", says, "own_cards")


# What follows


def _settle(case: Case, spent: dict[str, int]) -> None:
    """Enter who picks up, who comes back in, who leaves and whose turn follows.

    Args:
        case: the case.
        spent: how many cards have left each hand, shown or in answer.
    """
    situation, effects, answers = case.situation, case.effects, case.action.answers
    loser = answers[-1][1] if answers else case.action.to
    effects["burned"] = list(case.action.cards[:1]) + [UNKNOWN] * len(answers)
    if case.player is None or loser is None:
        effects["next"] = None
        return
    sizes = _cards_left(case)
    nothing_there = situation.pile == ()
    hand = situation.holding(loser).hand if loser not in situation.left else ()
    before = None if hand is None else max(0, len(hand) - spent.get(loser, 0))
    takes = None if nothing_there and sizes[loser] == 0 and loser != case.player else loser
    case.picks_up(takes, hand=before)
    case.applied.append(("backfire",) if answers else ("show_next",))
    inside = [p for p in situation.players if p in case.others_in_game() or p == case.player]
    remaining = [p for p in inside if sizes[p] != 0 or (p == loser and not nothing_there)]
    if not nothing_there and loser not in inside:
        effects["back_in"] = [loser]
        case.applied.append(("back_in",))
        remaining = [p for p in situation.players if p in remaining or p == loser]
    last_answered = len(inside) == 2 and loser == case.player and sizes[loser] == 0
    if not remaining or (last_answered and _ends(case, sizes)):
        remaining = [loser]  # a last card that was answered makes its owner the Shithead
    effects["left"] = [p for p in inside if p not in remaining]
    if effects["left"]:
        case.applied.append(("leaving",))
    effects["next"] = _left_of(case, loser, remaining)
    effects["draw"] = _optional_draw(case, picks_up=loser == case.player)
    case.end_if_over(remaining)


def _ends(case: Case, sizes: dict[str, int | None]) -> bool:
    """Return whether the game ends: after a last 3 is answered, it goes on only if both hold cards."""
    out = (case.player, *case.situation.left)
    others = [size for player, size in sizes.items() if player not in out]
    return case.situation.pile == () or not others or not others[0]


def _cards_left(case: Case) -> dict[str, int | None]:
    """Return each player's number of cards after the show, before the pile is picked up; None: not known."""
    spent = dict.fromkeys(case.situation.players, 0)
    for giver, _ in case.action.answers:
        spent[giver] += 1
    sizes: dict[str, int | None] = {}
    for player in case.situation.players:
        used = spent[player] + (len(case.action.cards[:1]) if player == case.player else 0)
        holding = case.situation.holding(player)
        if player in case.situation.left:
            sizes[player] = 0
        elif holding.hand is None or holding.up is None or holding.down is None:
            sizes[player] = None
        else:
            sizes[player] = max(0, len(holding.hand) + len(holding.up) + holding.down - used)
    return sizes


def _left_of(case: Case, player: str, remaining: list[str]) -> str | None:
    """Return the next player in playing order after `player` who is still in the game."""
    players = case.situation.players
    here = players.index(player)
    step = 1 if case.situation.clockwise else -1
    for distance in range(1, len(players) + 1):
        other = players[(here + step * distance) % len(players)]
        if other in remaining:
            return other
    return None


def _optional_draw(case: Case, picks_up: bool) -> int | None:
    """Return how many cards the shower is expected to draw. It is no breach to draw them or not."""
    hand, draw_pile, pile = case.holding.hand, case.situation.draw_pile, case.situation.pile
    if draw_pile == 0:
        return 0
    if hand is None or (picks_up and pile is None):
        return None
    spent = 1 + sum(giver == case.player for giver, _ in case.action.answers)
    after = max(0, len(hand) - spent) + (len(pile or ()) if picks_up else 0)
    need = max(0, case.mechanics.min_hand - after)
    if not need:
        return 0
    return None if draw_pile is None else min(need, draw_pile)
