"""Where the app on a phone begins: python-for-android runs this file."""

from companion.app.window import run_window
from companion.files.logs import begin_logging
from companion.game.setup import GameSetup
from companion.sources.android import PHONE_CAMERA
from companion.sources.cameras import DEFAULT_PLAYERS

if __name__ == "__main__":
    begin_logging()
    run_window(GameSetup(source=PHONE_CAMERA, players=DEFAULT_PLAYERS))
