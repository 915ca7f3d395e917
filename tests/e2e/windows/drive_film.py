"""Run as a program: the polite film refereed through the window, to its end or to where it is killed.

Usage: drive_film.py STORE [EVENTS]. The film goes on where the store says that its game stands. After so many
events the program prints as JSON what it has shown, and kills itself as `kill -9` would.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))

from companion.app.window import prepare_kivy
from companion.game.history import find_resumable_game
from companion.game.setup import stored_setup
from companion.game.starting import make_session
from tests.e2e.windows.walker import Steps, Walker, draw_rarely, filmed_setup, rest, tick_at_most


def film(walker: Walker, most: int) -> Steps:
    """Watch until the film has ended."""
    setup = filmed_setup(store=walker.store)
    game, _notice = find_resumable_game(walker.store)
    if game is not None:
        setup = stored_setup(game, store=walker.store)
    session = make_session(setup, realtime=False)
    walker.app.play(session, setup)
    yield
    while session.snapshot.phase not in ("ended", "failed"):
        shown = session.snapshot.lines
        if most and len(shown) >= most:
            print(json.dumps(shown), flush=True)
            os.kill(os.getpid(), signal.SIGKILL)
        yield
    yield from rest(3)
    walker.saw["phase"] = session.snapshot.phase
    walker.look("end")


def main() -> None:
    prepare_kivy()
    tick_at_most(3)
    draw_rarely()
    most = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    walker = Walker((1280, 720), Path(sys.argv[1]), None, None)
    print(json.dumps(walker.run(lambda walker: film(walker, most), every_s=0.3)))


if __name__ == "__main__":
    main()
