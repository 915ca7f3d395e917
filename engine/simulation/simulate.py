"""Simulated games, with nothing hidden.

`play_game` plays one game and returns its steps, for films and tests. `play_out` is faster and returns only
the last table.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from engine.errors import BadInputError
from engine.events import Event
from engine.ruleset import Ruleset, load_ruleset
from engine.simulation.cheating import find_cheat
from engine.simulation.choices import interruptions
from engine.simulation.play import CompiledRules
from engine.simulation.policies import POLICIES, Policy, sensible_exchange
from engine.simulation.table import FLIP, PICK_UP, PLAY, SHOW, TAKE_DOWN, TAKE_UP, Act, Table, cards_of
from engine.simulation.unfolding import Snapshot, Unfolding

QUIET_ACTS = 1000
"""A simulated game ends as a draw after this many acts without a burned card or a player who leaves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step of a simulated game. A turn may have several steps: play, burn, draw, out."""

    event: Event
    """The visible part of the step, as the referee gets it. Its times are 0."""
    before: Snapshot
    """The whole table before the step, with nothing hidden."""
    after: Snapshot
    """The whole table after the step."""
    cards: tuple[str, ...] = ()
    """All cards that move, also unseen ones: drawn, given in exchange, or taken blindly."""
    up_out: tuple[str, ...] = ()
    """For an exchange: the up-cards that enter the hand for `cards`, one for one."""
    answer_cards: tuple[str, ...] = ()
    """For a show: the card of each answer in the event."""
    legal: bool = True
    rule: str | None = None
    """The first rule that an illegal play breaks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedGame:
    """A whole game. Iterating over it gives its steps."""

    rules: Ruleset
    players: tuple[str, ...]
    dealer: str
    starter: str
    loser: str | None
    """The Shithead, or None if the game ended as a draw."""
    steps: tuple[Step, ...]

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)

    def __len__(self) -> int:
        return len(self.steps)


def play_game(
    rules: str | Ruleset,
    players: Sequence[str],
    seed: int,
    policy: str = "sensible",
    options: Sequence[str] = (),
    cheats: int = 0,
    dealer: str | None = None,
    quiet_acts: int = QUIET_ACTS,
) -> SimulatedGame:
    """Play one game and return all its steps.

    Args:
        rules: a ruleset, its name, or the path of a house variant's file.
        players: names, clockwise.
        seed: the seed of all random choices. The same seed gives the same game.
        policy: `sensible` or `random`.
        options: the names of options to switch on.
        cheats: the most deliberate illegal plays to insert. They stand.
        dealer: the dealer; None: drawn at random.
        quiet_acts: the number of acts without a burned card or a player who leaves that makes a draw.

    Raises:
        BadInputError: the ruleset, an option, the policy or the dealer is unknown, or there are too many
            players for the cards.
    """
    if policy not in POLICIES:
        raise BadInputError(f"policy {policy[:40]!r} is not one of: {', '.join(POLICIES)}")
    if dealer is not None and dealer not in players:
        raise BadInputError(f"dealer {dealer[:40]!r} is not one of the players")
    game = CompiledRules(load_ruleset(rules, options), len(players))
    rng = Random(seed)
    dealt_by = players.index(dealer) if dealer is not None else rng.randrange(len(players))
    run = _Run(game, tuple(players), rng, POLICIES[policy])
    run.begin(dealt_by, sensible=policy == "sensible")
    starter = players[run.table.turn]
    run.play(_cheat_times(cheats, rng), quiet_acts)
    loser = players[run.table.loser] if run.table.loser >= 0 else None
    return SimulatedGame(
        rules=game.rules,
        players=tuple(players),
        dealer=players[dealt_by],
        starter=starter,
        loser=loser,
        steps=tuple(run.steps),
    )


def _cheat_times(cheats: int, rng: Random) -> list[int]:
    """Return random numbers of acts at which somebody cheats, early enough for a short film."""
    return sorted(rng.sample(range(3, 3 + 8 * cheats), cheats)) if cheats else []


