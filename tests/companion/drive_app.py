"""Run as a program: walks through the screens of the real window by touch, and prints what it saw.

Usage: drive_app.py SCENARIO WIDTH HEIGHT STORE [PICTURES]. The store is a file that the test has filled; with
a folder for pictures, every screen is photographed there. The answer is one JSON line on stdout.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

from scripted import READINGS, ScriptedSession, table_picture
from shown_cards import Camera, Show, learns

from companion.app import make_app, prepare_kivy
from companion.choice import Choice
from companion.enrolling import EnrolSession
from companion.preview import Preview
from companion.settings import Settings, load_settings
from companion.starting import session_of

Steps = Iterator[None]
PLAYERS = ("Ann", "Bob", "Cat", "Dan")


class Walker:
    """Runs a scenario, one step every few frames, on the window's own clock."""

    def __init__(
        self, size: tuple[int, int], store: Path, pictures: Path | None, settings: Settings | None
    ) -> None:
        self.store, self.pictures = store, pictures
        self.app = make_app(size=size, store=store, settings=settings)
        self.saw: dict[str, Any] = {}
        self.measured: dict[str, Any] = {}

    def run(self, scenario: Callable[[Walker], Steps]) -> dict[str, Any]:
        from kivy.clock import Clock

        steps = scenario(self)

        def step(_dt: float) -> None:
            try:
                next(steps)
            except StopIteration:
                self.app.end_session()
                self.app.stop()
                return
            Clock.schedule_once(step, 0.05)

        Clock.schedule_once(step, 0.3)
        next(steps)  # what the window begins with
        self.app.run()
        return {**self.saw, "measured": self.measured}

    @property
    def screen(self) -> Any:
        return self.app.screen

    def tap(self, widget: Any) -> Steps:
        """Touch the middle of `widget`, through the window, as a finger would; wait for what comes of it."""
        from kivy.tests.common import UnitTestTouch

        assert widget.get_root_window() is not None, f"{widget} is not on the screen"
        touch = UnitTestTouch(*widget.to_window(*widget.center))
        touch.touch_down()
        touch.touch_up()
        yield from rest(3)

    def drag(self, widget: Any, goal: tuple[float, float]) -> Steps:
        """Drag from the middle of `widget` to a place in the window, as a finger would."""
        from kivy.tests.common import UnitTestTouch

        start = widget.to_window(*widget.center)
        touch = UnitTestTouch(*start)
        touch.touch_down()
        for share in (0.3, 0.7, 1.0):
            touch.touch_move(*(a + share * (b - a) for a, b in zip(start, goal, strict=True)))
            yield
        touch.touch_up()
        yield from rest(3)

    def go(self, name: str) -> Steps:
        yield from self.tap(self.app.root.places[name])
        yield from rest(2)
        assert self.app.at == name

    def texts(self) -> list[str]:
        """Return every text that is on the screen."""
        from kivy.core.window import Window
        from kivy.uix.label import Label

        found = []
        for top in Window.children:
            for widget in top.walk():
                if isinstance(widget, Label) and widget.text and widget.opacity:
                    found.append(getattr(widget, "full_text", "") or widget.text)
        return found

    def look(self, name: str) -> None:
        """Note the texts and the measures of everything, and photograph it."""
        from kivy.core.window import Window
        from kivy.uix.behaviors import ButtonBehavior
        from kivy.uix.textinput import TextInput

        from companion.screens.widgets import CardTile, FitLabel

        targets, cut, outside = [], [], []
        for top in Window.children:
            for widget in top.walk():
                touchable = isinstance(widget, ButtonBehavior | TextInput) and not isinstance(
                    widget, CardTile
                )
                if touchable and widget.opacity and widget.width > 1:
                    targets.append([type(widget).__name__, widget.width, widget.height])
                if isinstance(widget, FitLabel) and widget.full_text and widget.opacity and widget.height:
                    if "…" in widget.text and "…" not in widget.full_text:
                        cut.append(widget.full_text)
                    if widget.texture_size[1] > widget.height + 2:
                        outside.append(widget.full_text)
        self.measured[name] = {"targets": targets, "cut": cut, "outside": outside}
        self.saw[name] = self.texts()
        if self.pictures is not None:
            self._shoot(self.pictures / f"{name}.png")

    def _shoot(self, path: Path) -> None:
        from kivy.core.window import Window
        from kivy.graphics.opengl import GL_RGBA, GL_UNSIGNED_BYTE, glReadPixels

        width, height = Window.system_size
        pixels = np.frombuffer(glReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE), np.uint8)
        upright = pixels.reshape(height, width, 4)[::-1]
        cv2.imwrite(str(path), cv2.cvtColor(upright, cv2.COLOR_RGBA2BGR))


