"""`shithead erase`: delete everything that the program stores on this device."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from engine.errors import BadInputError

_WORD = "erase"


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Add this sub-command's arguments."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "erase",
        help="delete everything that the program stores on this device",
        description="Delete all games, also those set aside, enrolled decks, settings and logs. Also delete "
        "incomplete files of a killed `watch --save` or `backup`, and the cache, in which training stores "
        "scenes and checkpoints. Files that you saved or shared yourself stay. This cannot "
        "be undone: see `shithead backup`.",
    )
    parser.add_argument("--yes", action="store_true", help="do not ask")
    parser.add_argument("--store", metavar="FILE", type=Path, help="erase only this store")
    return parser


def run(args: argparse.Namespace) -> int:
    """List all files, ask, and delete them."""
    from companion.store.backup import erase, foreign_links, stored_files

    files = stored_files(args.store)
    for file in files:
        print(file)
    for link, target in foreign_links(args.store):
        print(f"{link} is a link: its target, {target}, is not erased")
    if not files:
        print("nothing is stored")
        return 0
    if not args.yes and not _agreed(len(files)):
        raise BadInputError("nothing was erased")
    gone = erase(args.store)
    print(f"{len(gone)} file{'' if len(gone) == 1 else 's'} erased")
    return 0


def _agreed(count: int) -> bool:
    if not sys.stdin.isatty():
        raise BadInputError("nothing was erased: nobody can be asked here (say --yes)")
    answer = input(f"Erase {'this file' if count == 1 else f'these {count} files'}? Type {_WORD}: ")
    return answer.strip().lower() == _WORD
