"""The sheet that corrects one event: its cards, its player, or whether it happened."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from kivy.app import App
from kivy.core.window import Window
from kivy.lang import Builder
from kivy.metrics import dp
from kivy.properties import BooleanProperty, StringProperty
from kivy.uix.behaviors import ButtonBehavior
from kivy.uix.label import Label
from kivy.uix.modalview import ModalView
from kivy.uix.widget import Widget

from companion import theme
from companion.app.screens.correct_plan import Parts, SheetPlan, plan_sheet
from companion.app.screens.widgets import CardTile, Chip, signed
from companion.game.entry import PLAYER_EVENTS, uses_jokers, with_player
from companion.game.interface import EventLine
from companion.game.ruling_views import is_inferred, ruling_of, ruling_text, verdict_of
from companion.game.session import Session
from companion.i18n.catalogue import _
from companion.i18n.events import event_text
from companion.i18n.wording import card_label, card_name, is_red
from engine.cards import JOKER, RANKS, UNKNOWN
from engine.events import Event

_WITH_CARDS = ("play", "flip", "show", "take_up", "pick_up", "burn")
_WITH_PLAYER = (*PLAYER_EVENTS, "out", "recount")
_SUIT_ORDER = "SHDC"


class CardChoice(ButtonBehavior, Label):
    """One of the 52 cards, or the joker, to choose from."""

    card = StringProperty("")
    red = BooleanProperty(False)
    current = BooleanProperty(False)


class CorrectSheet(ModalView):
    """Corrects a misread card with two taps: on the event, then on the right card.

    Missed cards can be added, and wrong ones removed. The event keeps its place in the game.
    """

    heading = StringProperty("")
    ruling = StringProperty("")
    ruling_ink = StringProperty(theme.QUIET)
    hint = StringProperty("")
    strike_text = StringProperty("")
    adding = BooleanProperty(False)
    """Whether the next tapped card is added."""
    has_cards = BooleanProperty(False)
    several = BooleanProperty(False)

    def __init__(
        self,
        line: EventLine,
        players: Sequence[str],
        on_correct: Callable[[int, Event | None], None],
        *,
        jokers: bool = False,
        on_look: Callable[[], None] | None = None,
        on_show: Callable[[], None] | None = None,
        **kwargs: Any,
    ) -> None:
        """Open the sheet for an event line.

        Args:
            line: The event with its ruling.
            players: All players.
            on_correct: Gets the event's id and its replacement, or None to remove it.
            jokers: Whether jokers are in play.
            on_look: Shows the event with its picture and ruling. None: they are visible already.
            on_show: Shows the last seconds before the ruling; None if they are not in memory.
            kwargs: For Kivy.
        """
        self.event = Event.from_json(dict(line))
        self._on_correct, self._on_look, self._on_show = on_correct, on_look, on_show
        self._counted = is_inferred(line)
        self._selected = 0
        self.choices: dict[str, CardChoice] = {}
        super().__init__(**kwargs)
        self.heading = event_text(line)
        self.strike_text = _("Done") if self.event.event == "unclear" else _("It did not happen")
        self._show_ruling(line)
        self._tiles: list[CardTile] = []
        self.has_cards = line.get("event") in _WITH_CARDS and bool(self.event.cards)
        if self.has_cards:
            self._add_choices(jokers=jokers)
            self._show_tiles()
        else:
            self.ids.edit.clear_widgets()
        if on_look is None:
            self.ids.bar.remove_widget(self.ids.look)
        if on_show is None:
            self.ids.bar.remove_widget(self.ids.show)
        self._add_players(players)
        self._select(0)
        Window.bind(size=self._place)
        self.ids.edit.bind(width=self._place)
        self.bind(pos=self._place, on_dismiss=lambda *_args: Window.unbind(size=self._place))
        self._place()

    def choose_card(self, card: str) -> None:
        """Replace the selected card by `card`, or add it."""
        cards, at, added = list(self.event.cards), self._selected, self.adding
        cards[at : at if added else at + 1] = [card]
        several = len(cards) > 1
        self._apply_cards(cards, close=not several)
        if several:
            self.adding = False
            self._show_tiles()
            self._select(at if added else (at + 1) % len(cards))

    def add(self) -> None:
        """Add the next tapped card. A second call cancels that."""
        self.adding = not self.adding
        self._show_tiles()
        self._select(len(self.event.cards) if self.adding else len(self.event.cards) - 1)

    def take_away(self) -> None:
        """Remove the selected card."""
        if self.adding:
            self.add()
        elif len(self.event.cards) > 1:
            self._apply_cards([c for k, c in enumerate(self.event.cards) if k != self._selected], close=False)
            self._show_tiles()
            self._select(min(self._selected, len(self.event.cards) - 1))

    def choose_player(self, player: str) -> None:
        """Credit the event to `player`."""
        self._apply(with_player(self.event, player), close=True)

    def strike(self) -> None:
        """Remove the event."""
        self._on_correct(self.event.id, None)
        self.dismiss()

    def look(self) -> None:
        """Leave the event as it is, and show its picture and ruling."""
        self.dismiss()
        if self._on_look is not None:
            self._on_look()

    def show_again(self) -> None:
        """Show the last seconds before the ruling. The sheet stays open under them."""
        if self._on_show is not None:
            self._on_show()

    def _apply_cards(self, cards: Sequence[str], *, close: bool) -> None:
        count = self.event.count  # set if not all cards were seen
        more = len(cards) - len(self.event.cards)
        self._apply(
            replace(self.event, cards=tuple(cards), count=None if count is None else count + more),
            close=close,
        )

    def _apply(self, event: Event, *, close: bool) -> None:
        self.event = replace(event, confidence=1.0, revise=None)
        self._on_correct(event.id, self.event)
        self.heading = event_text(self.event.to_json())
        if close:
            self.dismiss()

    def _show_ruling(self, line: EventLine) -> None:
        ruling = ruling_of(line)
        if not ruling:
            return
        verdict = verdict_of(ruling)
        says, quote = ruling_text(ruling, line.get("player"))
        self.ruling = f"{theme.VERDICT_SIGN[verdict]} {_(theme.VERDICT_WORD[verdict])}. {says} {quote}"
        self.ruling_ink = theme.VERDICT_INK[verdict]

    def _show_tiles(self) -> None:
        """Show the event's cards, and an empty place for a card to add."""
        self.ids.chosen.clear_widgets()
        shown = [*self.event.cards, *([UNKNOWN] if self.adding else [])]
        self._tiles = [CardTile(card=card) for card in shown]
        for place, tile in enumerate(self._tiles):
            tile.bind(on_release=lambda _tile, place=place: self._choose_tile(place))
            self.ids.chosen.add_widget(tile)
        self.several = len(self._tiles) > 1
        self._place()

    def _choose_tile(self, place: int) -> None:
        if self.adding and place < len(self.event.cards):
            self.adding = False
            self._show_tiles()
        self._select(place)

    def _add_choices(self, *, jokers: bool) -> None:
        for card in [rank + suit for suit in _SUIT_ORDER for rank in RANKS] + [JOKER] * jokers:
            choice = CardChoice(card=card, red=is_red(card), text=signed(card_label(card)), size_hint=(1, 1))
            choice.bind(on_release=lambda choice: self.choose_card(choice.card))
            self.choices[card] = choice
        if jokers:
            self.choices[JOKER].size_hint_x = None
            self.choices[JOKER].width = max(dp(64), App.get_running_app().u * 64)
            self.ids.edit.add_widget(self.choices[JOKER], index=2)

    def _add_players(self, players: Sequence[str]) -> None:
        if self.event.event not in _WITH_PLAYER or self._counted:
            return
        for player in players:
            button = Chip(label=player, on=player == self.event.player, size_hint=(1, 1))
            button.bind(on_release=lambda _button, player=player: self.choose_player(player))
            self.ids.players.add_widget(button)

    def _select(self, place: int) -> None:
        """Select the event's card number `place` for replacement."""
        self._selected = place
        if self._counted:
            self.hint = _("This follows from the referee’s count. If a card is left, it did not happen.")
            return
        if not self._tiles:
            self.hint = _("Who was it?") if self.ids.players.children else ""
            return
        now = self._tiles[place].card
        for number, tile in enumerate(self._tiles):
            tile.selected = number == place and len(self._tiles) > 1
        for card, choice in self.choices.items():
            choice.current = card == now
        self.ids.strip.scroll_to(self._tiles[place], animate=False)
        if self.adding:
            self.hint = _("Tap the card that was missed.")
        elif now == UNKNOWN:
            self.hint = _("This card was not recognised. Tap the right card or player.")
        else:
            self.hint = _("Read as the {card}. Tap the right card or player.").format(card=card_name(now))

    def _place(self, *_args: object) -> None:
        """Lay everything out for the present window."""
        parts = Parts(
            cards=bool(self._tiles),
            several=len(self._tiles) > 1,
            ruling=bool(self.ruling),
            hint=bool(self.hint),
            players=bool(self.ids.players.children),
            question=self.event.event == "unclear",
            edit_width=self.ids.edit.width if self._tiles else 0.0,
        )
        plan = plan_sheet(Window.width, Window.height, App.get_running_app().u, dp(1), parts)
        self.size = plan.width, plan.height
        self.center = Window.center
        for name in ("heading", "ruling", "strip", "hint", "cards", "players", "bar", "edit"):
            widget, box = self.ids[name], plan.boxes.get(name)
            widget.opacity = 1 if box else 0
            widget.pos = (self.x + box.x, self.y + box.y) if box else self.pos
            if name == "edit":  # as wide as its keys
                widget.height = box.height if box else 0
            else:
                widget.size = box[2:] if box else (self.width, 0)
        self._show_grid(plan)
        for tile in self._tiles:
            tile.size = max(dp(48), self.ids.strip.height * 63 / 88), self.ids.strip.height

    def _show_grid(self, plan: SheetPlan) -> None:
        """Sort the cards by rank if the four suits stand side by side, else by suit."""
        grid = self.ids.cards
        grid.spacing = plan.gap
        if not self._tiles or (grid.cols == plan.columns and grid.children):
            return
        grid.clear_widgets()
        grid.cols, grid.rows = plan.columns, plan.rows
        by_rank = plan.columns == len(_SUIT_ORDER)
        order = (
            [rank + suit for rank in RANKS for suit in _SUIT_ORDER]
            if by_rank
            else [rank + suit for suit in _SUIT_ORDER for rank in RANKS]
        )
        for number, card in enumerate(order, start=1):
            grid.add_widget(self.choices[card])
            if plan.columns < len(RANKS) and not by_rank and number % len(RANKS) == 0:
                grid.add_widget(Widget())  # each suit ends its second row


def open_correct_sheet(
    line: EventLine,
    session: Session,
    on_look: Callable[[], None] | None = None,
    on_show: Callable[[], None] | None = None,
) -> CorrectSheet:
    """Open the sheet for an event of the running game; `on_look` and `on_show` as in `CorrectSheet`."""
    setup, table = App.get_running_app().setup, session.snapshot.table
    players = [] if table is None else list(table.players)
    jokers = setup is not None and uses_jokers(setup.rules, setup.options, len(players))
    sheet = CorrectSheet(line, players, session.correct, jokers=jokers, on_look=on_look, on_show=on_show)
    sheet.open()
    return sheet


Builder.load_file(str(Path(__file__).with_suffix(".kv")))
