"""Photograph the phones' page for the documentation: `.venv/bin/python scripts/phone_pages.py [FOLDER]`.

It opens the page in Debian's Chromium, as the tests do, on screens of several sizes. The game is the one of
a polite film, entered by hand, and the camera films a picture of it. It makes `phone-pages.png` in `docs`
or another folder, and takes about a minute.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont
from PIL.PngImagePlugin import PngInfo

from companion.game.preview import SightCheck
from companion.game.scoring import read_truth
from companion.game.session import Session
from companion.game.setup import GameSetup
from companion.game.starting import make_session
from companion.phone.program import ProgramState
from companion.store.store import Store
from engine.events import Event
from tests.support.polite_film import polite_film
from vision.capture.image_quality import quality_faults
from vision.recognition.reader import reader_for_deck
from vision.types import Image as Frame

if TYPE_CHECKING:
    from tests.support.chromium import Browser

ROOT = Path(__file__).resolve().parents[1]
UPRIGHT, SIDEWAYS, TABLET, PROJECTOR = (360, 740), (740, 360), (1180, 820), (1280, 720)
HEIGHT, GAP, LINE = 540, 14, 26
CONTENTS = "contents"
"""Name of the text in the file of the picture that lists its photographs."""
PAPER, INK = (246, 244, 238), (40, 40, 40)
_FILMED_AT_S, _LEFT_OUT = 81.0, ("draw", "burn")


@dataclass(frozen=True)
class Photograph:
    """One photograph and its caption."""

    picture: Image.Image
    below: str


@contextmanager
def running_game(folder: Path) -> Iterator[tuple[Session, GameSetup]]:
    """Play a polite film's game by hand up to its breach."""
    film = polite_film()
    store = folder / "s.sqlite"
    with Store.open(store) as evening:
        for loser in ("Bob", "Dan", "Bob"):
            evening.start_game("winnersh", film.players)
            evening.append({"id": 1, "event": "draw", "player": "Cat", "t": 0})
            evening.finish(loser)
    setup = GameSetup(source=None, players=film.players, dealer=film.dealer, store=store)
    session = make_session(setup)
    session.start()
    for line in read_truth(film.path.with_suffix(".truth.jsonl")):
        if line["event"] not in _LEFT_OUT:
            answers = session.snapshot.requests_done
            session.enter(Event.from_json({**line, "id": 1, "t": line["t_end"]}))
            while session.snapshot.requests_done == answers:
                time.sleep(0.01)
        if line.get("legal") is False:
            break
    try:
        yield session, setup
    finally:
        session.stop()


def filmed() -> Frame:
    """Return a picture of a polite film, as the camera sees it."""
    capture = cv2.VideoCapture(str(polite_film().path))
    capture.set(cv2.CAP_PROP_POS_MSEC, 1000 * _FILMED_AT_S)
    frame = capture.read()[1]
    capture.release()
    return np.asarray(frame, np.uint8)


def photograph(browser: Browser, below: str) -> Photograph:
    """Take one photograph of the current window."""
    time.sleep(0.4)
    return Photograph(Image.open(BytesIO(browser.driver.get_screenshot_as_png())).convert("RGBA"), below)


def game_pages(browser: Browser, view: str, join: str) -> Iterator[Photograph]:
    """Photograph the screens of a running game."""
    browser.open(view)
    browser.resize(*UPRIGHT)
    browser.until(lambda: browser.text("#verdict"))
    browser.script("link.send({type: 'name', name: 'Cat'}); me.name = 'Cat'; show(['me'])")
    yield photograph(browser, "A screen")
    browser.tap_text("Log")
    yield photograph(browser, "The log")
    browser.tap_text("Ledger")
    browser.until(lambda: "Bob" in browser.text("#ledger"))
    yield photograph(browser, "The ledger")
    browser.tap_text("Table")
    browser.tap("#wrong")
    yield photograph(browser, "That is wrong")
    browser.tap_text("Close", "#sheet")
    browser.resize(*SIDEWAYS)
    yield photograph(browser, "On its side")
    browser.resize(*TABLET, scale=1.0)
    yield photograph(browser, "A tablet")
    browser.open(join)
    browser.resize(*UPRIGHT)
    browser.tap("#film")
    yield photograph(browser, "Before filming")
    browser.open(f"{view}?overlay=1")
    browser.resize(*PROJECTOR, scale=1.0)
    browser.until(lambda: browser.text("#verdict"))
    browser.driver.execute_cdp_cmd(
        "Emulation.setDefaultBackgroundColorOverride", {"color": {"r": 36, "g": 64, "b": 47, "a": 255}}
    )
    yield photograph(browser, "Over a stream, transparent")


