"""The sheet in which a house variant is made, named, changed and removed, and its switches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from kivy.core.window import Window
from kivy.lang import Builder
from kivy.properties import BooleanProperty, NumericProperty, StringProperty
from kivy.uix.modalview import ModalView

from companion.app.screens.widgets import PillButton, signed, text_height
from companion.game.house_variants import HouseVariant, remove_house_variant, save_house_variant
from companion.i18n.catalogue import _, gettext_noop
from companion.i18n.messages import error_text
from engine.errors import BadInputError
from engine.ruleset import load_ruleset

_AFTER_A_BREACH = (
    gettext_noop("The pile is picked up."),
    gettext_noop("The cards are taken back, and one card is drawn."),
    gettext_noop("The cards are taken back, and the turn is lost."),
)
"""Ready sentences about what follows a breach. Files hold them in English, and screens translate them."""


class OptionToggle(PillButton):
    """A house option, on or off."""

    on = BooleanProperty(False)
    option = StringProperty("")
    says = StringProperty("")
    shown = StringProperty("")
    text_height = NumericProperty(0)
    """Height of its text in the available width, in pixels."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.bind(on=self._show, width=self._measure, largest=self._measure, shown=self._measure)
        self._show()

    def on_release(self) -> None:
        """Switch the option."""
        self.on = not self.on

    def _show(self, *_args: object) -> None:
        self.shown = signed(f"{'✓ ' if self.on else ''}{self.says}")

    def _measure(self, *_args: object) -> None:
        room = int(self.width - self.padding[0] - self.padding[2])
        self.text_height = text_height(self.shown, self.largest, max(1, room), self.bold, self.italic)


class HouseRulesSheet(ModalView):
    """Holds the name, the switches and the rule about breaches of one house variant."""

    heading = StringProperty("")
    name = StringProperty("")
    breach = StringProperty("")
    """The players' own words about what follows a breach."""
    fault = StringProperty("")
    """Why it could not be saved or removed."""
    may_remove = BooleanProperty(False)
    may_save = BooleanProperty(True)

    def __init__(
        self,
        base: str,
        options: Sequence[str],
        on_done: Callable[[str], object],
        variant: HouseVariant | None = None,
        **kwargs: Any,
    ) -> None:
        """Show the switches of a ruleset.

        Args:
            base: The ruleset on which the variant builds.
            options: The options that are on.
            on_done: Gets the file of the variant that was saved, or the base of the one that was removed.
            variant: The variant that is changed; None makes a new one.
            kwargs: For Kivy.
        """
        super().__init__(**kwargs)
        self._base, self._on_done, self._variant = base, on_done, variant
        ruleset = load_ruleset(base)
        self.heading = _("House rules, built on {rules}").format(rules=ruleset.title)
        self.may_remove = variant is not None
        if variant is not None:
            self.name = variant.name
            if not variant.may_change:
                self.may_save, self.fault = False, _("This file was written by hand. Change it in an editor.")
        self.toggles = {
            option.name: OptionToggle(option=option.name, says=_(option.text), on=option.name in options)
            for option in ruleset.available.values()
        }
        breach = "" if variant is None else variant.breach
        self.breach = "" if breach in _AFTER_A_BREACH else breach
        self.breaches = [
            OptionToggle(option=text, says=_(text), on=text == breach) for text in _AFTER_A_BREACH
        ]
        if self.may_save:
            for toggle in self.toggles.values():
                self.ids.options.add_widget(toggle)
            for toggle in self.breaches:
                toggle.bind(on=self._choose_breach)
                self.ids.breaches.add_widget(toggle)
            self.ids.breach.bind(text=self._word_breach)
            self.ids.field.bind(text=lambda *_args: setattr(self, "fault", ""))
        self._size()
        Window.bind(size=self._size)
        self.bind(on_dismiss=lambda *_args: Window.unbind(size=self._size))

    def _choose_breach(self, chosen: OptionToggle, on: bool) -> None:
        """Let a ready sentence about breaches count alone."""
        if on:
            self.ids.breach.text = ""
            for toggle in self.breaches:
                toggle.on = toggle is chosen

    def _word_breach(self, _field: object, text: str) -> None:
        """Let the players' own words about breaches count alone."""
        for toggle in self.breaches if text else ():
            toggle.on = False

    def save(self) -> None:
        """Write the variant, or say why that is not possible."""
        chosen = [name for name, toggle in self.toggles.items() if toggle.on]
        path = None if self._variant is None else self._variant.path
        breach = next((toggle.option for toggle in self.breaches if toggle.on), self.ids.breach.text)
        try:
            saved = save_house_variant(self.ids.field.text, self._base, chosen, path, breach)
        except (BadInputError, OSError) as error:
            self.fault = error_text(error)
            return
        self.dismiss()
        self._on_done(str(saved))

    def remove(self) -> None:
        """Remove the variant."""
        if self._variant is None:
            return
        try:
            remove_house_variant(self._variant.path)
        except OSError as error:
            self.fault = error_text(error)
            return
        self.dismiss()
        self._on_done(self._base)

    def _size(self, *_args: object) -> None:
        self.width = Window.width * (0.94 if Window.height > Window.width else 0.6)


Builder.load_file(str(Path(__file__).with_suffix(".kv")))
