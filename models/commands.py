"""How the training commands end: bad input and interruptions are told in one line, without a stack trace."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import NoReturn

from engine.errors import BadInputError


def run_command(main: Callable[[], None]) -> NoReturn:
    """Run a module's `main` and end the process with status 0, 2 (bad input) or 130 (interrupted)."""
    try:
        main()
    except BadInputError as error:
        print(" ".join(str(error).splitlines()), file=sys.stderr)
        raise SystemExit(2) from None
    except KeyboardInterrupt:
        print("interrupted; the same command goes on from the last checkpoint", file=sys.stderr)
        raise SystemExit(130) from None
    raise SystemExit(0)
