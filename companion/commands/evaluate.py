"""`shithead evaluate`: how well cards are read on labelled photographs, and in rendered frames."""

from __future__ import annotations

import argparse
import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from companion.jobs import add_jobs, jobs_of
from engine.errors import BadInputError

if TYPE_CHECKING:
    from datasets.evaluation import Score

_COLUMNS = (
    ("set", 25),
    ("photos", 6),
    ("cards", 5),
    ("precision", 9),
    ("recall", 6),
    ("identity_right", 14),
    ("confidently_wrong", 17),
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
        help="which sets (default: all photo sets that are there); held_out: rendered frames of decks that no"
        " network was trained on",
    )
    parser.add_argument("--deck", metavar="NAME", help="read with this enrolled deck")
    parser.add_argument(
        "--enrolled",
        action="store_true",
        help="sets of one deck once more: each photo with the deck learnt from the set's other photos",
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
    from datasets.evaluation import BESIDE, evaluate_photos, with_deck, with_detector
    from datasets.held_out import NAME as HELD_OUT
    from datasets.photos import photos_root

    jobs, cluster = jobs_of(args)
    root = args.photos or photos_root()
    root = root.resolve() if root is not None else None
    names = _sets(args.sets, root)
    if args.beside_only and args.beside is None:
        raise BadInputError("--beside-only: name the detector's weights with --beside")
    detector = None if args.beside is None else with_detector(args.beside.resolve(), jobs, cluster)
    if not args.json:
        print("  ".join(f"{title:>{width}}" for title, width in _COLUMNS))
    ours = with_deck(args.deck, jobs, cluster)
    for name in names:
        if name == HELD_OUT:
            _print_held_out(args, jobs, cluster)
            continue
        if not args.beside_only:
            _print(evaluate_photos(ours, [name], root, _progress)[0], args.json)
            if args.enrolled:
                _print_enrolled(name, root, args.json)
        if detector is not None:
            score = evaluate_photos(detector, [name], root, _progress, boxes=True)[0]
            score.name = name + BESIDE
            _print(score, args.json)
    return 0


def _sets(asked: str | None, root: Path | None) -> list[str]:
    """Return the sets to measure.

    Raises:
        BadInputError: there is no such set, or no folder of photos for it.
    """
    from datasets.evaluation import MEASURES
    from datasets.held_out import NAME as HELD_OUT

    names = [name.strip() for name in (asked or "").split(",") if name.strip()]
    there = [*MEASURES, HELD_OUT]
    unknown = [name for name in names if name not in there]
    if unknown:
        raise BadInputError(f"--sets {unknown[0]}: no such set; there are {', '.join(there)}")
    if names == [HELD_OUT]:
        return names
    if root is None or not root.is_dir():
        raise BadInputError(f"{root or 'no photo folder'}: name the folder of the photo sets with --photos")
    names = names or [name for name, (folder, _) in MEASURES.items() if (root / folder).is_dir()]
    if not names:
        raise BadInputError(f"{root}: none of the photo sets is there")
    return names


def _print_held_out(args: argparse.Namespace, jobs: int, cluster: str | None) -> None:
    """Measure the rendered frames of held-out decks, with --enrolled once more with each deck enrolled."""
    from datasets.held_out import evaluate_held_out

    if args.beside_only or args.deck is not None:
        raise BadInputError("--sets held_out: measured without --deck and --beside-only")
    for enrolled in (False, True)[: 1 + args.enrolled]:
        _print(evaluate_held_out(enrolled, jobs=jobs, cluster=cluster, progress=_progress), args.json)


def _print_enrolled(name: str, root: Path | None, as_json: bool) -> None:
    """Measure a set of one deck with that deck enrolled; other sets are passed over."""
    from datasets.enrolled import ENROLLABLE, leave_one_out
    from datasets.evaluation import each_by, evaluate_photos

    if name not in ENROLLABLE:
        return
    readers = leave_one_out(name, root, _progress)
    score = evaluate_photos(each_by(readers), [name], root, _progress)[0]
    score.name = f"{name}+deck"
    _print(score, as_json)


def _print(score: Score, as_json: bool) -> None:
    from datasets.measuring.machine import machine

    row = score.to_json()
    print(file=sys.stderr)
    if as_json:
        made = datetime.now(UTC).strftime("%Y-%m-%d")
        print(json.dumps({**row, "made": made, "machine": machine()}), flush=True)
    else:
        print(_line(row), flush=True)


def _progress(text: str) -> None:
    print(f"\r{text}   ", end="", file=sys.stderr, flush=True)


def _line(row: dict[str, Any]) -> str:
    cells = []
    for title, width in _COLUMNS:
        value = row[title]
        text = (
            "-"
            if value is None
            else f"{value:.3f}"
            if isinstance(value, float) and title != "ms"
            else str(value)
        )
        cells.append(f"{text:>{width}}")
    return "  ".join(cells)
