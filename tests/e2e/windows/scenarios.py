"""Scenarios of `drive_app.py` that need stand-ins for cameras: the form, the replay, enrolling a deck."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from companion.files.lock import lock_game
from companion.game.enrolling import EnrolmentSession
from companion.game.preview import Preview
from companion.game.setup import GameSetup
from companion.game.sharing import documents_folder
from companion.game.starting import make_session
from companion.settings import load_settings, save_settings
from companion.store import backup as keeping
from companion.store.store import default_path
from engine.errors import BadInputError
from tests.e2e.films import dealt_table
from tests.e2e.windows.walker import PLAYERS, Steps, Walker, by_touch, rest, started, until
from tests.support.fake_source import FakeSource
from tests.support.scripted import READINGS, ScriptedSession, table_picture
from tests.support.shown_cards import Camera, Show, learns
from vision.types import Image


class Tables(FakeSource):
    """Stands in for a camera: shows a table again and again, in the light of its number."""

    live, fps = True, 30.0

    def __init__(self, source: str, log: list[str]) -> None:
        if source == "2":
            raise BadInputError("camera 2: cannot be opened (no such camera or stream)")
        super().__init__()
        self.name, self._log = source, log
        dark = 0.15 if source == "1" else 1.0
        self._picture = (table_picture() * dark).astype(np.uint8)
        log.append(f"open {source}")

    def __iter__(self) -> Iterator[tuple[float, Image]]:
        began = time.monotonic()
        while not self.closed:
            time.sleep(0.03)
            yield time.monotonic() - began, self._picture

    def close(self) -> None:
        super().close()
        self._log.append(f"close {self.name}")


class Reads:
    def read(self, image: Any, crowded: Any = None, ignored: object = None) -> Any:
        return READINGS


def seats(walker: Walker) -> Steps:
    """The form with a camera: everybody seated by drag, the dealer tapped, the picture judged in words."""
    log: list[str] = []
    walker.app.make_preview = lambda source, deck: Preview(lambda: Tables(source, log), Reads)
    walker.app.ask(GameSetup(source="0", players=PLAYERS, store=walker.store))
    yield
    yield from rest(6)
    form = walker.screen
    form.found_cameras.append(1)  # as the search for cameras does from its thread
    while form.preview.sight is None:
        yield
    yield from rest(4)
    walker.saw["sources"] = [chip.text for chip in reversed(form.ids.sources.children)]
    form.ids.scroll.scroll_to(form.ids.seating, animate=False)
    yield from rest(3)
    walker.look("seats")
    table = form.ids.seating
    yield from walker.drag(table.tokens[1], table.to_window(*table.tokens[2].center))
    yield from walker.tap(table.tokens[3])
    walker.saw["seated"] = [form.chosen().players, form.chosen().dealer]
    x, y = table.to_window(*table.tokens[0].center)
    yield from walker.drag(table.tokens[0], (x + 40, y + 10))
    walker.saw["put back"] = [form.chosen().players, form.chosen().dealer]
    before = form.ids.scroll.scroll_y
    yield from walker.drag(table.tokens[3], table.to_window(*table.tokens[0].center))
    walker.saw["scrolled by a drag of a name"] = form.ids.scroll.scroll_y != before
    walker.saw["seated again"] = form.chosen().players
    walker.look("after seating")
    form.ids.scroll.scroll_y = 1
    yield from rest(3)
    chips = {chip.source: chip for chip in form.ids.sources.children}
    yield from walker.tap(chips["1"])
    while form.preview.sight is None:
        yield
    yield from rest(4)
    form.ids.scroll.scroll_to(form.ids.seating, animate=False)
    yield from rest(3)
    walker.look("dark")
    jokers = next(chip for chip in form.ids.rules.children if chip.rules == "jokers")
    yield from walker.tap(jokers)
    form.ids.scroll.scroll_to(form.ids.options, animate=False)
    yield from rest(3)
    walker.look("by which rules")
    form.ids.scroll.scroll_y = 1
    yield from rest(3)
    yield from walker.tap(chips[""])
    yield from rest(6)
    walker.look("no camera")
    walker.saw["cameras"] = list(log)
    form.found_cameras.append(2)
    yield from rest(6)
    yield from walker.tap(next(chip for chip in form.ids.sources.children if chip.source == "2"))
    while not form.preview.error:
        yield
    yield from rest(6)
    walker.look("no such camera")


def house_options(walker: Walker) -> Steps:
    """The rules of a game with a house option, in both languages."""
    walker.app.ask(replace(by_touch(walker), rules="jokers", options=("4-colour",)))
    yield
    for language in ("en", "de"):
        walker.app.set(language=language)
        yield from rest(3)
        yield from walker.go("rules")
        yield from rest(3)
        walker.look(f"house options {language}")
        walker.saw[f"title {language}"] = walker.screen.title
    walker.screen.search.text = "Joker"
    yield from rest(12)
    walker.look("searched")


def replayed(walker: Walker) -> Steps:
    """A game by touch that is gone through again: by buttons, along the bar, and back to an earlier game."""
    yield from started(walker)
    for player, key in (("Ann", "4"), ("Bob", "9"), ("Cat", "6")):
        yield from walker.tap(walker.screen.ids.players.cells[player])
        yield from walker.tap(walker.screen.player_sheet.pad.keys[key])
        yield from walker.tap(walker.screen.player_sheet.buttons["play"])
        yield from rest(6)
    picture = cv2.imencode(".jpg", table_picture())[1].tobytes()
    session = walker.app.session
    session.event_pictures[3] = picture
    yield from walker.go("log")
    yield from walker.tap(walker.screen.step_through)
    yield from rest(4)
    view = walker.screen.replay

    def stands() -> list[Any]:
        table = view.steps[int(view.step)].table
        return [view.heading, view.what, list(table.pile), table.turn, view.texture is not None]

    walker.saw["first"] = stands()
    for _ in range(2):
        yield from walker.tap(view.ids.on)
    walker.saw["third"] = stands()
    walker.look("replay")
    column = view.ids.turn.parent
    walker.saw["column"] = [column.height, column.minimum_height]
    x, y = view.ids.bar.to_window(*view.ids.bar.center)
    yield from walker.drag(view.ids.bar, (x + view.width / 2, y))
    walker.saw["last"] = stands()
    yield from walker.tap(view.ids.back)
    yield from walker.tap(view.ids.earlier)
    walker.saw["earlier game"] = stands()
    walker.look("replay earlier")
    yield from walker.tap(view.ids.close)
    yield from rest(6)
    yield from walker.go("more")
    yield from walker.tap(walker.screen.switches["keep_moments"])
    walker.saw["keeps"] = session.picture_writer.enabled


def enrolled(walker: Walker) -> Steps:
    """A deck shown to the camera in any order: progress, what is missing, saved; played with, forgotten."""
    previewed: list[str | None] = []

    def look_through(source: str, deck: str | None) -> Preview:
        previewed.append(deck)
        return Preview(lambda: Tables(source, []), Reads)

    walker.app.make_preview = look_through
    walker.app.ask(GameSetup(source="http://127.0.0.1:9/", players=PLAYERS, store=walker.store))
    yield
    yield from rest(3)
    yield from walker.go("deck")
    screen = walker.screen
    show = Show("KD", None, "2C", "?", "9S")
    screen.make_session = lambda source, name: EnrolmentSession(Camera, lambda: (show, learns(name)))
    yield from walker.write(screen.name_field, "../x")
    yield from walker.tap(screen.buttons["enrol"])
    walker.saw["refused"] = screen.ids.toast.text
    screen.ids.toast.say("", 0.0)
    yield from walker.write(screen.name_field, "pub")
    yield from walker.tap(screen.buttons["enrol"])
    while screen.enrolment.progress.shown < 4:
        yield
    yield from rest(4)
    walker.look("enrolling")
    yield from walker.tap(screen.buttons["save"])
    while screen.enrolment is not None:
        yield
    yield from rest(3)
    walker.look("enrolled")
    yield from deck_chosen(walker, previewed)
    yield from walker.go("deck")
    screen = walker.screen
    yield from walker.tap(screen.rows["pub"].ids.forget)
    yield from walker.tap(screen.rows["pub"].ids.forget)
    walker.saw["forgotten"] = not screen.rows
    yield from walker.go("table")
    walker.saw["deck forgotten"] = chosen_deck(walker.screen)


def deck_chosen(walker: Walker, previewed: list[str | None]) -> Steps:
    """The form that was there before the deck was: it is chosen, then any, then it again."""
    yield from walker.go("table")
    form = walker.screen
    walker.saw["decks"] = [chosen_deck(form)]
    previewed.clear()
    for name in ("pub", "", "pub"):
        chips = {chip.source: chip for chip in form.ids.decks.children}
        yield from walker.tap(chips[name])
        walker.saw["decks"].append(chosen_deck(form))
    walker.saw["previewed with"] = list(previewed)
    yield from until(lambda: form.preview.sight is not None)
    yield from rest(4)
    form.ids.scroll.scroll_to(form.ids.decks, animate=False)
    yield from rest(3)
    walker.look("which deck")


def chosen_deck(form: Any) -> list[Any]:
    """Return the decks offered, those with a tick, the one to be played with, and whether that is said."""
    chips = list(reversed(form.ids.decks.children))
    ticked = [chip.label for chip in chips if "✓" in chip.text]
    return [[chip.label for chip in chips], ticked, form.chosen().deck, "Deck: pub." in form.summary]


def kept(walker: Walker) -> Steps:
    """In mid-game: erasing is refused while another program plays; a backup is made, and put back."""
    yield from started(walker)
    yield from walker.go("more")
    walker.screen.ids.scroll.scroll_y = 0
    yield from rest(2)
    elsewhere = lock_game(walker.store, 99)
    assert elsewhere is not None
    yield from walker.tap(walker.screen.buttons["erase"])
    yield from walker.tap(walker.screen.buttons["erase"])
    walker.look("erase refused")
    walker.saw["plays on"] = [walker.app.session is not None, walker.store.exists()]
    elsewhere.release()
    yield from walker.tap(walker.screen.buttons["backup"])
    yield from rest(4)
    (backup,) = documents_folder().glob("*.sqlite")
    walker.screen.ids.scroll.scroll_y = 0
    yield from rest(4)
    walker.look("backups")
    yield from walker.tap(walker.screen.buttons["erase"])
    yield from walker.tap(walker.screen.buttons[backup.name])
    walker.look("put back asks")
    yield from walker.tap(walker.screen.buttons[backup.name])
    yield from rest(4)
    walker.look("put back")
    walker.saw["set aside"] = [path.name for path in walker.store.parent.glob("*.replaced-*.sqlite")]
    walker.saw["session after"] = walker.app.session is not None
    yield from everything_erased(walker)


def everything_erased(walker: Walker) -> Steps:
    """With the user's own store: what is kept cannot be listed, and then it is erased, settings and all."""
    assert default_path() == walker.store, "a test's own home, and nobody's games"
    walker.app.store = None
    for name in ("table", "more"):
        yield from walker.go(name)
    save_settings(load_settings())
    (walker.store.parent / "decks-of-a-friend").symlink_to(walker.store.parent.parent)
    listed, keeping.stored_files = keeping.stored_files, unlisted
    yield from walker.tap(walker.screen.buttons["erase"])
    walker.look("not listed")
    keeping.stored_files = listed
    walker.screen.ids.toast.say("")
    yield from walker.tap(walker.screen.buttons["erase"])
    walker.look("erase everything asks")
    walker.saw["kept before"] = [path.name for path in keeping.stored_files()]
    yield from walker.tap(walker.screen.buttons["erase"])
    yield from rest(4)
    walker.saw["kept after"] = [path.name for path in keeping.stored_files()]
    walker.look("everything erased")


