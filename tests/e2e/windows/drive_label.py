"""Run as a program: walks through the window of `shithead label`, and prints what it saw as a JSON line.

Usage: drive_label.py SCENARIO FILM TRUTH WIDTH HEIGHT [PICTURES]. The truth is there already.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))

import tests.e2e.windows.as_phone  # noqa: F401 - before the app, from which it may hide something
from companion.app.window import make_app, prepare_kivy
from companion.game.label_session import LabelSession
from companion.game.labelling import read_labels
from companion.settings import Settings
from tests.e2e.windows.label_scenario import breach, labelled
from tests.e2e.windows.walker import TICKS_A_SECOND, Walker, draw_rarely, tick_at_most

SCENARIOS = {scenario.__name__: scenario for scenario in (labelled, breach)}


def main() -> None:
    name, film, truth, width, height, *pictures = sys.argv[1:]
    prepare_kivy()
    folder = Path(pictures[0]) if pictures else None
    if folder is None:
        tick_at_most(TICKS_A_SECOND)
        draw_rarely()
    else:
        folder.mkdir(parents=True, exist_ok=True)
    settings = Settings(toured=True, language=os.environ.get("SHITHEAD_SCREENS_IN", "en"))
    size = int(width), int(height)
    walker = Walker(size, Path(truth).parent / "s.sqlite", folder, settings)
    walker.app = make_app(size=size, settings=settings, labels=True)
    session = LabelSession(read_labels(Path(truth)), Path(film), Path(truth))
    walker.app.play(session)
    print(json.dumps(walker.run(lambda walker: SCENARIOS[name](walker, session))))


if __name__ == "__main__":
    main()
