"""The film of a game is kept when that is wanted, without people, and never at the game's expense."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import cv2
import numpy as np
import pytest

from companion.cli.main import main
from companion.game.film_keeper import FilmedSource, FilmKeeper
from companion.game.scoring import read_events
from companion.game.series import GameSeries
from companion.game.setup import GameSetup
from companion.game.starting import make_session
from companion.game.timed_film import TimedFilm
from companion.store.backup import erase, stored_files
from companion.store.kept_films import KeptGame, kept_films_folder, kept_games
from engine.errors import BadInputError
from tests.support.fake_source import FakeSource
from tests.support.filmed_game import HEIGHT, SETUP, WIDTH, Game, chequered, table
from tests.support.labelled_film import write_film
from tests.support.plain import plain
from tests.support.waiting import until
from vision.table.layout import load_layout
from vision.types import Image


class Camera(FakeSource):
    """A live source of the same picture at the given times."""

    live = True

    def __init__(self, *times: float) -> None:
        super().__init__()
        self.times = times

    def __iter__(self) -> Iterator[tuple[float, Image]]:
        for t in self.times:
            yield t, chequered()


def keeper_in(folder: Path, told: list[str] | None = None, *, whole_picture: bool = False) -> FilmKeeper:
    keeper = FilmKeeper(folder, (told if told is not None else []).append, whole_picture=whole_picture)
    keeper.enabled = True
    return keeper


def close(keeper: FilmKeeper) -> None:
    """Close it once all is encoded, however busy the machine is: the keeper itself waits only so long."""
    until(lambda: keeper.is_idle)
    keeper.close()


def seen(keeper: FilmKeeper, game: Any, *times: float, playing: Any = None) -> None:
    """Show the same picture at these times, as a film that waits for its encoder."""
    for t in times:
        keeper.add(chequered(), t, live=False)
        keeper.follow(playing or game, game)


def pictures(film: Path) -> list[Image]:
    capture = cv2.VideoCapture(str(film))
    found: list[Image] = []
    while True:
        read, picture = capture.read()
        if not read:
            return found
        found.append(np.asarray(picture, np.uint8))


def detail(picture: Image) -> float:
    return float(picture.std())


def kept_in(folder: Path) -> KeptGame:
    (game,) = kept_games(folder)
    return game


def played(folder: Path, game: Any, *times: float, **how: Any) -> KeptGame:
    keeper = keeper_in(folder, **how)
    seen(keeper, game, *times)
    close(keeper)
    return kept_in(folder)


def test_a_folder_holds_the_film_the_layout_the_log_and_what_nobody_confirmed(tmp_path: Path) -> None:
    game = Game()
    game.deal()
    game.lines = []
    keeper = keeper_in(tmp_path)
    seen(keeper, game, 100.0, 100.5, 101.0)
    game.lines += [
        {"id": 1, "event": "play", "player": "Ann", "cards": ["9S"], "t": 100.4, "decided_at": 100.9},
        {
            "id": 2,
            "event": "draw",
            "player": "Ann",
            "count": 1,
            "t": 100.8,
            "decided_at": 101.0,
            "by": "hand",
        },
        {"id": 3, "event": "draw", "player": "Bob", "count": 1, "t": 101.0, "settled": True, "revise": 3},
    ]
    close(keeper)
    kept = kept_in(tmp_path)
    about = kept.read_about()
    assert (about["rules"], about["players"], about["dealer"]) == ("winnersh", ["Ann", "Bob"], "Ann")
    assert about["unconfirmed"] == [1]
    assert about["condition"] == {"real": True, "blurred": True}
    assert load_layout(kept.layout).to_json() == table().to_json()
    assert [line["t"] for line in read_events(kept.events)] == [0.4, 0.8, 1.0], "on the clock of the film"
    assert kept.film.name == about["film"]


def test_people_are_blurred_outside_the_table(tmp_path: Path) -> None:
    game = Game()
    game.deal()
    (first, *_more) = pictures(played(tmp_path, game, 0.0, 0.5).film)
    assert detail(first[300:420, 560:720]) > 90, "the cards stay sharp"
    assert detail(first[:80]) < 30
    assert detail(first[:, :200]) < 30


def test_the_whole_picture_is_kept_only_when_asked_for(tmp_path: Path) -> None:
    game = Game()
    game.deal()
    kept = played(tmp_path, game, 0.0, 0.5, whole_picture=True)
    assert detail(pictures(kept.film)[0][:80]) > 90
    assert kept.read_about()["condition"]["blurred"] is False


def test_the_deal_is_in_the_film_though_the_table_was_not_known_then(tmp_path: Path) -> None:
    game = Game()
    keeper = keeper_in(tmp_path)
    seen(keeper, game, 5.0, 6.0)
    game.deal()
    seen(keeper, game, 7.0, 8.0)
    close(keeper)
    kept = kept_in(tmp_path)
    assert kept.read_about()["seconds"] == pytest.approx(3.0, abs=0.1)
    assert detail(pictures(kept.film)[0][:80]) < 30, "blurred as the others are"


def test_nothing_is_kept_without_being_asked_or_without_a_table(tmp_path: Path) -> None:
    game = Game()
    keeper = keeper_in(tmp_path)
    seen(keeper, game, 0.0, 1.0)
    close(keeper)
    off, game = FilmKeeper(tmp_path, print), Game()
    game.deal()
    seen(off, game, 0.0, 1.0)
    off.close()
    assert list(tmp_path.iterdir()) == []


def test_the_film_runs_at_the_clock_of_the_camera(tmp_path: Path) -> None:
    game = Game()
    game.deal()
    kept = played(tmp_path, game, 0.0, 0.1, 0.9, 3.0)
    assert len(pictures(kept.film)) == pytest.approx(46, abs=1), "3 s at 15 pictures a second"


def test_one_picture_lasts_a_minute_at_most(tmp_path: Path) -> None:
    film = TimedFilm(tmp_path / "film.mp4", 15)
    for t in (0.0, 1.0, 3601.0, 3602.0):
        film.write(plain(32, 32, (90, 90, 90)), t)
    assert film.film_time(3602.0) == pytest.approx(62.0, abs=0.3)
    film.close()
    assert len(pictures(film.path)) == pytest.approx(62 * 15, abs=3)


def test_a_gap_of_an_hour_is_cut_and_the_log_goes_with_the_film(tmp_path: Path) -> None:
    game = Game()
    game.deal()
    keeper = keeper_in(tmp_path)
    seen(keeper, game, 0.0, 1.0, 3601.0, 3602.0)
    game.lines.append({"id": 1, "event": "draw", "player": "Ann", "count": 1, "t": 3601.5})
    close(keeper)
    kept = kept_in(tmp_path)
    assert kept.read_about()["seconds"] == pytest.approx(62.0, abs=0.3)
    assert read_events(kept.events)[0]["t"] == pytest.approx(61.5, abs=0.3)


def test_a_busy_encoder_drops_live_pictures_and_says_so(tmp_path: Path, monkeypatch: Any) -> None:
    free, began = threading.Event(), threading.Event()

    def busy(_path: object) -> Any:
        began.set()
        free.wait(20)
        return SimpleNamespace(free=1 << 40)

    monkeypatch.setattr(shutil, "disk_usage", busy)
    told: list[str] = []
    game, keeper = Game(), keeper_in(tmp_path, told)
    game.deal()
    keeper.follow(game, game)
    keeper.add(chequered(), 0.0)
    assert began.wait(20)
    for number in range(1, 21):
        keeper.add(chequered(), float(number))
    free.set()
    close(keeper)
    dropped = kept_in(tmp_path).read_about()["dropped"]
    assert dropped >= 10
    assert told == [f"{dropped} pictures are missing in the film: the device was too slow."]


def test_the_film_ends_before_the_disk_is_full_and_the_game_goes_on(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: SimpleNamespace(free=1000))
    told: list[str] = []
    game, keeper = Game(), keeper_in(tmp_path, told)
    game.deal()
    seen(keeper, game, 0.0, 1.0, 2.0)
    close(keeper)
    assert told == ["The film ends here, because the disk is nearly full."]
    assert kept_in(tmp_path).read_about()["seconds"] < 1


def test_a_film_that_cannot_be_written_is_one_line(tmp_path: Path, monkeypatch: Any) -> None:
    def no_codec(*_given: object) -> None:
        raise BadInputError("no film can be written here")

    monkeypatch.setattr("companion.game.timed_film.open_film_writer", no_codec)
    told: list[str] = []
    game, keeper = Game(), keeper_in(tmp_path, told)
    game.deal()
    seen(keeper, game, 0.0, 1.0)
    until(lambda: bool(told))
    seen(keeper, game, 2.0, 3.0)
    close(keeper)
    assert told == ["The film is not kept: no film can be written here"]
    assert list(tmp_path.iterdir()) == []


def test_each_game_gets_a_folder_and_the_next_deal_is_in_the_next_film(tmp_path: Path) -> None:
    first, second = Game(), Game()
    first.deal()
    keeper = keeper_in(tmp_path)
    seen(keeper, first, 0.0, 1.0, 2.0)
    first.lines.append({"id": 1, "event": "game_over", "loser": "Ann", "t": 2.0})
    first.awaits_deal = True
    seen(keeper, first, 3.0, 4.0, 5.0)
    second.deal()
    seen(keeper, second, 6.0, 7.0)
    close(keeper)
    newer, older = kept_games(tmp_path)
    assert older.read_about()["seconds"] == pytest.approx(3.0, abs=0.1)
    assert newer.read_about()["seconds"] == pytest.approx(3.0, abs=0.1)
    assert (len(read_events(older.events)), len(read_events(newer.events))) == (1, 0)


def test_while_the_table_is_lost_nobody_is_filmed(tmp_path: Path) -> None:
    game = Game()
    game.deal()
    keeper = keeper_in(tmp_path)
    seen(keeper, game, 0.0)
    game.lost = True
    keeper.follow(game, game)
    people = np.full((HEIGHT, WIDTH, 3), (0, 0, 255), np.uint8)
    for t in (1.0, 2.0, 3.0):
        keeper.add(people, t, live=False)
    until(lambda: keeper.is_idle)
    game.lost = False
    keeper.follow(game, game)
    seen(keeper, game, 4.0, 5.0)
    close(keeper)
    assert all(picture[..., 2].mean() < 160 for picture in pictures(kept_in(tmp_path).film))


def test_one_call_deletes_the_film_of_this_game(tmp_path: Path) -> None:
    game = Game()
    game.deal()
    keeper = keeper_in(tmp_path)
    seen(keeper, game, 0.0, 1.0)
    keeper.discard()
    seen(keeper, game, 2.0, 3.0)
    close(keeper)
    assert list(tmp_path.iterdir()) == []


def test_switched_on_in_mid_game_it_waits_for_the_next_deal(tmp_path: Path) -> None:
    game = Game()
    game.deal()
    game.lines.append({"id": 1, "event": "play", "player": "Ann", "cards": ["9S"], "t": 0.0})
    keeper = keeper_in(tmp_path)
    seen(keeper, game, 0.0, 1.0)
    close(keeper)
    assert list(tmp_path.iterdir()) == []


def test_a_source_is_filmed_and_its_end_finishes_the_film(tmp_path: Path) -> None:
    game, keeper, camera = Game(), keeper_in(tmp_path), Camera(0.0, 0.5, 1.0)
    game.deal()
    source = FilmedSource(camera, keeper)
    for _t, _frame in source:
        keeper.follow(game, game)
    source.close()
    assert camera.closed
    assert kept_in(tmp_path).read_about()["seconds"] >= 0.5


def test_films_are_erased_with_their_store(tmp_path: Path) -> None:
    store = tmp_path / "s.sqlite"
    game = Game()
    game.deal()
    kept = played(kept_films_folder(store), game, 0.0, 0.5)
    assert kept.film in stored_files(store)
    erase(store)
    assert list(tmp_path.iterdir()) == []


def test_a_series_of_games_is_filmed(tmp_path: Path) -> None:
    game: Any = Game()
    game.deal()
    keeper = keeper_in(tmp_path)
    series = GameSeries(game, film=keeper)
    for t in (0.0, 0.5, 1.0):
        keeper.add(chequered(), t, live=False)
        series.feed(chequered(), t)
    close(keeper)
    assert kept_in(tmp_path).read_about()["players"] == ["Ann", "Bob"]


def test_the_app_can_film_what_a_camera_sees_and_nothing_else(tmp_path: Path) -> None:
    def keeps(setup: GameSetup) -> bool:
        keeper = make_session(setup).film_keeper
        assert keeper is None or not keeper.enabled, "only when somebody wants it"
        return keeper is not None

    camera = replace(SETUP, store=tmp_path / "s.sqlite")
    assert keeps(camera)
    assert not keeps(replace(camera, source=None))
    assert not keeps(replace(camera, source="film.mp4", demonstration=True))


@pytest.mark.parametrize(
    ("options", "says"),
    [(["--keep", "none"], "--keep none: there is no such folder"), (["--keep-people"], "it needs --keep")],
)
def test_a_wrong_option_of_watch_is_one_line(
    options: list[str], says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["watch", str(write_film(tmp_path)), "--headless", *options]) == 2
    told = capsys.readouterr().err
    assert says in told
    assert told.count("\n") == 1
