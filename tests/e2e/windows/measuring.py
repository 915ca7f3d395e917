"""Measures what the real window shows: targets, texts that are cut, stick out, or are too faint to read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from companion import theme
from companion.app.screens.arrangement import Box

READABLE = 4.5
"""WCAG 2.1, success criterion 1.4.3."""


def measure(*, contrast: bool = False) -> dict[str, Any]:
    """Return the sizes of targets and texts, and what is cut or sticks out.

    And which of the program's own widgets are there.
    With `contrast`, the window is drawn, and what is too faint to read is found too. Where a sheet is open,
    only its own texts are looked at for that.
    """
    from kivy.core.window import Window
    from kivy.uix.behaviors import ButtonBehavior
    from kivy.uix.label import Label
    from kivy.uix.modalview import ModalView
    from kivy.uix.textinput import TextInput

    from companion.app.screens.widgets import CardTile

    targets, cut, outside, shows = [], [], [], set()
    sizes: dict[str, float] = {}
    for top in Window.children:
        sheet = box_of(top) if isinstance(top, ModalView) else None
        for widget, _opacity, clip in visible(top):
            if min(widget.size) <= 1:
                continue
            if type(widget).__module__.startswith("companion.app.screens"):
                shows.add(type(widget).__name__)
            shown_only = isinstance(widget, CardTile) and widget.disabled
            if isinstance(widget, ButtonBehavior | TextInput) and not shown_only:
                targets.append([type(widget).__name__, widget.width, widget.height])
            if isinstance(widget, TextInput) and not widget.text and not hint_fits(widget):
                cut.append(widget.hint_text)
            if not isinstance(widget, Label) or not widget.text:
                continue
            text = full_text(widget)
            sizes[text] = max(widget.font_size, sizes.get(text, 0.0))
            if widget.is_shortened or ("…" in widget.text and "…" not in text) or lacks_lines(widget):
                cut.append(text)
            beyond = any(
                texture > size + 2 for texture, size in zip(widget.texture_size, widget.size, strict=True)
            )
            if beyond or (sheet is not None and clip is None and not within(box_of(widget), sheet)):
                outside.append(text)
    found = {"targets": targets, "cut": cut, "outside": outside, "sizes": sizes, "shows": sorted(shows)}
    return found | ({"faint": faint()} if contrast else {})


def lacks_lines(label: Any) -> bool:
    """Return whether a text is higher than its label, so that the toolkit leaves lines out."""
    from companion.app.screens.widgets import FitLabel, TightLabel, text_height

    if not isinstance(label, FitLabel | TightLabel):
        return False
    left, top, right, bottom = label.padding
    width = max(2, int(label.width - left - right))
    needed = text_height(label.text, label.font_size, width, label.bold, label.italic)
    several = needed > 1.6 * label.font_size
    return bool(several and needed > label.height - top - bottom)


def hint_fits(field: Any) -> bool:
    from kivy.core.text import Label

    label = Label(font_size=field.font_size, font_name=field.font_name)
    label.resolve_font_name()
    return bool(
        label.get_extents(field.hint_text)[0] <= field.width - field.padding[0] - field.padding[2] + 1
    )


def full_text(label: Any) -> str:
    return str(getattr(label, "full_text", "") or label.text)


def faint() -> list[str]:
    """Return the texts whose ink, as drawn, does not stand out from the ground that is drawn under it."""
    from kivy.config import Config
    from kivy.core.window import Window
    from kivy.uix.label import Label

    made = [Config.getint("graphics", side) for side in ("width", "height")]
    if Window.width > made[0] or Window.height > made[1]:
        return []  # an off-screen window that was enlarged has nothing to read there
    picture = pixels()
    labels = [
        (widget, opacity, box_of(widget), clip)
        for widget, opacity, clip in visible(Window.children[0])
        if isinstance(widget, Label) and widget.text and min(widget.size) > 1
    ]
    toast = next((box for widget, _, box, _ in labels if type(widget).__name__ == "Toast"), None)
    found = []
    for widget, opacity, box, clip in labels:
        seen = box if clip is None else common(box, clip)
        hidden = toast is not None and type(widget).__name__ != "Toast" and min(common(box, toast)[2:]) > 0
        if hidden or seen.width * seen.height < 0.6 * box.width * box.height:
            continue
        ground = commonest(picture, seen)
        *ink, alpha = widget.disabled_color if widget.disabled else widget.color
        share = alpha * opacity
        drawn = [round(share * 255 * i + (1 - share) * g) for i, g in zip(ink, ground, strict=True)]
        ratio = theme.contrast(hexed(drawn), hexed(ground))
        if ratio < READABLE:
            found.append(f"{full_text(widget)}: {ratio:.2f} : 1")
    return found


def visible(top: Any) -> Iterator[tuple[Any, float, Box | None]]:
    """Yield what is not hidden, each with its opacity and the box of what it scrolls in, if anything."""
    from kivy.uix.scrollview import ScrollView

    def below(widget: Any, opacity: float, clip: Box | None) -> Iterator[tuple[Any, float, Box | None]]:
        opacity *= widget.opacity
        if not opacity:
            return
        yield widget, opacity, clip
        if isinstance(widget, ScrollView):
            clip = box_of(widget) if clip is None else common(box_of(widget), clip)
        for child in widget.children:
            yield from below(child, opacity, clip)

    yield from below(top, 1.0, None)


def box_of(widget: Any) -> Box:
    return Box(*widget.to_window(*widget.pos), *widget.size)


def common(one: Box, other: Box) -> Box:
    x, y = max(one.x, other.x), max(one.y, other.y)
    right = min(one.x + one.width, other.x + other.width)
    top = min(one.y + one.height, other.y + other.height)
    return Box(x, y, max(0.0, right - x), max(0.0, top - y))


def within(inner: Box, outer: Box) -> bool:
    shared = common(inner, outer)
    return shared.width >= inner.width - 1 and shared.height >= inner.height - 1


def pixels() -> np.ndarray[Any, np.dtype[np.uint8]]:
    """Draw the window and return what it shows, RGB, the lowest row first as OpenGL has it."""
    from kivy.core.window import Window
    from kivy.graphics.opengl import GL_RGBA, GL_UNSIGNED_BYTE, glReadPixels

    Window.on_draw()
    width, height = Window.system_size
    read = np.frombuffer(glReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE), np.uint8)
    return read.reshape(height, width, 4)[:, :, :3]


def commonest(picture: np.ndarray[Any, np.dtype[np.uint8]], box: Box) -> list[int]:
    """Return the colour that most of a box has."""
    left, low = max(0, round(box.x)), max(0, round(box.y))
    part = picture[low : round(box.y + box.height), left : round(box.x + box.width)][::2, ::2]
    numbers, counts = np.unique(part.reshape(-1, 3).astype(np.uint32) @ (65536, 256, 1), return_counts=True)
    number = int(numbers[counts.argmax()]) if len(counts) else 0
    return [number >> 16, number >> 8 & 255, number & 255]


def hexed(colour: list[int]) -> str:
    return "#" + "".join(f"{value:02X}" for value in colour)
