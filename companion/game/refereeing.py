"""Watcher and referee joined: frames in, event lines with rulings out.

The watcher says what was seen, the referee what it means; neither knows the other. What was decided stands in
the game's book (`companion.game.event_log`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from companion.game.corrections import CorrectedPlays
from companion.game.event_log import EventLine, EventLog, GameReferee
from companion.game.hidden_cards import HiddenCards
from companion.game.places import Places
from companion.game.replay_filter import ReplayFilter
from companion.game.watcher_questions import WatcherQuestions
from companion.memory import MemoryTrimmer
from engine.cards import UNKNOWN
from engine.errors import BadInputError
from engine.events import Event
from engine.judging.situation import is_text
from engine.messages import Said
from vision.following.events import EventMaker
from vision.following.watcher import MakeEvents, Watcher
from vision.motion.background import Mask
from vision.table.layout import Layout, load_layout
from vision.table.view import TableView
from vision.types import CardReader, CardReading, Image

if TYPE_CHECKING:
    from vision.enrolment.online_learning import LearningReader


class WatchedGame:
    """One game, watched and refereed."""

    def __init__(
        self,
        watcher: Watcher,
        referee_for: Callable[[Sequence[str]], GameReferee],
        players: Sequence[str] | None = None,
        learning: LearningReader | None = None,
        tell: Callable[[Said], object] | None = None,
        packs: int = 1,
    ) -> None:
        """Join `watcher` with the judge of these players; None: of those whom the deal shows.

        `learning` is its reader where that learns whenever there is nothing else to do; `tell` is told what
        the watcher asks before it is known who plays; so many `packs` are played with.
        """
        self._watcher, self._referee_for, self._learning = watcher, referee_for, learning
        self._book = EventLog(referee_for(players) if players is not None else None)
        self._later = 0.0
        """What is added to the times of a source that began anew in mid-game."""
        self._known: ReplayFilter | None = None
        self._questions = WatcherQuestions(tell)
        self._put_right = CorrectedPlays()
        self._packs = packs
        self._hidden = HiddenCards(packs)
        self._after_end: list[Event] = []
        """What was seen since the game is over: it counts only if the game turns out to go on."""
        self._freed = MemoryTrimmer()
        self._shown: tuple[TableView, TableView] | None = None
        """What the watcher believed when that was last brought into the frame, and what came of it."""

    @classmethod
    def open(
        cls,
        *,
        rules: str = "winnersh",
        players: Sequence[str] | None,
        options: Sequence[str] = (),
        dealer: str | None = None,
        loser: str | None = None,
        losses: Mapping[str, int] | None = None,
        layout: Path | None = None,
        deck: str | None = None,
        learn: bool = False,
        tell: Callable[[Said], object] | None = None,
        reader: CardReader | None = None,
        make_events: MakeEvents = EventMaker,
    ) -> WatchedGame:
        """Set up a game.

        Args:
            rules: A ruleset's name.
            players: Clockwise as seen from above, the first at the bottom edge of the picture. None: as many
                as there are rows of cards, by number.
            options: House options of the ruleset.
            dealer: Who dealt; None: not known.
            loser: The Shithead of the game before, if any.
            losses: Games lost so far this evening.
            layout: A file that says where seats and piles are; None: found at the deal.
            deck: The name of an enrolled deck.
            learn: Whether the deck is learnt where none is named and one pack is played with.
            tell: Told in one line which enrolled deck is used where none is named and its back is seen (None:
                no back is looked for), and what is asked before it is known who plays.
            reader: Reads the pictures; None: the reader that ships with the program.
            make_events: Makes the event logic; one may write down all that it is given.

        Raises:
            BadInputError: rules, options, players, dealer, deck or layout are not usable.
        """
        from engine.judging.questions import deal_for
        from engine.ruleset import load_ruleset
        from vision.enrolment.unnamed_deck import unnamed_reader
        from vision.recognition.incremental import game_reader

        _check_players(players, dealer)
        ruleset = load_ruleset(rules, tuple(options))
        deal = deal_for(ruleset, len(players) if players else _USUAL_PLAYERS)
        if deal is None:
            raise BadInputError(
                "players: one pack is not enough for {count} in {rules}",
                count=len(players or ()),
                rules=rules,
            )
        given = _named(load_layout(layout), players) if layout is not None else None
        learning = None
        if reader is None and deck is None and deal["packs"] == 1:
            reader, learning = unnamed_reader(learn=learn, tell=tell)
        watcher = Watcher(
            reader or game_reader(deck, deal["packs"]),
            players,
            given,
            row_length=deal["up"],
            draw_pile=deal["draw_pile"] > 0,
            packs=deal["packs"],
            jokers=deal["jokers"] > 0,
            make_events=make_events,
        )

        def referee_for(names: Sequence[str]) -> GameReferee:
            return make_referee(rules, names, options=options, dealer=dealer, loser=loser, losses=losses)

        return cls(watcher, referee_for, players, learning, tell, deal["packs"])

    @property
    def table(self) -> Any:
        """The referee's public table; None until it is known who plays."""
        return self._book.table

    @property
    def lines(self) -> Sequence[EventLine]:
        """Every event of the game with its ruling, oldest first; corrected ones in their place."""
        return self._book.lines

    @property
    def readings(self) -> Sequence[CardReading]:
        """The cards that were read last, in pixels of the source."""
        return self.view.readings

    @property
    def view(self) -> TableView:
        """What the watcher believes of the table, in pixels of the latest frame.

        The window asks for it at every frame: cards are brought into the frame only when they were read anew
        or the camera has moved on, and until then stay the very same.
        """
        believed = self._watcher.view
        if self._shown is not None and self._shown[0].lies_as(believed):
            shown = self._shown[1]
            return replace(believed, readings=shown.readings, layout=shown.layout, moved=None)
        shown = believed.in_frame()
        self._shown = believed, shown
        return shown

    @property
    def arms(self) -> Mask | None:
        """Where arms are in a reduced copy of the latest frame; None where there are none."""
        return self._watcher.arms

    @property
    def layout(self) -> Layout | None:
        """Where seats and piles are, once that is known."""
        return self._watcher.layout

    @property
    def places(self) -> Places:
        """Where seats and piles lie in the latest picture, and how that is put right."""
        return Places(self.view.layout, self._watcher)

    @property
    def started_at(self) -> float:
        """Seconds that the game had run when it was broken off, where the source counts from nought again."""
        return self._later

    @property
    def looks(self) -> int:
        """How often the networks were run."""
        return self._watcher.looks

    @property
    def moving(self) -> bool:
        """Whether something moves over the table."""
        return not self._watcher.view.still

    @property
    def lost(self) -> bool:
        """Whether the cards or the camera have moved, and the game is being looked for."""
        return self._watcher.lost

    def feed(self, frame: Image, t: float) -> list[EventLine]:
        """Take the picture at `t` seconds; returns the lines decided by it."""
        lost = self._watcher.lost
        events = self._watcher.feed(frame, t) if self._learning is None else self._learn(frame, t)
        if lost and not self._watcher.lost:
            self._known = self._replay_filter()
        self._freed.trim()
        asked = self._questions.events(self._watcher.question, t, in_game=self._book.referee is not None)
        return self._rule([*asked, *events])

    def _learn(self, frame: Image, t: float) -> list[Event]:
        """Take a picture in, and learn a little where that delays no ruling."""
        assert self._learning is not None
        looks = self._watcher.looks
        events = self._watcher.feed(frame, t)
        if self._watcher.view.still and self._watcher.looks == looks and not events:
            self._learning.spare_time()
        return events

    def finish(self, t: float) -> list[EventLine]:
        """Take the end of the source; returns the lines decided by it."""
        self.keep_learnt()
        return self._rule(self._watcher.finish(t))

    def keep_learnt(self) -> None:
        """Keep what was learnt of the deck, for the games to come."""
        if self._learning is not None:
            self._learning.finish()

    def enter(self, event: Event) -> list[EventLine]:
        """Take in an event that a person reports; returns the lines that this adds."""
        return self._book.enter(self._moved(event)) + self._go_on_if_not_over()

    def undo(self) -> EventLine | None:
        """Take the last event back and return it; None where there is none."""
        line = self._book.undo()
        self._go_on_if_not_over()
        return line

    def correct(self, event_id: int, event: Event | None) -> None:
        """Put `event` in place of an earlier one and rule anew on everything; None: it never happened.

        Raises:
            BadInputError: there is no event of this id, or it is the referee's own conclusion.
        """
        line = next((line for line in self._book.lines if line["id"] == event_id), None)
        self._book.correct(event_id, event)
        if line is not None:
            self._put_right.note(line, event)
        self._go_on_if_not_over()

    def resume(self, stored: Sequence[Mapping[str, Any]], *, same_clock: bool) -> None:
        """Go on with a game that was broken off, from its lines as they were written.

        Args:
            stored: The lines, revisions as they came.
            same_clock: Whether times of the source go on where they were, as those of a film do; a camera
                counts from nought again.

        Raises:
            BadInputError: the players are not known, or a line is no event.
        """
        self._book.resume(stored)
        self._later = 0.0 if same_clock else self._book.last_t
        if all(line["event"] == "unclear" for line in self._book.lines):
            return  # it was broken off before a deal was recognised: that is still to come
        table = self._book.table
        self._put_right.read_back(stored)
        self._known = self._replay_filter()
        begun = any(line["event"] in _BEGINS for line in self._book.lines)
        self._watcher.go_on(
            {player: [card for card in up if card != UNKNOWN] for player, up in table.up.items()}, begun=begun
        )

    def _replay_filter(self) -> ReplayFilter:
        """Return what keeps from the book what a watcher that begins anew tells of the pile as it lies."""
        lying = [card for card in self._book.table.pile if card != UNKNOWN]
        before = () if self._known is None else self._known.misread
        return ReplayFilter(lying, [*before, *self._put_right.hand_over()], self._packs)

    def pass_over(self, ended: WatchedGame) -> None:
        """Take what lies before the players of a game that is over for no deal.

        Those who are out by their own word may have left up-cards lying, of which the table knows no more.
        """
        known = {card for up in ended.table.up.values() for card in up}
        dealt = {card for line in ended.lines for up in line.get("up", {}).values() for card in up}
        seen = {reading.card for reading in ended.readings if reading.card is not None}
        self._watcher.pass_over((known | dealt & seen) - {UNKNOWN})

    def _rule(self, events: Sequence[Event]) -> list[EventLine]:
        """Have events judged; returns their lines, each followed by what the rules conclude from it.

        Once the game is over the cards are swept up, shown around, dealt anew: nobody breaks a rule by that.
        It waits, and only what was seen of the game itself is still judged.
        """
        if self._known is not None:
            events = self._known.less(events)
        if events and self._book.referee is None:
            seats = self._watcher.layout.seats if self._watcher.layout else ()
            self._book.set_referee(self._referee_for([seat.player for seat in seats]))
        told: list[EventLine] = []
        for event in map(self._moved, events):
            if self._is_after_end(event):
                self._after_end.append(event)
                continue
            ruled = self._book.take([self._put_right.carry(event)])
            told += ruled + self._tell_hidden(ruled) + self._go_on_if_not_over()
        return told

    def _tell_hidden(self, ruled: Sequence[EventLine]) -> list[EventLine]:
        """Return the lines that ask for hidden cards, or tell them, because of those just ruled on."""
        before = {line["id"]: line for line in self.lines}
        told: list[EventLine] = []
        for event in self._hidden.events(ruled, self.lines, self.table):
            told += self._book.take([event])
            if event.revise is not None:
                self._put_right.note(before[event.revise], event)
        return told

    def _is_after_end(self, event: Event) -> bool:
        ended_at = self._book.ended_at
        if ended_at is None or self._book.is_due(event):
            return False
        if event.revise is not None:
            return event.revise in {other.id for other in self._after_end}
        return event.t > ended_at

    def _go_on_if_not_over(self) -> list[EventLine]:
        """Have judged what was seen since the end of a game that has turned out to go on."""
        told: list[EventLine] = []
        while self._after_end and not self._is_after_end(self._after_end[0]):
            told += self._book.take([self._put_right.carry(self._after_end.pop(0))])
        return told

    def _moved(self, event: Event) -> Event:
        """Return the event on the clock of the game, which goes on where it was broken off."""
        return replace(event, t=event.t + self._later, decided_at=event.decided_at + self._later)


