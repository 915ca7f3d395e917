"""Watcher and referee joined."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from companion.game.event_log import EventLog
from companion.game.refereeing import WatchedGame, make_referee
from engine.errors import BadInputError
from engine.events import Event
from engine.referee.referee import Referee
from tests.support.dealt_table_reader import Film, Table
from vision.enrolment.online_learning import LearningReader
from vision.following import watcher as watch
from vision.following.events import EventMaker
from vision.following.looks import Deal
from vision.table.view import TableView
from vision.types import CardReading

FRAME = np.zeros((4, 4, 3), np.uint8)


@dataclass
class Said:
    ruling: dict[str, Any] | None
    follow_ups: tuple[Event, ...] = ()


class Judge:
    """Finds every play of a 4 illegal, and tells a late breach after a pick-up."""

    def __init__(self) -> None:
        self.seen: list[Event] = []
        self.table = SimpleNamespace(turn="Ann")
        self.standing: dict[int, Event] = {}
        self.corrected: list[tuple[int, Event]] = []

    @property
    def outcomes(self) -> dict[int, Said]:
        return {number: self.said(event) for number, event in self.standing.items()}

    def said(self, event: Event) -> Said:
        if event.event == "pick_up":
            late = Event(
                id=0, event="late_breach", player=event.player, concerns=event.id, says="You had a 9."
            )
            return Said({"verdict": "legal"}, (late,))
        if event.event == "play":
            return Said({"verdict": "illegal" if event.cards[0][0] == "4" else "legal"})
        return Said(None)

    def observe(self, event: Event) -> Said:
        self.seen.append(event)
        number = event.revise or event.id
        if event.withdrawn:
            self.standing.pop(number)
            return Said(None)
        self.standing[number] = replace(event, id=number, revise=None)
        return self.said(self.standing[number])

    def undo(self) -> Event | None:
        return self.standing.popitem()[1] if self.standing else None

    def correct(self, event_id: int, event: Event) -> Said:
        self.corrected.append((event_id, event))
        return self.observe(replace(event, revise=event_id))

    def name_hidden(self, *_: object) -> list[Event]:
        return []


class Watcher:
    """Gives the events it was told to, whatever it is fed."""

    def __init__(self, *events: list[Event]) -> None:
        self.given = list(events)
        self.view = TableView()
        self.layout = SimpleNamespace(seats=[SimpleNamespace(player=p) for p in ("P1", "P2")])
        self.looks, self.lost, self.reading = 0, False, False
        self.question: str | None = None

    def feed(self, frame: Any, t: float) -> list[Event]:
        return self.given.pop(0) if self.given else []

    def finish(self, t: float) -> list[Event]:
        return self.feed(None, t)


def as_referee(judge: Judge) -> Referee:
    return cast(Referee, judge)


def as_watcher(given: Watcher) -> watch.Watcher:
    return cast(watch.Watcher, given)


def play(number: int, *cards: str, **fields: Any) -> Event:
    return Event(id=number, event="play", t=float(number), player="Ann", cards=cards, source="hand", **fields)


def game(*events: list[Event]) -> tuple[WatchedGame, Judge]:
    judge = Judge()
    return WatchedGame(as_watcher(Watcher(*events)), lambda _: as_referee(judge), ("Ann", "Bob")), judge


def test_judged_events_carry_their_ruling() -> None:
    joined, _ = game([play(1, "9S")], [play(2, "4D")])
    (first,), (second,) = joined.feed(FRAME, 1.0), joined.feed(FRAME, 2.0)
    assert first["ruling"] == {"verdict": "legal"}
    assert second["ruling"] == {"verdict": "illegal"}
    assert joined.lines == [first, second]


def test_what_the_rules_conclude_follows_with_ids_of_its_own() -> None:
    joined, _ = game([Event(id=1, event="pick_up", player="Ann")], [play(2, "9S")])
    lines = joined.feed(FRAME, 1.0) + joined.feed(FRAME, 2.0)
    assert [(line["event"], line["id"]) for line in lines] == [
        ("pick_up", 1),
        ("late_breach", 2),
        ("play", 3),
    ]


def test_a_revision_names_the_id_that_was_told() -> None:
    first = Event(id=1, event="pick_up", player="Ann")
    joined, judge = game([first], [play(2, "7S")], [play(3, "7S", "7D", revise=2)])
    joined.feed(FRAME, 1.0)
    joined.feed(FRAME, 2.0)
    (line,) = joined.feed(FRAME, 3.0)
    assert (line["id"], line["revise"]) == (4, 3)
    assert judge.seen[-1].revise == 3
    told = [(entry["event"], entry.get("cards")) for entry in joined.lines]
    assert told == [("pick_up", []), ("late_breach", None), ("play", ["7S", "7D"])]


def test_a_withdrawn_event_leaves_the_list() -> None:
    joined, _ = game([play(1, "7S")], [play(2, "7S", revise=1, withdrawn=True)])
    joined.feed(FRAME, 1.0)
    (line,) = joined.feed(FRAME, 2.0)
    assert line["withdrawn"] is True
    assert joined.lines == []


def test_undo_takes_back_the_last_event_with_its_conclusions() -> None:
    joined, judge = game([play(1, "9S")], [Event(id=2, event="pick_up", player="Ann")])
    joined.feed(FRAME, 1.0)
    joined.feed(FRAME, 2.0)
    undone = joined.undo()
    assert undone is not None
    assert undone["event"] == "pick_up"
    assert [line["event"] for line in joined.lines] == ["play"]
    joined.undo()
    assert joined.undo() is None
    assert judge.standing == {}


def test_a_correction_is_passed_on_under_its_id() -> None:
    joined, judge = game([play(1, "9S")], [play(2, "4D")])
    joined.feed(FRAME, 1.0)
    joined.feed(FRAME, 2.0)
    joined.correct(2, play(0, "QH"))
    assert judge.corrected[0][0] == 2
    assert joined.lines[1]["cards"] == ["QH"]
    assert joined.lines[1]["ruling"] == {"verdict": "legal"}
    joined.correct(1, None)
    assert [line["id"] for line in joined.lines] == [2]
    with pytest.raises(BadInputError, match="event 77"):
        joined.correct(77, None)


def test_what_a_person_put_right_is_not_overwritten_by_a_later_look() -> None:
    joined, judge = game([play(1, "6S")], [play(2, "6S", "6D", revise=1)], [play(3, "4D", revise=1)])
    joined.feed(FRAME, 1.0)
    joined.correct(1, play(0, "8S"))
    assert joined.feed(FRAME, 2.0) == []
    assert joined.feed(FRAME, 3.0) == []
    assert [(line["cards"], line["settled"]) for line in joined.lines] == [(["8S"], True)]
    assert judge.standing[1].cards == ("8S",)


@pytest.mark.parametrize("strike", [lambda game: game.correct(1, None), lambda game: game.undo()])
def test_what_a_person_struck_out_does_not_come_back_with_a_later_look(strike: Any) -> None:
    joined, judge = game([play(1, "6S")], [play(2, "6D", revise=1)])
    joined.feed(FRAME, 1.0)
    strike(joined)
    assert joined.feed(FRAME, 2.0) == []
    assert (joined.lines, judge.standing) == ([], {})


def test_what_a_person_put_right_stays_settled_in_a_game_that_is_taken_up_again() -> None:
    kept = EventLog(as_referee(Judge()))
    written = kept.add([play(1, "6S")])
    kept.correct(1, play(0, "8S"))
    again = EventLog(as_referee(Judge()))
    again.resume([*written, {**kept.lines[0], "revise": 1}])
    assert again.add([play(5, "6S", "6D", revise=1)]) == []
    assert again.lines == kept.lines


def test_without_names_the_players_are_those_of_the_deal() -> None:
    named: list[tuple[str, ...]] = []

    def make(players: Sequence[str]) -> Referee:
        named.append(tuple(players))
        return as_referee(Judge())

    joined = WatchedGame(as_watcher(Watcher([Event(id=1, event="deal")])), make)
    assert joined.table is None
    joined.feed(FRAME, 1.0)
    assert named == [("P1", "P2")]


class NoReader:
    def read(self, image: Any, crowded: object = None, ignored: object = None) -> list[Any]:
        return []


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"players": ("Ann",)}, "at least two"),
        ({"players": ("Ann", "Ann")}, "named twice"),
        ({"players": ("Ann", "Bob"), "dealer": "Cat"}, "Cat"),
        ({"players": ("Ann", "Bob"), "rules": "whist"}, "whist"),
        ({"players": ("Ann", "Bob"), "options": ("no-such",)}, "no-such"),
        ({"players": None, "dealer": "Ann"}, "Ann"),
    ],
)
def test_settings_that_cannot_be_are_named(fields: dict[str, Any], says: str) -> None:
    with pytest.raises(BadInputError, match=says):
        WatchedGame.open(reader=NoReader(), **fields)


def test_a_game_opens_with_the_real_referee(tmp_path: Path) -> None:
    joined = WatchedGame.open(players=("Ann", "Bob"), dealer="Bob", reader=NoReader())
    assert joined.feed(FRAME, 0.0) == []
    assert joined.finish(0.1) == []
    assert tuple(joined.table.players) == ("Ann", "Bob")


def test_the_real_referee_rules_on_what_is_watched() -> None:
    deal = Event(id=1, event="deal", up={"Ann": ("4S", "5C", "6C"), "Bob": ("9D", "JC", "AD")})
    plays = [play(2, "9S"), replace(play(3, "4D"), player="Bob")]
    joined = WatchedGame(
        as_watcher(Watcher([deal, *plays])),
        lambda names: make_referee("winnersh", names, dealer="Bob"),
        ("Ann", "Bob"),
    )
    lines = joined.feed(FRAME, 4.0)
    verdicts = [line["ruling"]["verdict"] for line in lines if "ruling" in line and line["event"] == "play"]
    assert verdicts[1] == "illegal", "a 4 on a 9"


class Learning:
    """Notes how often there was time to learn."""

    def __init__(self) -> None:
        self.times = self.finished = 0

    def spare_time(self) -> None:
        self.times += 1

    def finish(self) -> None:
        self.finished += 1


def test_the_deck_is_learnt_only_when_there_is_nothing_else_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    watcher, learning = Watcher([play(1, "9S")]), Learning()

    def look(_frame: Any, _t: float) -> list[Event]:
        watcher.looks += 1
        return []

    reader = cast(LearningReader, learning)
    joined = WatchedGame(as_watcher(watcher), lambda _: as_referee(Judge()), ("Ann", "Bob"), reader)
    joined.feed(FRAME, 1.0)
    assert learning.times == 0, "a ruling is to be told"
    joined.feed(FRAME, 1.1)
    assert learning.times == 1
    watcher.view = TableView(still=False)
    joined.feed(FRAME, 1.2)
    assert learning.times == 1, "a hand moves over the table"
    watcher.view = TableView()
    monkeypatch.setattr(watcher, "feed", look)
    joined.feed(FRAME, 1.3)
    assert learning.times == 1, "the table was just looked at"
    joined.finish(1.4)
    assert learning.finished == 1


@pytest.mark.parametrize(
    ("fields", "learns"),
    [
        ({"players": ("Ann", "Bob")}, True),
        ({"players": ("Ann", "Bob"), "reader": NoReader()}, False),
        ({"players": ("A", "B", "C", "D", "E"), "rules": "shed"}, False),
    ],
    ids=["one pack", "a reader of its own", "two packs"],
)
def test_a_deck_is_learnt_where_none_is_named_and_one_pack_is_used(
    monkeypatch: pytest.MonkeyPatch, fields: dict[str, Any], learns: bool
) -> None:
    asked: list[bool] = []

    def unnamed_reader(*, learn: bool, tell: object) -> tuple[NoReader, None]:
        asked.append(learn)
        return NoReader(), None

    monkeypatch.setattr("vision.recognition.incremental.game_reader", lambda *_: NoReader())
    monkeypatch.setattr("vision.enrolment.automatic_deck.reader_with_automatic_deck", unnamed_reader)
    WatchedGame.open(learn=True, **fields)
    assert asked == ([True] if learns else [])


def test_a_named_deck_is_not_learnt(monkeypatch: pytest.MonkeyPatch) -> None:
    named: list[str | None] = []

    def game_reader(name: str | None, packs: int) -> NoReader:
        named.append(name)
        return NoReader()

    monkeypatch.setattr("vision.recognition.incremental.game_reader", game_reader)
    WatchedGame.open(players=("Ann", "Bob"), deck="mine", learn=True)
    assert named == ["mine"]


def camera_that_moved(by: float) -> np.ndarray[Any, Any]:
    """Return a fresh array each time, as the watcher does with every frame."""
    return np.array([[1.0, 0.0, by], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])


def test_cards_of_an_unchanged_view_are_brought_into_the_frame_once(monkeypatch: pytest.MonkeyPatch) -> None:
    mapped: list[TableView] = []
    in_frame = TableView.in_frame

    def note_and_map(view: TableView) -> TableView:
        mapped.append(view)
        return in_frame(view)

    monkeypatch.setattr(TableView, "in_frame", note_and_map)
    watcher = Watcher()
    joined = WatchedGame(as_watcher(watcher), lambda _: as_referee(Judge()), ("Ann", "Bob"))
    quad = np.array([[10, 10], [20, 10], [20, 30], [10, 30]], np.float32)
    readings = (CardReading(quad, "up", 0.99, "9S"),)
    watcher.view = TableView(readings, to_reference=camera_that_moved(5.0))
    first = joined.readings
    assert first[0].quad[0].tolist() == [5.0, 10.0]
    watcher.view = TableView(readings, still=False, hands=("Ann",), to_reference=camera_that_moved(5.0))
    assert joined.readings is first, "a window that asks whether they are others must hear that they are not"
    assert joined.view.hands == ("Ann",)
    assert not joined.view.still
    assert len(mapped) == 1
    watcher.view = TableView(readings, to_reference=camera_that_moved(7.0))
    assert joined.readings[0].quad[0].tolist() == [3.0, 10.0]
    watcher.view = TableView((CardReading(quad, "up", 0.99, "9D"),), to_reference=camera_that_moved(7.0))
    assert joined.readings[0].card == "9D", "read anew"
    watcher.view = TableView(readings)
    assert joined.readings is readings, "back where it was at first"


def test_what_is_asked_before_it_is_known_who_plays_is_said_once_and_is_no_event() -> None:
    watcher = Watcher()
    told: list[str] = []
    watcher.question = "Where is the draw pile?"
    joined = WatchedGame(as_watcher(watcher), lambda _: as_referee(Judge()), tell=told.append)
    assert joined.feed(FRAME, 1.0) == joined.feed(FRAME, 2.0) == []
    assert told == ["Where is the draw pile?"]
    watcher.question, watcher.given = None, [[Event(id=1, event="deal")]]
    assert [line["event"] for line in joined.feed(FRAME, 3.0)] == ["deal"]


def test_a_question_that_answers_itself_is_withdrawn_before_the_deal_is_told() -> None:
    watcher = Watcher()
    watcher.question = "Where is the draw pile?"
    joined = WatchedGame(as_watcher(watcher), lambda _: as_referee(Judge()), ("Ann", "Bob"))
    (question,) = joined.feed(FRAME, 1.0)
    watcher.question, watcher.given = None, [[Event(id=1, event="deal")]]
    withdrawn, deal = joined.feed(FRAME, 2.0)
    assert (withdrawn["revise"], withdrawn["withdrawn"], deal["event"]) == (question["id"], True, "deal")
    assert [line["event"] for line in joined.lines] == ["deal"]


@pytest.mark.parametrize(("rules", "as_played"), [("jokers", True), ("shed", False)])
def test_the_event_logic_is_told_whether_all_draw_as_many_as_they_play(rules: str, as_played: bool) -> None:
    begun: list[Deal] = []

    def make_events(deal: Deal) -> EventMaker:
        begun.append(deal)
        return EventMaker(deal)

    table = Table()
    game = WatchedGame.open(rules=rules, players=("Ann", "Bob"), reader=table, make_events=make_events)
    for t, frame in itertools.islice(Film(table, 200), 60):
        game.feed(frame, t)
    assert [deal.draws_as_played for deal in begun] == [as_played]
