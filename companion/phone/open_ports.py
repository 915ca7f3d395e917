"""The note about open ports, by which another process can say which ones are open and to whom."""

from __future__ import annotations

import contextlib
import json
import os
import socket
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import platformdirs

from companion.phone.addresses import LOOPBACK
from companion.phone.certificate import write_private
from engine.files.json_text import parse_json

_ANSWER_S = 1.0


@dataclass(frozen=True, slots=True)
class OpenPorts:
    """The ports of a program that serves phones."""

    pid: int
    addresses: tuple[str, ...]
    port: int
    """Open to the addresses' networks, over https."""
    local_port: int
    """Open to this machine alone, over http."""

    def answer(self) -> bool:
        """Return whether the program still serves: its note may be left over from a crash."""
        try:
            socket.create_connection((LOOPBACK, self.local_port), _ANSWER_S).close()
        except OSError:
            return False
        return True


def data_folder() -> Path:
    """Return the folder of the certificate, the secrets and the note about open ports."""
    return platformdirs.user_data_path("shithead", appauthor=False) / "phones"


@contextlib.contextmanager
def noted(folder: Path, addresses: Sequence[str], port: int, local_port: int) -> Iterator[None]:
    """Keep a note about open ports in `folder` for as long as they are open.

    Raises:
        OSError: the note cannot be written.
    """
    note = _note(folder)
    write_private(
        note, json.dumps(asdict(OpenPorts(os.getpid(), tuple(addresses), port, local_port))).encode()
    )
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            note.unlink(missing_ok=True)


def noted_ports(folder: Path | None = None) -> OpenPorts | None:
    """Return the ports of the note, if there is one that makes sense."""
    try:
        stored = parse_json(_note(folder or data_folder()).read_bytes())
        addresses = tuple(map(str, stored["addresses"]))
        found = OpenPorts(int(stored["pid"]), addresses, int(stored["port"]), int(stored["local_port"]))
    except (OSError, ValueError, KeyError, TypeError, OverflowError):
        return None
    return found if 0 < found.port < 65536 and 0 < found.local_port < 65536 else None


def _note(folder: Path) -> Path:
    return folder / "open.json"
