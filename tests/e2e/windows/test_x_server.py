"""The other tests draw into memory; here the same walk goes through a window on an X server."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.windows.test_screens import HERE, fill, walk


@pytest.mark.skipif(shutil.which("xvfb-run") is None, reason="needs xvfb-run")
def test_the_screens_are_the_same_on_an_x_server(tmp_path: Path) -> None:
    store = tmp_path / "evenings.sqlite"
    fill(store, "screens")
    folders = {f"XDG_{kind}": str(tmp_path) for kind in ("CONFIG_HOME", "DATA_HOME", "CACHE_HOME")}
    kept = {name: value for name, value in os.environ.items() if name != "SDL_VIDEODRIVER"}
    server = ("xvfb-run", "-a", "-s", "-screen 0 1920x1200x24")
    done = subprocess.run(
        [*server, sys.executable, str(HERE / "drive_app.py"), "screens", "1280", "720", str(store)],
        env={**kept, **folders, "HOME": str(tmp_path), "LANG": "C", "SDL_VIDEODRIVER": "x11"},
        capture_output=True,
        text=True,
        timeout=600,  # only against a process that hangs
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    seen, drawn_into_memory = json.loads(done.stdout.splitlines()[-1]), walk("screens")
    assert sorted(seen) == sorted(drawn_into_memory)
    for screen in ("table", "large", "log", "rules", "deck"):
        assert seen[screen], screen
        assert seen[screen] == drawn_into_memory[screen], screen
