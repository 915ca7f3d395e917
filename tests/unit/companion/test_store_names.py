"""One store under two names is one store, and two stores in one folder share nothing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from companion.cli.main import main
from companion.files.lock import games_being_played
from companion.store.backup import back_up, erase, restore, stored_files
from companion.store.event_pictures import event_pictures_folder, game_pictures_folder
from companion.store.store import Store
from engine.errors import BadInputError

PLAYERS = ("Ann", "Bob")
LINE = {"id": 1, "event": "draw", "player": "Ann"}

pytestmark = pytest.mark.skipif(os.name != "posix", reason="links and locks of another kind")


def play(path: Path, *losers: str) -> None:
    with Store.open(path) as store:
        for loser in losers:
            store.start_game("winnersh", PLAYERS)
            store.append(LINE)
            store.finish(loser)


def losers(path: Path) -> list[str | None]:
    with Store.open(path) as store:
        return [game.loser for game in store.games()]


@pytest.fixture
def linked(tmp_path: Path) -> tuple[Path, Path]:
    """A store of one game in a folder of its own, and a link to it."""
    real, link = tmp_path / "cloud" / "games.sqlite", tmp_path / "here" / "e.sqlite"
    real.parent.mkdir()
    link.parent.mkdir()
    link.symlink_to("../cloud/games.sqlite")
    play(real, "Ann")
    return real, link


def test_a_game_that_is_played_under_one_name_is_played_under_the_other(linked: tuple[Path, Path]) -> None:
    for one, other in (linked, linked[::-1]):
        with Store.open(one) as playing, Store.open(other) as store:
            playing.start_game("winnersh", PLAYERS)
            playing.append(LINE)
            assert games_being_played(one) == games_being_played(other) == [playing.game]
            with pytest.raises(BadInputError, match="is being played in another window"):
                store.resume_game(playing.game)
            with pytest.raises(BadInputError, match="a game is being played in"):
                erase(other)
            assert store.resumable_game() is None


def test_what_is_erased_by_a_link_is_gone_where_it_lies(
    linked: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    real, link = linked
    picture = game_pictures_folder(link, 1) / "1.jpg"
    picture.parent.mkdir(parents=True)
    picture.write_bytes(b"x")
    play(link, "Bob")
    assert main(["erase", "--yes", "--store", str(link)]) == 0
    said = capsys.readouterr().out
    for gone in (real, link, picture):
        assert f"{gone}\n" in said
    assert "3 files erased" in said
    assert list(real.parent.iterdir()) == list(link.parent.iterdir()) == []


def test_erasing_everything_takes_the_store_that_the_programs_own_place_links_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for kind in ("DATA", "CONFIG", "CACHE", "STATE"):
        monkeypatch.setenv(f"XDG_{kind}_HOME", str(tmp_path / "home" / kind.lower()))
    real, photos = tmp_path / "cloud" / "evenings.sqlite", tmp_path / "photos"
    real.parent.mkdir()
    photos.mkdir()
    with Store.open() as store:
        own = store.path
    own.rename(real)
    own.symlink_to(real)
    (own.parent / "decks").symlink_to(photos)
    play(own, "Ann")
    assert losers(real) == ["Ann"]
    assert main(["erase", "--yes"]) == 0
    assert list(real.parent.iterdir()) == []
    assert not own.parent.exists()
    assert photos.exists()
    said = capsys.readouterr().out
    assert f"{own.parent / 'decks'} is a link: its target, {photos}, is not erased\n" in said
    assert f"{own} is a link" not in said


def test_a_link_to_games_that_are_not_there_at_the_moment_is_named(
    linked: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    real, link = linked
    real.parent.rename(tmp_path / "unplugged")
    assert main(["erase", "--yes", "--store", str(link)]) == 0
    said = capsys.readouterr().out
    assert said == f"{link} is a link: its target, {real}, is not erased\nnothing is stored\n"
    with pytest.raises(BadInputError, match="cannot be used"):
        Store.open(link)
    assert not real.parent.exists()


def test_a_link_to_a_file_that_never_was_a_store_erases_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    letter, own = tmp_path / "letter.txt", tmp_path / "home" / "shithead" / "evenings.sqlite"
    letter.write_text("Dear Ann,\n" * 99)
    own.parent.mkdir(parents=True)
    own.symlink_to(letter)
    assert main(["erase", "--yes"]) == 2
    assert letter.read_text() == "Dear Ann,\n" * 99


def test_what_is_restored_by_a_link_is_put_where_the_store_lies(
    linked: tuple[Path, Path], tmp_path: Path
) -> None:
    real, link = linked
    back_up(tmp_path / "copy.sqlite", link)
    play(link, "Bob")
    aside = restore(tmp_path / "copy.sqlite", link)
    assert aside is not None
    assert aside.parent == real.parent
    assert not aside.is_symlink()
    assert link.is_symlink()
    assert losers(aside) == ["Ann", "Bob"]
    assert losers(real) == losers(link) == ["Ann"]


def test_an_output_by_the_name_of_what_lies_beside_the_linked_store_is_refused(
    linked: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    real, link = linked
    log = real.with_name(f"{real.name}-wal")
    assert main(["tally", "--store", str(link), "--png", str(log)]) == 2
    assert "is not overwritten" in capsys.readouterr().err


@pytest.mark.parametrize(
    "others", [("t.sqlite", "t.db"), ("t.db", "t.sqlite"), ("t", "t.sqlite"), ("t", "t.db")]
)
def test_two_stores_of_one_stem_share_neither_games_nor_pictures(
    others: tuple[str, str], tmp_path: Path
) -> None:
    one, other = (tmp_path / name for name in others)
    play(one, "Ann")
    play(other, "Bob")
    picture = game_pictures_folder(one, 1) / "1.jpg"
    picture.parent.mkdir(parents=True)
    picture.write_bytes(b"x")
    with Store.open(one) as playing:
        playing.resume_game(1)
        assert games_being_played(other) == []
        assert picture not in stored_files(other)
        erase(other)
    assert picture.exists()
    assert losers(one) == ["Ann"]


def test_pictures_under_a_name_that_may_be_another_stores_stay(tmp_path: Path) -> None:
    store, other = tmp_path / "t.db", tmp_path / "t.sqlite"
    play(other, "Ann")
    theirs = event_pictures_folder(other) / "1" / "1.jpg"
    theirs.parent.mkdir(parents=True)
    theirs.write_bytes(b"x")
    play(store, "Bob")
    assert erase(store) == [store]
    assert theirs.exists()
