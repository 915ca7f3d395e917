"""`shithead rules`: a ruleset as its players would want to read it, and two side by side."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from companion.cli.arguments import add_force, add_options, ruleset
from engine.errors import BadInputError


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Add this sub-command's arguments."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "rules",
        help="show a ruleset, list them, compare two, save a house variant",
        description="Show a ruleset with its sources. NAME is winnersh (the default), jokers, backpacker, "
        "shed, rulebook, a variant that --list names, or the file of a house variant (*.toml).",
    )
    parser.add_argument("name", type=ruleset, nargs="?", metavar="NAME", help="the ruleset")
    add_options(parser)
    parser.add_argument(
        "--compare", type=ruleset, nargs=2, metavar=("A", "B"), help="show two rulesets side by side"
    )
    parser.add_argument("--list", action="store_true", help="list every ruleset and variant, yours too")
    parser.add_argument("--json", action="store_true", help="with --list: one JSON object a line")
    parser.add_argument("--save", metavar="OUT.toml", help="save NAME and its options as a house variant")
    add_force(parser)
    parser.add_argument("--title", help="with --save: the house variant's name")
    return parser


def run(args: argparse.Namespace) -> int:
    """Print the ruleset, or write the variant. Returns the exit status."""
    from companion.cli.outputs import check_outputs
    from engine.explain import compare, explain
    from engine.ruleset import DEFAULT_RULESET, load_ruleset, save_variant

    if args.list:
        if args.name or args.option or args.save or args.compare:
            raise BadInputError("--list names every ruleset and goes with nothing but --json")
        _print_list(as_json=args.json)
        return 0
    if args.json:
        raise BadInputError("--json goes with --list")
    if args.compare:
        if args.name or args.option or args.save:
            raise BadInputError("--compare takes two rulesets and goes with nothing else")
        print(compare(load_ruleset(args.compare[0]), load_ruleset(args.compare[1])), end="")
        return 0
    rules = load_ruleset(args.name or DEFAULT_RULESET, args.option)
    if args.save:
        out = Path(args.save)
        if out.suffix != ".toml":
            raise BadInputError(f"--save {args.save}: the file of a house variant ends in .toml")
        check_outputs({"--save": out}, [args.name], overwrite=args.force)
        save_variant(out, args.title or out.stem, rules.base, rules.options)
        return 0
    print(explain(rules), end="")
    return 0


def _print_list(*, as_json: bool) -> None:
    """Print every ruleset, published variant and house variant: as JSON lines, or as text."""
    import json

    from companion.game.house_variants import house_rulesets
    from engine.ruleset import published_rulesets

    for entry in (*published_rulesets(), *house_rulesets()):
        if as_json:
            print(json.dumps(entry, ensure_ascii=False))
            continue
        based_on = f", based on {entry['based_on']}" if entry["based_on"] else ""
        print(f"{entry['name']}: {entry['title']}{based_on} ({entry['source']})")
        for sentence in entry["differs"]:
            print(f"  * {sentence}")
