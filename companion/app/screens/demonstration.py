"""The line over the picture of the sample film, with a button to start a game of your own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from kivy.lang import Builder
from kivy.uix.boxlayout import BoxLayout
from kivy.uix.widget import Widget


class DemonstrationLine(BoxLayout):
    """Lies along the lower edge of the picture while the sample film is shown."""

    def __init__(self, picture: Widget, on_own: Callable[[], None]) -> None:
        """`picture` is the widget below it. `on_own` is called when somebody wants to play."""
        super().__init__()
        self._picture = picture
        self.ids.own.bind(on_release=lambda _button: on_own())
        picture.bind(pos=self._place, size=self._place)
        self._place()

    def _place(self, *_args: object) -> None:
        self.pos, self.width = self._picture.pos, self._picture.width


Builder.load_file(str(Path(__file__).with_suffix(".kv")))
