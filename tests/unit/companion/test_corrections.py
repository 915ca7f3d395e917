"""Undo and correction end to end: session, joined watcher and the real referee, replayed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from companion.game.corrections import CorrectedPlays
from companion.game.evening import apply_revisions
from companion.game.interface import EventLine
from companion.game.refereeing import WatchedGame
from companion.game.series import GameSeries
from companion.game.session import Session
from companion.store.store import Store
from engine.errors import BadInputError
from engine.events import Event
from engine.referee.referee import Referee
from engine.simulation.simulate import play_game
from tests.support.fake_source import FakeSource
from tests.support.session_script import keeper_in
from tests.support.waiting import until
from vision.following.watcher import Watcher
from vision.table.view import TableView
from vision.types import Image

PLAYERS = ("Ann", "Bob", "Cat")
UP: dict[str, tuple[str, ...]] = {
    "Ann": ("KS", "KD", "KC"),
    "Bob": ("QS", "QD", "QC"),
    "Cat": ("JS", "JD", "JC"),
}
GAME = (
    Event(id=1, event="deal", t=1, up=UP),
    Event(id=2, event="play", t=2, player="Ann", cards=("9S",), source="hand"),
    Event(id=3, event="play", t=3, player="Bob", cards=("8H",), source="hand"),
    Event(id=4, event="play", t=4, player="Cat", cards=("10C",), source="hand"),
)
"""Bob's 8 on Ann's 9 is illegal in Winnersh (§5: equal or higher)."""


class Blank(FakeSource):
    """As many black pictures as there are events to see, a second apart."""

    fps = 1.0

    def __iter__(self) -> Iterator[tuple[float, Image]]:
        for second in range(1, len(GAME) + 1):
            yield float(second), np.zeros((36, 64, 3), np.uint8)


class ScriptedWatcher:
    """Sees the next event of a game in every picture."""

    def __init__(self, events: Sequence[Event] = GAME) -> None:
        self.view, self.question, self.lost, self.arms = TableView(), None, False, None
        self.layout = SimpleNamespace(
            to_json=dict, zones=list, seats=[SimpleNamespace(player=player) for player in PLAYERS]
        )
        self._events = iter(events)

    def feed(self, frame: Image, t: float) -> list[Event]:
        return [next(self._events)]

    def finish(self, t: float) -> list[Event]:
        return []


def open_game(events: Sequence[Event] = GAME) -> WatchedGame:
    return WatchedGame(
        cast(Watcher, ScriptedWatcher(events)), lambda names: Referee("winnersh", tuple(names)), PLAYERS
    )


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    recorder = keeper_in(tmp_path / "s.sqlite", PLAYERS)
    session = Session(Blank, lambda: GameSeries(open_game()), open_recorder=recorder, realtime=False)
    session.start()
    until(lambda: session.snapshot.phase == "ended")
    yield session
    session.stop()


def after(session: Session, ask: Callable[[], None]) -> tuple[EventLine, ...]:
    """Ask for something and return the lines once it has been done."""
    serial = session.snapshot.version
    ask()
    until(lambda: session.snapshot.version > serial)
    return session.snapshot.lines


def verdicts(lines: tuple[EventLine, ...]) -> dict[str, str]:
    return {str(line["player"]): line["ruling"]["verdict"] for line in lines if line.get("ruling")}


def by(session: Session, player: str) -> int:
    return next(int(line["id"]) for line in session.snapshot.lines if line.get("player") == player)


def test_the_game_as_it_was_seen(session: Session) -> None:
    assert verdicts(session.snapshot.lines)["Bob"] == "illegal"
    assert session.snapshot.table.turn == "Cat"  # the 10 burns and gives another turn
    assert session.snapshot.table.pile == []


def test_a_corrected_card_changes_its_ruling_and_what_follows(session: Session) -> None:
    """Bob's 8 was a queen: his play is legal, and the 10 after it is not."""
    event = Event(id=by(session, "Bob"), event="play", t=3, player="Bob", cards=("QH",), source="hand")
    lines = after(session, lambda: session.correct(event.id, event))
    assert verdicts(lines)["Bob"] == "legal"
    assert verdicts(lines)["Cat"] == "illegal"
    (line,) = (line for line in lines if line.get("player") == "Bob")
    assert line["cards"] == ["QH"]
    assert session.snapshot.says == "Corrected: Bob plays Q♥"


