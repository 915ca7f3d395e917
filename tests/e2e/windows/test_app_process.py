"""`shithead app` as a process of its own: with a window, without one, and interrupted."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType

import cv2
import numpy as np
import pytest

from companion.store.store import Store

PATIENCE_S = 60.0


@pytest.fixture
def film(tmp_path: Path) -> Path:
    """Return a film of an empty green table, two seconds long."""
    path = tmp_path / "table.mp4"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"mp4v"), 10, (320, 180))
    assert writer.isOpened()
    for _ in range(20):
        writer.write(np.full((180, 320, 3), (60, 90, 40), np.uint8))
    writer.release()
    return path


def environment(**changes: str) -> dict[str, str]:
    hidden = ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER")
    return {key: value for key, value in os.environ.items() if key not in hidden} | changes


def home_in(folder: Path) -> dict[str, str]:
    """Return what makes `folder` the home of whoever starts the program, with the usual folders."""
    kinds = {"CACHE": ".cache", "CONFIG": ".config", "DATA": ".local/share", "STATE": ".local/state"}
    return {"HOME": str(folder)} | {f"XDG_{kind}_HOME": str(folder / name) for kind, name in kinds.items()}


@contextmanager
def start(folder: Path, *arguments: str, **changes: str) -> Iterator[subprocess.Popen[str]]:
    """Run the program in `folder`; it does not outlive the block."""
    command = [sys.executable, "-m", "companion.cli", "app", *arguments]
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=environment(**changes),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def has_game(path: Path) -> bool:
    if not path.exists():
        return False
    with Store.open(path) as store:
        return bool(store.games())


def play_until_it_is_kept(
    film: Path,
    folder: Path,
    store: Path,
    number: signal.Signals = signal.SIGTERM,
    changes: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """Open the window on the film, and end it with a signal once its game stands in the store."""
    arguments = (str(film), "--players", "Ann,Bob", "--store", str(store))
    with start(folder, *arguments, SDL_VIDEODRIVER="offscreen", **changes) as process:
        deadline = time.monotonic() + PATIENCE_S
        while not has_game(store) and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.05)
        if process.poll() is not None:
            errors = process.communicate()[1]
            if "no window can be opened" in errors:
                pytest.skip(f"no OpenGL here: {errors.strip()}")
            pytest.fail(f"ended with status {process.returncode}: {errors}")
        assert has_game(store)
        process.send_signal(number)
        _, errors = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, "Traceback" in errors) == (0, False), errors


def check_closed(store: Path) -> None:
    with Store.open(store) as opened:
        (game,) = opened.games()
        assert (game.players, game.finished) == (("Ann", "Bob"), None)


def test_what_a_window_that_was_told_to_end_leaves_lies_in_the_programs_own_folders_and_goes_with_erase(
    film: Path, tmp_path: Path
) -> None:
    """Its toolkit and the graphics driver keep caches, which tell what was run here."""
    home = tmp_path / "home"
    home.mkdir()
    play_until_it_is_kept(film, tmp_path, tmp_path / "s.sqlite", changes=home_in(home))
    check_closed(tmp_path / "s.sqlite")
    left = [str(path.relative_to(home)) for path in home.rglob("*") if path.is_file()]
    assert [path for path in left if "shithead" not in Path(path).parts] == []
    erase = [sys.executable, "-m", "companion.cli", "erase", "--yes"]
    subprocess.run(erase, check=True, env=environment(**home_in(home)), capture_output=True)
    assert [path for path in home.rglob("*") if path.is_file()] == []


@pytest.mark.parametrize(
    ("damaged", "told"),
    [
        (b"[kivy]\nlog_level = nonsense\n[graphics]\nwidth = x\n", signal.SIGTERM),
        (b"\xff\x00[", signal.SIGINT),
    ],
)
def test_a_damaged_configuration_of_the_toolkit_stops_no_window_and_a_signal_closes_it_and_its_store(
    film: Path, tmp_path: Path, damaged: bytes, told: signal.Signals
) -> None:
    home = tmp_path / "home"
    configs = [home / folder / "config.ini" for folder in (".kivy", ".cache/shithead/kivy")]
    for config in configs:
        config.parent.mkdir(parents=True)
        config.write_bytes(damaged)
    set_wrongly = {"KCFG_KIVY_LOG_LEVEL": "nonsense"}
    play_until_it_is_kept(film, tmp_path, tmp_path / "s.sqlite", told, changes=home_in(home) | set_wrongly)
    check_closed(tmp_path / "s.sqlite")
    assert [config.read_bytes() for config in configs] == [damaged] * 2, "what others set up is theirs"


def test_without_a_display_it_says_so_and_writes_no_picture_unasked(film: Path, tmp_path: Path) -> None:
    with start(tmp_path, str(film), "--players", "Ann,Bob") as process:
        _, errors = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, errors
    assert errors.splitlines()[0].startswith("shithead app: no display here")
    assert list(tmp_path.iterdir()) == [film]


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        (("no-such-film.mp4", "--players", "Ann,Bob"), "no-such-film.mp4: no such file"),
        (("film", "--players", "Ann,Bob", "--rules", "poker"), "'poker'"),
        (("film", "--players", "Ann"), "at least two"),
    ],
)
def test_what_cannot_be_played_is_one_line_and_status_2(
    film: Path, tmp_path: Path, arguments: tuple[str, ...], fault: str
) -> None:
    """Without a display; in a window the same line stands where the picture would be."""
    given = [str(film) if argument == "film" else argument for argument in arguments]
    with start(tmp_path, *given) as process:
        _, errors = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 2
    lines = [line for line in errors.splitlines() if "no display here" not in line]
    assert len(lines) == 1
    assert fault in lines[0]
    assert list(tmp_path.iterdir()) == [film]
