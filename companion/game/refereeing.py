"""A watched game: the watcher and the referee joined, with frames in and ruled event lines out.

The watcher reports events, and the referee rules on them; neither knows the other. The event log
(`companion.game.event_log`) holds the result.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from companion.game.corrections import CorrectedPlays
from companion.game.event_log import EventLine, EventLog
from companion.game.places import Places
from companion.game.replay_filter import ReplayFilter
from companion.game.watcher_questions import WatcherQuestions
from companion.memory import MemoryTrimmer
from engine.cards import UNKNOWN
from engine.errors import BadInputError
from engine.events import Event
from engine.fields import is_text
from engine.messages import Said
from vision.following.events import EventMaker
from vision.following.watcher import MakeEvents, Watcher
from vision.questions import HIDDEN_CARD, format_question
from vision.table.layout import Layout, load_layout
from vision.table.view import TableView
from vision.types import CardReader, CardReading, Image, Mask

if TYPE_CHECKING:
    from engine.referee.referee import Referee
    from vision.enrolment.online_learning import LearningReader
    from vision.hands.landmarks import HandFinder


class WatchedGame:
    """One game, watched and refereed."""

    def __init__(
        self,
        watcher: Watcher,
        referee_for: Callable[[Sequence[str]], Referee],
        players: Sequence[str] | None = None,
        learning: LearningReader | None = None,
        tell: Callable[[Said], object] | None = None,
        packs: int = 1,
    ) -> None:
        """Join `watcher` with the referee of these players; None: of the players in the deal.

        `learning` is the reader if it learns in idle moments. `tell` gets the watcher's questions before the
        players are known. `packs` is the number of packs.
        """
        self._watcher, self._referee_for, self._learning = watcher, referee_for, learning
        self._event_log = EventLog(referee_for(players) if players is not None else None)
        self._time_offset = 0.0
        """Added to the times of a source that restarted in mid-game."""
        self._replay_filter: ReplayFilter | None = None
        self._questions = WatcherQuestions(tell)
        self._corrections = CorrectedPlays()
        self._packs = packs
        self._after_end: list[Event] = []
        """Events after the end. They count only if the game turns out to go on."""
        self._freed = MemoryTrimmer()
        self._shown: tuple[TableView, TableView] | None = None
        """The watcher's last view, and the same view mapped into the frame."""

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
        layout: Path | Layout | None = None,
        deck: str | None = None,
        learn: bool = False,
        tell: Callable[[Said], object] | None = None,
        reader: CardReader | None = None,
        hands: HandFinder | None = None,
        make_events: MakeEvents = EventMaker,
        live: bool = False,
    ) -> WatchedGame:
        """Set up a game.

        Args:
            rules: A ruleset's name.
            players: Clockwise as seen from above, the first at the bottom edge of the frame. None: numbers,
                one for each row of cards.
            options: House options of the ruleset.
            dealer: The dealer; None if unknown.
            loser: The loser of the game before, if any.
            losses: Games lost so far this evening.
            layout: A layout or its file; None: the deal shows the layout.
            deck: The name of an enrolled deck.
            learn: Whether to learn the deck if none is named and one pack is used.
            tell: Gets a line about a deck recognised by its back, and questions from before the players are
                known. None: backs are not compared.
            reader: Reads the frames; None: the reader that ships with the program.
            hands: Finds hands; None: the program's own, but none if a reader is given.
            make_events: Makes the event logic, which may also log its input.
            live: Whether the frames come from a camera, as they happen.

        Raises:
            BadInputError: rules, options, players, dealer, deck or layout cannot be used.
        """
        from engine.deals import deal_for
        from engine.ruleset import load_ruleset
        from vision.enrolment.automatic_deck import reader_with_automatic_deck
        from vision.hands.landmarks import HandDetector
        from vision.recognition.incremental import game_reader
        from vision.recognition.runtime import available_backends

        _check_players(players, dealer)
        ruleset = load_ruleset(rules, tuple(options))
        deal = deal_for(ruleset, len(players) if players else _USUAL_PLAYERS)
        if deal is None:
            raise BadInputError(
                "players: there are not enough cards for {count} in {rules}",
                count=len(players or ()),
                rules=rules,
            )
        given = load_layout(layout) if isinstance(layout, Path) else layout
        given = None if given is None else _named(given, players)
        learning = None
        # A given reader may know nothing of real pictures, and OpenCV takes too long for hands in each frame.
        fast = available_backends()[0] == "onnxruntime"
        if hands is None and reader is None and fast:
            # A film waits for its hands, so two threads are faster. From a camera, another thread reads cards
            # meanwhile, and needs a core.
            hands = HandDetector(threads=1 if live else 2)
        if reader is None and deck is None and deal["packs"] == 1:
            reader, learning = reader_with_automatic_deck(learn=learn, tell=tell)
        watcher = Watcher(
            reader or game_reader(deck, deal["packs"]),
            players,
            given,
            row_length=deal["up"],
            draw_pile=deal["draw_pile"] > 0,
            packs=deal["packs"],
            jokers=deal["jokers"] > 0,
            draws_as_played=ruleset.mechanics.draw == "as-played",
            make_events=make_events,
            hands=hands,
            live=live,
        )

        def referee_for(names: Sequence[str]) -> Referee:
            return make_referee(rules, names, options=options, dealer=dealer, loser=loser, losses=losses)

        return cls(watcher, referee_for, players, learning, tell, deal["packs"])

    @property
    def table(self) -> Any:
        """The referee's public table; None until the players are known."""
        return self._event_log.table

    @property
    def lines(self) -> Sequence[EventLine]:
        """Every event with its ruling, oldest first. Corrected events keep their place."""
        return self._event_log.lines

    @property
    def readings(self) -> Sequence[CardReading]:
        """The newest readings, in pixels of the source."""
        return self.view.readings

    @property
    def view(self) -> TableView:
        """The watcher's view of the table, in pixels of the newest frame.

        The window asks for it at every frame. Readings are mapped again only after new ones, or after a move
        of the camera. Until then the same objects are returned.
        """
        believed = self._watcher.view
        if self._shown is not None and self._shown[0].shows_same_scene(believed):
            shown = self._shown[1]
            return replace(believed, readings=shown.readings, layout=shown.layout, to_reference=None)
        shown = believed.in_frame()
        self._shown = believed, shown
        return shown

    @property
    def arms(self) -> Mask | None:
        """Mask of the arms in a reduced copy of the newest frame; None if there are none."""
        return self._watcher.arms

    @property
    def layout(self) -> Layout | None:
        """Positions of seats and piles, once known."""
        return self._watcher.layout

    @property
    def places(self) -> Places:
        """Positions of seats and piles in the newest frame, and how to correct them."""
        return Places(self.view.layout, self._watcher)

    @property
    def started_at(self) -> float:
        """Seconds played before an interruption, if the source counts from 0 again."""
        return self._time_offset

    @property
    def looks(self) -> int:
        """Number of runs of the networks."""
        return self._watcher.looks

    @property
    def moving(self) -> bool:
        """Whether something moves over the table."""
        return not self._watcher.view.still

    @property
    def lost(self) -> bool:
        """Whether cards or camera have moved, and the game is being searched for."""
        return self._watcher.lost

    def feed(self, frame: Image, t: float) -> list[EventLine]:
        """Process the frame at `t` seconds, and return the lines decided by it."""
        lost = self._watcher.lost
        events = self._watcher.feed(frame, t) if self._learning is None else self._learn(frame, t)
        if lost and not self._watcher.lost:
            self._replay_filter = self._new_replay_filter()
        self._freed.trim()
        asked = self._questions.events(self._watcher.question, t, in_game=self._event_log.referee is not None)
        return self._rule([*asked, *events])

    def _learn(self, frame: Image, t: float) -> list[Event]:
        """Process a frame, and learn a little if that delays no ruling."""
        assert self._learning is not None
        looks = self._watcher.looks
        events = self._watcher.feed(frame, t)
        idle = self._watcher.view.still and not self._watcher.reading
        if idle and self._watcher.looks == looks and not events:
            self._learning.spare_time()
        return events

    def finish(self, t: float) -> list[EventLine]:
        """Process the end of the source, and return the lines decided by it."""
        self.keep_learnt()
        return self._rule(self._watcher.finish(t))

    def keep_learnt(self) -> None:
        """Store what was learnt of the deck, for later games."""
        if self._learning is not None:
            self._learning.finish()

    def enter(self, event: Event) -> list[EventLine]:
        """Add an event that a person reports, and return the lines that this adds."""
        return self._event_log.enter(self._moved(event)) + self._go_on_if_not_over()

    def put_back(self, event: Event) -> list[EventLine]:
        """Add an event again that was undone, at its own time, and return the lines that this adds."""
        return self._event_log.enter(event) + self._go_on_if_not_over()

    def undo(self) -> EventLine | None:
        """Remove the last event and return its line, or None if there is none."""
        line = self._event_log.undo()
        self._go_on_if_not_over()
        return line

    def correct(self, event_id: int, event: Event | None) -> None:
        """Replace an earlier event by `event`, or remove it with None, and judge the game again.

        Raises:
            BadInputError: there is no such event, or the referee inferred it.
        """
        line = next((line for line in self._event_log.lines if line["id"] == event_id), None)
        self._event_log.correct(event_id, event)
        if line is not None:
            self._corrections.note(line, event)
        self._go_on_if_not_over()

    def resume(self, stored: Sequence[Mapping[str, Any]], *, same_clock: bool) -> None:
        """Go on with an interrupted game, from its lines as they were written.

        Args:
            stored: The lines, with revisions in order.
            same_clock: Whether the source's times continue, as in a film. A camera counts from 0 again.

        Raises:
            BadInputError: the players are unknown, or a line is not an event.
        """
        self._event_log.resume(stored)
        self._time_offset = 0.0 if same_clock else self._event_log.last_t
        if all(line["event"] == "unclear" for line in self._event_log.lines):
            return  # interrupted before the deal was recognised, which is still to come
        table = self._event_log.table
        self._corrections.read_back(stored)
        self._replay_filter = self._new_replay_filter()
        begun = any(line["event"] in _BEGINS for line in self._event_log.lines)
        self._watcher.go_on(
            {player: [card for card in up if card != UNKNOWN] for player, up in table.up.items()}, begun=begun
        )

    def _new_replay_filter(self) -> ReplayFilter:
        """Return a filter for the reports of a restarted watcher about cards that lay on the pile before."""
        lying = [card for card in self._event_log.table.pile if card != UNKNOWN]
        before = () if self._replay_filter is None else self._replay_filter.misread
        return ReplayFilter(lying, [*before, *self._corrections.take_misread()], self._packs)

    def ignore_leftovers(self, ended: WatchedGame) -> None:
        """Do not mistake the cards before the players of an ended game for a deal.

        Players who were declared out may have left up-cards, which the table no longer lists.
        """
        known = {card for up in ended.table.up.values() for card in up}
        dealt = {card for line in ended.lines for up in line.get("up", {}).values() for card in up}
        seen = {reading.card for reading in ended.readings if reading.card is not None}
        self._watcher.pass_over((known | dealt & seen) - {UNKNOWN})

    def _rule(self, events: Sequence[Event]) -> list[EventLine]:
        """Judge events. Return their lines, each followed by the events that the rules infer.

        After the end, cards are swept up, shown around and dealt, which breaks no rule. Such events wait.
        Only revisions of the game itself are still judged.
        """
        if self._replay_filter is not None:
            events = self._replay_filter.new_events(events)
        if events and self._event_log.referee is None:
            seats = self._watcher.layout.seats if self._watcher.layout else ()
            self._event_log.set_referee(self._referee_for([seat.player for seat in seats]))
        told: list[EventLine] = []
        for event in map(self._moved, events):
            if self._is_after_end(event):
                self._after_end.append(event)
                continue
            ruled = self._judge(event)
            told += ruled + self._tell_hidden(ruled) + self._go_on_if_not_over()
        return told

    def _tell_hidden(self, ruled: Sequence[EventLine]) -> list[EventLine]:
        """Return lines that ask for hidden cards, or name them, because of the lines just ruled on."""
        before = {line["id"]: line for line in self.lines}
        told: list[EventLine] = []
        for event in self._event_log.name_hidden(ruled):
            if event.event == "unclear" and event.revise is None:
                play = before[event.concerns or 0]
                says = format_question(HIDDEN_CARD, event.player, count=len(play["cards"]))
                event = replace(event, says=says)
            told += self._event_log.add([event])
            if event.revise is not None:
                self._corrections.note(before[event.revise], event)
        return told

    def _is_after_end(self, event: Event) -> bool:
        ended_at = self._event_log.ended_at
        if ended_at is None or self._event_log.is_due(event):
            return False
        if event.revise is not None:
            return event.revise in {other.id for other in self._after_end}
        return event.t > ended_at

    def _go_on_if_not_over(self) -> list[EventLine]:
        """Judge events after the end of a game that has turned out to go on."""
        told: list[EventLine] = []
        while self._after_end and not self._is_after_end(self._after_end[0]):
            told += self._judge(self._after_end.pop(0))
        return told

    def _judge(self, event: Event) -> list[EventLine]:
        """Judge an event of the watcher with its corrected cards; return the lines."""
        if event.revise is not None:
            self._corrections.seen_otherwise(self._event_log.number_of(event.revise), event)
        return self._event_log.add([self._corrections.apply(event)])

    def _moved(self, event: Event) -> Event:
        """Return the event on the game's clock, which continues after an interruption."""
        return replace(event, t=event.t + self._time_offset, decided_at=event.decided_at + self._time_offset)


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
) -> Referee:
    """Return the referee of a game. Losses of absent players are left out."""
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
    """Return the layout with the players' names on its seats, or with its own if none are given."""
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
