"""The referee: follows a game from what is seen of it, rules on every event, and never loses the thread.

Illegal plays that stand are recorded and the game goes on from what lies on the table. Every earlier event can be
revised, corrected or undone: the log is the truth, and the state is what replaying it gives.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from engine.cards import RANK_OF, RANK_TEXTS, UNKNOWN, is_whole, parse_card
from engine.demand import failures, possible_demands
from engine.errors import BadInputError
from engine.events import Event
from engine.judge import rule_on
from engine.judging.beats import effect_in_words
from engine.judging.case import Ruling, breach_entry
from engine.knowledge import Knowledge, fresh_knowledge
from engine.ruleset import Ruleset, load_ruleset
from engine.situation import Action, read_players
from engine.suspicions import Suspicions


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What the referee makes of one event."""

    ruling: Ruling | None = None
    """The contract's ruling, for events that are judged."""
    follow_ups: tuple[Event, ...] = ()
    """Events that the referee concludes: `late_breach`, `out`, `game_over`. Their id is 0: whoever keeps the log
    numbers them."""
    confirms: bool = False
    """The event was expected and adds nothing: the burn after a 10, the pick-up after a show, a known `out`."""
    changed: Mapping[int, Ruling | None] = field(default_factory=dict)
    """After a revision: the rulings on other events that are different now, by event id."""


@dataclass(frozen=True, slots=True)
class HandView:
    """What may be shown of a hand: its size, and the cards everybody has seen go into it."""

    size: int | None
    known: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicTable:
    """The table as everybody at it knows it."""

    players: tuple[str, ...]
    dealer: str | None
    turn: str | None
    direction: str
    pile: list[str]
    """Bottom first."""
    draw_pile: int | None
    burned: list[str]
    hands: dict[str, HandView]
    up: dict[str, list[str]]
    down: dict[str, int | None]
    left: list[str]
    """Players who are out, in the order in which they left."""
    loser: str | None
    playable_ranks: list[str]
    """What may be played on the pile now, lowest first."""
    effect_in_words: str
    """The same in words: `9 or higher`, `7 or lower`, `anything`."""
    to_draw: dict[str, int]
    """Cards that players have yet to draw."""


