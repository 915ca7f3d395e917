"""Walks through the real window by touch, for the programs that the tests run (`drive_app.py` and others)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import cv2

from companion.app.window import make_app
from companion.game.setup import GameSetup
from companion.settings import Settings
from tests.e2e.windows import as_phone
from tests.e2e.windows.measuring import measure, pixels
from tests.support.polite_film import polite_film
from vision.recognition.runtime import available_backends

Steps = Iterator[None]
PATIENCE_S = 120.0
TICKS_A_SECOND = 30
"""Of the window's clock. A scenario takes its steps more rarely than that."""
_BACKSPACE, _END = 8, 279
"""Keys by the numbers that Kivy knows them under."""
PLAYERS = ("Ann", "Bob", "Cat", "Dan")


def filmed_setup(*, store: Path | None = None, kept: bool = True) -> GameSetup:
    """Return the choice of the polite film's game."""
    film = polite_film()
    return GameSetup(
        source=str(film.path),
        rules=film.rules,
        options=film.options,
        players=film.players,
        dealer=film.dealer,
        store=store,
        kept=kept,
    )


class Walker:
    """Runs a scenario, one step every few frames, on the window's own clock."""

    def __init__(
        self, size: tuple[int, int], store: Path, pictures: Path | None, settings: Settings | None
    ) -> None:
        self.store, self.pictures = store, pictures
        self.app = make_app(size=size, store=store, settings=settings)
        self.saw: dict[str, Any] = {}
        self.measured: dict[str, Any] = {}
        self.contrast = False
        """Whether each look draws the window, and notes which texts are too faint to read."""
        self.taps = 0
        """How often something was tapped."""

    def run(self, scenario: Callable[[Walker], Steps], *, every_s: float = 0.03) -> dict[str, Any]:
        steps = scenario(self)
        take_steps(self.app, steps, first_s=0.3, every_s=every_s)
        next(steps)  # what the window begins with
        self.app.run()
        return {**self.saw, "measured": self.measured, **reads_by()}

    @property
    def screen(self) -> Any:
        return self.app.screen

    def tap(self, widget: Any, *, steps: int = 3) -> Steps:
        """Touch the middle of `widget`, through the window, as a finger would; wait for what comes of it.

        On a small screen it is scrolled to first.
        """
        from kivy.tests.common import UnitTestTouch

        assert widget.get_root_window() is not None, f"{widget} is not on the screen"
        scrolled = scrolls(widget)
        if scrolled is not None and not shows(scrolled, widget):
            scrolled.scroll_to(widget, animate=False)
            yield from rest(2)
        self.taps += 1
        touch = UnitTestTouch(*widget.to_window(*widget.center))
        touch.touch_down()
        touch.touch_up()
        yield from rest(steps)

    def tap_row(self, event_id: int) -> Steps:
        """Tap the row of the log in which an event stands; a list that is too low is scrolled to it."""
        rows = self.screen.rows
        for share in (1.0, 0.87, 0.75, 0.62, 0.5, 0.37, 0.25, 0.12, 0.0):
            there = [row for row in rows.children[0].children if row.event_id == event_id]
            shown = [row for row in there if shows(rows, row)]
            if shown:
                break
            rows.scroll_y = share
            yield from rest(3)
        yield from self.tap(shown[0])

    def write(self, field: Any, text: str) -> Steps:
        """Tap a field and put `text` there in place of what it says."""
        yield from self.tap(field)
        type_over(field, text)
        yield from rest(2)

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

    def unsaid(self) -> Steps:
        """Wait for the line to go that says what was just done."""
        yield from self.unsaid_in(self.screen)

    def unsaid_in(self, screen: Any) -> Steps:
        """Wait for the line to go that a screen says."""
        yield from until(lambda: not screen.ids.toast.opacity)
        yield from rest(2)  # the picture without it is yet to be drawn

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
        self.measured[name] = measure(contrast=self.contrast)
        self.saw[name] = self.texts()
        if self.pictures is not None:
            self._shoot(self.pictures / f"{name}.png")

    def _shoot(self, path: Path) -> None:
        cv2.imwrite(str(path), cv2.cvtColor(pixels()[::-1], cv2.COLOR_RGB2BGR))


