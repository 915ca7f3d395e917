"""A scenario of `drive_app.py`: names in emoji, Chinese and Arabic are drawn, or stand as plain signs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.e2e.windows.walker import Steps, Walker, by_touch, rest, until

NAMES = ("Zoë 😀", "李小龍", "عمر", "Dan")


def font_with(character: str, path: Path) -> None:
    """Write a font that has one character: a filled square."""
    from fontTools.fontBuilder import FontBuilder
    from fontTools.pens.ttGlyphPen import TTGlyphPen

    def drawn(corners: tuple[tuple[int, int], ...]) -> object:
        pen = TTGlyphPen(None)
        pen.moveTo(corners[0])
        for corner in corners[1:]:
            pen.lineTo(corner)
        pen.closePath()
        return pen.glyph()

    font = FontBuilder(1000)
    font.setupGlyphOrder([".notdef", "one"])
    font.setupCharacterMap({ord(character): "one"})
    square = ((100, 0), (100, 700), (900, 700), (900, 0))
    font.setupGlyf({".notdef": drawn(((0, 0), (0, 300), (300, 0))), "one": drawn(square)})
    font.setupHorizontalMetrics({".notdef": (400, 0), "one": (1000, 100)})
    font.setupHorizontalHeader(ascent=800, descent=-200)
    font.setupNameTable({"familyName": "Test", "styleName": "Regular"})
    font.setupOS2()
    font.setupPost()
    font.save(str(path))


def foreign_names(walker: Walker) -> Steps:
    """First without a font for Chinese, beside a damaged one; then with one that has a single character."""
    from kivy.core.text import LabelBase

    from companion.app.screens import fonts

    folder = walker.store.parent / "fonts"
    folder.mkdir()
    (folder / "NotoSansCJK-Damaged.ttc").write_bytes(b"no font")
    LabelBase.get_system_fonts_dir()  # lets Kivy find its own fonts; the system's are then left out
    folders = [str(folder), str(folder / "missing")]
    LabelBase.get_system_fonts_dir = staticmethod(lambda: folders)
    walker.app.ask(replace(by_touch(walker), kept=False, players=NAMES, dealer="Dan"))
    yield
    yield from rest(4)
    walker.look("the form")
    walker.saw["fields"] = [row.ids.name.font_name for row in walker.screen.rows]
    walker.saw["without"] = [list(fonts.in_fonts(name)) for name in NAMES]
    yield from walker.tap(walker.screen.ids.start)
    yield from until(lambda: walker.app.session is not None and walker.app.session.snapshot.table is not None)
    yield from rest(6)
    walker.look("the table")
    font_with("李", folder / "DroidSansFallback.ttf")
    fonts.system_fonts.cache_clear()
    fonts.font_for.cache_clear()
    walker.saw["with"] = [
        [Path(font).name if font else font, run] for font, run in fonts.in_fonts("李小龍 & Bob")
    ]