def unlisted(store: Path | None = None) -> list[Path]:
    raise PermissionError(13, "Permission denied", "/somewhere")


def next_deal(walker: Walker) -> Steps:
    """A game under a camera until Ann is out; the next deal begins the next game, while a sheet is open."""
    camera = dealt_table.Camera()
    dealt_table.look_through(camera)
    setup = dealt_table.setup_in(walker.store)
    walker.app.play(make_session(setup, realtime=False), setup)
    yield
    session = walker.app.session
    camera.show(0.6)
    camera.deal()
    camera.show(2.0)
    yield from until(lambda: len(session.snapshot.lines) == 1)
    yield from rest(4)
    yield from walker.tap(walker.screen.ids.players.cells["Ann"])
    for _ in range(2):  # that a player is out is asked for twice
        yield from walker.tap(walker.screen.player_sheet.buttons["out"])
    yield from until(lambda: walker.screen.over)
    yield from rest(6)
    walker.saw["over"] = walker.screen.ids.pause.text
    camera.show(4.0)
    yield from until(lambda: "deals" in walker.screen.ids.toast.text)
    yield from rest(4)
    walker.look("deal awaited")
    walker.screen.open_event(session.snapshot.lines[1]["id"])
    yield from rest(4)
    sheet = walker.screen.sheet
    walker.saw["sheet before"] = sheet.heading
    camera.cards = []
    camera.show(2.0)
    dealt_table.deal_second(camera)
    yield from until(lambda: session.snapshot.game == 2)
    yield from until(lambda: sheet.parent is None)
    yield from rest(6)
    walker.look("new game")
    ids = walker.screen.ids
    walker.saw["banner"] = [ids.banner.word, ids.banner.says]
    walker.saw["goes on"] = [walker.screen.over, ids.pause.text, walker.app.setup.dealer]
    walker.saw["cells"] = [cell.up for cell in ids.players.cells.values()]
    yield from walker.go("log")
    walker.saw["log"] = [row["title"] for row in walker.screen.rows.data]
    yield from walker.go("ledger")
    walker.saw["ledger"] = [[row.name, row.count] for row in walker.screen.rows]
    yield from walker.go("table")


def demonstration(walker: Walker) -> Steps:
    """The film that ships is shown, as there is no camera; in German too; then a game of one's own."""
    walker.app.play(ScriptedSession(), GameSetup(source="film.mp4", players=PLAYERS, demonstration=True))
    yield
    from kivy.core.window import Window

    for language in ("en", "de"):
        walker.app.set(language=language)
        for size in ((1280, 720), (360, 640)):
            Window.size = size
            yield from rest(5)
            walker.look(f"demonstration-{language} {size[0]}x{size[1]}")
    line = next(child for child in walker.screen.children if type(child).__name__ == "DemonstrationLine")
    yield from walker.tap(line.ids.own)
    yield from rest(4)
    chosen = walker.screen.chosen()
    walker.saw["own"] = [chosen.source, chosen.demonstration, chosen.kept]
