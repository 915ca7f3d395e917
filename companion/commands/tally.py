"""`shithead tally`: the evening's losers, from the store."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from engine.errors import BadInputError


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Add this sub-command's arguments."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "tally",
        help="the evening's losers",
        description="Per player: games, losses, losses in a row, rituals due. From the store on this device.",
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="one JSON object on stdout")
    form.add_argument("--csv", action="store_true", help="CSV on stdout")
    parser.add_argument("--png", metavar="OUT", type=Path, help="write a picture to share")
    parser.add_argument("--all", action="store_true", help="every evening, not only the last one")
    parser.add_argument("--store", metavar="FILE", type=Path, help="read this store, not the user's own")
    return parser


def run(args: argparse.Namespace) -> int:
    """Print the tally in the form asked for."""
    from companion import sharing
    from companion.evening import tally_of
    from companion.outputs import check_outputs
    from companion.store import Store, default_path, is_there

    check_outputs({"--png": args.png}, store=args.store or default_path())
    if args.store is not None and not is_there(args.store):
        raise BadInputError(f"{args.store}: no such file")
    with Store.open_to_read(args.store) as store:
        if store.notice:
            print(f"shithead tally: {store.notice}", file=sys.stderr)
        tally = tally_of(store, all_evenings=args.all)
    if args.png is not None:
        sharing.save_picture(tally, args.png, title="All evenings" if args.all else "Tonight")
    if args.json:
        print(json.dumps(sharing.as_json(tally), ensure_ascii=False))
    elif args.csv:
        print(sharing.as_csv(tally), end="")
    elif args.png is None:
        print(sharing.as_text(tally))
    return 0
