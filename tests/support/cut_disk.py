"""A disk whose power is cut: what was not synced is kept, lost or torn. `sqlite3.connect` can write to it.

SQLite's own files lie in a real folder. `CutDisk` remembers which writes were not synced yet. After a cut,
`CutDisk.settle` rewrites the files as a real disk might hold them then.
"""

from __future__ import annotations

import contextlib
import itertools
import random
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import apsw

SECTOR = 512
"""Bytes that a disk writes as one, or does not write."""
_MEMORY = "-shm"
"""Suffix of the file that only stands for shared memory. It does not survive a cut."""
_numbers = itertools.count()


class PowerCutError(Exception):
    """The power is gone. As in a program that ended, nothing more is done."""


class _Write(NamedTuple):
    offset: int
    data: bytes


class _Truncate(NamedTuple):
    size: int


class _File:
    """What a disk holds for certain of one file, and what has been asked of it since."""

    def __init__(self, durable: bytes | None) -> None:
        self.durable = durable
        """None: the file may not exist at all."""
        self.pending: list[_Write | _Truncate] = []
        self.removed: bytes | None = None
        """What a removed file held, as the removal itself may be lost."""

    def sync(self) -> None:
        held = bytearray(self.durable or b"")
        for step in self.pending:
            _apply(held, step)
        self.durable, self.pending, self.removed = bytes(held), [], None

    def remove(self) -> None:
        self.durable, self.pending, self.removed = None, [], self.durable

    def after_cut(self, rng: random.Random, fate: str) -> bytes | None:
        """Return what the file holds after a cut; None if it is not there."""
        if self.durable is None and not self.pending:
            return self.removed if rng.random() < 0.5 else None
        if self.durable is None and fate == "lost":
            return None
        held = bytearray(self.durable or b"")
        for step in self.pending:
            happened = rng.choice(("kept", "lost", "torn")) if fate == "mixed" else fate
            if happened == "kept" or (happened == "torn" and isinstance(step, _Truncate)):
                _apply(held, step)
            elif happened == "torn" and isinstance(step, _Write):
                for part in _torn(step, rng):
                    _apply(held, part)
        return bytes(held)


def _apply(held: bytearray, step: _Write | _Truncate) -> None:
    if isinstance(step, _Truncate):
        del held[step.size :]
        return
    held.extend(bytes(max(0, step.offset - len(held))))
    held[step.offset : step.offset + len(step.data)] = step.data


def _torn(write: _Write, rng: random.Random) -> list[_Write]:
    """Return what reached the disk of a write: its beginning, or some of its sectors."""
    if rng.random() < 0.5:
        return [_Write(write.offset, write.data[: rng.randrange(len(write.data) + 1)])]
    parts, start = [], 0
    while start < len(write.data):
        size = min(SECTOR - (write.offset + start) % SECTOR, len(write.data) - start)
        if rng.random() < 0.5:
            parts.append(_Write(write.offset + start, write.data[start : start + size]))
        start += size
    return parts


class CutDisk(apsw.VFS):
    """A file system for SQLite, over the files of one folder, whose power is cut at a given access."""

    def __init__(self, folder: Path, *, syncs: bool = True) -> None:
        """Begin with what lies in `folder`. With `syncs=False`, the disk only pretends to sync."""
        self.folder = folder
        self.name = f"cut-disk-{next(_numbers)}"
        self.until_cut = 0
        """Number of writes, syncs, removals and cuts to a length up to the power cut; 0 for none."""
        self.dead = False
        self.cut_in = ""
        """What was being written at the cut: `main`, `journal` or `wal`."""
        self._syncs = syncs
        self._files = {path.name: _File(path.read_bytes()) for path in folder.glob("*.sqlite*")}
        super().__init__(self.name, "")

    def xOpen(self, name: Any, flags: list[int]) -> apsw.VFSFile:  # noqa: N802 - SQLite's own name
        return _CutFile(self, name, flags)

    def xDelete(self, name: str, sync_folder: bool) -> None:  # noqa: N802
        self.step(name)
        file = self.file(name)
        file.remove()
        if sync_folder:
            file.removed = None
        super().xDelete(name, False)

    def file(self, name: str) -> _File:
        return self._files.setdefault(Path(name).name, _File(None))

    def sync(self, name: str) -> None:
        """Let a file survive a cut. As in SQLite, a new log's folder is synced with it."""
        if not self._syncs:
            return
        file = self.file(name)
        if file.durable is None and not name.endswith(".sqlite"):
            for other in self._files.values():
                other.removed = None
        file.sync()

    def step(self, name: str) -> None:
        """Count an access to a file. Once the power is cut, none is carried out."""
        if not self.dead and self.until_cut:
            self.until_cut -= 1
            self.dead = not self.until_cut
            self.cut_in = "main" if name.endswith(".sqlite") else name.rpartition("-")[2]
        if self.dead:
            raise PowerCutError

    def settle(self, rng: random.Random) -> None:
        """Rewrite the folder's files as a disk may hold them after the cut."""
        fate = rng.choice(("kept", "lost", "torn", "mixed", "mixed"))
        for name, file in self._files.items():
            path = self.folder / name
            held = None if name.endswith(_MEMORY) else file.after_cut(rng, fate)
            # Always a new file: SQLite finds what it shares in memory by the file's identity.
            path.unlink(missing_ok=True)
            if held is not None:
                path.write_bytes(held)
        for path in self.folder.glob(f"*{_MEMORY}"):
            path.unlink()


