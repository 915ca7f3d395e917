"""What is released is built, installed outside the checkout, and run there.

Both files are built here, without the isolation that would ask the package index for hatchling. With
`SHITHEAD_DIST` set to a folder, the wheel and the source distribution that lie there are tried instead.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import venv
import zipfile
from pathlib import Path

import cv2
import pytest

ROOT = Path(__file__).parents[2]
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
DEALT_S = (16.4, 19.9)
"""The seconds of the film that ships in which the deal ends and is told."""
SITUATION = {
    "rules": "winnersh",
    "players": ["Ann", "Bob"],
    "turn": "Ann",
    "pile": ["KH"],
    "cards": {"Ann": {"hand": ["7H", "AH"]}},
    "action": {"type": "play", "player": "Ann", "cards": ["7H"], "source": "hand"},
}

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("build") is None, reason="build is not installed (make dev)"
)


def away_from_the_checkout(home: Path) -> dict[str, str]:
    """An environment as after an installation: no path leads to the checkout."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTHON", "SHITHEAD", "XDG"))
    }
    return {**kept, "HOME": str(home), "SDL_VIDEODRIVER": "offscreen"}


def run(*command: str | Path, cwd: Path, stdin: str = "") -> str:
    """The output of a command, run as after an installation."""
    done = subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env=away_from_the_checkout(cwd),
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{command}: {done.stderr[-3000:]}"
    return done.stdout


def kept() -> set[str]:
    """The files that git keeps."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("this is no git checkout")
    return {name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()}


def build(kind: str, source: Path, out: Path) -> Path:
    """The wheel or sdist of a folder."""
    run(
        *(sys.executable, "-m", "build", "--no-isolation", f"--{kind}", "--outdir", out),
        source,
        cwd=source.parent,
    )
    (made,) = out.iterdir()
    return made


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The wheel and the sdist, of what git keeps: nothing that lies about in the folder gets into them."""
    given = os.environ.get("SHITHEAD_DIST")
    if given:
        (wheel,), (sdist,) = Path(given).glob("*.whl"), Path(given).glob("*.tar.gz")
        return wheel, sdist
    folder = tmp_path_factory.mktemp("release")
    for name in kept():
        (folder / "source" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, folder / "source" / name)
    return build("wheel", folder / "source", folder / "wheel"), build(
        "sdist", folder / "source", folder / "sdist"
    )


