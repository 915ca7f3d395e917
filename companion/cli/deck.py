"""`shithead deck`: show the program your cards once, so that it reads them better."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from companion.cli.progress import Bar
from engine.errors import BadInputError

if TYPE_CHECKING:
    from vision.decks.deck import Deck
    from vision.enrolment.deck_scan import DeckScan, UnidentifiedCard
    from vision.recognition.classifier import CardClassifier
    from vision.types import Image, Quad

_CARD_IN_NAME = re.compile(r"(?P<card>(?:10|[2-9AJQK])[CDHS]|JOKER)(?![0-9A-Z])", re.IGNORECASE)
_PICTURES = {".jpg", ".jpeg", ".png", ".webp", ".bmp", ".tif", ".tiff", ".avif", ".heic", ".heif"}
_DECK_FILE = ".npz"
_IDLE_SECONDS = 30.0
"""A camera is released after this long without a new card, once a card was shown."""
_NAMED_MISSING = 12
"""Up to this number, missing cards are named; beyond it, only counted."""


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Add this sub-command's arguments."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "deck", help="enrol your own deck of cards, list and remove enrolled ones"
    )
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    enrol = actions.add_parser(
        "enrol",
        help="learn a deck that is shown card by card",
        description="Show every card of the pack face up, one at a time, in any order. Hold each still for a "
        "second. You may also show jokers and the back of one card, before the last card. A camera is "
        "watched until all 52 cards are recognised, until Ctrl-C, or for half a minute without a new card. "
        "Photos show one card each. Their file names begin with the card: 10H.jpg, QS_2.jpg. Unusable "
        "photos are named and left out. A shared deck file (`deck show` names it) is taken as it is, if it "
        "was enrolled with the same networks.",
    )
    enrol.add_argument("name", help="what to call the deck: letters, digits, - and _")
    enrol.add_argument(
        "source",
        nargs="+",
        metavar="SOURCE",
        help="a film, a camera number, a stream URL; or photos, or a folder of them; or a deck file (.npz)",
    )
    enrol.add_argument("--replace", action="store_true", help="replace a deck of that name")
    enrol.add_argument("--json", action="store_true", help="print the result as one JSON line")
    actions.add_parser("list", help="the enrolled decks")
    show = actions.add_parser("show", help="which cards of a deck are enrolled")
    show.add_argument("name")
    remove = actions.add_parser("remove", help="forget a deck")
    which = remove.add_mutually_exclusive_group(required=True)
    which.add_argument("name", nargs="?")
    which.add_argument("--learnt", action="store_true", help="what was learnt during play")
    return parser


def run(args: argparse.Namespace) -> int:
    """Run the action."""
    return {"enrol": _enrol, "list": _list, "show": _show, "remove": _remove}[args.action](args)


def card_of(path: Path) -> str:
    """Return the card at the beginning of a photo's file name. Raises BadInputError if there is none."""
    match = _CARD_IN_NAME.match(path.stem)
    if match is None:
        raise BadInputError(f"{path}: the file name must begin with the card, as in 10H.jpg or QS_2.jpg")
    return match["card"].upper()


# --- enrolling ----------------------------------------------------------------------------------------


def _enrol(args: argparse.Namespace) -> int:
    from vision.decks.deck_files import deck_path, save_deck
    from vision.decks.deck_head import DeckHead

    # Check first: nobody should show a whole pack before they learn that its name is taken.
    if deck_path(args.name).exists() and not args.replace:
        raise BadInputError(f"deck {args.name}: enrolled already; --replace replaces it")
    doubts: Sequence[UnidentifiedCard] = ()
    if len(args.source) == 1 and Path(args.source[0]).suffix.lower() == _DECK_FILE:
        deck = _from_file(args.name, Path(args.source[0]))
    elif len(args.source) == 1 and _is_moving(args.source[0]):
        deck, doubts = _from_scan(args.name, args.source[0], tells=not args.json)
    else:
        deck = _from_photos(args.name, [Path(source) for source in args.source], tells=not args.json)
    DeckHead(deck)
    save_deck(deck)
    _report(deck, doubts, as_json=args.json)
    return 0


