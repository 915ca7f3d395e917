"""`shithead evaluate`: how well cards are read on labelled photographs, and in rendered frames."""

from __future__ import annotations

import argparse
import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from companion.cli.jobs import add_jobs, jobs_of
from companion.cli.progress import Bar
from engine.errors import BadInputError

if TYPE_CHECKING:
    from datasets.measuring.reading.evaluation import PhotoSet, ReadAll
    from datasets.measuring.reading.scores import Score

_COLUMNS = (
    ("set", 25),
    ("photos", 6),
    ("cards", 5),
    ("precision", 9),
    ("recall", 6),
    ("identity_right", 14),
    ("confidently_wrong", 17),
    ("share", 6),
    ("calibration_error", 17),
    ("ms", 7),
)


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Add this sub-command's arguments."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "evaluate", help="measure reading on labelled photos"
    )
    parser.add_argument(
        "--photos", type=Path, metavar="DIR", help="folder of the photo sets (default: SHITHEAD_PHOTOS)"
    )
    parser.add_argument(
        "--sets",
        metavar="A,B",
        help="which sets (default: all that are there, and held_out): a known one, or the folder, below"
        " that of the photos, of any other; held_out: rendered frames of decks that no network was trained"
        " on, whose jokers have a row of their own",
    )
    parser.add_argument("--deck", metavar="NAME", help="read with this enrolled deck")
    parser.add_argument(
        "--enrolled",
        action="store_true",
        help="sets of one deck once more: each photo with the deck learnt from other pictures of it",
    )
    parser.add_argument(
        "--beside",
        type=Path,
        metavar="WEIGHTS",
        help="sets once more by a plain one-stage detector (python -m models.onestage.train makes one)",
    )
    parser.add_argument("--beside-only", action="store_true", help="measure that detector alone")
    parser.add_argument("--json", action="store_true", help="one JSON line per set")
    add_jobs(parser)
    return parser


def run(args: argparse.Namespace) -> int:
    """Measure, and print one row per set."""
    from datasets.measuring.reading.evaluation import with_deck, with_detector
    from datasets.measuring.reading.held_out import NAME as HELD_OUT
    from datasets.photos import photos_root

    jobs, cluster = jobs_of(args)
    root = args.photos or photos_root()
    root = root.resolve() if root is not None else None
    if args.beside_only and args.beside is None:
        raise BadInputError("--beside-only: name the detector's weights with --beside")
    asked = [name.strip() for name in (args.sets or "").split(",") if name.strip()]
    rendered = [name for name in asked if name == HELD_OUT]
    if rendered and args.deck is not None:
        raise BadInputError("--sets held_out: measured without --deck")
    sets = {} if rendered == asked != [] else _sets([name for name in asked if name != HELD_OUT], root)
    detector = None if args.beside is None else with_detector(args.beside.resolve(), jobs, cluster)
    if not args.json:
        print("  ".join(f"{title:>{width}}" for title, width in _COLUMNS))
    ways = _Ways(with_deck(args.deck, jobs, cluster), detector, jobs, cluster)
    for name in sets:
        _measure(name, sets, root, ways, args)
    if rendered or not asked:
        _print_held_out(args, jobs, cluster, only_this=bool(rendered))
    return 0


class _Ways(NamedTuple):
    """How photos are read."""

    ours: ReadAll
    detector: ReadAll | None
    jobs: int
    cluster: str | None


def _sets(asked: list[str], root: Path | None) -> dict[str, PhotoSet]:
    """Return the sets of photos to measure, and say which of those that are there are not.

    Raises:
        BadInputError: there is no such set, or no folder of photos for it.
    """
    from datasets.measuring.reading.evaluation import TRAINED_ON, photo_sets

    if root is None or not root.is_dir():
        raise BadInputError(f"{root or 'no photo folder'}: name the folder of the photo sets with --photos")
    trained = [name for name in TRAINED_ON if (root / name).is_dir()]
    if trained and not asked:
        _say(f"left out, for networks were trained on them: {', '.join(trained)}")
    return photo_sets(root, asked)


def _measure(
    name: str, sets: dict[str, PhotoSet], root: Path | None, ways: _Ways, args: argparse.Namespace
) -> None:
    """Measure one set of photos in every way that is asked for."""
    from datasets.measuring.reading.enrolled import ENROLLABLE, with_own_deck
    from datasets.measuring.reading.evaluation import BESIDE, INDEX_ALONE, evaluate_photos

    def measured(read_all: ReadAll, row: str, *, boxes: bool = False) -> None:
        with Bar(row, "photos", wanted=not args.json) as bar:
            score = evaluate_photos(read_all, [name], root, bar.show, boxes=boxes, sets=sets)[0]
        score.name = row
        _print(score, args.json)

    if not args.beside_only:
        measured(ways.ours, name)
        if args.enrolled and name in ENROLLABLE:
            with Bar(f"{name}: learning", "pictures", wanted=not args.json) as bar:
                own = with_own_deck(name, root, ways.jobs, ways.cluster, bar.show)
            measured(own, f"{name}+deck")
    if ways.detector is not None and name != INDEX_ALONE:  # a detector of cards finds none there
        measured(ways.detector, name + BESIDE, boxes=True)


def _print_held_out(args: argparse.Namespace, jobs: int, cluster: str | None, *, only_this: bool) -> None:
    """Measure the rendered frames of held-out decks: with --enrolled and --beside once more in these ways.

    Raises:
        BadInputError: they were asked for (`only_this`), and a deck's art cannot be had.
    """
    from datasets.art.decks import deck_names, load_deck
    from datasets.measuring.reading.held_out import evaluate_held_out

    try:
        for deck in deck_names("valid"):
            load_deck(deck)
    except BadInputError as error:
        if only_this:
            raise
        _say(f"held_out: left out; {error}")
        return
    if args.deck is not None:
        _say("held_out: left out; it is measured without --deck")
        return
    beside = None if args.beside is None else args.beside.resolve()
    ways: list[tuple[bool, Path | None]] = [] if args.beside_only else [(False, None)]
    ways += [(True, None)] if args.enrolled and not args.beside_only else []
    ways += [(False, beside)] if beside is not None else []
    for enrolled, weights in ways:
        with Bar("held_out", "frames", wanted=not args.json) as bar:
            scores = evaluate_held_out(enrolled, weights, jobs=jobs, cluster=cluster, progress=bar.show)
        for score in scores:
            _print(score, args.json)


def _say(text: str) -> None:
    print(f"shithead evaluate: {text}", file=sys.stderr)


def _print(score: Score, as_json: bool) -> None:
    from datasets.measuring.machine import load, machine

    row = score.to_json()
    if as_json:
        made = datetime.now(UTC).strftime("%Y-%m-%d")
        print(json.dumps({**row, "load": load(), "made": made, "machine": machine()}), flush=True)
    else:
        print(_line(row), flush=True)


def _line(row: dict[str, Any]) -> str:
    cells = []
    for title, width in _COLUMNS:
        value = row["confidently_wrong_share" if title == "share" else title]
        text = (
            "-"
            if value is None
            else f"{value:.3f}"
            if isinstance(value, float) and title != "ms"
            else str(value)
        )
        cells.append(f"{text:>{width}}")
    return "  ".join(cells)