def rest(steps: int) -> Steps:
    for _ in range(steps):
        yield


def by_touch(walker: Walker) -> Choice:
    return Choice(source=None, players=PLAYERS, dealer="Dan", store=walker.store)


class Tables:
    """Stands in for a camera: shows a table again and again, in the light of its number."""

    live, fps = True, 30.0

    def __init__(self, source: str, log: list[str]) -> None:
        self.name, self._log, self._closed = source, log, False
        dark = 0.15 if source == "1" else 1.0
        self._picture = (table_picture() * dark).astype(np.uint8)
        log.append(f"open {source}")

    def __iter__(self) -> Iterator[tuple[float, Any]]:
        began = time.monotonic()
        while not self._closed:
            time.sleep(0.03)
            yield time.monotonic() - began, self._picture

    def close(self) -> None:
        self._closed = True
        self._log.append(f"close {self.name}")


class Reads:
    def read(self, image: Any, crowded: Any = None) -> Any:
        return READINGS


def seats(walker: Walker) -> Steps:
    """The form with a camera: everybody seated by drag, the dealer tapped, the picture judged in words."""
    log: list[str] = []
    walker.app.make_preview = lambda source, deck: Preview(lambda: Tables(source, log), Reads)
    walker.app.ask(Choice(source="0", players=PLAYERS, store=walker.store))
    yield
    yield from rest(6)
    form = walker.screen
    form._cameras.append(1)  # as the search for cameras does from its thread
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
    form.ids.scroll.scroll_y = 1
    yield from rest(3)
    yield from walker.tap(chips[""])
    yield from rest(6)
    walker.look("no camera")
    walker.saw["cameras"] = log


def tour(walker: Walker) -> Steps:
    """The first steps, forwards; then they are not shown again."""
    walker.app.ask(by_touch(walker))
    yield
    yield from rest(2)
    from kivy.core.window import Window

    shown = next(child for child in Window.children if type(child).__name__ == "Tour")
    for number in (1, 2, 3):
        walker.look(f"tour{number}")
        yield from walker.tap(shown.ids.onwards)
    yield from rest(6)
    walker.saw["tours left"] = sum(type(child).__name__ == "Tour" for child in Window.children)
    walker.saw["toured"] = load_settings().toured


def screens(walker: Walker) -> Steps:
    """Every screen of the navigation in mid-game, and what opens from it."""
    session = ScriptedSession()
    walker.app.play(session, Choice(source="0", players=PLAYERS))
    yield
    yield from rest(4)
    walker.look("table")
    yield from walker.tap(walker.screen.ids.players.cells["Cat"])
    sheet = walker.screen.player_sheet
    yield from walker.tap(sheet.pad.keys["9"])
    yield from walker.tap(sheet.pad.keys["S"])
    yield from walker.tap(sheet.pad.keys["9"])
    walker.look("player")
    yield from walker.tap(sheet.buttons["play"])
    walker.saw["entered play"] = session.asked[-1]
    yield from rest(6)
    for name in ("pick_up", "burn", "show Dan", "was"):
        yield from walker.tap(walker.screen.ids.players.cells["Cat"])
        yield from walker.tap(walker.screen.player_sheet.buttons[name])
        walker.saw[f"entered {name}"] = session.asked[-1]
        yield from rest(6)
    yield from walker.tap(walker.screen.ids.large)
    yield from rest(3)
    walker.look("large")
    large = walker.screen.large
    yield from walker.tap(large)
    yield from rest(6)
    walker.saw["large closed"] = walker.screen.large is None
    yield from log(walker, session)
    yield from rules(walker)
    yield from walker.go("ledger")
    walker.look("ledger-empty")
    yield from walker.go("deck")
    walker.look("deck")
    yield from walker.go("more")
    walker.look("more")
    yield from walker.go("table")
    walker.look("table again")


def log(walker: Walker, session: ScriptedSession) -> Steps:
    yield from walker.go("log")
    walker.look("log")
    yield from walker.tap(walker.screen.chips["illegal"])
    walker.look("log-illegal")
    walker.saw["illegal rows"] = [row["event_id"] for row in walker.screen.rows.data]
    row = walker.screen.rows.children[0].children[0]
    yield from walker.tap(row)
    yield from rest(6)
    walker.look("event")
    sheet = walker.screen.sheet
    yield from walker.tap(sheet.ids.keep)
    yield from rest(3)
    from companion.sharing import pictures_folder

    walker.saw["kept pictures"] = [path.name for path in pictures_folder().glob("*.jpg")]
    yield from rest(6)
    yield from walker.tap(walker.screen.rows.children[0].children[0])
    yield from walker.tap(walker.screen.sheet.ids.correct)
    yield from rest(6)
    walker.look("correct")
    yield from walker.tap(walker.screen.correcting.choices["8S"])
    walker.saw["corrected"] = session.asked[-1]
    yield from rest(6)


