"""`shithead doctor`: not built yet."""

from __future__ import annotations

import argparse
from typing import Any

from engine.errors import BadInputError


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Add this sub-command's arguments."""
    parser: argparse.ArgumentParser = subparsers.add_parser("doctor", help="not built yet")
    return parser


def run(args: argparse.Namespace) -> int:
    """Say that the command does not exist yet."""
    raise BadInputError("this command is not built yet")
