"""Whether the packages of the extra `phone` are installed."""

from __future__ import annotations

from importlib.util import find_spec

from engine.errors import BadInputError

PACKAGES = ("aiohttp", "cryptography", "segno", "zeroconf", "ifaddr")
HOW_TO_ADD = "pip install 'shithead-referee[phone]'"


def missing_packages() -> list[str]:
    """Return the packages of the extra that are not installed."""
    return [name for name in PACKAGES if find_spec(name) is None]


def require_phone_extra() -> None:
    """Check that phones can join.

    Raises:
        BadInputError: a package is missing. The line says how to add it.
    """
    missing = missing_packages()
    if missing:
        raise BadInputError(
            "phones cannot join, because {packages} is missing; add it with: {command}",
            packages=", ".join(missing),
            command=HOW_TO_ADD,
        )
