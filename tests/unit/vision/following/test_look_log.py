"""A log of what the event logic was given gives the same events again; a bad one gives one clear line."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.errors import BadInputError
from engine.events import Event
from tests.support.event_script import BURN_AT, DRAW_AT, PLAY_AT, Script, bob_draws, card
from vision.following.comparisons import compare
from vision.following.look_log import LookLog, NumberedPictures
from vision.following.replay import Replay, main, read_log


def written(path: Path, *plays: Callable[[Script], None]) -> list[list[Event]]:
    """Write the log of a game for each of `plays`; returns the events that each told."""
    told = []
    with path.open("wb") as file:
        log = LookLog(file)
        for play in plays:
            script = Script(make_events=log.event_maker)
            play(script)
            script.events += script.maker.finish(script.t)
            told.append(script.events)
        log.close()
    return told


def replayed(path: Path) -> dict[int, list[Event]]:
    """Follow the games of a log again; returns their events by the games' numbers."""
    told: dict[int, list[Event]] = {}
    for call, events in Replay(read_log(path)):
        told.setdefault(call.game, []).extend(events)
    return told


def plays_and_draws(script: Script) -> None:
    script.play("Ann", card("9H", PLAY_AT))
    bob_draws(script, 1)
    script.play("Bob", card("9S", (PLAY_AT[0] + 8, PLAY_AT[1] + 6)))


def plays_under_pictures(script: Script) -> None:
    script.drawn = {"9S": "6S"}
    script.draw_picture = np.full((26, 26, 3), 90, np.uint8)
    plays_and_draws(script)
    script.draw_picture = np.full((26, 26, 3), 160, np.uint8)
    bob_draws(script, 1)


def picks_up(script: Script) -> None:
    script.play("Ann", card("9H", PLAY_AT))
    script.table.clear()
    script.reach("Bob", (PLAY_AT, 0.5), ((-300.0, 0.0), 0.2))
    script.rest()


def has_its_pile_put_right(script: Script) -> None:
    script.play("Ann", card("9H", PLAY_AT))
    script.maker.put_right(replace(script.maker.layout, play=(PLAY_AT[0] - 30, 0.0)), script.t)
    script.rest()
    script.play("Bob", card("10H", (PLAY_AT[0] - 25, 5.0)))


def goes_on_and_is_lost(script: Script) -> None:
    script.maker.go_on([])
    script.reach("Ann", (DRAW_AT, 0.3), (BURN_AT, 0.2))
    script.rest()
    script.events.append(script.maker.lose(script.t))


GAMES = (plays_and_draws, plays_under_pictures, picks_up, has_its_pile_put_right, goes_on_and_is_lost)


@pytest.mark.parametrize("play", GAMES)
def test_a_game_is_followed_from_its_log_as_it_was(play: Callable[[Script], None], tmp_path: Path) -> None:
    (told,) = written(tmp_path / "game.looks", play)
    assert len(told) > 1
    assert replayed(tmp_path / "game.looks") == {1: told}


def test_a_log_tells_from_when_on_the_camera_was_held_in_a_hand(tmp_path: Path) -> None:
    """Pictures from before and after are not compared."""

    def taken_into_a_hand(script: Script) -> None:
        script.draw_picture = np.full((26, 26, 3), 90, np.uint8)
        script.play("Ann", card("9H", PLAY_AT))
        script.hand_held = True
        bob_draws(script, 1)

    (told,) = written(tmp_path / "game.looks", taken_into_a_hand)
    replay = Replay(read_log(tmp_path / "game.looks"))
    assert [event for _, events in replay for event in events] == told
    assert replay.unanswered == 0


def test_a_game_that_was_joined_is_followed_from_its_log_as_it_was(tmp_path: Path) -> None:
    with (tmp_path / "game.looks").open("wb") as file:
        log = LookLog(file)
        script = Script(play=None, make_events=log.event_maker, lying=[card("9H", PLAY_AT)])
        script.play("Bob", card("JH", (PLAY_AT[0] + 20, PLAY_AT[1] + 15), angle=110))
        log.close()
    assert script.told() == [("deal", None, ("9H",)), ("play", "Bob", ("JH",))]
    assert replayed(tmp_path / "game.looks") == {1: script.events}


def test_games_of_one_log_are_followed_apart(tmp_path: Path) -> None:
    told = written(tmp_path / "games.looks", *GAMES)
    assert replayed(tmp_path / "games.looks") == dict(enumerate(told, 1))


def test_pictures_are_compared_by_what_the_log_says_of_them(tmp_path: Path) -> None:
    """Without the answers a replay knows only that the pictures show nothing."""
    written(tmp_path / "game.looks", plays_under_pictures)
    log = read_log(tmp_path / "game.looks")
    assert log.answers
    replay, without = Replay(log), Replay(replace(log, answers={}))
    assert [call.events for call, _ in replay] == [call.events for call, _ in without]
    assert replay.unanswered == 0
    assert without.unanswered > 0


