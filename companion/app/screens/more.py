"""The *More* screen: voice, sound, language, first steps, and the data on this device."""

from __future__ import annotations

from typing import Any

from kivy.factory import Factory

from companion.app.screens.about import AboutSheet
from companion.app.screens.films import FilmSection
from companion.app.screens.storage import StorageSection
from companion.app.screens.tour import Tour
from companion.app.screens.widgets import BodyText, Chip, Page, PillButton
from companion.device import on_phone
from companion.i18n.catalogue import AUTOMATIC, LANGUAGES, _, gettext_noop, language
from companion.i18n.wording import short_path
from companion.speech.voice import can_speak
from companion.store.store import default_path


class MoreScreen(Page):
    """Switches and buttons, each with a line of explanation."""

    def __init__(self, app: Any, **kwargs: Any) -> None:
        super().__init__(title=_("More"), **kwargs)
        self._app = app
        self.switches: dict[str, Chip] = {}
        self.languages: dict[str, Chip] = {}
        self.type_sizes: dict[str, Chip] = {}
        self.buttons: dict[str, PillButton] = {}
        self.tour: Tour | None = None
        self.about: AboutSheet | None = None
        self._add_switches()
        self._add_languages()
        self._add_type_sizes()
        self._add_game()
        self._add_help()
        self._add_kept()

    def switch(self, name: str) -> None:
        """Switch `name` on or off, and let the user hear it."""
        on = not getattr(self._app.settings, name)
        self._app.set(**{name: on})
        self.switches[name].on = on
        if name == "speak" and on:
            self._app.feedback.say(_("Rulings will be spoken."))

    def set_type_size(self, name: str) -> None:
        """Set the type size of every screen."""
        self._app.set(type_size=name)
        for other, chip in self.type_sizes.items():
            chip.on = other == name

    def take_tour(self) -> None:
        """Show the first steps again."""
        self.tour = Tour(lambda: None)
        self.tour.open()

    def show_about(self) -> None:
        """Show the version and the glossary."""
        self.about = AboutSheet()
        self.about.open()

    def _add_switches(self) -> None:
        self.add(Factory.Heading(full_text=_("Voice and sound")))
        row = self.add(Factory.FilterRow())
        for name, label in (("speak", _("Voice")), ("sound", _("Sound")), ("vibrate", _("Vibration"))):
            chip = Chip(label=label, on=getattr(self._app.settings, name))
            chip.bind(on_release=lambda _chip, name=name: self.switch(name))
            self.switches[name] = chip
            row.add_widget(chip)
        text = _("The voice speaks rulings, turns and songs. Sound and vibration mark a breach.")
        if not can_speak():
            nowhere = _("No voice was found on this device.")
            text += " " + (
                nowhere if on_phone() else _("No voice was found on this device (install espeak-ng).")
            )
        self.add(BodyText(full_text=text))

    def _add_languages(self) -> None:
        self.add(Factory.Heading(full_text=_("Language")))
        row = self.add(Factory.FilterRow())
        for code, label in ((AUTOMATIC, _("Same as device")), *LANGUAGES.items()):
            chip = Chip(label=label, on=self._app.settings.language == code)
            chip.bind(on_release=lambda _chip, code=code: self._app.set(language=code))
            self.languages[code] = chip
            row.add_widget(chip)
        text = gettext_noop("Quotations are translated. The sentence in the language of its source counts.")
        if language() != "en":  # English needs no translation
            self.add(BodyText(full_text=_(text)))

    def _add_type_sizes(self) -> None:
        self.add(Factory.Heading(full_text=_("Type size")))
        row = self.add(Factory.FilterRow())
        for name, label in (("normal", _("Normal")), ("larger", _("Larger")), ("largest", _("Largest"))):
            chip = Chip(label=label, on=self._app.settings.type_size == name)
            chip.bind(on_release=lambda _chip, name=name: self.set_type_size(name))
            self.type_sizes[name] = chip
            row.add_widget(chip)

    def _add_game(self) -> None:
        self.add(Factory.Heading(full_text=_("Game")))
        row = self.add(Factory.FilterRow())
        self._button(row, "places", _("Places"), self._open_places)
        session = self._app.session
        self.buttons["places"].disabled = session is None or not session.watches
        if not on_phone():
            self._button(row, "join", _("Phones"), lambda: self._app.go("join"))
        self._button(row, "new", _("New game"), self._app.new_game)

    def _add_help(self) -> None:
        self.add(Factory.Heading(full_text=_("Help")))
        row = self.add(Factory.FilterRow())
        self._button(row, "tour", _("First steps"), self.take_tour)
        self._button(row, "about", _("About, and what the words mean"), self.show_about)

    def _open_places(self) -> None:
        self._app.go("table")
        self._app.screen.open_places()

    def _add_kept(self) -> None:
        self.add(Factory.Heading(full_text=_("Data on this device")))
        where = self._app.store or default_path()
        self.add(
            BodyText(
                full_text=_("Nothing leaves this device. The games are stored in {path}.").format(
                    path=short_path(where)
                )
            )
        )
        row = self.add(Factory.FilterRow())
        chip = Chip(label=_("Save a picture of each ruling"), on=self._app.settings.keep_moments)
        chip.bind(on_release=lambda _chip: self.switch("keep_moments"))
        self.switches["keep_moments"] = chip
        row.add_widget(chip)
        self.add(
            BodyText(
                full_text=_("It shows the table only, without people. See it in the log and the replay.")
            )
        )
        self.films = FilmSection(self, self._app, self.switch)
        self.switches |= self.films.switches
        self.buttons |= self.films.buttons
        self.kept = StorageSection(self, self._app)
        self.buttons |= self.kept.buttons

    def _button(self, row: Any, name: str, text: str, act: Any) -> None:
        button = PillButton(text=text, size_hint=(1, 1))
        button.bind(on_release=lambda _button: act())
        self.buttons[name] = button
        row.add_widget(button)
