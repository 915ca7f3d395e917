"""Widgets that the screens share: panels, fitting labels, buttons, card tiles."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

from kivy.animation import Animation
from kivy.clock import Clock
from kivy.core.text import Label as CoreLabel
from kivy.core.text.markup import MarkupLabel
from kivy.lang import Builder
from kivy.metrics import dp
from kivy.properties import BooleanProperty, ColorProperty, NumericProperty, StringProperty
from kivy.uix.behaviors import ButtonBehavior
from kivy.uix.boxlayout import BoxLayout
from kivy.uix.floatlayout import FloatLayout
from kivy.uix.label import Label
from kivy.uix.modalview import ModalView
from kivy.uix.textinput import TextInput
from kivy.uix.widget import Widget
from kivy.utils import escape_markup

from companion import theme
from companion.app.screens.fonts import SIGN_FONT, field_font, in_fonts, whole_size
from companion.i18n.wording import SUIT_SIGN, is_red, split_card

_SIGNS = frozenset("♣♦♥♠✓✗↻↺▶●◀→⏸☰★§⚙")
_SIGN = re.compile(f"([{''.join(sorted(_SIGNS))}])")


@lru_cache(maxsize=4096)
def signed(text: str, *, red_suits: str | None = None) -> str:
    """Return `text` as Kivy markup, with suits, signs and other scripts in fonts that have them.

    `red_suits` is a colour for hearts and diamonds. Results are cached.
    """
    parts = []
    for part in _SIGN.split(text):
        if part not in _SIGNS:
            for font, run in in_fonts(part):
                plain = escape_markup(run)
                parts.append(plain if font is None else f"[font={font}]{plain}[/font]")
            continue
        character = part
        sign = f"[font={SIGN_FONT}]{character}[/font]"
        if red_suits is not None and character in "♦♥":
            sign = f"[color={red_suits}]{sign}[/color]"
        parts.append(sign)
    return "".join(parts)


def close(*sheets: ModalView | None) -> None:
    """Close those of the sheets that are open."""
    for sheet in sheets:
        if sheet is not None:
            sheet.dismiss()


def let_go(former: Widget) -> None:
    """Unbind a widget that is no longer shown, and everything in it.

    Python keeps a former screen until it next cleans up. Until then, the screen would be laid out with all
    its texts whenever the design unit changes.
    """
    for widget in [*former.walk(restrict=True)]:
        Builder.unbind_widget(widget.uid)


class Panel(FloatLayout):
    """A rounded area with a ground colour."""

    ground = ColorProperty(theme.rgba(theme.PANEL))


_ONE_LINE = 1.6
"""A text that is higher than this many times its type size has several lines."""
_TYPE_STEP = 1.075
"""Ratio of successive type sizes."""


def largest_that_fits(fits: Callable[[float], bool], largest: float, smallest: float) -> float:
    """Return the largest type size up to `largest` that `fits`, or `smallest` if none does.

    The steps are the same for any `largest`, so that a larger limit never gives a smaller size.
    """
    size = largest
    while size > smallest and not fits(size):
        step = math.ceil(math.log(size, _TYPE_STEP) - 1e-6) - 1
        size = max(smallest, _TYPE_STEP**step)
    return size


class FitLabel(Label):
    """Text in the largest size up to `largest` that fits. Below `smallest` it is cut with an ellipsis.

    Sizes are in pixels unless they name a unit. Signs and suits use a font that has them.
    """

    full_text = StringProperty("")
    largest = NumericProperty(20)
    smallest = NumericProperty("12dp")
    lines = NumericProperty(99)
    """Maximum number of lines."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(markup=True, **kwargs)
        self._fit = Clock.create_trigger(self.fit, -1)
        for what in ("full_text", "largest", "smallest", "lines", "size"):
            self.fbind(what, self._fit)

    def fit(self, *_: object) -> None:
        """Choose the type size, and cut the text if necessary."""
        if self.width < 2 or self.height < 2 or not self.full_text:
            self.text = ""
            return
        text = self.full_text
        size = largest_that_fits(lambda size: self.fits(text, size, self.width), self.largest, self.smallest)
        if not self.fits(text, size, self.width):
            low, high = 0, len(text)
            while low < high:
                middle = (low + high + 1) // 2
                short = text[:middle].rstrip() + "…"
                low, high = (middle, high) if self.fits(short, size, self.width) else (low, middle - 1)
            text = text[:low].rstrip() + "…"
        self.font_size = size
        self.text = signed(text)

    def fits(self, text: str, size: float, width: float) -> bool:
        """Return whether `text` fits in this size and width, by Kivy's own layout."""
        height = text_height(signed(text), size, max(2, int(width)), self.bold, self.italic)
        if height > most_height(size, height, self.height, self.lines):
            return False
        return height <= size * _ONE_LINE or longest_word(signed(text), size, self.bold, self.italic) <= width


