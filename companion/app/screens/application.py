"""The Kivy application: holds session, settings and design unit, and shows one screen at a time."""

from __future__ import annotations

import gc
import logging
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

from kivy.app import App
from kivy.clock import Clock
from kivy.core.window import Window
from kivy.metrics import Metrics, dp
from kivy.properties import NumericProperty

from companion import theme
from companion.app.feedback import Feedback
from companion.app.screens.arrangement import base_unit
from companion.app.screens.navigation import NavigationFrame
from companion.game.history import find_resumable_game
from companion.game.preview import open_preview
from companion.game.session import Session
from companion.game.setup import GameSetup
from companion.game.starting import make_session
from companion.i18n import catalogue as i18n
from companion.i18n.messages import translate
from companion.settings import TYPE_SIZES, Settings, save_settings

_log = logging.getLogger(__name__)
_SCREENS = {
    "log": ("companion.app.screens.log", "LogScreen"),
    "ledger": ("companion.app.screens.ledger", "LedgerScreen"),
    "rules": ("companion.app.screens.rules", "RulesScreen"),
    "deck": ("companion.app.screens.deck", "DeckScreen"),
    "more": ("companion.app.screens.more", "MoreScreen"),
}
"""Loaded when first shown: the table need not wait for what nobody has asked for."""


class RefereeApp(App):
    """One window. `play()` or `ask()` say what it begins with; `go()` leads from screen to screen."""

    title = "Shithead"
    u = NumericProperty(1.0)

    def __init__(self, store: Path | None = None, settings: Settings | None = None) -> None:
        super().__init__()
        self.store = store
        self._keeps_settings = settings is not None
        self.settings = settings or Settings(toured=True, language="en")
        i18n.set_language(self.settings.language)
        self._system_type = Metrics.fontscale
        self._scale_type()
        self.setup: GameSetup | None = None
        """What is, or is about to be, played."""
        self.session: Session | None = None
        self.screen: Any = None
        """The screen that is shown."""
        self.at = "table"
        """Where in the navigation that is."""
        self._table: Any = None
        self._first: Callable[[], None] = lambda: None
        self._refresh: Any = None
        self.feedback = Feedback(self.settings)
        self.make_preview = open_preview
        """Looks through a camera before the game."""

    def build(self) -> NavigationFrame:
        """Make the frame of navigation; what it frames follows in `on_start`."""
        Window.clearcolor = theme.rgba(theme.GROUND)
        shell = NavigationFrame(self.go)
        shell.bind(size=lambda *_: self.measure())
        return shell

    def on_start(self) -> None:
        """Show what the window begins with, and over it the first steps if nobody has seen them."""
        self.measure()
        self._first()
        # Each turn of the loop, not 30 times a second: Kivy would make of that every second or third turn.
        self._refresh = Clock.schedule_interval(self.refresh_screen, 0)
        if not self.settings.toured:
            from companion.app.screens.tour import Tour

            Tour(lambda: self.set(toured=True)).open()

    # What is played

    def ask(self, setup: GameSetup) -> None:
        """Show the form that settles players and rules."""
        if self.root is None:
            self._first = lambda: self.ask(setup)
            return
        from companion.app.screens.setup import SetupScreen

        self.setup = setup
        self.end_session()
        game, notice = find_resumable_game(setup.store) if setup.kept else (None, None)
        self._table = SetupScreen(setup, self.start_game, game, make_preview=self.make_preview)
        self._table.notice = translate(notice or "")
        self.go("table")

    def start_game(self, setup: GameSetup) -> None:
        """Play what was chosen."""
        self.play(make_session(setup, learn=self.settings.learn_deck), setup)

    def play(self, session: Session, setup: GameSetup | None = None) -> None:
        """Start `session` and show its table."""
        if self.root is None:
            self._first = lambda: self.play(session, setup)
            return
        self.end_session()
        self.session, self.setup = session, setup or self.setup
        session.picture_writer.enabled = self.settings.keep_moments
        self.feedback.begin()
        self._table = self._table_of(session)
        self.go("table")
        session.start()

    def new_game(self) -> None:
        """Ask for the next game of the evening: the same table, the dealer moved on."""
        from companion.game.next_game import next_game_setup

        self.ask(next_game_setup(self.setup, self.session.snapshot.table if self.session else None))

    def end_session(self) -> None:
        """Stop what is being watched, if anything is."""
        if self.session is not None:
            self.session.stop()
        self.session = None

    def on_stop(self) -> None:
        """Stop refreshing and speaking."""
        if self._refresh is not None:
            self._refresh.cancel()
        self.feedback.close()

    # Where one is

    def go(self, name: str) -> None:
        """Show a screen of the navigation."""
        self.at = name
        if name == "table":
            screen = self._table
        else:
            module, kind = _SCREENS[name]
            screen = getattr(import_module(module), kind)(self)
        self.screen = screen
        self.root.show(name, screen)
        self.measure()

    def set(self, **changes: Any) -> None:
        """Change settings, and keep them."""
        before = self.settings
        self.settings = replace(before, **changes)
        self.feedback.settings = self.settings
        if self.session is not None:
            self.session.picture_writer.enabled = self.settings.keep_moments
        if self._keeps_settings:
            try:
                save_settings(self.settings)
            except OSError as error:
                _log.warning("settings are not kept: %s", error)
        if self.settings.type_size != before.type_size:
            self._scale_type()
            self.root.place()
            self.measure()
        if self.settings.language != before.language:
            i18n.set_language(self.settings.language)
            self.feedback.close()  # the next sentence wants another voice
            self._say_anew()

    def _scale_type(self) -> None:
        """Make type larger than the system has it, by as much as the settings say."""
        Metrics.fontscale = self._system_type * TYPE_SIZES[self.settings.type_size]

    def _say_anew(self) -> None:
        """Build what is shown once more, in the language now in force."""
        from companion.app.screens.setup import SetupScreen

        self.root.name_places()
        if isinstance(self._table, SetupScreen):
            self._table = SetupScreen(
                self._table.chosen(),
                self.start_game,
                self._table.resumable_game,
                make_preview=self.make_preview,
            )
        elif self.session is not None:
            self._table = self._table_of(self.session)
        self.go(self.at)

    def _table_of(self, session: Session) -> Any:
        from companion.app.screens.demonstration import DemonstrationLine
        from companion.app.screens.table import TableScreen

        table = TableScreen(session)
        if self.setup is not None and self.setup.demonstration:
            table.demonstrates = True
            table.add_widget(DemonstrationLine(table.ids.live, self.new_game))
        return table

    def measure(self) -> None:
        """Set the design unit; the table screen, which does not scroll, sets its own."""
        if self.screen is None or not hasattr(self.screen, "place_panels"):
            self.set_unit(base_unit(Window.width, Window.height, dp(1), Metrics.fontscale))
        else:
            self.screen.place_panels()

    def set_unit(self, unit: float) -> None:
        """Set the design unit; nothing is garbage-collected meanwhile.

        Screens that were left hang on it until they are collected. Were one collected just as it is told,
        Kivy would fail on it.
        """
        collects = gc.isenabled()
        gc.disable()
        try:
            self.u = unit
        finally:
            if collects:
                gc.enable()

    def refresh_screen(self, dt: float) -> None:
        """Show what the session says by now."""
        if self.session is not None:
            self.feedback.hear(self.session.snapshot)
            if self.setup is not None:  # a deal may have begun the next game
                self.setup = self.session.setup or self.setup
        refresh = getattr(self.screen, "refresh", None)
        if refresh is not None:
            refresh(dt)
