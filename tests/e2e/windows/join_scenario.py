"""A scenario of `drive_app.py`: phones join, a person sees who is there, and sends them away."""

from __future__ import annotations

import threading
from dataclasses import replace

import cv2

from tests.e2e.windows.measuring import pixels
from tests.e2e.windows.walker import Steps, Walker, by_touch, rest, until


def joined(walker: Walker) -> Steps:
    """From the form to the code, with a phone that films and one that shows the game."""
    # Imported here: aiohttp takes as long to load as the window, and the other scenarios need no phones.
    import asyncio
    from unittest.mock import patch

    from tests.support.phones import addresses, phone

    patch("companion.phone.server.local_addresses", lambda: ["127.0.0.1"]).start()
    walker.app.ask(by_touch(walker))
    yield
    yield from rest(3)
    form = walker.screen
    chip = next(chip for chip in form.ids.sources.children if chip.source == "joined-phone")
    form.ids.scroll.scroll_to(chip, animate=False)
    yield from rest(2)
    yield from walker.tap(chip)
    yield from until(lambda: hasattr(walker.screen, "code"))
    yield from rest(4)
    walker.look("join")
    serving = addresses(walker.app.phones)
    walker.saw["codes"] = [walker.screen.address.full_text == serving.join]
    yield from until(lambda: _scanned() == serving.join)
    walker.saw["scanned"] = True
    leave = threading.Event()

    async def stay() -> None:
        async with phone(serving.join, 1, name="Ann") as film, phone(serving.view, 2, name="Bob") as screen:
            await film.say(type="take-camera")
            await film.hear("camera-yours")
            await film.film(1.0)
            await screen.hear("state", lambda state: state["camera"]["state"] == "films")
            await asyncio.to_thread(leave.wait)

    phones = threading.Thread(target=lambda: asyncio.run(stay()), daemon=True)
    phones.start()
    yield from until(lambda: walker.app.phones.hub.people.state == "films")
    yield from rest(3)
    walker.look("joined")
    yield from walker.tap(walker.screen.chips[False])
    walker.saw["codes"].append(walker.screen.address.full_text == serving.view)
    yield from walker.tap(walker.screen.buttons["table"])
    yield from until(lambda: walker.screen is form)
    walker.saw["source"] = form.chosen().source
    yield from rest(3)
    yield from walker.go("more")
    yield from rest(2)
    more = walker.screen
    more.ids.scroll.scroll_to(more.buttons["join"], animate=False)
    yield from rest(2)
    yield from walker.tap(more.buttons["join"])
    yield from rest(4)
    moved = replace(serving, join=serving.join.replace("127.0.0.1", "127.0.0.9"))
    walker.app.phones.serving = moved  # as on another Wi-Fi
    yield from until(lambda: walker.screen.address.full_text == moved.join)
    yield from rest(4)
    yield from until(lambda: _scanned() == moved.join)
    walker.saw["in another network"] = True
    walker.app.phones.serving = serving
    walker.saw["still open"] = addresses(walker.app.phones) == serving
    leave.set()
    yield from until(lambda: not phones.is_alive())
    yield from walker.tap(walker.screen.buttons["close"])
    walker.saw["closed"] = walker.app.phones is None
    walker.saw["new codes"] = walker.app.open_phones().serving.join != serving.join
    walker.app.close_phones()
    with patch("companion.phone.opening.require_phone_extra", _missing):
        yield from walker.go("more")
        walker.app.go("join")
        yield from rest(4)
        walker.look("without the extra")
    walker.app.set(language="de")
    walker.app.go("join")
    yield from rest(4)
    walker.look("join-de")


def _scanned() -> str:
    """Return what the code on the screen says; empty if none can be read.

    A code is new each time, and OpenCV cannot read one in a hundred at a given size. A phone can. Both
    detectors at three sizes read each of 2,500.
    """
    picture = pixels().copy()
    for detector in (cv2.QRCodeDetector(), cv2.QRCodeDetectorAruco()):
        for scale in (1.0, 1.5, 0.75):
            said = detector.detectAndDecode(cv2.resize(picture, None, fx=scale, fy=scale))[0]
            if said:
                return str(said)
    return ""


def _missing() -> None:
    from companion.phone.optional_packages import HOW_TO_ADD
    from engine.errors import BadInputError

    raise BadInputError(
        "phones cannot join, because {packages} is missing; add it with: {command}",
        packages="aiohttp",
        command=HOW_TO_ADD,
    )
