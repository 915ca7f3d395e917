"""The console script `shithead`: runs a sub-command, and turns bad input into one line and status 2."""

from __future__ import annotations

import argparse
import importlib
import logging
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NoReturn

from companion.cli.completion import answer_shell, asked_by_shell
from companion.cli.usage import usage_fault
from companion.files.caches import redirect_caches
from companion.files.logs import begin_logging, log_path
from companion.version import version
from engine.errors import BadInputError
from engine.messages import printable
from vision.capture.addresses import without_passwords

_log = logging.getLogger(__name__)

COMMANDS = (
    "app",
    "judge",
    "read",
    "watch",
    "serve",
    "film",
    "label",
    "score",
    "tally",
    "rules",
    "simulate",
    "record",
    "deck",
    "evaluate",
    "measure",
    "soak",
    "results",
    "backup",
    "restore",
    "erase",
    "doctor",
    "completion",
)
"""Sub-commands in the order of `--help`. Each is a module of `companion.cli` or `datasets.commands`."""
FROM_A_CHECKOUT = frozenset({"film", "evaluate", "measure", "soak", "results"})
"""The modules of `datasets.commands`: they render and measure, and are not installed."""
_ROOT = Path(__file__).resolve().parents[2]


class _Parser(argparse.ArgumentParser):
    """A parser that reports wrong arguments in one plain line."""

    def error(self, message: str) -> NoReturn:
        self.exit(
            2, f"{self.prog}: {printable(usage_fault(without_passwords(message)))}; see {self.prog} --help\n"
        )


class _Version(argparse.Action):
    """Prints the version, which is looked up only then."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        with suppress(OSError):  # as the parser's own messages do
            print(f"{parser.prog} {version() or '(not installed)'}")
        parser.exit()


def build_parser(commands: Sequence[str] = COMMANDS) -> argparse.ArgumentParser:
    """Return the parser of these sub-commands. Their modules import heavy modules only when they run."""
    parser = _Parser(
        prog="shithead",
        description="A referee for Shithead played with real cards: it sees the table and cites the rule.",
        epilog="Begin with: shithead app. What works here: shithead doctor. More on a command: "
        "shithead COMMAND --help.",
    )
    about = "show program's version number and exit"
    parser.add_argument("--version", action=_Version, nargs=0, default=argparse.SUPPRESS, help=about)
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND")
    for name in commands:
        if name in FROM_A_CHECKOUT and not (_ROOT / "datasets" / "commands").is_dir():
            _add_absent(subparsers, name)
            continue
        package = "datasets.commands" if name in FROM_A_CHECKOUT else "companion.cli"
        module = importlib.import_module(f"{package}.{name}")
        command = module.add_parser(subparsers)
        command.set_defaults(run=module.run, usage=command)
    return parser


def _add_absent(subparsers: Any, name: str) -> None:
    """Add a command that only says where to find it."""

    def run(_args: argparse.Namespace) -> NoReturn:
        raise BadInputError("this command runs from a checkout of the project; see CONTRIBUTING.md")

    command = subparsers.add_parser(name, help="only in a checkout of the project", add_help=False)
    command.add_argument("rest", nargs=argparse.REMAINDER)
    command.set_defaults(run=run)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one sub-command. Return its status: 0 done, 1 a bug, 2 bad input, 130 interrupted."""
    _open_what_is_closed()
    words = sys.argv[1:] if argv is None else list(argv)
    # A command that is named first needs no other's module, which saves half of its start.
    named = words[:1] if words and words[0] in COMMANDS and not asked_by_shell() else COMMANDS
    parser = build_parser(named)
    answer_shell(parser)
    args, unknown = parser.parse_known_args(words)
    if unknown:  # the command's own parser names the command
        getattr(args, "usage", parser).error(f"unrecognized arguments: {' '.join(unknown)}")
    if args.command is None:
        parser.print_help()
        return 0
    begin_logging()
    redirect_caches()
    try:
        with _ended_as_by_ctrl_c():
            status = int(args.run(args))
        sys.stdout.flush()  # a full disk can still be reported here
        return status
    except BadInputError as error:
        return _say(args.command, str(error))
    except BrokenPipeError:
        # The reader of our output has gone (`shithead ... | head`). That is no error.
        _let_go_of_stdout()
        return 0
    except KeyboardInterrupt:
        return 130
    except OSError as error:
        _let_go_of_stdout()
        where = f"{error.filename}: " if error.filename else ""
        return _say(args.command, f"{where}{error.strerror or error}")
    except Exception as error:
        # A bug: the trace goes to the log, and the user gets one line.
        _log.exception("shithead %s has failed", args.command)
        _say(args.command, f"the program failed ({type(error).__name__}: {error}); see {log_path()}")
        return 1


def _open_what_is_closed() -> None:
    """Send output to nowhere if stdout or stderr was closed before the start: Python has None there."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 - open to the end


@contextmanager
def _ended_as_by_ctrl_c() -> Iterator[None]:
    """Let SIGTERM and SIGHUP end the program like Ctrl-C, so that it cleans up.

    Signals that are ignored, as under `nohup`, stay ignored.
    """
    before = {}
    if threading.current_thread() is threading.main_thread():
        for name in ("SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)  # Windows has no SIGHUP
            if number is not None and signal.getsignal(number) is signal.SIG_DFL:
                before[number] = signal.signal(number, signal.default_int_handler)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _say(command: str, what: str) -> int:
    """Print an error as one line, whatever characters it contains. Return status 2."""
    line = " ".join(part for line in what.splitlines() if (part := line.strip()))
    print(f"shithead {command}: {printable(without_passwords(line))}", file=sys.stderr)
    return 2


def _let_go_of_stdout() -> None:
    """Drop the rest of the buffer if stdout takes no more."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    raise SystemExit(main())