def test_the_command_prints_the_events_and_whether_they_differ(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "game.looks"
    (told,) = written(path, plays_and_draws)
    assert main([str(path)]) == 0
    assert [json.loads(line) for line in capsys.readouterr().out.splitlines()] == [
        event.to_json() for event in told
    ]
    assert main([str(path), "--check"]) == 0
    assert capsys.readouterr().out == ""
    other = gzip.decompress(path.read_bytes()).replace(b'"cards":["9H"]', b'"cards":["9D"]')
    path.write_bytes(gzip.compress(other))
    assert main([str(path), "--check"]) == 1
    minus, plus = capsys.readouterr().out.splitlines()
    assert minus.replace("9D", "9H")[1:] == plus[1:]


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The log of a game with pictures, for tests that damage it."""
    path = tmp_path_factory.mktemp("log") / "game.looks"
    written(path, plays_under_pictures)
    return path.read_bytes()


def test_a_log_of_another_version_is_refused(log: bytes, tmp_path: Path) -> None:
    path = tmp_path / "game.looks"
    first, *rest = gzip.decompress(log).splitlines()
    path.write_bytes(gzip.compress(b"\n".join([first.replace(b'"version":1', b'"version":2'), *rest])))
    with pytest.raises(BadInputError, match="of version 2; this program reads version 1"):
        read_log(path)


@pytest.mark.parametrize("share", [0.0, 0.01, 0.5, 0.99])
def test_a_log_that_is_cut_off_says_so(share: float, log: bytes, tmp_path: Path) -> None:
    path = tmp_path / "game.looks"
    path.write_bytes(log[: int(share * len(log))])
    with pytest.raises(BadInputError, match=r"game\.looks: (the log of looks breaks off|not a log of looks)"):
        read_log(path)
    lines = gzip.decompress(log).splitlines()
    path.write_bytes(gzip.compress(b"\n".join(lines[: 1 + int(share * (len(lines) - 1))])))
    with pytest.raises(BadInputError, match=r"game\.looks: the log of looks breaks off"):
        read_log(path)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"no gzip",
        gzip.compress(b""),
        gzip.compress(b"\x80\x04K\x01.\n"),
        gzip.compress(b'{"format": "another"}\n{"end": 1}\n'),
        gzip.compress(b"[" * 100_000),
    ],
    ids=["empty", "no gzip", "nothing in it", "a pickle", "another format", "deeply nested"],
)
def test_what_is_no_log_is_refused(
    content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "other.looks"
    path.write_bytes(content)
    assert main([str(path)]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"replay: {path}: ")
    assert said.count("\n") == 1


@pytest.mark.parametrize(
    ("was", "is_"),
    [
        (b'"hands":{"t":', b'"hands":{"t":"soon","was":'),
        (b'"hands":{"t":', b'"hands":{"t":NaN,"was":'),
        (b'"cards":[[', b'"cards":[["left",['),
        (b'"covered":[["', b'"covered":[["7.'),
        (b'"up":[["4S"', b'"up":[["5X"'),
        (b'"up":[["4S",', b'"up":[['),
        (b'"up":[[', b'"up":[["2H"],['),
        (b'"packs":1', b'"packs":1000000000'),
        (b'"game":1,"look"', b'"game":2,"look"'),
        (b'"compared":[[', b'"compared":[[7,['),
        (b'"width":1000', b'"width":-1'),
    ],
)
def test_a_log_that_gives_what_cannot_be_is_refused(
    was: bytes, is_: bytes, log: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "game.looks"
    lines = gzip.decompress(log)
    assert was in lines
    path.write_bytes(gzip.compress(lines.replace(was, is_, 1)))
    with pytest.raises(BadInputError, match=r"game\.looks: (line \d+ of the log of looks|not a layout)"):
        replayed(path)


def test_a_full_disk_ends_the_log_and_not_the_game() -> None:
    class Full(BytesIO):
        def write(self, data: Any) -> int:
            if self.tell() > 10:
                raise OSError(28, "No space left on device")
            return super().write(data)

    log = LookLog(Full())
    script = Script(make_events=log.event_maker)
    script.play("Ann", card("9H", PLAY_AT))
    assert ("play", "Ann", ("9H",)) in script.told()
    with pytest.raises(OSError, match="No space left"):
        log.close()


def test_a_picture_has_its_number_for_as_long_as_it_is_there() -> None:
    pictures = NumberedPictures()
    first, second = np.zeros((2, 2, 3), np.uint8), np.zeros((2, 2, 3), np.uint8)
    assert [pictures.add(first), pictures.add(second)] == [1, 2]
    assert [pictures.number_of(picture) for picture in (second, first, first.copy())] == [2, 1, None]
    del first
    assert len(pictures) == 1


def test_where_nobody_answers_pictures_are_compared() -> None:
    picture = np.zeros((2, 2, 3), np.uint8)
    assert compare("patch", picture, picture, (), lambda: 0.25) == 0.25
