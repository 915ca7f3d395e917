"""The version of the program that runs."""

from __future__ import annotations


def version() -> str | None:
    """Return the version, or None if the program runs from a folder and is not installed."""
    from importlib import metadata  # takes a fifth of the start of a command, which seldom asks

    try:
        return metadata.version("shithead-referee")
    except metadata.PackageNotFoundError:
        return None