def test_what_was_corrected_keeps_its_place_and_number(session: Session) -> None:
    before = [line["id"] for line in session.snapshot.lines]
    event = Event(id=by(session, "Bob"), event="play", t=3, player="Bob", cards=("9H",), source="hand")
    after(session, lambda: session.correct(event.id, event))
    assert [line["id"] for line in session.snapshot.lines] == before


def test_an_event_that_never_happened_goes_and_the_rest_is_ruled_anew(session: Session) -> None:
    lines = after(session, lambda: session.correct(by(session, "Bob"), None))
    assert [line.get("player") for line in lines if line["event"] == "play"] == ["Ann", "Cat"]
    assert verdicts(lines)["Cat"] == "illegal"  # it was Bob's turn


def test_undo_takes_back_the_last_event_and_its_effects(session: Session) -> None:
    lines = after(session, session.undo)
    assert [line.get("player") for line in lines if line["event"] == "play"] == ["Ann", "Bob"]
    assert session.snapshot.table.pile == ["9S", "8H"]
    assert session.snapshot.table.turn == "Cat"
    assert session.snapshot.says == "Undone: Cat plays 10♣"


def test_everything_can_be_taken_back(session: Session) -> None:
    for _ in GAME:
        lines = after(session, session.undo)
    assert lines == ()
    after(session, session.undo)
    assert session.snapshot.says == "There is nothing to undo"


def test_corrections_are_stored_beside_what_was_seen(session: Session, tmp_path: Path) -> None:
    bob = by(session, "Bob")
    event = Event(id=bob, event="play", t=3, player="Bob", cards=("QH",), source="hand")
    after(session, lambda: session.correct(bob, event))
    last = int(session.snapshot.lines[-1]["id"])
    after(session, session.undo)
    with Store.open(tmp_path / "s.sqlite") as store:
        seen = store.events(1)
        corrections: list[tuple[int, Any]] = store.corrections(1)
    assert [line["cards"] for line in seen if line.get("player") == "Bob"] == [["8H"], ["QH"]]
    assert [line["event"] for line in apply_revisions(seen)] == ["deal", "play", "play"]
    assert [(line.get("ruling") or {}).get("verdict") for line in apply_revisions(seen)][-1] == "legal"
    assert [(number, line and line["cards"]) for number, line in corrections] == [(bob, ["QH"]), (last, None)]


def test_a_revision_by_the_watcher_tells_every_ruling_that_changes_with_it() -> None:
    """The last word counts: whoever reads the lines must end up with what the referee holds."""
    second_look = Event(id=5, event="play", t=3, player="Bob", cards=("QH",), source="hand", revise=3)
    game = open_game([*GAME, second_look])
    told = [line for t in range(5) for line in game.feed(np.zeros((9, 16, 3), np.uint8), float(t))]
    ids = [line["id"] for line in told]
    assert len(set(ids)) == len(ids)
    last = told[4:]
    assert [line["revise"] for line in last] == [3, 4]
    assert [line["ruling"]["verdict"] for line in last] == ["legal", "illegal"]
    read_back = {line["id"]: line for line in apply_revisions(told)} | {
        line["revise"]: line for line in apply_revisions(told) if "revise" in line
    }
    for line in game.lines:
        assert read_back[line["id"]].get("ruling") == line.get("ruling")


def test_a_conclusion_goes_with_what_it_rests_on() -> None:
    """Bob is out and Ann has lost; then his last card turns out to be one of two."""
    end = Event(id=2, event="out", t=2, player="Bob")
    game = WatchedGame(
        cast(Watcher, ScriptedWatcher([GAME[0], end])),
        lambda _: Referee("winnersh", ("Ann", "Bob")),
        ("Ann", "Bob"),
    )
    for t in range(2):
        game.feed(np.zeros((9, 16, 3), np.uint8), float(t))
    (over,) = (line for line in game.lines if line["event"] == "game_over")
    assert over["loser"] == "Ann"
    with pytest.raises(BadInputError, match="The referee inferred this"):
        game.correct(over["id"], Event(id=0, event="game_over", loser="Bob"))
    game.correct(2, None)
    assert [line["event"] for line in game.lines] == ["deal"]
    assert game.table.loser is None


