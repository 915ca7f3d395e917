"""Run as a program: cuts the power at random writes of the store, again and again.

Usage: power_cuts.py FOLDER [--cuts N] [--seed N]. Games are written to a store on a disk that keeps, loses or
tears whatever was not synced (`tests.support.cut_disk`). After each cut the program's own store must open
without a word of damage and hold all that it had confirmed, since a screen shows it then. A step that the cut
met is there as a whole or not at all. The next program goes on from the files as the cut left them.

Prints one JSON line; exits with 1 at the first loss. The numbers are kept as benchmarks keep what they
measure (`SHITHEAD_MEASURED`).
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from companion.store.store import Store
from datasets.measuring.benchmark_log import note
from engine.simulation.simulate import play_game
from tests.support.cut_disk import CutDisk, PowerCutError, written_through

PLAYERS = ("Ann", "Bob", "Cat")
CUTS_PER_STORE = 40
"""Then a new store begins, so that its creation is cut too."""
LONGEST, MOST_STEPS = 400, 60
"""Most accesses to the disk up to a cut, and most steps of a program up to its end."""


@dataclass(frozen=True)
class Game:
    """What a store holds of a game."""

    lines: tuple[dict[str, Any], ...] = ()
    corrections: tuple[tuple[int, dict[str, Any] | None], ...] = ()
    layout: dict[str, Any] | None = None
    loser: str | None = None
    finished: bool = False
    rituals_done: int = 0


Held = dict[int, Game]


class Program:
    """Writes games until the power is cut. `confirmed` is what it has shown by then."""

    def __init__(self, confirmed: Held, rng: random.Random) -> None:
        self.confirmed, self.under_way = confirmed, confirmed
        self._rng = rng
        self._to_play: Iterator[dict[str, Any]] = iter(())

    def run(self, path: Path) -> None:
        """Open the store, go on with its last game or begin one, and close the store after some steps."""
        with Store.open(path) as store:
            game = max(self.confirmed, default=None)
            if game is None or self.confirmed[game].finished:
                self._begin(store)
            else:
                store.resume_game(game)
                if tuple(store.events(game)) != self.confirmed[game].lines:
                    raise SystemExit(f"the next program sees {store.events(game)}")
            for _ in range(round(MOST_STEPS ** self._rng.random())):
                self._step(store)

    def _begin(self, store: Store) -> None:
        number = max(self.confirmed, default=0) + 1
        self._do(lambda: store.start_game("winnersh", PLAYERS, dealer="Cat"), number, Game())

    def _step(self, store: Store) -> None:
        rng, number = self._rng, max(self.confirmed)
        game, kind = self.confirmed[number], rng.random()
        if game.lines and kind < 0.1:
            event, line = rng.choice(game.lines)["id"], rng.choice((None, self._line(rng.randrange(1, 99))))
            after = replace(game, corrections=(*game.corrections, (event, line)))
            self._do(lambda: store.correct(event, line), number, after)
        elif kind < 0.15:
            layout = {"seats": [rng.random() for _ in range(40)]}
            self._do(lambda: store.save_layout(layout), number, replace(game, layout=layout))
        elif kind < 0.2:
            done = game.rituals_done + 1
            after = replace(game, rituals_done=done)
            self._do(lambda: store.mark_ritual(number, "Ann", "Shithead", done, done=True), number, after)
        elif len(game.lines) > 40 and kind < 0.4:
            loser = rng.choice(PLAYERS)
            self._do(lambda: store.finish(loser), number, replace(game, loser=loser, finished=True))
            self._begin(store)
        else:
            lines = [self._line(len(game.lines) + k + 1) for k in range(rng.randrange(1, 4))]
            self._do(lambda: store.append(*lines), number, replace(game, lines=(*game.lines, *lines)))

    def _do(self, act: Callable[[], object], number: int, after: Game) -> None:
        self.under_way = {**self.confirmed, number: after}
        act()
        self.confirmed = self.under_way

    def _line(self, number: int) -> dict[str, Any]:
        line = next(self._to_play, None)
        if line is None:
            steps = play_game("winnersh", PLAYERS, self._rng.randrange(10**6), cheats=2)
            self._to_play = (step.event.to_json() for step in steps)
            line = next(self._to_play)
        return {**line, "id": number}


def held(path: Path) -> Held:
    """Return what the program's own store holds. Raises SystemExit if it speaks of damage."""
    with Store.open(path) as store:
        found = {
            game.id: Game(
                tuple(store.events(game.id)),
                tuple(store.corrections(game.id)),
                game.layout,
                game.loser,
                game.finished is not None,
                len(game.rituals_done),
            )
            for game in store.games()
        }
        if store.notice is not None:
            raise SystemExit(f"the store speaks of damage: {store.notice}")
    return found


def cut(disk: CutDisk, confirmed: Held, rng: random.Random) -> Held:
    """Cut the power of one program, and return what the store holds afterwards.

    Raises:
        SystemExit: something that had been confirmed is lost.
    """
    program = Program(confirmed, rng)
    disk.until_cut = round(LONGEST ** rng.random())
    try:
        with written_through(disk):
            while True:  # a program that ends before the cut starts again
                program.run(disk.folder / "s.sqlite")
    except PowerCutError:
        disk.settle(rng)
    finally:
        disk.unregister()
    # Look at a copy: the next program recovers the files as the cut left them, and may be cut too.
    looked_at = disk.folder / "copy"
    shutil.rmtree(looked_at, ignore_errors=True)
    looked_at.mkdir()
    for path in disk.folder.glob("*.sqlite*"):
        shutil.copy(path, looked_at)
    found = held(looked_at / "s.sqlite")
    if found not in (program.confirmed, program.under_way):
        raise SystemExit(f"confirmed: {program.confirmed}\nunder way: {program.under_way}\nheld: {found}")
    return found


def keep(cuts: int, *, losses: int) -> None:
    note("power_cuts", cuts)
    note("power_cuts_that_lost", losses)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--cuts", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    rng, confirmed, where, events = random.Random(), Held(), Counter[str](), 0
    for number in range(args.cuts):
        folder = args.folder / f"store-{number // CUTS_PER_STORE}"
        if number % CUTS_PER_STORE == 0:
            rng, confirmed = random.Random(args.seed + number), {}
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
        try:
            disk = CutDisk(folder)
            confirmed = cut(disk, confirmed, rng)
        except SystemExit:
            first = number - number % CUTS_PER_STORE
            print(
                f"cut {number + 1} (again: --seed {args.seed + first} --cuts {CUTS_PER_STORE})",
                file=sys.stderr,
            )
            keep(number + 1, losses=1)
            raise
        where[disk.cut_in] += 1
        if (number + 1) % CUTS_PER_STORE == 0 or number + 1 == args.cuts:
            events += sum(len(game.lines) for game in confirmed.values())
            shutil.rmtree(folder)
    keep(args.cuts, losses=0)
    print(json.dumps({"cuts": args.cuts, "events": events, "cut_in": dict(sorted(where.items()))}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
