"""`shithead record`: read the record of a game, check it, and rule on it again."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from companion.cli.arguments import add_options, ruleset
from engine.errors import BadInputError
from engine.files.bounded import read_capped, read_stream


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Add this sub-command's arguments."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "record",
        help="read the record of a game and rule on it again",
        description="Print a recorded game with its rulings. Damaged lines are named on stderr, the others "
        "are kept, and the exit status is 2.",
    )
    parser.add_argument("file", metavar="FILE", help="a record, as `shithead simulate` prints it; - is stdin")
    parser.add_argument(
        "--from-events", type=ruleset, metavar="RULES", help="FILE holds events as JSON lines"
    )
    add_options(parser, "with --from-events: ")
    parser.add_argument("--players", metavar="A,B,C", help="with --from-events: names, clockwise")
    parser.add_argument("--dealer", metavar="A", help="with --from-events")
    return parser


def run(args: argparse.Namespace) -> int:
    """Print the record with its rulings; return the exit status 0.

    Raises:
        BadInputError: the input is not a record, or some lines are damaged. The other lines are printed.
    """
    from engine.notation.record import read_record

    text = _read(args.file)
    if args.from_events:
        record, wrong = _from_events(args, text)
    else:
        try:
            record, damage = read_record(text)
        except BadInputError as error:
            raise BadInputError(f"{args.file}: {error}") from None
        wrong = [f"line {found.line}: {found.reason}" for found in damage]
    print(record.to_text(), end="")
    for line in wrong[:-1]:
        print(f"shithead record: {args.file}, {line}", file=sys.stderr)
    if wrong:
        raise BadInputError(f"{args.file}, {wrong[-1]}")
    return 0


def _read(file: str) -> str:
    try:
        raw = read_stream(sys.stdin.buffer, "stdin") if file == "-" else read_capped(file)
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadInputError(f"{file} is not UTF-8 text") from None


def _from_events(args: argparse.Namespace, text: str) -> tuple[Any, list[str]]:
    """Return the record of the events that `shithead watch` printed, and the reason for each bad line."""
    import json
    from itertools import count

    from engine.events import EventLineReader
    from engine.fields import read_players
    from engine.files.json_text import parse_json
    from engine.notation.record import Record
    from engine.ruleset import load_ruleset

    if not args.players:
        raise BadInputError("--from-events needs --players")
    players = read_players(args.players.split(","))
    if args.dealer is not None and args.dealer not in players:
        raise BadInputError(f"--dealer {args.dealer} is not one of the players")
    events, wrong, lines = [], [], EventLineReader(players)
    for number, line in enumerate(text.split("\n"), 1):
        try:
            read = parse_json(line) if line.strip() else None
            if isinstance(read, dict):
                events.append(lines.read(read))
            elif line.strip():
                wrong.append(f"line {number}: not an event")
        except json.JSONDecodeError as error:
            wrong.append(f"line {number}: not JSON: {error.msg}")
        except BadInputError as error:
            wrong.append(f"line {number}: {error}")
    rules = load_ruleset(args.from_events, args.option)
    # The referee concludes late breaches again from the other events.
    seen = [event for event in events if event.event != "late_breach"]
    taken = {event.id for event in events}
    free = (number for number in count(1) if number not in taken)
    log = tuple(event if event.id else event.renumbered(next(free)) for event in seen)
    return Record(rules=rules, players=players, dealer=args.dealer, log=log), wrong
