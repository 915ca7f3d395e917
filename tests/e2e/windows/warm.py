"""Run as a program: loads what window programs need, and runs each of them in a fork of itself.

It reads orders on stdin, one JSON line each: which program of this folder (`drive_app`, `drive_window`) with
which arguments, in which environment, and the files for what it prints. It answers each with the status that
the program ended with. Loading modules is half of what a short scenario takes. No window is open here: a fork
could not draw on it. Each fork opens its own, in the moment in which the program asks Kivy for the window.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import signal
import sys
import traceback
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[3]))

import tests.e2e.windows.as_phone  # noqa: F401 - before the app, from which it may hide something
from companion.app.window import prepare_kivy
from tests.e2e.windows import drive_app, drive_window
from tests.e2e.windows.walker import TICKS_A_SECOND, tick_at_most

PROGRAMS = {"drive_app": drive_app.main, "drive_window": drive_window.main}
SCREENS = ("application", "demonstration", "setup", "table", "tour")
"""Modules of the app that are loaded before a window is open, with what they load."""
PATIENCE_S = 600
"""Only against a scenario that hangs."""


def main() -> None:
    prepare_kivy()
    tick_at_most(TICKS_A_SECOND)
    load_without_window()
    gc.collect()
    gc.freeze()
    print("ready", flush=True)
    for line in sys.stdin:
        process = os.fork()
        if not process:
            walk(json.loads(line))
        print(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), flush=True)


def load_without_window() -> None:
    """Load the app. Its modules get a window that is opened only when it is asked for once more."""
    from kivy import core

    select = core.core_select_lib

    def unopened(category: str, libraries: Any, *_: bool) -> Any:
        kind = select(category, libraries)
        return kind.__new__(kind)

    core.core_select_lib = unopened
    module: Any = importlib.import_module("kivy.core.window")
    core.core_select_lib = select
    window = module.Window

    def opened(name: str) -> Any:
        if name != "Window":
            raise AttributeError(name)
        module.Window = window
        window.__init__()
        return window

    importlib.import_module("kivy.tests.common")
    for name in SCREENS:
        importlib.import_module(f"companion.app.screens.{name}")
    del module.Window
    module.__getattr__ = opened


def walk(order: dict[str, Any]) -> None:
    """Be the program that is ordered, to its end."""
    status = 1
    try:
        for name, descriptor in (("printed", 1), ("errors", 2)):
            os.dup2(os.open(order[name], os.O_WRONLY | os.O_CREAT | os.O_TRUNC), descriptor)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        signal.alarm(PATIENCE_S)
        gc.set_threshold(100_000, 50, 50)  # to look through thousands of widgets again and again takes long
        os.environ.clear()
        os.environ.update(order["environment"])
        sys.argv = [order["program"], *order["arguments"]]
        from kivy.clock import Clock

        Clock.tick()  # its time begins now, and not when it was loaded
        PROGRAMS[order["program"]]()
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


if __name__ == "__main__":
    main()
