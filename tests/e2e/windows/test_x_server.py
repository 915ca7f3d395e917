"""The other tests draw into memory; here the same scenario goes through a window on an X server."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.e2e.windows.driven import WINDOW, answer_in, drive, run


@pytest.mark.skipif(shutil.which("xvfb-run") is None, reason="needs xvfb-run")
def test_the_table_is_the_same_on_an_x_server(tmp_path: Path) -> None:
    folders = {f"XDG_{kind}": str(tmp_path) for kind in ("CONFIG_HOME", "DATA_HOME", "CACHE_HOME")}
    environment = {**folders, "HOME": str(tmp_path), "LANG": "C", "SDL_VIDEODRIVER": "x11"}
    server = ("xvfb-run", "-a", "-s", "-screen 0 1920x1200x24")
    done = run(WINDOW, ["look", "1280", "720"], environment, server)
    assert done.returncode == 0, done.stderr[-3000:]
    seen, drawn_into_memory = answer_in(done.stdout), drive("look")
    assert seen["start"]["log"], "something is shown"
    assert seen == drawn_into_memory
