"""A deck is enrolled in front of the camera, in any order; each card held still, what is missing told."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.cli.main import main
from companion.game.enrolling import EnrolmentSession, PackScanner, deck_builder
from engine.errors import BadInputError
from tests.support.shown_cards import Camera, Show, learns
from tests.support.waiting import until
from vision.decks.card_classes import CARDS
from vision.decks.deck_files import deck_names, load_deck, remove_deck
from vision.types import Image


def test_cards_are_told_in_any_order_and_what_is_missing_is_said() -> None:
    show = Show("KD", None, "2C", "9S")
    session = EnrolmentSession(lambda: Camera(), lambda: (show, learns("mine")))
    session.start()
    until(lambda: session.progress.shown == 3)
    assert (session.progress.phase, session.progress.last) == ("showing", "9S")
    assert session.progress.missing == tuple(card for card in CARDS if card not in ("KD", "2C", "9S"))
    assert session.picture is not None
    session.stop()
    assert deck_names() == ()


def test_the_deck_is_saved_when_asked_for_and_what_could_not_be_told_is_counted() -> None:
    show = Show("KD", "?", "2C")
    camera = Camera()
    session = EnrolmentSession(lambda: camera, lambda: (show, learns("mine")))
    session.start()
    until(lambda: session.progress.shown == 3)
    session.save()
    until(lambda: session.progress.phase == "saved")
    assert camera.closed
    assert (session.progress.enrolled, session.progress.doubts) == (2, 1)
    assert session.progress.learnt == (2, 2)
    assert set(load_deck("mine").cards) == {"KD", "2C"}
    remove_deck("mine")


def test_once_all_52_are_told_nobody_has_to_ask() -> None:
    session = EnrolmentSession(lambda: Camera(), lambda: (Show(*reversed(CARDS)), learns("mine")))
    session.start()
    until(lambda: session.progress.phase == "saved")
    assert (session.progress.enrolled, session.progress.missing) == (52, ())
    remove_deck("mine")


def test_a_film_that_ends_is_learnt_from() -> None:
    session = EnrolmentSession(
        lambda: Camera(live=False, pictures=40), lambda: (Show("KD", "2C"), learns("mine"))
    )
    session.start()
    until(lambda: session.progress.phase == "saved")
    remove_deck("mine")


@pytest.mark.parametrize("cards", [(), ("KD",), ("KD", "?")])
def test_a_deck_needs_two_cards(cards: tuple[str, ...]) -> None:
    film = Camera(live=False, pictures=30)
    session = EnrolmentSession(lambda: film, lambda: (Show(*cards), learns("mine")))
    session.start()
    until(lambda: bool(session.progress.error))
    assert "cards were recognised; show each card alone, and hold it still" in session.progress.error
    assert deck_names() == ()


def test_a_deck_needs_a_plain_name() -> None:
    with pytest.raises(BadInputError, match="letters, digits"):
        deck_builder("../mine", None)


def test_a_camera_that_is_not_there_is_said() -> None:
    def no_camera() -> Camera:
        raise BadInputError("camera 7: cannot be opened")

    session = EnrolmentSession(no_camera, lambda: (Show(), learns("mine")))
    session.start()
    until(lambda: bool(session.progress.error))
    assert session.progress.error == "camera 7: cannot be opened"


def test_a_camera_that_falls_silent_is_said_and_what_was_shown_can_be_saved_all_the_same() -> None:
    class Silent(Camera):
        def __iter__(self) -> Iterator[tuple[float, Image]]:
            for picture in super().__iter__():
                if picture[0] > 2.0:
                    self.on_status("camera: no picture for 10 s; it is tried again")
                    until(lambda: self.closed)
                    return
                yield picture

    session = EnrolmentSession(Silent, lambda: (Show("KD", "2C"), learns("mine")))
    session.start()
    until(lambda: "it is tried again" in session.progress.lost)
    session.save()
    until(lambda: session.progress.phase == "saved")
    assert session.progress.enrolled == 2
    remove_deck("mine")


def test_a_film_is_watched_to_its_end_though_all_are_told_a_camera_is_not() -> None:
    film, camera = Camera(live=False, pictures=600), Camera(pictures=600)
    watched = sum(1 for _ in PackScanner(film, Show(*CARDS)))
    assert watched == 600
    assert sum(1 for _ in PackScanner(camera, Show(*CARDS))) < 600


def test_how_long_nothing_new_was_shown_is_told() -> None:
    watch = PackScanner(Camera(pictures=300), Show("KD", "2C"))
    idle = [watch.idle_s for _ in watch]
    assert idle[-1] > 20
    assert min(idle) == 0


def test_a_bad_photo_is_named_and_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A folder as people have them: two good photos, an empty table, a note, a broken file, a wrong name."""
    from datasets.art.drawn import DrawnStyle, draw_face

    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    folder = tmp_path / "photos"
    folder.mkdir()
    for name, card in (("KD.jpg", "KD"), ("7S_2.png", "7S"), ("holiday.jpg", "2C")):
        table = np.full((900, 900, 3), (60, 90, 50), np.uint8)
        face = draw_face(card, DrawnStyle())[:, :, :3]
        small = cv2.resize(face, (300, round(300 * face.shape[0] / face.shape[1])))
        table[200 : 200 + small.shape[0], 300:600] = small
        cv2.imwrite(str(folder / name), table)
    cv2.imwrite(str(folder / "2C.jpg"), np.full((900, 900, 3), (60, 90, 50), np.uint8))
    (folder / "3C.jpg").write_bytes(b"no picture")
    (folder / "notes.txt").write_text("my deck")
    assert main(["deck", "enrol", "mine", str(folder)]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("deck mine: 2 cards enrolled")
    left_out = [line for line in err.replace("\r", "\n").splitlines() if "left out" in line]
    assert [next(n for n in ("2C", "3C", "holiday", "notes") if f"{n}." in line) for line in left_out] == [
        "holiday",
        "notes",
        "2C",
        "3C",
    ]
    assert set(load_deck("mine").cards) == {"KD", "7S"}
