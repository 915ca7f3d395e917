"""Texts in Arabic, Hebrew and other scripts that run from right to left, in the order of drawing.

Kivy and OpenCV draw each text from left to right and do not join letters. So a run of such a script is
reversed here, and each Arabic letter becomes the character of Unicode that has its joined form.
"""

from __future__ import annotations

import unicodedata
from functools import cache
from itertools import groupby
from typing import NamedTuple

_RIGHT_TO_LEFT = ("R", "AL")
_FORMS = (range(0xFB50, 0xFDFF), range(0xFE70, 0xFEFF))
"""Characters of Unicode that stand for joined forms."""
_LAM = "\u0644"
_MIRRORED = str.maketrans("()[]<>«»", ")(][><»«")


class _Forms(NamedTuple):
    """The joined forms of a letter; empty where it has none."""

    isolated: str = ""
    initial: str = ""
    medial: str = ""
    final: str = ""


def as_drawn(text: str) -> str:
    """Return a text in the order of drawing, with joined letters. Other scripts stay as they are."""
    if text.isascii() or not any(
        unicodedata.bidirectional(character) in _RIGHT_TO_LEFT for character in text
    ):
        return text
    return "".join(_reversed(run) if rtl else run for rtl, run in _runs(text))


def plain_form(character: str) -> str:
    """Return the letters that a joined form stands for, for fonts that lack the form."""
    joined = any(ord(character) in forms for forms in _FORMS)
    return unicodedata.normalize("NFKC", character)[::-1] if joined else character


def _runs(text: str) -> list[tuple[bool, str]]:
    """Split a text into runs, each with whether it goes from right to left. Inner spaces belong to a run."""
    kinds = [unicodedata.bidirectional(character) for character in text]
    strong = [place for place, kind in enumerate(kinds) if kind in (*_RIGHT_TO_LEFT, "L", "EN", "AN")]
    towards = dict.fromkeys(range(len(text)), False)
    for place, following in zip(strong, [*strong[1:], len(text)], strict=True):
        if kinds[place] in _RIGHT_TO_LEFT:
            towards[place] = True
            marks = place + 1
            while marks < len(text) and kinds[marks] == "NSM":
                towards[marks], marks = True, marks + 1
            if following < len(text) and kinds[following] in _RIGHT_TO_LEFT:
                towards |= dict.fromkeys(range(place, following), True)
    return [
        (rtl, "".join(text[place] for place in places))
        for rtl, places in groupby(range(len(text)), key=towards.__getitem__)
    ]


def _reversed(run: str) -> str:
    """Return a run from its last letter to its first. Marks stay behind the letter that they stand on."""
    clusters: list[str] = []
    for character in _joined(run):
        if clusters and unicodedata.bidirectional(character) == "NSM":
            clusters[-1] += character
        else:
            clusters.append(character.translate(_MIRRORED))
    return "".join(reversed(clusters))


def _joined(run: str) -> str:
    """Return a run with each letter in the form that its neighbours ask for."""
    drawn: list[str] = []
    before, place = False, 0  # whether the letter before joins this one, and the place of this one
    while place < len(run):
        character = run[place]
        if unicodedata.bidirectional(character) == "NSM":
            drawn.append(character)
            place += 1
            continue
        pair = run[place : place + 2]
        letter = pair if pair in _letters() else character
        forms = _letters().get(letter, _Forms())
        place += len(letter)
        following = next((c for c in run[place:] if unicodedata.bidirectional(c) != "NSM"), "")
        joins_next = bool(forms.initial and _letters().get(following, _Forms()).final)
        if before and forms.final:
            drawn.append((joins_next and forms.medial) or forms.final)
        else:
            drawn.append((joins_next and forms.initial) or forms.isolated or letter)
        before = joins_next
    return "".join(drawn)


@cache
def _letters() -> dict[str, _Forms]:
    """Return the joined forms of each letter, and of lam with alef, as Unicode's own data has them."""
    found: dict[str, _Forms] = {}
    for code in (code for forms in _FORMS for code in forms):
        form, *letters = unicodedata.decomposition(chr(code)).split() or [""]
        letter = "".join(chr(int(one, 16)) for one in letters)
        name = form.strip("<>")
        if name in _Forms._fields and (len(letter) == 1 or (len(letter) == 2 and letter[0] == _LAM)):
            if len(letter) == 2 and letter[1] not in "\u0622\u0623\u0625\u0627":
                continue
            found[letter] = found.get(letter, _Forms())._replace(**{name: chr(code)})
    return found
