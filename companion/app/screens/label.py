"""The screen to label a film: the table screen over a film that can be stepped through, and its controls."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kivy.app import App
from kivy.lang import Builder
from kivy.metrics import dp
from kivy.properties import BooleanProperty, NumericProperty, StringProperty
from kivy.uix.boxlayout import BoxLayout
from kivy.uix.floatlayout import FloatLayout

from companion.app.screens import keys
from companion.app.screens.application import RefereeApp
from companion.app.screens.table import TableScreen
from companion.game.label_session import LabelSession
from companion.i18n.catalogue import _, ngettext
from companion.i18n.events import event_text
from companion.i18n.wording import clock_text

_LEFT, _RIGHT, _UP, _DOWN, _SPACE, _DELETE = 276, 275, 273, 274, 32, 127
_WIDE_DP = 760
"""Least width for the slider beside its buttons."""
_SLIDER_S = 0.05
"""A slider that is farther from the film was moved by a person."""
_FASTER, _SLOWER = (ord("+"), ord("="), 270), (ord("-"), 269)


class LabelControls(BoxLayout):
    """The event to be judged, and the controls of the film."""

    what = StringProperty("")
    left = StringProperty("")
    """How many events are still to be confirmed."""
    confirmed = BooleanProperty(False)
    playing = BooleanProperty(False)
    speed = StringProperty("1")
    upright = BooleanProperty(False)
    last = NumericProperty(1)
    position = NumericProperty(0)

    def __init__(self, session: LabelSession) -> None:
        self.session = session
        super().__init__()

    def slide_to(self, t: float) -> None:
        """Show the film at `t` seconds, if a person moved the slider there."""
        if abs(t - self.session.position) > _SLIDER_S:
            self.session.go_to(t)


class ReviewButtons(BoxLayout):
    """Buttons to confirm, correct or remove the event."""

    may_review = BooleanProperty(False)
    confirmed = BooleanProperty(False)

    def __init__(self, screen: LabelScreen) -> None:
        self.screen = screen
        super().__init__()


class LabelScreen(FloatLayout):
    """Shows a film with its events, and passes on what a person says about them."""

    def __init__(self, session: LabelSession, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.session = session
        self.table = TableScreen(session)
        self.table.settles = False
        self.review = ReviewButtons(self)
        self._replaced = list(self.table.ids.bar.children)  # the table still refers to them
        self.table.ids.bar.clear_widgets()
        self.table.ids.bar.add_widget(self.review)
        self.controls = LabelControls(session)
        self.add_widget(self.table)
        self.add_widget(self.controls)
        self.bind(size=self.place_panels, pos=self.place_panels)
        self.controls.bind(minimum_height=self.place_panels)
        self._shown: tuple[object, ...] = ()

    def refresh(self, dt: float = 0.0) -> None:
        """Let the film run on, and show its newest state."""
        self.session.advance(dt)
        self.table.refresh(dt)
        session = self.session
        shown = (session.snapshot.version, session.position, session.playing, session.speed)
        if shown != self._shown:
            self._shown = shown
            self._show()

    def confirm(self) -> None:
        """Confirm the event to be judged."""
        self.session.confirm()

    def open_event(self) -> None:
        """Open the sheet that corrects the event to be judged."""
        line = self.session.current
        if line is not None:
            self.session.pause(True)
            self.table.open_event(int(line["id"]))

    def remove(self) -> None:
        """Remove the event to be judged."""
        line = self.session.current
        if line is not None:
            self.session.correct(int(line["id"]), None)
            self.session.go_to_unconfirmed()

    def take_key(self, key: int) -> bool:
        """Do what a key stands for. Return whether it stands for something."""
        session = self.session
        acts = {
            _SPACE: lambda: session.pause(session.playing),
            _LEFT: lambda: session.step(-1),
            _RIGHT: lambda: session.step(1),
            _UP: lambda: session.go_to_event(-1),
            _DOWN: lambda: session.go_to_event(1),
            _DELETE: self.remove,
            keys.BACKSPACE: self.remove,
            **dict.fromkeys(keys.ENTER, self.confirm),
            **dict.fromkeys(_FASTER, lambda: session.change_speed(1)),
            **dict.fromkeys(_SLOWER, lambda: session.change_speed(-1)),
            ord("e"): self.open_event,
        }
        if key in acts:
            acts[key]()
        return key in acts

    def place_panels(self, *_args: object) -> None:
        """Put the controls below the table, or at its right side in a wide window."""
        app = App.get_running_app()
        if app is None:
            return
        controls = self.controls
        controls.upright = self.width < max(self.height, dp(_WIDE_DP))
        self.table.size_hint = controls.size_hint = (None, None)
        height = controls.minimum_height
        controls.pos, controls.width = self.pos, self.width
        self.table.pos = self.x, self.y + height
        self.table.size = self.width, max(1, self.height - height)
        self.table.place_panels()

    def _show(self) -> None:
        session, controls, review = self.session, self.controls, self.review
        line = session.current
        review.may_review = line is not None
        review.confirmed = line is not None and line.get("confirmed") is not False
        controls.confirmed = line is None or review.confirmed
        controls.what = (
            _("Tap a player to add a missed event.")
            if line is None
            else f"{clock_text(float(line['t']))}  {event_text(line)}"
        )
        waiting = len(session.labels.unconfirmed)
        controls.left = (
            ngettext("{n} to confirm", "{n} to confirm", waiting) if waiting else _("All confirmed")
        )
        controls.playing, controls.speed = session.playing, f"{session.speed:g}"
        controls.last, controls.position = session.seconds, session.position


class _Frame(FloatLayout):
    """Shows one screen and no navigation."""

    def show(self, _name: str, screen: Any) -> None:
        """Show `screen`."""
        self.clear_widgets()
        self.add_widget(screen)

    def place(self, *_args: object) -> None:
        """Do nothing: the screen fills the window."""

    def name_places(self) -> None:
        """Do nothing: there is no navigation."""


class FilmLabelsApp(RefereeApp):
    """The window of `shithead label`. An app by the name of a file `label.kv` would load that again."""

    def build(self) -> Any:
        """Make the frame. `on_start` fills it."""
        super().build()
        frame = _Frame()
        frame.bind(size=lambda *_: self.measure())
        return frame

    def _table_of(self, session: Any) -> Any:
        return LabelScreen(session)


Builder.load_file(str(Path(__file__).with_suffix(".kv")))
