"""Run as a program: opens a damaged store, or restores a backup, and is killed at every step of it.

Usage: killing_openings.py FOLDER damaged|restore. A child is killed (SIGKILL) right before its nth access to
a file, for every n; then the store must open with all that it should hold, and nothing may lie about. Then
once more without clearing up between the kills. Prints how often it was killed; exits with 1 at the first
loss.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
from pathlib import Path
from typing import Any

from companion.files.store_paths import SQLITE_SUFFIXES
from companion.store.backup import back_up, restore
from companion.store.store import Store

EVENTS = 40
_STEPS = ("open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "sqlite3.connect", "fcntl.flock")


def fill(path: Path, loser: str) -> None:
    with Store.open(path) as store:
        store.start_game("winnersh", ("Ann", "Bob"))
        for number in range(1, EVENTS + 1):
            store.append({"id": number, "event": "draw", "filler": "x" * 300})
        store.finish(loser)


def killed_at(step: int, act: Any) -> bool:
    """Let a child act, and kill it right before its nth step; tells whether it came that far."""
    child = os.fork()
    if child == 0:
        left = step

        def count(event: str, _: Any) -> None:
            nonlocal left
            if event in _STEPS:
                left -= 1
                if left == 0:
                    os.kill(os.getpid(), signal.SIGKILL)

        status = 3
        try:
            sys.addaudithook(count)
            act()
            status = 0
        finally:
            os._exit(status)
    _, status = os.waitpid(child, 0)
    if os.WIFEXITED(status) and os.WEXITSTATUS(status):
        raise SystemExit(f"step {step}: the program failed")
    return os.WIFSIGNALED(status)


def held(path: Path) -> tuple[list[str | None], int, str | None]:
    with Store.open(path) as store:
        games = store.games()
        return [game.loser for game in games], sum(len(store.events(game.id)) for game in games), store.notice


def main() -> int:
    folder, what = Path(sys.argv[1]), sys.argv[2]
    sound, copy = folder / "sound", folder / "copy.sqlite"
    sound.mkdir()
    fill(sound / "s.sqlite", "Bob")
    data = bytearray((sound / "s.sqlite").read_bytes())
    if what == "damaged":
        data[16:24] = bytes(8)  # nothing of the header makes sense; every row can still be read
    else:
        fill(folder / "other.sqlite", "Ann")
        back_up(copy, folder / "other.sqlite")
    work = folder / "work"
    path = work / "s.sqlite"

    def act() -> None:
        Store.open(path).close() if what == "damaged" else restore(copy, path)

    def check(step: int) -> None:
        restored = what == "restore"
        losers, events, _ = held(path)
        wanted = (["Bob"], ["Ann"]) if restored else (["Bob"],)
        if losers not in wanted or events != EVENTS:
            raise SystemExit(f"step {step}: lost; held {losers} and {events} events")
        kind = "replaced" if restored else "damaged"
        asides = list(work.glob(f"s.{kind}-*.sqlite"))
        replaced = losers != ["Bob"]
        if len(asides) != (replaced if restored else 1) and not (step < 0 and replaced):
            raise SystemExit(f"step {step}: set aside: {asides}")
        if not restored and asides[0].read_bytes() != data:
            raise SystemExit(f"step {step}: what was set aside was written to")
        known = {"s.sqlite", *(aside.name for aside in asides)}
        known |= {f"s.restoring.sqlite{suffix}" for suffix in SQLITE_SUFFIXES} if restored else set()
        if {file.name for file in work.iterdir()} - known:
            raise SystemExit(f"step {step}: left lying about: {sorted(work.iterdir())}")

    def begin() -> None:
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir()
        path.write_bytes(data)

    step = 0
    while True:
        step += 1
        begin()
        was_killed = killed_at(step, act)
        check(step)
        if not was_killed:
            break
    begin()
    again = 0
    while killed_at(again := again + 1, act):
        pass
    check(-again)
    print(step - 1 + again - 1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
