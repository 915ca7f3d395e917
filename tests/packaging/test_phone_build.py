"""The recipe for Android, held against python-for-android's own: the release named is a test dependency."""

from __future__ import annotations

import configparser
import os
import re
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from companion.app.android_folders import LAST_ASKED_LEVEL

ROOT = Path(__file__).parents[2]
ANDROID = "http://schemas.android.com/apk/res/android"
LACKING = {"onnxruntime", "opencv-python", "torch", "torchvision", "ultralytics", "onnx"}
LEAST_OPENCV = (4, 12)
"""The oldest OpenCV known to read the networks of the package; docs/phone-build.md says what was tried."""
CAMERA_ANDROID_API = 33
"""Camera4Kivy's README (Android-for-Python/Camera4Kivy, c5cfaa262385b059b757474b38978c8ea43efae4)."""


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


@dataclass(frozen=True)
class Build:
    """What python-for-android would build, in the words of its recipes."""

    recipes: dict[str, Any]
    """Those it compiles, by name."""
    pure: set[str]
    """Packages that have no recipe: pip puts them in as they are."""


@pytest.fixture(scope="module")
def build(wanted: dict[str, str]) -> Build:
    """Return what python-for-android itself makes of the requirements; it needs no SDK for that."""
    from pythonforandroid.bootstrap import Bootstrap
    from pythonforandroid.build import Context
    from pythonforandroid.graph import get_recipe_order_and_bootstrap
    from pythonforandroid.recipe import Recipe

    context = Context()
    names, pure, _ = get_recipe_order_and_bootstrap(
        context, list(wanted), Bootstrap.get_bootstrap("sdl2", context)
    )
    return Build({name: Recipe.get_recipe(name, context) for name in names}, set(pure))


def project() -> dict[str, Any]:
    said: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return said


def pinned(package: str, among: list[str]) -> str:
    """Return the one version of a package that these requirements allow."""
    return next(item for item in among if item.startswith(f"{package}==")).partition("==")[2]


def numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.removeprefix("v").split("."))


def test_what_the_app_needs_is_required_and_nothing_a_phone_lacks(wanted: dict[str, str]) -> None:
    assert {"python3", "kivy", "numpy", "opencv", "sqlite3", "platformdirs", "camera4kivy"} <= set(wanted)
    assert not LACKING & set(wanted)


def test_what_is_compiled_has_a_recipe_and_the_rest_is_python_alone(build: Build) -> None:
    assert {"python3", "kivy", "numpy", "opencv", "sqlite3", "pyjnius", "android"} <= set(build.recipes)
    assert {"platformdirs", "plyer", "camera4kivy", "gestures4kivy"} <= build.pure
    assert not LACKING & (set(build.recipes) | build.pure)


def test_a_version_that_is_asked_for_is_the_recipes_own(wanted: dict[str, str], build: Build) -> None:
    """A recipe builds its own version; another one is not patched for Android."""
    asked = {name: version for name, version in wanted.items() if version and name in build.recipes}
    assert asked == {name: build.recipes[name].version for name in asked}
    assert wanted["kivy"] == pinned("kivy", project()["dependencies"])


def test_what_has_no_recipe_is_pinned(wanted: dict[str, str], build: Build) -> None:
    assert all(wanted[name] for name in build.pure & set(wanted))


def test_the_opencv_of_the_recipe_has_the_networks_module_and_reads_the_networks(build: Build) -> None:
    opencv = build.recipes["opencv"]
    assert "libopencv_dnn.so" in opencv.generated_libraries
    assert numbers(opencv.version) >= LEAST_OPENCV


def test_the_release_that_is_built_with_is_the_one_tested_against(app: configparser.SectionProxy) -> None:
    tested = pinned("python-for-android", project()["optional-dependencies"]["dev"])
    assert numbers(app["p4a.branch"]) == numbers(tested), "a release, by its tag, and no branch"
    assert "android.ndk" not in app, "buildozer takes the one that python-for-android recommends"


def test_api_and_architecture_are_those_that_recipes_and_camera_ask_for(
    app: configparser.SectionProxy, build: Build
) -> None:
    least = max(recipe.min_ndk_api_support for recipe in build.recipes.values())
    assert least <= int(app["android.ndk_api"]) <= int(app["android.minapi"])
    assert int(app["android.api"]) == CAMERA_ANDROID_API
    assert app["android.archs"] == "arm64-v8a"
    assert app["p4a.hook"] == "camerax_provider/gradle_options.py"
    assert "CAMERA" in app["android.permissions"]


def test_the_manifest_says_that_the_phones_voice_is_looked_for(app: configparser.SectionProxy) -> None:
    (action,) = manifest_of(app).findall("queries/intent/action")
    assert action.get(f"{{{ANDROID}}}name") == "android.intent.action.TTS_SERVICE"


