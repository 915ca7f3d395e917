"""How the commands of `models` end: bad input and interruptions in one line, without a stack trace."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import NoReturn

from engine.errors import BadInputError

GOES_ON = "the same command goes on from the last checkpoint"


def run_command(main: Callable[[], None], if_interrupted: str = GOES_ON) -> NoReturn:
    """Run a module's `main` and end the process with status 0, 2 (bad input) or 130 (interrupted).

    `if_interrupted` is what a user is then told of the work begun.
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
