"""What users have switched on and off, as it is kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.settings import TYPE_SIZES, Settings, load_settings, save_settings


@pytest.mark.parametrize("size", TYPE_SIZES)
def test_the_size_of_type_is_kept(tmp_path: Path, size: str) -> None:
    path = tmp_path / "settings.json"
    save_settings(Settings(type_size=size), path)
    assert load_settings(path).type_size == size


@pytest.mark.parametrize("written", ['"huge"', "3", "null", '["largest"]'])
def test_a_size_of_type_that_there_is_not_is_the_usual_one(tmp_path: Path, written: str) -> None:
    path = tmp_path / "settings.json"
    path.write_text(f'{{"type_size": {written}, "speak": true}}')
    settings = load_settings(path)
    assert (settings.type_size, settings.speak) == ("normal", True)
