"""What an installed program needs beside its code travels with it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hatchling.builders.wheel import WheelBuilder

ROOT = Path(__file__).parents[2]
PACKAGES = ("companion", "engine", "models", "vision")
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
    """The files of the wheel, by their paths in the checkout."""
    included = WheelBuilder(str(ROOT)).recurse_included_files()
    return {Path(file.relative_path).as_posix() for file in included}


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
def test_what_the_program_needs_is_in_the_wheel(name: str) -> None:
    assert name in packaged()


def test_every_data_file_that_the_app_may_need_is_in_the_wheel() -> None:
    left_out = set(kept_data()) - packaged()
    assert {name for name in left_out if not name.startswith("models/")} == set()
    assert {Path(name).suffix for name in left_out} <= {".md", ".png"}


def test_everything_in_the_wheel_lies_in_one_package() -> None:
    paths = [file.distribution_path for file in WheelBuilder(str(ROOT)).recurse_included_files()]
    assert {path.partition("/")[0] for path in paths} == {"shithead_referee"}


def test_what_renders_trains_and_measures_is_not_in_the_wheel() -> None:
    assert [name for name in packaged() if name.startswith(("datasets/", "scripts/", "tests/"))] == []
    assert [name for name in packaged() if name.startswith("models/") and name.endswith(".py")] == []


def test_every_film_picture_and_network_that_ships_has_its_licence_named() -> None:
    licences = (ROOT / "companion" / "assets" / "LICENSES.md").read_text("utf-8")
    made = (".onnx", ".mp4", ".jsonl", ".ttf", ".wav", ".jpg", ".svg")
    for name in (name for name in kept_data() if name.endswith(made)):
        named = name if name.startswith("models/") else Path(name).name
        assert f"`{named}`" in licences, f"{name}: under which licence is it?"
    for card in (line.split("`")[-2] for line in licences.splitlines() if "MODEL_CARD.md`" in line):
        assert "licen" in (ROOT / card).read_text("utf-8").lower()