@pytest.mark.parametrize(
    ("really", "picked_up"),
    [
        (("8S",), ("4C", "8S", "9H")),
        (("6S", "6D"), ("4C", "6S", "6D", "9H")),
        (None, ("4C", "9H")),
    ],
    ids=["another card", "a pair told as one", "it never happened"],
)
def test_what_was_put_right_is_so_in_the_pick_up_that_takes_it_away(
    really: tuple[str, ...] | None, picked_up: tuple[str, ...]
) -> None:
    plays = [
        Event(id=n, event="play", t=n, player=player, cards=(card,), source="hand")
        for n, (player, card) in enumerate((("Ann", "4C"), ("Bob", "6S"), ("Cat", "9H")), start=2)
    ]
    taken = Event(id=5, event="pick_up", t=6, player="Ann", cards=("4C", "6S", "9H"))
    again = replace(taken, id=6, t=7, revise=5, player="Bob")
    later = replace(taken, id=7, t=9, cards=("6S",))
    game = open_game([GAME[0], *plays, taken, again, later])
    blank = np.zeros((9, 16, 3), np.uint8)
    for t in range(4):
        game.feed(blank, float(t))
    event = None if really is None else replace(plays[1], cards=really)
    game.correct(3, event)
    for _ in range(2):
        (line, *_more) = game.feed(blank, 6.0)
        assert tuple(line["cards"]) == picked_up
    (line, *_more) = game.feed(blank, 9.0)
    assert line["cards"] == ["6S"], "that is another time"


def test_a_card_that_the_watcher_sees_after_a_correction_is_picked_up_once() -> None:
    """A person adds the card below a play, and a later look shows the watcher the same card."""
    ace = Event(id=2, event="play", t=2, player="Ann", cards=("AD",), source="hand")
    entered = Event(id=0, event="draw", t=1.5, player="Cat", count=1)
    both = replace(ace, id=3, t=3, revise=2, cards=("AC", "AD"))
    taken = Event(id=4, event="pick_up", t=6, player="Bob", cards=("AC", "AD"))
    game, blank = open_game([GAME[0], ace, both, taken]), np.zeros((9, 16, 3), np.uint8)
    game.feed(blank, 0.0)
    game.enter(entered)  # from here on, the numbers of the lines are not those of the watcher
    (play, *_more) = game.feed(blank, 2.0)
    game.correct(play["id"], replace(ace, cards=("AC", "AD")))
    assert game.feed(blank, 3.0) == [], "the correction stands"
    (line, *_more) = game.feed(blank, 6.0)
    assert line["cards"] == ["AC", "AD"]


def test_of_two_copies_that_were_put_right_one_alone_is_another_play() -> None:
    put_right = CorrectedPlays()
    told = {"id": 2, "event": "play", "cards": ["7H", "7H"], "t": 1.0}
    put_right.note(told, Event(id=2, event="play", cards=("7D", "7H")))
    one = Event(id=5, event="pick_up", cards=("7H",), t=2.0, count=1)
    assert put_right.apply(one) == one
    both = Event(id=6, event="pick_up", cards=("4C", "7H", "7H"), t=3.0)
    assert put_right.apply(both).cards == ("4C", "7D", "7H")


def ended_game(*after: Event) -> WatchedGame:
    """Bob is out and Ann has lost; then `after` is seen, a second apart."""
    end = Event(id=2, event="out", t=2, player="Bob")
    game = WatchedGame(
        cast(Watcher, ScriptedWatcher([GAME[0], end, *after])),
        lambda _: Referee("winnersh", ("Ann", "Bob")),
        ("Ann", "Bob"),
    )
    for t in range(2 + len(after)):
        game.feed(np.zeros((9, 16, 3), np.uint8), float(t))
    return game


