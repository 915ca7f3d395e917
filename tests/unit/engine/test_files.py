"""Files that others may write at the same time, private ones, and inputs of the largest size."""

from __future__ import annotations

import os
import stat
import threading
import time
from io import BytesIO
from pathlib import Path

import pytest

from engine.errors import BadInputError
from engine.files import bounded
from engine.files.atomic import part_of, whole_file, write_whole
from engine.files.bounded import MOST_BYTES, read_capped, read_stream

MINUTE = 60.0
needs_pipes = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")


@pytest.mark.parametrize(("minutes", "stays"), [(59, True), (61, False)])
def test_an_unfinished_file_is_deleted_once_nobody_has_written_to_it_for_an_hour(
    minutes: int, stays: bool, tmp_path: Path
) -> None:
    left = part_of(tmp_path / "games.txt")
    left.write_text("half of it")
    then = time.time() - minutes * MINUTE
    os.utime(left, (then, then))
    assert part_of(tmp_path / "games.txt") != left
    assert left.exists() == stays


def test_an_error_names_the_file_that_was_to_be_written_and_not_its_unfinished_copy(tmp_path: Path) -> None:
    wanted = tmp_path / "no folder" / "games.txt"
    with pytest.raises(FileNotFoundError) as raised, whole_file(wanted) as part:
        part.write_text("never")
    assert raised.value.filename == str(wanted)


def test_an_error_about_another_file_names_that_one(tmp_path: Path) -> None:
    other = tmp_path / "cards.txt"
    with pytest.raises(FileNotFoundError) as raised, whole_file(tmp_path / "games.txt") as part:
        part.write_text(other.read_text())
    assert raised.value.filename == str(other)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.skipif(os.name != "posix", reason="permissions")
@pytest.mark.parametrize("before", [None, 0o644])
def test_only_its_owner_may_read_a_private_file(before: int | None, tmp_path: Path) -> None:
    path = tmp_path / "key"
    if before is not None:
        path.write_text("old")
        path.chmod(before)
    write_whole(path, "secret", private=True)
    assert (path.read_text(), mode(path)) == ("secret", 0o600)


@needs_pipes
def test_a_pipe_that_gets_something_private_keeps_its_permissions(tmp_path: Path) -> None:
    pipe, read = tmp_path / "pipe", list[bytes]()
    os.mkfifo(pipe)
    pipe.chmod(0o644)
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()), daemon=True)
    reader.start()
    write_whole(pipe, "secret", private=True)
    reader.join()
    assert (read, mode(pipe)) == ([b"secret"], 0o644)


class Zeros(BytesIO):
    """A file of so many zeros, which take no memory."""

    def __init__(self, size: int) -> None:
        self._size = size

    def read(self, most: int | None = -1, /) -> bytes:
        assert most is not None
        return bytes(min(most, self._size))


def test_a_file_of_256_mb_is_read_and_a_larger_one_is_refused() -> None:
    assert MOST_BYTES == 256 * 1024 * 1024
    assert len(read_stream(Zeros(MOST_BYTES), "f")) == MOST_BYTES
    with pytest.raises(BadInputError, match=r"f: is too large \(more than 256 MB\)"):
        read_stream(Zeros(MOST_BYTES + 1), "f")


@needs_pipes
@pytest.mark.parametrize("more", [0, 1])
def test_a_pipe_is_read_whole_or_refused_and_never_cut_off(
    more: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounded, "MOST_BYTES", 1 << 17)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(b"x" * ((1 << 17) + more)), daemon=True)
    writer.start()
    if more:
        with pytest.raises(BadInputError, match="is too large"):
            read_capped(pipe)
    else:
        assert read_capped(pipe) == b"x" * (1 << 17)
    writer.join()
