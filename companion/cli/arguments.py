"""What arguments of several commands stand for, where the shell is to know it too."""

from __future__ import annotations


def ruleset(text: str) -> str:
    """Return a ruleset's name, or the file of a house variant, as it is: its loader knows what is wrong.

    The type of arguments that name a ruleset; by it `shithead completion` knows them.
    """
    return text
