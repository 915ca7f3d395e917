"""The screen before a game: who plays, by which rules."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from kivy.lang import Builder
from kivy.properties import BooleanProperty, ObjectProperty, StringProperty
from kivy.uix.boxlayout import BoxLayout
from kivy.uix.floatlayout import FloatLayout

from companion.choice import Choice, fault_in, source_words
from companion.screens.widgets import FitLabel, PillButton, signed
from engine.ruleset import RULESET_NAMES, load_ruleset


class SectionTitle(FitLabel):
    """The heading of a part of the form."""


class PlayerRow(BoxLayout):
    """One player: name, whether they deal, and a way to leave the table."""

    name = StringProperty("")
    deals = BooleanProperty(False)
    deal = ObjectProperty(lambda _: None)
    leave = ObjectProperty(lambda _: None)


class OptionToggle(PillButton):
    """A house option, on or off."""

    on = BooleanProperty(False)
    option = StringProperty("")
    says = StringProperty("")
    shown = StringProperty("")

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.bind(on=self._show)
        self._show()

    def on_release(self) -> None:
        """Switch."""
        self.on = not self.on

    def _show(self, *_: object) -> None:
        self.shown = signed(f"{'✓ ' if self.on else ''}{self.option}: {self.says}")


class TonightScreen(FloatLayout):
    """A form that ends in a `Choice`."""

    source_text = StringProperty("")
    fault = StringProperty("")

    def __init__(self, choice: Choice, on_start: Callable[[Choice], None], **kwargs: Any) -> None:
        """Begin with `choice`; `on_start` gets what was made of it."""
        self.choice = choice
        self._on_start = on_start
        self.rules = choice.rules
        super().__init__(**kwargs)
        self.source_text = source_words(choice.source)
        for name in RULESET_NAMES:
            button = PillButton(text=load_ruleset(name).title, size_hint=(1, 1))
            button.rules = name
            button.bind(on_release=lambda button: self.choose_rules(button.rules))
            self.ids.rules.add_widget(button)
        for player in choice.players:
            self.add_player(player)
        self.choose_rules(choice.rules)

    @property
    def rows(self) -> list[PlayerRow]:
        """Return the players' rows in the order in which they sit."""
        return list(reversed(self.ids.players.children))

    def add_player(self, name: str) -> None:
        """Seat one more."""
        row = PlayerRow(name=name, deal=self._deal, leave=self._remove)
        row.bind(name=self._check)
        self.ids.players.add_widget(row)
        self._check()

    def choose_rules(self, name: str) -> None:
        """Play by the ruleset `name`."""
        self.rules = name
        for button in self.ids.rules.children:
            button.primary = button.rules == name
        self.ids.options.clear_widgets()
        for option in load_ruleset(name).available.values():
            on = option.name in self.choice.options and name == self.choice.rules
            toggle = OptionToggle(option=option.name, says=option.text, on=on)
            toggle.bind(on=self._check)
            self.ids.options.add_widget(toggle)
        self._check()

    def chosen(self) -> Choice:
        """Return the form's contents."""
        dealer = next((row.name.strip() for row in self.rows if row.deals), None)
        return replace(
            self.choice,
            rules=self.rules,
            players=tuple(row.name.strip() for row in self.rows),
            dealer=dealer,
            options=tuple(toggle.option for toggle in reversed(self.ids.options.children) if toggle.on),
        )

    def start(self) -> None:
        """Begin, unless something is still wrong."""
        self._check()
        if not self.fault:
            self._on_start(self.chosen())

    def _check(self, *_: object) -> None:
        chosen = self.chosen()
        self.fault = fault_in(chosen.rules, chosen.options, chosen.players) or ""

    def _deal(self, row: PlayerRow) -> None:
        # kv hands over a weak proxy: equal to its row, but not the same object.
        deals = not row.deals
        for other in self.rows:
            other.deals = deals and other == row
        self._check()

    def _remove(self, row: PlayerRow) -> None:
        self.ids.players.remove_widget(row)
        self._check()


Builder.load_file(str(Path(__file__).with_suffix(".kv")))
