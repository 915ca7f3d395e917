"""The exception for bad input."""

from __future__ import annotations

from typing import Any

from engine.messages import message


class BadInputError(ValueError):
    """Input that cannot be used: a file, a message, an option.

    The message is one complete line that names the input and the mistake. The command line prints it
    unchanged and exits with status 2. The app translates it, so the message is a template with values:
    `BadInputError("{path}: no such file", path=path)`.
    """

    def __init__(self, form: str, **facts: Any) -> None:
        self.says = message(form, **facts)
        super().__init__(str(self.says))
