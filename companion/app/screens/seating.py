"""The table from above: drag a name to the player's seat."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from kivy.app import App
from kivy.lang import Builder
from kivy.metrics import dp
from kivy.properties import BooleanProperty, StringProperty
from kivy.uix.floatlayout import FloatLayout
from kivy.uix.scrollview import ScrollView

from companion.app.screens import live  # noqa: F401 - the kv file names its widget
from companion.app.screens.arrangement import seat_places
from companion.i18n.catalogue import _


class SeatToken(FloatLayout):
    """One player at the table. A drag moves the player, a tap makes them the dealer."""

    name = StringProperty("")
    deals = BooleanProperty(False)
    held = BooleanProperty(False)
    """Whether a finger drags it."""
    wanted = BooleanProperty(False)
    """Whether the dragged token would take this seat."""


class SeatingTable(FloatLayout):
    """Tokens around the picture of the table, or around a cloth without a camera."""

    hint = StringProperty("")

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.tokens: list[SeatToken] = []
        self.on_swap: Callable[[int, int], None] = lambda _one, _other: None
        """Called with two seats that swap their players."""
        self.on_deal: Callable[[int], None] = lambda _seat: None
        """Called with the seat that was tapped."""
        self.bind(pos=self.lay, size=self.lay)

    def show(self, players: Sequence[tuple[str, bool]]) -> None:
        """Seat the players in order, each given as a name and whether they deal."""
        while len(self.tokens) > len(players):
            self.remove_widget(self.tokens.pop())
        while len(self.tokens) < len(players):
            token = SeatToken()
            self.tokens.append(token)
            self.add_widget(token)
        for token, (name, deals) in zip(self.tokens, players, strict=True):
            token.name, token.deals = name.strip() or _("Name"), deals
        self.lay()

    def lay(self, *_args: object) -> None:
        """Put every token at its seat. Two fit side by side, however large the type."""
        u = App.get_running_app().u
        width, height = min(100 * u, 0.34 * self.width), min(50 * u, 0.3 * self.height)
        for token in self.tokens:
            token.size = max(dp(84), width), max(dp(48), height)
        for token, place in zip(self.tokens, self._places(), strict=True):
            if not token.held:
                token.center = place
        self._fit_hint()

    def _fit_hint(self) -> None:
        """Give the hint in the middle the width between the names."""
        hint, names = self.ids.hint, max((token.height for token in self.tokens), default=0.0)
        hint.height = max(1.0, min(0.45 * self.height, self.height - 2.2 * names))
        hint.center_y = self.center_y
        beside = [
            abs(token.center_x - self.center_x) - token.width / 2
            for token in self.tokens
            if token.y < hint.top and hint.y < token.top
        ]
        hint.width = max(1.0, 2 * min(beside, default=self.width / 2) - 0.04 * self.width)
        hint.center = self.center

    def token_at(self, x: float, y: float) -> SeatToken | None:
        """Return the token under a finger."""
        return next((token for token in self.tokens if token.collide_point(x, y)), None)

    def on_touch_down(self, touch: Any) -> bool:
        """Take hold of a token. The mouse wheel takes hold of nothing."""
        token = None if touch.is_mouse_scrolling else self.token_at(*touch.pos)
        if token is None:
            return bool(super().on_touch_down(touch))
        touch.grab(self)
        touch.ud["token"], touch.ud["moved"] = token, False
        return True

    def on_touch_move(self, touch: Any) -> bool:
        """Move the token with the finger, and mark the seat it would take."""
        token = touch.ud.get("token")
        if touch.grab_current is not self or token is None:
            return bool(super().on_touch_move(touch))
        if not touch.ud["moved"] and math.dist(touch.pos, touch.opos) < token.height / 4:
            return True
        touch.ud["moved"] = token.held = True
        token.center = touch.pos
        self._mark(self._seat_near(touch.pos))
        return True

    def on_touch_up(self, touch: Any) -> bool:
        """Seat the player where the finger lifts. A tap makes them the dealer."""
        token = touch.ud.get("token")
        if touch.grab_current is not self or token is None:
            return bool(super().on_touch_up(touch))
        touch.ungrab(self)
        token.held = False
        seat = self.tokens.index(token) if token in self.tokens else -1
        goal = self._seat_near(touch.pos)
        self._mark(-1)
        if touch.ud["moved"] and goal not in (seat, -1):
            self.on_swap(seat, goal)
        elif not touch.ud["moved"] and seat >= 0:
            self.on_deal(seat)
        self.lay()
        return True

    def _places(self) -> list[tuple[float, float]]:
        if not self.tokens:
            return []
        width, height = self.tokens[0].size
        places = seat_places(len(self.tokens), self.width - width, self.height - height)
        return [(self.x + width / 2 + x, self.y + height / 2 + y) for x, y in places]

    def _seat_near(self, pos: Sequence[float]) -> int:
        places = self._places()
        return min(range(len(places)), key=lambda seat: math.dist(places[seat], pos), default=-1)

    def _mark(self, wanted: int) -> None:
        for seat, token in enumerate(self.tokens):
            token.wanted = seat == wanted and not token.held


class FormScroll(ScrollView):
    """Scrolls a form, except under a finger on a token."""

    def on_touch_down(self, touch: Any) -> bool:
        """Pass a touch on a token straight to its table, because a drag there must not scroll."""
        table = getattr(self.parent, "ids", {}).get("seating")
        if table is not None and not touch.is_mouse_scrolling and self.collide_point(*touch.pos):
            touch.push()
            touch.apply_transform_2d(self.to_local)
            try:
                if table.token_at(*touch.pos) is not None:
                    return bool(table.on_touch_down(touch))
            finally:
                touch.pop()
        return bool(super().on_touch_down(touch))


Builder.load_file(str(Path(__file__).with_suffix(".kv")))