class Referee:
    """Follows one game. See `Outcome` for what each observation gives.

    Args:
        rules: a ruleset, its name, or the file of a house variant.
        players: names, clockwise.
        options: house options.
        dealer: who deals, if known.
        loser: the Shithead of the game before, if known.
        losses: games that players have lost in this sitting.

    Raises:
        BadInputError: unknown ruleset or option, or the names are not those of players.
    """

    def __init__(
        self,
        rules: str | Ruleset,
        players: Sequence[str],
        *,
        options: Sequence[str] = (),
        dealer: str | None = None,
        loser: str | None = None,
        losses: Mapping[str, int] | None = None,
    ) -> None:
        self.rules = load_ruleset(rules, options)
        self.players = read_players(list(players))
        for name in (dealer, loser):
            if name is not None and name not in self.players:
                raise BadInputError(f"{name!r} is not one of the players")
        self._given = (dealer, loser, dict(losses or {}))
        self._log: list[Event] = []
        self._events: list[Event] = []
        self._aliases: dict[int, int] = {}
        self._outcomes: dict[int, Outcome] = {}
        self._restart()

    @property
    def events(self) -> tuple[Event, ...]:
        """The events that count, revisions applied, in order."""
        return tuple(self._events)

    @property
    def log(self) -> tuple[Event, ...]:
        """Everything that was reported, revisions as they came."""
        return tuple(self._log)

    @property
    def outcomes(self) -> Mapping[int, Outcome]:
        """What was made of each event that counts, by its id."""
        return dict(self._outcomes)

    @property
    def table(self) -> PublicTable:
        """The table as it stands now."""
        return public_table(self._state)

    def observe(self, event: Event) -> Outcome:
        """Take in what was seen and rule on it. Revisions replay the game from the event they concern."""
        event = self._cleaned(event)
        self._log.append(event)
        if event.revise is not None:
            concerned = self._aliases.get(event.revise, event.revise)
            if concerned in self._outcomes:
                self._aliases[event.id] = concerned
                return self._replay_with(concerned, None if event.withdrawn else event)
            if event.withdrawn:
                return Outcome()
            event = replace(event, revise=None)
        return self._take(event)

    def correct(self, event_id: int, event: Event) -> Outcome:
        """Put an earlier event right and replay the game from there.

        Raises:
            BadInputError: there is no such event.
        """
        concerned = self._aliases.get(event_id, event_id)
        if concerned not in self._outcomes:
            raise BadInputError(f"there is no event {event_id} to correct")
        return self.observe(replace(event, revise=event_id))

    def undo(self) -> Event | None:
        """Take back the last event that counts, and return it; None if there is none."""
        if not self._events:
            return None
        last = self._events[-1]
        self._log.append(replace(last, revise=last.id, withdrawn=True))
        self._replay_with(last.id, None)
        return last

    # Replay

    def _restart(self) -> None:
        dealer, loser, losses = self._given
        self._state = fresh_knowledge(self.rules, self.players, dealer, loser, losses)
        self._suspicions = Suspicions(self.rules)

    def _replay_with(self, concerned: int, new: Event | None) -> Outcome:
        """Replay the whole game with one event replaced or left out."""
        before = self._outcomes
        events = [new if event.id == concerned else event for event in self._events]
        kept = [event for event in events if event is not None]
        self._events, self._outcomes = [], {}
        self._restart()
        for event in kept:
            self._take(replace(event, id=concerned, revise=None) if event is new else event)
        changed = {
            key: outcome.ruling
            for key, outcome in self._outcomes.items()
            if key != concerned and key in before and before[key].ruling != outcome.ruling
        }
        own = self._outcomes.get(concerned, Outcome())
        old = {(e.event, e.player, e.concerns) for o in before.values() for e in o.follow_ups}
        fresh = tuple(
            follow
            for outcome in self._outcomes.values()
            for follow in outcome.follow_ups
            if (follow.event, follow.player, follow.concerns) not in old
        )
        return replace(own, follow_ups=fresh, changed=changed)

    def _take(self, event: Event) -> Outcome:
        handler = _HANDLERS.get(event.event)
        outcome = handler(self, event) if handler else Outcome()
        self._events.append(event)
        self._outcomes[event.id] = outcome
        return outcome

    def _cleaned(self, event: Event) -> Event:
        """Cards in the engine's spelling, what is not a card unknown, and only names that sit at this table."""
        known = frozenset(self.players)
        answers = tuple(pair for pair in event.answers if known.issuperset(pair))
        return replace(
            event,
            cards=tuple(_card(card) for card in event.cards),
            player=event.player if event.player in known else None,
            to=event.to if event.to in known else None,
            loser=event.loser if event.loser in known else None,
            answers=answers,
            up={p: tuple(_card(c) for c in cards) for p, cards in event.up.items() if p in known},
        )

    # Events, one by one

    def _judge(self, event: Event, action: Action, notes: Sequence[str] = ()) -> Ruling:
        ruling = rule_on(self._state.situation(), action)
        ruling["notes"] = [*notes, *ruling["notes"], *self._draw_notes(event, action)]
        return ruling

    def _draw_notes(self, event: Event, action: Action) -> list[str]:
        """Say once who has not been seen to draw what was due."""
        notes = []
        for player, seat in self._state.seats.items():
            if seat.owed and player != action.player and self._state.draw_pile != 0:
                cards = "a card" if seat.owed == 1 else f"{seat.owed} cards"
                notes.append(f"{player} has not been seen to draw {cards}.")
        return notes

    def _deal(self, event: Event) -> Outcome:
        if not self._state.opening:
            self._restart()
        for player, cards in event.up.items():
            self._state.seats[player].up = list(cards)
        return Outcome()

    def _exchange(self, event: Event) -> Outcome:
        """Cards taken in from the up-cards are known to be in the hand from then on."""
        state, follow = self._state, Outcome()
        changes = dict(event.up) or ({event.player: ()} if event.player else {})
        for player, now in changes.items():
            seat = state.seats[player]
            put = _minus(now, seat.up) if now else []
            taken = _minus(seat.up, now) if now else []
            count = event.count if event.count is not None else len(taken)
            action = Action(type="exchange", player=player, count=count)
            ruling = self._judge(event, action)
            if now:
                seat.take_from_hand(put)
                seat.hand.extend(taken)
                seat.up = list(now)
            else:
                # Which cards changed places was not seen: neither side is known any more.
                seat.hand[:] = [UNKNOWN] * len(seat.hand)
                seat.up[:] = [UNKNOWN] * len(seat.up)
            follow = Outcome(ruling=ruling)
        return follow

    def _play(self, event: Event) -> Outcome:
        state = self._state
        player, cards = self._actor(event), event.cards or (UNKNOWN,)
        if player is None:
            state.pile.extend(cards)
            state.last_set = len(cards)
            return Outcome()
        seat, source = state.seats[player], event.source
        late = []
        if source in ("hand", None) and not seat.hand and not seat.owed:
            late = self._suspicions.held_after_all(event, player)
        notes = state.make_room(player, cards, source)
        action = Action(type="play", player=player, cards=cards, source=source)
        ruling = self._judge(event, action, notes)
        self._note_start(event, player, ruling)
        from_hand, from_up = _sources(seat.hand, seat.up, cards, source)
        if from_up and not from_hand and not seat.hand:
            self._suspicions.up_plays[player] = event.id
        unseen = seat.take_from_hand(from_hand)
        seat.take_from_up(from_up)
        if source == "down":
            seat.down = max(0, seat.down - 1)
        late += self._suspicions.seen(event, player, unseen)
        self._land(player, cards, ruling)
        return self._finish(event, player, ruling, late)

    def _flip(self, event: Event) -> Outcome:
        state, player = self._state, self._actor(event)
        cards = event.cards or (UNKNOWN,)
        if player is None:
            state.pile.extend(cards)
            return Outcome()
        ruling = self._judge(event, Action(type="flip", player=player, cards=cards))
        self._note_start(event, player, ruling)
        state.seats[player].down = max(0, state.seats[player].down - 1)
        if ruling["effects"].get("enters_hand"):
            state.seats[player].hand.extend(cards)
            state.turn = player
            return Outcome(ruling=ruling)
        self._land(player, cards, ruling)
        return self._finish(event, player, ruling, [])

    def _land(self, player: str, cards: Sequence[str], ruling: Ruling) -> None:
        """Put played cards where they belong: on the pile, burned, or into the hand of who must pick up."""
        state, effects = self._state, ruling["effects"]
        forced = self.rules.mechanics.forces_pick_up
        burnt = [card for card in cards if RANK_OF[card] in forced]
        state.burned.extend(burnt)
        state.pile.extend(card for card in cards if card not in burnt)
        state.last_set = len(cards)
        state.due_burn = bool(effects["burn"] or burnt)
        state.open_burn = player if effects["burn"] is None else None
        state.due_pick_up = None
        if effects["burn"]:
            state.burn_pile()
        elif effects["picks_up"] is not None:
            state.move_pile_to(effects["picks_up"])
            state.due_pick_up = effects["picks_up"]

    def _finish(self, event: Event, player: str, ruling: Ruling, late: Sequence[Event]) -> Outcome:
        """Pass the turn on, note what is to be drawn, and conclude who is out and whether the game is over."""
        state, effects = self._state, ruling["effects"]
        state.opening = False
        if effects["draw"] and state.draw_pile != 0:
            state.seats[player].owed = effects["draw"]
        known = (set(state.left), state.loser)
        state.follow(player, effects)
        return Outcome(ruling=ruling, follow_ups=(*late, *self._conclusions(event, *known)))

    def _conclusions(self, event: Event, left: set[str], loser: str | None) -> list[Event]:
        state, found = self._state, []
        for player in state.left:
            if player not in left:
                found.append(Event(id=0, event="out", t=event.t, decided_at=event.decided_at, player=player))
        if state.loser is not None and loser is None:
            over = Event(id=0, event="game_over", t=event.t, decided_at=event.decided_at, loser=state.loser)
            found.append(over)
        return found

    def _note_start(self, event: Event, player: str, ruling: Ruling) -> None:
        if self._state.opening:
            self._state.opening = False
            if self._state.turn is None:
                self._suspicions.started(event, player)

    def _pick_up(self, event: Event) -> Outcome:
        state = self._state
        due, state.due_pick_up = state.due_pick_up, None
        player = event.player or due or state.turn
        if player is None:
            state.pile, state.last_set = [], 0
            return Outcome()
        if due is not None:
            return self._expected_pick_up(event, player, due)
        if event.cards and not state.pile:
            state.pile = list(event.cards)
        action = Action(type="pick_up", player=player, count=event.count)
        demands = possible_demands(self.rules.mechanics, state.pile, state.last_set or None)
        ruling = self._judge(event, action)
        self._note_start(event, player, ruling)
        if ruling["verdict"] == "unproven":
            hand = state.seats[player].hand
            self._suspicions.picked_up(event, player, demands, hand.count(UNKNOWN))
        state.move_pile_to(player, event.count)
        return self._finish(event, player, ruling, [])

    def _expected_pick_up(self, event: Event, player: str, due: str) -> Outcome:
        """The pick-up that a show, a failed flip or a joker brought about, by whom it should be or another."""
        state = self._state
        if player == due:
            return Outcome(confirms=True)
        says = f"{due} has to pick up the pile, not {player}."
        ruling = rule_on(state.situation(), Action(type="pick_up", player=player))
        ruling["verdict"] = "illegal"
        ruling["breaches"] = [breach_entry(self.rules.rule_for("turn"), says)]
        taken = [card for card in event.cards if card in state.seats[due].hand]
        state.seats[due].take_from_hand(taken)
        state.seats[player].hand.extend(taken)
        return Outcome(ruling=ruling)

    def _burn(self, event: Event) -> Outcome:
        state = self._state
        known = all(card in state.burned or RANK_OF[card] in self._shown_ranks() for card in event.cards)
        if state.due_burn or (event.cards and known):
            state.due_burn = False
            return Outcome(confirms=True)
        if state.open_burn is not None:
            burner, state.open_burn = state.open_burn, None
            state.burn_pile()
            if self.rules.mechanics.burn_again and burner not in state.left:
                state.turn = burner
            return Outcome(confirms=True)
        if not state.pile:
            return Outcome(confirms=True)
        says = "Nothing burns the pile here: it stays until somebody picks it up or burns it by the rules."
        ruling = rule_on(state.situation(), Action(type="draw", player=state.turn, count=None))
        ruling["verdict"] = "illegal"
        ruling["breaches"] = [breach_entry(self.rules.rule_for("burn"), says)]
        state.burn_pile()
        return Outcome(ruling=ruling)

    def _shown_ranks(self) -> frozenset[int]:
        return self.rules.mechanics.shown

    def _show(self, event: Event) -> Outcome:
        state, player = self._state, self._actor(event)
        if player is None:
            state.burned.extend(event.cards)
            return Outcome()
        cards = event.cards or (UNKNOWN,)
        notes = [] if not state.seats[player].hand and state.seats[player].up else None
        notes = state.make_room(player, cards[:1], "hand") if notes is None else notes
        action = Action(
            type="show",
            player=player,
            cards=cards,
            to=event.to,
            answers=event.answers,
            answered_from=event.answered_from,
        )
        ruling = self._judge(event, action, notes)
        self._note_start(event, player, ruling)
        seat = state.seats[player]
        from_hand, from_up = _sources(seat.hand, seat.up, cards[:1], None)
        unseen = seat.take_from_hand(from_hand)
        seat.take_from_up(from_up)
        late = self._suspicions.seen(event, player, unseen)
        self._spend_answers(event)
        state.burned.extend(cards)
        picker = ruling["effects"]["picks_up"]
        state.due_pick_up = None
        if picker is not None and state.pile:
            state.move_pile_to(picker)
            state.due_pick_up = picker
        return self._finish(event, player, ruling, late)

    def _spend_answers(self, event: Event) -> None:
        """Take the cards of the answers out of the hands, or from the table where they came from there."""
        shown = RANK_TEXTS[min(self.rules.mechanics.shown, default=3)]
        named = list(event.cards[1:])
        for giver, _ in event.answers:
            seat = self._state.seats[giver]
            card = named.pop(0) if named else next((c for c in seat.hand if c[:-1] == shown), shown)
            if seat.hand:
                seat.take_from_hand((card,))
            elif event.answered_from == "down" and not seat.up:
                seat.down = max(0, seat.down - 1)
            else:
                card = next((c for c in seat.up if c[:-1] == shown), card)
                seat.take_from_up((card,))
            if card not in event.cards:
                self._state.burned.append(card)

    def _take_up(self, event: Event) -> Outcome:
        state, player = self._state, self._actor(event)
        if player is None:
            return Outcome()
        seat, cards = state.seats[player], event.cards or (UNKNOWN,)
        notes = state.make_room(player, cards, "up")
        ruling = self._judge(event, Action(type="take_up", player=player, cards=cards), notes)
        seat.take_from_up(cards)
        seat.hand.extend(cards)
        return Outcome(ruling=ruling)

    def _take_down(self, event: Event) -> Outcome:
        state, player = self._state, self._actor(event)
        if player is None:
            return Outcome()
        count = event.count or 1
        ruling = self._judge(event, Action(type="take_down", player=player, count=count))
        seat = state.seats[player]
        seat.down = max(0, seat.down - count)
        seat.hand.extend([UNKNOWN] * count)
        self._suspicions.came_in(player, count)
        return Outcome(ruling=ruling)

    def _draw(self, event: Event) -> Outcome:
        """Cards may be drawn one by one; too many are a breach, too few are noted until the next turn."""
        state = self._state
        owing = [player for player, seat in state.seats.items() if seat.owed]
        player = event.player or (owing[0] if owing else state.turn)
        if player is None:
            return Outcome()
        seat = state.seats[player]
        count = event.count or len(event.cards) or max(1, seat.owed)
        action = Action(type="draw", player=player, count=count)
        situation = replace(
            state.situation(), owed={player: max(count, seat.owed) if count <= seat.owed else seat.owed}
        )
        ruling = rule_on(situation, action)
        if count < seat.owed:
            ruling = rule_on(replace(situation, owed={player: count}), action)
            ruling["notes"].append(f"{player} has still to draw {seat.owed - count}.")
        state.draw(player, count)
        self._suspicions.came_in(player, count)
        return Outcome(ruling=ruling)

    def _out(self, event: Event) -> Outcome:
        """Believe that a player has no cards left, whatever the count says."""
        state, player = self._state, event.player
        if player is None or player in state.left:
            return Outcome(confirms=True)
        seat = state.seats[player]
        seat.hand, seat.up, seat.down, seat.owed = [], [], 0, 0
        state.left[player] = []
        if state.turn == player:
            state.turn = _next_inside(state, player)
        inside = [name for name in state.players if name not in state.left]
        if len(inside) == 1 and state.loser is None:
            state.loser, state.turn = inside[0], None
            over = Event(id=0, event="game_over", t=event.t, decided_at=event.decided_at, loser=state.loser)
            return Outcome(follow_ups=(over,))
        return Outcome()

    def _game_over(self, event: Event) -> Outcome:
        state = self._state
        confirms = event.loser is None or event.loser == state.loser
        if event.loser is not None:
            state.loser, state.turn = event.loser, None
        return Outcome(confirms=confirms)

    def _actor(self, event: Event) -> str | None:
        """Who did it: as seen, or else whoever's turn it is."""
        return event.player or self._state.turn


