"""Fonts for characters that the app's own font lacks, such as emoji, Chinese and Arabic in names.

It also caches the sizes of texts in each font.

A character is drawn in a font and compared with a character that no font has. So a font counts only if Kivy
really draws the character with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from typing import Any

from kivy import kivy_data_dir
from kivy.core.text import Label as CoreLabel
from kivy.core.text import LabelBase

from companion.i18n.right_to_left import as_drawn, plain_form

OWN_FONT, SIGN_FONT = "Roboto", "DejaVuSans"
"""Fonts that come with Kivy. The second has signs, Arabic and many emoji."""
PLAIN_SIGN = "•"
"""Stands for a character that no font has."""
# Kivy keeps the path of a registered font. It would look for the file of any other font at each text.
LabelBase.register(SIGN_FONT, str(Path(kivy_data_dir, "fonts", f"{SIGN_FONT}.ttf")))
_ALWAYS_OWN = "\u0250"
"""Characters below this one are in the app's own font."""
_MOST_KNOWN = 4096
"""How many texts have their sizes remembered in one font."""
_IN_NO_FONT = "\U0010fffd"
_SIZE = 24
_KNOWN = (
    *("notosanscjk", "notosanssc", "notosansjp", "droidsansfallback", "wqy-", "sourcehansans", "uming"),
    *("msyh", "msjh", "simsun", "msgothic", "yugoth", "malgun"),
    *("pingfang", "hiragino", "stheiti", "arial unicode", "arialuni", "applesdgothic"),
    *("notosansarabic", "notonaskharabic", "geezapro", "tahoma", "notosanshebrew", "notosansdevanagari"),
    *("notosansthai", "notoemoji", "symbola", "seguisym", "seguiemj", "notosanssymbols", "unifont"),
)
"""Beginnings of the file names of fonts that systems bring for other scripts, the likeliest first."""
_SUFFIXES = (".ttf", ".otf", ".ttc")


def in_fonts(text: str) -> Iterator[tuple[str | None, str]]:
    """Yield the text in runs, each with its font; None is the app's own font.

    A character that no font has becomes `PLAIN_SIGN`. Scripts that run from right to left come in the order
    of drawing.
    """
    drawn_as = as_drawn(text)
    fitting = "".join(c if font_for(c) != "" else plain_form(c) for c in drawn_as)
    named = [(font_for(character), character) for character in fitting]
    for font, run in groupby(named, key=lambda pair: pair[0]):
        drawn = "".join(character for _font, character in run)
        yield (None, PLAIN_SIGN * len(drawn)) if font == "" else (font, drawn)


@lru_cache(maxsize=4096)
def font_for(character: str) -> str | None:
    """Return the font of a character: None for the app's own font, "" if no font has the character."""
    if character < _ALWAYS_OWN or character.isspace() or _has(OWN_FONT, character):
        return None
    return next((font for font in (SIGN_FONT, *system_fonts()) if _has(font, character)), "")


def field_font(text: str) -> str:
    """Return the font for an input field, which has a single one: the first that a character needs."""
    return next((font for font, _run in in_fonts(text) if font), OWN_FONT)


@lru_cache(maxsize=1)
def system_fonts() -> tuple[str, ...]:
    """Return the system's fonts for other scripts, the likeliest first."""
    found: dict[str, list[str]] = {}
    for folder in LabelBase.get_system_fonts_dir():
        for path in sorted(Path(folder).glob("*")) if Path(folder).is_dir() else ():
            name = path.name.casefold()
            known = next((known for known in _KNOWN if name.startswith(known)), None)
            if known is not None and name.endswith(_SUFFIXES):
                found.setdefault(known, []).append(str(path))
    return tuple(path for known in _KNOWN for path in found.get(known, ()))


def _has(font: str, character: str) -> bool:
    drawn = _drawn(font, character)
    return bool(drawn) and drawn != _drawn(font, _IN_NO_FONT)


@lru_cache(maxsize=4096)
def _drawn(font: str, character: str) -> bytes:
    """Return the pixels of a character; empty if the font cannot be used."""
    try:
        label = CoreLabel(text=character, font_size=_SIZE, font_name=font)
        label.refresh()
    except (OSError, ValueError):
        return b""
    return b"" if label.texture is None else bytes(label.texture.pixels)


def whole_size(size: float) -> int:
    """Return the size in which Kivy opens a font: it draws and measures type in whole pixels only."""
    return int(size)


_FONT_OPTIONS = ("font_name_r", "bold", "italic", "underline", "strikethrough")


def _font_id(label: Any) -> str:
    """Return the key of Kivy's font cache for a label. Labels of nearly one size share a font's glyphs."""
    options = label.options
    return "|".join(map(str, (whole_size(options["font_size"]), *map(options.get, _FONT_OPTIONS))))


@lru_cache(maxsize=256)
def _sizes_in(_font: str) -> dict[str, tuple[int, int]]:
    """Return the sizes of texts in a font that are known so far."""
    return {}


def _remembering(label: Any) -> Callable[[str], tuple[int, int]]:
    """Return a function that measures each text once in the label's present font."""
    known, measure = _sizes_in(_font_id(label)), label.get_extents

    def extents(text: str) -> tuple[int, int]:
        size = known.get(text)
        if size is None:
            if len(known) >= _MOST_KNOWN:
                known.clear()
            size = known[text] = measure(text)
        return size

    return extents


if hasattr(CoreLabel, "_get_font_id"):
    # Kivy's own function caches nothing: it measures each word for each width, and again to draw it.
    CoreLabel.get_cached_extents = _remembering
    # By its own names, Kivy opens a font again for each fraction of a pixel in its size.
    CoreLabel._get_font_id = _font_id