def most_height(size: float, needed: float, height: float, lines: float) -> float:
    """Return how high a text of this type size may be in a label of this height, in pixels.

    A single line may stick out by a pixel. The toolkit drops lines that do not fit if there are several.
    """
    return min(height + 1 if needed <= size * _ONE_LINE else height, lines * 1.4 * size)


def text_height(markup: str, size: float, width: int, bold: bool, italic: bool) -> float:
    """Return the height of a text in pixels, without drawing it. Results are cached."""
    return _height_in(markup, whole_size(size), width, bold, italic)


@lru_cache(maxsize=4096)
def _height_in(markup: str, size: int, width: int, bold: bool, italic: bool) -> float:
    label = MarkupLabel(text=markup, font_size=size, bold=bold, italic=italic, text_size=(width, None))
    label.resolve_font_name()
    return float(label.render()[1])


def longest_word(markup: str, size: float, bold: bool, italic: bool) -> float:
    """Return the width in pixels of the longest word of a text. Results are cached."""
    return _longest_in(markup, whole_size(size), bold, italic)


@lru_cache(maxsize=4096)
def _longest_in(markup: str, size: int, bold: bool, italic: bool) -> float:
    words = plain_text(markup).split()
    return max((_width_in(word, size, bold, italic) for word in words), default=0.0)


def plain_text(markup: str) -> str:
    """Return a text without its markup."""
    return re.sub(r"\[/?[a-z]+(=[^]]*)?]", "", markup)


def line_width(text: str, size: float, bold: bool, italic: bool) -> float:
    """Return the width in pixels of a text on one line. Results are cached."""
    return _width_in(text, whole_size(size), bold, italic)


@lru_cache(maxsize=4096)
def _width_in(text: str, size: int, bold: bool, italic: bool) -> float:
    label = CoreLabel(font_size=size, bold=bold, italic=italic)
    label.resolve_font_name()
    return float(label.get_extents(text)[0])


class TightLabel(Label):
    """Markup in the largest size up to `largest` that fits into `lines` lines.

    Below `smallest` it is cut with an ellipsis. Sizes are in pixels unless they name a unit.
    """

    largest = NumericProperty(20)
    smallest = NumericProperty("12dp")
    lines = NumericProperty(2)
    whole_words = BooleanProperty(True)
    """Whether words wider than the label are cut rather than broken."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(markup=True, **kwargs)
        self._fit = Clock.create_trigger(self.fit, -1)
        for what in ("text", "largest", "smallest", "lines", "whole_words", "size", "padding", "bold"):
            self.fbind(what, self._fit)
        self._fit()

    def fit(self, *_: object) -> None:
        """Choose the type size, and cut the text if necessary."""
        if min(self._room()) < 2 or not self.text:
            return
        self.font_size = largest_that_fits(self._fits, self.largest, self.smallest)
        if not (self.whole_words or self._fits(self.font_size)):  # a long word is broken in any size
            self.font_size = largest_that_fits(
                lambda size: self._fits(size, whole_words=False), self.largest, self.smallest
            )
        self.shorten = not self._fits(self.font_size, whole_words=self.whole_words)

    def _room(self) -> tuple[float, float]:
        left, top, right, bottom = self.padding
        return self.width - left - right, self.height - top - bottom

    def _fits(self, size: float, *, whole_words: bool = True) -> bool:
        width, height = self._room()
        needed = text_height(self.text, size, int(width), self.bold, self.italic)
        if needed > most_height(size, needed, height, self.lines):
            return False
        return not whole_words or longest_word(self.text, size, self.bold, self.italic) <= width


class PillButton(ButtonBehavior, TightLabel):
    """A button of at least 48 dp."""

    primary = BooleanProperty(False)


class ButtonBar(BoxLayout):
    """Buttons side by side in one type size: the longer a button's text, the wider it is."""

    largest = NumericProperty(18)

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._share = Clock.create_trigger(self.share, -1)
        for what in ("children", "width", "largest"):
            self.fbind(what, self._share)

    def add_widget(self, widget: Any, *args: Any, **kwargs: Any) -> None:
        """Add a button."""
        super().add_widget(widget, *args, **kwargs)
        widget.fbind("text", self._share)

    def share(self, *_: object) -> None:
        """Choose the type size, and share the width."""
        buttons = [button for button in self.children if button.text]
        room = self.width - self.spacing * (len(self.children) - 1)
        if not buttons or room < 2:
            return
        size = largest_that_fits(
            lambda size: sum(_width_in_two_lines(button, size) for button in buttons) <= room,
            self.largest,
            buttons[0].smallest,
        )
        for button in buttons:
            button.largest, button.size_hint_x = size, _width_in_two_lines(button, size)


