"""The rules: the current ruleset, searchable, and the question "Can I play this?"."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kivy.clock import Clock
from kivy.factory import Factory
from kivy.lang import Builder
from kivy.properties import StringProperty
from kivy.uix.boxlayout import BoxLayout

from companion.app.screens.play_check import PlayCheckSheet
from companion.app.screens.widgets import BodyText, Chip, FormField, Page, PillButton
from companion.game.rule_search import find_rules
from companion.i18n.catalogue import _, ngettext
from companion.i18n.rules import citation_text, options_text, quotation
from engine.errors import BadInputError
from engine.ruleset import DEFAULT_RULESET, RULESET_NAMES, Rule, Ruleset, load_ruleset

_AT_ONCE, _A_TURN = 6, 2
"""Rules listed when the screen opens, and at each turn of the loop after that."""


class RuleEntry(BoxLayout):
    """One rule in our words, and the sentence behind it."""

    says = StringProperty("")
    quote = StringProperty("")


class RulesScreen(Page):
    """One ruleset under its headings, filtered by the search."""

    def __init__(self, app: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._app = app
        setup = app.setup
        self.rules = setup.rules if setup is not None else DEFAULT_RULESET
        self.options = setup.options if setup is not None else ()
        self.sheet: PlayCheckSheet | None = None
        self._rest: list[tuple[str, Rule]] = []
        """Rules that are still to be listed, with their headings."""
        self._heading = ""
        self.search = FormField(hint_text=_("Search the rules"))
        later: Any = Clock.create_trigger(lambda _dt: self.show(), 0.2)
        self.search.bind(text=lambda *_args: later())
        self.ids.head.add_widget(self.search)
        self.chips: dict[str, Chip] = {}
        if app.session is None:  # a running game's ruleset cannot be switched
            row = Factory.RulesetRow()
            for name in RULESET_NAMES:
                chip = Chip(label=load_ruleset(name).title)
                chip.bind(on_release=lambda _chip, name=name: self.choose(name))
                self.chips[name] = chip
                row.add_widget(chip)
            self.ids.head.add_widget(row)
        self.ask = PillButton(text=_("Can I play this?"), primary=True, size_hint=(1, 1))
        self.ask.bind(on_release=lambda _button: self.open_question())
        self.ids.foot.add_widget(self.ask)
        self.show()

    @property
    def ruleset(self) -> Ruleset:
        """The ruleset on screen; the default one if a house variant's file is gone."""
        try:
            return load_ruleset(self.rules, tuple(self.options))
        except BadInputError:
            return load_ruleset(DEFAULT_RULESET)

    def choose(self, name: str) -> None:
        """Show the ruleset `name` without house options."""
        self.rules, self.options = name, ()
        self.show()

    def open_question(self) -> None:
        """Open the question, about the pile of the running game or one to tap."""
        session = self._app.session
        table = session.snapshot.table if session is not None else None
        pile = tuple(table.pile) if table is not None else None
        self.sheet = PlayCheckSheet(self.rules, self.options, pile)
        self.sheet.open()

    @property
    def is_complete(self) -> bool:
        """Whether all rules are listed."""
        return not self._rest

    def refresh(self, _dt: float = 0.0) -> None:
        """List some more rules, so that the first ones are shown at once."""
        self._add_rules(_A_TURN)

    def _add_rules(self, most: int) -> None:
        """List the next rules, with a heading wherever the topic changes."""
        now, self._rest = self._rest[:most], self._rest[most:]
        for heading, rule in now:
            if heading != self._heading:
                self._heading = heading
                self.add(Factory.Heading(full_text=_(heading)))
            quote = f"{quotation(rule.quote)} ({citation_text(rule.cite)})"
            self.add(RuleEntry(says=_(rule.text), quote=quote))

    def show(self) -> None:
        """List the rules that contain the search words."""
        ruleset = self.ruleset
        self.title = f"{_('Rules')}: {ruleset.title}"
        for name, chip in self.chips.items():
            chip.on = name == self.rules
        wanted = self.search.text.casefold().split()
        self.ids.content.clear_widgets()
        on = options_text(ruleset)
        if on and not wanted:
            self.add(BodyText(full_text=on))
        found = find_rules(ruleset, wanted)
        if wanted:
            count = len(found)
            self.add(
                BodyText(
                    full_text=ngettext("{n} rule found", "{n} rules found", count)
                    if found
                    else _("No rule found.")
                )
            )
        self._rest, self._heading = list(found), ""
        self._add_rules(_AT_ONCE)
        self.ids.scroll.scroll_y = 1


Builder.load_file(str(Path(__file__).with_suffix(".kv")))
