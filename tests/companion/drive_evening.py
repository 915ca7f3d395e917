"""Run as a program: an evening of up to twelve games by touch, killed where it is told to be.

Usage: drive_evening.py STORE GAMES [GAME STAGE]. It goes on where the store says that the evening stands. At
a stage (`played`, `out` or `over`) of a game (from 0) it kills itself as `kill -9` would. At the end of the
evening it prints one JSON line: what the ledger says.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from walker import PLAYERS, Steps, Walker, by_touch, rest, until

from companion.app import prepare_kivy
from companion.store import Store

LOSERS = ("Bob", "Ann", "Bob", "Cat", "Bob", "Dan", "Dan", "Ann", "Bob", "Cat", "Ann", "Bob")
"""Who loses which game: Bob five, Ann three, Cat and Dan two."""


def evening(walker: Walker, games: int, stop_at: tuple[int, str] | None) -> Steps:
    """Play every game that is left; the stages of one are what is done in it by touch."""
    walker.app.ask(by_touch(walker))
    yield
    yield from rest(2)
    with Store.open(walker.store) as store:
        done = sum(game.finished is not None for game in store.games())
    for number in range(done, games):
        form = walker.screen
        yield from walker.tap(form.ids.broken.ids.button if form.broken_text else form.ids.start, steps=1)
        yield from until(
            lambda: walker.app.session is not None and walker.app.session.snapshot.table is not None
        )
        yield from rest(2)
        yield from play(walker, number, stop_at)
        yield from walker.tap(walker.screen.ids.pause, steps=1)
        yield from until(lambda: hasattr(walker.screen, "broken_text"))
        yield from rest(2)
    yield from walker.go("ledger")
    walker.look("ledger")


def play(walker: Walker, number: int, stop_at: tuple[int, str] | None) -> Steps:
    """Go on with one game: a card is played, then everybody but the loser goes out."""
    stages = ["played", *(f"out {player}" for player in PLAYERS if player != LOSERS[number])]
    session = walker.app.session
    entered = sum(line.get("by") == "hand" for line in session.snapshot.lines)
    for at, stage in enumerate(stages[entered:], start=entered):
        player = stage.removeprefix("out ") if at else "Ann"
        yield from walker.tap(walker.screen.ids.players.cells[player], steps=2)
        sheet = walker.screen.player_sheet
        if at:
            yield from walker.tap(sheet.buttons["out"], steps=1)
        else:
            yield from walker.tap(sheet.pad.keys["4"], steps=1)
            yield from walker.tap(sheet.buttons["play"], steps=1)
        yield from until(lambda at=at: sum(line.get("by") == "hand" for line in session.snapshot.lines) > at)
        yield from until(lambda sheet=sheet: sheet.parent is None)
        if stop_at == (number, "over" if at == len(stages) - 1 else stage.partition(" ")[0]):
            os.kill(os.getpid(), signal.SIGKILL)
    yield from until(lambda: walker.screen.over)


def main() -> None:
    store = Path(sys.argv[1])
    games = int(sys.argv[2])
    stop_at = (int(sys.argv[3]), sys.argv[4]) if len(sys.argv) > 3 else None
    prepare_kivy()
    walker = Walker((360, 640), store, None, None)
    print(json.dumps(walker.run(lambda walker: evening(walker, games, stop_at), every_s=0.0)))


if __name__ == "__main__":
    main()
