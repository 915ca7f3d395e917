"""The referee counted somebody out who still holds a card: people say so, and the game goes on."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest

from companion.game.entry import entered_event
from companion.game.evening import apply_revisions
from companion.game.event_log import EventLine, EventLog
from companion.game.refereeing import make_referee
from companion.game.setup import GameSetup
from companion.game.starting import make_session
from companion.store.store import Store
from engine.errors import BadInputError
from engine.events import Event
from engine.simulation.simulate import SimulatedGame, play_game
from tests.support.waiting import until

PLAYERS = ("Ann", "Bob")
RULESETS = ("winnersh", "jokers", "backpacker", "shed", "rulebook")


@cache
def _played(rules: str, seed: int) -> SimulatedGame:
    return play_game(rules, PLAYERS, seed, dealer="Ann")


def ended(rules: str, seed: int) -> tuple[EventLog, list[EventLine]]:
    """Play a whole game of two; return its book and what was told of it."""
    game = _played(rules, seed)
    kept = EventLog(make_referee(rules, PLAYERS, dealer="Ann"))
    told: list[EventLine] = []
    for number, step in enumerate(game.steps):
        if step.event.event not in ("out", "game_over"):
            now = {"id": number + 1, "t": number, "decided_at": number}
            told += kept.add([Event.from_json({**step.event.to_json(), **now})])
    return kept, told


def only(lines: list[EventLine], kind: str) -> EventLine:
    (line,) = (line for line in lines if line["event"] == kind)
    return line


@pytest.mark.parametrize("seed", [2, 3, 4])
@pytest.mark.parametrize("rules", RULESETS)
@pytest.mark.parametrize("denied", ["out", "game_over"])
def test_a_player_who_was_counted_out_plays_on(rules: str, seed: int, denied: str) -> None:
    book, _told = ended(rules, seed)
    loser, winner = book.table.loser, only(book.lines, "out")["player"]
    last = [line for line in book.lines if line["event"] in ("play", "flip", "show")][-1]
    book.correct(only(book.lines, denied)["id"], None)
    assert not {"out", "game_over"} & {line["event"] for line in book.lines}
    more = only(book.lines, "recount")
    assert (more["player"], more["count"], more["by"]) == (winner, 1, "hand")
    assert book.lines.index(more) < next(i for i, line in enumerate(book.lines) if line["id"] == last["id"])
    assert book.table.loser is None
    table = book.table
    assert (table.hands[winner].size or 0) + len(table.up[winner]) + (table.down[winner] or 0) == 1
    assert book.undo() == more
    assert (book.table.loser, only(book.lines, "game_over")["loser"]) == (loser, loser)


@pytest.mark.parametrize("rules", RULESETS)
def test_what_was_put_right_is_ruled_on_without_a_false_alarm(rules: str) -> None:
    """The card that was missed lay where the last ones came from: none of them becomes a breach by it."""
    book, _told = ended(rules, 4)
    before = [line["ruling"]["verdict"] for line in book.lines if line.get("ruling")]
    book.correct(only(book.lines, "game_over")["id"], None)
    assert [line["ruling"]["verdict"] for line in book.lines if line.get("ruling")] == before


@pytest.mark.parametrize("rules", RULESETS)
def test_read_back_the_game_is_not_over(rules: str) -> None:
    book, told = ended(rules, 2)
    was = {line["id"]: line for line in book.lines}
    book.correct(only(book.lines, "game_over")["id"], None)
    now = {line["id"]: line for line in book.lines}
    told += [{**was[gone], "revise": gone, "withdrawn": True} for gone in was.keys() - now.keys()]
    told += [{**now[same], "revise": same} for same in was.keys() & now.keys() if was[same] != now[same]]
    told += [now[new] for new in now.keys() - was.keys()]
    again = EventLog(make_referee(rules, PLAYERS, dealer="Ann"))
    again.resume(json.loads(json.dumps(told)))
    assert again.table == book.table
    assert again.table.loser is None


def test_a_conclusion_is_struck_out_or_left_but_not_rewritten() -> None:
    book, _told = ended("winnersh", 1)
    over = only(book.lines, "game_over")
    with pytest.raises(BadInputError, match="The referee inferred this"):
        book.correct(over["id"], Event(id=0, event="game_over", loser="Zoe"))


def test_where_another_player_was_out_the_other_has_lost() -> None:
    book = EventLog(make_referee("winnersh", PLAYERS, dealer="Ann"))
    (out, _over) = book.enter(entered_event("out", "Ann"))
    book.correct(out["id"], entered_event("out", "Bob"))
    assert (only(book.lines, "out")["player"], only(book.lines, "game_over")["loser"]) == ("Bob", "Ann")


def test_a_game_that_is_not_over_is_open_again_in_the_store(tmp_path: Path) -> None:
    store = tmp_path / "games.sqlite"
    session = make_session(GameSetup(source=None, players=("Ann", "Bob", "Cat"), dealer="Cat", store=store))
    session.start()
    for player in ("Bob", "Cat"):
        session.enter(entered_event("out", player))
    until(lambda: session.snapshot.table is not None and session.snapshot.table.loser == "Ann")
    (over,) = (line for line in session.snapshot.lines if line["event"] == "game_over")
    session.correct(over["id"], None)
    until(lambda: session.snapshot.table.loser is None)
    session.stop()
    with Store.open(store) as kept:
        (game,) = kept.games()
        assert (game.finished, game.loser) == (None, None)
        standing = [line["event"] for line in apply_revisions(kept.events(game.id))]
    assert standing == ["out"]
