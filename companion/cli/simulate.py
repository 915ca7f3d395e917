"""`shithead simulate`: games between simulated players, as records or counted."""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from companion.cli.arguments import add_force, add_options, ruleset
from companion.cli.jobs import add_jobs, jobs_of
from companion.cli.progress import Bar
from engine.errors import BadInputError
from engine.files.atomic import write_whole

_NAMES = ("Ann", "Bob", "Cat", "Dan", "Eve", "Fay", "Gus", "Hal", "Ida", "Jim")
_BLOCK = 100
"""Games that are counted in one piece, with a seed of their own."""


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Add this sub-command's arguments."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "simulate",
        help="play games between simulated players",
        description="Play one game and print its record, or with --games N play N and count how they end.",
    )
    parser.add_argument(
        "--rules", type=ruleset, default="winnersh", metavar="NAME", help="ruleset or house variant"
    )
    add_options(parser)
    parser.add_argument("--players", type=int, default=4, metavar="N", help="how many players (default 4)")
    parser.add_argument("--seed", type=int, default=1, help="the same seed gives the same game")
    parser.add_argument("--policy", default="sensible", choices=("sensible", "random"), help="how they play")
    parser.add_argument("--cheats", type=int, default=0, metavar="N", help="insert N illegal plays")
    parser.add_argument("--games", type=int, metavar="N", help="play N games and count how they end")
    parser.add_argument("--save", metavar="OUT.txt", help="write the record to a file")
    add_force(parser)
    add_jobs(parser)
    return parser


def run(args: argparse.Namespace) -> int:
    """Print or save the record, or the counts. Returns the exit status."""
    if not 2 <= args.players <= len(_NAMES):
        raise BadInputError(f"--players {args.players}: 2 to {len(_NAMES)} can be simulated")
    if args.games is not None:
        return _count(args)
    from companion.cli.outputs import check_outputs
    from engine.notation.record import Record
    from engine.simulation.simulate import play_game

    check_outputs({"--save": args.save}, [args.rules], overwrite=args.force)
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
        write_whole(Path(args.save), record.to_text())
    else:
        print(record.to_text(), end="")
    return 0


def _count(args: argparse.Namespace) -> int:
    """Play many games and print how they ended, how long they were and how fast it went."""
    from companion.parallel import spread
    from engine.ruleset import load_ruleset

    if args.games < 1:
        raise BadInputError(f"--games {args.games}: at least one")
    jobs, cluster = jobs_of(args)
    ruleset = load_ruleset(args.rules, args.option)
    losers: Counter[int] = Counter()
    acts = longest = 0
    begun = time.perf_counter()
    work = partial(
        _play_block, rules=args.rules, options=args.option, players=args.players, policy=args.policy
    )
    blocks = [
        (f"{args.seed} {first}", min(_BLOCK, args.games - first)) for first in range(0, args.games, _BLOCK)
    ]
    with Bar("simulate", "games") as bar:
        for lost, played, most in spread(work, blocks, jobs, cluster):
            losers, acts, longest = losers + lost, acts + played, max(longest, most)
            bar.show(losers.total(), args.games)
    seconds = time.perf_counter() - begun
    print(f"{args.games} games, {args.players} players, {ruleset.title}, {args.policy} play")
    print(f"ended {args.games - losers[-1]}, given up as a draw {losers[-1]}")
    print(f"acts a game: {acts / args.games:.0f} on average, {longest} at most")
    print("Shithead by seat: " + " ".join(str(losers[seat]) for seat in range(args.players)))
    print(f"{args.games / seconds:.0f} games/s, {acts / seconds:.0f} acts/s")
    return 0


def _play_block(
    block: tuple[str, int], *, rules: str, options: Sequence[str], players: int, policy: str
) -> tuple[Counter[int], int, int]:
    """Play a number of games from a seed; returns losers by seat (-1: a draw), acts in all, and the most."""
    from engine.ruleset import load_ruleset
    from engine.simulation.play import CompiledRules
    from engine.simulation.policies import POLICIES
    from engine.simulation.simulate import play_out

    seed, games = block
    game, rng = CompiledRules(load_ruleset(rules, options), players), Random(seed)
    ends = [play_out(game, rng, POLICIES[policy]) for _ in range(games)]
    return Counter(end.loser for end in ends), sum(end.acts for end in ends), max(end.acts for end in ends)
