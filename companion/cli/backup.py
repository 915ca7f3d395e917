"""`shithead backup`: copy everything in the store to one file."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Add this sub-command's arguments."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "backup",
        help="copy all stored games to a file",
        description="Copy every evening, game and ruling to one file, even during a game. "
        "An existing file is not overwritten.",
    )
    parser.add_argument("file", metavar="OUT.sqlite", type=Path, help="the copy")
    parser.add_argument("--store", metavar="FILE", type=Path, help="copy this store, not the user's own")
    return parser


def run(args: argparse.Namespace) -> int:
    """Copy the store, and print the number of games."""
    from companion.store.backup import back_up, count_games

    path = back_up(args.file, args.store)
    games = count_games(path)
    print(f"{games} game{'' if games == 1 else 's'} copied to {path}")
    return 0
