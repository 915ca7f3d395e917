"""`shithead restore`: replace the store by a backup."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Add this sub-command's arguments."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "restore",
        help="replace the stored games by a backup",
        description="Replace the store by a file of `shithead backup`. The present store is renamed, not "
        "deleted. Close the window first.",
    )
    parser.add_argument("file", metavar="FILE", type=Path, help="a file that `shithead backup` wrote")
    parser.add_argument("--store", metavar="FILE", type=Path, help="restore to here, not to the user's own")
    return parser


def run(args: argparse.Namespace) -> int:
    """Restore, and print where the former store has gone."""
    from companion.store.backup import restore
    from companion.store.store import Store

    aside = restore(args.file, args.store)
    with Store.open_to_read(args.store) as store:
        games = len(store.games())
    print(f"{games} game{'' if games == 1 else 's'} restored")
    if aside is not None:
        print(f"the former store is now {aside}")
    return 0
