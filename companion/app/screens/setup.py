"""The form before a game: source, players, rules, deck."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from kivy.app import App
from kivy.lang import Builder
from kivy.properties import BooleanProperty, ObjectProperty, StringProperty
from kivy.uix.boxlayout import BoxLayout
from kivy.uix.floatlayout import FloatLayout

from companion.app.screens import seating  # noqa: F401 - the kv file names its widgets
from companion.app.screens.house_rules import HouseRulesSheet, OptionToggle
from companion.app.screens.remembered import RememberedSheet
from companion.app.screens.which_rules import WhichRulesSheet
from companion.app.screens.widgets import Chip, FitLabel
from companion.device import on_phone
from companion.game.deck_fallback import is_deck_missing, missing_deck_text
from companion.game.history import find_last_finished
from companion.game.house_variants import house_variant, house_variants, is_house_variant
from companion.game.preview import RELEASE_TIMEOUT_S, Preview, SightCheck, open_preview, sight_lines
from companion.game.setup import GameSetup, setup_fault, setup_summary, source_text, stored_setup
from companion.i18n.catalogue import _
from companion.i18n.rules import differences_text
from companion.settings import Settings, remember
from companion.sources.android import PHONE_CAMERA
from companion.sources.cameras import find_cameras
from companion.sources.joined_phone import JOINED_PHONE
from companion.store.rows import StoredGame
from engine.errors import BadInputError
from engine.ruleset import DEFAULT_RULESET, RULESET_NAMES, Option, Ruleset, load_ruleset
from vision.capture.addresses import complete_address, with_password_of, without_password
from vision.decks.deck_files import deck_names


class SectionTitle(FitLabel):
    """The heading of a section."""


class PlayerRow(BoxLayout):
    """One player: name, dealer, and a button to leave the table."""

    name = StringProperty("")
    deals = BooleanProperty(False)
    deal = ObjectProperty(lambda _row: None)
    leave = ObjectProperty(lambda _row: None)


class SourceChip(Chip):
    """A source or a deck to choose; empty stands for none."""

    source = StringProperty("")


class SetupScreen(FloatLayout):
    """A form that produces a `GameSetup`."""

    source_text = StringProperty("")
    broken_text = StringProperty("")
    """Line about the interrupted game that may go on; empty without one."""
    finished_text = StringProperty("")
    """Line about the last finished game, which may be opened again; empty without one."""
    broken_deck = StringProperty("")
    finished_deck = StringProperty("")
    """Lines about their decks."""
    notice = StringProperty("")
    """The store's message, such as a damaged file set aside."""
    fault = StringProperty("")
    sight_text = StringProperty("")
    """Result of the camera check."""
    table_hint = StringProperty("")
    summary = StringProperty("")
    differs = StringProperty("")
    """The difference between the chosen ruleset and the others, in one line."""
    waits = StringProperty("")
    """Why the game cannot start yet: the source gives no picture. Empty if it does, or without a source."""
    asks = StringProperty("")
    """A question that need not be answered: who deals, if the named dealer is not seated."""
    remembers = BooleanProperty(False)
    """Whether a source is remembered, which can be mended or removed."""
    failed = BooleanProperty(False)
    """Whether the chosen source gives no picture and can be removed from the list."""
    is_house = BooleanProperty(False)
    """Whether the chosen rules are a house variant that was made in the app."""
    editing = BooleanProperty(False)
    """Whether a tap on a remembered name or address opens it to be mended or removed."""

    def __init__(
        self,
        setup: GameSetup,
        on_start: Callable[[GameSetup], None],
        resumable_game: StoredGame | None = None,
        *,
        make_preview: Callable[[str, str | None], Preview] = open_preview,
        cameras: Callable[[], Sequence[int]] = find_cameras,
        settings: Settings | None = None,
        on_settings: Callable[..., object] = lambda **_changes: None,
        **kwargs: Any,
    ) -> None:
        """Fill the form with `setup`.

        Args:
            setup: The initial values.
            on_start: Gets the result, or the setup of the game that goes on.
            resumable_game: A game that may go on.
            make_preview: Makes the preview of a source.
            cameras: Finds this device's cameras, in a thread of its own.
            settings: Holds the remembered players and sources.
            on_settings: Called with those that have changed, by keyword.
            kwargs: For Kivy.
        """
        self.setup = setup
        self.on_start = on_start
        self._make_preview = make_preview
        self._settings, self._on_settings = settings or Settings(), on_settings
        self._typed: set[str] = set()
        """Addresses that were typed into this form."""
        self._mended: str | None = None
        """The source that failed and stands in the field to be mended."""
        self.sheet: RememberedSheet | None = None
        self.which_rules: WhichRulesSheet | None = None
        self.house_rules: HouseRulesSheet | None = None
        self.preview: Preview | None = None
        self._shown: tuple[int, object] = (-1, None)
        self.found_cameras: list[int] = []
        """Cameras found in the background that are not offered yet."""
        self._look_for_cameras(cameras)
        self.resumable_game = resumable_game
        self.source, self.deck = setup.source, setup.deck
        self._deck_taken = False
        self.rules = setup.rules
        super().__init__(**kwargs)
        self.ids.seating.on_swap = self.swap
        self.ids.seating.on_deal = lambda seat: self._deal(self.rows[seat])
        self.finished = find_last_finished(setup.store) if setup.kept else None
        if resumable_game is not None:
            self.broken_text = _("A game of {players} was interrupted at {time}.").format(
                players=", ".join(resumable_game.players),
                time=_time_of_day(resumable_game.last_event or resumable_game.started),
            )
        if self.finished is not None:
            self.finished_text = _("The game of {players} ended at {time}.").format(
                players=", ".join(self.finished.players), time=_time_of_day(self.finished.finished or 0.0)
            )
            if self.finished.loser is not None:
                loser = _("{player} is the Shithead.").format(player=self.finished.loser)
                self.finished_text = f"{self.finished_text} {loser}"
        self._offer_sources()
        self._offer_rules()
        for player in setup.players:
            self.add_player(player, deals=player == setup.dealer)
        self._offer_players()
        self.choose_rules(setup.rules)

    @property
    def rows(self) -> list[PlayerRow]:
        """Return the players' rows in the order of the seats."""
        return list(reversed(self.ids.players.children))

    def add_player(self, name: str, *, deals: bool = False) -> None:
        """Add a player."""
        row = PlayerRow(name=name, deals=deals, deal=self._deal, leave=self._remove)
        row.bind(name=self.check)
        self.ids.players.add_widget(row)
        self.check()

    def choose_rules(self, name: str) -> None:
        """Select the ruleset `name`. If its file is gone, the form says so."""
        self.rules, self.is_house = name, is_house_variant(name)
        for chip in self.ids.rules.children:
            chip.on = chip.rules == name
        self.ids.options.clear_widgets()
        ruleset = _ruleset(name)
        self.differs = "" if ruleset is None else differences_text(ruleset)
        by_hand = ruleset is None or bool(ruleset.changes or ruleset.own_rules)
        self.ids.house.disabled = by_hand and not self.is_house
        for option in () if ruleset is None else _free_options(ruleset):
            on = option.name in self.setup.options and name == self.setup.rules
            toggle = OptionToggle(option=option.name, says=_(option.text), on=on)
            toggle.bind(on=self.check)
            self.ids.options.add_widget(toggle)
        self.check()

    def _offer_rules(self) -> None:
        """Offer the rulesets, the house variants, and the variant of the setup."""
        own = [str(variant.path) for variant in house_variants()]
        self.ids.rules.clear_widgets()
        for name in dict.fromkeys((*RULESET_NAMES, *own, self.setup.rules)):
            ruleset = _ruleset(name)
            chip = Chip(label=Path(name).stem if ruleset is None else ruleset.title, size_hint=(1, 1))
            chip.rules = name
            chip.bind(on_release=lambda chip: self.choose_rules(chip.rules))
            self.ids.rules.add_widget(chip)

    def edit_house_rules(self) -> None:
        """Change the chosen house variant, or make one of the chosen rules and options."""
        before = self.rules
        variant = house_variant(Path(before)) if self.is_house else None
        ruleset = _ruleset(before)
        base, own = (DEFAULT_RULESET, ()) if ruleset is None else (ruleset.base, ruleset.options)

        def done(rules: str) -> None:
            if self.setup.rules == before and rules != before:  # it may be gone
                self.setup = replace(self.setup, rules=rules, options=())
            self._offer_rules()
            self.choose_rules(rules)

        self.house_rules = HouseRulesSheet(base, (*own, *self.chosen().options), done, variant)
        self.house_rules.open()

    def ask_which_rules(self) -> None:
        """Find the table's ruleset with a few questions."""
        self.which_rules = WhichRulesSheet(self.choose_rules)
        self.which_rules.open()

    def swap(self, one: int, other: int) -> None:
        """Swap the players of two seats."""
        rows = self.rows
        first, second = rows[one], rows[other]
        first.name, second.name = second.name, first.name
        first.deals, second.deals = second.deals, first.deals
        self.check()

    def watch(self, source: str | None) -> None:
        """Select `source`, and show its preview. None: people enter the events."""
        self.source = source
        self.source_text = source_text(source)
        self._mended = None
        if self.ids.address.text and self._typed_address() != source:
            self.ids.address.text = ""
        for chip in self.ids.sources.children:
            chip.on = chip.source == (source or "")
        self._look_through(source if self.parent is not None else None)

    def choose_source(self, source: str | None) -> None:
        """Select a tapped source. A phone first needs the code on the *Join* screen."""
        self.watch(source)
        if source == JOINED_PHONE:
            App.get_running_app().go("join")

    @property
    def sight(self) -> SightCheck | None:
        """The newest check of the picture, if there is one."""
        return self.preview.sight if self.preview is not None else None

    def take_address(self) -> None:
        """Look through the typed film or address. It stays in the field until it gives a picture."""
        address = self._typed_address()
        if not address:
            return
        failed, self._mended = self._mended, None
        if failed is not None and failed != address:
            self.remove_source(failed)
        if address not in [chip.source for chip in self.ids.sources.children]:
            self._offer(address)
        self._typed.add(address)
        self.ids.address.text = without_password(address)
        self.watch(address)

    def _typed_address(self) -> str:
        """Return the typed film or address. A hidden password is that of the source it was typed over."""
        typed = complete_address(self.ids.address.text).strip()
        return with_password_of(typed, self._mended or self.source or "")

    def remove_source(self, source: str | None = None) -> None:
        """Take a source off the list, and forget it. None: the chosen one."""
        source = source or self.source
        for chip in [chip for chip in self.ids.sources.children if source and chip.source == source]:
            self.ids.sources.remove_widget(chip)
        kept = tuple(one for one in self._settings.sources if one != source)
        self._keep(sources=kept)
        if source == self.source:
            self.ids.address.text = ""
            self.watch(None)

    def edit_source(self, source: str) -> None:
        """Open a remembered address to be mended or removed."""

        def done(text: str | None) -> None:
            self.remove_source(source)
            if text is not None:
                self.ids.address.text = with_password_of(complete_address(text), source)
                self.take_address()

        self._open_sheet(without_password(source), done)

    def edit_player(self, name: str) -> None:
        """Open a remembered name to be changed or removed."""

        def done(text: str | None) -> None:
            kept = [text if one == name else one for one in self._settings.players]
            self._keep(players=remember([one for one in kept if one]))
            for row in self.rows:
                if row.name == name and text is not None:
                    row.name = text
            self._offer_players()

        self._open_sheet(name, done)

    def _open_sheet(self, text: str, on_done: Callable[[str | None], None]) -> None:
        self.editing = False
        self.sheet = RememberedSheet(text, on_done)
        self.sheet.open()

    def _keep(self, **changes: Any) -> None:
        """Store what is remembered, if it has changed."""
        changed = replace(self._settings, **changes)
        if changed != self._settings:
            self._settings = changed
            self._on_settings(**changes)

    def _may_be_removed(self, source: str | None) -> bool:
        return source is not None and (source in self._typed or source in self._settings.sources)

    def seat_known(self, name: str) -> None:
        """Seat a remembered player in the first row without a name, else in a new row."""
        free = next((row for row in self.rows if not row.name.strip()), None)
        if free is None:
            self.add_player(name)
        else:
            free.name = name
        self._offer_players()

    def _offer_players(self) -> None:
        """Offer the remembered players who are not seated."""
        seated = {row.name.strip().casefold() for row in self.rows}
        self.ids.known.clear_widgets()
        for name in self._settings.players:
            if name.casefold() in seated:
                continue
            chip = SourceChip(label=name, source=name)
            chip.bind(on_release=lambda chip: self._tap_player(chip.source))
            self.ids.known.add_widget(chip)

    def _tap_player(self, name: str) -> None:
        (self.edit_player if self.editing else self.seat_known)(name)

    def _tap_source(self, source: str | None) -> None:
        if self.editing and self._may_be_removed(source):
            self.edit_source(source or "")
        else:
            self.choose_source(source)

    def on_parent(self, _screen: Any, parent: Any) -> None:
        """Run the preview only while the form is shown, and offer the present decks."""
        if parent is not None:
            self.offer_decks()
        self._look_through(self.source if parent is not None else None)

    def refresh(self, _dt: float = 0.0) -> None:
        """Show the newest picture, its check, and newly found cameras."""
        while self.found_cameras:
            number = str(self.found_cameras.pop(0))
            if number not in [chip.source for chip in self.ids.sources.children]:
                self._offer(number)
        preview, live = self.preview, self.ids.seating.ids.live
        self._show_readiness()
        if preview is None:
            return
        serial, sight = self._shown
        if preview.picture is not None and preview.picture.serial != serial:
            live.show_picture(preview.picture)
            serial, self.table_hint = preview.picture.serial, ""
        if preview.sight is not None and preview.sight is not sight:
            sight = preview.sight
            live.show_readings(sight.readings, judged=(), verdict="legal", moving=False)
        self._shown = serial, sight
        if preview.error and preview.picture is None:
            self.table_hint = _("The table, seen from above")  # nothing is being opened any more
        self.sight_text = f"✗ {preview.error}" if preview.error else "\n".join(sight_lines(preview.sight))

    def _show_readiness(self) -> None:
        """Show whether the source gives a picture. Without one the game cannot start."""
        preview, typed = self.preview, self._typed_address()
        self.failed = preview is not None and bool(preview.error) and self._may_be_removed(self.source)
        if preview is None or typed not in ("", self.source):
            self.waits = ""
        elif preview.error:
            self.waits = _("No picture. Choose another source, or By touch.")
            if self.failed and self._mended is None and self.source is not None:
                self._mended = self.source
                self.ids.address.text = without_password(self.source)
        elif preview.picture is None:
            self.waits = _("Waiting for the first picture …")
        else:
            self.waits = ""
            if self.source in self._typed:
                self._keep(sources=remember(self._settings.sources, self.source or ""))
            if typed == self.source:
                self.ids.address.text, self._mended = "", None

    def _look_through(self, source: str | None) -> None:
        before = self.preview
        if before is not None:
            before.stop()
        self.preview, self._shown, self.sight_text = None, (-1, None), ""
        self.ids.seating.ids.live.clear()
        self.table_hint = _("The table, seen from above") if source is None else _("Opening …")
        if source is not None:
            self.preview = self._make_preview(source, self.deck)
            self.preview.start(after=before)

    def _look_for_cameras(self, find: Callable[[], Sequence[int]]) -> None:
        """Find cameras in the background, because opening each takes a while."""
        found = self.found_cameras
        threading.Thread(target=lambda: found.extend(find()), name="cameras", daemon=True).start()

    def take_deck(self, deck: str | None) -> None:
        """Select a deck, also for the preview; None: any deck."""
        self._deck_taken = True
        self._tick_deck(deck)
        self._look_through(self.source if self.parent is not None else None)

    def go_on(self) -> None:
        """Go on with the interrupted game."""
        self._take_up(self.resumable_game)

    def open_again(self) -> None:
        """Open the last finished game again, because its end may have been wrong."""
        self._take_up(self.finished)

    def _take_up(self, game: StoredGame | None) -> None:
        """Go on with a stored game, with another camera or deck if one was chosen."""
        if game is None:
            return
        setup, source = stored_setup(game, store=self.setup.store), self.chosen().source
        if is_deck_missing(game.deck) or self._deck_taken:
            setup = replace(setup, deck=self.deck)
        # If the form began without a camera, the game's own one is gone.
        gone = source is None and setup.uses_own_camera
        self._begin(replace(setup, source=source) if gone or source != self.setup.source else setup)

    def _begin(self, setup: GameSetup) -> None:
        """Release the camera, which the game is about to open, and begin."""
        preview = self.preview
        self._look_through(None)
        if preview is not None:
            preview.stop(wait=RELEASE_TIMEOUT_S)
        self.on_start(setup)

    def _offer_sources(self) -> None:
        known = [one for one in self._settings.sources if one != self.setup.source]
        offered: list[str | None] = [None] if self.setup.source is None else [self.setup.source, None]
        if JOINED_PHONE not in offered and not on_phone():
            offered.append(JOINED_PHONE)
        for source in (*offered, *known):
            self._offer(source)
        self.watch(self.setup.source)

    def _offer(self, source: str | None) -> None:
        label = _("By touch") if source is None else _short(source)
        chip = SourceChip(label=label, source=source or "")
        chip.bind(on_release=lambda chip: self._tap_source(chip.source or None))
        self.ids.sources.add_widget(chip)
        self.remembers = self.remembers or source in self._settings.sources

    def offer_decks(self) -> None:
        """Offer the decks that are enrolled now."""
        names = deck_names()
        self.ids.decks.clear_widgets()
        for name in (None, *names) if names else ():
            chip = SourceChip(label=_("Any deck") if name is None else name, source=name or "")
            chip.bind(on_release=lambda chip: self.take_deck(chip.source or None))
            self.ids.decks.add_widget(chip)
        self._tick_deck(self.deck if self.deck in names else None)
        self.broken_deck = missing_deck_text(self.resumable_game.deck if self.resumable_game else None)
        self.finished_deck = missing_deck_text(self.finished.deck if self.finished else None)

    def _tick_deck(self, deck: str | None) -> None:
        self.deck = deck
        for chip in self.ids.decks.children:
            chip.on = chip.source == (deck or "")
        self.check()

    def chosen(self) -> GameSetup:
        """Return the form's contents as a setup."""
        dealer = next((row.name.strip() for row in self.rows if row.deals), None)
        return replace(
            self.setup,
            source=self._typed_address() or self.source,
            deck=self.deck,
            rules=self.rules,
            players=tuple(row.name.strip() for row in self.rows),
            dealer=dealer,
            options=tuple(toggle.option for toggle in reversed(self.ids.options.children) if toggle.on),
        )

    def start(self) -> None:
        """Begin, unless something is wrong. An address that was just typed is looked through first."""
        self.check()
        self._show_readiness()
        if self.chosen().source != self.source:
            self.take_address()
        elif not self.fault and not self.waits:
            chosen = self.chosen()
            self._keep(players=remember(self._settings.players, *chosen.players))
            self._begin(chosen)

    def check(self, *_args: object) -> None:
        """Show whether the game can be played, and its summary."""
        chosen = self.chosen()
        self.fault = setup_fault(chosen.rules, chosen.options, chosen.players) or ""
        self.summary = "" if self.fault else setup_summary(chosen)
        absent = self.setup.dealer if self.setup.dealer not in chosen.players else None
        self.asks = "" if absent is None or chosen.dealer else _unseated_text(absent)
        self.ids.seating.show([(row.name, row.deals) for row in self.rows])

    def _deal(self, row: PlayerRow) -> None:
        # kv passes a weak proxy: equal to its row, but not the same object.
        deals = not row.deals
        for other in self.rows:
            other.deals = deals and other == row
        self.check()

    def _remove(self, row: PlayerRow) -> None:
        self.ids.players.remove_widget(row)
        self._offer_players()
        self.check()


def _ruleset(name: str) -> Ruleset | None:
    """Return a ruleset without options, or None if a house variant cannot be read."""
    try:
        return load_ruleset(name)
    except BadInputError:
        return None


def _free_options(ruleset: Ruleset) -> list[Option]:
    """Return the options that a ruleset leaves open. A house variant has switched on some."""
    return [option for option in ruleset.available.values() if option.name not in ruleset.options]


def _unseated_text(dealer: str) -> str:
    return _("{player} is not seated. Tap the dealer.").format(player=dealer)


def _time_of_day(seconds: float) -> str:
    return time.strftime("%H:%M", time.localtime(seconds))


def _short(source: str) -> str:
    """Return a short label for a source."""
    if source == PHONE_CAMERA:
        return _("Camera")
    if source.isdecimal():
        return _("Camera {n}").format(n=source)
    if source == JOINED_PHONE:
        return _("A phone")
    return without_password(source) if "://" in source else Path(source).name


Builder.load_file(str(Path(__file__).with_suffix(".kv")))
