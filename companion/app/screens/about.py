"""The sheet *About*: what the program is, its version, and what its words mean."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kivy.core.window import Window
from kivy.lang import Builder
from kivy.properties import StringProperty
from kivy.uix.modalview import ModalView

from companion.app.screens.rules import RuleEntry
from companion.i18n.catalogue import _
from companion.i18n.glossary import GLOSSARY
from companion.version import version


class AboutSheet(ModalView):
    """Shows the version, the licence and the glossary."""

    heading = StringProperty("")
    body = StringProperty("")

    def __init__(self, **kwargs: Any) -> None:
        number = version()
        name = "Shithead Referee"
        super().__init__(heading=f"{name} {number}" if number else name, body=self._about(), **kwargs)
        words = sorted(
            ((_(word), _(meaning)) for word, meaning in GLOSSARY), key=lambda pair: pair[0].casefold()
        )
        for word, meaning in words:
            self.ids.content.add_widget(RuleEntry(says=word, quote=meaning.replace("*", "")))
        self._size()
        Window.bind(size=self._size)
        self.bind(on_dismiss=lambda *_args: Window.unbind(size=self._size))

    def _about(self) -> str:
        return " ".join(
            (
                _("A referee for Shithead played with real cards. It sees the table and names the rule."),
                _("Nothing leaves this device."),
                _("Free software under the AGPL 3.0 or later, without any warranty."),
            )
        )

    def _size(self, *_args: object) -> None:
        upright = Window.height > Window.width
        self.size = Window.width * (0.94 if upright else 0.6), Window.height * (0.9 if upright else 0.94)


Builder.load_file(str(Path(__file__).with_suffix(".kv")))
