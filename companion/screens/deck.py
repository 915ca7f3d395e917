"""The decks: those that were enrolled, and enrolling another in front of the camera."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from kivy.factory import Factory
from kivy.lang import Builder
from kivy.properties import StringProperty
from kivy.uix.boxlayout import BoxLayout

from companion.cameras import find_camera
from companion.enrolling import EnrolSession, with_networks
from companion.i18n import _, many, marked
from companion.screens import live  # noqa: F401 - the kv file names its widget
from companion.screens.widgets import BodyText, Page, PillButton
from companion.starting import open_chosen_source
from companion.wording import card_words, cards_sign
from engine.errors import BadInputError
from vision.decks import KNOWN, deck_names, deck_path, load_deck, remove_deck

_SEEN_WORDS = {
    "nothing": marked("No card is seen yet."),
    "several": marked("More than one card is seen: show one alone."),
    "hold": marked("Hold it still …"),
    "taken": marked("Taken. Now the next one."),
    "next": marked("Put that card away and show the next one."),
    "done": marked("All cards were shown."),
}


class DeckRow(BoxLayout):
    """One enrolled deck: its name, what is missing, and a way to forget it."""

    name = StringProperty("")
    detail = StringProperty("")


class EnrolPanel(BoxLayout):
    """The live picture, the card that is wanted, and how far one is."""

    wanted = StringProperty("")
    card = StringProperty("")
    seen = StringProperty("")
    progress = StringProperty("")


class DeckScreen(Page):
    """Lists the decks; while one is being enrolled, shows that instead."""

    def __init__(self, app: Any, **kwargs: Any) -> None:
        super().__init__(title=_("Deck"), **kwargs)
        self._app = app
        self.enrolment: EnrolSession | None = None
        self.panel: EnrolPanel | None = None
        self.rows: dict[str, DeckRow] = {}
        self.buttons: dict[str, PillButton] = {}
        self.name_field: Any = None
        self._forgetting = ""
        self._picture = -1
        self.make_session: Callable[[str, str], EnrolSession] = _session
        self.list_decks()

    def list_decks(self) -> None:
        """Show the enrolled decks, and how to enrol one."""
        self.ids.content.clear_widgets()
        self.rows = {}
        names = deck_names()
        text = _("An enrolled deck is read better: each card is shown to the camera once.")
        self.add(BodyText(full_text=text))
        for name in names:
            self.rows[name] = self.add(DeckRow(name=name, detail=_missing_of(name)))
            self.rows[name].ids.forget.bind(on_release=lambda _button, name=name: self.forget(name))
        if not names:
            self.add(BodyText(full_text=_("No deck is enrolled.")))
        self.add(Factory.Heading(full_text=_("Enrol a deck")))
        self.name_field = self.add(Factory.FormField(hint_text=_("Its name: letters, digits, - and _")))
        self._foot(("enrol", _("Enrol with the camera"), self.begin))

    def forget(self, name: str) -> None:
        """Remove a deck, at the second tap."""
        if self._forgetting != name:
            self._forgetting = name
            self.rows[name].ids.forget.text = _("Tap again")
            return
        self._forgetting = ""
        try:
            remove_deck(name)
        except BadInputError as error:
            self.ids.toast.say(str(error), 6.0)
        self.list_decks()

    def begin(self) -> None:
        """Begin to enrol the deck whose name was typed."""
        name = self.name_field.text.strip()
        try:
            deck_path(name)
        except BadInputError as error:
            self.ids.toast.say(str(error), 6.0)
            return
        if self._app.session is not None and self._app.session.watches:
            self.ids.toast.say(_("The camera is watching a game: end it first."), 6.0)
            return
        source = self._source()
        if source is None:
            self.ids.toast.say(_("No camera is found. Name a phone's address on the first screen."), 6.0)
            return
        self.enrolment = self.make_session(source, name)
        self.enrolment.start()
        self.ids.content.clear_widgets()
        self.panel = self.add(EnrolPanel())
        self._foot(
            ("stop", _("Stop"), self.leave),
            ("skip", _("Pass over"), self.enrolment.skip),
            ("save", _("Save"), self.save),
        )

    def save(self) -> None:
        """Keep what was taken."""
        enrolment = self.enrolment
        if enrolment is None:
            return
        try:
            count = enrolment.save()
        except (BadInputError, OSError) as error:
            says = str(error)
        else:
            says = many("{n} card enrolled", "{n} cards enrolled", count)
        self.leave()
        self.ids.toast.say(says, 6.0)

    def leave(self) -> None:
        """Let go of the camera and go back to the list."""
        if self.enrolment is not None:
            self.enrolment.stop()
        self.enrolment = self.panel = None
        self._picture = -1
        self.list_decks()

    def refresh(self, _dt: float = 0.0) -> None:
        """Show how far the enrolment is."""
        enrolment, panel = self.enrolment, self.panel
        if enrolment is None or panel is None:
            return
        if enrolment.progress.error:
            says = enrolment.progress.error
            self.leave()
            self.ids.toast.say(says, 8.0)
            return
        picture = enrolment.picture
        if picture is not None and picture.serial != self._picture:
            self._picture = picture.serial
            panel.ids.live.show_picture(picture)
        progress = enrolment.progress
        wanted = progress.wanted
        panel.card = wanted or ""
        panel.wanted = _("Show the {card}").format(card=card_words(wanted)) if wanted else _("All shown")
        panel.seen = _(_SEEN_WORDS[progress.seen])
        all_cards = progress.taken + len(progress.missing)
        panel.progress = _("{n} of {all} enrolled").format(n=progress.taken, all=all_cards)
        self.buttons["save"].disabled = progress.taken < 2

    def on_parent(self, _screen: Any, parent: Any) -> None:
        """Let go of the camera when the screen is left."""
        if parent is None and self.enrolment is not None:
            self.leave()

    def _source(self) -> str | None:
        choice = self._app.choice
        if choice is not None and choice.source is not None and not choice.films:
            return str(choice.source)
        camera = find_camera()
        return None if camera is None else str(camera)

    def _foot(self, *buttons: tuple[str, str, Callable[[], None]]) -> None:
        self.ids.foot.clear_widgets()
        self.buttons = {}
        for name, text, act in buttons:
            button = PillButton(text=text, size_hint=(1, 1), primary=name in ("enrol", "save"))
            button.bind(on_release=lambda _button, act=act: act())
            self.buttons[name] = button
            self.ids.foot.add_widget(button)


def _session(source: str, name: str) -> EnrolSession:
    return EnrolSession(lambda: open_chosen_source(source), lambda: with_networks(name))


def _missing_of(name: str) -> str:
    try:
        enrolled = set(load_deck(name).cards)
    except BadInputError as error:
        return str(error)
    missing = [card for card in KNOWN if card not in enrolled and card != "JOKER"]
    cards = many("{n} card enrolled", "{n} cards enrolled", len(enrolled))
    return f"{cards}; {_('missing: {cards}').format(cards=cards_sign(missing))}" if missing else cards


Builder.load_file(str(Path(__file__).with_suffix(".kv")))
