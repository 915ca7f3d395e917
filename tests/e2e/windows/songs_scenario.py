"""A scenario of `drive_app.py`: what is owed is marked as sung on the ledger, and taken back."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import Any

from companion.game.evening import Tally
from companion.store.store import Store
from tests.e2e.windows.walker import Steps, Walker, by_touch, rest
from vision.types import Image


def sung(walker: Walker) -> Steps:
    """On the store of `owed_songs.py`."""
    walker.app.ask(by_touch(walker))
    yield from rest(3)
    yield from walker.go("ledger")
    yield from rest(3)
    walker.look("ledger")
    kept = []
    sheet = yield from songs_of(walker, "Bob")
    walker.look("songs")
    walker.saw["offered"] = labels(sheet)
    yield from walker.tap(sheet.chips[0])
    walker.look("songs one sung")
    walker.saw["marked"], walker.saw["ticked"] = sheet.chips[0].label, [chip.on for chip in sheet.chips]
    kept.append(known(walker))
    yield from shut(walker, sheet)
    walker.look("ledger one sung")
    sheet = yield from songs_of(walker, "Bob")
    walker.saw["reopened"] = labels(sheet)
    yield from walker.tap(sheet.chips[-1])
    kept.append(known(walker))
    yield from shut(walker, sheet)
    walker.look("ledger taken back")
    walker.saw["kept"] = kept
    yield from refused(walker)
    yield from all_sung(walker)
    walker.app.set(language="de")
    yield from rest(3)
    yield from walker.go("ledger")
    yield from rest(3)
    walker.look("ledger-de")
    sheet = yield from songs_of(walker, "Bob")
    yield from walker.tap(sheet.chips[1])
    walker.look("songs-de")
    yield from shut(walker, sheet)


def refused(walker: Walker) -> Steps:
    """Another program holds the store for too long."""
    sheet = yield from songs_of(walker, "Ann")
    with closing(sqlite3.connect(walker.store, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield from walker.tap(sheet.chips[0], steps=8)
    walker.look("refused")
    walker.saw["refused"] = [sheet.parent is None, sheet.chips[0].on, known(walker), walker.texts()]


def all_sung(walker: Walker) -> Steps:
    """All that Ann owes of that evening; what is then shared, and all evenings."""
    from kivy.core.clipboard import Clipboard

    from companion.game import sharing

    sheet = yield from songs_of(walker, "Ann")
    yield from walker.tap(sheet.chips[0])
    yield from shut(walker, sheet)
    walker.look("ledger ann sung")
    headed: list[str] = []
    draw = sharing.as_picture

    def note_and_draw(tally: Tally, *, title: str = "", place: str = "") -> Image:
        headed.append(f"{title}, {place}")
        return draw(tally, title=title, place=place)

    sharing.as_picture = note_and_draw
    yield from walker.write(walker.screen.place, "The Red Lion")
    for name in ("picture", "csv", "text"):
        yield from walker.tap(walker.screen.buttons[name])
    walker.saw["headed"], walker.saw["clipboard"] = headed[0], Clipboard.paste()
    walker.saw["csv"] = next(sharing.documents_folder().glob("*.csv")).read_text()
    yield from walker.tap(walker.screen.chips["all"])
    walker.look("ledger all")
    sheet = yield from songs_of(walker, "Ann")
    walker.look("songs of all evenings")
    walker.saw["dated"] = labels(sheet)
    yield from shut(walker, sheet)


def songs_of(walker: Walker, player: str) -> Any:
    """Tap what a player owes; returns what opens."""
    row = next(row for row in walker.screen.rows if row.name == player)
    yield from walker.tap(row.dues)
    yield from rest(6)
    return walker.screen.sheet


def shut(walker: Walker, sheet: Any) -> Steps:
    yield from walker.tap(sheet.ids.close)
    yield from rest(8)
    assert sheet.parent is None


def labels(sheet: Any) -> list[str]:
    return [chip.label for chip in sheet.chips]


def known(walker: Walker) -> list[tuple[str, str, int]]:
    """Return what the store holds as done."""
    with Store.open_to_read(walker.store) as store:
        return [ritual.key for game in store.games() for ritual in game.rituals_done]
