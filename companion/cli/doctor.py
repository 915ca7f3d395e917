"""`shithead doctor`: report what works on this machine."""

from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.errors import BadInputError
from engine.messages import printable

CHECKSUMS = "weights.sha256"
_WINDOW_SECONDS = 30
_WINDOW_CHECK = """
from companion.app.window import NoDisplayError, prepare_kivy
try:
    prepare_kivy()
    from kivy.core.window import Window
    assert Window is not None
    from kivy.graphics.opengl import GL_RENDERER, GL_VERSION, glGetString
except NoDisplayError as error:
    raise SystemExit(f"none: {error}")
print("ok:", glGetString(GL_VERSION).decode(), "on", glGetString(GL_RENDERER).decode())
"""


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check."""

    subject: str
    works: bool
    says: str
    needed: bool = True
    """Whether the program needs it."""
    fault: str = "MISSING"
    """The mark for a failure, if it is needed."""


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Add this sub-command's arguments."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "doctor",
        help="report what works on this machine",
        description="Check weights, rulesets, store, folders, camera, voice, phones and window. "
        "Name the ports that are open for phones. "
        "The exit status is 2 if something that the program needs is missing, changed or damaged.",
    )
    parser.add_argument("--store", metavar="FILE", type=Path, help="check this store, not the user's own")
    return parser


def run(args: argparse.Namespace) -> int:
    """Run all checks, print a line for each, and sum up in the exit status."""
    checks: tuple[Callable[[], Finding], ...] = (
        check_weights,
        check_rulesets,
        lambda: check_store(args.store),
        check_folders,
        check_camera,
        check_voice,
        check_phones,
        check_window,
    )
    ill = False
    for check in checks:
        finding = check()
        mark = "ok" if finding.works else finding.fault if finding.needed else "without"
        print(f"{mark:<7}  {finding.subject}: {finding.says}", flush=True)
        ill |= finding.needed and not finding.works
    return 2 if ill else 0


def check_weights() -> Finding:
    """Load every network that ships with the program."""
    from vision.recognition.runtime import available_backends, load_network
    from vision.weights import MODELS

    found = sorted(MODELS.rglob("*.onnx"))
    if "onnxruntime" not in available_backends():
        # Only onnxruntime runs the 8-bit copies.
        found = [path for path in found if not path.name.endswith(".int8.onnx")]
    if not found:
        return Finding("weights", False, f"no network found under {MODELS}; reinstall the program")
    for path in found:
        try:
            load_network(path)
        except (BadInputError, RuntimeError, OSError) as error:
            return Finding("weights", False, f"{path.name} cannot be loaded: {error}")
    changed = changed_weights(MODELS)
    if changed:
        says = f"{', '.join(changed)} not as shipped: reinstall the program, unless you trained them yourself"
        return Finding("weights", False, says, fault="CHANGED")
    size = sum(path.stat().st_size for path in found) / 1e6
    return Finding(
        "weights", True, f"{len(found)} networks, {size:.1f} MB: {', '.join(p.stem for p in found)}"
    )


def changed_weights(root: Path) -> list[str]:
    """Return the weight files that differ from `weights.sha256` (in the format of `sha256sum`).

    Only this command checks them: hashing at each start would be slow, and damage mostly shows when loading.
    """
    try:
        lines = (root / CHECKSUMS).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return [CHECKSUMS]
    changed = []
    for line in lines:
        wanted, _, name = line.partition("  ")
        try:
            found = hashlib.sha256((root / name).read_bytes()).hexdigest()
        except OSError:
            found = ""
        if found != wanted:
            changed.append(name)
    return changed


def check_rulesets() -> Finding:
    """Load every ruleset."""
    from engine.ruleset import RULESET_NAMES, load_ruleset

    try:
        for name in RULESET_NAMES:
            load_ruleset(name)
    except (BadInputError, OSError) as error:
        return Finding("rulesets", False, str(error))
    return Finding("rulesets", True, ", ".join(RULESET_NAMES))


def check_store(path: Path | None) -> Finding:
    """Read the store, with the check of opening it, and leave it unchanged, however damaged."""
    from companion.store.store import Store

    try:
        with Store.open_to_read(path) as store:
            number = len(store.games())
            games = f"{number} game{'' if number == 1 else 's'}"
            if store.damage is not None:
                found = printable(" ".join(store.damage.split()))
                aside = f"{store.path.stem}.damaged-…{store.path.suffix}"
                says = (
                    f"{store.path} is damaged (SQLite: {found}). The next game sets it aside as {aside}, and"
                    f" begins a new store with the rows that can still be read: {games}"
                )
                return Finding("store", False, says, fault="DAMAGED")
            there = next(there for there in (store.path, *store.path.absolute().parents) if there.exists())
            if not os.access(there, os.W_OK):
                return Finding("store", False, f"{there} cannot be written: no permission")
            return Finding("store", True, f"{store.path}, {games}")
    except BadInputError as error:
        return Finding("store", False, str(error))


def check_folders() -> Finding:
    """Check that settings and the log can be written."""
    from companion.files.logs import log_path
    from companion.settings import settings_path
    from engine.files.atomic import make_folder

    for path in (settings_path(), log_path()):
        try:
            make_folder(path.parent)
        except OSError as error:
            where = error.filename or path.parent
            return Finding("folders", False, f"{where}: {error.strerror or error}", needed=False)
        if not os.access(path.parent, os.W_OK):
            return Finding("folders", False, f"{path.parent} cannot be written: no permission", needed=False)
    return Finding("folders", True, f"settings {settings_path()}, log {log_path()}", needed=False)


def check_voice() -> Finding:
    """Look for a speech program."""
    from companion.speech.voice import voice_program

    program = voice_program()
    if program is None:
        says = "none here, rulings are not spoken; on Debian: apt install espeak-ng"
        return Finding("voice", False, says, needed=False)
    return Finding("voice", True, f"{program} (off until it is switched on in the app)", needed=False)


def check_camera() -> Finding:
    """Look for a camera that gives a frame. Distinguish a forbidden camera from a missing one."""
    from companion.sources.cameras import find_camera

    number = find_camera()
    if number is not None:
        return Finding("camera", True, f"camera {number} gives a picture", needed=False)
    devices = sorted(Path("/dev").glob("video*")) if sys.platform.startswith("linux") else []
    forbidden = [str(device) for device in devices if not os.access(device, os.R_OK | os.W_OK)]
    if forbidden:
        says = (
            f"{', '.join(forbidden)} cannot be opened: no permission; add yourself to the group 'video' and"
            " log in again"
        )
    elif devices:
        says = f"{', '.join(map(str, devices))}: none gives a picture (in use by another program?)"
    else:
        says = "none here; a film or a phone's stream works: shithead app http://PHONE:8080/video"
    return Finding("camera", False, says, needed=False)


def check_phones() -> Finding:
    """Say whether phones can join, which ports are open for them, and to whom."""
    from companion.phone.open_ports import noted_ports
    from companion.phone.optional_packages import HOW_TO_ADD, missing_packages

    missing = missing_packages()
    if missing:
        says = f"cannot join, because {', '.join(missing)} is missing ({HOW_TO_ADD}); no port is open"
        return Finding("phones", False, says, needed=False)
    ports = noted_ports()
    if ports is None or not ports.answer():
        return Finding(
            "phones", True, "no port is open; `shithead serve` or *Phones* opens them", needed=False
        )
    where = ", ".join(ports.addresses)
    says = (
        f"port {ports.port} on {where} is open to phones of the local network. They need a code. "
        f"Port {ports.local_port} is open to this machine alone (process {ports.pid})"
    )
    return Finding("phones", True, says, needed=False)


def check_window() -> Finding:
    """Open a window in another process, because a broken driver may crash it."""
    try:
        done = subprocess.run(
            [sys.executable, "-c", _WINDOW_CHECK],
            capture_output=True,
            text=True,
            timeout=_WINDOW_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Finding("window", False, f"did not open within {_WINDOW_SECONDS} s", needed=False)
    last = ((done.stdout if done.returncode == 0 else done.stderr).strip().splitlines() or [""])[-1]
    if done.returncode == 0 and last.startswith("ok: "):
        return Finding("window", True, f"opens, OpenGL {last.removeprefix('ok: ')}", needed=False)
    why = last.removeprefix("none: ") or f"the attempt ended with status {done.returncode}"
    return Finding("window", False, f"{why}; rulings go to the terminal instead", needed=False)