_HANDLERS: dict[str, Callable[[Referee, Event], Outcome]] = {
    "deal": Referee._deal,
    "exchange": Referee._exchange,
    "play": Referee._play,
    "flip": Referee._flip,
    "take_up": Referee._take_up,
    "take_down": Referee._take_down,
    "pick_up": Referee._pick_up,
    "burn": Referee._burn,
    "show": Referee._show,
    "draw": Referee._draw,
    "out": Referee._out,
    "game_over": Referee._game_over,
}


def _card(text: str) -> str:
    """Return the card, or the unknown card for what is not one."""
    try:
        return parse_card(text)
    except BadInputError:
        return UNKNOWN


def _minus(cards: Sequence[str], others: Sequence[str]) -> list[str]:
    """Return the cards that are not among the others, counted."""
    rest = list(others)
    left = []
    for card in cards:
        if card in rest:
            rest.remove(card)
        else:
            left.append(card)
    return left


def _sources(
    hand: Sequence[str], up: Sequence[str], cards: Sequence[str], source: str | None
) -> tuple[list[str], list[str]]:
    """Split played cards into those from the hand and those from the up-cards, as the judge does."""
    if source == "hand":
        return list(cards), []
    if source == "up":
        return [], list(cards)
    if source == "down":
        return [], []
    rest_up, from_hand, from_up = list(up), [], []
    for card in cards:
        on_table = card in rest_up and card not in hand and (source == "hand+up" or not hand)
        if on_table or (not hand and rest_up):
            rest_up.remove(card if card in rest_up else rest_up[0])
            from_up.append(card)
        else:
            from_hand.append(card)
    return from_hand, from_up