def _from_file(name: str, path: Path) -> Deck:
    """Return a shared deck under a new name."""
    from vision.decks.deck_files import read_deck
    from vision.recognition.classifier import weights_fingerprint

    deck = read_deck(path, name)
    if deck.weights_fingerprint != weights_fingerprint():
        raise BadInputError(f"{path}: enrolled with other network weights; it must be enrolled again")
    return deck


def _is_moving(source: str) -> bool:
    """Return whether a source is a film, camera or stream, rather than photos."""
    if source.isdecimal() or "://" in source:
        return True
    path = Path(source)
    return not path.is_dir() and path.suffix.lower() not in _PICTURES


def _report(deck: Deck, doubts: Sequence[UnidentifiedCard], *, as_json: bool) -> None:
    enrolled, missing = _enrolled(deck)
    if as_json:
        open_ = [{"t": round(doubt.t, 2), "maybe": list(doubt.candidates)} for doubt in doubts]
        back = bool(len(deck.backs))
        line = {"deck": deck.name, "enrolled": enrolled, "missing": missing, "unclear": open_, "back": back}
        print(json.dumps(line))
        return
    print(f"deck {deck.name}: {len(enrolled)} cards enrolled{', and the back' if len(deck.backs) else ''}")
    for doubt in doubts:
        choice = " or ".join(doubt.candidates) or "not one of the pack, or shown twice"
        print(f"the card shown at {doubt.t:.1f} s was not recognised: {choice}")
    if missing:
        print(f"missing: {' '.join(missing)}")


def _enrolled(deck: Deck) -> tuple[list[str], list[str]]:
    """Return the enrolled cards, and those of the 52 that are missing."""
    from vision.decks.deck import DECK_CARDS

    counts = Counter(deck.cards)
    missing = [card for card in DECK_CARDS if not counts[card] and card != "JOKER"]
    return [card for card in DECK_CARDS if counts[card]], missing


def _from_scan(name: str, spec: str, *, tells: bool) -> tuple[Deck, Sequence[UnidentifiedCard]]:
    """Return the deck from a film or a camera, and the cards that were not recognised."""
    from companion.game.enrolling import open_enrolment

    scan, learn = open_enrolment(name)
    with Bar("deck", "cards", wanted=tells) as bar:
        _watch(spec, scan, bar)
    try:
        with Bar("learning", "pictures", wanted=tells) as bar:
            return learn(scan, bar.show)
    except BadInputError as error:
        raise BadInputError(f"{spec}: {error}") from None


def _watch(spec: str, scan: DeckScan, bar: Bar) -> None:
    """Scan the source until it ends, or nothing more is shown."""
    from companion.game.enrolling import PACK_SIZE, PackScanner
    from vision.capture.sources import open_source

    source = open_source(spec)
    watch = PackScanner(source, scan)
    try:
        for _t, _frame, seen in watch:
            if seen in ("taken", "seen"):
                missing = scan.missing()
                bar.show(PACK_SIZE - len(missing), PACK_SIZE, _so_far(scan, missing))
            if source.live and scan.shown_cards and watch.idle_s > _IDLE_SECONDS:
                return
    except KeyboardInterrupt:
        # This is the usual way to end in front of a camera.
        if not source.live:
            raise
    except BadInputError as error:
        # A film can be scanned again, but nobody should have to show a pack to a camera twice.
        if not source.live or not scan.shown_cards:
            raise
        print(f"shithead deck: {error}; the cards shown so far are used", file=sys.stderr)
    finally:
        source.close()


def _so_far(scan: DeckScan, missing: Sequence[str]) -> str:
    left = " ".join(missing) if len(missing) <= _NAMED_MISSING else f"{len(missing)} cards"
    return f"{len(scan.shown_cards)} shown; missing: {left or 'none'}"


