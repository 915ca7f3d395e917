"""Everything else: voice, sound, language, the first steps once more, and what is kept on this device."""

from __future__ import annotations

import time
from typing import Any

from kivy.factory import Factory

from companion import keeping, sharing
from companion.device import on_phone
from companion.i18n import AUTOMATIC, LANGUAGES, _, language, many, marked
from companion.messages import error_words
from companion.screens.tour import Tour
from companion.screens.widgets import BodyText, Chip, Page, PillButton
from companion.store import default_path
from companion.voice import can_speak
from engine.errors import BadInputError


class MoreScreen(Page):
    """Switches and buttons, each with a line that says what it does."""

    def __init__(self, app: Any, **kwargs: Any) -> None:
        super().__init__(title=_("More"), **kwargs)
        self._app = app
        self.switches: dict[str, Chip] = {}
        self.languages: dict[str, Chip] = {}
        self.buttons: dict[str, PillButton] = {}
        self.tour: Tour | None = None
        self._asked = False
        self._add_switches()
        self._add_languages()
        self._add_game()
        self._add_kept()

    def switch(self, name: str) -> None:
        """Switch `name` on or off, and let it be heard."""
        on = not getattr(self._app.settings, name)
        self._app.set(**{name: on})
        self.switches[name].on = on
        if name == "speak" and on:
            self._app.feedback.say(_("Rulings are spoken from now on."))

    def back_up(self) -> None:
        """Copy the store to the user's documents."""
        path = sharing.documents_folder() / time.strftime("shithead-%Y%m%d-%H%M%S.sqlite")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            keeping.back_up(path, self._app.store)
        except (OSError, BadInputError) as error:
            self.ids.toast.say(error_words(error), 8.0)
            return
        self.ids.toast.say(_("Kept as {path}").format(path=path), 6.0)

    def erase(self) -> None:
        """Erase everything that is kept, at the second tap."""
        if not self._asked:
            self._asked = True
            count = len(keeping.kept(self._app.store))
            self.buttons["erase"].text = many("Tap again: {n} file goes", "Tap again: {n} files go", count)
            return
        self._app.end_session()
        try:
            gone = keeping.erase(self._app.store)
        except OSError as error:
            self.ids.toast.say(error_words(error), 8.0)
            return
        self._asked = False
        self.buttons["erase"].text = _("Erase everything")
        self._app.new_game()
        self._app.go("more")
        self._app.screen.ids.toast.say(many("{n} file erased", "{n} files erased", len(gone)), 6.0)

    def take_tour(self) -> None:
        """Show the first steps once more."""
        self.tour = Tour(lambda: None)
        self.tour.open()

    def _add_switches(self) -> None:
        self.add(Factory.Heading(full_text=_("Heard and felt")))
        row = self.add(Factory.FilterRow())
        for name, label in (("speak", _("Voice")), ("sound", _("Sound")), ("vibrate", _("Vibration"))):
            chip = Chip(label=label, on=getattr(self._app.settings, name))
            chip.bind(on_release=lambda _chip, name=name: self.switch(name))
            self.switches[name] = chip
            row.add_widget(chip)
        text = _("Voice speaks breaches, turns and songs; sound and vibration mark a breach.")
        if not can_speak():
            nowhere = _("No voice was found on this device.")
            text += " " + (
                nowhere if on_phone() else _("No voice was found on this device (install espeak-ng).")
            )
        self.add(BodyText(full_text=text))

    def _add_languages(self) -> None:
        self.add(Factory.Heading(full_text=_("Language")))
        row = self.add(Factory.FilterRow())
        for code, label in ((AUTOMATIC, _("As the device")), *LANGUAGES.items()):
            chip = Chip(label=label, on=self._app.settings.language == code)
            chip.bind(on_release=lambda _chip, code=code: self._app.set(language=code))
            self.languages[code] = chip
            row.add_widget(chip)
        text = marked(
            "The quoted sentences are translated; what counts is the sentence in the language of its source."
        )
        if language() != "en":  # in English nothing is
            self.add(BodyText(full_text=_(text)))

    def _add_game(self) -> None:
        self.add(Factory.Heading(full_text=_("Game")))
        row = self.add(Factory.FilterRow())
        self._button(row, "tour", _("First steps"), self.take_tour)
        self._button(row, "new", _("New game"), self._app.new_game)

    def _add_kept(self) -> None:
        self.add(Factory.Heading(full_text=_("Kept on this device")))
        where = self._app.store or default_path()
        self.add(BodyText(full_text=_("Nothing leaves it. The games are in {path}.").format(path=where)))
        row = self.add(Factory.FilterRow())
        chip = Chip(label=_("Keep a picture of each ruling"), on=self._app.settings.keep_moments)
        chip.bind(on_release=lambda _chip: self.switch("keep_moments"))
        self.switches["keep_moments"] = chip
        row.add_widget(chip)
        self.add(BodyText(full_text=_("Of the table only, nobody in it; seen in the log and the replay.")))
        row = self.add(Factory.FilterRow())
        self._button(row, "backup", _("Back up"), self.back_up)
        self._button(row, "erase", _("Erase everything"), self.erase)

    def _button(self, row: Any, name: str, text: str, act: Any) -> None:
        button = PillButton(text=text, size_hint=(1, 1))
        button.bind(on_release=lambda _button: act())
        self.buttons[name] = button
        row.add_widget(button)
