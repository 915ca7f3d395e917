"""Pictures show the table and nobody; and what is erased is gone, whatever lies beside it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np
import platformdirs
import pytest

from companion.cli.main import main
from companion.files.lock import games_being_played
from companion.files.logs import log_path
from companion.game.event_pictures import add_event_pictures, crop_to_table
from companion.settings import Settings, save_settings, settings_path
from companion.store.backup import back_up, restore
from companion.store.store import Store, default_path
from vision.decks.deck import Deck
from vision.decks.deck_files import save_deck
from vision.geometry import homography
from vision.plane import TablePlane
from vision.table.layout import Layout, Seat
from vision.types import CardReading, Image

SIZE = (1280, 720)
TABLE, SKIN, TATTOO = (50, 120, 60), (120, 160, 230), (200, 30, 20)
CARDS_MM = ((-40.0, 220.0), (40.0, 220.0), (-40.0, -220.0), (40.0, -220.0))


def seen_at_a_slant() -> Layout:
    """A table whose far side is smaller in the picture, 800 x 600 mm, cards well within it."""
    corners_mm = np.array([[-400, -300], [400, -300], [400, 300], [-400, 300]], np.float64)
    corners = np.array([[420, 160], [860, 160], [1060, 640], [220, 640]], np.float64)
    plane = TablePlane(homography(corners, corners_mm))
    seats = (Seat("Ann", CARDS_MM[:2], (0.0, 1.0)), Seat("Bob", CARDS_MM[2:], (0.0, -1.0)))
    return Layout(plane, *SIZE, seats, draw=(120.0, 0.0), play=(0.0, 0.0))


def with_people(layout: Layout) -> Image:
    """Return a picture in which everything but the table is somebody's skin."""
    picture = np.full((SIZE[1], SIZE[0], 3), SKIN, np.uint8)
    edge = layout.plane.to_pixels([[-400, -300], [400, -300], [400, 300], [-400, 300]])
    cv2.fillConvexPoly(picture, np.round(edge).astype(np.int32), TABLE)
    for x, y in layout.plane.to_pixels(CARDS_MM):
        cv2.circle(picture, (round(x), round(y)), 9, (255, 255, 255), cv2.FILLED)
    return picture


def decoded(picture: bytes) -> Image:
    return np.asarray(cv2.imdecode(np.frombuffer(picture, np.uint8), cv2.IMREAD_COLOR), np.uint8)


def like(picture: Image, colour: tuple[int, int, int]) -> int:
    return int((np.abs(picture.astype(int) - colour).max(axis=2) < 40).sum())


def test_a_moment_shows_every_card_and_nobody() -> None:
    layout = seen_at_a_slant()
    moments: dict[int, bytes] = {}
    add_event_pictures(moments, [{"id": 7}], with_people(layout), layout)
    shown = decoded(moments[7])
    assert like(shown, SKIN) == 0
    assert like(shown, TABLE) > 0.4 * shown.shape[0] * shown.shape[1]
    whites, _ = cv2.connectedComponents(cv2.inRange(shown, (220, 220, 220), (255, 255, 255)))[:2]
    assert whites - 1 == len(CARDS_MM)


