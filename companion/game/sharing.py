"""The tally in forms to share: text, CSV, JSON and a picture."""

from __future__ import annotations

import csv
import io
import math
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import platformdirs

from companion import theme
from companion.game.evening import Standing, Tally
from companion.i18n.catalogue import _, ngettext
from companion.i18n.right_to_left import as_drawn, plain_form
from companion.i18n.wording import date_text
from engine.messages import printable
from vision.images import save_image
from vision.types import Image

WIDTH = 1080
"""Width of the picture in pixels, as phones show it."""
_ROW = 128
_LINE = 34
"""Additional height per further line of rituals."""
_HEADER = 250
_MARGIN = 64
_PANEL = 40
_RIGHT = WIDTH - _MARGIN
_NAME_WIDTH, _BAR_LEFT = 380, 490
_DETAIL = 27
_HEAD_WIDTH = 720
"""Width of the heading, left of the cards."""
_HEAD_SIZES = (76, 66, 56, 48)
_CARD = (96.0, 136.0)
_PLAIN = str.maketrans({"×": "x", "·": "-", "ß": "ss"})
Colour = tuple[int, int, int]
BACKGROUND: Colour = theme.bgr(theme.GROUND)
PANEL: Colour = theme.bgr(theme.PANEL)
TEXT: Colour = theme.bgr(theme.TEXT)
QUIET: Colour = theme.bgr(theme.QUIET)
CARD_FACE: Colour = theme.bgr(theme.CARD_FACE)
CARD_INK: Colour = theme.bgr(theme.CARD_INK)
BRASS: Colour = theme.bgr(theme.BRASS)
RED: Colour = theme.bgr(theme.RED)


def pictures_folder() -> Path:
    """Return the folder for pictures that the user saves."""
    return platformdirs.user_pictures_path()


def films_folder() -> Path:
    """Return the folder for films that the user saves."""
    return platformdirs.user_videos_path()


def documents_folder() -> Path:
    """Return the folder for tables and texts that the user saves."""
    return platformdirs.user_documents_path()


