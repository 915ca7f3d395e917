"""Nothing leaves the device: what sockets a program asks for is heard by Python itself, whoever asks.

A game by touch with all that shares it, and a film, each in a program of its own. What networks and films are
read with asks the system past Python: the loader of films is told to read files only
(`vision.capture.opencv`)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest

LISTENS = """
import json, socket, sys
asked = []
def hear(event, about):
    if event in ("socket.connect", "socket.bind", "socket.sendto"):
        if about[0].family != getattr(socket, "AF_UNIX", None):
            asked.append([event, repr(about[1])])
    elif event in ("socket.getaddrinfo", "socket.gethostbyname"):
        asked.append([event, repr(about[0])])
sys.addaudithook(hear)
"""
TOUCHED = """
import time
from pathlib import Path
from companion.game import sharing
from companion.game.setup import GameSetup
from companion.game.evening import store_tally
from companion.store.backup import back_up
from companion.game.starting import make_session
from companion.store.store import Store
from engine.events import Event
folder = Path(sys.argv[1])
setup = GameSetup(source=None, players=("Ann", "Bob"), rules="shed", store=folder / "s.sqlite")
session = make_session(setup)
session.start()
def settled(said):
    for _ in range(6000):
        if session.snapshot.says.startswith(said) or session.snapshot.phase == "failed":
            return
        time.sleep(0.01)
while session.snapshot.phase == "opening":
    time.sleep(0.01)
session.enter(Event(id=0, event="game_over", loser="Bob"))
settled("Entered")
session.stop()
with Store.open(folder / "s.sqlite") as store:
    tally = store_tally(store)
sharing.save_picture(tally, folder / "tally.png")
shared = [sharing.as_text(tally), sharing.as_csv(tally), json.dumps(sharing.as_json(tally))]
back_up(folder / "copy.sqlite", folder / "s.sqlite")
done = "Bob" in shared[0] and (folder / "tally.png").exists() and (folder / "copy.sqlite").exists()
"""
FILMED = """
from companion.cli.main import main
done = main(["watch", sys.argv[1] + "/film.avi", "--headless", "--store", sys.argv[1] + "/s.sqlite"]) == 0
"""
STREAMED = """
from companion.cli.main import main
from vision.capture import sources
asked_for = []
sources.open_stream = lambda address, **_: asked_for.append(address) or sources.cv2.VideoCapture()
main(["watch", "http://127.0.0.1:9/video", "--headless"])
done = set(asked_for) == {"http://127.0.0.1:9/video"}
"""
TELLS = "print(json.dumps([done, asked]))"


def asked_for(what: str, folder: Path) -> list[list[str]]:
    """Run a program; return which addresses and names it asked the network for."""
    done = subprocess.run(
        [sys.executable, "-c", LISTENS + what + TELLS, str(folder)],
        env={key: value for key, value in os.environ.items() if not key.startswith("COVERAGE")},
        capture_output=True,
        text=True,
        timeout=600,  # only against a process that hangs
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    carried_out, asked = json.loads(done.stdout.splitlines()[-1])
    assert carried_out, done.stderr[-2000:]
    found: list[list[str]] = asked
    return found


@pytest.fixture
def filmed(tmp_path: Path) -> Path:
    writer = cv2.VideoWriter(str(tmp_path / "film.avi"), cv2.VideoWriter.fourcc(*"MJPG"), 15, (160, 120))
    for _ in range(5):
        writer.write(np.full((120, 160, 3), (60, 90, 40), np.uint8))
    writer.release()
    return tmp_path


def test_whoever_asks_the_network_is_heard(tmp_path: Path) -> None:
    asks = """
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
    asking.connect(("127.0.0.1", 9))
done = True
"""
    assert asked_for(asks, tmp_path) == [["socket.connect", "('127.0.0.1', 9)"]]


@pytest.mark.parametrize(
    "what", [TOUCHED, FILMED, STREAMED], ids=["touched and shared", "filmed", "streamed"]
)
def test_nothing_leaves_the_device(what: str, filmed: Path) -> None:
    """Of a stream only the address that was named is asked for."""
    named = ("('127.0.0.1', 9)", "'127.0.0.1'") if what is STREAMED else ()
    assert [asked for asked in asked_for(what, filmed) if asked[1] not in named] == []
