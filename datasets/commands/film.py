"""`shithead film`: makes a synthetic game film with its truth."""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from companion.cli.arguments import add_options, ruleset
from companion.cli.jobs import add_jobs, jobs_of
from companion.cli.progress import Bar
from engine.errors import BadInputError

if TYPE_CHECKING:
    from datasets.progress import Progress

NAMES = ("Ann", "Bob", "Cat", "Dan", "Eve", "Fay")


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Add this sub-command's arguments."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "film", help="make a synthetic game film, with its truth beside it"
    )
    parser.add_argument("out", metavar="OUT.mp4", type=Path, help="the film; OUT.truth.jsonl lies beside it")
    parser.add_argument("--rules", type=ruleset, default="winnersh", help="the ruleset of the game")
    add_options(parser)
    parser.add_argument("--players", default="4", help="their number (2 to 6), or their names: Ann,Bob,Cat")
    parser.add_argument("--seed", type=int, default=1, help="the same seed gives the same film")
    parser.add_argument(
        "--films", type=int, metavar="N", help="N films: OUT-SEED.mp4 for the seed and those after it"
    )
    parser.add_argument(
        "--plays", type=int, metavar="N", help="number of acts (default: about three minutes)"
    )
    parser.add_argument("--whole", action="store_true", help="film the whole game")
    parser.add_argument(
        "--illegal", type=int, default=2, metavar="N", help="number of rules broken on purpose"
    )
    parser.add_argument(
        "--cards", type=Path, metavar="OUT.jsonl", help="write the cards at rest, with outlines"
    )
    parser.add_argument(
        "--masks",
        type=Path,
        metavar="DIR",
        help="write persons, hands and cards of each frame (with --people)",
    )
    add_jobs(parser)
    looks = parser.add_argument_group("the look of the film; the seed decides what you leave out")
    looks.add_argument("--deck", default="any", help="a deck of datasets.art.decks, such as bidly or drawn")
    looks.add_argument("--surface", default="any", help="a texture of the photo folder, or `drawn`")
    looks.add_argument("--light", default="any", help="day, lamp, evening or dim")
    looks.add_argument("--tilt", type=float, help="degrees from straight down, 0 to 50")
    looks.add_argument(
        "--sway", type=float, default=0.0, help="motion of a camera that is held in a hand, pixels"
    )
    looks.add_argument(
        "--lively",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="objects on the table; people drink, hesitate, take cards back, toss cards, stack sets",
    )
    looks.add_argument(
        "--people",
        type=int,
        metavar="LEVEL",
        help="whole people, at a level from 0 (they only act) to 3 (they do much, and a phone films badly);"
        " needs the extra `films`",
    )
    looks.add_argument("--width", type=int, default=1920)
    looks.add_argument("--height", type=int, default=1080)
    looks.add_argument("--fps", type=float, default=15.0)
    looks.add_argument("--codec", default="mp4v", choices=("mp4v", "h264"), help="h264 needs ffmpeg")
    looks.add_argument("--crf", type=int, default=21, help="quality of h264: smaller is better")
    return parser


def run(args: argparse.Namespace) -> int:
    """Make the film, or several. Raises BadInputError for settings that cannot be filmed."""
    _check(args)
    _check_files(args)
    jobs, cluster = jobs_of(args)
    args.players = _players(args.players)
    if args.films is None:
        with Bar("film", "s") as bar:
            said = _film((args.out, args.seed), args, bar.show)
        print(said)
        return 0
    if args.cards is not None:
        raise BadInputError("--cards names one file, but --films makes several films")
    if args.masks is not None:
        raise BadInputError("--masks names one folder, but --films makes several films")

    from companion.parallel import spread

    seeds = range(args.seed, args.seed + args.films)
    films = [(args.out.resolve().with_stem(f"{args.out.stem}-{seed}"), seed) for seed in seeds]
    settings = argparse.Namespace(**{k: v for k, v in vars(args).items() if k != "run"})
    made = 0
    with Bar("film", "films") as bar:

        def of_one(done_s: float, whole_s: float) -> None:
            bar.show(made + done_s / whole_s, len(films))

        here = jobs == 1 and cluster is None  # other processes report only whole films
        bar.show(0, len(films))
        for said in spread(
            partial(_film, args=settings, progress=of_one if here else None), films, jobs, cluster
        ):
            made += 1
            bar.show(made, len(films))
            print(said, flush=True)
    return 0


def _check_files(args: argparse.Namespace) -> None:
    """Refuse files that cannot be written, because rendering takes minutes."""
    from companion.cli.outputs import check_outputs
    from companion.game.scoring import truth_path

    check_outputs({"": args.out, "the truth": truth_path(args.out), "--cards": args.cards}, [args.rules])


def _film(film: tuple[Path, int], args: argparse.Namespace, progress: Progress | None = None) -> str:
    """Make one film, and return a line about it."""
    out, seed = film

    from companion.game.scoring import truth_path
    from datasets.films.production import Shot, make_film
    from datasets.films.story import DEFAULT_ACTS, find_story

    acts = None if args.whole else args.plays if args.plays is not None else DEFAULT_ACTS
    story = find_story(args.rules, args.players, seed, options=args.option, illegal=args.illegal, acts=acts)
    shot = Shot(
        seed=seed,
        width=args.width,
        height=args.height,
        fps=args.fps,
        tilt=args.tilt,
        sway=args.sway,
        lively=args.lively and args.people is None,
        people=args.people,
        light=args.light,
        deck=args.deck,
        surface=args.surface,
        codec=args.codec,
        crf=args.crf,
    )
    scene = make_film(story, shot, out, cards=args.cards, masks=args.masks, progress=progress)
    length = f"{scene.timeline.duration_s:.0f} s, {len(scene.timeline.actions)} events"
    return f"{out}: {length}; truth in {truth_path(out)}"


def _players(given: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in given.split(","))
    if len(names) == 1 and names[0].isdigit():
        names = NAMES[: int(names[0])] if int(names[0]) <= len(NAMES) else ()
    if not 2 <= len(names) <= len(NAMES) or len(set(names)) < len(names) or not all(names):
        raise BadInputError(f"--players {given!r}: 2 to {len(NAMES)} players, or their different names")
    return names


def _check(args: argparse.Namespace) -> None:
    """Refuse numbers that no film can have."""
    from datasets.films.people.levels import MOST_TILT

    limits: dict[str, tuple[float, float]] = {
        "seed": (0, 2**63),
        "films": (1, 10_000),
        "plays": (1, 10_000),
        "illegal": (0, 50),
        "tilt": (0, 50),
        "sway": (0, 100),
        "width": (160, 7680),
        "height": (90, 4320),
        "fps": (1, 120),
        "crf": (0, 51),
        "people": (0, 3),
    }
    for name, (low, high) in limits.items():
        value = getattr(args, name)
        if value is not None and not low <= value <= high:
            raise BadInputError(f"--{name} {value}: it must be from {low:g} to {high:g}")
    if args.masks is not None and args.people is None:
        raise BadInputError("--masks needs --people LEVEL")
    if args.people is not None and (args.tilt or 0.0) > MOST_TILT:
        raise BadInputError(
            f"--tilt {args.tilt:g}: with --people at most {MOST_TILT:g}, or heads hide the table"
        )
    if args.width % 2 or args.height % 2:
        raise BadInputError(f"--width {args.width} --height {args.height}: both must be even")
