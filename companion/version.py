"""The version of the program that runs."""

from __future__ import annotations

from importlib import metadata


def version() -> str | None:
    """Return the version, or None if the program runs from a folder and is not installed."""
    try:
        return metadata.version("shithead-referee")
    except metadata.PackageNotFoundError:
        return None
