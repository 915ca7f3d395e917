"""`shithead read`: the cards in a picture."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.errors import BadInputError
from vision.capture.addresses import without_passwords

if TYPE_CHECKING:
    from vision.types import CardReader, CardReading, Image


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Add this sub-command's arguments."""
    parser: argparse.ArgumentParser = subparsers.add_parser("read", help="name the cards in pictures")
    parser.add_argument("images", nargs="+", type=Path, metavar="IMAGE")
    parser.add_argument("--json", action="store_true", help="one JSON line per picture")
    parser.add_argument("--save", type=Path, metavar="OUT.jpg", help="draw the cards on the picture")
    parser.add_argument("--deck", metavar="NAME", help="an enrolled deck")
    return parser


def run(args: argparse.Namespace) -> int:
    """Read the pictures one by one.

    An unreadable picture gets one line on stderr, and the others are still read. The status is then 2.
    """
    if args.save is not None and len(args.images) > 1:
        raise BadInputError(f"--save {args.save}: it takes one picture, and {len(args.images)} are given")
    from companion.cli.outputs import check_outputs
    from vision.decks.deck_files import deck_path
    from vision.images import check_image_name, read_image
    from vision.recognition.reader import reader_for_deck

    check_outputs({"--save": args.save}, [*args.images, deck_path(args.deck) if args.deck else None])
    if args.save is not None:
        check_image_name(args.save)
    reader = reader_for_deck(args.deck)
    failed = False
    for path in args.images:
        try:
            image = read_image(path)
        except BadInputError as error:
            print(f"shithead read: {without_passwords(str(error))}", file=sys.stderr)
            failed = True
            continue
        _read_one(reader, path, image, args)
    return 2 if failed else 0


def _read_one(reader: CardReader, path: Path, image: Image, args: argparse.Namespace) -> None:
    from vision.images import save_image
    from vision.table.drawing import draw_readings

    start = time.perf_counter()
    readings = reader.read(image)
    milliseconds = 1000 * (time.perf_counter() - start)
    if args.json:
        print(json.dumps(json_entry(path, image, readings, milliseconds)), flush=True)
    else:
        print(table_text(path, readings, milliseconds), flush=True)
    if args.save is not None:
        save_image(args.save, draw_readings(image, readings))


def json_entry(
    path: Path, image: Image, readings: Sequence[CardReading], milliseconds: float
) -> dict[str, Any]:
    """Return the line for one picture, as in `docs/files.md`."""
    return {
        "image": str(path),
        "width": int(image.shape[1]),
        "height": int(image.shape[0]),
        "ms": round(milliseconds, 1),
        "cards": [reading.to_json() for reading in readings],
    }


def table_text(path: Path, readings: Sequence[CardReading], milliseconds: float) -> str:
    """Return the cards of one picture as lines for people, in reading order."""
    lines = [f"{path}: {len(readings)} cards, {milliseconds:.0f} ms"]
    for reading in sorted(
        readings, key=lambda r: (round(float(r.quad[:, 1].mean()), -2), r.quad[:, 0].mean())
    ):
        x, y = reading.quad.mean(axis=0)
        name = "face down" if reading.face == "down" else reading.card or "??"
        others = "  or ".join(f"{card} {share:.2f}" for card, share in reading.alternatives[:3])
        note = f"   perhaps {others}" if reading.card is None and others else ""
        lines.append(f"  {name:<9}  {reading.confidence:5.2f}  at {x:5.0f}, {y:5.0f}{note}")
    return "\n".join(lines)
