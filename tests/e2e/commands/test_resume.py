"""A game that was broken off goes on where it was: a real file, a real process, a real kill."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from companion.cli import recording
from companion.cli.main import main
from companion.game.event_log import EventLog
from companion.game.history import find_last_finished, find_resumable_game, load_history
from companion.game.refereeing import WatchedGame, make_referee
from companion.game.replay_filter import ReplayFilter
from companion.game.setup import GameSetup, stored_setup
from companion.game.starting import SourceFrom, make_session, open_game
from companion.store.store import RESUMABLE_FOR_S, Store
from engine.errors import BadInputError
from engine.events import Event, EventKind
from engine.simulation.simulate import play_game
from tests.support.fake_source import FakeSource
from tests.support.waiting import until
from vision.following.watcher import Watcher
from vision.questions import TABLE_CHANGED, format_question
from vision.types import Image

PLAYERS = ("Ann", "Bob", "Cat")
RULESETS = ("winnersh", "jokers", "backpacker", "shed", "rulebook")


def book(rules: str = "winnersh") -> EventLog:
    return EventLog(make_referee(rules, PLAYERS, dealer="Ann"))


def played(rules: str, seed: int, cheats: int = 3) -> tuple[EventLog, list[dict[str, Any]]]:
    """Play a game with breaches, corrections and undos; return the book and what was stored."""
    game = play_game(rules, PLAYERS, seed, cheats=cheats, dealer="Ann")
    kept, written = book(rules), []
    for number, step in enumerate(game.steps[:90]):
        if step.event.event in ("out", "game_over"):
            continue
        event = Event.from_json({**step.event.to_json(), "id": number + 1, "t": number, "decided_at": number})
        written += kept.add([event])
        if number % 11 == 10:
            written += changed(kept, kept.undo)
        if number % 17 == 16:
            first = next(line for line in kept.lines if line["event"] == "play")
            put = Event.from_json({**first, "cards": ["4C"]})
            written += changed(kept, lambda put=put: kept.correct(put.id, put))
    return kept, written


def changed(kept: EventLog, change: Any) -> list[dict[str, Any]]:
    """Return what a session writes for a change that a player asks for."""
    was = {line["id"]: line for line in kept.lines}
    change()
    now = {line["id"]: line for line in kept.lines}
    lines = []
    for number, line in was.items():
        if number not in now:
            lines.append({**line, "revise": number, "withdrawn": True})
        elif now[number] != line:
            lines.append({**now[number], "revise": number})
    return lines + [line for number, line in now.items() if number not in was]


@pytest.mark.parametrize("rules", RULESETS)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_read_back_at_any_point_the_game_stands_where_it_stood(rules: str, seed: int) -> None:
    kept, written = played(rules, seed)
    again = book(rules)
    again.resume(json.loads(json.dumps(written)))
    assert again.table == kept.table
    assert [(line["id"], line["event"]) for line in again.lines] == [
        (line["id"], line["event"]) for line in kept.lines
    ]
    assert [line.get("ruling") for line in again.lines] == [line.get("ruling") for line in kept.lines]


def test_the_next_event_gets_a_number_that_is_free() -> None:
    kept, written = played("winnersh", 1)
    again = book()
    again.resume(written)
    before_it = {line["id"] for line in written}
    (line, *_) = again.add([Event(id=1, event="unclear", says="?", t=9999)])
    assert line["id"] > max(before_it)
    assert len(kept.lines) + 1 == len(again.lines)


def test_what_people_entered_stays_marked_and_an_end_that_they_declared_stands() -> None:
    kept = book()
    written = kept.enter(Event(id=0, event="game_over", loser="Bob"))
    again = book()
    again.resume(written)
    assert again.table.loser == "Bob"
    assert [line["by"] for line in again.lines] == ["hand"]


SCORER = """
import sys, time
from pathlib import Path
from companion.game.setup import GameSetup
from companion.game.starting import make_session
from engine.events import Event
names, path = ("Ann", "Bob", "Cat"), Path(sys.argv[1])
session = make_session(GameSetup(source=None, players=names, dealer="Cat", store=path))
session.start()
plays = [("Ann", "4C"), ("Bob", "9S"), ("Cat", "7H"), ("Ann", "KD")]
for number in range(10_000):
    player, card = plays[number % 4]
    session.enter(Event(id=0, event="play", player=player, cards=(card,), source="hand"))
    while len([l for l in session.snapshot.lines if l["event"] == "play"]) <= number:
        assert session.snapshot.phase != "failed", session.snapshot.says
        time.sleep(0.001)
    table = session.snapshot.table
    print(number + 1, table.turn, ",".join(table.pile[-3:]), flush=True)
