"""The Kivy application: it holds session, settings and design unit, and shows one screen at a time."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kivy.app import App
from kivy.clock import Clock
from kivy.core.window import Window
from kivy.metrics import Metrics, dp
from kivy.properties import NumericProperty
from kivy.uix.modalview import ModalView

from companion import theme
from companion.app.feedback import Feedback
from companion.app.screens import keys
from companion.app.screens.arrangement import base_unit
from companion.app.screens.navigation import NavigationFrame
from companion.app.screens.widgets import let_go
from companion.game.history import find_resumable_game
from companion.game.preview import open_preview
from companion.game.session import Session
from companion.game.setup import GameSetup
from companion.game.starting import make_session
from companion.i18n import catalogue as i18n
from companion.i18n.messages import translate
from companion.memory import GARBAGE
from companion.settings import TYPE_SIZES, Settings, save_settings
from companion.store.rows import StoredGame

if TYPE_CHECKING:
    from companion.phone.server import PhoneServer

_log = logging.getLogger(__name__)
_SCREENS = {
    "log": ("companion.app.screens.log", "LogScreen"),
    "ledger": ("companion.app.screens.ledger", "LedgerScreen"),
    "rules": ("companion.app.screens.rules", "RulesScreen"),
    "deck": ("companion.app.screens.deck", "DeckScreen"),
    "more": ("companion.app.screens.more", "MoreScreen"),
    "join": ("companion.app.screens.join", "JoinScreen"),
}
"""Screens are imported when they are first shown, so that the table appears sooner."""


class RefereeApp(App):
    """The window. Start with `play()` or `ask()`; `go()` switches screens."""

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
        """The setup of the current or the next game."""
        self.session: Session | None = None
        self.screen: Any = None
        """The current screen."""
        self.at = "table"
        """Name of the current screen in the navigation."""
        self.phones: PhoneServer | None = None
        """The server for phones at the table; None until the *Join* screen opens it."""
        self._table: Any = None
        self._first: Callable[[], None] = lambda: None
        self._at_every_turn: list[Any] = []
        """Calls that the main loop makes at each of its turns."""
        self.feedback = Feedback(self.settings)
        self.make_preview = open_preview
        """Makes the preview of a camera."""
        self._sheets: list[ModalView] = []
        """Those that are open."""

    def build(self) -> NavigationFrame:
        """Make the navigation. `on_start` fills it."""
        Window.clearcolor = theme.rgba(theme.GROUND)
        shell = NavigationFrame(self.go)
        shell.bind(size=lambda *_: self.measure())
        return shell

    def on_start(self) -> None:
        """Show the first screen, and the first steps if nobody has seen them."""
        GARBAGE.begin()
        self.measure()
        Window.bind(on_key_down=self._on_key, children=self._let_closed_go)
        self._first()
        # At every turn of the loop: an interval of 1/30 s would end up at every second or third turn.
        for call in (self.refresh_screen, lambda _dt: GARBAGE.step()):
            self._at_every_turn.append(Clock.schedule_interval(call, 0))
        if not self.settings.toured:
            from companion.app.screens.tour import Tour

            if self.session is not None:  # the film waits behind the first steps
                self.session.pause(True)
            Tour(self._end_tour).open()

    def _end_tour(self) -> None:
        self.set(toured=True)
        if self.session is not None:
            self.session.pause(False)

    # Playing

    def ask(self, setup: GameSetup) -> None:
        """Show the form for players and rules."""
        if self.root is None:
            self._first = lambda: self.ask(setup)
            return
        self.setup = setup
        self.end_session()
        game, notice = find_resumable_game(setup.store) if setup.kept else (None, None)
        self._table = self._form(setup, game)
        self._table.notice = translate(notice or "")
        self.go("table")

    def start_game(self, setup: GameSetup) -> None:
        """Play a game with this setup."""
        self.play(make_session(setup, learn=self.settings.learn_deck), setup)

    def play(self, session: Session, setup: GameSetup | None = None) -> None:
        """Start `session` and show its table."""
        if self.root is None:
            self._first = lambda: self.play(session, setup)
            return
        self.end_session()
        self.session, self.setup = session, setup or self.setup
        self._let_keep(session)
        self.feedback.begin()
        self._table = self._table_of(session)
        self.go("table")
        session.start()

    def new_game(self) -> None:
        """Ask for the evening's next game: the same table, the dealer by the rules."""
        from companion.game.next_game import next_game_setup

        self.ask(next_game_setup(self.setup, self.session.snapshot.table if self.session else None))

    def end_session(self) -> None:
        """Stop the current session, if there is one."""
        if self.session is not None:
            self.session.stop()
        self.session = None

    def on_stop(self) -> None:
        """Stop refreshing, collecting garbage, speaking, taking keys and serving phones."""
        Window.unbind(on_key_down=self._on_key, children=self._let_closed_go)
        self.close_phones()
        for scheduled in self._at_every_turn:
            scheduled.cancel()
        self.feedback.close()
        GARBAGE.end()

    # Keys

    def open_settings(self, *_args: object) -> bool:
        """Open nothing at F1, where Kivy would open its own settings."""
        return True

    def _on_key(
        self, _window: object, key: int, _scancode: int, _text: object, modifiers: Sequence[str]
    ) -> bool:
        """Undo at Ctrl+Z, redo at Ctrl+Y, fill the screen at F11, and let the table take card keys."""
        if key == keys.F11:
            Window.fullscreen = False if Window.fullscreen else "auto"
            return True
        if keys.is_typing() or keys.sheet_is_open() or self.session is None:
            return False
        if keys.with_control(modifiers):
            again = key == ord("y") or (key == ord("z") and "shift" in modifiers)
            if again:
                self.session.redo()
            elif key == ord("z"):
                self.session.undo()
            return again or key == ord("z")
        take_key = getattr(self.screen, "take_key", None)
        return bool(take_key is not None and take_key(key))

    # Phones at the table

    def open_phones(self) -> PhoneServer:
        """Return the server for phones, and start it if it is not open.

        Raises:
            BadInputError: a package is missing, or no port can be opened.
        """
        if self.phones is None:
            from companion.phone.opening import open_phones, wanted_size
            from companion.phone.program import ProgramState

            program = ProgramState(
                lambda: self.session,
                lambda: self.setup,
                lambda: getattr(self._table, "sight", None),
                self.store,
            )
            self.phones = open_phones(program, wanted_size=wanted_size(self.settings))
        return self.phones

    def close_phones(self, *, forget: bool = False) -> None:
        """Stop serving phones. With `forget`, they need a new code to come back."""
        phones, self.phones = self.phones, None
        if phones is not None:
            phones.stop(forget=forget)

    # Navigation

    def go(self, name: str) -> None:
        """Show a screen of the navigation."""
        self.at = name
        if name == "table":
            screen = self._table
        else:
            module, kind = _SCREENS[name]
            screen = getattr(import_module(module), kind)(self)
        former, self.screen = self.screen, screen
        self.root.show(name, screen)
        if former is not None and former not in (screen, self._table):
            let_go(former)
        self.measure()

    def _let_closed_go(self, _window: object, tops: list[Any]) -> None:
        """Let go of the sheets that are no longer open. No sheet is opened twice."""
        for sheet in self._sheets:
            if sheet not in tops:
                let_go(sheet)
        self._sheets = [top for top in tops if isinstance(top, ModalView)]

    def set(self, **changes: Any) -> None:
        """Change settings and store them."""
        before = self.settings
        self.settings = replace(before, **changes)
        self.feedback.settings = self.settings
        if self.session is not None:
            self._let_keep(self.session)
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
            self.feedback.close()  # the next sentence needs another voice
            self.rebuild()

    def _let_keep(self, session: Session) -> None:
        """Tell the session which pictures the user wants to keep."""
        session.picture_writer.enabled = self.settings.keep_moments
        if session.film_keeper is not None:
            session.film_keeper.whole_picture = self.settings.keep_film_whole
            session.film_keeper.enabled = self.settings.keep_film

    def _scale_type(self) -> None:
        """Enlarge the system's type by the factor of the settings."""
        Metrics.fontscale = self._system_type * TYPE_SIZES[self.settings.type_size]

    def rebuild(self) -> None:
        """Build the current screen again, in the current language and setup."""
        from companion.app.screens.setup import SetupScreen

        self.root.name_places()
        if isinstance(self._table, SetupScreen):
            self._table = self._form(self._table.chosen(), self._table.resumable_game)
        elif self.session is not None:
            self._table = self._table_of(self.session)
        self.go(self.at)

    def _form(self, setup: GameSetup, resumable_game: StoredGame | None) -> Any:
        from companion.app.screens.setup import SetupScreen

        return SetupScreen(
            setup,
            self.start_game,
            resumable_game,
            make_preview=self.make_preview,
            settings=self.settings,
            on_settings=self.set,
        )

    def _table_of(self, session: Session) -> Any:
        from companion.app.screens.demonstration import DemonstrationLine
        from companion.app.screens.table import TableScreen

        table = TableScreen(session)
        if self.setup is not None and self.setup.demonstration:
            table.demonstrates = True
            table.add_widget(DemonstrationLine(table.ids.live, self.new_game))
        return table

    def measure(self) -> None:
        """Set the design unit. The table screen does not scroll and sets its own."""
        if self.screen is None or not hasattr(self.screen, "place_panels"):
            self.u = base_unit(Window.width, Window.height, dp(1), Metrics.fontscale)
        else:
            self.screen.place_panels()

    def refresh_screen(self, dt: float) -> None:
        """Show the session's newest state."""
        if self.session is not None:
            self.feedback.hear(self.session.snapshot)
            if self.setup is not None:  # a deal may have begun the next game
                self.setup = self.session.setup or self.setup
        refresh = getattr(self.screen, "refresh", None)
        if refresh is not None:
            refresh(dt)