def as_text(tally: Tally) -> str:
    """Return the tally as a table for a terminal or a message, in the current language."""
    if not tally.standings:
        return _("No game has been played yet.")
    rows = [(_("player"), _("games"), _("losses"), _("streak"), _("rituals due"))]
    rows += [
        (printable(s.player), str(s.games), str(s.losses), str(s.streak), printable(" · ".join(s.dues())))
        for s in tally.standings
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    lines = [
        f"{row[0]:<{widths[0]}}  "
        + "  ".join(f"{row[column]:>{widths[column]}}" for column in range(1, 4))
        + (f"  {row[4]}" if row[4] else "")
        for row in rows
    ]
    if tally.unfinished:
        lines.append(ngettext("({n} game interrupted)", "({n} games interrupted)", tally.unfinished))
    return "\n".join(lines)


def streak_text(standing: Standing) -> str:
    """Return a remark about a player's losses, or an empty text."""
    if standing.streak > 1:
        return ngettext("{n} loss in a row", "{n} losses in a row", standing.streak)
    return "" if standing.losses else _("never lost")


def as_csv(tally: Tally) -> str:
    """Return the tally as CSV: player, games, losses, streak, rituals (separated by semicolons)."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["player", "games", "losses", "streak", "rituals"])
    for s in tally.standings:
        writer.writerow([_cell(s.player), s.games, s.losses, s.streak, _cell(";".join(s.rituals))])
    return out.getvalue()


def as_json(tally: Tally) -> dict[str, Any]:
    """Return the tally as a JSON object: players (worst first), losers of each game, unfinished games."""
    return {
        "players": [
            {
                "player": s.player,
                "games": s.games,
                "losses": s.losses,
                "streak": s.streak,
                "rituals": list(s.rituals),
                "sung": list(s.sung),
                "breaches": s.breaches,
                "burns": s.burns,
                "pick_ups": s.pick_ups,
            }
            for s in tally.standings
        ],
        "losers": list(tally.losers),
        "unfinished": tally.unfinished,
    }


def save_picture(tally: Tally, path: Path, *, title: str = "Tonight", place: str = "") -> None:
    """Write the tally as a picture. The suffix selects the format.

    Raises:
        BadInputError: the suffix is no picture format.
        OSError: the file cannot be written.
    """
    save_image(path, as_picture(tally, title=title, place=place), ".png")


def as_picture(tally: Tally, *, title: str = "Tonight", place: str = "") -> Image:
    """Draw the tally, `WIDTH` pixels wide: the Shithead, then a row per player.

    A row has the losses as a bar and a number, then breaches, burns, pick-ups, and songs, due or done.

    Args:
        tally: The score.
        title: The evening in words.
        place: Where it was; nothing is written if it is empty.
    """
    details = [_details(standing) for standing in tally.standings]
    heights = [_ROW + _LINE * max(0, len(lines) - 1) for lines in details]
    picture: Image = np.full((_HEADER + (sum(heights) or _ROW) + _MARGIN, WIDTH, 3), BACKGROUND, np.uint8)
    _draw_cards(picture)
    where = _when_and_where(tally, title, place)
    size = next((size for size in (32, 28, 25) if _text_width(where, size, 500) <= _HEAD_WIDTH), 25)
    _write(picture, where, (_MARGIN, 66), size, BRASS, 500, _HEAD_WIDTH)
    last = tally.losers[-1] if tally.losers else None
    heading = _("{player} is the Shithead").format(player=last) if last else "Shithead"
    size = next((size for size in _HEAD_SIZES if _text_width(heading, size, 700) <= _HEAD_WIDTH), 40)
    _write(picture, heading, (_MARGIN, 146), size, TEXT, 700, _HEAD_WIDTH)
    played = ngettext("{n} game played.", "{n} games played.", len(tally.losers))
    _write(picture, played, (_MARGIN, 204), 32, QUIET)
    if not tally.standings:
        _write(picture, _("No game has been played yet."), (_MARGIN, _HEADER + 70), 40, TEXT)
    else:
        _write_right(picture, _("lost / played"), _HEADER - 20, 25, QUIET)
    widest = max((_text_width(_total(standing), 38, 700) for standing in tally.standings), default=0)
    scale = _Scale(_RIGHT - widest - 24, max((s.losses for s in tally.standings), default=0))
    top = _HEADER
    for rank, (standing, lines, height) in enumerate(zip(tally.standings, details, heights, strict=True)):
        cv2.rectangle(picture, (_PANEL, top, WIDTH - 2 * _PANEL, height - 16), PANEL, cv2.FILLED)
        _draw_row(picture, standing, lines, top, scale, worst=rank == 0 and standing.losses > 0)
        top += height
    return picture


@dataclass(frozen=True, slots=True)
class _Scale:
    """Right end of the longest bars, and the number of losses that they stand for."""

    right: int
    most: int


def _draw_row(
    picture: Image,
    standing: Standing,
    details: Sequence[tuple[str, bool]],
    top: int,
    scale: _Scale,
    *,
    worst: bool,
) -> None:
    """Draw one player: name, losses as a bar and as a number, and below them the details."""
    middle = top + (42 if details else 56)
    _write(picture, standing.player, (_MARGIN, middle + 14), 42, TEXT, 700 if worst else 500, _NAME_WIDTH)
    length = round((scale.right - _BAR_LEFT) * standing.losses / scale.most) if standing.losses else 3
    colour = (RED if worst else BRASS) if standing.losses else QUIET
    cv2.rectangle(picture, (_BAR_LEFT, middle - 20), (_BAR_LEFT + length, middle + 20), colour, cv2.FILLED)
    _write_right(picture, _total(standing), middle + 14, 38, TEXT, 700)
    for number, (line, due) in enumerate(details):
        at = (_MARGIN, top + 96 + number * _LINE)
        _write(picture, line, at, _DETAIL, BRASS if due else QUIET)


def _total(standing: Standing) -> str:
    return f"{standing.losses} / {standing.games}"


def _wrapped(parts: Sequence[str]) -> list[str]:
    """Return the parts joined into lines of the row's width."""
    lines: list[str] = []
    for part in parts:
        longer = f"{lines[-1]} · {part}" if lines else part
        if lines and _text_width(longer, _DETAIL) <= _RIGHT - _MARGIN:
            lines[-1] = longer
        else:
            lines.append(part)
    return lines


def _details(standing: Standing) -> list[tuple[str, bool]]:
    """Return the lines below a player's name. Each has a flag: whether it names a due ritual."""
    acts = [
        ngettext("{n} breach", "{n} breaches", standing.breaches),
        ngettext("{n} burn", "{n} burns", standing.burns),
        ngettext("{n} pick-up", "{n} pick-ups", standing.pick_ups),
    ]
    found = [(line, False) for line in _wrapped([*acts, *filter(None, [streak_text(standing)])])]
    if standing.sung:
        sung = _("sung: {songs}").format(songs=" · ".join(standing.songs()))
        found += [(line, False) for line in _wrapped(sung.split(" · "))]
    if standing.rituals:
        due = _("due: {rituals}").format(rituals=" · ".join(standing.dues()))
        found += [(line, True) for line in _wrapped(due.split(" · "))]
    return found


def _when_and_where(tally: Tally, title: str, place: str) -> str:
    when = title if tally.started is None else date_text(tally.started)
    return printable(" · ".join(filter(None, [when, " ".join(place.split())])))


def _draw_cards(picture: Image) -> None:
    """Draw three cards as a fan in the upper right corner, the front one with a spade."""
    for turn in (-24.0, -4.0, 16.0):
        angle = math.radians(turn)
        axes = np.array([[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]])
        middle = np.array([900.0, 250.0]) + np.array([0.0, -130.0]) @ axes

        def drawn(points: object, colour: Colour, *, axes: Any = axes, middle: Any = middle) -> None:
            corners = np.round((np.asarray(points, np.float64) @ axes + middle) * 16).astype(np.int32)
            cv2.fillPoly(picture, [corners], colour, cv2.LINE_AA, 4)

        half = np.array(_CARD) / 2
        corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
        drawn(corners * (half + 3), BACKGROUND)
        drawn(corners * half, CARD_FACE)
        around = np.linspace(0, 2 * math.pi, 40)
        circle = np.stack([np.cos(around), np.sin(around)], axis=1)
        for x in (-13, 13):
            drawn(circle * 15 + (x, 9), CARD_INK)
        drawn([[0, -32], [27, 4], [-27, 4]], CARD_INK)
        drawn([[0, 4], [13, 36], [-13, 36]], CARD_INK)


def _write(
    picture: Image,
    text: str,
    at: tuple[int, int],
    size: int,
    colour: Colour,
    weight: int = 400,
    width: int | None = None,
) -> None:
    """Write `text`, cut with an ellipsis at `width` pixels or at the right margin."""
    room = _RIGHT - at[0] if width is None else width
    shown = text
    while shown and _text_width(shown + ("…" if shown != text else ""), size, weight) > room:
        shown = shown[:-1]
    drawn = _drawn(text if shown == text else shown.rstrip() + "…")
    if _has_faces():
        cv2.putText(picture, drawn, at, colour, cv2.FontFace("sans"), size, weight)
    else:
        cv2.putText(picture, drawn, at, cv2.FONT_HERSHEY_DUPLEX, size / 32, colour, 2, cv2.LINE_AA)


def _write_right(
    picture: Image, text: str, baseline: int, size: int, colour: Colour, weight: int = 400
) -> None:
    """Write `text` so that it ends at the right margin."""
    _write(picture, text, (_RIGHT - _text_width(text, size, weight), baseline), size, colour, weight)


def _text_width(text: str, size: int, weight: int = 400) -> int:
    if not _has_faces():
        (width, _), _ = cv2.getTextSize(_drawn(text), cv2.FONT_HERSHEY_DUPLEX, size / 32, 2)
    else:
        _, _, width, _ = cv2.getTextSize(
            (WIDTH, WIDTH), text, (0, WIDTH // 2), cv2.FontFace("sans"), size, weight
        )
    return int(width)


def _has_faces() -> bool:
    """Return whether OpenCV has its variable-weight font. OpenCV 4, as on phones, has plain letters only."""
    return hasattr(cv2, "FontFace")


def _drawn(text: str) -> str:
    """Return the text in the order of drawing and in the available letters.

    OpenCV's font has no joined Arabic letters. The plain letters have neither accents nor signs.
    """
    if _has_faces():
        return "".join(map(plain_form, as_drawn(text)))
    apart = unicodedata.normalize("NFKD", text.translate(_PLAIN))
    bare = "".join(letter for letter in apart if not unicodedata.combining(letter))
    return bare.encode("ascii", "replace").decode()


def _cell(text: str) -> str:
    # A spreadsheet would run a cell that begins like a formula, even after spaces. Anybody may have typed the
    # names.
    formula = text.lstrip()[:1] in ("=", "+", "-", "@") or text[:1] in ("\t", "\r")
    return printable("'" + text if formula else text)
