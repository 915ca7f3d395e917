"""Where the app on a phone begins: python-for-android runs this file."""

from companion.app import run_window
from companion.cameras import DEFAULT_PLAYERS
from companion.choice import Choice
from companion.logs import begin_logging
from companion.phone import PHONE_CAMERA

if __name__ == "__main__":
    begin_logging()
    run_window(Choice(source=PHONE_CAMERA, players=DEFAULT_PLAYERS))
