"""A scenario of `drive_app.py`: what is to be kept or put back cannot be, and the game goes on."""

from __future__ import annotations

import time
from pathlib import Path

import cv2

from companion.game.sharing import documents_folder, pictures_folder
from tests.e2e.windows.walker import Steps, Walker, rest, started, until
from tests.support.damaged import damage_events
from tests.support.scripted import table_picture

FULL = Path("/dev/full")


def refused_files(walker: Walker) -> Steps:
    """In mid-game, with games in the ledger: the folders are files, then full; a backup is damaged."""
    from unittest.mock import patch  # loads asyncio, which no other scenario needs

    yield from started(walker)
    yield from play(walker, "Ann", "4")
    session = walker.app.session
    number = session.snapshot.lines[-1]["id"]
    session.event_pictures[number] = cv2.imencode(".jpg", table_picture())[1].tobytes()
    folders = documents_folder(), pictures_folder()
    walker.saw["folders"] = list(map(str, folders))
    for folder in folders:
        folder.write_text("a file where the folder should be")
    yield from keep_everything(walker, number, "no folder")
    for folder in folders:
        folder.unlink()
        folder.mkdir()
        for kind in ("csv", "png", "jpg", "sqlite"):
            (folder / f"full.{kind}").symlink_to(FULL)
    with patch.object(time, "strftime", lambda form, *_: f"full{Path(form).suffix}"):
        yield from keep_everything(walker, number, "full")
    yield from damaged_backup(walker)
    walker.saw["same session"] = walker.app.session is session
    yield from walker.go("table")
    yield from play(walker, "Bob", "9")
    walker.saw["goes on"] = [list(session.snapshot.table.pile), session.snapshot.table.turn]


def keep_everything(walker: Walker, number: int, why: str) -> Steps:
    """Tap whatever writes a file for the user; notes what each says."""
    said = walker.saw[why] = {}
    yield from walker.go("ledger")
    for name in ("picture", "csv"):
        yield from walker.tap(walker.screen.buttons[name])
        said[name] = walker.screen.ids.toast.text
        walker.look(f"{name}: {why}")
    yield from walker.go("log")
    yield from walker.tap_row(number)
    yield from rest(6)
    yield from walker.tap(walker.screen.correcting.ids.look)
    yield from rest(6)
    yield from walker.tap(walker.screen.sheet.ids.keep)
    said["moment"] = walker.screen.ids.toast.text
    yield from rest(6)
    walker.look(f"moment: {why}")
    yield from walker.go("more")
    yield from walker.tap(walker.screen.buttons["backup"])
    said["backup"] = walker.screen.ids.toast.text
    walker.look(f"backup: {why}")


def damaged_backup(walker: Walker) -> Steps:
    """A backup is made and spoilt; at the second tap it is refused."""
    yield from walker.go("more")
    yield from walker.tap(walker.screen.buttons["backup"])
    yield from rest(4)
    (backup,) = documents_folder().glob("shithead-*.sqlite")
    damage_events(backup)
    before = sorted(walker.store.parent.iterdir())
    for _ in range(2):
        yield from walker.tap(walker.screen.buttons[backup.name])
    walker.saw["damaged backup"] = [str(backup), walker.screen.ids.toast.text]
    walker.look("put back: damaged")
    walker.saw["left behind"] = [
        path.name for path in sorted(walker.store.parent.iterdir()) if path not in before
    ]


def play(walker: Walker, player: str, key: str) -> Steps:
    """Enter that a player plays a card; wait for the ruling and for the sheet to be gone."""
    session = walker.app.session
    yield from walker.tap(walker.screen.ids.players.cells[player])
    sheet, before = walker.screen.player_sheet, session.snapshot.lines
    yield from walker.tap(sheet.pad.keys[key])
    yield from walker.tap(sheet.buttons["play"])
    yield from until(lambda: session.snapshot.lines != before and sheet.parent is None)
    yield from rest(4)
