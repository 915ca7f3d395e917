"""Copy, put back, erase: what the owner of the device may do with what is kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.cli.main import main
from companion.store.backup import stored_files
from companion.store.store import Store, default_path
from tests.support.old_store import make_older


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let the user's own folders be under the test's."""
    for kind in ("DATA", "CONFIG", "CACHE", "STATE"):
        monkeypatch.setenv(f"XDG_{kind}_HOME", str(tmp_path / kind.lower()))
    return tmp_path


def play(path: Path | None, *losers: str) -> None:
    with Store.open(path) as store:
        for loser in losers:
            store.start_game("winnersh", ["Ann", "Bob"])
            store.append({"id": 1, "event": "draw", "player": "Ann"})
            store.finish(loser)


def losers(path: Path | None) -> list[str | None]:
    with Store.open(path) as store:
        return [game.loser for game in store.games()]


def test_a_backup_holds_everything_even_while_a_game_is_written(tmp_path: Path) -> None:
    path, copy = tmp_path / "s.sqlite", tmp_path / "copy.sqlite"
    with Store.open(path) as store:
        store.start_game("winnersh", ["Ann", "Bob"])
        store.append({"id": 1, "event": "draw"})  # lies in the write-ahead log, not yet in the file
        assert main(["backup", str(copy), "--store", str(path)]) == 0
    with Store.open(copy) as store:
        assert store.events(1) == [{"id": 1, "event": "draw"}]


def test_a_backup_overwrites_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, copy = tmp_path / "s.sqlite", tmp_path / "copy.sqlite"
    play(path, "Ann")
    copy.write_text("my letters")
    assert main(["backup", str(copy), "--store", str(path)]) == 2
    assert "was not overwritten" in capsys.readouterr().err
    assert copy.read_text() == "my letters"
    assert main(["backup", str(tmp_path / "no" / "x.sqlite"), "--store", str(path)]) == 2
    assert main(["backup", str(tmp_path / "x.sqlite"), "--store", str(tmp_path / "none.sqlite")]) == 2
    assert not (tmp_path / "none.sqlite").exists()


def test_what_was_restored_is_the_backup_and_what_was_there_is_set_aside(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, copy = tmp_path / "s.sqlite", tmp_path / "copy.sqlite"
    play(path, "Ann")
    assert main(["backup", str(copy), "--store", str(path)]) == 0
    play(path, "Bob", "Bob")
    assert main(["restore", str(copy), "--store", str(path)]) == 0
    assert losers(path) == ["Ann"]
    (aside,) = tmp_path.glob("s.replaced-*.sqlite")
    assert str(aside) in capsys.readouterr().out
    assert losers(aside) == ["Ann", "Bob", "Bob"]


@pytest.mark.parametrize("content", [b"", b"a shopping list\n" * 99, None])
def test_what_is_no_backup_leaves_the_store_as_it_is(
    content: bytes | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, copy = tmp_path / "s.sqlite", tmp_path / "copy.sqlite"
    play(path, "Ann")
    if content is not None:
        copy.write_bytes(content)
    assert main(["restore", str(copy), "--store", str(path)]) == 2
    error = capsys.readouterr().err
    assert "copy.sqlite" in error
    assert error.count("\n") == 1
    assert losers(path) == ["Ann"]
    assert list(tmp_path.glob("s.re*")) == []


def test_a_backup_of_an_older_version_is_brought_up_to_date(tmp_path: Path) -> None:
    path, copy = tmp_path / "s.sqlite", tmp_path / "copy.sqlite"
    play(copy, "Ann")
    make_older(copy, 1)
    assert main(["restore", str(copy), "--store", str(path)]) == 0
    assert losers(path) == ["Ann"]


def test_erasing_leaves_nothing_of_the_programs_behind(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    play(None, "Ann")
    default_path().write_text("damaged")
    Store.open().close()
    play(None, "Bob")
    deck = default_path().parent / "decks" / "mine.npz"
    deck.parent.mkdir()
    deck.write_text("features")
    stranger = home / "data" / "letters.txt"
    stranger.write_text("not ours")
    assert len(stored_files()) >= 3
    assert main(["erase", "--yes"]) == 0
    assert "erased" in capsys.readouterr().out
    assert [path for path in home.rglob("*") if path.is_file()] == [stranger]
    assert main(["erase", "--yes"]) == 0
    assert "nothing is stored" in capsys.readouterr().out


def test_erasing_asks_and_without_an_answer_erases_nothing(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    play(None, "Ann")
    assert main(["erase"]) == 2
    assert "nothing was erased" in capsys.readouterr().err
    assert losers(None) == ["Ann"]


def test_a_named_store_alone_is_erased(home: Path) -> None:
    play(None, "Ann")
    play(home / "other.sqlite", "Bob")
    assert main(["erase", "--yes", "--store", str(home / "other.sqlite")]) == 0
    assert not (home / "other.sqlite").exists()
    assert losers(None) == ["Ann"]
