"""The console script `shithead`: finds the sub-command, turns bad input into one line and status 2."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Sequence

from engine.errors import BadInputError

COMMANDS = (
    "app",
    "judge",
    "read",
    "watch",
    "film",
    "score",
    "tally",
    "rules",
    "simulate",
    "record",
    "deck",
    "evaluate",
    "backup",
    "restore",
    "erase",
    "doctor",
)
"""Sub-commands in the order of `--help`; each is a module of `companion.commands`."""


def build_parser() -> argparse.ArgumentParser:
    """Return the parser with every sub-command. Command modules import nothing heavy until they run."""
    parser = argparse.ArgumentParser(
        prog="shithead",
        description="A referee for Shithead played with real cards: it sees the table and cites the rule.",
    )
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name in COMMANDS:
        module = importlib.import_module(f"companion.commands.{name}")
        command = module.add_parser(subparsers)
        command.set_defaults(run=module.run)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one sub-command. Returns the exit status: 0 done, 2 bad input, 130 interrupted."""
    args = build_parser().parse_args(argv)
    try:
        return int(args.run(args))
    except BadInputError as error:
        print(f"shithead {args.command}: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # The reader of our output has gone (`shithead ... | head`): that is its right, and no error.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        print(f"shithead {args.command}: {where}{error.strerror or error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    raise SystemExit(main())
