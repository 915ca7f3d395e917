"""Photograph the screens: `.venv/bin/python scripts/screens.py [FOLDER [KEPT]] [--every]`.

It walks through the real window by touch, as the tests do (`tests/e2e/windows/drive_app.py`): on a phone,
upright and on its side, and on a laptop. It makes two pictures in `docs` or another folder: `screens.png`,
and `sheets.png` with the sheets that open over them. A second folder keeps the single photographs. It needs
no display and takes some minutes. `--every` makes them in each language and type size, to be looked at.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw, ImageFont
from PIL.PngImagePlugin import PngInfo

from companion import theme
from companion.i18n.catalogue import LANGUAGES
from companion.settings import TYPE_SIZES

ROOT = Path(__file__).resolve().parents[1]
PHONE, SIDEWAYS, LAPTOP = (360, 640), (860, 400), (1280, 720)
HEIGHT, LOW = 480, 330
"""Pixels: the height of a photograph beside upright ones, and in a row of photographs on their side."""
GAP, LINE = 14, 26
CONTENTS = "contents"
"""Name of the text in the file of a picture that lists its photographs."""
PAPER, INK = (246, 244, 238), (40, 40, 40)


@dataclass(frozen=True)
class Shot:
    """One photograph: the scenario that takes it, its name there, and its caption."""

    scenario: str
    name: str
    shows: str
    """The class in `companion/app/screens` that the photograph shows."""
    below: str
    size: tuple[int, int] = PHONE
    language: str = "en"
    type_size: str = "normal"


Rows = tuple[tuple[Shot, ...], ...]
SCREENS: Rows = (
    (
        Shot("seats", "seats", "SetupScreen", "Before the game"),
        Shot("seats", "dark", "SetupScreen", "Too dark"),
        Shot("seats", "by which rules", "SetupScreen", "By which rules"),
        Shot("filmed", "table", "TableScreen", "The table"),
        Shot("shown_where", "asked", "QuestionBar", "A question of the referee"),
        Shot("filmed", "log", "LogScreen", "The log"),
        Shot("sung", "ledger", "LedgerScreen", "The ledger"),
        Shot("screens", "rules", "RulesScreen", "The rules"),
        Shot("screens", "more", "MoreScreen", "More"),
        Shot("screens", "more data", "MoreScreen", "More, further down"),
    ),
    (
        Shot("enrolled", "enrolling", "EnrolPanel", "A deck is learnt"),
        Shot("enrolled", "enrolled", "DeckScreen", "The decks"),
        Shot("enrolled", "which deck", "SetupScreen", "With which deck"),
        Shot("joined", "joined", "JoinScreen", "Phones join"),
        Shot("score", "score-illegal", "TableScreen", "Without a camera"),
        Shot("score", "score-illegal", "TableScreen", "In German", language="de"),
        Shot("score", "score-over", "TableScreen", "The game is over"),
        Shot("evening", "plot", "NightPlot", "The night's losses"),
        Shot("score", "next-game", "SetupScreen", "The next one"),
    ),
    (
        Shot("filmed", "table", "TableScreen", "On its side", size=SIDEWAYS),
        Shot("seats", "seats", "SetupScreen", "Before the game", size=LAPTOP),
        Shot("filmed", "table", "TableScreen", "The table", size=LAPTOP),
        Shot("filmed", "demonstration", "DemonstrationLine", "The sample film", size=LAPTOP),
    ),
)
SHEETS: Rows = (
    (
        Shot("tour", "tour1", "Tour", "A practice game"),
        Shot("tour", "tour2", "Tour", "A mistake in it"),
        Shot("tour", "tour3", "Tour", "Then the camera"),
        Shot("screens", "player", "PlayerSheet", "A play entered"),
        Shot("filmed", "event", "EventSheet", "One event"),
        Shot("filmed", "correct", "CorrectSheet", "Correct"),
        Shot("screens", "ask", "PlayCheckSheet", "Can I play this?"),
        Shot("which_rules", "question 2 fits", "WhichRulesSheet", "Which rules are ours?"),
        Shot("house_rules_made", "house rules", "HouseRulesSheet", "House rules"),
    ),
    (
        Shot("screens", "large", "LargeView", "Large type"),
        Shot("screens", "about", "AboutSheet", "What the words mean"),
        Shot("sung", "songs one sung", "SongsSheet", "One song is sung"),
        Shot("filmed", "replay", "ReplayView", "The evening again"),
        Shot("shown_where", "tapped", "TapPlaces", "Show the places"),
        Shot("shown_where", "draw pile", "TapPlaces", "… the draw pile last"),
        Shot("typed_sources", "source sheet", "RememberedSheet", "A remembered source"),
        Shot("clipped", "clip", "ClipView", "Show me"),
        Shot("places", "places", "DragPlaces", "Places, on a laptop", size=LAPTOP),
    ),
)
PICTURES = {"screens.png": SCREENS, "sheets.png": SHEETS}


def photograph(rows: Rows, folder: Path, seen: dict[Path, Any]) -> dict[Shot, Path]:
    """Take the photographs, and return their files. A scenario in `seen` was walked through before.

    Raises:
        SystemExit: a photograph does not show the class that it should.
    """
    sys.path.insert(0, str(ROOT))
    from tests.e2e.windows import test_screens

    for kind in ("DATA_HOME", "CACHE_HOME", "STATE_HOME"):
        os.environ[f"XDG_{kind}"] = str(folder / kind.lower())  # not the decks and settings of this user
    walk, found = test_screens.walk_anew, {}
    for shot in (shot for row in rows for shot in row):
        os.environ["SHITHEAD_SCREENS_IN"] = shot.language
        taken = folder / shot.language / shot.type_size
        os.environ["SHITHEAD_SCREENSHOTS"] = str(taken)
        walked = taken / f"{shot.scenario}-{shot.size[0]}x{shot.size[1]}"
        if walked not in seen:
            print(walked.relative_to(folder), flush=True)
            seen[walked] = walk(shot.scenario, *shot.size, TYPE_SIZES[shot.type_size])["measured"]
        if shot.shows not in seen[walked][shot.name]["shows"]:
            raise SystemExit(f"{walked.name}, {shot.name}: shows no {shot.shows}")
        found[shot] = walked / f"{shot.name}.png"
    return found


def compose(rows_of: Rows, found: dict[Shot, Path]) -> Image.Image:
    """Return one picture with the photographs in their rows."""
    rows = []
    for shots in rows_of:
        height = HEIGHT if any(shot.size == PHONE for shot in shots) else LOW
        rows.append([(shot, _shrunk(found[shot], height)) for shot in shots])
    width = GAP + max(sum(picture.width + GAP for _, picture in row) for row in rows)
    height = GAP + sum(max(picture.height for _, picture in row) + LINE + GAP for row in rows)
    page = Image.new("RGB", (width, height), PAPER)
    pen = ImageDraw.Draw(page)
    spec = importlib.util.find_spec("kivy")
    assert spec is not None
    assert spec.origin is not None
    font = ImageFont.truetype(str(Path(spec.origin).parent / "data" / "fonts" / "Roboto-Regular.ttf"), 17)
    top = GAP
    for row in rows:
        space = (width - sum(picture.width for _, picture in row)) // (len(row) + 1)
        left, tallest = space, max(picture.height for _, picture in row)
        for shot, picture in row:
            page.paste(picture, (left, top))
            pen.text((left + picture.width / 2, top + tallest + 4), shot.below, INK, font, anchor="ma")
            left += picture.width + space
        top += tallest + LINE + GAP
    return page


def _shrunk(path: Path, height: int) -> Image.Image:
    picture = Image.open(path).convert("RGB")
    share = height / picture.height
    return picture.resize(
        (round(picture.width * share), round(picture.height * share)), Image.Resampling.LANCZOS
    )


def contents(rows: Rows) -> str:
    """Return what a picture shows. Its file holds this text too, so a test can find outdated pictures."""
    return "\n".join(f"{shot.shows}: {shot.below}" for row in rows for shot in row)


def reduced(page: Image.Image) -> Image.Image:
    """Return the picture with 256 colours, which suffice for screens and need a third of the size.

    The colours of the app are kept exactly. Otherwise rare ones, like that of a green tick, would change.
    """
    values = {value for value in vars(theme).values() if isinstance(value, str) and value.startswith("#")}
    own = [level for value in sorted(values) for level in theme.rgb(value)]
    rest = page.quantize(256 - len(values), dither=Image.Dither.NONE).getpalette() or []
    palette = Image.new("P", (1, 1))
    palette.putpalette([*own, *rest][: 3 * 256])
    return page.quantize(palette=palette, dither=Image.Dither.NONE)


def all_in(rows_of: Rows, language: str, type_size: str) -> Rows:
    """Return the photographs in one language and type size."""
    return tuple(
        tuple(replace(shot, language=language, type_size=type_size) for shot in rows) for rows in rows_of
    )


def main(out: Path, pictures: dict[str, Rows], kept: Path | None) -> None:
    """Photograph and compose."""
    from tests.support import made_once

    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch, tempfile.TemporaryDirectory() as shared:
        made_once.share_in(Path(shared))
        seen: dict[Path, Any] = {}
        for name, rows in pictures.items():
            page, told = compose(rows, photograph(rows, kept or Path(scratch), seen)), PngInfo()
            told.add_itxt(CONTENTS, contents(rows))
            reduced(page).save(out / name, optimize=True, pnginfo=told)
            size = (out / name).stat().st_size // 1000
            print(f"{name}: {page.width} by {page.height}, {size} kB", flush=True)


def wanted(every: bool) -> dict[str, Rows]:
    """Return the pictures for the documentation, or those in every language and type size.

    The longest words in the largest type come first, where a text is most likely to be cut.
    """
    if not every:
        return PICTURES
    return {
        f"{Path(name).stem}-{language}-{type_size}.png": all_in(rows, language, type_size)
        for type_size in reversed(TYPE_SIZES)
        for language in reversed(LANGUAGES)
        for name, rows in PICTURES.items()
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Photograph the screens.")
    parser.add_argument("folder", type=Path, nargs="?", default=ROOT / "docs")
    parser.add_argument("kept", type=Path, nargs="?", help="keeps the single photographs")
    parser.add_argument("--every", action="store_true", help="in every language and type size")
    args = parser.parse_args()
    main(args.folder, wanted(args.every), args.kept.resolve() if args.kept else None)