def replayed(walker: Walker) -> Steps:
    """A game by touch that is gone through again: by buttons, along the bar, and back to an earlier game."""
    walker.app.ask(by_touch(walker))
    yield
    yield from rest(3)
    yield from walker.tap(walker.screen.ids.start)
    while walker.app.session is None or walker.app.session.snapshot.table is None:
        yield
    yield from rest(4)
    for player, key in (("Ann", "4"), ("Bob", "9"), ("Cat", "6")):
        yield from walker.tap(walker.screen.ids.players.cells[player])
        yield from walker.tap(walker.screen.player_sheet.pad.keys[key])
        yield from walker.tap(walker.screen.player_sheet.buttons["play"])
        yield from rest(6)
    picture = cv2.imencode(".jpg", table_picture())[1].tobytes()
    session = walker.app.session
    session.moments[3] = picture
    yield from walker.go("log")
    yield from walker.tap(walker.screen.step_through)
    yield from rest(4)
    view = walker.screen.replay

    def stands() -> list[Any]:
        table = view._steps[int(view.step)].table
        return [view.heading, view.what, list(table.pile), table.turn, view.texture is not None]

    walker.saw["first"] = stands()
    for _ in range(2):
        yield from walker.tap(view.ids.on)
    walker.saw["third"] = stands()
    walker.look("replay")
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
    walker.saw["keeps"] = session.kept_moments.wanted


def enrolled(walker: Walker) -> Steps:
    """A deck shown to the camera in any order: progress, what is missing, saved."""
    walker.app.ask(Choice(source="http://127.0.0.1:9/", players=PLAYERS, store=walker.store))
    walker.app.make_preview = lambda source, deck: Preview(lambda: Tables(source, []), Reads)
    yield
    yield from rest(3)
    yield from walker.go("deck")
    screen = walker.screen
    show = Show("KD", None, "2C", "?", "9S")
    screen.make_session = lambda source, name: EnrolSession(Camera, lambda: (show, learns(name)))
    screen.name_field.text = "../x"
    yield from walker.tap(screen.buttons["enrol"])
    walker.saw["refused"] = screen.ids.toast.text
    screen.name_field.text = "pub"
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
    yield from walker.tap(screen.rows["pub"].ids.forget)
    yield from walker.tap(screen.rows["pub"].ids.forget)
    walker.saw["forgotten"] = not screen.rows


def rules(walker: Walker) -> Steps:
    yield from walker.go("rules")
    walker.look("rules")
    walker.screen.search.text = "library"
    yield from rest(8)
    walker.look("rules-found")
    walker.screen.search.text = "zeppelin"
    yield from rest(8)
    walker.saw["rules nothing"] = walker.texts()
    walker.screen.search.text = ""
    yield from rest(8)
    yield from walker.tap(walker.screen.ask)
    yield from rest(3)
    pad = walker.screen.sheet.ids.pad
    yield from walker.tap(pad.keys["K"])
    yield from rest(2)
    walker.look("ask")
    yield from walker.tap(pad.keys["K"])
    yield from rest(2)
    walker.saw["ask two"] = walker.texts()
    yield from walker.tap(walker.screen.sheet.ids.close)
    yield from rest(6)