def _width_in_two_lines(button: TightLabel, size: float) -> float:
    """Return the least width of a button, in pixels, whose text stands in two lines of this type size."""
    text = f"✓ {button.label}" if isinstance(button, Chip) else button.text  # a tick moves nothing
    words = plain_text(text).replace("✓ ", "✓\N{NO-BREAK SPACE}").split(" ")
    lines = [(" ".join(words[:at]), " ".join(words[at:])) for at in range(1, len(words) + 1)]
    needed = min(max(line_width(line, size, button.bold, button.italic) for line in pair) for pair in lines)
    left, _top, right, _bottom = button.padding
    return float(max(dp(48), needed + left + right + 2))


class BodyText(Label):
    """Text that fills the width and is as high as it needs."""

    full_text = StringProperty("")

    def on_full_text(self, _body: object, text: str) -> None:
        """Show signs in a font that has them."""
        self.text = signed(text)


class Chip(PillButton):
    """A button that stays pressed: one of several choices, or a switch."""

    on = BooleanProperty(False)
    """Shown by a tick as well as by colour."""
    label = StringProperty("")

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.bind(on=self._show, label=self._show)
        self._show()

    def _show(self, *_: object) -> None:
        self.text = signed(f"✓ {self.label}" if self.on else self.label)
        self.primary = self.on


class FormField(TextInput):
    """An input line with a type size in which its hint fits."""

    largest = NumericProperty(20)

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        for what in ("hint_text", "largest", "width", "padding"):
            self.fbind(what, self._fit)
        self.fbind("text", self._choose_font)
        self._choose_font()
        self._fit()

    def _choose_font(self, *_: object) -> None:
        self.font_name = field_font(self.text)

    def _fit(self, *_: object) -> None:
        room = self.width - self.padding[0] - self.padding[2]
        self.font_size = largest_that_fits(
            lambda size: line_width(self.hint_text, size, bold=False, italic=False) <= room,
            self.largest,
            dp(13),
        )


class Page(FloatLayout):
    """A screen of the navigation: a title, buttons beside it, and scrolling content."""

    title = StringProperty("")

    def add(self, widget: Widget) -> Widget:
        """Add a widget below the others, and return it."""
        self.ids.content.add_widget(widget)
        return widget


class CardTile(ButtonBehavior, Widget):
    """One face-up card as a small tile."""

    card = StringProperty("")
    selected = BooleanProperty(False)
    rank_text = StringProperty("")
    suit_text = StringProperty("")
    red = BooleanProperty(False)

    def on_card(self, _: object, card: str) -> None:
        """Split the card into rank and suit."""
        rank, suit = split_card(card)
        self.rank_text = {"??": "?", "JOKER": "Joker"}.get(rank, rank)
        self.suit_text = SUIT_SIGN.get(suit, "")
        self.red = is_red(card)


class Toast(TightLabel):
    """A message that disappears after a while."""

    needed = NumericProperty(0)
    """Height of its text in the available width, in pixels."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        for what in ("text", "width", "largest", "padding"):
            self.fbind(what, self._measure)

    def _measure(self, *_: object) -> None:
        left, _top, right, _bottom = self.padding
        width = max(1, int(self.width - left - right))
        self.needed = text_height(self.text, self.largest, width, self.bold, self.italic)

    def say(self, text: str, seconds: float = 3.0) -> None:
        """Show `text` for a while."""
        Animation.cancel_all(self)
        self.text = signed(text)
        self.opacity = 1
        (Animation(duration=seconds) + Animation(opacity=0, duration=0.4)).start(self)

    def on_touch_down(self, touch: Any) -> bool:
        """Disappear at a touch anywhere, and let the touch pass."""
        if self.opacity:
            Animation.cancel_all(self)
            self.opacity = 0
        return bool(super().on_touch_down(touch))


Builder.load_file(str(Path(__file__).with_suffix(".kv")))
