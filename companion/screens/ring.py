"""Who sits where round the live picture, whose turn it is and which way it goes on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kivy.app import App
from kivy.lang import Builder
from kivy.properties import BooleanProperty, StringProperty
from kivy.uix.floatlayout import FloatLayout

from companion.screens import widgets  # noqa: F401 - the kv file names its label
from companion.screens.arrangement import seat_places

_LEAST_HEIGHT_U = 170
"""A lower picture has no room for names beside the cards."""
_NAME_U = 104, 24


class SeatName(FloatLayout):
    """A player's name at their place; ringed, with the direction, where it is their turn."""

    words = StringProperty("")
    to_play = BooleanProperty(False)


class TurnRing(FloatLayout):
    """The players' names at their seats, the first at the bottom edge, then clockwise."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.names: dict[str, SeatName] = {}
        self.bind(pos=self._lay, size=self._lay)

    def show(self, table: Any) -> None:
        """Show the referee's public table."""
        if list(self.names) != list(table.players):
            self.clear_widgets()
            self.names = {player: SeatName() for player in table.players}
            for name in self.names.values():
                self.add_widget(name)
            self._lay()
        arrow = "↺" if table.direction == "anticlockwise" else "↻"
        for player, name in self.names.items():
            name.to_play = table.turn == player and not table.loser
            name.words = f"{player} {arrow}" if name.to_play else player

    def _lay(self, *_args: object) -> None:
        u = App.get_running_app().u
        self.opacity = 1 if self.height >= _LEAST_HEIGHT_U * u else 0
        width, height = min(_NAME_U[0] * u, self.width * 0.27), _NAME_U[1] * u
        gap = 6 * u
        room = self.width - width - 2 * gap, self.height - height - 2 * gap
        for name, (x, y) in zip(self.names.values(), seat_places(len(self.names), *room), strict=True):
            name.size = width, height
            name.pos = self.x + gap + x, self.y + gap + y


Builder.load_file(str(Path(__file__).with_suffix(".kv")))
