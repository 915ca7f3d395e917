"""The navigation around every screen, at the edge of the window that thumbs reach."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from kivy.app import App
from kivy.lang import Builder
from kivy.metrics import Metrics, dp
from kivy.properties import BooleanProperty, NumericProperty, StringProperty
from kivy.uix.behaviors import ButtonBehavior
from kivy.uix.floatlayout import FloatLayout

from companion.app.screens import widgets  # noqa: F401 - the kv file names them
from companion.i18n.catalogue import _, gettext_noop

DESTINATIONS = (
    ("table", "♠", gettext_noop("Table")),
    ("log", "☰", gettext_noop("Log")),
    ("ledger", "★", gettext_noop("Ledger")),
    ("rules", "§", gettext_noop("Rules")),
    ("deck", "♦", gettext_noop("Deck")),
    ("more", "⚙", gettext_noop("More")),
)
"""Name, sign and title of each destination."""


_LARGEST_TYPE = 1.3
"""Largest type scale at which six names fit side by side on the smallest phone."""


class NavigationButton(ButtonBehavior, FloatLayout):
    """One destination: a sign and its name. The current one is filled and underlined."""

    name = StringProperty("")
    sign = StringProperty("")
    title = StringProperty("")
    here = BooleanProperty(False)
    k = NumericProperty(48)
    """Size of sign and title: the smaller side, less the growth for larger type."""
    type_scale = NumericProperty(1.0)
    """The system's type scale."""


class NavigationFrame(FloatLayout):
    """The navigation below an upright window or beside a wide one, and the screen in the rest."""

    def __init__(self, on_go: Callable[[str], None], **kwargs: Any) -> None:
        """`on_go` gets the name of the tapped destination."""
        super().__init__(**kwargs)
        self.places: dict[str, NavigationButton] = {}
        for name, sign, _title in DESTINATIONS:
            place = NavigationButton(name=name, sign=sign)
            place.bind(on_release=lambda place: on_go(place.name))
            self.places[name] = place
            self.ids.bar.add_widget(place)
        self.name_places()
        self.bind(size=self.place, pos=self.place)

    def name_places(self) -> None:
        """Write the destinations' titles in the current language."""
        for name, _sign, title in DESTINATIONS:
            self.places[name].title = _(title)

    def show(self, name: str, screen: Any) -> None:
        """Show `screen`, and mark `name` as current."""
        for place in self.places.values():
            place.here = place.name == name
        self.ids.content.clear_widgets()
        screen.pos_hint = {"x": 0, "y": 0}
        self.ids.content.add_widget(screen)
        self.place()

    def place(self, *_: object) -> None:
        """Lay out bar and content."""
        app = App.get_running_app()
        if app is None:
            return
        bar, content = self.ids.bar, self.ids.content
        upright = self.height > self.width
        unit = min(self.width / 400, self.height / 860) if upright else min(self.width, self.height) / 720
        type_scale = min(max(1.0, Metrics.fontscale), _LARGEST_TYPE)
        for place in self.places.values():
            place.type_scale = type_scale
        thick = max(dp(54), 54 * unit) * (0.72 + 0.28 * type_scale) if upright else max(dp(64), 64 * unit)
        bar.rows, bar.cols = (1, None) if upright else (None, 1)
        bar.size = (self.width, thick) if upright else (thick, self.height)
        bar.pos = self.pos
        content.pos = (self.x, self.y + thick) if upright else (self.x + thick, self.y)
        content.size = (self.width, self.height - thick) if upright else (self.width - thick, self.height)


Builder.load_file(str(Path(__file__).with_suffix(".kv")))
