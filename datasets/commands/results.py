"""`shithead results`: writes a page that compares every goal of the product with what was measured."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

from engine.files.atomic import write_whole


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
        help="with films.json, lively.json, people.json, photos.jsonl, soak.json, soak.png, benchmarks.jsonl"
        " (default: %(default)s)",
    )
    parser.add_argument(
        "--out",
        type=Path,
        default=Path("docs") / "results.md",
        metavar="FILE",
        help="the page (default: %(default)s)",
    )
    return parser


def _read_from(folder: Path) -> list[Path]:
    return [path for kind in ("*.json", "*.jsonl", "*.png") for path in folder.glob(kind)]


def run(args: argparse.Namespace) -> int:
    """Write the page. Raises BadInputError if there is no such folder, or no command wrote its files."""
    from companion.cli.outputs import check_outputs
    from datasets.measuring.results.page import page, read_measured

    check_outputs({"--out": args.out}, _read_from(args.folder))
    measured = read_measured(args.folder)
    plot = args.folder / "soak.png"
    seen_from_page = Path(os.path.relpath(plot, args.out.parent)).as_posix() if plot.is_file() else None
    write_whole(args.out, page(measured, seen_from_page))
    print(args.out)
    return 0