def evening(walker: Walker) -> Steps:
    """The ledger over the games that the test has put into the store."""
    walker.app.ask(by_touch(walker))
    yield
    yield from rest(3)
    walker.look("tonight")
    yield from walker.go("ledger")
    yield from rest(2)
    walker.look("ledger")
    yield from walker.tap(walker.screen.chips["all"])
    yield from rest(2)
    walker.look("ledger-all")
    for name in ("picture", "csv", "text"):
        yield from walker.tap(walker.screen.buttons[name])
    from kivy.core.clipboard import Clipboard

    from companion.sharing import documents_folder, pictures_folder

    walker.saw["clipboard"] = Clipboard.paste()
    walker.saw["csv"] = [path.read_text() for path in documents_folder().glob("*.csv")]
    walker.saw["png"] = [path.stat().st_size for path in pictures_folder().glob("*.png")]
    yield from walker.go("rules")
    walker.look("rules-free")
    yield from walker.tap(walker.screen.ask)
    yield from rest(3)
    sheet = walker.screen.sheet
    yield from walker.tap(sheet.ids.pad.keys["9"])
    yield from walker.tap(sheet.chips["cards"])
    yield from walker.tap(sheet.ids.pad.keys["4"])
    yield from rest(2)
    walker.look("ask-free")
    yield from walker.tap(sheet.ids.close)
    yield from rest(6)
    yield from walker.go("more")
    yield from walker.tap(walker.screen.buttons["backup"])
    walker.saw["backups"] = [path.name for path in documents_folder().glob("*.sqlite")]
    yield from walker.tap(walker.screen.languages["de"])
    yield from rest(3)
    walker.look("more-de")
    yield from walker.go("table")
    walker.look("tonight-de")
    walker.saw["language"] = load_settings().language
    yield from walker.go("more")
    yield from walker.tap(walker.screen.switches["speak"])
    walker.saw["speaks"] = load_settings().speak
    yield from walker.tap(walker.screen.buttons["erase"])
    walker.look("erase-asks")
    walker.saw["still there"] = walker.store.exists()
    yield from walker.tap(walker.screen.buttons["erase"])
    yield from rest(4)
    walker.saw["erased"] = not walker.store.exists()
    walker.look("erased")


def score(walker: Walker) -> Steps:
    """A game without a camera: started on the form, played by touch, an illegal card, an undo, to its end."""
    walker.app.ask(by_touch(walker))
    yield
    yield from rest(3)
    yield from walker.tap(walker.screen.ids.start)
    while walker.app.session is None or walker.app.session.snapshot.table is None:
        yield
    yield from rest(4)
    walker.look("score-start")
    for player, keys in (("Ann", "4"), ("Bob", "9"), ("Cat", "6")):
        yield from walker.tap(walker.screen.ids.players.cells[player])
        for key in keys:
            yield from walker.tap(walker.screen.player_sheet.pad.keys[key])
        yield from walker.tap(walker.screen.player_sheet.buttons["play"])
        yield from rest(6)
    walker.look("score-illegal")
    walker.saw["verdicts"] = [
        line["ruling"]["verdict"] for line in walker.app.session.snapshot.lines if line.get("ruling")
    ]
    yield from walker.tap(walker.screen.ids.undo)
    yield from rest(4)
    walker.saw["after undo"] = list(walker.app.session.snapshot.table.pile)
    yield from walker.tap(walker.screen.ids.next)
    yield from walker.tap(walker.screen.player_sheet.buttons["pick_up"])
    yield from rest(6)
    walker.saw["after pick-up"] = [
        walker.app.session.snapshot.table.turn,
        walker.app.session.snapshot.table.hands["Cat"].size,
    ]
    for player in ("Ann", "Bob", "Cat"):
        yield from walker.tap(walker.screen.ids.players.cells[player])
        yield from walker.tap(walker.screen.player_sheet.buttons["out"])
        yield from rest(6)
    walker.look("score-over")
    walker.saw["loser"] = walker.app.session.snapshot.table.loser
    yield from walker.tap(walker.screen.ids.pause)
    yield from rest(4)
    walker.look("next-game")
    walker.saw["next dealer"] = walker.screen.chosen().dealer


def broken(walker: Walker) -> Steps:
    """A game was broken off: the form offers to go on, one tap does."""
    walker.app.ask(by_touch(walker))
    yield
    yield from rest(3)
    walker.look("broken")
    yield from walker.tap(walker.screen.ids.go_on)
    while walker.app.session is None or not walker.app.session.snapshot.lines:
        yield
    yield from rest(4)
    walker.look("resumed")
    table = walker.app.session.snapshot.table
    walker.saw["pile"], walker.saw["turn"] = list(table.pile), table.turn


def start(walker: Walker) -> Steps:
    """The window of a session that begins at once; nothing else."""
    walker.app.play(session_of(by_touch(walker)))
    yield
    yield from rest(3)
    walker.look("table")


SCENARIOS = {
    scenario.__name__: scenario
    for scenario in (tour, seats, screens, replayed, enrolled, evening, score, broken, start)
}


def main() -> None:
    name, width, height, store = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4])
    pictures = Path(sys.argv[5]) if len(sys.argv) > 5 else None
    if pictures is not None:
        pictures.mkdir(parents=True, exist_ok=True)
    # Nobody watches: a few pictures a second will do, the processor is for the steps.
    prepare_kivy()
    from kivy.config import Config

    Config.set("graphics", "maxfps", "20")
    settings = load_settings() if name in ("tour", "evening") else None
    if name == "evening":
        settings = Settings(toured=True, language="en")
    print(json.dumps(Walker((width, height), store, pictures, settings).run(SCENARIOS[name])))


if __name__ == "__main__":
    main()
