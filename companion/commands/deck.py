"""`shithead deck`: show the program your cards once, so that it reads them better."""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.errors import BadInputError

if TYPE_CHECKING:
    from vision.reading import Image, Quad

_CARD_IN_NAME = re.compile(r"(?P<card>(?:10|[2-9AJQK])[CDHS]|JOKER)(?![0-9A-Z])", re.IGNORECASE)


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Add this sub-command's arguments."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "deck", help="enrol your own deck of cards, list and remove enrolled ones"
    )
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    enrol = actions.add_parser(
        "enrol",
        help="learn a deck from photos of single cards",
        description="A photo shows one card, face up; its file name begins with the card: 10H.jpg, QS_2.jpg.",
    )
    enrol.add_argument("name", help="what to call the deck: letters, digits, - and _")
    enrol.add_argument("photos", nargs="+", type=Path, metavar="PHOTO", help="a photo, or a folder of them")
    actions.add_parser("list", help="the enrolled decks")
    show = actions.add_parser("show", help="which cards of a deck are enrolled")
    show.add_argument("name")
    remove = actions.add_parser("remove", help="forget a deck")
    remove.add_argument("name")
    return parser


def run(args: argparse.Namespace) -> int:
    """Carry out the action."""
    return {"enrol": _enrol, "list": _list, "show": _show, "remove": _remove}[args.action](args)


def card_of(path: Path) -> str:
    """Return the card that a photo's file name begins with. Raises BadInputError when there is none."""
    match = _CARD_IN_NAME.match(path.stem)
    if match is None:
        raise BadInputError(f"{path}: the file name must begin with the card, as in 10H.jpg or QS_2.jpg")
    return match["card"].upper()


def _photos(paths: list[Path]) -> list[Path]:
    found: list[Path] = []
    for path in paths:
        inside = sorted(p for p in path.iterdir() if p.is_file()) if path.is_dir() else [path]
        if not inside:
            raise BadInputError(f"{path}: the folder is empty")
        found += inside
    return found


def _shown(paths: list[Path]) -> Iterator[tuple[Image, Quad, str]]:
    """Yield each photo's picture, its one card's quad, and the card."""
    from vision.outlines import OutlineFinder
    from vision.pictures import read_image

    finder = OutlineFinder()
    for number, path in enumerate(paths, start=1):
        print(f"\r{number} of {len(paths)} photos", end="", file=sys.stderr, flush=True)
        image = read_image(path)
        outlines = [outline for outline in finder.find(image) if outline.face == "up"]
        if len(outlines) != 1:
            print(file=sys.stderr)
            raise BadInputError(f"{path}: {len(outlines)} face-up cards are seen, one is needed")
        yield image, outlines[0].quad, card_of(path)
    print(file=sys.stderr)


def _enrol(args: argparse.Namespace) -> int:
    paths = _photos(args.photos)
    # Names first: nobody should wait for the networks to learn of a misspelt file.
    for path in paths:
        card_of(path)
    from vision.decks import DeckHead, deck_path, save_deck
    from vision.enrolment import enrol
    from vision.faces import FaceReader

    deck_path(args.name)
    deck = enrol(args.name, _shown(paths), FaceReader())
    DeckHead(deck)
    save_deck(deck)
    print(f"deck {args.name}: {len(set(deck.cards))} cards enrolled from {len(paths)} photos")
    return 0


def _list(_: argparse.Namespace) -> int:
    from vision.decks import deck_names, load_deck

    names = deck_names()
    if not names:
        print("no deck is enrolled")
    for name in names:
        print(f"{name}: {len(set(load_deck(name).cards))} cards")
    return 0


def _show(args: argparse.Namespace) -> int:
    from vision.decks import KNOWN, load_deck

    deck = load_deck(args.name)
    counts = Counter(deck.cards)
    enrolled = [card for card in KNOWN if counts[card]]
    missing = [card for card in KNOWN if not counts[card] and card != "JOKER"]
    print(f"enrolled: {' '.join(enrolled)}")
    print(f"missing: {' '.join(missing) or 'none'}")
    return 0


def _remove(args: argparse.Namespace) -> int:
    from vision.decks import remove_deck

    remove_deck(args.name)
    print(f"deck {args.name}: forgotten")
    return 0
