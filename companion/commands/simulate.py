"""`shithead simulate`: games between simulated players, as records or counted."""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

from engine.errors import BadInputError

_NAMES = ("Ann", "Bob", "Cat", "Dan", "Eve", "Fay", "Gus", "Hal", "Ida", "Jim")
_PROGRESS_SECONDS = 2.0


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Add this sub-command's arguments."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "simulate",
        help="play games between simulated players",
        description="Play one game and print its record, or with --games N play N and count how they end.",
    )
    parser.add_argument("--rules", default="winnersh", metavar="NAME", help="ruleset or house variant")
    parser.add_argument("--option", action="append", default=[], metavar="NAME", help="switch an option on")
    parser.add_argument("--players", type=int, default=4, metavar="N", help="how many players (default 4)")
    parser.add_argument("--seed", type=int, default=1, help="the same seed gives the same game")
    parser.add_argument("--policy", default="sensible", choices=("sensible", "random"), help="how they play")
    parser.add_argument("--cheats", type=int, default=0, metavar="N", help="insert N illegal plays")
    parser.add_argument("--games", type=int, metavar="N", help="play N games and count how they end")
    parser.add_argument("--save", metavar="OUT.txt", help="write the record to a file")
    return parser


def run(args: argparse.Namespace) -> int:
    """Print or save the record, or the counts. Returns the exit status."""
    if not 2 <= args.players <= len(_NAMES):
        raise BadInputError(f"--players {args.players}: 2 to {len(_NAMES)} can be simulated")
    if args.games is not None:
        return _count(args)
    from engine.record import Record
    from engine.simulate import play_game

    if not 0 <= args.cheats <= 100:
        raise BadInputError(f"--cheats {args.cheats}: 0 to 100 can be inserted")
    names = _NAMES[: args.players]
    game = play_game(args.rules, names, args.seed, args.policy, args.option, args.cheats)
    record = Record(
        rules=game.rules,
        players=names,
        dealer=game.dealer,
        log=tuple(step.event for step in game),
        tags={"Seed": str(args.seed), "Policy": args.policy},
    )
    if args.save:
        Path(args.save).write_text(record.to_text(), encoding="utf-8")
    else:
        print(record.to_text(), end="")
    return 0


def _count(args: argparse.Namespace) -> int:
    """Play many games and print how they ended, how long they were and how fast it went."""
    from random import Random

    from engine.play import Game
    from engine.policies import POLICIES
    from engine.ruleset import load_ruleset
    from engine.simulate import play_out

    if args.games < 1:
        raise BadInputError(f"--games {args.games}: at least one")
    game = Game(load_ruleset(args.rules, args.option), args.players)
    rng, policy = Random(args.seed), POLICIES[args.policy]
    losers: Counter[int] = Counter()
    acts = longest = 0
    begun = told = time.perf_counter()
    for number in range(1, args.games + 1):
        last = play_out(game, rng, policy)
        losers[last.loser] += 1
        acts, longest = acts + last.acts, max(longest, last.acts)
        if time.perf_counter() - told > _PROGRESS_SECONDS:
            told = time.perf_counter()
            print(f"{number} of {args.games} games", file=sys.stderr)
    seconds = time.perf_counter() - begun
    print(f"{args.games} games, {args.players} players, {game.rules.title}, {args.policy} play")
    print(f"ended {args.games - losers[-1]}, given up as a draw {losers[-1]}")
    print(f"acts a game: {acts / args.games:.0f} on average, {longest} at most")
    print("Shithead by seat: " + " ".join(str(losers[seat]) for seat in range(args.players)))
    print(f"{args.games / seconds:.0f} games/s, {acts / seconds:.0f} acts/s")
    return 0
