"""The sheet in which a remembered name or address is mended or removed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from kivy.core.window import Window
from kivy.lang import Builder
from kivy.properties import StringProperty
from kivy.uix.modalview import ModalView


class RememberedSheet(ModalView):
    """Holds one remembered text. *Save* passes on the new text, *Remove* passes on None."""

    text = StringProperty("")

    def __init__(self, text: str, on_done: Callable[[str | None], None], **kwargs: Any) -> None:
        super().__init__(text=text, **kwargs)
        self._on_done = on_done
        self._size()
        Window.bind(size=self._size)
        self.bind(on_dismiss=lambda *_args: Window.unbind(size=self._size))

    def save(self) -> None:
        """Pass on the text, unless it is empty."""
        text = self.ids.field.text.strip()
        if text:
            self.dismiss()
            self._on_done(text)

    def remove(self) -> None:
        """Pass on that the text is to be removed."""
        self.dismiss()
        self._on_done(None)

    def _size(self, *_args: object) -> None:
        self.width = Window.width * (0.94 if Window.height > Window.width else 0.6)


Builder.load_file(str(Path(__file__).with_suffix(".kv")))