def test_an_arm_over_the_table_is_blurred_in_a_moment_and_the_card_in_its_hand_is_not() -> None:
    layout = seen_at_a_slant()
    picture = with_people(layout)
    x, y = layout.plane.to_pixels([[0.0, 0.0]])[0].round().astype(int)
    picture[y:, x - 30 : x + 30] = SKIN
    for stripe in range(y + 60, SIZE[1], 40):
        picture[stripe : stripe + 20, x - 30 : x + 30] = TATTOO
    card = np.array([[x - 20, y - 10], [x + 20, y - 10], [x + 20, y + 40], [x - 20, y + 40]], np.float32)
    cv2.fillConvexPoly(picture, card.astype(np.int32), (250, 250, 250))
    arms = np.zeros((SIZE[1] // 4, SIZE[0] // 4), np.bool_)
    arms[y // 4 :, (x - 32) // 4 : (x + 32) // 4] = True
    reading = CardReading(card, "up", 0.99, "9S", 0.99)
    plain: dict[int, bytes] = {}
    blurred: dict[int, bytes] = {}
    line = {"id": 7, "cards": ["9S"]}
    add_event_pictures(plain, [line], picture, layout)
    add_event_pictures(blurred, [line], picture, layout, arms, [reading])
    seen, hidden = decoded(plain[7]), decoded(blurred[7])
    assert like(seen, TATTOO) > 300
    assert like(hidden, TATTOO) < 20, "nothing of the pattern on the arm is left"
    assert like(hidden, (250, 250, 250)) > 0.8 * like(seen, (250, 250, 250)), "the card is as it was"


def test_a_moment_at_another_resolution_shows_the_same_part() -> None:
    layout = seen_at_a_slant()
    whole = crop_to_table(with_people(layout), layout)
    smaller = cv2.resize(with_people(layout), (640, 360), interpolation=cv2.INTER_NEAREST)
    half = crop_to_table(np.asarray(smaller, np.uint8), layout)
    assert whole is not None
    assert half is not None
    assert np.abs(np.array(whole.shape[:2]) / half.shape[:2] - 2).max() < 0.05
    assert like(half, SKIN) == 0


@pytest.mark.parametrize("factor", [1e-6, 1e6])
def test_a_layout_that_is_none_shows_nothing_rather_than_somebody(factor: float) -> None:
    layout = seen_at_a_slant()
    wild = Layout(TablePlane(layout.plane.to_table * [[factor], [factor], [1]]), *SIZE, layout.seats)
    shown = crop_to_table(with_people(layout), wild)
    assert shown is None or like(shown, SKIN) == 0 or shown.size < 300


KILLED = """
import os, signal
from companion.store.store import Store
store = Store.open()
store.start_game("winnersh", ["Ann", "Bob"])
store.append({"id": 1, "event": "draw"})
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_after_erasing_nothing_is_left_of_anything(home: Path, tmp_path: Path) -> None:
    """Every kind of file that the program leaves, killed programs and damaged files included."""
    store = default_path()
    with Store.open() as opened:
        opened.start_game("winnersh", ["Ann", "Bob"])
        opened.append({"id": 1, "event": "draw", "player": "Ann"})
        opened.finish("Ann")
    back_up(tmp_path / "own-copy.sqlite")
    restore(tmp_path / "own-copy.sqlite")  # sets the store aside
    store.write_bytes(b"shopping list" * 400)
    Store.open().close()  # sets the damaged one aside
    killed = subprocess.run([sys.executable, "-c", KILLED], check=False)
    assert killed.returncode == -signal.SIGKILL
    beside = {path.name for path in store.parent.iterdir()}
    assert {"evenings.sqlite-wal", "evenings.sqlite-shm"} <= beside
    assert any(name.endswith(".lock") for name in beside)
    save_deck(Deck("mine", "w", ("9S", "KH"), np.zeros((2, 4), np.float32)))
    save_settings(Settings(speak=True))
    for path in (
        store.with_name("evenings.moments") / "1" / "7.jpg",
        store.with_name("evenings.restoring.sqlite"),
        log_path(),
        log_path().with_name("shithead.log.1"),
        settings_path().with_suffix(".tmp"),
        platformdirs.user_cache_path("shithead", appauthor=False) / "kivy" / "config.ini",
    ):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"something")
    stranger = home / "data_home" / "letters.txt"
    stranger.write_text("not ours")
    assert main(["erase", "--yes"]) == 0
    assert [path for path in home.rglob("*") if "shithead" in str(path.relative_to(home))] == []
    assert stranger.read_text() == "not ours"
    assert (tmp_path / "own-copy.sqlite").exists(), "what the user saved is the user's"


def test_a_named_store_goes_with_all_that_lies_beside_it(tmp_path: Path) -> None:
    store = tmp_path / "s.sqlite"
    with Store.open(store) as opened:
        opened.start_game("winnersh", ["Ann", "Bob"])
    restore_from = tmp_path / "copy.sqlite"
    back_up(restore_from, store)
    restore(restore_from, store)
    left = ("s.salvaged-20260101-000000.sqlite", "s.restored-20260101-000000-2.sqlite", "s.exchange.lock")
    for name in (
        *left,
        "s.restoring.sqlite",
        "s.restoring.sqlite-wal",
        "s.playing-3.lock",
        "s.moments/1/2.jpg",
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x")
    assert main(["erase", "--yes", "--store", str(store)]) == 0
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["copy.sqlite"]


def test_what_a_killed_program_leaves_locked_is_free_again(tmp_path: Path) -> None:
    store = tmp_path / "s.sqlite"
    (tmp_path / "s.playing-12.lock").touch()
    assert games_being_played(store) == []
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.name != "posix", reason="names of another kind")
def test_erasing_follows_no_link_out_of_the_programs_folders(home: Path, tmp_path: Path) -> None:
    Store.open().close()
    outside = tmp_path / "photos"
    outside.mkdir()
    (outside / "holiday.jpg").write_text("mine")
    (default_path().parent / "decks").symlink_to(outside)
    (default_path().parent / "link.npz").symlink_to(outside / "holiday.jpg")
    assert main(["erase", "--yes"]) == 0
    assert (outside / "holiday.jpg").read_text() == "mine"
    assert not default_path().parent.exists()