@pytest.fixture(scope="module")
def installed(released: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the programs of a fresh environment that has the wheel.

    What the wheel depends on is lent from the environment of the tests by a path, to spare a download of
    300 MB. Paths named there, such as the checkout's, are not followed.
    """
    home = tmp_path_factory.mktemp("installed")
    venv.create(home / "env", with_pip=False)
    scheme = {"base": str(home / "env"), "platbase": str(home / "env")}
    site, programs = (Path(sysconfig.get_path(name, "venv", scheme)) for name in ("purelib", "scripts"))
    python = programs / Path(sys.executable).name
    run(
        *(sys.executable, "-m", "pip", "--python", python, "install", "--quiet"),
        *("--disable-pip-version-check", "--no-deps", "--no-index", "--no-compile", released[0]),
        cwd=home,
    )
    (site / "lent.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
    return programs


def contents(wheel: Path) -> dict[str, str]:
    """A digest of each file in a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        return {name: hashlib.sha256(archive.read(name)).hexdigest() for name in archive.namelist()}


def test_the_source_distribution_builds_the_same_wheel(released: tuple[Path, Path], tmp_path: Path) -> None:
    wheel, sdist = released
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    (source,) = tmp_path.iterdir()
    assert contents(build("wheel", source, tmp_path / "again")) == contents(wheel)


def test_both_files_name_the_version_and_the_source_is_the_whole_checkout(
    released: tuple[Path, Path],
) -> None:
    wheel, sdist = released
    assert wheel.name == f"shithead_referee-{VERSION}-py3-none-any.whl"
    assert sdist.name == f"shithead_referee-{VERSION}.tar.gz"
    assert f"shithead_referee-{VERSION}.dist-info/licenses/LICENSE" in contents(wheel)
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert kept() - names == set()


def test_the_installed_program_is_the_wheels_own(installed: Path, tmp_path: Path) -> None:
    assert run(installed / "shithead", "--version", cwd=tmp_path).strip() == f"shithead {VERSION}"
    told = run(installed / "python", "-c", "import shithead_referee as it; print(it.__file__)", cwd=tmp_path)
    assert Path(told.strip()).is_relative_to(installed.parent)


def test_the_wheel_adds_one_name_to_the_environment(released: tuple[Path, Path]) -> None:
    tops = {name.partition("/")[0] for name in contents(released[0])}
    assert tops == {"shithead_referee", f"shithead_referee-{VERSION}.dist-info"}


def test_a_command_that_needs_a_checkout_says_so_in_one_line(installed: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [str(installed / "shithead"), "film", "out.mp4"],
        cwd=tmp_path,
        env=away_from_the_checkout(tmp_path),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "checkout" in done.stderr


def test_the_installed_program_rules_and_finds_its_weights(installed: Path, tmp_path: Path) -> None:
    ruling = json.loads(run(installed / "shithead", "judge", cwd=tmp_path, stdin=json.dumps(SITUATION)))
    assert ruling["verdict"] == "illegal"
    lines = run(installed / "shithead", "doctor", cwd=tmp_path).splitlines()
    assert [line.split()[:2] for line in lines][:2] == [["ok", "weights:"], ["ok", "rulesets:"]]


def test_the_installed_program_watches_the_film_that_ships(installed: Path, tmp_path: Path) -> None:
    (sample,) = installed.parent.glob("lib/**/shithead_referee/companion/assets/sample.mp4")
    film = cv2.VideoCapture(str(sample))
    size = int(film.get(cv2.CAP_PROP_FRAME_WIDTH)), int(film.get(cv2.CAP_PROP_FRAME_HEIGHT))
    fps = film.get(cv2.CAP_PROP_FPS)
    piece = cv2.VideoWriter(str(tmp_path / "piece.avi"), cv2.VideoWriter.fourcc(*"MJPG"), fps, size)
    film.set(cv2.CAP_PROP_POS_MSEC, 1000.0 * DEALT_S[0])
    for _ in range(int((DEALT_S[1] - DEALT_S[0]) * fps)):
        piece.write(film.read()[1])
    piece.release()
    seats = ("--players", "Ann,Bob,Cat", "--dealer", "Cat")
    run(
        *(installed / "shithead", "watch", "piece.avi", "--headless", *seats, "--events", "events.jsonl"),
        cwd=tmp_path,
    )
    (event,) = map(json.loads, (tmp_path / "events.jsonl").read_text("utf-8").splitlines())
    assert (event["event"], event["up"]["Cat"]) == ("deal", ["4D", "6D", "10S"])


def notes(tag: str, tmp_path: Path) -> subprocess.CompletedProcess[str]:
    (tmp_path / "pyproject.toml").write_text('[project]\nversion = "1.2.0"\n')
    (tmp_path / "CHANGELOG.md").write_text(
        "# Changelog\n\n## [Unreleased]\n\n## [1.2.0] - 2026-01-31\n\n### Added\n\n- A thing.\n\n"
        "## [1.1.0] - 2026-01-01\n"
    )
    script = ROOT / "scripts" / "release_notes.py"
    return subprocess.run(
        [sys.executable, str(script), tag], cwd=tmp_path, capture_output=True, text=True, check=False
    )


def test_a_releases_notes_are_its_section_of_the_changelog(tmp_path: Path) -> None:
    assert notes("v1.2.0", tmp_path).stdout == "### Added\n\n- A thing.\n"


@pytest.mark.parametrize(
    ("tag", "says"),
    [("v1.1.0", "is not the version 1.2.0 of pyproject.toml"), ("1.2.0", "is not the version 1.2.0")],
)
def test_a_tag_that_is_not_the_version_is_no_release(tag: str, says: str, tmp_path: Path) -> None:
    refused = notes(tag, tmp_path)
    assert refused.returncode == 2
    assert refused.stderr.startswith(f"the tag {tag} {says}")
    assert not refused.stdout