class _Run:
    """One game in progress."""

    def __init__(self, game: CompiledRules, players: tuple[str, ...], rng: Random, policy: Policy) -> None:
        self.game, self.players, self.rng, self.policy = game, players, rng, policy
        self.table = game.deal(rng)
        self.view = Unfolding(game, players, self.table)
        self.steps: list[Step] = []

    def begin(self, dealer: int, sensible: bool) -> None:
        """Deal, exchange, and choose who starts."""
        ups = self.view.snapshot().up_cards()
        self._add(Event(id=0, event="deal", up=ups), before=self.view.empty_table())
        for distance in range(1, len(self.players) + 1):
            seat = (dealer + distance) % len(self.players)
            given, taken = self._exchange_choice(seat, sensible)
            if given:
                self._exchange(seat, given, taken)
        starters = self.game.starters(self.table, dealer)
        self.table = self.table._replace(turn=starters[int(self.rng.random() * len(starters))])
        self.view.turn = self.table.turn

    def _exchange_choice(self, seat: int, sensible: bool) -> tuple[int, int]:
        if sensible:
            return sensible_exchange(self.game, self.table, seat)
        hand = list(cards_of(self.table.hands[seat]))
        up = list(cards_of(self.table.ups[seat]))
        count = self.rng.randint(0, min(len(hand), len(up)))
        given, taken = self.rng.sample(hand, count), self.rng.sample(up, count)
        return sum(1 << card for card in given), sum(1 << card for card in taken)

    def _exchange(self, seat: int, given: int, taken: int) -> None:
        text, player = self.game.pack.text, self.players[seat]
        before = self.view.snapshot()
        self.view.exchange(seat, text(given), text(taken))
        self.table = self.game.exchange(self.table, seat, given, taken)
        ups = {player: self.view.snapshot().up_cards()[player]}
        event = Event(id=0, event="exchange", player=player, count=given.bit_count(), up=ups)
        self._add(event, before, cards=text(given), up_out=text(taken))

    def play(self, cheat_times: list[int], quiet_acts: int) -> None:
        """Play to the end of the game, or to a draw after `quiet_acts` acts (see `play_game`)."""
        quiet, burned, out = 0, self.table.burned, self.table.out
        while self.table.turn >= 0 and quiet < quiet_acts:
            quiet += 1
            act, rule = None, None
            if cheat_times and self.table.acts >= cheat_times[0]:
                act, rule = find_cheat(self.game, self.table, self.players, self.rng)
                if act is not None:
                    cheat_times.pop(0)
            self._do(act or self._choose(), rule)
            if (self.table.burned, self.table.out) != (burned, out):
                quiet, burned, out = 0, self.table.burned, self.table.out

    def _choose(self) -> Act:
        acts = interruptions(self.game, self.table)
        if acts and self.rng.random() < 0.5:
            return acts[int(self.rng.random() * len(acts))]
        return self.policy(self.game, self.table, self.rng)

    def _do(self, act: Act, rule: str | None) -> None:
        """Apply an act to the table, and record its steps."""
        table, after = self.table, self.game.apply(self.table, act)
        first = len(self.steps)
        if act.kind == PLAY:
            self._record_play(table, act, after)
        elif act.kind == FLIP:
            self._record_flip(table, act, after)
        elif act.kind == SHOW:
            self._record_show(table, act, after)
        elif act.kind == PICK_UP:
            self._record_pick_up(act.player)
        else:
            self._record_take(act)
        if rule is not None:
            self.steps[first] = replace(self.steps[first], legal=False, rule=rule)
        self._record_draw(table, act, after)
        self.table = after
        self.view.turn = after.turn

    def _add(self, event: Event, before: Snapshot, **more: Any) -> None:
        numbered = event.renumbered(len(self.steps) + 1)
        self.steps.append(Step(event=numbered, before=before, after=self.view.snapshot(), **more))

    def _record_play(self, table: Table, act: Act, after: Table) -> None:
        text, player = self.game.pack.text, self.players[act.player]
        cards = text(act.hand | act.up)
        source: Any = "hand+up" if act.hand and act.up else "up" if act.up else "hand"
        before = self.view.snapshot()
        self.view.play(act.player, text(act.hand), text(act.up), cards)
        self._add(Event(id=0, event="play", player=player, cards=cards, source=source), before, cards=cards)
        self._record_end(table, after)
        self._record_consequences(table, act, after, act.hand | act.up)

    def _record_flip(self, table: Table, act: Act, after: Table) -> None:
        card, player = self.game.pack.codes[act.down], self.players[act.player]
        before = self.view.snapshot()
        self.view.flip(act.player, card)
        event = Event(id=0, event="flip", player=player, cards=(card,), source="down")
        self._add(event, before, cards=(card,))
        self._record_end(table, after)
        self._record_consequences(table, act, after, 1 << act.down)

    def _record_consequences(self, table: Table, act: Act, after: Table, cards: int) -> None:
        """Record the burn or the pick-up that follows a play."""
        if after.pile:
            return
        burnt = after.burned & cards
        if after.burned != table.burned and not self.game.mechanics.forces_pick_up & self._ranks(burnt):
            self._record_burn(act.player, self.view.pile)
            return
        if burnt:
            self._record_burn(act.player, self.game.pack.text(burnt))
        if self.view.pile:
            taker = next(s for s, hand in enumerate(after.hands) if hand & ~self._known_hand(table, act, s))
            self._record_pick_up(taker)

    def _ranks(self, cards: int) -> frozenset[int]:
        return frozenset(self.game.pack.ranks[card] for card in cards_of(cards))

    def _known_hand(self, table: Table, act: Act, seat: int) -> int:
        """Return the cards that a hand may hold without the pile: those held before, and the draw pile."""
        drawn = sum(1 << card for card in table.deck[table.drawn :]) if seat == act.player else 0
        return table.hands[seat] | drawn

    def _record_burn(self, seat: int, cards: tuple[str, ...]) -> None:
        before = self.view.snapshot()
        self.view.burn(cards)
        self._add(Event(id=0, event="burn", player=self.players[seat], cards=cards), before, cards=cards)

    def _record_pick_up(self, seat: int) -> None:
        cards, before = self.view.pile, self.view.snapshot()
        self.view.pick_up(seat)
        event = Event(id=0, event="pick_up", player=self.players[seat], cards=cards, count=len(cards))
        self._add(event, before, cards=cards)

    def _record_show(self, table: Table, act: Act, after: Table) -> None:
        """Record a show with its answers, then the pick-up of the pile, if there is one."""
        text, names = self.game.pack.text, self.players
        spent = after.burned & ~table.burned & ~act.hand
        answers, cards, source = [], [], None
        ups = [table.ups[seat] for seat in range(len(names))]
        for number in range(act.answers):
            giver, taker = (act.to, act.player) if number % 2 == 0 else (act.player, act.to)
            own = spent & (table.hands[giver] | ups[giver])
            card = own & -own
            spent ^= card
            if ups[giver] & card:
                source = "up"
            answers.append((names[giver], names[taker]))
            cards.append(text(card)[0])
        before = self.view.snapshot()
        self.view.show(act.player, text(act.hand), list(zip([a for a, _ in answers], cards, strict=True)))
        event = Event(
            id=0,
            event="show",
            player=names[act.player],
            cards=text(act.hand),
            to=names[act.to],
            answers=tuple(answers),
            answered_from=source,  # type: ignore[arg-type]
        )
        self._add(event, before, cards=text(act.hand), answer_cards=tuple(cards))
        self._record_end(table, after)
        if table.pile:
            self._record_pick_up(act.to if act.answers % 2 == 0 else act.player)

    def _record_take(self, act: Act) -> None:
        player, before = self.players[act.player], self.view.snapshot()
        if act.kind == TAKE_UP:
            cards = self.game.pack.text(act.up)
            self.view.take_up(act.player, cards)
            self._add(Event(id=0, event="take_up", player=player, cards=cards), before, cards=cards)
        elif act.kind == TAKE_DOWN:
            card = self.game.pack.codes[act.down]
            self.view.take_down(act.player, card)
            self._add(Event(id=0, event="take_down", player=player, count=1), before, cards=(card,))

    def _record_draw(self, table: Table, act: Act, after: Table) -> None:
        count = after.drawn - table.drawn
        if count:
            before = self.view.snapshot()
            cards = self.view.draw(act.player, count)
            event = Event(id=0, event="draw", player=self.players[act.player], count=count)
            self._add(event, before, cards=cards)

    def _record_end(self, table: Table, after: Table) -> None:
        """Record players who are out and the end of the game, before a burn of the last cards."""
        for seat, player in enumerate(self.players):
            if (after.out & ~table.out) >> seat & 1:
                self._add(Event(id=0, event="out", player=player), self.view.snapshot())
        if after.loser >= 0:
            loser = self.players[after.loser]
            self._add(Event(id=0, event="game_over", loser=loser), self.view.snapshot())


def play_out(
    game: CompiledRules, rng: Random, policy: Policy, table: Table | None = None, quiet_acts: int = QUIET_ACTS
) -> Table:
    """Play one game to its end, or to a draw, and return the last table. Nothing is recorded.

    Args:
        game: the compiled ruleset.
        rng: the source of random numbers.
        policy: chooses every act.
        table: the table to continue from. Without it, cards are dealt, and seat 0 is the dealer.
        quiet_acts: the number of acts without a burned card that makes a draw.
    """
    if table is None:
        table = game.deal(rng)
        starters = game.starters(table, 0)
        table = table._replace(turn=starters[int(rng.random() * len(starters))])
    apply, interrupts = game.apply, game.mechanics.out_of_turn_four
    quiet, burned = 0, table.burned
    while table.turn >= 0 and quiet < quiet_acts:
        acts = interruptions(game, table) if interrupts else ()
        table = apply(table, acts[0] if acts and rng.random() < 0.5 else policy(game, table, rng))
        quiet += 1
        if table.burned != burned:
            quiet, burned = 0, table.burned
    return table
