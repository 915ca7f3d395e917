"""Small widgets that every screen shares: panels, labels that fit, buttons, card tiles."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

from kivy.animation import Animation
from kivy.clock import Clock
from kivy.core.text.markup import MarkupLabel
from kivy.lang import Builder
from kivy.properties import BooleanProperty, ColorProperty, NumericProperty, StringProperty
from kivy.uix.behaviors import ButtonBehavior
from kivy.uix.floatlayout import FloatLayout
from kivy.uix.label import Label
from kivy.uix.modalview import ModalView
from kivy.uix.widget import Widget
from kivy.utils import escape_markup

from companion import theme
from companion.wording import SUIT_SIGN, is_red, split_card

SIGN_FONT = "DejaVuSans"
"""Kivy's own copy of DejaVu Sans: the bundled font that has suits and signs."""
_SIGNS = frozenset("♣♦♥♠✓✗↻↺▶●◀→⏸☰★§⚙")


def signed(text: str, *, red_suits: str | None = None) -> str:
    """Return `text` as Kivy markup in which suits and signs are set in a font that has them.

    `red_suits` is a colour for hearts and diamonds.
    """
    parts = []
    for character in text:
        if character not in _SIGNS:
            parts.append(escape_markup(character))
            continue
        sign = f"[font={SIGN_FONT}]{character}[/font]"
        if red_suits is not None and character in "♦♥":
            sign = f"[color={red_suits}]{sign}[/color]"
        parts.append(sign)
    return "".join(parts)


def close(*sheets: ModalView | None) -> None:
    """Close those of these sheets that are open."""
    for sheet in sheets:
        if sheet is not None:
            sheet.dismiss()


class Panel(FloatLayout):
    """A rounded area in a ground colour."""

    ground = ColorProperty(theme.rgba(theme.PANEL))


class FitLabel(Label):
    """Plain text in the largest size, up to `largest`, that fits; cut with an ellipsis only below `smallest`.

    Sizes are in pixels, unless they name another unit. Signs and suits are set in a font that has them.
    """

    full_text = StringProperty("")
    largest = NumericProperty(20)
    smallest = NumericProperty("12dp")

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(markup=True, **kwargs)
        self._fit = Clock.create_trigger(self.fit, -1)
        self.bind(full_text=self._fit, largest=self._fit, smallest=self._fit, size=self._fit)

    def fit(self, *_: object) -> None:
        """Choose the type size and, if need be, where the text is cut."""
        if self.width < 2 or self.height < 2 or not self.full_text:
            self.text = ""
            return
        size = self.largest
        while size > self.smallest and not self._fits(self.full_text, size):
            size = max(self.smallest, size * 0.93)
        text = self.full_text
        if not self._fits(text, size):
            low, high = 0, len(text)
            while low < high:
                middle = (low + high + 1) // 2
                low, high = (
                    (middle, high) if self._fits(text[:middle].rstrip() + "…", size) else (low, middle - 1)
                )
            text = text[:low].rstrip() + "…"
        self.font_size = size
        self.text = signed(text)

    def _fits(self, text: str, size: float) -> bool:
        """Measure with Kivy's own layout."""
        height = text_height(signed(text), size, int(self.width), self.bold, self.italic)
        longest = max((len(word) for word in text.split()), default=0)
        wraps_words = height > size * 1.6 and longest * size * 0.62 > self.width
        return height <= self.height + 1 and not wraps_words


@lru_cache(maxsize=4096)
def text_height(markup: str, size: float, width: int, bold: bool, italic: bool) -> float:
    """Return how many pixels high a text becomes; nothing is drawn, what was measured once is remembered."""
    label = MarkupLabel(text=markup, font_size=size, bold=bold, italic=italic, text_size=(width, None))
    label.resolve_font_name()
    return float(label.render()[1])


class PillButton(ButtonBehavior, Label):
    """A button of at least 48 dp."""

    primary = BooleanProperty(False)


class BodyText(Label):
    """Text as wide as it is given room, and as high as it needs."""

    full_text = StringProperty("")

    def on_full_text(self, _body: object, text: str) -> None:
        """Set signs in a font that has them."""
        self.text = signed(text)


class Chip(PillButton):
    """A button that stays pressed: one of several choices, or something that is on."""

    on = BooleanProperty(False)
    """Said by a tick as well as by colour."""
    label = StringProperty("")

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.bind(on=self._show, label=self._show)
        self._show()

    def _show(self, *_: object) -> None:
        self.text = signed(f"✓ {self.label}" if self.on else self.label)
        self.primary = self.on


class Page(FloatLayout):
    """A screen of the navigation: a title, buttons beside it, and content that scrolls."""

    title = StringProperty("")

    def add(self, widget: Widget) -> Widget:
        """Put a widget below what is there; returns it."""
        self.ids.content.add_widget(widget)
        return widget


class CardTile(ButtonBehavior, Widget):
    """One card, face up, as a small tile."""

    card = StringProperty("")
    selected = BooleanProperty(False)
    rank_text = StringProperty("")
    suit_text = StringProperty("")
    red = BooleanProperty(False)

    def on_card(self, _: object, card: str) -> None:
        """Split the card into what is printed on it."""
        rank, suit = split_card(card)
        self.rank_text = {"??": "?", "JOKER": "Joker"}.get(rank, rank)
        self.suit_text = SUIT_SIGN.get(suit, "")
        self.red = is_red(card)


class Toast(Label):
    """A line that says what was just done, and goes away."""

    def say(self, text: str, seconds: float = 3.0) -> None:
        """Show `text` for a while."""
        Animation.cancel_all(self)
        self.text = signed(text)
        self.opacity = 1
        (Animation(duration=seconds) + Animation(opacity=0, duration=0.4)).start(self)


Builder.load_file(str(Path(__file__).with_suffix(".kv")))
