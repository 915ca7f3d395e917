"""The *Join* screen: a code that phones scan, the address in words, and the phones that are connected."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from kivy.factory import Factory
from kivy.graphics.texture import Texture
from kivy.lang import Builder
from kivy.properties import NumericProperty, ObjectProperty
from kivy.uix.widget import Widget

from companion.app.screens.widgets import BodyText, Chip, Page, PillButton
from companion.i18n.catalogue import _, ngettext
from companion.i18n.messages import error_text
from engine.errors import BadInputError

if TYPE_CHECKING:
    from companion.phone.hub import People
    from companion.phone.server import Serving


class QrCode(Widget):
    """A QR code, as large as fits, dark on light as scanners want it."""

    texture = ObjectProperty(None, allownone=True)
    room = NumericProperty(0)
    """Height in which the whole code must be in sight, in pixels."""

    def show(self, squares: list[list[bool]]) -> None:
        """Show rows of squares from the top, True for dark."""
        size = len(squares)
        texture = Texture.create(size=(size, size), colorfmt="luminance")
        texture.mag_filter = texture.min_filter = "nearest"
        texture.blit_buffer(
            bytes(0 if dark else 255 for row in reversed(squares) for dark in row),
            colorfmt="luminance",
            bufferfmt="ubyte",
        )
        self.texture = texture


class JoinScreen(Page):
    """Opens the server for phones when it is first shown. It stays open until it is closed here."""

    def __init__(self, app: Any, **kwargs: Any) -> None:
        super().__init__(title=_("Phones at the table"), **kwargs)
        self._app = app
        self.films = True
        """Whether the code of the phone that films is shown, and not that of the screens."""
        self.chips: dict[bool, Chip] = {}
        self.buttons: dict[str, PillButton] = {}
        self.code: QrCode | None = None
        self.address = BodyText()
        self.people = BodyText()
        self.warning = BodyText()
        self._shown: People | None = None
        try:
            self._serving: Serving | None = app.open_phones().serving
        except BadInputError as error:
            self._serving = None
            self.add(BodyText(full_text=error_text(error)))
            return
        self._add_code()
        self.show_code(films=True)
        self.refresh()

    def show_code(self, *, films: bool) -> None:
        """Show the code for the phone that films, or for the screens."""
        from companion.phone.qr import qr_squares

        if self._serving is None or self.code is None:
            return
        self.films = films
        for kind, chip in self.chips.items():
            chip.on = kind == films
        address = self._serving.join if films else self._serving.view
        self.code.show(qr_squares(address))
        self.address.full_text = address

    def refresh(self, _dt: float = 0.0) -> None:
        """Show the phones that are connected now. On another Wi-Fi, show the new code."""
        phones = self._app.phones
        if phones is None:
            return
        if self._serving is not None and phones.serving is not self._serving:
            self._serving = phones.serving
            self.show_code(films=self.films)
            self.warning.full_text = _warning(self._serving.fingerprint)
        if phones.hub.people is self._shown:
            return
        self._shown = phones.hub.people
        self.people.full_text = people_text(phones.hub.people)

    def close(self) -> None:
        """Stop serving, let the codes end, and go back."""
        self._app.close_phones(forget=True)
        self._app.go("table")

    def _add_code(self) -> None:
        assert self._serving is not None
        row = Factory.FilterRow()
        self.ids.head.add_widget(row)
        for films, label in ((True, _("To film")), (False, _("To see the game"))):
            chip = Chip(label=label)
            chip.bind(on_release=lambda _chip, films=films: self.show_code(films=films))
            self.chips[films] = chip
            row.add_widget(chip)
        self.ids.head.add_widget(self.people)
        scroll = self.ids.scroll
        self.code = self.add(QrCode(room=scroll.height))
        scroll.bind(height=self.code.setter("room"))
        self.add(Factory.Heading(full_text=_("Scan the code with a phone on the same Wi-Fi, or type:")))
        self.add(self.address)
        self.warning.full_text = _warning(self._serving.fingerprint)
        self.add(self.warning)
        for name, text, act in (
            ("close", _("Send all phones away"), self.close),
            ("table", _("Back"), lambda: self._app.go("table")),
        ):
            button = PillButton(text=text, size_hint=(1, 1))
            button.bind(on_release=lambda _button, act=act: act())
            self.buttons[name] = button
            self.ids.foot.add_widget(button)


def _warning(fingerprint: str) -> str:
    warning = _(
        "The browser warns once, because nobody vouches for this device. Choose *Advanced* and go on. "
        "The certificate's SHA-256 begins with {begins}. Only this local network can join."
    )
    return warning.format(begins=fingerprint[:23])


def people_text(people: People) -> str:
    """Return in words which phone films, and which show the game."""
    name = "" if people.camera is None else _label(people.camera)
    camera = {
        "none": _("No phone films"),
        "films": _("{name} films"),
        "silent": _("{name} sends no picture"),
        "away": _("{name} is busy, with a call for example"),
        "lost": _("{name} is not connected"),
    }[people.state].format(name=name)
    screens = ngettext("{n} phone shows the game", "{n} phones show the game", len(people.screens))
    named = ", ".join(map(_label, people.screens))
    return f"{camera}. {screens}{f': {named}' if named else ''}."


def _label(phone: tuple[int, str]) -> str:
    number, name = phone
    return name or _("Phone {n}").format(n=number)


Builder.load_file(str(Path(__file__).with_suffix(".kv")))
