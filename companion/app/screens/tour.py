"""The first steps: three pages of instructions, shown once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from kivy.lang import Builder
from kivy.properties import NumericProperty, StringProperty
from kivy.uix.modalview import ModalView

from companion.device import on_phone
from companion.i18n.catalogue import _, gettext_noop

_WITH_A_PHONE = (
    "♠",
    gettext_noop("Put the phone over the table"),
    gettext_noop(
        "The whole table must be in view. Then deal: face-down cards, face-up cards on top, hands. No "
        "camera? Then enter by touch what happens."
    ),
)
_WITH_A_COMPUTER = (
    "♠",
    gettext_noop("Put a camera over the table"),
    gettext_noop(
        "Use a webcam, or a phone that streams its picture. The whole table must be in view. Then deal: "
        "face-down cards, face-up cards on top, hands. No camera? Then enter by touch what happens."
    ),
)
_THEN = (
    (
        "✗",
        gettext_noop("Just play"),
        gettext_noop(
            "The referee rules on every play, and quotes the rule that it breaks. It prevents nothing: you"
            " decide. If it depends on hidden cards, the ruling is “not proven”."
        ),
    ),
    (
        "↺",
        gettext_noop("Correct mistakes"),
        gettext_noop(
            "Tap an event to correct its card or its player. Undo removes the last event. Tap a player to "
            "enter what they did. Everything stays on this device."
        ),
    ),
)


def tour_steps() -> tuple[tuple[str, str, str], ...]:
    """Return sign, title and text of each page for this device, not yet translated."""
    return (_WITH_A_PHONE if on_phone() else _WITH_A_COMPUTER, *_THEN)


class Tour(ModalView):
    """Three pages. The user can leave at any of them."""

    step = NumericProperty(0)
    sign = StringProperty("")
    heading = StringProperty("")
    body = StringProperty("")
    onwards = StringProperty("")
    progress = StringProperty("")

    def __init__(self, on_done: Callable[[], None], **kwargs: Any) -> None:
        """`on_done` is called at the end, or when the user leaves."""
        super().__init__(**kwargs)
        self._steps = tour_steps()
        self._show()
        self.bind(on_dismiss=lambda *_args: on_done())

    def forward(self) -> None:
        """Show the next page, or close after the last."""
        if self.step + 1 == len(self._steps):
            self.dismiss()
            return
        self.step += 1
        self._show()

    def _show(self) -> None:
        sign, heading, body = self._steps[int(self.step)]
        last = self.step + 1 == len(self._steps)
        self.sign, self.heading, self.body = sign, _(heading), _(body)
        self.onwards = _("Begin") if last else _("Next")
        self.progress = _("Step {n} of {all}").format(n=int(self.step) + 1, all=len(self._steps))


Builder.load_file(str(Path(__file__).with_suffix(".kv")))
