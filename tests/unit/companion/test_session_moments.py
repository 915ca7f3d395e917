"""Pictures of the moments in which events were decided: held, kept only when wanted, erased."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np

from companion.store.backup import erase
from companion.store.event_pictures import game_pictures_folder, read_event_picture
from tests.support.session_script import Film, Game, until, watch
from vision.plane import TablePlane
from vision.table.layout import Layout, Seat


def test_the_picture_of_a_moment_is_held_in_memory(tmp_path: Path) -> None:
    game = Game([1, 2])
    seats = tuple(Seat(name, ((80.0, y),), (0.0, 1.0)) for name, y in (("Ann", 80.0), ("Bob", 10.0)))
    game.layout = Layout(TablePlane(np.eye(3)), 160, 90, seats)
    session = watch(Film(20), game, tmp_path / "s.sqlite")
    until(lambda: session.snapshot.phase == "ended")
    session.stop()
    assert sorted(session.event_pictures) == [1, 2]
    assert session.event_pictures[1].startswith(b"\xff\xd8")
    assert [path.suffix for path in tmp_path.iterdir()] == [".sqlite"]


def test_pictures_of_moments_become_files_only_when_wanted_and_go_when_all_is_erased(tmp_path: Path) -> None:
    store = tmp_path / "s.sqlite"
    game = Game([1, 2])
    seats = tuple(Seat(name, ((80.0, y),), (0.0, 1.0)) for name, y in (("Ann", 80.0), ("Bob", 10.0)))
    game.layout = Layout(TablePlane(np.eye(3)), 160, 90, seats)
    session = watch(Film(20), game, store, keep_moments=True)
    until(lambda: session.snapshot.phase == "ended")
    session.stop()
    files = sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.jpg"))
    assert files == ["s.moments/1/1.jpg", "s.moments/1/2.jpg"]
    kept = read_event_picture(game_pictures_folder(store, 1), 2)
    assert kept is not None
    on_disk, held = (
        np.asarray(cv2.imdecode(np.frombuffer(jpeg, np.uint8), 1), np.uint8)
        for jpeg in (kept, session.event_pictures[2])
    )
    assert cv2.PSNR(on_disk, held) > 30
    assert read_event_picture(game_pictures_folder(store, 1), 3) is None
    erase(store)
    assert list(tmp_path.iterdir()) == []


def test_a_disk_that_takes_no_picture_does_not_end_the_game(tmp_path: Path) -> None:
    (tmp_path / "s.moments").write_text("in the way")
    game = Game([1, 2])
    game.layout = Layout(TablePlane(np.eye(3)), 160, 90, (Seat("Ann", ((80.0, 80.0),), (0.0, 1.0)),) * 2)
    session = watch(Film(20), game, tmp_path / "s.sqlite", keep_moments=True)
    until(lambda: session.snapshot.phase == "ended")
    session.stop()
    assert [line["id"] for line in session.snapshot.lines] == [1, 2, 999]


def test_of_a_table_whose_place_is_not_known_no_picture_is_held() -> None:
    session = watch(Film(20), Game([1, 2]))
    until(lambda: session.snapshot.phase == "ended")
    session.stop()
    assert session.event_pictures == {}
