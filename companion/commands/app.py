"""`shithead app`: the window over a camera or a film; without a display, the same on the terminal."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from companion.session import Session

ANNOTATED = Path("out/annotated.mp4")
"""Where the film goes that is written when there is no display to show it on."""


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Add this sub-command's arguments."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "app",
        help="open the window and referee",
        description="Referee a game in a window: on a camera if there is one, else on the sample film. "
        "Without a display it does the same on the terminal and writes an annotated film.",
    )
    parser.add_argument("source", nargs="?", help="film, camera number or stream URL")
    parser.add_argument("--rules", help="ruleset (default: winnersh)")
    parser.add_argument("--option", action="append", default=[], metavar="NAME", help="house option; repeat")
    parser.add_argument("--players", help="names, clockwise from above, the nearest to the bottom edge first")
    parser.add_argument("--dealer", help="who deals")
    parser.add_argument("--layout", type=Path, help="layout file of the table")
    parser.add_argument(
        "--store", metavar="FILE", type=Path, help="keep the evening here, not in the user's own"
    )
    parser.add_argument("--size", type=_size, metavar="WxH", help="size of the window in pixels")
    return parser


def run(args: argparse.Namespace) -> int:
    """Open the window, or say that there is no display and go on without."""
    from companion.app import NoDisplayError, prepare_kivy, run_window

    game = _fill_in(args)
    try:
        prepare_kivy()
        run_window(_session(game), size=args.size)
    except NoDisplayError as error:
        where = f"rulings follow on stdout, the annotated film goes to {ANNOTATED}"
        print(f"shithead app: {error}; {where}", file=sys.stderr)
        return _run_headless(game)
    return 0


def _fill_in(args: argparse.Namespace) -> argparse.Namespace:
    """Choose the source and the game where the command line leaves them open, and say which."""
    from companion.cameras import DEFAULT_PLAYERS, Sample, find_camera, sample_film

    sample: Sample | None = None
    source = args.source
    if source is None:
        camera = find_camera()
        if camera is not None:
            source = str(camera)
        else:
            sample = sample_film()
            source = str(sample.path)
            print("shithead app: no camera found; showing the sample film", file=sys.stderr)
    names = [name.strip() for name in (args.players or "").split(",") if name.strip()]
    return argparse.Namespace(
        source=source,
        rules=args.rules or (sample.rules if sample else "winnersh"),
        options=tuple(args.option) or (sample.options if sample else ()),
        players=tuple(names) or (sample.players if sample else DEFAULT_PLAYERS),
        dealer=args.dealer or (sample.dealer if sample else None),
        layout=args.layout,
        store=args.store,
        is_sample=sample is not None,
    )


def _session(game: argparse.Namespace) -> Session:
    """Return the session of the chosen game; nothing is opened before it starts."""
    from companion.refereeing import Refereeing
    from companion.session import Session
    from companion.store import Store
    from vision.sources import open_source

    def open_store() -> Store:
        store = Store.open(game.store)
        store.start_game(
            game.rules, game.players, options=game.options, dealer=game.dealer, source=game.source
        )
        return store

    def open_game() -> Refereeing:
        return Refereeing.open(
            rules=game.rules,
            players=game.players,
            options=game.options,
            dealer=game.dealer,
            layout=game.layout,
        )

    # The sample film is a demonstration: nobody's losses go into the evening.
    keep = game.store is not None or not game.is_sample
    return Session(lambda: open_source(game.source), open_game, open_store=open_store if keep else None)


def _run_headless(game: argparse.Namespace) -> int:
    """Hand over to `shithead watch`, which is the same without a window."""
    from companion.cli import main

    ANNOTATED.parent.mkdir(parents=True, exist_ok=True)
    argv = ["watch", game.source, "--headless", "--events", "-", "--save", str(ANNOTATED)]
    argv += ["--rules", game.rules, "--players", ",".join(game.players)]
    for option in game.options:
        argv += ["--option", option]
    if game.dealer is not None:
        argv += ["--dealer", game.dealer]
    if game.layout is not None:
        argv += ["--layout", str(game.layout)]
    return main(argv)


def _size(text: str) -> tuple[int, int]:
    width, _, height = text.partition("x")
    if not (width.isdecimal() and height.isdecimal() and int(width) >= 320 and int(height) >= 320):
        raise argparse.ArgumentTypeError(f"{text!r} is not WxH with both at least 320")
    return int(width), int(height)
