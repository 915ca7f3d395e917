"""An evening gone through again: the table after each event, as the referee sees it now."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.game.event_log import EventLog
from companion.game.refereeing import make_referee
from companion.game.replay import last_evening_games, replay
from companion.game.touch_game import TouchGame
from companion.store.event_pictures import game_pictures_folder
from companion.store.store import Store
from engine.errors import BadInputError
from engine.events import Event

PLAYERS = ("Ann", "Bob", "Cat")


def write(path: Path, plays: list[tuple[str, str]], *, correct: tuple[int, str] | None = None) -> None:
    """Play a game by touch into the store, as a session writes it."""
    game = TouchGame(EventLog(make_referee("winnersh", PLAYERS)))
    with Store.open(path) as store:
        store.start_game("winnersh", PLAYERS)
        for at, (player, card) in enumerate(plays, start=1):
            event = Event(
                id=0, event="play", t=at, decided_at=at, player=player, cards=(card,), source="hand"
            )
            for line in game.enter(event):
                store.append(dict(line))
        if correct is not None:
            number, card = correct
            line = next(line for line in game.lines if line["id"] == number)
            game.correct(number, Event.from_json({**line, "cards": [card]}))
            changed = next(line for line in game.lines if line["id"] == number)
            store.append({**changed, "revise": number})


def test_the_table_is_shown_as_it_stood_after_each_event(tmp_path: Path) -> None:
    write(tmp_path / "s.sqlite", [("Ann", "4C"), ("Bob", "9S"), ("Cat", "KH")])
    (game,) = last_evening_games(tmp_path / "s.sqlite")
    plays = [step for step in replay(game) if step.line["event"] == "play"]
    assert [step.table.pile for step in plays] == [["4C"], ["4C", "9S"], ["4C", "9S", "KH"]]
    assert [step.table.turn for step in plays] == ["Bob", "Cat", "Ann"]


def test_a_correction_is_shown_in_its_place(tmp_path: Path) -> None:
    write(tmp_path / "s.sqlite", [("Ann", "4C"), ("Bob", "9S")], correct=(3, "8S"))
    (game,) = last_evening_games(tmp_path / "s.sqlite")
    plays = [step for step in replay(game) if step.line["event"] == "play"]
    assert plays[1].line["cards"] == ["8S"]
    assert plays[1].table.pile == ["4C", "8S"]


def test_all_games_of_the_evening_are_there_and_know_who_lost_before(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    for loser in ("Bob", "Cat"):
        write(path, [("Ann", "4C")])
        with Store.open(path) as store:
            store.resume_game(store.games()[-1].id)
            store.finish(loser)
    with Store.open(path) as store:
        store.start_game("winnersh", PLAYERS)  # begun, and nothing happened
    games = last_evening_games(path)
    assert [game.earlier_losers for game in games] == [(), ("Bob",)]


def test_a_kept_picture_belongs_to_its_event(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    write(path, [("Ann", "4C")])
    folder = game_pictures_folder(path, 1)
    folder.mkdir(parents=True)
    jpeg = cv2.imencode(".jpg", np.full((4, 6, 3), 90, np.uint8))[1]
    (folder / "1.jpg").write_bytes(jpeg.tobytes())
    (game,) = last_evening_games(path)
    kept = game.picture(1)
    assert kept is not None
    picture = np.asarray(cv2.imdecode(np.frombuffer(kept, np.uint8), cv2.IMREAD_COLOR))
    assert picture.shape == (4, 6, 3)
    assert game.picture(2) is None


def test_an_empty_store_has_no_evening(tmp_path: Path) -> None:
    assert last_evening_games(tmp_path / "s.sqlite") == []


def test_a_game_whose_rules_are_gone_says_so(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    with Store.open(path) as store:
        store.start_game("house-of-nobody", PLAYERS)
        store.append({"id": 1, "event": "pick_up", "player": "Ann", "t": 0, "decided_at": 0})
    (game,) = last_evening_games(path)
    with pytest.raises(BadInputError, match="house-of-nobody"):
        replay(game)
