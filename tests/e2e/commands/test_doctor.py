"""`shithead doctor` tells what is missing in words, and by its exit status whether it matters."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from companion.cli import doctor
from companion.cli.doctor import Finding
from companion.cli.main import main
from companion.sources import cameras
from companion.speech import voice
from companion.store.store import Store
from tests.support.damaged import damage_events


@pytest.fixture
def all_well(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "check_weights", lambda: Finding("weights", True, "2 networks"))
    monkeypatch.setattr(doctor, "check_window", lambda: Finding("window", True, "opens", needed=False))
    monkeypatch.setattr(cameras, "find_camera", lambda: 0)
    monkeypatch.setattr(voice, "voice_program", lambda: "/usr/bin/espeak-ng")


@pytest.mark.usefixtures("all_well")
def test_all_is_well(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--store", str(tmp_path / "s.sqlite")]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["ok"] * 8
    assert "winnersh" in lines[1]
    assert "0 games" in lines[2]
    assert "shithead.log" in lines[3]
    assert "camera 0 gives a picture" in lines[4]
    assert "espeak-ng" in lines[5]


@pytest.mark.usefixtures("all_well")
def test_missing_weights_are_an_illness(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(doctor, "check_weights", lambda: Finding("weights", False, "no network found"))
    assert main(["doctor", "--store", str(tmp_path / "s.sqlite")]) == 2
    assert "MISSING  weights: no network found" in capsys.readouterr().out


ROOT = Path(doctor.__file__).parents[2] / "models"


def test_the_weights_are_those_whose_checksums_are_kept() -> None:
    """After a training: cd models && sha256sum */*.onnx */*.json > weights.sha256"""
    assert doctor.changed_weights(ROOT) == []
    listed = {line.split("  ")[1] for line in (ROOT / doctor.CHECKSUMS).read_text().splitlines()}
    shipped = {
        path.relative_to(ROOT).as_posix() for kind in ("onnx", "json") for path in ROOT.glob(f"*/*.{kind}")
    }
    assert listed == shipped


def test_weights_with_changed_bytes_are_told_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("faces/whole.onnx", doctor.CHECKSUMS):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    kept = [line for line in (ROOT / doctor.CHECKSUMS).read_text().splitlines() if "whole.onnx" in line]
    (tmp_path / doctor.CHECKSUMS).write_text(kept[0] + "\n")
    monkeypatch.setattr("vision.weights.MODELS", tmp_path)
    assert doctor.check_weights().works
    network = bytearray((tmp_path / "faces" / "whole.onnx").read_bytes())
    network[len(network) // 2] ^= 1  # a weight, still a number
    (tmp_path / "faces" / "whole.onnx").write_bytes(network)
    finding = doctor.check_weights()
    assert not finding.works
    assert finding.says.startswith("faces/whole.onnx not as shipped: reinstall")
    for check in ("window", "camera", "voice"):
        monkeypatch.setattr(doctor, f"check_{check}", lambda: Finding("x", True, ""))
    assert main(["doctor", "--store", str(tmp_path / "s.sqlite")]) == 2
    assert "CHANGED  weights: faces/whole.onnx" in capsys.readouterr().out
    (tmp_path / doctor.CHECKSUMS).unlink()
    assert doctor.changed_weights(tmp_path) == [doctor.CHECKSUMS]


@pytest.mark.usefixtures("all_well")
def test_no_camera_is_no_illness_and_the_way_round_it_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(cameras, "find_camera", lambda: None)
    assert main(["doctor", "--store", str(tmp_path / "s.sqlite")]) == 0
    (line,) = (line for line in capsys.readouterr().out.splitlines() if "camera:" in line)
    assert line.startswith("without")


@pytest.mark.usefixtures("all_well")
def test_no_voice_is_no_illness_and_where_to_get_one_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(voice, "voice_program", lambda: None)
    assert main(["doctor", "--store", str(tmp_path / "s.sqlite")]) == 0
    (line,) = (line for line in capsys.readouterr().out.splitlines() if "voice:" in line)
    assert line.startswith("without")
    assert "espeak-ng" in line


def line_of(subject: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], *, status: int) -> str:
    """Let doctor look at everything; returns the line of one subject."""
    assert main(["doctor", "--store", str(tmp_path / "s.sqlite")]) == status
    (line,) = (line for line in capsys.readouterr().out.splitlines() if f" {subject}: " in line)
    return line


FORBIDDEN = "cannot be opened: no permission; add yourself to the group 'video' and log in again"


@pytest.mark.usefixtures("all_well")
@pytest.mark.parametrize(
    ("devices", "closed", "says"),
    [
        (["video1", "video0"], ["video0", "video1"], f"/dev/video0, /dev/video1 {FORBIDDEN}"),
        (["video0", "video1"], ["video1"], f"/dev/video1 {FORBIDDEN}"),
        (["video0"], [], "/dev/video0: none gives a picture (in use by another program?)"),
        ([], [], "none here; a film or a phone's stream works: shithead app http://PHONE:8080/video"),
    ],
)
def test_why_no_camera_gives_a_picture_is_told_by_the_devices_that_are_there(
    devices: Sequence[str],
    closed: Sequence[str],
    says: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    may, looked = os.access, Path.glob

    def access(path: str | Path, mode: int) -> bool:
        return Path(path).name not in closed if Path(path).parent == Path("/dev") else may(path, mode)

    def glob(folder: Path, pattern: str) -> list[Path]:
        return (
            [folder / name for name in devices] if folder == Path("/dev") else list(looked(folder, pattern))
        )

    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(cameras, "find_camera", lambda: None)
    monkeypatch.setattr(os, "access", access)
    monkeypatch.setattr(Path, "glob", glob)
    assert line_of("camera", tmp_path, capsys, status=0) == f"without  camera: {says}"


@pytest.mark.usefixtures("all_well")
def test_where_there_are_no_devices_to_look_at_a_camera_that_gives_no_picture_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(cameras, "find_camera", lambda: None)
    monkeypatch.setattr(Path, "glob", lambda *_: [Path("/dev/video0")])
    assert line_of("camera", tmp_path, capsys, status=0).startswith("without  camera: none here; ")


@pytest.mark.usefixtures("all_well")
@pytest.mark.parametrize("of", ["settings", "log"])
def test_a_folder_that_cannot_be_made_is_named_with_the_cause_and_is_no_illness(
    of: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    folder = tmp_path / "file" / "shithead"
    monkeypatch.setattr(PATHS[of], lambda: folder / "x")
    said = line_of("folders", tmp_path, capsys, status=0)
    assert said == f"without  folders: {folder.parent}: is not a folder, and one is needed there"


@pytest.mark.usefixtures("all_well")
@pytest.mark.parametrize("of", ["settings", "log"])
def test_a_folder_that_may_not_be_written_is_named_and_is_no_illness(
    of: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, may = tmp_path / "closed", os.access
    monkeypatch.setattr(PATHS[of], lambda: folder / "x")
    monkeypatch.setattr(os, "access", lambda path, mode: path != folder and may(path, mode))
    said = line_of("folders", tmp_path, capsys, status=0)
    assert said == f"without  folders: {folder} cannot be written: no permission"


PATHS = {"settings": "companion.settings.settings_path", "log": "companion.files.logs.log_path"}


@pytest.mark.usefixtures("all_well")
def test_a_store_in_a_folder_that_may_not_be_written_is_an_illness(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    may = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: path != tmp_path and may(path, mode))
    said = line_of("store", tmp_path, capsys, status=2)
    assert said == f"MISSING  store: {tmp_path} cannot be written: no permission"


def damaged_store(path: Path) -> bytes:
    """Write a store of two games, its page of events damaged; returns what the file holds."""
    with Store.open(path) as store:
        for loser in ("Ann", "Bob"):
            store.start_game("winnersh", ("Ann", "Bob"))
            store.append({"id": 1, "event": "draw", "player": "Ann", "t": 0})
            store.finish(loser)
    return damage_events(path)


@pytest.mark.usefixtures("all_well")
def test_a_damaged_store_is_an_illness_and_what_becomes_of_it_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "s.sqlite"
    held = damaged_store(path)
    assert main(["doctor", "--store", str(path)]) == 2
    (line,) = (line for line in capsys.readouterr().out.splitlines() if " store: " in line)
    assert line.startswith(f"DAMAGED  store: {path} is damaged (SQLite: ")
    assert "The next game sets it aside as s.damaged-….sqlite, and begins a new store" in line
    assert line.endswith("the rows that can still be read: 2 games")
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == {"s.sqlite": held}
    with Store.open(path) as store:
        assert len(store.games()) == 2
    (aside,) = tmp_path.glob("s.damaged-*.sqlite")
    assert aside.read_bytes() == held, "as doctor said"


@pytest.mark.usefixtures("all_well")
def test_of_a_store_that_is_nothing_but_its_first_bytes_doctor_says_so_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "s.sqlite").write_bytes(b"SQLite format 3\0, and then nothing that makes sense")
    assert main(["doctor", "--store", str(tmp_path / "s.sqlite")]) == 2
    assert "the rows that can still be read: 0 games" in capsys.readouterr().out
    assert [path.name for path in tmp_path.glob("s.*")] == ["s.sqlite"]


@pytest.mark.usefixtures("all_well")
def test_a_store_that_cannot_be_used_is_an_illness(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["doctor", "--store", str(tmp_path)]) == 2
    assert f"MISSING  store: the store {tmp_path} cannot be used" in capsys.readouterr().out


def test_a_window_that_cannot_open_is_told_from_one_that_can(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER"):
        monkeypatch.delenv(name, raising=False)
    if os.name != "posix":
        pytest.skip("only a Unix tells by its environment that there is no display")
    finding = doctor.check_window()
    assert not finding.works
    assert not finding.needed
    assert "no display here" in finding.says


class Opened:
    """Stands in for the process in which a window is opened."""

    def __init__(self, status: int, out: str = "", error: str = "", *, hangs: bool = False) -> None:
        self._status, self._out, self._error, self._hangs = status, out, error, hangs

    def __call__(
        self, command: list[str], *, timeout: float, **_: object
    ) -> subprocess.CompletedProcess[str]:
        assert command[0] == sys.executable
        if self._hangs:
            raise subprocess.TimeoutExpired(command, timeout)
        return subprocess.CompletedProcess(command, self._status, self._out, self._error)


TO_THE_TERMINAL = "; rulings go to the terminal instead"


@pytest.mark.parametrize(
    ("opened", "line"),
    [
        (
            Opened(0, "a driver's chatter\nok: 4.5 (Core Profile) Mesa 23 on llvmpipe\n", "[INFO] Kivy\n"),
            "ok       window: opens, OpenGL 4.5 (Core Profile) Mesa 23 on llvmpipe",
        ),
        (Opened(0, hangs=True), "without  window: did not open within 30 s"),
        (Opened(-11), f"without  window: the attempt ended with status -11{TO_THE_TERMINAL}"),
        (
            Opened(1, error="[INFO] Kivy\nnone: no display here\n"),
            f"without  window: no display here{TO_THE_TERMINAL}",
        ),
        (Opened(0), f"without  window: the attempt ended with status 0{TO_THE_TERMINAL}"),
    ],
    ids=["opens", "hangs", "crashes", "no display", "says nothing"],
)
def test_of_the_window_doctor_tells_how_it_opens_or_why_it_does_not(
    opened: Opened,
    line: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for check in ("weights", "camera", "voice"):
        monkeypatch.setattr(doctor, f"check_{check}", lambda: Finding("x", True, ""))
    monkeypatch.setattr(subprocess, "run", opened)
    assert line_of("window", tmp_path, capsys, status=0) == line


def test_open_ports_are_named_with_those_who_may_use_them(tmp_path: Path) -> None:
    pytest.importorskip("aiohttp", reason="the extra `phone` is not installed")
    from companion.phone.open_ports import data_folder
    from tests.support.phones import addresses, serving

    assert "no port is open" in doctor.check_phones().says
    with serving(data_folder()) as server:
        open_now = addresses(server)
        said = doctor.check_phones().says
    assert f"port {open_now.port} on 127.0.0.1 is open to phones of the local network" in said
    assert f"Port {open_now.local_port} is open to this machine alone" in said
    assert "no port is open" in doctor.check_phones().says


def test_without_the_extra_one_line_says_how_to_add_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("companion.phone.optional_packages.missing_packages", lambda: ["aiohttp"])
    found = doctor.check_phones()
    assert not found.works
    assert not found.needed
    assert "pip install 'shithead-referee[phone]'" in found.says
