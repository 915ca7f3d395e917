"""What users have switched on and off, as it is kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.settings import TYPE_SIZES, Settings, load_settings, remember, save_settings


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


def test_players_and_sources_are_remembered_each_once_and_the_newest_first(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    players = remember(remember((), "Ann", "Bob"), "Cat", "Ann", "")
    assert players == ("Cat", "Ann", "Bob")
    save_settings(Settings(players=players, sources=("http://phone:8080/video",)), path)
    settings = load_settings(path)
    assert (settings.players, settings.sources) == (players, ("http://phone:8080/video",))
    many = remember([str(number) for number in range(99)], "new")
    assert many[0] == "new"
    assert len(many) < 20


@pytest.mark.parametrize("written", ['"Ann"', "3", "null", '{"Ann": 1}', "[3, null]", '["a\\nb"]'])
def test_what_is_no_list_of_names_is_not_remembered(tmp_path: Path, written: str) -> None:
    path = tmp_path / "settings.json"
    path.write_text(f'{{"players": {written}, "speak": true}}')
    assert (load_settings(path).players, load_settings(path).speak) == ((), True)
