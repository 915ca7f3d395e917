"""The tally in forms to share: text, CSV, JSON and a picture."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import platformdirs

from companion import theme
from companion.evening import Standing, Tally
from companion.i18n import _, many
from engine.errors import BadInputError
from engine.said import message
from engine.whole_files import write_whole
from vision.reading import Image

WIDTH = 1080
"""Width of the picture in pixels: what phones show at full width."""
_ROW = 128
_HEADER = 250
_MARGIN = 64
Colour = tuple[int, int, int]
BACKGROUND: Colour = theme.bgr(theme.GROUND)
PANEL: Colour = theme.bgr(theme.PANEL)
TEXT: Colour = theme.bgr(theme.TEXT)
QUIET: Colour = theme.bgr(theme.QUIET)
BRASS: Colour = theme.bgr(theme.BRASS)
RED: Colour = theme.bgr(theme.RED)


def pictures_folder() -> Path:
    """Return where pictures go that the user wants to keep or share."""
    return platformdirs.user_pictures_path()


def documents_folder() -> Path:
    """Return where tables and texts go that the user wants to keep or share."""
    return platformdirs.user_documents_path()


def as_text(tally: Tally) -> str:
    """Return the tally as a table for a terminal or a message, in the language in force."""
    if not tally.standings:
        return _("No game has been played yet.")
    rows = [(_("player"), _("games"), _("losses"), _("streak"), _("rituals due"))]
    rows += [
        (s.player, str(s.games), str(s.losses), str(s.streak), ", ".join(s.rituals)) for s in tally.standings
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    lines = [
        f"{row[0]:<{widths[0]}}  "
        + "  ".join(f"{row[column]:>{widths[column]}}" for column in range(1, 4))
        + (f"  {row[4]}" if row[4] else "")
        for row in rows
    ]
    if tally.unfinished:
        lines.append(
            many("({n} game begun and not finished)", "({n} games begun and not finished)", tally.unfinished)
        )
    return "\n".join(lines)


def as_csv(tally: Tally) -> str:
    """Return the tally as CSV: player, games, losses, streak, rituals (separated by semicolons)."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["player", "games", "losses", "streak", "rituals"])
    for s in tally.standings:
        writer.writerow(
            [_no_formula(s.player), s.games, s.losses, s.streak, _no_formula(";".join(s.rituals))]
        )
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
            }
            for s in tally.standings
        ],
        "losers": list(tally.losers),
        "unfinished": tally.unfinished,
    }


def save_picture(tally: Tally, path: Path, *, title: str = "Tonight") -> None:
    """Write the tally as a picture; the suffix gives the format.

    Raises:
        BadInputError: the suffix names no picture format.
        OSError: the file cannot be written.
    """
    try:
        ok, data = cv2.imencode(path.suffix or ".png", as_picture(tally, title=title))
    except cv2.error:
        ok = False
    if not ok:
        raise BadInputError(
            "{path}: {suffix} is not a picture format that can be written",
            path=path,
            suffix=path.suffix or message("no suffix"),
        )
    write_whole(path, data.tobytes())


def as_picture(tally: Tally, *, title: str = "Tonight") -> Image:
    """Draw the tally, `WIDTH` pixels wide: one row per player, a bar and a number for the losses."""
    rows = max(1, len(tally.standings))
    picture: Image = np.full((_HEADER + rows * _ROW + _MARGIN + 40, WIDTH, 3), BACKGROUND, np.uint8)
    _write(picture, title, (_MARGIN, 118), 72, TEXT, 700)
    _write(picture, _summary(tally), (_MARGIN, 186), 36, QUIET)
    if not tally.standings:
        _write(picture, _("No game has been played yet."), (_MARGIN, _HEADER + 70), 40, TEXT)
    else:
        _write(picture, _("lost / played"), (858, _HEADER - 20), 25, QUIET)
    most = max((s.losses for s in tally.standings), default=0)
    for row, standing in enumerate(tally.standings):
        _draw_row(picture, standing, _HEADER + row * _ROW, most, worst=row == 0 and standing.losses > 0)
    return picture


def _draw_row(picture: Image, standing: Standing, top: int, most: int, *, worst: bool) -> None:
    """Draw one player: name and rituals on the left, the losses as a bar and as a number."""
    panel = (_MARGIN - 24, top, WIDTH - 2 * _MARGIN + 48, _ROW - 16)
    cv2.rectangle(picture, panel, PANEL, cv2.FILLED)
    name_width, bar_left, bar_right = 380, 490, 900
    detail = "; ".join(standing.rituals) or _detail(standing)
    detail_colour = BRASS if standing.rituals else QUIET
    name_at = (_MARGIN, top + (52 if detail else 70))
    _write(picture, standing.player, name_at, 42, TEXT, 700 if worst else 500, name_width)
    _write(picture, detail, (_MARGIN, top + 94), 27, detail_colour, 400, name_width + 20)
    if standing.losses:
        end = bar_left + round((bar_right - bar_left) * standing.losses / most)
        cv2.rectangle(picture, (bar_left, top + 36), (end, top + 76), RED if worst else BRASS, cv2.FILLED)
    else:
        cv2.rectangle(picture, (bar_left, top + 36), (bar_left + 3, top + 76), QUIET, cv2.FILLED)
    _write(picture, f"{standing.losses} / {standing.games}", (924, top + 70), 38, TEXT, 700)


def _detail(standing: Standing) -> str:
    if standing.streak > 1:
        return many("{n} loss in a row", "{n} losses in a row", standing.streak)
    return "" if standing.losses else _("never lost")


def _summary(tally: Tally) -> str:
    last = tally.losers[-1] if tally.losers else None
    played = many("{n} game played.", "{n} games played.", len(tally.losers))
    return f"{played} {_('The Shithead is {player}.').format(player=last)}" if last else played


def _write(
    picture: Image,
    text: str,
    at: tuple[int, int],
    size: int,
    colour: Colour,
    weight: int = 400,
    width: int | None = None,
) -> None:
    """Write `text` in OpenCV's own variable-weight face, cut with an ellipsis at `width` pixels."""
    if not hasattr(cv2, "FontFace"):  # OpenCV 4, as phones have it: plain letters without accents
        plain = text.encode("ascii", "replace").decode()
        cv2.putText(picture, plain, at, cv2.FONT_HERSHEY_DUPLEX, size / 32, colour, 2, cv2.LINE_AA)
        return
    face = cv2.FontFace("sans")
    if width is not None:
        shown = text
        while shown and _text_width(shown + ("…" if shown != text else ""), face, size, weight) > width:
            shown = shown[:-1]
        text = text if shown == text else shown.rstrip() + "…"
    cv2.putText(picture, text, at, colour, face, size, weight)


def _text_width(text: str, face: cv2.FontFace, size: int, weight: int) -> int:
    _, _, width, _ = cv2.getTextSize((WIDTH, WIDTH), text, (0, WIDTH // 2), face, size, weight)
    return int(width)


def _no_formula(text: str) -> str:
    # A spreadsheet runs a cell that begins like a formula, also behind blanks that it strips; names come from
    # whoever typed them.
    return "'" + text if text.lstrip()[:1] in ("=", "+", "-", "@") or text[:1] in ("\t", "\r") else text
