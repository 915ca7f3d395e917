"""The list of enrolled decks, and enrolment in front of the camera."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from kivy.factory import Factory
from kivy.lang import Builder
from kivy.properties import StringProperty
from kivy.uix.boxlayout import BoxLayout

from companion.app.screens import live  # noqa: F401 - the kv file names its widget
from companion.app.screens.widgets import BodyText, Chip, FormField, Page, PillButton
from companion.game.enrolling import PACK_SIZE, EnrolmentProgress, EnrolmentSession, open_enrolment
from companion.game.starting import open_game_source
from companion.i18n.catalogue import _, gettext_noop, ngettext
from companion.i18n.messages import error_text
from companion.i18n.wording import SUIT_SIGN, cards_label, split_card
from companion.sources.cameras import find_camera
from engine.errors import BadInputError
from vision.decks.deck import KNOWN, deck_names, deck_path, load_deck, load_learnt, remove_deck
from vision.enrolment.online_learning import known_cards

_SEEN_WORDS = {
    "nothing": gettext_noop("No card is in view yet."),
    "several": gettext_noop("More than one card is in view. Show only one."),
    "hold": gettext_noop("Hold it still …"),
    "taken": gettext_noop("Got it. Show the next one."),
    "seen": gettext_noop("Got it. Show the next one."),
}
_IN_ORDER = "SHDC"
_FEW = 6
"""Up to this number, missing cards are named; beyond it, only counted."""


class DeckRow(BoxLayout):
    """One enrolled deck: its name, its missing cards, and a button to remove it."""

    name = StringProperty("")
    detail = StringProperty("")


class EnrolPanel(BoxLayout):
    """The live picture, the finding in it, the progress, and the missing cards."""

    card = StringProperty("")
    """The newest card, if it is certain."""
    seen = StringProperty("")
    progress = StringProperty("")
    missing = StringProperty("")


class DeckScreen(Page):
    """Lists the decks, or shows the enrolment while one is running."""

    def __init__(self, app: Any, **kwargs: Any) -> None:
        super().__init__(title=_("Deck"), **kwargs)
        self._app = app
        self.enrolment: EnrolmentSession | None = None
        self.panel: EnrolPanel | None = None
        self.rows: dict[str, DeckRow] = {}
        self.buttons: dict[str, PillButton] = {}
        self.learning: Any = None
        self.name_field: Any = None
        self._forgetting = ""
        self._picture = -1
        self.make_session: Callable[[str, str], EnrolmentSession] = _session
        self.list_decks()

    def list_decks(self) -> None:
        """Show the enrolled decks, and the fields to enrol another."""
        self.ids.content.clear_widgets()
        self.rows = {}
        names = deck_names()
        text = _("The referee reads an enrolled deck better. Show the camera each card once, in any order.")
        self.add(BodyText(full_text=text))
        for name in names:
            self.rows[name] = self.add(DeckRow(name=name, detail=_missing_of(name)))
            self.rows[name].ids.forget.bind(on_release=lambda _button, name=name: self.forget(name))
        if not names:
            self.add(BodyText(full_text=_("No deck is enrolled.")))
        self._add_learning()
        self.add(Factory.Heading(full_text=_("Enrol a deck")))
        self.name_field = self.add(FormField(hint_text=_("Name (letters, digits, - and _)")))
        self._foot(("enrol", _("Enrol with the camera"), self.begin))

    def _add_learning(self) -> None:
        """Show how much was learnt during play, and its switch."""
        row = self.add(Factory.FilterRow())
        self.learning = Chip(label=_("Learn the deck during play"), on=self._app.settings.learn_deck)
        self.learning.bind(on_release=lambda _chip: self.switch_learning())
        row.add_widget(self.learning)
        text = _("If no deck is named, the referee learns from cards that it reads with certainty.")
        learnt = load_learnt()
        if learnt is not None:
            cards = ngettext("{n} card", "{n} cards", len(known_cards(learnt)))
            text += " " + _("Learnt during play: {cards}.").format(cards=cards)
        self.add(BodyText(full_text=text))

    def switch_learning(self) -> None:
        """Switch learning on or off, from the next game on."""
        self.learning.on = not self.learning.on
        self._app.set(learn_deck=self.learning.on)

    def forget(self, name: str) -> None:
        """Remove a deck at the second tap."""
        if self._forgetting != name:
            self._forgetting = name
            self.rows[name].ids.forget.text = _("Tap again")
            return
        self._forgetting = ""
        try:
            remove_deck(name)
        except BadInputError as error:
            self.ids.toast.say(error_text(error), 6.0)
        self.list_decks()

    def begin(self) -> None:
        """Start to enrol the deck with the typed name."""
        name = self.name_field.text.strip()
        try:
            deck_path(name)
        except BadInputError as error:
            self.ids.toast.say(error_text(error), 6.0)
            return
        if self._app.session is not None and self._app.session.watches:
            self.ids.toast.say(_("The camera is watching a game: end it first."), 6.0)
            return
        source = self._source()
        if source is None:
            self.ids.toast.say(_("No camera found. Enter a phone’s address on the first screen."), 6.0)
            return
        self.enrolment = self.make_session(source, name)
        self.enrolment.start()
        self.ids.content.clear_widgets()
        self.panel = self.add(EnrolPanel())
        self._foot(
            ("stop", _("Stop"), self.leave),
            ("save", _("Save"), self.enrolment.save),
        )
        self.refresh()

    def leave(self) -> None:
        """Release the camera, and return to the list."""
        if self.enrolment is not None:
            self.enrolment.stop()
        self.enrolment = self.panel = None
        self._picture = -1
        self.list_decks()

    def refresh(self, _dt: float = 0.0) -> None:
        """Show the progress of the enrolment."""
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
        if progress.phase == "saved":
            self.leave()
            self.ids.toast.say(_saved_words(progress), 8.0)
            return
        panel.card = progress.last or ""
        panel.seen, panel.progress = _words_of(progress)
        panel.seen = progress.lost or panel.seen
        panel.missing = _by_suit(progress.missing)
        learning = progress.phase == "learning"
        self.buttons["save"].disabled = learning or progress.shown < 2
        self.buttons["stop"].disabled = learning

    def on_parent(self, _screen: Any, parent: Any) -> None:
        """Release the camera when the screen is left."""
        if parent is None and self.enrolment is not None:
            self.leave()

    def _source(self) -> str | None:
        setup = self._app.setup
        if setup is not None and setup.source is not None and not setup.is_film:
            return str(setup.source)
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


def _session(source: str, name: str) -> EnrolmentSession:
    return EnrolmentSession(lambda: open_game_source(source), lambda: open_enrolment(name))


def _words_of(progress: EnrolmentProgress) -> tuple[str, str]:
    """Return (finding in the frame, progress)."""
    if progress.phase == "opening":
        return _("Opening …"), ""
    if progress.phase == "learning":
        done, count = progress.learnt
        return _("Learning …"), _("Picture {n} of {all}").format(n=done, all=count) if count else ""
    told = PACK_SIZE - len(progress.missing)
    how_far = _("{n} of {all} recognised").format(n=told, all=PACK_SIZE)
    if progress.shown > told:
        how_far += ", " + _("{n} shown").format(n=progress.shown)
    return _(_SEEN_WORDS[progress.seen]), how_far


def _by_suit(missing: Sequence[str]) -> str:
    """Return the missing cards, one line per suit."""
    lines = []
    for suit in _IN_ORDER:
        ranks = [split_card(card)[0] for card in missing if split_card(card)[1] == suit]
        if ranks:
            lines.append(f"{SUIT_SIGN[suit]}  {' '.join(ranks)}")
    return "\n".join([_("Still missing:"), *lines]) if lines else ""


def _saved_words(progress: EnrolmentProgress) -> str:
    words = ngettext("{n} card enrolled", "{n} cards enrolled", progress.enrolled)
    if progress.doubts:
        words += "; " + ngettext("{n} not recognised", "{n} not recognised", progress.doubts)
    return words


def _missing_of(name: str) -> str:
    try:
        enrolled = set(load_deck(name).cards)
    except BadInputError as error:
        return error_text(error)
    missing = [card for card in KNOWN if card not in enrolled and card != "JOKER"]
    cards = ngettext("{n} card enrolled", "{n} cards enrolled", len(enrolled))
    if not missing:
        return cards
    few = _("missing: {cards}").format(cards=cards_label(missing))
    return f"{cards}; {few if len(missing) <= _FEW else ngettext('{n} missing', '{n} missing', len(missing))}"


Builder.load_file(str(Path(__file__).with_suffix(".kv")))