_USUAL_PLAYERS = 4
_BEGINS = ("play", "flip", "show", "pick_up")


def make_referee(
    rules: str,
    players: Sequence[str],
    *,
    options: Sequence[str] = (),
    dealer: str | None = None,
    loser: str | None = None,
    losses: Mapping[str, int] | None = None,
) -> GameReferee:
    """Return the referee of a game; who no longer plays is left out of the evening's losses."""
    from engine.referee.referee import Referee

    return Referee(
        rules,
        tuple(players),
        options=tuple(options),
        dealer=dealer,
        loser=loser if loser in players else None,
        losses={player: count for player, count in (losses or {}).items() if player in players},
    )


def _check_players(players: Sequence[str] | None, dealer: str | None) -> None:
    if players is None:
        if dealer is not None:
            raise BadInputError("dealer: {name!r} is named, but the players are not", name=dealer)
        return
    if len(players) < 2:
        raise BadInputError("players: at least two are needed, {count} named", count=len(players))
    twice = next((name for name in players if list(players).count(name) > 1), None)
    if twice is not None:
        raise BadInputError("players: {name!r} is named twice", name=twice)
    odd = next((name for name in players if not is_text(name)), None)
    if odd is not None:
        raise BadInputError("players: {name!r} is not UTF-8 text", name=odd)
    if dealer is not None and dealer not in players:
        raise BadInputError("dealer: {name!r} is not one of the players", name=dealer)


def _named(layout: Layout, players: Sequence[str] | None) -> Layout:
    """Return the layout with the players' names on its seats; with its own when none are given."""
    if players is None:
        return layout
    if len(layout.seats) != len(players):
        raise BadInputError(
            "layout: it has {count} seats for {players} players",
            count=len(layout.seats),
            players=len(players),
        )
    seats = tuple(replace(seat, player=name) for seat, name in zip(layout.seats, players, strict=True))
    return replace(layout, seats=seats)
