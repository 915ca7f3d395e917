"""The plain large-type view: whose turn it is, what may be played, the ruling. To be read from two metres."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kivy.lang import Builder
from kivy.properties import BooleanProperty, NumericProperty, StringProperty
from kivy.uix.behaviors import ButtonBehavior
from kivy.uix.floatlayout import FloatLayout
from kivy.uix.modalview import ModalView

from companion import theme
from companion.i18n import _
from companion.rulings import newest_ruling, ruling_of, ruling_text
from companion.screens.panels import sentence
from companion.session import Snapshot
from companion.wording import demand_words


class LargeBody(ButtonBehavior, FloatLayout):
    """Fills the window; a tap anywhere leaves it."""


class LargeView(ModalView):
    """Three things, as large as the window allows."""

    who = StringProperty("")
    need = StringProperty("")
    sign = StringProperty("")
    word = StringProperty("")
    says = StringProperty("")
    ink = StringProperty(theme.QUIET)
    ground = StringProperty(theme.PANEL)

    least = NumericProperty(36)
    """The smallest type in pixels that can still be read from two metres."""
    watched = BooleanProperty(True)
    """Whether there is a camera or a film, and with it a deal to wait for."""

    def show(self, snapshot: Snapshot) -> None:
        """Show what the session published."""
        table: Any = snapshot.table
        waiting = _("Waiting for the deal") if self.watched else _("Who begins?")
        if table is None:
            self.who, self.need = waiting, ""
        elif table.loser:
            self.who, self.need = _("{player} is the Shithead").format(player=table.loser), ""
        else:
            turn = table.turn
            self.who = _("{player} to play").format(player=turn) if turn else waiting
            self.need = sentence(demand_words(table.effect_in_words)) if turn else ""
        line = newest_ruling(snapshot.lines)
        ruling = ruling_of(line) if line is not None else None
        if ruling is None:  # none has fallen yet, or all were taken back
            self.sign = self.word = self.says = ""
            self.ink, self.ground = theme.QUIET, theme.PANEL
            return
        verdict = str(ruling.get("verdict") or "legal")
        self.sign, self.word = theme.VERDICT_SIGN[verdict], _(theme.VERDICT_WORD[verdict])
        self.ink, self.ground = theme.VERDICT_INK[verdict], theme.VERDICT_GROUND[verdict]
        self.says = ruling_text(ruling)[0]


Builder.load_file(str(Path(__file__).with_suffix(".kv")))
