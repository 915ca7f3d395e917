"""The power is cut at random writes of the store: nothing that had been shown is lost."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from tests.faults import power_cuts
from tests.support.cut_disk import CutDisk


def test_after_a_power_cut_the_store_holds_all_that_was_shown(tmp_path: Path) -> None:
    """A hundred cuts; 10,000 with SHITHEAD_CUTS=10000, or by running power_cuts.py itself."""
    cuts, kept = os.environ.get("SHITHEAD_CUTS", "100"), tmp_path / "kept.jsonl"
    program = Path(__file__).with_name("power_cuts.py")
    run = [sys.executable, str(program), str(tmp_path / "cut"), "--cuts", cuts]
    env = {**os.environ, "SHITHEAD_MEASURED": str(kept)}
    done = subprocess.run(run, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert set(told["cut_in"]) == {"journal", "main", "wal"}, "a new store, a checkpoint and a game were cut"
    assert told["events"] > 0
    assert counted(kept) == {"power_cuts": int(cuts), "power_cuts_that_lost": 0}


def test_a_disk_that_does_not_sync_is_found_out(tmp_path: Path) -> None:
    """If this test fails, the one above proves nothing."""

    def cut_often() -> None:
        rng, confirmed = random.Random(1), power_cuts.Held()
        for _ in range(200):
            confirmed = power_cuts.cut(CutDisk(tmp_path, syncs=False), confirmed, rng)

    with pytest.raises(SystemExit, match=r"confirmed|damage"):
        cut_often()


def test_a_power_cut_that_lost_something_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def loses(*_: object) -> None:
        raise SystemExit("lost")

    kept = tmp_path / "kept.jsonl"
    monkeypatch.setenv("SHITHEAD_MEASURED", str(kept))
    monkeypatch.setattr(sys, "argv", ["power_cuts.py", str(tmp_path / "cut")])
    monkeypatch.setattr(power_cuts, "cut", loses)
    with pytest.raises(SystemExit, match="lost"):
        power_cuts.main()
    assert counted(kept) == {"power_cuts": 1, "power_cuts_that_lost": 1}


def counted(kept: Path) -> dict[str, float]:
    return {row["what"]: row["value"] for row in map(json.loads, kept.read_text().splitlines())}
