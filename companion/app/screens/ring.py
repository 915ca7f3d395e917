"""The players' names around the live picture, with the turn and the direction."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kivy.app import App
from kivy.lang import Builder
from kivy.properties import BooleanProperty, ListProperty, StringProperty
from kivy.uix.floatlayout import FloatLayout

from companion.app.screens import widgets  # noqa: F401 - the kv file names its label
from companion.app.screens.arrangement import seat_places

_NAMED_U = 200
"""On a lower picture the names would cover cards."""
_NAME_U = 104, 24


class SeatName(FloatLayout):
    """A player's name at the seat. The one whose turn it is has a ring and the direction."""

    words = StringProperty("")
    to_play = BooleanProperty(False)


class TurnRing(FloatLayout):
    """The players' names at their seats, the first at the bottom edge, then clockwise.

    If the picture is too low for names, a mark shows the edge of the player whose turn it is.
    """

    edge = ListProperty([0, 0, 0, 0])
    """Position and size of that mark."""

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
        arrow = "↺" if table.direction == "anticlockwise" else "↻"
        for player, name in self.names.items():
            name.to_play = table.turn == player and not table.loser
            name.words = f"{player} {arrow}" if name.to_play else player
        self._lay()

    def _lay(self, *_args: object) -> None:
        u = App.get_running_app().u
        named = self.height >= _NAMED_U * u
        self.edge = [0, 0, 0, 0]
        width, height = min(_NAME_U[0] * u, self.width * 0.27), _NAME_U[1] * u
        gap = 6 * u
        room = self.width - width - 2 * gap, self.height - height - 2 * gap
        for name, (x, y) in zip(self.names.values(), seat_places(len(self.names), *room), strict=True):
            name.size = width, height
            name.pos = self.x + gap + x, self.y + gap + y
            name.opacity = 1 if named else 0
            if name.to_play and not named and self.height:
                self.edge = self._edge_near(x / room[0], y / room[1], 5 * u)

    def _edge_near(self, x: float, y: float, thick: float) -> list[float]:
        """Return the part of the edge nearest to a seat at these fractions of width and height."""
        width, height = 0.4 * self.width, 0.4 * self.height
        if abs(x - 0.5) > abs(y - 0.5):
            left = self.x if x < 0.5 else self.right - thick
            return [left, self.y + y * (self.height - height), thick, height]
        low = self.y if y < 0.5 else self.top - thick
        return [self.x + x * (self.width - width), low, width, thick]


Builder.load_file(str(Path(__file__).with_suffix(".kv")))
