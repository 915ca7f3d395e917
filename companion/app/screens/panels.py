"""The panels of the table screen: the ruling, the turn, the players, the log.

Each has a method `show(...)` for the referee's published state, and holds no rules.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from kivy.app import App
from kivy.clock import Clock
from kivy.core.text import Label as CoreLabel
from kivy.graphics import Color, Rectangle, SmoothLine, SmoothRoundedRectangle
from kivy.lang import Builder
from kivy.properties import BooleanProperty, NumericProperty, StringProperty
from kivy.uix.behaviors import ButtonBehavior
from kivy.uix.floatlayout import FloatLayout
from kivy.uix.recycleview import RecycleView
from kivy.uix.widget import Widget

from companion import theme
from companion.app.screens.arrangement import (
    DETAIL_UNITS,
    ONE_ROW_UNITS,
    ROW_MARGIN_UNITS,
    TITLE_UNITS,
    Box,
    around_table,
)
from companion.app.screens.widgets import CardTile, Panel, largest_that_fits, line_width, signed, text_height
from companion.game.interface import EventLine as EventLine
from companion.game.ruling_views import (
    open_questions,
    pick_ups_and_burns,
    present_ruling,
    ruling_of,
    ruling_text,
    verdict_of,
)
from companion.i18n.catalogue import _
from companion.i18n.events import event_text
from companion.i18n.wording import card_label, clock_text, playable_now, turn_text
from engine.cards import RANKS

_SHOWN_OF_PILE = 5
_MOST_FOR_REASONS = 0.78
"""Most share of the room for the reasons beside a quotation. Longer reasons take all of it."""
_RED_SUITS = theme.RED


class Banner(ButtonBehavior, Panel):
    """The newest ruling: verdict, event, the referee's sentence, the rule's sentence."""

    word = StringProperty("")
    sign = StringProperty("●")
    what = StringProperty("")
    says = StringProperty("")
    quote = StringProperty("")
    ink_colour = StringProperty(theme.QUIET)
    ground_colour = StringProperty(theme.PANEL)
    word_units = NumericProperty(120)
    """Width of the word's field in design units."""
    event_id = NumericProperty(0)
    unit = NumericProperty(1.0)
    main_unit = NumericProperty(0.0)
    """Pixels of a unit of important text, if type is larger than the room allows."""
    type_unit = NumericProperty(1.0)
    word_width = NumericProperty(120)
    crowded = BooleanProperty(False)
    """Whether the rule's sentence gives way to the referee's."""
    says_share = NumericProperty(1.0)
    """Fraction of the shared room for the referee's sentence. The rule's sentence has the rest."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        for what in ("says", "quote", "crowded", "size", "unit", "type_unit"):
            self.fbind(what, self._share)

    def _share(self, *_args: object) -> None:
        room = self.height - 62 * self.unit
        width = int(self.width - 40 * self.unit)
        if not self.quote or not self.crowded:
            largest = max(20 * self.unit, min(36 * self.unit, 0.15 * self.height))
            needed = text_height(signed(self.says), largest, max(2, width), bold=False, italic=False)
            quoted = text_height(signed(self.quote), 13 * self.unit, max(2, width), bold=False, italic=True)
            share = min(needed, room - quoted - 2 * self.unit) / room if room > 0 else 1.0
            share = min(_MOST_FOR_REASONS, max(0.4, share)) if self.quote else 1.0
            smallest = text_height(signed(self.says), 13 * self.unit, max(2, width), bold=False, italic=False)
            self.says_share = share if smallest <= share * room else 1.0
            return
        needed = text_height(signed(self.says), 20 * self.type_unit, max(2, width), bold=False, italic=False)
        self.says_share = needed / room if needed <= room - 40 * self.unit else 1.0

    def show(self, line: EventLine, table: Any = None) -> None:
        """Show the ruling of the newest judged event line, with the turn of the public `table`."""
        ruling = present_ruling(line, table) or {}
        verdict = verdict_of(ruling)
        self.event_id = int(line.get("id") or 0)
        self.sign, self.word = theme.VERDICT_SIGN[verdict], _(theme.VERDICT_WORD[verdict])
        self.ink_colour, self.ground_colour = theme.VERDICT_INK[verdict], theme.VERDICT_GROUND[verdict]
        self.word_units = 150 if verdict == "unproven" else 96
        self.what = _("earlier") if line.get("event") == "late_breach" else event_text(line)
        self.says, self.quote = ruling_text(ruling, line.get("player"))

    def show_plain(self, word: str, says: str) -> None:
        """Show a line that is not a ruling."""
        self.sign, self.word, self.what, self.says, self.quote = "●", word, "", says, ""
        self.word_units = 250
        self.ink_colour, self.ground_colour = theme.QUIET, theme.PANEL
        self.event_id = 0


class TurnPanel(Panel):
    """Whose turn it is, the pile, and what may be played on it."""

    who = StringProperty("")
    direction = StringProperty("")
    caption = StringProperty("")
    need = StringProperty("")
    """The cards that may be played; after the game, what comes next."""
    counts = StringProperty("")
    main_unit = NumericProperty(0.0)
    """Pixels of a unit of important text, if type is larger than the room allows."""
    type_unit = NumericProperty(1.0)
    crowded = BooleanProperty(False)
    """Whether ranks, caption and the word for the direction are left out."""
    shortens = BooleanProperty(False)
    """Whether a sign stands for the direction."""
    counts_share = NumericProperty(0.44)
    """Fraction of the pile's height for the counts beside it."""

    def show(self, table: Any, *, watched: bool = True, awaits_deal: bool = False) -> None:
        """Show the referee's public table. A game that is not `watched` waits for no deal.

        `awaits_deal`: whether it is over and the next deal begins another one.
        """
        dealt = not watched or any(table.up.values())
        self.who = turn_text(table, _("Who begins?") if dealt else _("Waiting for the deal"))
        if table.loser:
            self.direction = ""
        else:
            clockwise = table.direction != "anticlockwise"
            self.direction = f"↻ {_('clockwise')}" if clockwise else f"↺ {_('anticlockwise')}"
        self.need = playable_now(table)
        self.caption = _("May be played now:") if self.need else ""
        if awaits_deal:
            self.need = _("Deal the next game")
        pile, burned = len(table.pile), len(table.burned)
        left = "?" if table.draw_pile is None else str(table.draw_pile)
        self.counts = _("{pile} on the pile\n{left} to draw · {burned} burned").format(
            pile=pile, left=left, burned=burned
        )
        self.ids.strip.show(table.playable_ranks if table.turn and not table.loser else ())
        self.ids.pile.show(table.pile)


