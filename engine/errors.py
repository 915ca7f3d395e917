"""The one exception that stands for bad input."""

from __future__ import annotations

from typing import Any

from engine.messages import message


class BadInputError(ValueError):
    """Input that cannot be used: a file, a message, an option.

    The message is one line, complete in itself, that names the input and what is wrong with it; the
    command line prints it as it stands and exits with status 2. The app says it in the user's language, so
    it is given as a form and its facts: `BadInputError("{path}: no such file", path=path)`.
    """

    def __init__(self, form: str, **facts: Any) -> None:
        self.says = message(form, **facts)
        super().__init__(str(self.says))
