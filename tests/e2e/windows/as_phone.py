"""Hides what a phone lacks. Programs that tests run import it before the app, with SHITHEAD_AS_PHONE set."""

from __future__ import annotations

import importlib.util
import os
import sys
from typing import Any

LACKING = (
    *("onnxruntime", "torch", "torchvision", "ultralytics", "onnx"),
    *("bz2", "_bz2", "lzma", "_lzma", "curses", "dbm", "grp", "multiprocessing", "readline", "syslog"),
    *("ensurepip", "idlelib", "lib2to3", "test", "tkinter", "turtledemo", "venv"),
)
"""What has no recipe; and of the standard library what Python lacks on Android (docs.python.org,
"Availability: not Android"), what python-for-android's recipe leaves out (`stdlib_dir_blacklist`), and what
it builds only with recipes that `buildozer.spec` does not ask for."""


class _Lacking:
    """Stands before everything that finds modules."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        if _lacks(name):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def _lacks(name: str) -> bool:
    return name.partition(".")[0] in LACKING


def hide() -> None:
    """Let this process find none of them from now on."""
    sys.meta_path.insert(0, _Lacking())
    found = importlib.util.find_spec
    importlib.util.find_spec = lambda name, package=None: None if _lacks(name) else found(name, package)


def loaded() -> list[str]:
    """Return which of them are loaded."""
    # What counts statements (`make coverage`) loads modules of its own, before this one.
    allowed = ("multiprocessing",) if any(name.startswith("COVERAGE") for name in os.environ) else ()
    return sorted(name for name in sys.modules if name in LACKING and name not in allowed)


if "SHITHEAD_AS_PHONE" in os.environ:
    hide()