class PileFan(FloatLayout):
    """The last cards of the pile, fanned from left to right, the top card in front."""

    centred = BooleanProperty(False)
    """Whether the fan stands in the middle of its box; else it begins at the left edge."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.bind(pos=self._lay, size=self._lay)

    def show(self, pile: Sequence[str]) -> None:
        """Show the last of the pile's cards, the bottom card first."""
        shown = tuple(pile[-_SHOWN_OF_PILE:])
        if tuple(tile.card for tile in reversed(self.children)) != shown:
            self.clear_widgets()
            for card in shown:
                self.add_widget(CardTile(card=card, disabled=True))
        self._lay()

    def _lay(self, *_args: object) -> None:
        height = max(1.0, min(self.height, self.width * 0.6))
        width = height * 63 / 88
        step = min(width * 0.56, (self.width - width) / max(1, _SHOWN_OF_PILE - 1))
        taken = width + step * (len(self.children) - 1)
        left = self.center_x - taken / 2 if self.centred else self.x
        for place, tile in enumerate(reversed(self.children)):
            tile.size = width, height
            tile.pos = left + place * step, self.center_y - height / 2


class RankStrip(Widget):
    """The thirteen ranks. Playable ones are filled like cards, the others are hollow."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.playable: frozenset[str] = frozenset()
        self.bind(pos=self._draw, size=self._draw)

    def show(self, ranks: Sequence[str]) -> None:
        """Mark `ranks` as playable."""
        self.playable = frozenset(ranks)
        self._draw()

    def _draw(self, *_args: object) -> None:
        self.canvas.clear()
        gap = self.width * 0.008
        width = (self.width - gap * (len(RANKS) - 1)) / len(RANKS)
        with self.canvas:
            for place, rank in enumerate(RANKS):
                self._draw_rank(rank, self.x + place * (width + gap), width)

    def _draw_rank(self, rank: str, x: float, width: float) -> None:
        playable = rank in self.playable
        radius = width * 0.2
        if playable:
            Color(*theme.rgba(theme.CARD_FACE))
            SmoothRoundedRectangle(pos=(x, self.y), size=(width, self.height), radius=[radius])
        else:
            Color(*theme.rgba(theme.QUIET, 0.35))
            SmoothLine(rounded_rectangle=(x + 1, self.y + 1, width - 2, self.height - 2, radius), width=1)
        ink = theme.CARD_INK if playable else theme.DIM
        label = CoreLabel(text=rank, font_size=min(self.height * 0.56, width * 0.66), bold=playable)
        label.refresh()
        texture = label.texture
        centre = x + width / 2, self.center_y
        Color(*theme.rgba(ink))
        Rectangle(
            texture=texture,
            pos=(round(centre[0] - texture.width / 2), round(centre[1] - texture.height / 2)),
            size=texture.size,
        )


class PlayersPanel(FloatLayout):
    """One cell per player, in the order of the seats."""

    crowded = BooleanProperty(False)
    """Whether pick-ups and burns give way to larger names."""
    around = BooleanProperty(False)
    """Whether the players sit around a table that is drawn."""
    stacked = BooleanProperty(False)
    """Whether each hand stands below the name, in place of pick-ups and burns."""
    in_one_row = BooleanProperty(False)
    """Whether a phone shows them in one row: more than two with name and hand alone."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.cells: dict[str, PlayerCell] = {}
        self.on_choose: Callable[[str], None] = lambda _name: None
        """Called with a player's name when their cell is tapped."""
        for what in ("pos", "size", "around", "in_one_row"):
            self.fbind(what, self._lay)

    def show(self, table: Any, lines: Sequence[EventLine]) -> None:
        """Show each player's cards, pick-ups and burns."""
        if list(self.cells) != list(table.players):
            self.clear_widgets()
            self.cells = {player: PlayerCell(title=player) for player in table.players}
            for player, cell in self.cells.items():
                cell.bind(on_release=lambda _cell, player=player: self.on_choose(player))
                self.add_widget(cell)
            self._lay()
        picked_up, burnt = pick_ups_and_burns(lines)
        for player, cell in self.cells.items():
            cell.show(player, table, picked_up[player], burnt[player])

    def _lay(self, *_args: object) -> None:
        if not self.cells:
            return
        if self.around:
            self._lay_around()
            return
        u = App.get_running_app().u
        columns = len(self.cells) if self.in_one_row or self.width > ONE_ROW_UNITS * u else 2
        rows = -(-len(self.cells) // columns)
        gap = 6 * u if rows > 1 or self.in_one_row else 10 * u
        width = (self.width - gap * (columns - 1)) / columns
        height = (self.height - gap * (rows - 1)) / rows
        for place, cell in enumerate(self.cells.values()):
            column, row = place % columns, place // columns
            cell.size = width, height
            # Not `top`: while the height changes, it may still be the old one.
            bottom = self.y + self.height - (row + 1) * height - row * gap
            cell.pos = self.x + column * (width + gap), bottom

    def _lay_around(self) -> None:
        table = Box(self.x, self.y, self.width, self.height)
        seats, _middle = around_table(table, App.get_running_app().u, len(self.cells))
        for cell, seat in zip(self.cells.values(), seats, strict=True):
            cell.pos, cell.size = seat[:2], seat[2:]


class PlayerCell(ButtonBehavior, Panel):
    """One player: name, hand, cards on the table, pick-ups and burns. A tap opens the player's sheet."""

    title = StringProperty("")
    hand = StringProperty("")
    up = StringProperty("")
    record = StringProperty("")
    to_play = BooleanProperty(False)
    compact = BooleanProperty(False)
    """Whether the cell is too low for three lines, so that pick-ups and burns are left out."""
    narrow = BooleanProperty(False)
    """Whether the cell has only room for the name, and the hand below it."""
    stacked = BooleanProperty(False)
    """Whether the hand stands below the name, in place of pick-ups and burns."""
    left = BooleanProperty(False)
    unit = NumericProperty(1.0)
    least = NumericProperty(13)
    """Pixels of the smallest type before a name is cut. A single word may be smaller."""
    name_lines = NumericProperty(1)
    hand_width = NumericProperty(0)

    def on_kv_post(self, _base: Widget) -> None:
        """Follow changes of name and hand, once the kv rules have made them."""
        for what in ("title", "hand", "size", "compact", "narrow", "stacked", "unit", "least", "name_lines"):
            self.fbind(what, self._share)
        self._share()

    def _share(self, *_args: object) -> None:
        """Give the hand the width it needs, and the name the rest. Both shrink, or the name is cut."""
        if self.narrow or self.stacked:
            self.hand_width = self.width - (8 if self.narrow else 20) * self.unit
            return
        room, largest = self.width - 25 * self.unit, 16 * self.unit

        def hand_width(size: float) -> float:
            return line_width(self.hand, min(size, largest), bold=True, italic=False) + 2

        def fits(size: float) -> bool:
            return bool(self.ids.name.fits(self.title, size, room - hand_width(size)))

        size = largest_that_fits(fits, 18 * self.unit, self.least)
        self.hand_width = hand_width(size) if fits(size) else min(hand_width(largest), 0.44 * self.width)

    def show(self, player: str, table: Any, picked_up: int, burnt: int) -> None:
        """Show one player of the referee's public table."""
        self.to_play = table.turn == player and not table.loser
        self.left = player in table.left
        self.title = f"▶ {player}" if self.to_play else player
        self.name_lines = 2 if " " in player else 1  # the sign alone needs no second line
        size = table.hands[player].size
        self.hand = _("out") if self.left else _("{n} in hand").format(n="?" if size is None else size)
        up = " ".join(card_label(card) for card in table.up.get(player) or ()) or _("none")
        down = table.down.get(player)
        self.up = _("Up {up} · Down {down}").format(up=up, down="?" if down is None else down)
        self.record = _("Pick-ups {n} · Burns {burns}").format(n=picked_up, burns=burnt)


class LogPanel(Panel):
    """Every event with its ruling, the newest on top. A tap corrects it."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.on_choose: Callable[[int], None] = lambda _id: None
        """Called with an event's id when its row is tapped."""

    def show(self, lines: Sequence[EventLine]) -> None:
        """List `lines`."""
        self.ids.rows.show(rows_of(lines, open_questions(lines), self._choose))

    def _choose(self, event_id: int) -> None:
        self.on_choose(event_id)


def rows_of(
    lines: Sequence[EventLine], asked: Sequence[EventLine], choose: Callable[[int], None]
) -> list[dict[str, Any]]:
    """Return the log rows of event lines, the newest first. `asked` are the open questions."""
    open_ids = {line["id"] for line in asked}
    return [_row_of(line, choose, is_open=line.get("id") in open_ids) for line in reversed(lines)]


def _row_of(line: EventLine, choose: Callable[[int], None], *, is_open: bool) -> dict[str, Any]:
    ruling = ruling_of(line) or {}
    verdict = ruling.get("verdict")
    breaches = ruling.get("breaches") or ()
    detail = breaches[0].get("cite", "") if breaches else ""
    if detail and verdict:
        detail = f"{_(theme.VERDICT_WORD[verdict])} · {detail}"
    sign, ink = theme.VERDICT_SIGN.get(str(verdict), "·"), theme.VERDICT_INK.get(str(verdict), theme.QUIET)
    if line.get("event") == "unclear":
        sign, ink, detail = "✓", theme.QUIET, _("Answered")
        if is_open:
            sign, ink, detail = "?", theme.AMBER, _("Tap to say what happened")
    if line.get("confirmed") is False:
        sign, ink, detail = "?", theme.AMBER, _("Not confirmed yet")
    return {
        "event_id": int(line.get("id") or 0),
        "sign": sign,
        "ink": ink,
        "title": signed(event_text(line), red_suits=_RED_SUITS),
        "detail": signed(detail),
        "time_text": clock_text(float(line.get("t") or 0.0)),
        "choose": choose,
    }


class LogList(RecycleView):
    """Scrolling log rows, each as high as its title needs."""

    close = BooleanProperty(False)
    """Whether the rows stand close together, for lack of room."""
    unit = NumericProperty(1.0)
    least = NumericProperty(50)
    """Least height of a row in pixels."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._rows: list[dict[str, Any]] = []
        self._measure = Clock.create_trigger(self._set_rows, -1)
        for what in ("width", "unit", "least"):
            self.fbind(what, self._measure)

    def show(self, rows: list[dict[str, Any]]) -> None:
        """List `rows`, as `rows_of` returns them."""
        self._rows = rows
        self._set_rows()

    def _set_rows(self, *_args: object) -> None:
        self.data = [{**row, "height": self._height(row)} for row in self._rows]

    def _height(self, row: dict[str, Any]) -> float:
        width = int(self.width - ROW_MARGIN_UNITS * self.unit)
        if width < 2:
            return float(self.least)
        title = text_height(row["title"], TITLE_UNITS * self.unit, width, bold=False, italic=False)
        below = DETAIL_UNITS * self.unit if row["detail"] else 0.0
        return max(float(self.least), float(title + below + 8 * self.unit))


class LogRow(ButtonBehavior, FloatLayout):
    """One event in the log."""

    event_id = NumericProperty(0)
    sign = StringProperty("")
    ink = StringProperty(theme.QUIET)
    title = StringProperty("")
    detail = StringProperty("")
    time_text = StringProperty("")
    choose: Callable[[int], None] = staticmethod(lambda _id: None)

    def on_release(self) -> None:
        """Open this event."""
        self.choose(int(self.event_id))


Builder.load_file(str(Path(__file__).with_suffix(".kv")))
