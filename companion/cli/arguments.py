"""Argument types that several commands share, and that shell completion recognises."""

from __future__ import annotations

import argparse


def ruleset(text: str) -> str:
    """Return the name of a ruleset as it is written, in whatever case it was typed.

    The path of a house variant stays unchanged. Its loader checks it. `companion.cli.completion` recognises
    arguments of this type, and offers the rulesets.
    """
    from engine.ruleset import ruleset_name

    return ruleset_name(text)


def source(text: str) -> str:
    """Return a film, camera or address. The `http://` of an address may be left out."""
    from vision.capture.addresses import complete_address

    return complete_address(text)


def add_force(parser: argparse.ArgumentParser) -> None:
    """Add the switch without which a command overwrites no file."""
    parser.add_argument("--force", action="store_true", help="overwrite a file that exists")
