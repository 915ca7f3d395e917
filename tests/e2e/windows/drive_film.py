"""Run as a program: the sample film refereed through the window, to its end or to where it is killed.

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
from companion.game.setup import choice_of
from companion.game.starting import broken_off, session_of
from tests.e2e.windows.walker import Steps, Walker, draw_plainly, rest, sample_choice


def film(walker: Walker, most: int) -> Steps:
    """Watch until the film has ended."""
    choice = sample_choice(store=walker.store)
    game, _notice = broken_off(walker.store)
    if game is not None:
        choice = choice_of(game, store=walker.store)
    session = session_of(choice, realtime=False)
    walker.app.play(session, choice)
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
    draw_plainly(3)
    most = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    walker = Walker((1280, 720), Path(sys.argv[1]), None, None)
    print(json.dumps(walker.run(lambda walker: film(walker, most), every_s=0.3)))


if __name__ == "__main__":
    main()
