"""Argument types that several commands share, and that shell completion recognises."""

from __future__ import annotations


def ruleset(text: str) -> str:
    """Return the name of a ruleset, or the path of a house variant, unchanged. Its loader checks it.

    `shithead completion` recognises arguments of this type, and offers the rulesets.
    """
    return text