def _from_photos(name: str, paths: list[Path], *, tells: bool) -> Deck:
    """Return the deck from photos of one card each. Unusable photos are named and left out."""
    # Check names first: nobody should wait for the networks because of a typing error.
    photos = [(path, card) for path in _photos(paths) if (card := _named(path)) is not None]
    if not photos:
        raise BadInputError(f"{paths[0]}: no photo of a card (their names begin with it: 10H.jpg, QS_2.jpg)")
    from vision.enrolment.examples import enrol
    from vision.recognition.classifier import CardClassifier

    classifier = CardClassifier()
    with Bar("deck", "photos", wanted=tells) as bar:
        return enrol(name, _shown(photos, classifier, bar), classifier)


def _photos(paths: list[Path]) -> list[Path]:
    found: list[Path] = []
    for path in paths:
        inside = sorted(p for p in path.iterdir() if p.is_file()) if path.is_dir() else [path]
        if not inside:
            raise BadInputError(f"{path}: the folder is empty")
        found += inside
    return found


def _named(path: Path) -> str | None:
    """Return the card in a photo's file name, or print a line and return None."""
    try:
        return card_of(path)
    except BadInputError as error:
        _left_out(str(error))
        return None


def _shown(
    photos: Sequence[tuple[Path, str]], classifier: CardClassifier, bar: Bar
) -> Iterator[tuple[Image, Quad, str]]:
    """Yield each photo with its one card's quad, and the card's name."""
    from vision.enrolment.photos import SinglePhotoReader
    from vision.images import read_image

    reader = SinglePhotoReader(classifier)
    for number, (path, card) in enumerate(photos):
        bar.show(number, len(photos))
        try:
            image = read_image(path)
        except BadInputError as error:
            _left_out(str(error))
            continue
        quad, count = reader.find(image, card)
        if quad is None:
            _left_out(f"{path}: {count} face-up cards are in view, one is needed")
            continue
        yield image, quad, card


def _left_out(why: str) -> None:
    print(f"shithead deck: {why}; it is left out", file=sys.stderr)


# --- what is enrolled ---------------------------------------------------------------------------------


def _list(_: argparse.Namespace) -> int:
    from vision.decks.deck_files import deck_names, load_deck, load_learnt_deck
    from vision.enrolment.online_learning import MIN_DECK_CARDS, known_cards

    names = deck_names()
    if not names:
        print("no deck is enrolled")
    wrong = []
    for name in names:
        try:
            print(f"{name}: {len(set(load_deck(name).cards))} cards")
        except BadInputError as error:
            wrong.append(str(error))
    learnt = load_learnt_deck()
    if learnt is not None:
        known = len(known_cards(learnt))
        cards = f"{known} card{'' if known == 1 else 's'}"
        print(f"learnt during play: {cards} (used from {MIN_DECK_CARDS} on, where no deck is named)")
    for line in wrong[:-1]:
        print(f"shithead deck: {line}", file=sys.stderr)
    if wrong:
        raise BadInputError(wrong[-1])
    return 0


def _show(args: argparse.Namespace) -> int:
    from vision.decks.deck_files import deck_path, load_deck

    deck, path = load_deck(args.name), deck_path(args.name)
    enrolled, missing = _enrolled(deck)
    print(f"enrolled: {' '.join(enrolled)}")
    print(f"missing: {' '.join(missing) or 'none'}")
    print(f"back: {'enrolled' if len(deck.backs) else 'not shown'}")
    print(f"file: {path} ({max(1, round(path.stat().st_size / 1024))} KiB)")
    return 0


def _remove(args: argparse.Namespace) -> int:
    from vision.decks.deck_files import LEARNT_DECK, learnt_folder, remove_deck

    if args.learnt:
        try:
            remove_deck(LEARNT_DECK, learnt_folder())
        except BadInputError:
            raise BadInputError("nothing was learnt during play") from None
        print("what was learnt during play: forgotten")
        return 0
    remove_deck(args.name)
    print(f"deck {args.name}: forgotten")
    return 0
