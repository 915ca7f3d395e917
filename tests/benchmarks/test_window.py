"""How fast the window is on the sample film. Run: `pytest -m benchmark -s tests/benchmarks/test_window.py`.

The first picture counts from the moment in which the program's own modules are imported; Python itself and
numpy come before that. Drawing is done in software off the screen, so a graphics card is faster.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

DRIVER = Path(__file__).parent.parent / "companion" / "drive_window.py"


@pytest.mark.benchmark
def test_start_and_frame_rate(measured: Callable[[str, float], None]) -> None:
    done = subprocess.run(
        [sys.executable, str(DRIVER), "speed", "1280", "720"],
        env={**os.environ, "SDL_VIDEODRIVER": "offscreen"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    print({name: round(value, 2) for name, value in told.items()})
    measured("first_picture_s", told["first_picture_s"])
    measured("frames_per_second", told["frames_per_second"])
    assert told["first_picture_s"] < 3.0
    assert told["frames_per_second"] >= 25.0
