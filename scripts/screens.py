"""Photograph the screens for the documentation: `.venv/bin/python scripts/screens.py [OUT.png]`.

Walks through the real window by touch, as the tests do (`tests/companion/drive_app.py`), on a phone, upright
and on its side, and on a laptop, and sets the photographs into one picture, `docs/screens.png`. Needs no
display; takes some minutes. With a folder as second argument the single photographs are kept there.
"""

from __future__ import annotations

import importlib.util
import os
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

ROOT = Path(__file__).resolve().parents[1]
PHONE, SIDEWAYS, LAPTOP = (360, 640), (860, 400), (1280, 720)
HEIGHT, LOW = 480, 330
"""Of a photograph in the picture, in pixels: of an upright one, of one on its side."""
GAP, LINE = 14, 26
PAPER, INK = (246, 244, 238), (40, 40, 40)


@dataclass(frozen=True)
class Shot:
    """One photograph: which scenario takes it under which name, and what stands below it."""

    scenario: str
    name: str
    below: str
    size: tuple[int, int] = PHONE
    language: str = "en"


ROWS = (
    (
        Shot("tour", "tour1", "The first steps"),
        Shot("seats", "seats", "Before the game"),
        Shot("screens", "table", "The table"),
        Shot("screens", "player", "A play entered"),
        Shot("screens", "large", "Large type"),
        Shot("screens", "log", "The log"),
        Shot("screens", "event", "One event"),
    ),
    (
        Shot("screens", "correct", "Put right"),
        Shot("replayed", "replay", "The evening again"),
        Shot("screens", "rules", "The rules"),
        Shot("screens", "ask", "A question to them"),
        Shot("evening", "ledger", "The ledger"),
        Shot("enrolled", "enrolling", "A deck is learnt"),
        Shot("enrolled", "enrolled", "The decks"),
    ),
    (
        Shot("screens", "more", "More"),
        Shot("score", "score-illegal", "Without a camera"),
        Shot("score", "score-illegal", "In German", language="de"),
        Shot("evening", "more-de", "More, in German"),
        Shot("seats", "dark", "Too dark"),
        Shot("score", "score-over", "The game is over"),
        Shot("score", "next-game", "The next one"),
    ),
    (
        Shot("screens", "table", "On its side", size=SIDEWAYS),
        Shot("screens", "table", "On a laptop", size=LAPTOP),
        Shot("places", "places", "Where things lie", size=LAPTOP),
    ),
)


def photograph(shots: list[Shot], folder: Path) -> dict[Shot, Path]:
    """Take the photographs, each walk once. Returns where they are."""
    sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "companion")]
    import test_screens

    for kind in ("DATA_HOME", "CACHE_HOME", "STATE_HOME"):
        os.environ[f"XDG_{kind}"] = str(folder / kind.lower())  # not this user's own decks and settings
    found = {}
    for shot in shots:
        os.environ["SHITHEAD_SCREENS_IN"] = shot.language
        taken = folder / shot.language
        os.environ["SHITHEAD_SCREENSHOTS"] = str(taken)
        walked = taken / f"{shot.scenario}-{shot.size[0]}x{shot.size[1]}"
        if not walked.exists():
            print(walked.relative_to(folder), flush=True)
            test_screens._walk.__wrapped__(shot.scenario, *shot.size, 1.0)
        found[shot] = walked / f"{shot.name}.png"
    return found


def compose(found: dict[Shot, Path]) -> Image.Image:
    """Set the photographs into one picture, in their rows."""
    rows = [[(shot, _shrunk(shot, found[shot])) for shot in row] for row in ROWS]
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


def _shrunk(shot: Shot, path: Path) -> Image.Image:
    picture = Image.open(path).convert("RGB")
    share = (HEIGHT if shot.size == PHONE else LOW) / picture.height
    return picture.resize(
        (round(picture.width * share), round(picture.height * share)), Image.Resampling.LANCZOS
    )


def main(out: Path, kept: Path | None) -> None:
    """Photograph and compose."""
    with tempfile.TemporaryDirectory() as scratch:
        page = compose(photograph([shot for row in ROWS for shot in row], kept or Path(scratch)))
    # So many colours are plenty for screens, and a third of the size.
    page.quantize(192, dither=Image.Dither.NONE).save(out, optimize=True)
    print(f"{out}: {page.width} by {page.height}, {out.stat().st_size // 1000} kB")


if __name__ == "__main__":
    main(
        Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "screens.png",
        Path(sys.argv[2]).resolve() if len(sys.argv) > 2 else None,
    )
