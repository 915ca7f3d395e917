"""Games by touch, killed at random moments again and again: nothing that was shown is lost."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.faults import killing


def test_killed_at_random_moments_no_event_that_was_shown_is_lost(tmp_path: Path) -> None:
    """A few dozen kills; hundreds with SHITHEAD_KILLS=400, or by running killing.py itself."""
    rounds = os.environ.get("SHITHEAD_KILLS", "24")
    program = Path(__file__).with_name("killing.py")
    run = [sys.executable, str(program), str(tmp_path / "s.sqlite"), "--rounds", rounds]
    kept = tmp_path / "kept.jsonl"
    env = {**os.environ, "SHITHEAD_MEASURED": str(kept)}
    done = subprocess.run(run, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["events"] > 0
    assert told["before_anything"] < told["rounds"]
    assert counted(kept) == {
        "kills": told["rounds"],
        "kills_before_anything": told["before_anything"],
        "kills_that_lost": 0,
    }


def test_a_kill_that_lost_something_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def loses(*_: Any) -> None:
        raise SystemExit("lost")

    kept = tmp_path / "kept.jsonl"
    monkeypatch.setenv("SHITHEAD_MEASURED", str(kept))
    monkeypatch.setattr(sys, "argv", ["killing.py", str(tmp_path / "s.sqlite")])
    monkeypatch.setattr(killing, "killed_after", lambda *_, **__: [{"lines": []}])
    monkeypatch.setattr(killing, "check", loses)
    with pytest.raises(SystemExit, match="lost"):
        killing.main()
    assert counted(kept) == {"kills": 1, "kills_before_anything": 0, "kills_that_lost": 1}


def counted(kept: Path) -> dict[str, float]:
    return {row["what"]: row["value"] for row in map(json.loads, kept.read_text().splitlines())}