SWEPT_UP = (
    Event(id=3, event="pick_up", t=5, player="Bob"),
    Event(id=4, event="pick_up", t=5, player="Bob", cards=("9S",), revise=3),
    Event(id=5, event="play", t=6, player="Bob", cards=("4S",), source="hand"),
)


def test_sweeping_the_cards_up_after_the_game_accuses_nobody() -> None:
    assert [line["event"] for line in ended_game(*SWEPT_UP).lines] == ["deal", "out", "game_over"]


def test_the_burn_that_the_last_card_brings_belongs_to_the_game() -> None:
    ten = Event(id=3, event="play", t=1.5, player="Bob", cards=("10S",), source="hand")
    burnt = Event(id=4, event="burn", t=3, player="Bob", cards=("10S",))
    again = replace(burnt, id=5, t=4)
    game = WatchedGame(
        cast(
            Watcher,
            ScriptedWatcher([GAME[0], ten, Event(id=2, event="out", t=2, player="Bob"), burnt, again]),
        ),
        lambda _: Referee("winnersh", ("Ann", "Bob")),
        ("Ann", "Bob"),
    )
    for t in range(5):
        game.feed(np.zeros((9, 16, 3), np.uint8), float(t))
    assert [line["event"] for line in game.lines] == ["deal", "play", "out", "game_over", "burn"]
    assert "ruling" not in game.lines[-1], "nobody is accused"


def test_the_pick_up_that_a_last_card_shown_brings_belongs_to_the_game() -> None:
    """The cards are swept up after it all the same."""
    steps = [step.event for step in play_game("winnersh", ("Ann", "Bob"), 8, dealer="Ann").steps]
    acts = [event for event in steps if event.event not in ("out", "game_over")]
    assert [event.event for event in acts[-2:]] == ["show", "pick_up"]
    script = [replace(event, id=k, t=k, decided_at=k) for k, event in enumerate(acts, start=1)]
    again = replace(script[-1], id=len(script) + 1, t=len(script) + 1)
    game = WatchedGame(
        cast(Watcher, ScriptedWatcher([*script, again])),
        lambda _: Referee("winnersh", ("Ann", "Bob")),
        ("Ann", "Bob"),
    )
    for t in range(len(script) + 1):
        game.feed(np.zeros((9, 16, 3), np.uint8), float(t))
    assert [line["event"] for line in game.lines[-4:]] == ["show", "out", "game_over", "pick_up"]
    assert not (game.lines[-1].get("ruling") or {}).get("breaches")


@pytest.mark.parametrize(
    "go_on",
    [
        lambda game: game.correct(2, None),
        lambda game: game.correct(game.lines[-1]["id"], None),
        lambda game: game.undo(),
    ],
    ids=["nobody was out", "the game is not over", "undo"],
)
def test_what_was_seen_since_is_judged_where_the_game_was_not_over(
    go_on: Callable[[WatchedGame], Any],
) -> None:
    game = ended_game(*SWEPT_UP)
    go_on(game)
    seen = [(line["event"], line.get("player"), line.get("cards")) for line in game.lines]
    assert seen[-2:] == [("pick_up", "Bob", ["9S"]), ("play", "Bob", ["4S"])]
    assert all("ruling" in line for line in game.lines[-2:])


def test_a_second_look_at_the_game_itself_is_judged_though_it_is_over() -> None:
    """Before the end Ann had put down a card that only now is seen, and Bob's last act was none."""
    late = Event(id=3, event="play", t=1.5, player="Ann", cards=("9S",), source="hand")
    assert [line["event"] for line in ended_game(late).lines].count("play") == 1
    withdrawn = Event(id=4, event="out", t=2, player="Bob", revise=2, withdrawn=True)
    game = ended_game(SWEPT_UP[0], withdrawn)
    assert [line["event"] for line in game.lines] == ["deal", "pick_up"]


def test_a_correction_of_nothing_is_refused() -> None:
    with pytest.raises(BadInputError, match="there is no such event"):
        open_game().correct(1, None)
