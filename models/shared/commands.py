"""Runs the commands of `models`: bad input and interruptions end them with one line, not a stack trace."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import NoReturn

from engine.errors import BadInputError

CONTINUES = "the same command continues from the last checkpoint"


def run_command(main: Callable[[], None], if_interrupted: str = CONTINUES) -> NoReturn:
    """Run a module's `main` and end the process with status 0, 2 (bad input) or 130 (interrupted).

    After an interruption the message `if_interrupted` says what becomes of the unfinished work.
    """
    try:
        main()
    except BadInputError as error:
        print(" ".join(str(error).splitlines()), file=sys.stderr)
        raise SystemExit(2) from None
    except KeyboardInterrupt:
        print(f"interrupted; {if_interrupted}", file=sys.stderr)
        raise SystemExit(130) from None
    raise SystemExit(0)
