"""Where a file cannot be kept or put back, the window says so in one line, and the game goes on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from engine.files.atomic import NO_FOLDER
from tests.e2e.windows.driven import cut_texts
from tests.e2e.windows.refusal_scenario import FULL
from tests.e2e.windows.test_screens import walk


def seen() -> dict[str, Any]:
    return walk("refused_files", (360, 640))


def test_a_file_where_the_users_folder_should_be_is_named_by_whatever_would_be_kept_there() -> None:
    documents, pictures = seen()["folders"]
    assert seen()["no folder"] == {
        "picture": f"{pictures}: {NO_FOLDER}",
        "csv": f"{documents}: {NO_FOLDER}",
        "moment": f"{pictures}: {NO_FOLDER}",
        "backup": f"{documents}: {NO_FOLDER}",
    }


def test_a_full_disk_is_named_and_a_backup_overwrites_nothing() -> None:
    if not FULL.exists():
        pytest.skip("no device here that is always full")
    documents, pictures = map(Path, seen()["folders"])
    assert seen()["full"] == {
        "picture": f"{pictures / 'full.png'}: No space left on device",
        "csv": f"{documents / 'full.csv'}: No space left on device",
        "moment": f"{pictures / 'full.jpg'}: No space left on device",
        "backup": f"{documents / 'full.sqlite'}: exists already, and was not overwritten",
    }


def test_a_damaged_backup_is_refused_and_nothing_is_ended_or_left_behind() -> None:
    backup, said = seen()["damaged backup"]
    assert said == f"{backup}: is damaged"
    assert seen()["left behind"] == []
    assert seen()["same session"]


def test_after_every_refusal_the_game_goes_on() -> None:
    assert seen()["goes on"] == [["4", "9"], "Cat"]


def test_a_refusal_stands_whole_on_the_smallest_phone() -> None:
    measured = seen()["measured"]
    assert len(measured) == 9
    for name, measures in measured.items():
        assert (cut_texts(measures), measures["outside"]) == ([], []), name
