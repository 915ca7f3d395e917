"""The choices of the table under a breach, in a row, and above it what a house rule says."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from kivy.lang import Builder
from kivy.properties import NumericProperty, StringProperty
from kivy.uix.boxlayout import BoxLayout

from companion.app.screens.widgets import PillButton, signed
from companion.game.clips import Clip
from companion.game.consequences import possible_consequences, unsettled_breach
from companion.game.session import Snapshot
from companion.i18n.catalogue import _, gettext_noop
from companion.i18n.rules import quotation
from engine.events import Consequence
from engine.ruleset import Rule

_WORDS: dict[Consequence, str] = {
    "taken_back": gettext_noop("Take it back"),
    "picked_up": gettext_noop("Pick up the pile"),
    "stands": gettext_noop("Let it stand"),
}
"""The choices in the row. That by a house rule is the rule's sentence."""


class ChoicesBar(BoxLayout):
    """A row of buttons, hidden unless a breach is to be decided about."""

    event_id = NumericProperty(0)
    """The id of the event that broke a rule; 0 without one."""
    rule = StringProperty("")
    """The house rule about a breach, as markup; empty without one. It is a choice too."""

    def __init__(self, **kwargs: object) -> None:
        super().__init__(**kwargs)
        self.on_choose: Callable[[int, Consequence], None] = lambda _id, _choice: None
        """Called with the event's id and the choice."""
        self.on_show: Callable[[int], None] = lambda _id: None
        """Called with the event's id to show the seconds before it."""
        self.buttons: dict[str, PillButton] = {}
        """By choice, and `show`."""
        self._shown: tuple[object, ...] = ()

    def show(self, snapshot: Snapshot, rule: Rule | None, clip_of: Callable[[int], Clip | None]) -> None:
        """Offer the choices after the newest ruling, if it is an unsettled breach.

        Args:
            snapshot: The session's state.
            rule: The house rule about a breach, if there is one.
            clip_of: Returns the film of the seconds before the event with an id; None if there is none.
        """
        failed = snapshot.phase == "failed" or snapshot.lost
        line = None if failed else unsettled_breach(snapshot.lines)
        number = 0 if line is None else int(line["id"])
        options = () if line is None else possible_consequences(line, snapshot.table, rule)
        has_clip = line is not None and clip_of(number) is not None
        shown = (number, options, has_clip)
        if shown == self._shown:
            return
        self._shown = shown
        self.ids.row.clear_widgets()
        self.buttons = {}
        self.rule = ""
        if has_clip:
            self._add("show", _("Show me"), lambda: self.on_show(number))
        for choice in options:
            if choice in _WORDS:
                self._add(choice, _(_WORDS[choice]), partial(self.choose, number, choice))
            elif choice == "by_rule" and rule is not None:
                self.rule, self.buttons[choice] = signed(quotation(rule.quote)), self.ids.by_rule
        self.event_id = number

    def choose(self, number: int, choice: Consequence) -> None:
        """Report what the players have chosen about the event with an id.

        A button keeps the id of the event that it was made or pressed for. The row may show another breach
        before the finger leaves it.
        """
        self.on_choose(number, choice)

    def _add(self, name: str, text: str, act: Callable[[], object]) -> None:
        button = PillButton(text=signed(text), size_hint=(1, 1), primary=name == "taken_back")
        button.bind(on_release=lambda _button: act())
        self.buttons[name] = button
        self.ids.row.add_widget(button)


Builder.load_file(str(Path(__file__).with_suffix(".kv")))
