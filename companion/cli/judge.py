"""`shithead judge`: rulings on situations written as JSON (see `engine.judging.judge`)."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from engine.errors import BadInputError
from engine.files.bounded import open_input, read_stream

_DESCRIPTION = """\
Rule on one situation, or answer one question (who_starts, next_dealer, deal), written as JSON.
With --lines: one situation a line, one ruling a line, in order. A line that cannot be read gets
{"error": ...} in its place, the others are still answered, and the exit status is 2."""


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Add this sub-command's arguments."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "judge",
        help="rule on a situation given as JSON",
        description=_DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", nargs="?", default="-", metavar="FILE", help="JSON file; without it, stdin")
    parser.add_argument("--lines", action="store_true", help="one situation a line")
    return parser


def run(args: argparse.Namespace) -> int:
    """Print the rulings. Returns the exit status."""
    if args.lines:
        # A service may be fed by a pipe for as long as it likes: here silence is no mistake.
        with sys.stdin.buffer if args.file == "-" else Path(args.file).open("rb") as lines:
            return _judge_lines(lines, _name(args.file))
    with _open(args.file) as stream:
        try:
            text = read_stream(stream, _name(args.file)).decode("utf-8-sig")
        except UnicodeDecodeError:
            raise BadInputError(f"{_name(args.file)} is not UTF-8 text") from None
    try:
        print(_ruling(text))
    except BadInputError as error:
        raise BadInputError(f"{_name(args.file)}: {error}") from None
    return 0


def _open(file: str) -> Any:
    """Open the input as bytes, so that each line that is not text gets its own message."""
    return sys.stdin.buffer if file == "-" else open_input(file)


def _name(file: str) -> str:
    return "stdin" if file == "-" else file


def _ruling(text: str) -> str:
    """Return the ruling on one situation as one JSON line.

    Raises:
        BadInputError: the text is not a situation.
    """
    from engine.files.json_text import RepeatedKeyError, parse_json
    from engine.judging.judge import judge

    try:
        situation = parse_json(text)
    except RepeatedKeyError as error:
        raise BadInputError(error.msg) from None
    except json.JSONDecodeError as error:
        where = f"column {error.colno}" if "\n" not in text.strip() else f"line {error.lineno}"
        raise BadInputError(f"not JSON: {error.msg} ({where})") from None
    return json.dumps(judge(situation), ensure_ascii=False)


def _judge_lines(lines: Iterable[bytes], name: str) -> int:
    """Answer line by line, so that a reader of the output never waits for the end of the input."""
    wrong: list[str] = []
    for number, raw in enumerate(lines, 1):
        if not raw.strip():
            continue
        try:
            print(_ruling(raw.decode("utf-8-sig")), flush=True)
        except (BadInputError, UnicodeDecodeError) as error:
            reason = "not UTF-8 text" if isinstance(error, UnicodeDecodeError) else str(error)
            wrong.append(f"line {number}: {reason}")
            print(json.dumps({"error": wrong[-1]}, ensure_ascii=False), flush=True)
    if wrong:
        more = f" (and {len(wrong) - 1} more such)" if len(wrong) > 1 else ""
        raise BadInputError(f"{name}, {wrong[0]}{more}")
    return 0
