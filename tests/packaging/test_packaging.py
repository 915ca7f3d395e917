"""What an installed program needs beside its code travels with it."""

from __future__ import annotations

import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("companion", "datasets", "engine", "models", "vision")
NEEDED = (
    *(f"models/faces/{name}" for name in ("whole.onnx", "corner.onnx", "strip.onnx", "fusion.json")),
    *("models/indices/indices.onnx", "models/indices/indices.json"),
    *("models/outlines/outlines.onnx", "models/outlines/outlines.json"),
    *(f"engine/rulesets/{n}.toml" for n in ("winnersh", "jokers", "backpacker", "shed", "rulebook")),
    *("companion/app/screens/table.kv", "companion/locale/de/LC_MESSAGES/shithead.mo"),
    *("companion/assets/sample.mp4", "companion/assets/sample.truth.jsonl"),
)
"""Without one of these an installed program would not work."""


def packaged() -> set[str]:
    """The files that pyproject.toml's package data names, as setuptools reads it: globs per package."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    globs = project["tool"]["setuptools"]["package-data"]
    return {
        path.relative_to(ROOT).as_posix()
        for package, patterns in globs.items()
        for pattern in patterns
        for path in (ROOT / package.replace(".", "/")).glob(pattern)
        if path.is_file()
    }


def kept_data() -> list[str]:
    """The files of the packages, other than code, that git keeps."""
    try:
        listed = subprocess.run(
            ["git", "ls-files", "--", *PACKAGES], cwd=ROOT, capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("this is no git checkout")
    files = [name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]
    return [name for name in files if not name.endswith(".py")]


@pytest.mark.parametrize("name", NEEDED)
def test_what_the_program_needs_is_package_data(name: str) -> None:
    assert name in packaged()


def test_every_data_file_of_a_package_is_package_data() -> None:
    assert set(kept_data()) - packaged() == set()


def test_every_film_picture_and_network_that_ships_has_its_licence_named() -> None:
    licences = (ROOT / "companion" / "assets" / "LICENSES.md").read_text("utf-8")
    made = (".onnx", ".mp4", ".jsonl", ".ttf", ".wav", ".jpg", ".svg")
    for name in (name for name in kept_data() if name.endswith(made)):
        named = name if name.startswith("models/") else Path(name).name
        assert f"`{named}`" in licences, f"{name}: under which licence is it?"
    for card in (line.split("`")[-2] for line in licences.splitlines() if "MODEL_CARD.md`" in line):
        assert "licen" in (ROOT / card).read_text("utf-8").lower()
