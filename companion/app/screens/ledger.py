"""The ledger: who lost how often, tonight and in all, drawn and ready to share."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from kivy.core.clipboard import Clipboard
from kivy.core.text.markup import MarkupLabel
from kivy.factory import Factory
from kivy.graphics import Color, Ellipse, Line, Rectangle
from kivy.lang import Builder
from kivy.properties import BooleanProperty, NumericProperty, StringProperty
from kivy.uix.behaviors import ButtonBehavior
from kivy.uix.boxlayout import BoxLayout
from kivy.uix.widget import Widget

from companion import theme
from companion.app.android_folders import write_shared
from companion.app.screens.arrangement import Box
from companion.app.screens.songs import SongsSheet
from companion.app.screens.widgets import BodyText, Chip, FormField, Page, PillButton, close, signed
from companion.game import sharing
from companion.game.evening import Ritual, Standing, Tally, loss_curves, store_tally, tally_title
from companion.i18n.catalogue import _, ngettext
from companion.i18n.messages import error_text
from companion.i18n.wording import short_path
from companion.store.store import Store
from engine.errors import BadInputError
from engine.files.atomic import make_folder, write_whole

_INKS = (theme.BRASS, theme.SKY, theme.GREEN, theme.RED, theme.AMBER, theme.TEXT)
_MARKS = ((40, True), (4, True), (3, True), (40, False), (4, False), (3, False))
"""Number of corners of each player's mark in the plot, and whether it is filled."""


class DuesButton(ButtonBehavior, BodyText):
    """The rituals that a player owes. A tap opens the sheet that records them."""

    settled = BooleanProperty(False)
    """Whether all of them are done."""


class StandingRow(BoxLayout):
    """One player: name, losses as a bar and a number, streak. Owed rituals are added below."""

    name = StringProperty("")
    count = StringProperty("")
    detail = StringProperty("")
    share = NumericProperty(0.0)
    """Fraction of the most losses."""
    dues: DuesButton | None = None
    """Set if any ritual fell on the player."""