def _next_inside(state: Knowledge, player: str) -> str | None:
    """The next player in playing order who is still in the game."""
    here, step = state.players.index(player), 1 if state.clockwise else -1
    for distance in range(1, len(state.players)):
        other = state.players[(here + step * distance) % len(state.players)]
        if other not in state.left:
            return other
    return None


def public_table(state: Knowledge) -> PublicTable:
    """Return what screens may show of the state."""
    mechanics = state.rules.mechanics
    demands = possible_demands(mechanics, state.pile, state.last_set or None)
    ranks = [
        text
        for rank, text in RANK_TEXTS.items()
        if (rank <= 14 or mechanics.jokers)
        and any(not failures(mechanics, demand, rank, 4, 0) for demand in demands)
    ]
    words = effect_in_words(next(iter(demands))) if len(demands) == 1 else "not known"
    return PublicTable(
        players=state.players,
        dealer=state.dealer,
        turn=state.turn,
        direction="clockwise" if state.clockwise else "anticlockwise",
        pile=list(state.pile),
        draw_pile=state.draw_pile,
        burned=list(state.burned),
        hands={
            player: HandView(len(seat.hand), tuple(sorted(card for card in seat.hand if is_whole(card))))
            for player, seat in state.seats.items()
        },
        up={player: list(seat.up) for player, seat in state.seats.items()},
        down={player: seat.down for player, seat in state.seats.items()},
        left=list(state.left),
        loser=state.loser,
        playable_ranks=ranks,
        effect_in_words=words,
        to_draw={player: seat.owed for player, seat in state.seats.items() if seat.owed},
    )
