"""A pad to enter cards: thirteen ranks and a joker, four suits, and the cards entered so far."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from kivy.core.window import Window
from kivy.lang import Builder
from kivy.properties import BooleanProperty, ListProperty, StringProperty
from kivy.uix.boxlayout import BoxLayout

from companion.app.screens import keys
from companion.app.screens.widgets import CardTile, PillButton, signed
from companion.i18n.catalogue import _
from companion.i18n.wording import SUIT_SIGN, split_card
from engine.cards import RANKS, SUITS

_JOKER = "JOKER"


class Key(PillButton):
    """One rank or one suit."""

    stands_for = StringProperty("")
    likely = BooleanProperty(True)
    """Whether it may be played now; other ranks are dimmed."""


class CardPad(BoxLayout):
    """A tap on a rank adds a card. A tap on a suit sets the suit of the last card, if that matters.

    A tap on an entered card removes it.
    """

    cards = ListProperty([])
    hint = StringProperty("")
    says = StringProperty("")
    """Message about a wrong tap, shown until a card is tapped."""

    def __init__(self, **kwargs: Any) -> None:
        self.register_event_type("on_enter")
        self._likely: list[str] = []
        super().__init__(**kwargs)
        self.keys: dict[str, Key] = {}

    def on_kv_post(self, _base: Any) -> None:
        """Make the keys, once the kv rules have made their containers."""
        for rank in (*RANKS, _JOKER):
            self._add(rank, "Jkr" if rank == _JOKER else rank, self.ids.ranks)
        for suit in SUITS:
            self._add(suit, SUIT_SIGN[suit], self.ids.suits)
        self.bind(cards=self._show, width=self._show_likely)
        Window.bind(on_key_down=self._on_key)

    def _on_key(
        self, _window: object, key: int, _scancode: int, _text: object, modifiers: Sequence[str]
    ) -> bool:
        """Enter cards from a keyboard, while the pad is on the screen."""
        if self.get_root_window() is None or keys.is_typing() or keys.with_control(modifiers):
            return False
        stands_for = keys.card_key(key)
        if stands_for in self.keys:
            self.tap(str(stands_for))
        elif key == keys.BACKSPACE and self.cards:
            self._drop(len(self.cards) - 1)
        elif key in keys.ENTER:
            self.dispatch("on_enter")
        else:
            return False
        return True

    def on_enter(self) -> None:
        """Called when somebody presses Enter."""

    def tap(self, key: str) -> None:
        """Process a tap on a rank or a suit."""
        if key not in SUITS:
            self.cards = [*self.cards, key]
            return
        if not self.cards:
            self.says = _("Tap the rank first, then the suit.")
            return
        rank = split_card(self.cards[-1])[0]
        if rank != _JOKER:
            now = rank if self.cards[-1] == rank + key else rank + key
            self.cards = [*self.cards[:-1], now]

    def offer(self, *, likely: Sequence[str], playable: Sequence[str] | None, jokers: bool) -> None:
        """Put first what is likely: cards that the player is known to have, and the ranks that may be played.

        Args:
            likely: Cards to offer as tiles.
            playable: Ranks that may be played; None: all stay in their order.
            jokers: Whether there is a key for jokers.
        """
        self._likely = list(likely)
        order = [rank for rank in (*RANKS, _JOKER) if jokers or rank != _JOKER]
        if playable is not None:
            order.sort(key=lambda rank: rank not in playable)
        self.ids.ranks.clear_widgets()
        for rank in order:
            key = self.keys[rank]
            key.likely = playable is None or rank in playable
            self.ids.ranks.add_widget(key)
        if not jokers:
            del self.keys[_JOKER]
        self._show_likely()

    def _show_likely(self, *_args: object) -> None:
        """Offer the known cards beside those that were entered, as far as there is room."""
        row, cards = self.ids.likely, list(self.cards)
        left = [card for card in self._likely if card not in cards]
        tile = self.ids.chosen.col_default_width + self.ids.chosen.spacing[0]
        room = max(0, int(self.width / tile) - len(cards)) if tile else 0
        left = left[:room]
        if [child.card for child in reversed(row.children)] == left:
            return
        row.clear_widgets()
        for card in left:
            offered = CardTile(card=card, size_hint=(1, 1))
            offered.bind(on_release=lambda tile: self._take(tile.card))
            row.add_widget(offered)

    def _take(self, card: str) -> None:
        self.cards = [*self.cards, card]

    def clear(self) -> None:
        """Remove all cards."""
        self.cards, self.says = [], ""

    def _add(self, stands_for: str, text: str, row: Any) -> None:
        key = Key(stands_for=stands_for, text=signed(text))
        key.bind(on_release=lambda key: self.tap(key.stands_for))
        self.keys[stands_for] = key
        row.add_widget(key)

    def _show(self, *_args: object) -> None:
        self.says = ""
        self._show_likely()
        row = self.ids.chosen
        row.clear_widgets()
        for place, card in enumerate(self.cards):
            tile = CardTile(card=card, size_hint=(1, 1))
            tile.bind(on_release=lambda _tile, place=place: self._drop(place))
            row.add_widget(tile)
        suit = split_card(self.cards[-1])[1] if self.cards else ""
        for name in SUITS:
            self.keys[name].primary = name == suit

    def _drop(self, place: int) -> None:
        self.cards = [*self.cards[:place], *self.cards[place + 1 :]]


Builder.load_file(str(Path(__file__).with_suffix(".kv")))
