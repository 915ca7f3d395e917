"""The replay: an evening step by step, with the table after each event."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from kivy.app import App
from kivy.core.window import Window
from kivy.lang import Builder
from kivy.properties import BooleanProperty, NumericProperty, ObjectProperty, StringProperty
from kivy.uix.modalview import ModalView

from companion import theme
from companion.app.screens import panels  # noqa: F401 - the kv file names its panels
from companion.app.screens.event_sheet import texture_of
from companion.app.screens.widgets import signed
from companion.game.replay import PlayedGame, ReplayStep, replay
from companion.game.ruling_views import ruling_of, ruling_text, verdict_of
from companion.i18n.catalogue import _
from companion.i18n.events import event_text
from companion.i18n.messages import error_text
from companion.i18n.wording import clock_text
from engine.errors import BadInputError

_WITH_PLAYERS_U = 490
"""In a lower window on its side, there is no room for the players."""


class ReplayView(ModalView):
    """Fills the window. Buttons or the slider step through the events."""

    heading = StringProperty("")
    what = StringProperty("")
    verdict = StringProperty("")
    says = StringProperty("")
    ink = StringProperty(theme.QUIET)
    texture = ObjectProperty(None, allownone=True)
    step = NumericProperty(0)
    last = NumericProperty(0)
    several = BooleanProperty(False)
    """Whether the evening has more than one game."""
    upright = BooleanProperty(False)
    least_height = NumericProperty(0)
    """Height in pixels that table and ruling need. If there is less, they scroll."""
    crowded = BooleanProperty(False)
    """Whether the players have no room: an upright phone shows the picture instead, and one on its side is
    low."""

    def __init__(self, games: Sequence[PlayedGame], at_event: int | None = None, **kwargs: Any) -> None:
        """Begin with the newest game, at one of its events or at the first."""
        self._games = list(games)
        self._game = len(self._games) - 1
        self.steps: list[ReplayStep] = []
        """The events of the game, each with the table after it."""
        super().__init__(several=len(self._games) > 1, **kwargs)
        self._size()
        Window.bind(size=self._size)
        self.bind(on_dismiss=lambda *_args: Window.unbind(size=self._size))
        self.show_game(self._game, at_event)

    def show_game(self, number: int, at_event: int | None = None) -> None:
        """Show a game of the evening, from an event or from the first."""
        if not 0 <= number < len(self._games):
            return
        self._game = number
        try:
            self.steps = replay(self._games[number])
        except BadInputError as error:
            self.steps, self.what = [], error_text(error)
        ids = [step.line.get("id") for step in self.steps]
        self.last = max(0, len(ids) - 1)
        self.step = -1
        self.step = ids.index(at_event) if at_event in ids else 0

    def other_game(self, by: int) -> None:
        """Show an earlier or a later game of the evening."""
        self.show_game(self._game + by)

    def go(self, by: int) -> None:
        """Step forward or back."""
        self.step = min(max(0, self.step + by), self.last)

    def on_step(self, *_args: object) -> None:
        """Show the event of the current step."""
        if not 0 <= self.step < len(self.steps):
            return
        step = self.steps[int(self.step)]
        number, line = int(self.step) + 1, step.line
        words = {"n": number, "all": len(self.steps)}
        self.heading = _("Event {n} of {all}").format(**words)
        if self.several:
            games = {"n": self._game + 1, "all": len(self._games)}
            self.heading = f"{_('Game {n} of {all}').format(**games)} · {self.heading}"
        self.what = f"{clock_text(float(line.get('t') or 0.0))}  {event_text(line)}"
        ruling = ruling_of(line)
        name = verdict_of(ruling)
        self.verdict = signed(f"{theme.VERDICT_SIGN[name]} {_(theme.VERDICT_WORD[name])}") if ruling else ""
        self.ink = theme.VERDICT_INK[name] if ruling else theme.QUIET
        self.says = ruling_text(ruling, line.get("player"))[0] if ruling else ""
        self.ids.turn.show(step.table)
        self.ids.players.show(step.table, [one.line for one in self.steps[:number]])
        picture = self._games[self._game].picture(int(line.get("id") or 0))
        self.texture = None if picture is None else texture_of(picture)
        self._size()

    def _size(self, *_args: object) -> None:
        self.size = Window.size
        self.upright = Window.height > Window.width
        app = App.get_running_app()
        if app is not None and self.ids:
            low = Window.height < _WITH_PLAYERS_U * app.u
            self.crowded = self.texture is not None if self.upright else low
            self.ids.body.orientation = "vertical" if self.upright else "horizontal"


Builder.load_file(str(Path(__file__).with_suffix(".kv")))
