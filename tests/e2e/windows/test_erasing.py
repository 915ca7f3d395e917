"""What erasing takes: all that is the store's own, and nothing of one beside it, whatever they are called."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.cli.main import main
from companion.files.store_paths import path_beside
from companion.store.backup import back_up, restore, stored_files
from companion.store.event_pictures import event_pictures_folder
from companion.store.store import Store
from tests.e2e.windows.test_screens import has, walk

STAMP = "20260101-000000"
LEFT = (
    "damaged-{0}{1}",
    "damaged-{0}-2{1}-wal",
    "replaced-{0}{1}",
    "salvaged-{0}{1}",
    "restoring{1}-journal",
)


def laid_down(store: Path) -> list[Path]:
    """A store, with everything beside it that damage, restoring and killed programs leave."""
    store.parent.mkdir(exist_ok=True)
    Store.open(store).close()
    picture = event_pictures_folder(store) / "1" / "7.jpg"
    aside = [store.with_name(f"{store.stem}.{name.format(STAMP, store.suffix)}") for name in LEFT]
    for path in (*aside, picture, path_beside(store, "playing-3.lock")):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x")
    return [store, *aside, picture]


def files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize("name", ["evenings", "s[1].sqlite", "*.sqlite", "x?", "**", ".sqlite", "a.b.sqlite"])
def test_a_store_of_any_name_is_erased_with_all_that_is_its_own(name: str, tmp_path: Path) -> None:
    own = laid_down(tmp_path / "st" / name)
    assert set(own) <= set(stored_files(tmp_path / "st" / name))
    assert main(["erase", "--yes", "--store", str(tmp_path / "st" / name)]) == 0
    assert files(tmp_path / "st") == []
    assert list((tmp_path / "st").iterdir()) == [], "folders go with what was in them"


@pytest.mark.parametrize(
    ("name", "neighbour"),
    [
        ("s[1].sqlite", "s1.sqlite"),
        ("*.sqlite", "evenings.sqlite"),
        ("?.sqlite", "s.sqlite"),
        ("s.sqlite", "s.old.sqlite"),
        ("s", "s.damaged-of-mine.sqlite"),
        ("s.db", "s.sqlite"),
        ("s.sqlite", "s.db"),
        ("s", "s.sqlite"),
        ("s.sqlite", "s"),
        ("s.sqlite", "s.playing-friday.sqlite"),
    ],
)
def test_erasing_one_store_takes_nothing_of_the_one_beside_it(
    name: str, neighbour: str, tmp_path: Path
) -> None:
    laid_down(tmp_path / neighbour)
    stranger = tmp_path / "letters.damaged-by-rain.sqlite"
    stranger.write_text("not ours")
    before = files(tmp_path)
    laid_down(tmp_path / name)
    assert main(["erase", "--yes", "--store", str(tmp_path / name)]) == 0
    assert files(tmp_path) == before


def test_restoring_a_store_without_a_suffix_deletes_nothing_that_was_set_aside(tmp_path: Path) -> None:
    store, copy = tmp_path / "evenings", tmp_path / "copy.sqlite"
    Store.open(store).close()
    back_up(copy, store)
    aside = tmp_path / f"evenings.damaged-{STAMP}"
    aside.write_text("games that may still be read some day")
    restore(copy, store)
    assert aside.exists()


def test_erase_everything_takes_the_users_own_store_and_settings_at_the_second_tap() -> None:
    seen = walk("kept")
    assert has(seen["erase everything asks"], "Tap again")
    assert {"evenings.sqlite", "settings.json"} <= set(seen["kept before"])
    assert any(name.startswith("evenings.replaced-") for name in seen["kept before"])
    assert has(seen["everything erased"], "files erased")
    assert has(seen["everything erased"], "The targets of these links were not erased: ")
    assert not [name for name in seen["kept after"] if name.startswith("evenings.replaced-")]
    assert "settings.json" not in seen["kept after"]


def test_what_cannot_be_listed_is_said_and_nothing_is_erased() -> None:
    assert has(walk("kept")["not listed"], "/somewhere: Permission denied")