def manifest_of(app: configparser.SectionProxy) -> ElementTree.Element:
    """Return the package's manifest: python-for-android's template, filled in from `buildozer.spec`.

    The files that this names are passed on as buildozer 1.6.0 does (`execute_build_package`): whole.
    """
    import pythonforandroid
    from jinja2 import ChainableUndefined, Environment

    with pytest.MonkeyPatch.context() as patch:
        # Else its module looks for what a build has written beside it.
        patch.setenv("P4A_BUILD_IS_RUNNING_UNITTESTS", "1")
        from pythonforandroid.bootstraps.common.build.build import parse_permissions

    template = "bootstraps/_sdl_common/build/templates/AndroidManifest.tmpl.xml"
    text = (Path(pythonforandroid.__file__).parent / template).read_text("utf-8")
    told: dict[str, Any] = {
        "permissions": parse_permissions([item.strip() for item in app["android.permissions"].split(",")]),
        "min_sdk_version": int(app["android.minapi"]),
        "meta_data": [],
        **{
            name: (ROOT / app[f"android.{name}"]).read_text("utf-8")
            for name in ("extra_manifest_xml", "extra_manifest_application_arguments")
        },
    }
    filled_in = Environment(undefined=ChainableUndefined).from_string(text).render(args=told)
    return ElementTree.fromstring(filled_in)


def test_leave_to_write_is_asked_for_up_to_android_10_which_heeds_it_and_for_nothing_later(
    app: configparser.SectionProxy,
) -> None:
    manifest, android = manifest_of(app), f"{{{ANDROID}}}"
    (last,) = (
        asked.get(f"{android}maxSdkVersion")
        for asked in manifest.findall("uses-permission")
        if asked.get(f"{android}name") == "android.permission.WRITE_EXTERNAL_STORAGE"
    )
    assert last == str(LAST_ASKED_LEVEL)
    (application,) = manifest.findall("application")
    assert application.get(f"{android}requestLegacyExternalStorage") == "true"


def test_the_buildozer_that_builds_passes_the_manifests_files_on_as_they_are() -> None:
    """1.5.0 put them in quotation marks, which no manifest takes (kivy/buildozer, issues 1535 and 1611)."""
    steps = (ROOT / ".github" / "workflows" / "apk.yml").read_text("utf-8")
    (version,) = re.findall(r'"buildozer==([0-9.]+)"', steps)
    assert numbers(version) >= (1, 6)


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
    assert len(networks) == 4
    assert sum(path.stat().st_size for path in (*networks, tmp_path / "outlines.onnx")) < 12e6


def test_the_network_of_one_size_is_written_before_the_package() -> None:
    steps = (ROOT / ".github" / "workflows" / "apk.yml").read_text("utf-8")
    assert -1 < steps.find("-m models.outlines.one_size") < steps.find("buildozer android debug")
    for package in ("onnxruntime", "opencv-python"):
        version = pinned(package, project()["dependencies"])
        assert f'{package.replace("python", "python-headless")}=={version}"' in steps


def test_the_camera_provider_is_one_commit_and_no_branch() -> None:
    steps = (ROOT / ".github" / "workflows" / "apk.yml").read_text("utf-8")
    taken = re.findall(r"git -C camerax_provider checkout --detach ([0-9a-f]{40})\n", steps)
    assert len(taken) == steps.count("/camerax_provider.git") == 1
    assert (
        steps.find("/camerax_provider.git")
        < steps.find(taken[0])
        < steps.find("rm -rf camerax_provider/.git")
    )


def test_the_docs_name_the_versions_that_are_built(build: Build, wanted: dict[str, str]) -> None:
    page = (ROOT / "docs" / "phone-build.md").read_text("utf-8")
    rows = {row.split("|")[1].strip(): row for row in page.splitlines() if row.startswith("| ")}
    for name in ("python3", "kivy", "numpy", "opencv", "pyjnius", "sqlite3"):
        assert f"| {build.recipes[name].version.removeprefix('v')} |" in rows[name]
    for name in build.pure & set(wanted):
        assert f"| {wanted[name]} |" in rows[name]


AS_PHONE = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
from tests.e2e.windows import as_phone
as_phone.hide()
"""


def test_every_module_of_the_app_loads_without_what_a_phone_lacks() -> None:
    """Kivy's own modules need a window: in the tests of the screens that window opens on such a phone too."""
    code = """
import pathlib
for path in sorted(pathlib.Path("companion").rglob("*.py")):
    name = ".".join(path.with_suffix("").parts)
    if "screens" not in name and not name.endswith("__init__"):
        __import__(name)
assert as_phone.loaded() == []
"""
    done = subprocess.run(
        [sys.executable, "-c", AS_PHONE + code],
        cwd=ROOT,
        # What counts statements (`make coverage`) loads modules of its own.
        env={name: value for name, value in os.environ.items() if not name.startswith("COVERAGE")},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]


def test_the_weights_fit_a_phone() -> None:
    # `buildozer.spec` leaves out what needs onnxruntime, which a phone has not: 8-bit copies, and hands.
    found = (ROOT / "models").rglob("*.onnx")
    taken = [p for p in found if not p.name.endswith(".int8.onnx") and p.parent.name != "hands"]
    size = sum(path.stat().st_size for path in taken)
    assert size < 12_000_000