def reads_by() -> dict[str, Any]:
    """Return what networks run on, and what is loaded that a phone lacks."""
    return {"runs on": available_backends()[0], "not on a phone": as_phone.loaded()}


def scrolls(widget: Any) -> Any:
    """Return the view that `widget` scrolls in, if any."""
    from kivy.uix.scrollview import ScrollView

    above = widget.parent
    while above is not None and above.parent is not above:  # the window is its own parent
        if isinstance(above, ScrollView):
            return above
        above = above.parent
    return None


def shows(view: Any, widget: Any) -> bool:
    """Return whether the middle of `widget`, which scrolls in `view`, is in sight."""
    return bool(view.collide_point(*view.parent.to_widget(*widget.to_window(*widget.center))))


def type_over(field: Any, text: str) -> None:
    """Put `text` in place of what a field that was tapped says, key by key, through the window."""
    from kivy.core.window import Window

    assert field.focus, f"{field} takes no keys"
    Window.dispatch("on_key_down", _END, 0, None, [])
    for _ in field.text:
        Window.dispatch("on_key_down", _BACKSPACE, 0, None, [])
    for letter in text:
        Window.dispatch("on_textinput", letter)


def take_steps(
    app: Any, steps: Steps, *, first_s: float, every_s: float, done: Callable[[], None] = lambda: None
) -> None:
    """Take the steps of a scenario on the window's own clock; after the last one the window is closed."""
    from kivy.clock import Clock

    def step(dt: float) -> None:
        if app.root is not None:
            # What waited for the session finds the screen as up to date, however rarely a busy machine draws.
            app.refresh_screen(dt)
        try:
            next(steps)
        except StopIteration:
            done()
            app.end_session()
            app.stop()
            return
        Clock.schedule_once(step, every_s)

    Clock.schedule_once(step, first_s)


def draw_rarely(*, smooth: bool = False) -> None:
    """Draw the window only when `pixels` looks at it, and with smooth edges only for photographs.

    Nobody watches, and drawing takes more of the processor than all the rest.
    """
    from kivy.clock import Clock
    from kivy.config import Config
    from kivy.lang import builder

    def draw_on_demand(_dt: float) -> None:
        from kivy.core.window import Window  # opens the window, so it waits for the configuration

        Window.bind(on_draw=lambda _window: True)  # handled: the window's own drawing is left out

    builder.trace = lambda *_: None  # what it notes of each line of its language is kept nowhere here
    if not smooth:
        Config.set("graphics", "multisamples", "0")
    Clock.schedule_once(draw_on_demand)


def tick_at_most(times_a_second: int) -> None:
    """Slow the window's clock down. Call this before anything imports it: it is set up only once."""
    from kivy.config import Config

    Config.set("graphics", "maxfps", str(times_a_second))


def until(what: Callable[[], bool]) -> Steps:
    """Wait for something that other threads bring about, however busy the machine is."""
    deadline = time.monotonic() + PATIENCE_S
    while not what():
        assert time.monotonic() < deadline, "what was waited for did not come"
        yield


def rest(steps: int) -> Steps:
    for _ in range(steps):
        yield


def by_touch(walker: Walker) -> GameSetup:
    return GameSetup(source=None, players=PLAYERS, dealer="Dan", store=walker.store)


def started(walker: Walker) -> Steps:
    """A game without a camera is started on the form."""
    walker.app.ask(by_touch(walker))
    yield
    yield from rest(3)
    yield from walker.tap(walker.screen.ids.start)
    while walker.app.session is None or walker.app.session.snapshot.table is None:
        yield
    yield from rest(4)
