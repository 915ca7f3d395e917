"""Runs the scenarios of `drive_window.py`, each once for all the tests that ask what it saw."""

from __future__ import annotations

import atexit
import functools
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from tests.support.made_once import answered_once, made_once
from tests.support.scripted import LONG_NAME

HERE = Path(__file__).parent
WINDOW = HERE / "drive_window.py"
TARGET_DP = 48
AS_PHONE = {"SHITHEAD_AS_PHONE": "1"}
"""Has `as_phone.py` hide what a phone lacks."""


def answer_of(program: Path, arguments: list[str], environment: dict[str, str]) -> dict[str, Any]:
    """Run a program that drives a window without a display. Return what it printed last, as JSON."""
    done = run(program, arguments, {**environment, "SDL_VIDEODRIVER": "offscreen", "LANG": "C"})
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
        done = run(WINDOW, ["look", "1280", "720"], environment, prefix)
        if done.returncode == 0:
            # What it saw is kept: the first test needs no window of its own.
            return {"environment": environment, "prefix": prefix, "look": answer_in(done.stdout)}
    return {}


def run(
    program: Path, arguments: list[str], environment: dict[str, str], prefix: tuple[str, ...] = ()
) -> subprocess.CompletedProcess[str]:
    """Run a program that drives a window; where it sees the same, in a fork that has its modules already."""
    # To compile what draws takes a second, unless another window of this run has done it.
    shaders = str(made_once("shaders", lambda _folder: None))
    surroundings = {**os.environ, "MESA_SHADER_CACHE_DIR": shaders, **environment}
    if not prefix and forks(program, arguments, environment):
        return _forking(environment.get("SHITHEAD_AS_PHONE", "")).walk(program, arguments, surroundings)
    return subprocess.run(
        [*prefix, sys.executable, str(program), *arguments],
        env=surroundings,
        capture_output=True,
        text=True,
        timeout=1500,  # only against a process that hangs
        check=False,
    )


def forks(program: Path, arguments: list[str], environment: dict[str, str]) -> bool:
    """Tell whether a scenario sees the same in a fork of `warm.py`.

    Type of another size is chosen when Kivy is loaded, and so is the slow clock that a film needs.
    """
    return (
        hasattr(os, "fork")
        and program.stem in ("drive_app", "drive_window")
        and arguments[0] not in ("film", "speed")
        and float(environment.get("KIVY_METRICS_FONTSCALE", "1")) == 1
        and environment.get("SDL_VIDEODRIVER") == "offscreen"
    )


class Forking:
    """A process that runs one scenario after the other, each in a fork (see `warm.py`)."""

    def __init__(self, as_phone: str) -> None:
        self.folder = tempfile.TemporaryDirectory(prefix="shithead-forks-")
        self.printed, self.errors = (Path(self.folder.name, name) for name in ("printed", "errors"))
        phone = {"SHITHEAD_AS_PHONE": as_phone} if as_phone else {}
        self.process = subprocess.Popen(
            [sys.executable, str(HERE / "warm.py")],
            env={**os.environ, "SDL_VIDEODRIVER": "offscreen", "LANG": "C", **phone},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.orders, self.answers = self.process.stdin, self.process.stdout
        atexit.register(self.close)
        assert self.answers.readline() == "ready\n", "warm.py failed: run it to see why"

    def walk(
        self, program: Path, arguments: list[str], environment: dict[str, str]
    ) -> subprocess.CompletedProcess[str]:
        order = {"program": program.stem, "arguments": arguments, "environment": environment}
        order |= {"printed": str(self.printed), "errors": str(self.errors)}
        self.orders.write(json.dumps(order) + "\n")
        self.orders.flush()
        status = int(self.answers.readline())
        printed, errors = self.printed.read_text("utf-8"), self.errors.read_text("utf-8")
        return subprocess.CompletedProcess(arguments, status, printed, errors)

    def close(self) -> None:
        """Let the process end, which waits for orders."""
        self.orders.close()
        self.process.wait()
        self.answers.close()
        self.folder.cleanup()


@functools.cache
def _forking(as_phone: str) -> Forking:
    """Return the one of this process of tests, on a computer or as on a phone."""
    return Forking(as_phone)


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
        # A small screen comes with what a phone lacks, and so does the film that no picture is made of.
        phone = AS_PHONE if width == 360 or (scenario == "film" and len(more) == 1) else {}
        environment, prefix = where
        arguments = [scenario, str(width), str(height), *more]
        done = run(WINDOW, arguments, {**environment, **phone}, prefix)
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