class _CutFile(apsw.VFSFile):
    def __init__(self, disk: CutDisk, name: Any, flags: list[int]) -> None:
        self._disk = disk
        self._name = str(name.filename() if isinstance(name, apsw.URIFilename) else name)
        super().__init__("", name, flags)

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802
        # The write that the cut meets may still have reached the disk in part.
        self._pend(_Write(offset, bytes(data)))
        super().xWrite(data, offset)

    def xTruncate(self, size: int) -> None:  # noqa: N802
        self._pend(_Truncate(size))
        super().xTruncate(size)

    def _pend(self, step: _Write | _Truncate) -> None:
        if not self._disk.dead:
            self._disk.file(self._name).pending.append(step)
        self._disk.step(self._name)

    def xSync(self, flags: int) -> None:  # noqa: N802
        self._disk.step(self._name)
        self._disk.sync(self._name)  # on the machine's own disk, nothing need be synced


class _Connection:
    """The part of `sqlite3.Connection` that the store uses, on a `CutDisk`."""

    text_factory: Callable[[bytes], str] = str

    def __init__(self, disk: CutDisk, uri: str, timeout: float) -> None:
        self._disk = disk
        create = apsw.SQLITE_OPEN_CREATE if "mode=rwc" in uri else 0
        flags = apsw.SQLITE_OPEN_URI | apsw.SQLITE_OPEN_READWRITE | create
        with _as_sqlite3(disk):
            self._inner = apsw.Connection(f"{uri}&vfs={disk.name}", flags=flags)
            self._inner.set_busy_timeout(round(timeout * 1000))

    def execute(self, query: str, values: Sequence[Any] | dict[str, Any] = ()) -> _Rows:
        with _as_sqlite3(self._disk):
            rows = list(self._inner.execute(query, values))
            return _Rows(rows, self._inner.last_insert_rowid())

    def executemany(self, query: str, rows: Sequence[Sequence[Any]]) -> None:
        with _as_sqlite3(self._disk):
            self._inner.executemany(query, rows)

    def close(self) -> None:
        with _as_sqlite3(self._disk):
            self._inner.close()

    def give_up(self) -> None:
        """Close it, whatever the disk says."""
        self._inner.close(force=True)

    def __enter__(self) -> _Connection:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self._inner.in_transaction:
            self.execute("COMMIT" if kind is None else "ROLLBACK")


class _Rows:
    def __init__(self, rows: list[Any], lastrowid: int) -> None:
        self._rows, self.lastrowid = iter(rows), lastrowid

    def __iter__(self) -> Iterator[Any]:
        return self._rows

    def fetchone(self) -> Any:
        return next(self._rows, None)


@contextlib.contextmanager
def _as_sqlite3(disk: CutDisk) -> Iterator[None]:
    """Raise apsw's errors as those of `sqlite3`, and everything after the cut as the cut."""
    try:
        yield
    except Exception as error:
        if disk.dead:
            raise PowerCutError from None
        if not isinstance(error, apsw.Error):
            raise
        raised = sqlite3.OperationalError(str(error))
        raised.sqlite_errorcode = getattr(error, "extendedresult", apsw.SQLITE_ERROR)
        raise raised from None


@contextlib.contextmanager
def written_through(disk: CutDisk) -> Iterator[None]:
    """Let `sqlite3.connect` write to `disk` meanwhile. At the end, close what a power cut left open."""
    before, opened = sqlite3.connect, []

    def connect(database: str, *, timeout: float, **_: Any) -> _Connection:
        opened.append(_Connection(disk, database, timeout))
        return opened[-1]

    sqlite3.connect = connect  # type: ignore[assignment]
    try:
        yield
    finally:
        sqlite3.connect = before
        for connection in opened:
            connection.give_up()
