"""The large-type view: the turn, the demand and the ruling, to be read from two metres."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kivy.clock import Clock
from kivy.lang import Builder
from kivy.metrics import dp
from kivy.properties import BooleanProperty, NumericProperty, StringProperty
from kivy.uix.behaviors import ButtonBehavior
from kivy.uix.boxlayout import BoxLayout
from kivy.uix.modalview import ModalView

from companion import theme
from companion.app.screens.arrangement import legible_dp, stacked
from companion.app.screens.widgets import longest_word, signed, text_height
from companion.game.ruling_views import newest_ruling, present_ruling, ruling_text, verdict_of
from companion.game.session import Snapshot
from companion.i18n.catalogue import _
from companion.i18n.wording import playable_now, turn_text

_AWAY_M = 2.0
GLANCED_DP = legible_dp(_AWAY_M, acuity=0.5)
"""Least type of turn, demand and verdict, to be read without glasses."""
READ_DP = legible_dp(_AWAY_M, acuity=0.8)
"""Least type of the sentence. If it does not fit at this size, the view scrolls."""
_SHARES = {"who": 26, "need": 24, "word": 17, "says": 22}
"""Shares of the window's height, unless a line needs more."""


class LargeBody(ButtonBehavior, BoxLayout):
    """Fills the window, or more if it scrolls. A tap anywhere leaves it."""


class LargeView(ModalView):
    """Three texts, as large as the window allows."""

    who = StringProperty("")
    need = StringProperty("")
    sign = StringProperty("")
    word = StringProperty("")
    says = StringProperty("")
    ink = StringProperty(theme.QUIET)
    ground = StringProperty(theme.PANEL)

    ruling_height = NumericProperty(0)
    """Height in pixels of the ruling's ground, from the bottom."""
    watched = BooleanProperty(True)
    """Whether there is a source, and so a deal to wait for."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._lay = Clock.create_trigger(self._place, -1)
        self.bind(size=self._lay)
        for name in _SHARES:
            self.ids[name].bind(full_text=self._lay)

    def _place(self, *_args: object) -> None:
        """Share out the height. If the least sizes do not fit, the view scrolls."""
        width = self.width * 0.94
        least = []
        for name in _SHARES:
            line = self.ids[name]
            text = signed(line.full_text)
            floor = dp(READ_DP)
            if name != "says":  # keep a word whole, if necessary in the sentence's type
                longest = longest_word(text, dp(GLANCED_DP), line.bold, line.italic)
                floor = max(floor, dp(GLANCED_DP) * min(1.0, width / max(1.0, longest)))
            line.smallest, line.largest = floor, max(floor, line.largest)
            least.append(text_height(text, floor, int(width), line.bold, line.italic) + 2 if text else 0)
        room = self.height - self.ids.leave.height
        for name, height in zip(_SHARES, stacked(least, list(_SHARES.values()), room), strict=True):
            self.ids[name].height = height
        self.ruling_height = sum(self.ids[name].height for name in ("word", "says", "leave"))

    def show(self, snapshot: Snapshot) -> None:
        """Show a snapshot."""
        table: Any = snapshot.table
        waiting = _("Waiting for the deal") if self.watched else _("Who begins?")
        if table is None:
            self.who, self.need = waiting, ""
        else:
            self.who, self.need = turn_text(table, waiting), playable_now(table)
        line = newest_ruling(snapshot.lines)
        ruling = present_ruling(line, table) if line is not None else None
        if line is None or ruling is None:  # none yet, or all were undone
            self.sign = self.word = self.says = ""
            self.ink, self.ground = theme.QUIET, theme.PANEL
            return
        verdict = verdict_of(ruling)
        self.sign, self.word = theme.VERDICT_SIGN[verdict], _(theme.VERDICT_WORD[verdict])
        self.ink, self.ground = theme.VERDICT_INK[verdict], theme.VERDICT_GROUND[verdict]
        self.says = ruling_text(ruling, line.get("player"))[0]


Builder.load_file(str(Path(__file__).with_suffix(".kv")))
