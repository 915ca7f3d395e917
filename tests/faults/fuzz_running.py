"""What each target of the fuzzer runs under: limits on time and memory, an eye on what is written where."""

from __future__ import annotations

import contextlib
import io
import os
import resource
import signal
import sys
import tempfile
import threading
import urllib.parse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from companion.cli.main import main
from engine.errors import BadInputError

WORKS_IN = Path("/dev/shm" if Path("/dev/shm").is_dir() else tempfile.gettempdir())
"""Where targets get their folders: where no disk has to be waited for."""
MOST_SECONDS = 60
"""Nothing of a few kilobytes takes so long, however busy the machine is."""
MOST_BYTES = 4 << 30
"""So much more memory than it has may a target ask for."""
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_OF_TESTS = {"__pycache__", ".hypothesis", ".pytest_cache"}
"""Folders in which Python and what runs the tests keep things."""
_FOLDERS = ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME")


class FoundError(AssertionError):
    """The program did what it must not do."""


def command(*arguments: str, lines: int = 1) -> None:
    """Run the program itself: status 0, or 2 with at most so many lines that say why."""
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main(arguments)
        out.flush()
    said = err.getvalue()
    if status not in (0, 2) or "Traceback" in said:
        raise FoundError(f"status {status}: {said}")
    if said.count("\n") > lines or (status == 2) != bool(said):
        raise FoundError(f"status {status}, and said: {said!r}")
    if status:
        raise BadInputError(said.splitlines()[-1])


def written(folder: Path, name: str, data: bytes) -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


# --- limits -------------------------------------------------------------------------------------------


@contextlib.contextmanager
def limited() -> Iterator[None]:
    """Let a block take no more than a minute, and no more memory than there is of any use."""
    in_main = threading.current_thread() is threading.main_thread()
    before = resource.getrlimit(resource.RLIMIT_AS)
    statm = Path("/proc/self/statm")
    if statm.exists() and before[0] == resource.RLIM_INFINITY:
        now = int(statm.read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (now + MOST_BYTES, before[1]))
    if in_main:
        handler = signal.signal(signal.SIGALRM, _too_long)
        signal.alarm(MOST_SECONDS)
    try:
        yield
    finally:
        if in_main:
            signal.alarm(0)
            signal.signal(signal.SIGALRM, handler)
        resource.setrlimit(resource.RLIMIT_AS, before)


def _too_long(_signal: int, _frame: object) -> None:
    raise FoundError(f"took longer than {MOST_SECONDS} s")


# --- what is written ----------------------------------------------------------------------------------


class _Watch:
    """Notes what is written outside of the folders where that is allowed. A hook stays for good."""

    def __init__(self) -> None:
        self.inside: tuple[str, ...] | None = None
        self.found: list[str] = []
        self.hooked = False

    def hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self.inside is None:
            return
        touched: list[Any] = []
        if event == "open":
            path, mode, flags = arguments
            writing = (mode and set(mode) & set("wax+")) or (isinstance(flags, int) and flags & _WRITING)
            # Of a folder only a file without a name can be asked for, which goes with the process.
            touched = [path] if writing and not os.path.isdir(path) else []
        elif event == "os.rename":
            touched = list(arguments[:2])
        elif event in ("os.remove", "os.mkdir", "os.rmdir"):
            # What is told by an open folder is part of a tree that is removed, and that is told by itself.
            touched = [arguments[0]] if arguments[-1] == -1 else []
        elif event in ("shutil.rmtree", "os.truncate"):
            touched = [arguments[0]]
        elif event in ("os.link", "os.symlink"):
            touched = [arguments[1]]
        elif event == "sqlite3.connect":
            touched = [_database(arguments[0])]
        self.found += [str(path) for path in touched if path is not None and not self._is_inside(path)]

    def _is_inside(self, path: Any) -> bool:
        if isinstance(path, int):
            return True
        whole = os.path.abspath(os.fsdecode(path))
        return (
            whole in (os.devnull, "/dev/full")
            or bool(_OF_TESTS & set(whole.split(os.sep)))
            or os.path.join(whole, "").startswith(self.inside or ())
        )


def _database(name: Any) -> str | None:
    text = os.fsdecode(name)
    if text.startswith("file:"):
        found = urllib.parse.urlsplit(text)
        return None if "mode=ro" in found.query else urllib.parse.unquote(found.path)
    return None if text == ":memory:" else text


_watch = _Watch()


@contextlib.contextmanager
def watched(*folders: Path) -> Iterator[None]:
    """Raise FoundError where a block writes anything outside of `folders` and the program's own."""
    if not _watch.hooked:
        sys.addaudithook(_watch.hear)
        _watch.hooked = True
    own = [Path(os.environ[name]) for name in _FOLDERS if name in os.environ]
    outer, already = _watch.inside, len(_watch.found)
    _watch.inside = tuple(os.path.join(os.path.abspath(path), "") for path in (*folders, *own))
    try:
        yield
    finally:
        _watch.inside = outer
        found = _watch.found[already:]
        del _watch.found[already:]
    if found:
        raise FoundError(f"written outside: {found[:3]}")
