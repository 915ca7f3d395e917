"""A training command without its packages ends with one line."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from models.shared.extra import PACKAGES

ROOT = Path(__file__).parents[3]
WITHOUT = 'raise ModuleNotFoundError("No module named \'torch\'", name="torch")\n'


def run_without_torch(module: str, folder: Path) -> subprocess.CompletedProcess[str]:
    (folder / "torch.py").write_text(WITHOUT)
    path = os.pathsep.join((str(folder), str(ROOT)))
    return subprocess.run(
        [sys.executable, "-m", module, "--help"],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize("network", ["faces", "faces.strip", "indices", "outlines", "onestage"])
def test_training_without_torch_says_how_to_add_it(network: str, tmp_path: Path) -> None:
    ended = run_without_torch(f"models.{network}.train", tmp_path)
    assert ended.returncode == 2
    assert ended.stderr == "torch is missing; `make train` adds it, or: pip install -e '.[train]'\n"


def test_a_command_that_needs_no_torch_runs_without_it(tmp_path: Path) -> None:
    ended = run_without_torch("models.checksums", tmp_path)
    assert (ended.returncode, ended.stderr) == (0, "")


def test_the_named_packages_are_those_of_the_extra() -> None:
    extra = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    assert set(PACKAGES) == {re.split(r"[<>=!~\[]", line)[0] for line in extra["train"]}
