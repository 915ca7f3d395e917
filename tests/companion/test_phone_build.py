"""The recipe for Android agrees with what python-for-android's recipes say, as far as that was read."""

from __future__ import annotations

import configparser
import tomllib
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


def test_what_the_app_needs_is_required_and_nothing_a_phone_lacks(wanted: dict[str, str]) -> None:
    assert {"python3", "kivy", "numpy", "opencv", "sqlite3", "platformdirs", "camera4kivy"} <= set(wanted)
    assert not LACKING & set(wanted)


def test_a_version_that_is_asked_for_is_the_recipes_own(wanted: dict[str, str]) -> None:
    """A recipe builds its own version; another one is not patched for Android."""
    asked = {name: wanted[name] for name in RECIPES if wanted.get(name)}
    assert asked == {name: RECIPES[name]["version"] for name in asked}
    assert {"kivy", "camera4kivy"} <= set(asked)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert f"kivy=={wanted['kivy']}" in project["dependencies"]


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


@pytest.mark.parametrize("name", sorted(RECIPES))
def test_each_version_has_its_source_and_stands_in_the_docs(name: str) -> None:
    recipe = RECIPES[name]
    page = (ROOT / "docs" / "phone-build.md").read_text("utf-8")
    assert recipe["source"]
    assert isinstance(recipe["confirmed"], bool)
    assert recipe["version"] in page
    if not recipe["confirmed"]:
        assert f"**{name}" in page.partition("Not confirmed:")[2]