class NightPlot(Widget):
    """Plots the losses over the games, one line per player, with marks at each loss and at the name.

    Lines of equal losses lie beside each other. The marks distinguish players without colours.
    """

    def __init__(self, tally: Tally, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.curves = loss_curves(tally)
        """The plotted curves: per player, the losses after each game."""
        self.inks = dict(zip(self.curves, itertools.cycle(_INKS)))
        """Colour of each player's line."""
        self._games = max((len(curve) for curve in self.curves.values()), default=0)
        self._most = max((curve[-1] for curve in self.curves.values() if curve), default=0)
        self._field = Box(0, 0, 0, 0)
        """The area of the curves."""
        self.bind(pos=self._draw, size=self._draw)

    def at(self, player: str, game: float, losses: float) -> tuple[float, float]:
        """Return the point of a player's line for this number of losses after a game."""
        box, place = self._field, list(self.curves).index(player)
        beside = place * 1.3 * self._thickness
        return box.x + box.width * game / self._games, box.y + box.height * losses / self._most + beside

    @property
    def _thickness(self) -> float:
        """Thickness of a line in pixels. Kivy's `width` is half of it."""
        return max(2.4, float(self.height) * 0.01)

    def _draw(self, *_args: object) -> None:
        self.canvas.clear()
        if self._games < 2 or not self._most:
            return
        unit = self.height / 16
        names = {player: self._name(player, unit) for player in self.curves}
        room = max(texture.width for texture in names.values()) + 2 * unit
        self._field = Box(
            self.x + 2.2 * unit, self.y + 2 * unit, self.width - room - 3 * unit, self.height - 4.4 * unit
        )
        with self.canvas:
            self._axes(*self._field, self._games, self._most, unit)
            taken: list[float] = []
            for (player, curve), mark in zip(self.curves.items(), itertools.cycle(_MARKS)):
                Color(*theme.rgba(self.inks[player]))
                passed = [0, *curve]
                points = [self.at(player, game, losses) for game, losses in enumerate(passed)]
                Line(points=[value for point in points for value in point], width=self._thickness / 2)
                for game, (before, after) in enumerate(itertools.pairwise(passed), start=1):
                    if after > before:
                        _mark(points[game], 0.34 * unit, mark)
                texture, (x, y) = names[player], points[-1]
                low = _free(y - texture.height / 2, texture.height, taken)
                taken.append(low)
                beside = x + 1.2 * unit, low + texture.height / 2
                Line(points=[x, y, *beside], width=1)
                _mark(beside, 0.34 * unit, mark)
                Rectangle(texture=texture, pos=(x + 1.8 * unit, low), size=texture.size)

    def _axes(
        self, left: float, bottom: float, width: float, height: float, games: int, most: int, unit: float
    ) -> None:
        Color(*theme.rgba(theme.QUIET, 0.5))
        Line(points=[left, bottom + height, left, bottom, left + width, bottom], width=1)
        Color(*theme.rgba(theme.QUIET))
        for value in sorted({0, most}):
            texture = _text(str(value), unit * 0.9)
            y = bottom + height * value / most - texture.height / 2
            Rectangle(texture=texture, pos=(left - texture.width - 0.5 * unit, y), size=texture.size)
        texture = _text(ngettext("after {n} game", "after {n} games", games), unit * 0.9)
        Rectangle(
            texture=texture,
            pos=(left + width - texture.width, bottom - texture.height - 0.4 * unit),
            size=texture.size,
        )

    def _name(self, player: str, unit: float) -> Any:
        return _text(player if len(player) < 15 else player[:13] + "…", unit)


def _mark(centre: tuple[float, float], radius: float, mark: tuple[int, bool]) -> None:
    """Draw a mark in the current colour, with so many corners, filled or hollow."""
    corners, full = mark
    box = centre[0] - radius, centre[1] - radius, 2 * radius, 2 * radius
    if full:
        Ellipse(pos=box[:2], size=box[2:], segments=corners)
    else:
        Line(ellipse=(*box, 0, 360, corners), width=1.2)


def _free(y: float, height: float, taken: Sequence[float]) -> float:
    """Return the nearest position to `y` at which a name overlaps no other."""
    for step in range(40):
        for candidate in (y - step * height * 0.25, y + step * height * 0.25):
            if all(abs(candidate - other) >= height * 0.95 for other in taken):
                return candidate
    return y


def _text(text: str, size: float) -> Any:
    label = MarkupLabel(text=signed(text), font_size=max(9, size))
    label.refresh()
    return label.texture


class LedgerScreen(Page):
    """The tally from the store."""

    def __init__(self, app: Any, **kwargs: Any) -> None:
        super().__init__(title=_("Ledger"), **kwargs)
        self._app = app
        self.all_nights = False
        self.evening = _("Last evening")
        """Title of the newest evening: "Tonight" while a new game would still belong to it."""
        self.tally = Tally(())
        self.sheet: SongsSheet | None = None
        self._heading = self.evening
        """Title of the shared picture."""
        self.plot: NightPlot | None = None
        self.rows: list[StandingRow] = []
        self.place = FormField(
            text=app.settings.place, hint_text=_("Where do you play? It is written in the picture.")
        )
        self.buttons: dict[str, PillButton] = {}
        row = Factory.FilterRow()
        self.chips = {
            "tonight": Chip(label=self.evening),
            "all": Chip(label=_("All evenings")),
        }
        for name, chip in self.chips.items():
            chip.bind(on_release=lambda _chip, name=name: self.show(all_nights=name == "all"))
            row.add_widget(chip)
        self.ids.head.add_widget(row)
        actions: tuple[tuple[str, str, Callable[[], None]], ...] = (
            ("picture", _("Picture"), self.share_picture),
            ("csv", _("Table (CSV)"), self.share_csv),
            ("text", _("Copy text"), self.share_text),
        )
        for name, title, act in actions:
            button = PillButton(text=title, size_hint=(1, 1))
            button.bind(on_release=lambda _button, act=act: act())
            self.buttons[name] = button
            self.ids.foot.add_widget(button)
        self.show(all_nights=False)

    def show(self, *, all_nights: bool) -> None:
        """Show the newest evening, or all of them, scrolled to the top after a change."""
        if all_nights != self.all_nights:
            self.ids.scroll.scroll_y = 1
        self.all_nights = all_nights
        self.chips["tonight"].on, self.chips["all"].on = not all_nights, all_nights
        try:
            with Store.open_to_read(self._app.store) as store:
                self.tally = store_tally(store, all_evenings=all_nights)
                self._heading = tally_title(store, all_evenings=all_nights)
                self.evening = _("Last evening") if store.current_evening() is None else _("Tonight")
        except BadInputError as error:
            self.ids.toast.say(error_text(error), 8.0)
        self.chips["tonight"].label = self.evening
        self.ids.content.clear_widgets()
        self.rows = []
        for button in self.buttons.values():
            button.disabled = not self.tally.standings
        if not self.tally.standings:
            self.add(BodyText(full_text=_("No game has been played yet. Your games will be counted here.")))
            return
        self.add(BodyText(full_text=self._summary()))
        most = max(standing.losses for standing in self.tally.standings)
        for standing in self.tally.standings:
            row = StandingRow(
                name=standing.player,
                count=_("{losses} of {games} lost").format(losses=standing.losses, games=standing.games),
                detail=sharing.streak_text(standing),
                share=standing.losses / most if most else 0.0,
            )
            self._add_dues(row, standing)
            self.rows.append(row)
            self.add(row)
        if len(self.tally.losers) > 1:
            self.add(BodyText(full_text=_("Losses after each game"), bold=True))
            self.plot = NightPlot(self.tally, size_hint=(1, None))
            self.plot.height = self._app.u * 260
            self.add(self.plot)
        self.add(self.place)

    def open_songs(self, player: str) -> None:
        """Open the list of a player's rituals, to record which were done."""
        rituals = [ritual for ritual in self.tally.rituals if ritual.player == player]
        self.sheet = SongsSheet(player, rituals, dated=self.all_nights, on_mark=self._mark)
        self.sheet.open()

    def _mark(self, ritual: Ritual, done: bool) -> bool:
        """Record whether a ritual was done, and return whether that was stored.

        If it failed, the sheet closes to show the message.
        """
        try:
            with Store.open(self._app.store) as store:
                store.mark_ritual(ritual.game, ritual.player, ritual.title, ritual.number, done=done)
        except BadInputError as error:
            close(self.sheet)
            self.ids.toast.say(error_text(error), 8.0)
            return False
        self.show(all_nights=self.all_nights)
        return True

    def _add_dues(self, row: StandingRow, standing: Standing) -> None:
        done = [r for r in self.tally.rituals if r.player == standing.player and r.done is not None]
        if not done and not standing.rituals:
            return
        due = _("due: {rituals}").format(rituals=" · ".join(standing.dues()))
        settled = not standing.rituals
        row.dues = DuesButton(full_text=f"{_('✓ all done') if settled else due} →", settled=settled)
        row.dues.bind(on_release=lambda _button: self.open_songs(standing.player))
        row.add_widget(row.dues)

    def share_picture(self) -> None:
        """Save the tally as a picture."""
        path = sharing.pictures_folder() / time.strftime("shithead-%Y%m%d-%H%M%S.png")
        place = self.place.text.strip()
        if place != self._app.settings.place:
            self._app.set(place=place)
        self._share(path, lambda: sharing.save_picture(self.tally, path, title=self._heading, place=place))

    def share_csv(self) -> None:
        """Save the tally as a table."""
        path = sharing.documents_folder() / time.strftime("shithead-%Y%m%d-%H%M%S.csv")
        self._share(path, lambda: write_whole(path, sharing.as_csv(self.tally)))

    def share_text(self) -> None:
        """Copy the tally to the clipboard as text."""
        Clipboard.copy(sharing.as_text(self.tally))
        self.ids.toast.say(_("Copied to the clipboard"))

    def _share(self, path: Path, write: Callable[[], object]) -> None:
        write_shared(lambda: self._write(path, write), lambda why: self.ids.toast.say(why, 6.0))

    def _write(self, path: Path, write: Callable[[], object]) -> None:
        try:
            make_folder(path.parent)
            write()
        except (OSError, BadInputError) as error:
            self.ids.toast.say(error_text(error), 6.0)
            return
        self.ids.toast.say(_("Saved as {path}").format(path=short_path(path)), 6.0)

    def _summary(self) -> str:
        played = ngettext("{n} game played.", "{n} games played.", len(self.tally.losers))
        last = self.tally.losers[-1] if self.tally.losers else None
        if last:
            played += " " + _("The Shithead is {player}.").format(player=last)
        if self.tally.unfinished:
            played += " " + ngettext("{n} game interrupted.", "{n} games interrupted.", self.tally.unfinished)
        return played


Builder.load_file(str(Path(__file__).with_suffix(".kv")))
