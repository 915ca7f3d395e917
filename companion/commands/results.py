"""`shithead results`: one page that holds every goal of the product against what was measured."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

from engine.errors import BadInputError


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Add this sub-command's arguments."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "results",
        help="make one page of all that was measured",
        description="Read what measure, evaluate --json, soak and the benchmarks wrote, and write one page:"
        " each goal, what was reached, or `not measured`.",
    )
    parser.add_argument(
        "--folder",
        type=Path,
        default=Path("docs") / "measured",
        metavar="DIR",
        help="with films.json, photos.jsonl, soak.json, soak.png, benchmarks.jsonl (default: %(default)s)",
    )
    parser.add_argument(
        "--out",
        type=Path,
        default=Path("docs") / "results.md",
        metavar="FILE",
        help="the page (default: %(default)s)",
    )
    return parser


def run(args: argparse.Namespace) -> int:
    """Write the page. Raises BadInputError for a folder that is none, or files that no command wrote."""
    from datasets.measuring.results import page, read_measured

    measured = read_measured(args.folder)
    if not args.out.parent.is_dir():
        raise BadInputError(f"{args.out}: there is no folder {args.out.parent}")
    plot = args.folder / "soak.png"
    seen_from_page = Path(os.path.relpath(plot, args.out.parent)).as_posix() if plot.is_file() else None
    args.out.write_text(page(measured, seen_from_page), encoding="utf-8")
    print(args.out)
    return 0