"""


def kill_in_mid_game(path: Path, *, at_least: int) -> str:
    """Score a game in a process of its own and kill it; return the last line that it told."""
    process = subprocess.Popen(
        [sys.executable, "-c", SCORER, str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    told = [process.stdout.readline() for _ in range(at_least)]
    os.kill(process.pid, signal.SIGKILL)
    told += [line for line in process.stdout if line.endswith("\n")]
    assert process.wait() == -signal.SIGKILL
    return told[-1]


def test_killed_in_mid_game_it_goes_on_with_the_same_pile_and_turn(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    number, turn, pile = kill_in_mid_game(path, at_least=9).split()
    game, notice = find_resumable_game(path)
    assert notice is None
    assert game is not None
    setup = stored_setup(game, store=path)
    resumed = open_game(setup, load_history(setup))
    plays = [line for line in resumed.lines if line["event"] == "play"]
    # One more may be on disk than was told: the kill fell between the two.
    assert int(number) <= len(plays) <= int(number) + 1
    if len(plays) == int(number):
        assert (resumed.table.turn, ",".join(resumed.table.pile[-3:])) == (turn, pile)
    assert plays[0]["player"] == "Ann"
    assert resumed.table.dealer == "Cat"
    assert resumed.started_at > 0.0


def test_three_kills_in_one_evening_lose_no_game(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    for _ in range(3):
        kill_in_mid_game(path, at_least=3)
        game, _ = find_resumable_game(path)
        assert game is not None
        with Store.open(path) as store:
            store.resume_game(game.id)
            store.finish("Bob")
    with Store.open(path) as store:
        assert [game.loser for game in store.games()] == ["Bob"] * 3
        assert len({game.evening for game in store.games()}) == 1


def test_only_a_game_that_had_begun_and_not_ended_goes_on(tmp_path: Path) -> None:
    now = SimpleNamespace(value=1e6)
    with Store.open(tmp_path / "s.sqlite", clock=lambda: now.value) as store:
        assert store.resumable_game() is None
        first = store.start_game("winnersh", PLAYERS)
        assert store.resumable_game() is None  # nothing had happened
        store.append({"id": 1, "event": "draw"})
        store.start_game("winnersh", PLAYERS)  # nothing happened in this one
        found = store.resumable_game()
        assert found is not None
        assert found.id == first
        now.value += RESUMABLE_FOR_S + 1
        assert store.resumable_game() is None
        now.value -= RESUMABLE_FOR_S
        store.resume_game(first)
        store.finish("Ann")
        assert store.resumable_game() is None


def test_only_the_game_that_was_finished_last_and_not_long_ago_is_opened_again(tmp_path: Path) -> None:
    now = SimpleNamespace(value=1e6)
    with Store.open(tmp_path / "s.sqlite", clock=lambda: now.value) as store:
        assert store.last_finished_game() is None
        for loser in ("Ann", "Bob"):
            last = store.start_game("winnersh", PLAYERS)
            store.append({"id": 1, "event": "draw"})
            store.finish(loser)
            now.value += 60
        store.start_game("winnersh", PLAYERS)
        found = store.last_finished_game()
        assert found is not None
        assert (found.id, found.loser) == (last, "Bob")
        now.value += RESUMABLE_FOR_S
        assert store.last_finished_game() is None


def test_a_finished_game_is_opened_again_and_its_wrong_loser_put_right(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    with Store.open(path) as store:
        store.start_game("winnersh", PLAYERS, dealer="Ann")
        store.append(*book().enter(Event(id=0, event="game_over", loser="Bob")))
        store.finish("Bob")
    game = find_last_finished(path)
    assert game is not None
    session = make_session(stored_setup(game, store=path))
    session.start()
    until(lambda: session.snapshot.table is not None)
    (over,) = session.snapshot.lines
    assert session.snapshot.table.loser == "Bob"
    session.correct(over["id"], Event.from_json({**over, "loser": "Cat"}))
    until(lambda: session.snapshot.table.loser == "Cat")
    session.stop()
    with Store.open(path) as store:
        assert [game.loser for game in store.games()] == ["Cat"]


def test_the_losses_before_the_game_are_those_of_its_evening(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    with Store.open(path) as store:
        for loser in ("Ann", "Bob", "Ann"):
            store.start_game("jokers", PLAYERS)
            store.append({"id": 1, "event": "draw", "player": "Ann", "t": 0, "decided_at": 0})
            store.finish(loser)
    history = load_history(GameSetup(source=None, players=PLAYERS, rules="jokers", store=path))
    assert (history.loser, dict(history.losses)) == ("Ann", {"Ann": 2, "Bob": 1})
    assert open_game(GameSetup(source=None, players=PLAYERS, rules="jokers"), history).table.turn == "Ann"


def test_a_watcher_that_begins_in_mid_game_does_not_tell_the_past_again() -> None:
    known = ReplayFilter(("4C", "9S"))
    deal = Event(id=1, event="deal", up={"Ann": ("KD",)})
    lying = Event(id=2, event="play", cards=("9S",))
    news = Event(id=3, event="play", player="Ann", cards=("10H",))
    assert known.new_events([deal, lying, news]) == [news]
    better = Event(id=4, event="play", cards=("4C", "9S"), revise=2)
    two = Event(id=5, event="play", player="Ann", cards=("9S", "9D"), revise=2)
    assert known.new_events([better, two]) == [Event(id=5, event="play", player="Ann", cards=("9D",))]
    upon = Event(id=8, event="play", player="Bob", cards=("4C", "9S", "JD"))
    assert [event.cards for event in known.new_events([upon])] == [("JD",)], (
        "the pile is no part of a play upon it"
    )
    taken, again = Event(id=6, event="pick_up", player="Bob"), Event(id=7, event="play", cards=("9S",))
    assert known.new_events([taken, again]) == [taken, again]


def test_a_past_play_that_has_become_news_is_revised_and_withdrawn_like_any_other() -> None:
    known = ReplayFilter(("4C", "9S"))
    lying = Event(id=1, event="play", cards=("9S",))
    two = Event(id=2, event="play", player="Ann", cards=("9S", "9D"), revise=1)
    three = Event(id=3, event="play", player="Ann", cards=("9S", "9D", "9H"), revise=1)
    none = Event(id=4, event="play", player="Ann", cards=("9S",), revise=1)
    told = known.new_events([lying, two, three, none])
    assert [(event.id, event.cards, event.revise, event.withdrawn) for event in told] == [
        (2, ("9D",), None, False),
        (3, ("9D", "9H"), 2, False),
        (4, ("9S",), 2, True),
    ]


@pytest.mark.parametrize(("card", "packs"), [("JOKER", 1), ("7H", 2)])
def test_another_copy_of_a_card_that_lay_on_the_pile_is_news(card: str, packs: int) -> None:
    known = ReplayFilter((card,), packs=packs)
    lying = Event(id=1, event="play", cards=(card,))
    upon = Event(id=2, event="play", player="Ann", cards=(card,))
    better = Event(id=3, event="play", player="Ann", cards=(card, card), revise=2)
    assert known.new_events([lying, upon, better]) == [upon, better]


def test_the_one_copy_of_a_card_that_lay_on_the_pile_is_never_news() -> None:
    known = ReplayFilter(("7H",))
    assert known.new_events([Event(id=n, event="play", cards=("7H",)) for n in (1, 2)]) == []


def test_a_question_of_before_the_break_is_withdrawn_after_it() -> None:
    answered = Event(id=-2, event="unclear", revise=-1, withdrawn=True)
    assert ReplayFilter(("7H",)).new_events([answered]) == [answered]


MISREAD = [(("6S",), ("8S",))]
"""What the watcher read as a 6 was an 8, as somebody put right."""


@pytest.mark.parametrize("read", ["6S", "8S"])
def test_a_card_that_was_put_right_is_no_news_however_it_is_read_again(read: str) -> None:
    known = ReplayFilter(("4C", "8S"), MISREAD)
    assert known.new_events([Event(id=1, event="play", cards=(read,))]) == []
    known = ReplayFilter(("4C", "8S"), MISREAD)
    upon = Event(id=2, event="play", player="Ann", cards=(read, "9H"))
    assert [event.cards for event in known.new_events([upon])] == [("9H",)]
    taken = Event(id=3, event="pick_up", player="Bob", cards=(read, "9H"))
    again = Event(id=4, event="pick_up", player="Cat", cards=(read, "9H"), revise=3)
    assert [event.cards for event in known.new_events([taken, again])] == [("4C", "8S", "9H")] * 2
    later = Event(id=5, event="play", player="Ann", cards=("6S",))
    assert known.new_events([later]) == [later], "that is another pile"


def test_the_card_that_another_was_taken_for_may_be_played_once_that_one_is_read_right() -> None:
    known = ReplayFilter(("8S",), MISREAD)
    six = Event(id=2, event="play", player="Ann", cards=("6S",))
    assert known.new_events([Event(id=1, event="play", cards=("8S",)), six]) == [six]


def test_a_play_that_was_struck_out_is_not_told_again() -> None:
    known = ReplayFilter(("4C",), [(("6S",), ())])
    assert known.new_events([Event(id=1, event="play", cards=("6S",))]) == []
    taken = Event(id=2, event="pick_up", player="Bob", cards=("6S",))
    assert [event.cards for event in known.new_events([taken])] == [("4C",)]


@pytest.mark.parametrize("kind", ["pick_up", "burn"])
def test_covered_cards_of_before_the_break_go_with_the_pile(kind: EventKind) -> None:
    known = ReplayFilter(("4C", "9D", "9S"))
    told = known.new_events(
        [
            Event(id=1, event="play", player="Ann", cards=("9S",)),
            Event(id=2, event="play", player="Bob", cards=("QH",)),
            Event(id=3, event=kind, player="Ann", cards=("9S", "QH")),
            Event(id=4, event=kind, player="Ann", cards=("9S", "QH", "QD"), revise=3),
            Event(id=5, event="play", player="Ann", cards=("KH",)),
            Event(id=6, event=kind, player="Bob", cards=("KH",)),
        ]
    )
    assert [event.cards for event in told] == [
        ("QH",),
        ("4C", "9D", "9S", "QH"),
        ("4C", "9D", "9S", "QH", "QD"),
        ("KH",),
        ("KH",),
    ]


def test_what_is_taken_in_part_takes_nothing_of_before_the_break_with_it() -> None:
    known = ReplayFilter(("4C", "9S"))
    (told,) = known.new_events([Event(id=1, event="pick_up", player="Ann", cards=("QH",), count=1)])
    assert told.cards == ("QH",)


def test_a_camera_counts_from_nought_again_and_the_game_goes_on_after_it() -> None:
    watcher = SimpleNamespace(
        question=None,
        lost=False,
        go_on=lambda known, begun: None,
        feed=lambda frame, t: [Event(id=1, event="play", player="Bob", cards=("KS",), t=t, decided_at=t)],
    )
    game = WatchedGame(cast(Watcher, watcher), lambda names: make_referee("winnersh", names), PLAYERS)
    stored = {"id": 1, "event": "play", "player": "Ann", "cards": ["4C"], "t": 90, "decided_at": 91}
    game.resume([stored], same_clock=False)
    (line,) = game.feed(np.zeros((4, 4, 3), np.uint8), 2.0)
    assert (line["t"], line["id"]) == (93.0, 2)
    assert game.table.pile == ["4C", "KS"]


def test_a_card_that_was_put_right_before_the_break_is_not_played_again_after_it() -> None:
    script = [
        Event(id=1, event="play", cards=("6S",), t=1),
        Event(id=2, event="pick_up", player="Bob", cards=("6S",), t=2),
    ]
    watcher = SimpleNamespace(
        question=None,
        lost=False,
        go_on=lambda known, begun: None,
        feed=lambda frame, t: [script.pop(0)],
    )
    game = WatchedGame(cast(Watcher, watcher), lambda names: make_referee("winnersh", names), PLAYERS)
    kept = book()
    written = kept.add([Event(id=1, event="play", player="Ann", cards=("6S",), source="hand", t=1)])
    put = Event(id=1, event="play", player="Ann", cards=("8S",), source="hand", t=1)
    written += changed(kept, lambda: kept.correct(1, put))
    game.resume(json.loads(json.dumps(written)), same_clock=False)
    frame = np.zeros((4, 4, 3), np.uint8)
    assert game.feed(frame, 1.0) == []
    (line,) = game.feed(frame, 2.0)
    assert (line["event"], line["cards"]) == ("pick_up", ["8S"])


def test_that_the_cards_lie_otherwise_is_asked_once_and_the_up_cards_are_known() -> None:
    known_up: list[Any] = []
    watcher = SimpleNamespace(question=None, lost=False, feed=lambda frame, t: [])
    watcher.go_on = lambda known, begun: known_up.append((known["Ann"], begun))
    game = WatchedGame(cast(Watcher, watcher), lambda names: make_referee("winnersh", names), PLAYERS)
    deal = {"id": 1, "event": "deal", "up": {"Ann": ["KD", "??", "9S"]}, "t": 1, "decided_at": 1}
    game.resume([deal], same_clock=False)
    assert known_up == [(["KD", "9S"], False)]
    frame = np.zeros((4, 4, 3), np.uint8)
    assert game.feed(frame, 1.0) == []
    watcher.question = format_question(TABLE_CHANGED)
    told = game.feed(frame, 2.0) + game.feed(frame, 3.0)
    assert [line["event"] for line in told] == ["unclear"]
    assert "Can you put them" in told[0]["says"]
    watcher.question = None
    (withdrawn,) = game.feed(frame, 4.0)
    assert (withdrawn["revise"], withdrawn["withdrawn"]) == (told[0]["id"], True)
    assert [line["event"] for line in game.lines] == ["deal"], "it has answered itself"


def test_broken_off_before_the_deal_was_recognised_it_waits_for_the_deal() -> None:
    watcher = SimpleNamespace(
        question=None, lost=False, feed=lambda frame, t: [Event(id=1, event="deal", t=t)]
    )
    game = WatchedGame(cast(Watcher, watcher), lambda names: make_referee("winnersh", names), PLAYERS)
    question = {"id": 1, "event": "unclear", "t": 1, "decided_at": 1, "says": format_question(TABLE_CHANGED)}
    game.resume([question], same_clock=False)
    assert [line["event"] for line in game.feed(np.zeros((4, 4, 3), np.uint8), 2.0)] == ["deal"]


def test_a_film_is_wound_on_to_where_it_was() -> None:
    frames = [(t / 10, np.zeros((2, 2, 3), np.uint8)) for t in range(20)]
    told = {"name": "a", "live": False, "fps": 10.0, "seconds": 2.0}
    source = type("Film", (), told | {"__iter__": lambda _: iter(frames)})()
    assert [t for t, _ in SourceFrom(source, 1.5)] == [1.6, 1.7, 1.8, 1.9]


def test_watch_resumes_by_the_rules_and_players_of_the_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "s.sqlite"
    arguments = ["watch", "film.mp4", "--headless", "--resume"]
    assert main(arguments) == 2
    assert "--resume needs --store" in capsys.readouterr().err
    assert main([*arguments, "--store", str(path)]) == 2
    assert "no game that was interrupted" in capsys.readouterr().err
    with Store.open(path) as store:
        game = store.start_game("shed", PLAYERS, source="film.mp4")
        store.append(
            {"id": 1, "event": "play", "player": "Ann", "cards": ["3D"], "t": 0.2, "decided_at": 0.3}
        )

    joined: list[Any] = []
    frames = [(t / 10, np.zeros((90, 160, 3), np.uint8)) for t in range(10)]
    clock: list[float] = []

    class Film(FakeSource):
        name, seconds = "film.mp4", 2.0

        def __iter__(self) -> Iterator[tuple[float, Image]]:
            return iter(frames)

    class Clocked(recording.RecordedGames):
        def feed(self, frame: Any, t: float) -> Any:
            clock.append(t)
            joined.append(self.table)
            return super().feed(frame, t)

    monkeypatch.setattr("companion.game.starting.open_game_source", lambda spec, **_: Film())
    monkeypatch.setattr(
        "vision.recognition.incremental.game_reader", lambda *_: SimpleNamespace(read=lambda *_: [])
    )
    monkeypatch.setattr(recording, "RecordedGames", Clocked)
    events = tmp_path / "events.jsonl"
    events.write_text('{"id": 1}\n')
    assert main([*arguments, "--store", str(path), "--events", str(events)]) == 0
    assert events.read_text().startswith('{"id": 1}\n'), "what was written before the game went on stays"
    assert clock[0] == pytest.approx(0.4)
    assert joined[0].players == PLAYERS
    assert joined[0].pile == ["3D"]
    with Store.open(path) as store:
        assert [g.id for g in store.games()] == [game]


def test_a_game_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="has no game 7"):
        load_history(GameSetup(source=None, players=PLAYERS, store=tmp_path / "s.sqlite", resume=7))
