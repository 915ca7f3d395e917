"""The recipe for Android agrees with what python-for-android's recipes say, as far as that was read."""

from __future__ import annotations

import configparser
import subprocess
import tomllib
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
RECIPES: dict[str, dict[str, Any]] = tomllib.loads(
    Path(__file__).with_name("android_recipes.toml").read_text("utf-8")
)
LACKING = {"onnxruntime", "opencv-python", "torch", "torchvision", "ultralytics", "onnx"}


@pytest.fixture(scope="module")
def app() -> configparser.SectionProxy:
    spec = configparser.ConfigParser(interpolation=None)
    spec.read(ROOT / "buildozer.spec", encoding="utf-8")
    return spec["app"]


@pytest.fixture(scope="module")
def wanted(app: configparser.SectionProxy) -> dict[str, str]:
    """Return the required packages with the version that is asked for, empty where the recipe decides."""
    parts = (item.strip().partition("==") for item in app["requirements"].split(","))
    return {name: version for name, _, version in parts}


def project() -> dict[str, Any]:
    said: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return said


def test_what_the_app_needs_is_required_and_nothing_a_phone_lacks(wanted: dict[str, str]) -> None:
    assert {"python3", "kivy", "numpy", "opencv", "sqlite3", "platformdirs", "camera4kivy"} <= set(wanted)
    assert not LACKING & set(wanted)


def test_a_version_that_is_asked_for_is_the_recipes_own(wanted: dict[str, str]) -> None:
    """A recipe builds its own version; another one is not patched for Android."""
    asked = {name: wanted[name] for name in RECIPES if wanted.get(name)}
    assert asked == {name: RECIPES[name]["version"] for name in asked}
    assert {"kivy", "camera4kivy"} <= set(asked)
    assert f"kivy=={wanted['kivy']}" in project()["dependencies"]


def test_a_release_of_python_for_android_is_named_and_no_branch(app: configparser.SectionProxy) -> None:
    assert app["p4a.branch"] == RECIPES["python-for-android"]["version"]
    assert "android.ndk" not in app, "buildozer takes the one that python-for-android recommends"


def test_api_and_architecture_are_those_that_recipes_and_camera_ask_for(
    app: configparser.SectionProxy,
) -> None:
    least = RECIPES["numpy"]["least_ndk_api"]
    assert int(app["android.minapi"]) >= least
    assert int(app["android.ndk_api"]) >= least
    assert int(app["android.ndk_api"]) <= int(app["android.minapi"])
    assert int(app["android.api"]) == RECIPES["camera4kivy"]["android_api"]
    assert app["android.archs"] == "arm64-v8a"
    assert app["p4a.hook"] == "camerax_provider/gradle_options.py"
    assert "CAMERA" in app["android.permissions"]


def test_the_package_holds_whatever_the_app_reads(app: configparser.SectionProxy) -> None:
    assert {"kv", "toml", "onnx", "mo", "json"} <= set(app["source.include_exts"].split(","))


def packed(app: configparser.SectionProxy, files: list[str]) -> set[str]:
    """Return which files buildozer takes: by their endings, without excluded folders and patterns."""
    kinds, folders, patterns = (
        [part.strip() for part in app[f"source.{key}"].split(",")]
        for key in ("include_exts", "exclude_dirs", "exclude_patterns")
    )
    return {
        name
        for name in files
        if name.rpartition(".")[2] in kinds
        and not any(name.startswith(f"{folder}/") for folder in folders)
        and not any(fnmatch(name, pattern) for pattern in patterns)
    }


def test_the_packages_networks_are_those_that_its_opencv_reads_and_stay_under_12_mb(
    app: configparser.SectionProxy, tmp_path: Path
) -> None:
    """The outline network is the one that is written for pictures of one size, not the one that ships."""
    pytest.importorskip("onnx")
    from models.outlines.one_size import PACKED, SHIPPED, write_one_size

    try:
        kept = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("this is no git checkout")
    written = [path.relative_to(ROOT).as_posix() for path in (PACKED, PACKED.with_suffix(".json"))]
    taken = packed(app, [*kept.stdout.splitlines(), *written])
    assert {*written, "models/faces/whole.onnx", "models/indices/indices.json", "main.py"} <= taken
    assert not {path.relative_to(ROOT).as_posix() for path in (SHIPPED, SHIPPED.with_suffix(".json"))} & taken
    write_one_size(SHIPPED, tmp_path / "outlines.onnx")
    networks = [ROOT / name for name in taken if name.endswith(".onnx") and name not in written]
    assert len(networks) == 3
    assert sum(path.stat().st_size for path in (*networks, tmp_path / "outlines.onnx")) < 12e6


def test_the_network_of_one_size_is_written_before_the_package() -> None:
    steps = (ROOT / ".github" / "workflows" / "apk.yml").read_text("utf-8")
    assert -1 < steps.find("-m models.outlines.one_size") < steps.find("buildozer android debug")
    for package in ("onnxruntime", "opencv-python"):
        pinned = next(p for p in project()["dependencies"] if p.startswith(f"{package}==")).partition("==")[2]
        assert f'{package.replace("python", "python-headless")}=={pinned}"' in steps


@pytest.mark.parametrize("name", sorted(RECIPES))
def test_each_version_has_its_source_and_stands_in_the_docs(name: str) -> None:
    recipe = RECIPES[name]
    page = (ROOT / "docs" / "phone-build.md").read_text("utf-8")
    assert recipe["source"]
    assert isinstance(recipe["confirmed"], bool)
    assert recipe["version"] in page
    if not recipe["confirmed"]:
        assert f"**{name}" in page.partition("Not confirmed:")[2]
