"""Runs the scenarios of `drive_window.py`, each once for all the tests that ask what it saw."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.made_once import answered_once
from tests.support.scripted import LONG_NAME

HERE = Path(__file__).parent
TARGET_DP = 48
AS_PHONE = {"SHITHEAD_AS_PHONE": "1"}
"""Has `as_phone.py` hide what a phone lacks."""


def answer_of(arguments: list[str], environment: dict[str, str]) -> dict[str, Any]:
    """Run a program that drives a window without a display. Return what it printed last, as JSON."""
    done = subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, **environment, "SDL_VIDEODRIVER": "offscreen", "LANG": "C"},
        capture_output=True,
        text=True,
        timeout=600,  # only against a process that hangs
        check=False,
    )
    if "no window can be opened" in done.stderr:
        pytest.skip("no OpenGL here")
    assert done.returncode == 0, done.stderr[-3000:]
    return answer_in(done.stdout)


def display() -> tuple[dict[str, str], tuple[str, ...]] | None:
    """Return the environment and the prefix under which a window opens here, or None."""
    found = answered_once("display", _look_for_display)
    return (found["environment"], tuple(found["prefix"])) if found else None


def _look_for_display() -> dict[str, Any]:
    attempts: list[tuple[dict[str, str], tuple[str, ...]]] = [({"SDL_VIDEODRIVER": "offscreen"}, ())]
    if shutil.which("xvfb-run"):
        attempts.append(({}, ("xvfb-run", "-a", "-s", "-screen 0 1920x1200x24")))
    for environment, prefix in attempts:
        done = run(environment, prefix, "look", 1280, 720)
        if done.returncode == 0:
            # What it saw is kept: the first test needs no window of its own.
            return {"environment": environment, "prefix": prefix, "look": answer_in(done.stdout)}
    return {}


def run(
    environment: dict[str, str], prefix: tuple[str, ...], scenario: str, width: int, height: int, *more: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*prefix, sys.executable, str(HERE / "drive_window.py"), scenario, str(width), str(height), *more],
        # A phone's small screen comes with what a phone lacks, and so does the film.
        env={**os.environ, **environment, **(AS_PHONE if width == 360 or scenario == "film" else {})},
        capture_output=True,
        text=True,
        timeout=1500,  # only against a process that hangs
        check=False,
    )


def answer_in(printed: str) -> dict[str, Any]:
    """Return what a program printed last, as JSON."""
    answer: dict[str, Any] = json.loads(printed.splitlines()[-1])
    return answer


def drive(scenario: str, width: int = 1280, height: int = 720, *more: str) -> dict[str, Any]:
    """Return what a scenario saw. Unless it is given `more`, it runs once for all that ask."""
    where = display()
    if where is None:
        pytest.skip("no OpenGL here, neither off-screen nor under Xvfb")
    if (scenario, width, height, *more) == ("look", 1280, 720):
        look: dict[str, Any] = answered_once("display", _look_for_display)["look"]
        return look

    def drive_anew() -> dict[str, Any]:
        done = run(*where, scenario, width, height, *more)
        assert done.returncode == 0, done.stderr[-3000:]
        return answer_in(done.stdout)

    return drive_anew() if more else answered_once(f"drive-{scenario}-{width}x{height}", drive_anew)


def small_targets(measures: dict[str, Any]) -> list[Any]:
    # Half a pixel is lost to rounding where rows share a height.
    return [target for target in measures["targets"] if min(target[1:]) < TARGET_DP - 0.5]


def cut_texts(measures: dict[str, Any]) -> list[str]:
    """Return what is cut, save paths and a name of fifty letters: where they stand alone."""
    cut: list[str] = measures["cut"]
    return [text for text in cut if text.strip("▶↻↺ ") != LONG_NAME and "/" not in text]
