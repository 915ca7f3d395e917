"""The machine and the program of a measurement: processor, system, versions, and a digest of the code."""

from __future__ import annotations

import hashlib
import os
import platform
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).resolve().parents[2]
_DECIDES = (
    *("engine/**/*.py", "engine/**/*.toml", "vision/**/*.py", "companion/game/**/*.py"),
    *("models/**/*.onnx", "models/*/*.json"),
)
"""The files that decide how a film is followed."""
_PACKAGES = ("numpy", "onnxruntime", "opencv-python", "opencv-python-headless")


def machine() -> dict[str, Any]:
    """Return the machine and the installed versions, without names of owners or paths."""
    return {
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "memory_gib": _memory_gib(),
        "system": f"{platform.system()} {platform.release().split('-')[0]}",
        "python": platform.python_version(),
        "versions": dict(_versions()),
        "program": program(),
    }


def program() -> str:
    """Return a short digest of the code and weights that decide how a film is followed."""
    digest = hashlib.sha256()
    files = {path for pattern in _DECIDES for path in _ROOT.glob(pattern) if path.is_file()}
    for path in sorted(files):
        digest.update(path.relative_to(_ROOT).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:12]


def load() -> float | None:
    """Return the load average of the last minute, or None if the system has none."""
    return round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None


def resident_mib() -> float | None:
    """Return the resident memory of this process, MiB, or None if the system does not report it."""
    status = Path("/proc/self/status")
    if not status.is_file():
        return None
    told = next((line for line in status.read_text().splitlines() if line.startswith("VmRSS")), None)
    return None if told is None else round(int(told.split()[1]) / 1024, 1)


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    if info.is_file():
        for line in info.read_text(errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _memory_gib() -> float | None:
    try:
        return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1)
    except (AttributeError, ValueError, OSError):
        return None


def _versions() -> Iterator[tuple[str, str]]:
    for name in ("shithead-referee", *_PACKAGES):
        try:
            yield name, metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
