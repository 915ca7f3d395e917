"""Where the app on a phone begins: python-for-android runs this file."""

from companion.app import run_window
from companion.cameras import DEFAULT_PLAYERS
from companion.choice import Choice
from companion.phone import PHONE_CAMERA

if __name__ == "__main__":
    run_window(Choice(source=PHONE_CAMERA, players=DEFAULT_PLAYERS))
