"""The sheet for "Can I play this?": a pile, some cards, and the judge's answer with its sentence."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from kivy.app import App
from kivy.core.window import Window
from kivy.lang import Builder
from kivy.properties import BooleanProperty, StringProperty
from kivy.uix.modalview import ModalView

from companion import theme
from companion.app.screens import pad  # noqa: F401 - the kv file names it
from companion.app.screens.widgets import Chip
from companion.game.play_check import check_play
from companion.game.ruling_views import ruling_text
from companion.i18n.catalogue import _
from companion.i18n.messages import error_text
from companion.i18n.wording import cards_label
from engine.errors import BadInputError


class PlayCheckSheet(ModalView):
    """Judges the cards at every tap."""

    pile_words = StringProperty("")
    sign = StringProperty("")
    word = StringProperty("")
    says = StringProperty("")
    quote = StringProperty("")
    ink = StringProperty(theme.QUIET)
    fixed = BooleanProperty(False)
    """Whether the pile is that of the running game."""

    def __init__(self, rules: str, options: Sequence[str], pile: Sequence[str] | None, **kwargs: Any) -> None:
        """`pile` is that of the running game, bottom first; None: the user taps it."""
        super().__init__(fixed=pile is not None, **kwargs)
        self._rules, self._options = rules, tuple(options)
        self.pile: list[str] = list(pile or ())
        self.cards: list[str] = []
        self.asks_for = "cards"
        self.chips = {
            "pile": Chip(label=_("On the pile")),
            "cards": Chip(label=_("I want to play")),
        }
        for name, chip in self.chips.items():
            chip.bind(on_release=lambda _chip, name=name: self.fill(name))
            if not self.fixed:
                self.ids.what.add_widget(chip)
        self.ids.pad.bind(cards=self._take)
        self.fill("cards" if self.fixed else "pile")
        self._judge()
        Window.bind(size=self._place)
        self.ids.column.bind(minimum_height=self._place)
        self.bind(on_dismiss=lambda *_args: Window.unbind(size=self._place))
        self._place()

    def fill(self, name: str) -> None:
        """Let the pad fill the pile or the cards to play."""
        self.asks_for = name
        for other, chip in self.chips.items():
            chip.on = other == name
        self.ids.pad.hint = (
            _("Tap the cards on the pile, the top card last")
            if name == "pile"
            else _("Tap the cards to play")
        )
        self.ids.pad.cards = list(self.pile if name == "pile" else self.cards)

    def _take(self, _pad: Any, cards: Sequence[str]) -> None:
        if self.asks_for == "pile":
            self.pile = list(cards)
        else:
            self.cards = list(cards)
        self._judge()

    def _judge(self) -> None:
        lies = cards_label(self.pile) if self.pile else _("nothing")
        self.pile_words = _("On the pile: {cards}").format(cards=lies)
        if self.cards:
            self.pile_words += "   " + _("To play: {cards}").format(cards=cards_label(self.cards))
        self.sign = self.word = self.says = self.quote = ""
        if not self.cards:
            self.says = _("Tap the cards you would like to play.")
            return
        try:
            ruling = check_play(self.cards, self.pile, rules=self._rules, options=self._options)
        except BadInputError as error:
            self.says = error_text(error)
            return
        verdict = str(ruling["verdict"])
        self.sign, self.word = theme.VERDICT_SIGN[verdict], _(theme.VERDICT_WORD[verdict])
        self.ink = theme.VERDICT_INK[verdict]
        self.says, self.quote = ruling_text({**ruling, "effects": _for_the_asker(ruling["effects"])})

    def _place(self, *_args: object) -> None:
        u = App.get_running_app().u
        width = min(Window.width, 680 * u)
        needed = self.ids.column.minimum_height + self.ids.close.height + 34 * u
        self.size = (width, min(Window.height - 8 * u, needed))


def _for_the_asker(effects: Any) -> dict[str, Any]:
    """Drop effects that depend on hands and names that the question does not give."""
    return {name: effects.get(name) for name in ("burn", "extra_turn")} | {
        "next": None if not effects.get("extra_turn") else _("You")
    }


Builder.load_file(str(Path(__file__).with_suffix(".kv")))