def camera_pages(browser: Browser, join: str) -> Iterator[Photograph]:
    """Photograph the page of the phone that films."""
    for size, below in ((UPRIGHT, "The phone that films"), (SIDEWAYS, "The same on its side")):
        browser.open(join)
        browser.resize(*size)
        browser.tap("#film")
        browser.tap("#start-film")
        browser.until(lambda: "✓" in browser.text("#sight"))
        yield photograph(browser, below)
        browser.tap("#leave")


def contact_sheet(rows: list[list[Photograph]]) -> Image.Image:
    """Return rows of photographs with their captions below."""
    font = ImageFont.truetype("DejaVuSans.ttf", 17)
    lines = []
    for row in rows:
        height = (
            HEIGHT if any(photo.picture.height > photo.picture.width for photo in row) else HEIGHT * 2 // 3
        )
        sizes = [(round(photo.picture.width * height / photo.picture.height), height) for photo in row]
        line = Image.new("RGB", (sum(w + GAP for w, _ in sizes) + GAP, height + LINE + GAP), PAPER)
        left = GAP
        for photo, size in zip(row, sizes, strict=True):
            line.paste(photo.picture.resize(size).convert("RGB"), (left, GAP))
            ImageDraw.Draw(line).text((left, GAP + height + 4), photo.below, INK, font)
            left += size[0] + GAP
        lines.append(line)
    width = max(line.width for line in lines)
    sheet = Image.new("RGB", (width, sum(line.height for line in lines) + GAP), PAPER)
    top = 0
    for line in lines:
        sheet.paste(line, (0, top))
        top += line.height
    return sheet


def main() -> None:
    """Take the photographs and write the picture."""
    sys.path.insert(0, str(ROOT))
    from tests.support.chromium import chromium, missing
    from tests.support.phones import addresses, serving

    if missing():
        raise SystemExit(missing())
    target = (Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs") / "phone-pages.png"
    frame = filmed()
    readings = tuple(reader_for_deck(None).read(frame))
    check = SightCheck(readings, quality_faults(frame, readings))
    with tempfile.TemporaryDirectory(prefix="shithead-pages-") as name:
        folder = Path(name)
        film = folder / "film.mjpeg"
        film.write_bytes(cv2.imencode(".jpg", frame)[1].tobytes() * 30)
        photos: list[Photograph] = []
        with (
            running_game(folder) as (session, setup),
            chromium(folder / "b", film=film) as browser,
        ):
            program = ProgramState(lambda: session, lambda: setup, store=folder / "s.sqlite")
            with serving(folder / "phones", program) as server:
                photos += game_pages(browser, addresses(server).view, addresses(server).join)
            program = ProgramState(sight=lambda: check, store=folder / "s.sqlite")
            with serving(folder / "others", program) as server:
                photos += camera_pages(browser, addresses(server).join)
    upright = [photo for photo in photos if photo.picture.height > photo.picture.width]
    wide = [photo for photo in photos if photo not in upright]
    about = PngInfo()
    about.add_itxt(CONTENTS, "\n".join(photo.below for photo in (*upright, *wide)))
    sheet = contact_sheet([upright, wide[:2] + wide[3:], wide[2:3]])
    sheet.quantize(256, dither=Image.Dither.NONE).save(target, optimize=True, pnginfo=about)
    print(target)


if __name__ == "__main__":
    main()
