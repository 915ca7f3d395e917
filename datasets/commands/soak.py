"""`shithead soak`: hours of films at real pace: does memory stay flat, and is nothing lost?"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from companion.cli.progress import Bar
from datasets.commands.measure import films_in, with_truth
from engine.errors import BadInputError
from engine.files.atomic import make_folder, write_whole

_MOST_HOURS = 1000.0


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Add this sub-command's arguments."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "soak",
        help="play films for hours at real pace, and watch memory and lag",
        description="Play films one after another as a camera would give them, keep the games in a store, and"
        " write memory, lag and losses to soak.json (one line) and soak.png.",
    )
    parser.add_argument(
        "film",
        metavar="FILM",
        type=Path,
        nargs="*",
        help="films with their truth, or folders (default: three whole games, rendered first)",
    )
    parser.add_argument("--hours", type=float, default=4.0, help="how long (default: %(default)s)")
    parser.add_argument("--pace", type=float, default=1.0, help="times real pace (default: %(default)s)")
    parser.add_argument(
        "--folder",
        type=Path,
        default=Path("out") / "soak",
        metavar="DIR",
        help="for the films, the store and the result (default: %(default)s)",
    )
    return parser


def run(args: argparse.Namespace) -> int:
    """Play for the time, write the result and print its JSON line without the samples."""
    if not 0 < args.hours <= _MOST_HOURS:
        raise BadInputError(f"--hours {args.hours:g}: it must be above 0 and at most {_MOST_HOURS:g}")
    if not 0.1 <= args.pace <= 1000:
        raise BadInputError(f"--pace {args.pace:g}: it must be from 0.1 to 1000")
    films = films_in(args.film)

    from companion.cli.outputs import check_outputs
    from datasets.measuring.films.plan import render
    from datasets.measuring.films.soak import FILMS, soak
    from datasets.measuring.films.soak_plot import draw_soak

    make_folder(args.folder)
    written = {part: args.folder / f"soak.{part}" for part in ("json", "png", "events.jsonl")}
    check_outputs(written, with_truth(films), store=args.folder / "soak.sqlite")
    if not films:
        for plan in FILMS:
            with Bar(f"rendering {plan.name}", "s") as bar:
                render(plan, args.folder, bar.show)
        films = [plan.film_in(args.folder) for plan in FILMS]
    with Bar("soak", "s") as bar:
        seconds = args.hours * 3600
        report = soak(films, args.folder, seconds, pace=args.pace, tell=_tell, progress=bar.show)
    write_whole(args.folder / "soak.json", json.dumps(report) + "\n")
    lists = ("games", "samples")
    print(json.dumps({name: value for name, value in report.items() if name not in lists}))
    draw_soak(report, args.folder / "soak.png")
    return 0


def _tell(text: str) -> None:
    print(f"soak: {text}", file=sys.stderr, flush=True)
