"""`shithead measure`: how well whole games are followed, over many films, with a baseline."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from companion.cli.jobs import add_jobs, jobs_of
from companion.cli.progress import Bar
from companion.game.scoring import truth_path
from engine.errors import BadInputError
from engine.files.atomic import make_folder, write_whole
from engine.ruleset import RULESET_NAMES

if TYPE_CHECKING:
    from datasets.measuring.films.plan import FilmPlan


_RULESETS, _SIZE = ",".join(RULESET_NAMES), "1920x1080"


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Add this sub-command's arguments."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "measure",
        help="measure how well whole games are followed",
        description="Render films of games, watch and score each, and print one table. Existing films and"
        " results are used again, so an interrupted run continues where it stopped.",
    )
    parser.add_argument(
        "film",
        metavar="FILM",
        type=Path,
        nargs="*",
        help="films with their truth, kept games, or folders of them; then no film is rendered",
    )
    parser.add_argument(
        "--films", type=int, default=8, metavar="N", help="number for each ruleset (default 8)"
    )
    parser.add_argument("--rulesets", default=_RULESETS, metavar="A,B", help="default: all five")
    parser.add_argument(
        "--plays", type=int, default=24, metavar="N", help="number of acts in a film (default 24)"
    )
    parser.add_argument("--whole", action="store_true", help="play each game to its end")
    parser.add_argument("--seed", type=int, metavar="N", help="seed of the first film (default 5001)")
    parser.add_argument("--size", default=_SIZE, metavar="WxH", help="default: %(default)s")
    parser.add_argument(
        "--endings",
        action="store_true",
        help="let one of four films show a whole game of two or three players, chosen for its end",
    )
    parser.add_argument(
        "--sway",
        type=float,
        default=0.0,
        metavar="PIXELS",
        help="motion of a camera that is held in a hand (default: it stands)",
    )
    parser.add_argument(
        "--lively",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="objects on the table; people drink, hesitate, take cards back, toss cards, stack sets",
    )
    parser.add_argument(
        "--people",
        metavar="LEVEL",
        help="film whole people at level 0, 1, 2 or 3, or `all` for a quarter of the films at each"
        " (needs the extra `films`)",
    )
    parser.add_argument(
        "--live",
        action="store_true",
        help="play each film like a camera, in real time: frames that come too fast are lost (one process)",
    )
    parser.add_argument(
        "--folder",
        type=Path,
        default=Path("out") / "measured",
        metavar="DIR",
        help="for films, event lines, logs of looks, films.md and films.json (default: %(default)s)",
    )
    add_jobs(parser)
    return parser


def run(args: argparse.Namespace) -> int:
    """Render the missing films, watch the unwatched ones, and print the table."""
    jobs, cluster = jobs_of(args)
    if args.live and (jobs > 1 or cluster is not None):
        raise BadInputError("--live needs the whole machine for one film: leave out --jobs and --cluster")
    plans = [] if args.film else _plans(args)
    films = films_in(args.film)

    from companion.cli.outputs import check_outputs
    from datasets.measuring.films.measure import measure_films
    from datasets.measuring.results.film_tables import as_markdown

    make_folder(args.folder)
    folder = args.folder.resolve()  # other processes have other working folders
    check_outputs({"": folder / "films.json", "the table": folder / "films.md"}, with_truth(films))
    with Bar("measure", "films") as bar:
        report = measure_films(
            plans, films, folder, jobs=jobs, cluster=cluster, tell=_tell, progress=bar.show, live=args.live
        )
    report["command"] = _command(args)
    text = as_markdown(report)
    write_whole(folder / "films.json", json.dumps(report, indent=1) + "\n")
    write_whole(folder / "films.md", text)
    print(text, end="")
    return 0


def _command(args: argparse.Namespace) -> str:
    """Return the command that measures the same films again, on whatever machine."""
    words = ["--live"] if args.live else []
    words += [film.name for film in args.film]
    if not args.film:
        words += ["--people", args.people] if args.people is not None else []
        words += ["--no-lively"] if not args.lively else []
        words += ["--films", str(args.films)]
        words += ["--rulesets", args.rulesets] if args.rulesets != _RULESETS else []
        words += ["--whole"] if args.whole else ["--plays", str(args.plays)]
        words += ["--seed", str(args.seed)] if args.seed is not None else []
        words += ["--size", args.size] if args.size != _SIZE else []
        words += ["--endings"] if args.endings else []
        words += ["--sway", f"{args.sway:g}"] if args.sway else []
    return shlex.join(["shithead", "measure", *words])


def _plans(args: argparse.Namespace) -> list[FilmPlan]:
    from datasets.measuring.films.plan import FIRST_SEED, plan_films

    for name, most in (("films", 1000), ("plays", 10_000)):
        if not 1 <= getattr(args, name) <= most:
            raise BadInputError(f"--{name} {getattr(args, name)}: it must be from 1 to {most}")
    if args.seed is not None and args.seed < 0:
        raise BadInputError(f"--seed {args.seed}: it must be 0 or more")
    width, _, height = args.size.partition("x")
    if not (
        width.isdecimal() and height.isdecimal() and 160 <= int(width) <= 7680 and 90 <= int(height) <= 4320
    ):
        raise BadInputError(f"--size {args.size}: it must be like 1920x1080")
    if int(width) % 2 or int(height) % 2:
        raise BadInputError(f"--size {args.size}: both must be even")
    if not 0 <= args.sway <= 100:
        raise BadInputError(f"--sway {args.sway}: it must be from 0 to 100")
    rulesets = [name.strip() for name in args.rulesets.split(",") if name.strip()]
    return plan_films(
        rulesets,
        args.films,
        first_seed=FIRST_SEED if args.seed is None else args.seed,
        plays=None if args.whole else args.plays,
        size=(int(width), int(height)),
        sway=args.sway,
        lively=args.lively and args.people is None,  # a level says how lively whole people are
        endings=args.endings,
        people=_levels(args.people),
    )


def _levels(given: str | None) -> tuple[int, ...]:
    """Return the levels of whole people that are wanted."""
    from datasets.films.people.levels import LEVELS

    numbers = tuple(level.number for level in LEVELS)
    if given is None:
        return ()
    if given == "all":
        return numbers
    if not (given.isdecimal() and int(given) in numbers):
        raise BadInputError(f"--people {given}: it must be from 0 to {numbers[-1]}, or all")
    return (int(given),)


def films_in(given: list[Path]) -> list[Path]:
    """Return the named films, and the films in the named folders, with those of kept games inside.

    A kept game that nobody has labelled gets its log, as people corrected it, as its truth.

    Raises:
        BadInputError: there is no such film, or it has no truth beside it.
    """
    from companion.game.labelling import kept_labels
    from companion.store.kept_films import KeptGame, kept_games
    from datasets.measuring.films.plan import is_film

    films: list[Path] = []
    for path in given:
        kept = kept_games(path) if path.is_dir() else []
        if KeptGame(path.resolve()).about.is_file():
            kept.append(KeptGame(path.resolve()))
        for game in kept:
            if not is_film(game.film):
                kept_labels(game).save(truth_path(game.film))
        inside = sorted(film for film in path.glob("*.mp4") if is_film(film)) if path.is_dir() else [path]
        inside += [game.film for game in kept if game.film not in inside]
        missing = not inside or not all(is_film(film) for film in inside)
        if missing:
            raise BadInputError(f"{path}: no film with its truth beside it (NAME.mp4, NAME.truth.jsonl)")
        films += (film.resolve() for film in inside)
    return films


def with_truth(films: list[Path]) -> list[Path]:
    """Return these films and their truths."""
    return [*films, *map(truth_path, films)]


def _tell(text: str) -> None:
    print(f"measure: {text}", file=sys.stderr, flush=True)
