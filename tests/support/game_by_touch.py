"""A running game by touch, for tests of what shows and corrects it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from companion.game.session import Session
from companion.game.setup import GameSetup
from companion.game.starting import make_session
from engine.events import Event
from tests.support.waiting import until

PLAYERS = ("Ann", "Bob", "Cat")


@contextlib.contextmanager
def game_by_touch(store: Path) -> Iterator[Session]:
    """Run a game in which Ann has played two nines and Bob, illegally, a four."""
    setup = GameSetup(source=None, players=PLAYERS, dealer="Cat", store=store)
    game = make_session(setup)
    game.start()
    until(lambda: game.snapshot.phase != "opening")
    game.enter(Event(id=0, event="play", player="Ann", cards=("9S", "9D"), source="hand"))
    game.enter(Event(id=0, event="play", player="Bob", cards=("4H",), source="hand"))
    until(lambda: any(line.get("player") == "Bob" for line in game.snapshot.lines))
    yield game
    game.stop()
