"""`shithead app`: the window over a camera or a film. Without a display, the same on the terminal."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from companion.cli.arguments import PLAYERS_HELP, add_options, player_names, ruleset, source

if TYPE_CHECKING:
    from companion.game.setup import GameSetup

ANNOTATED = Path("out/annotated.mp4")
"""The annotated sample film, if there is no display to show it on."""


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Add this sub-command's arguments."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "app",
        help="open the window and referee",
        description="Referee a game in a window. It uses a camera if there is one, then tonight's game, then "
        "the sample film. Without a display it works in the terminal, and writes the annotated sample film "
        f"to {ANNOTATED}, unless that exists.",
    )
    parser.add_argument("source", type=source, nargs="?", help="film, camera number or stream URL")
    parser.add_argument("--rules", type=ruleset, help="ruleset (default: winnersh)")
    add_options(parser)
    parser.add_argument("--players", help=PLAYERS_HELP)
    parser.add_argument("--dealer", help="who deals")
    parser.add_argument("--deck", metavar="NAME", help="an enrolled deck (see `shithead deck`)")
    parser.add_argument("--layout", type=Path, help="layout file of the table")
    parser.add_argument(
        "--store", metavar="FILE", type=Path, help="store the evening here, not in the user's own store"
    )
    parser.add_argument("--resume", action="store_true", help="continue the interrupted game without asking")
    parser.add_argument("--size", type=_size, metavar="WxH", help="size of the window in pixels")
    return parser


def run(args: argparse.Namespace) -> int:
    """Open the window. If there is no display, say so and go on in the terminal."""
    from companion.app.window import NoDisplayError, prepare_kivy, run_window
    from companion.cli.outputs import check_outputs
    from companion.files.incomplete import remove_incomplete_files
    from companion.store.store import default_path

    remove_incomplete_files()
    check_outputs({}, [args.source, args.layout, args.rules], store=args.store or default_path())
    if args.deck is not None:
        from vision.decks.deck_files import load_deck

        load_deck(args.deck)  # the form would ignore a name that is not enrolled
    try:
        prepare_kivy()
        setup, settled = choose_setup(args)
        run_window(setup, ask=not settled, size=args.size, store=args.store)
    except NoDisplayError as error:
        setup, _settled = choose_setup(args, window=False)
        says, annotated = _annotated() if setup.demonstration else ("", None)
        print(f"shithead app: {error}; rulings follow on stdout{says}", file=sys.stderr)
        return _run_headless(setup, annotated)
    return 0


def _annotated() -> tuple[str, Path | None]:
    """Return a message about the annotated sample film, and its path or None.

    Nobody asked for it, so it replaces no file, and is skipped if it cannot be written.
    """
    from engine.files.atomic import make_folder, refuse_unwritable

    if ANNOTATED.exists():
        return f", the film in {ANNOTATED} was not changed", None
    try:
        make_folder(ANNOTATED.parent)
        refuse_unwritable(ANNOTATED)
    except OSError as fault:
        return f", no annotated film is written ({fault.filename or ANNOTATED}: {fault.strerror})", None
    return f", the annotated film goes to {ANNOTATED}", ANNOTATED


def choose_setup(args: argparse.Namespace, *, window: bool = True) -> tuple[GameSetup, bool]:
    """Return the setup that the command line asks for, and whether the players are settled.

    Without a source it is a camera, else the interrupted game or evening. Else it is the form with the named
    players. If nobody is named, it is the sample film, which brings its own setup and keeps the user's own
    for later. Without a `window` nothing can be offered, so it is the film. The form asks for a dealer who is
    not seated.
    """
    from dataclasses import replace

    from companion.game.setup import GameSetup
    from companion.sources.cameras import DEFAULT_PLAYERS, find_camera, sample_film
    from engine.ruleset import DEFAULT_RULESET

    if args.resume:
        return _broken_off(args), True
    source: str | None = args.source
    names = player_names(args.players)
    own = GameSetup(
        source=source,
        rules=args.rules or DEFAULT_RULESET,
        options=tuple(args.option),
        players=names or DEFAULT_PLAYERS,
        dealer=args.dealer,
        layout=args.layout,
        deck=args.deck,
        store=args.store,
    )
    if source is not None:
        return own, bool(names) and args.dealer in (None, *names)
    camera = find_camera()
    if camera is not None:
        return replace(own, source=str(camera)), False
    going_on = _evening(args) if window else None
    if going_on is not None:
        return going_on, False
    if window and (names or args.dealer):
        return own, False  # whoever names the players wants to play, not to watch a film
    print("shithead app: no camera found; showing the sample film", file=sys.stderr)
    sample = sample_film()
    setup = replace(
        own,
        source=str(sample.path),
        rules=sample.rules if window else args.rules or sample.rules,
        options=sample.options if window else own.options or sample.options,
        players=names or sample.players,
        dealer=args.dealer or sample.dealer,
        # The sample film is a demonstration: its losses do not belong to the evening.
        kept=args.store is not None,
        demonstration=True,
        own=own,
    )
    return setup, True


def _evening(args: argparse.Namespace) -> GameSetup | None:
    """Return tonight's setup, changed by the command line, or None if nothing was played yet."""
    from dataclasses import replace

    from companion.game.history import setup_without_camera

    setup = setup_without_camera(args.store)
    if setup is None:
        return None
    print("shithead app: no camera found; going on with the evening", file=sys.stderr)
    names = player_names(args.players)
    changed_rules = args.rules is not None and args.rules != setup.rules
    return replace(
        setup,
        rules=args.rules or setup.rules,
        options=tuple(args.option) or (() if changed_rules else setup.options),
        players=names or setup.players,
        dealer=args.dealer or (None if names else setup.dealer),
        layout=args.layout,
        deck=args.deck or setup.deck,
    )


def _broken_off(args: argparse.Namespace) -> GameSetup:
    """Return the setup that goes on with the interrupted game.

    Raises:
        BadInputError: there is no such game.
    """
    from dataclasses import replace

    from companion.game.history import find_resumable_game
    from companion.game.setup import stored_setup
    from engine.errors import BadInputError

    game, notice = find_resumable_game(args.store)
    if game is None:
        raise BadInputError(notice or "no game was interrupted within the last day")
    setup = stored_setup(game, store=args.store, layout=args.layout)
    setup = replace(setup, deck=args.deck or setup.deck)
    return setup if args.source is None else replace(setup, source=args.source)


def _run_headless(setup: GameSetup, annotated: Path | None) -> int:
    """Run `shithead watch`, which does the same without a window.

    A camera's frames show people: only `watch --save` stores them.
    """
    from companion.cli.main import main
    from engine.errors import BadInputError

    if setup.source is None:
        raise BadInputError("a game by touch needs a window")
    argv = ["watch", setup.source, "--headless"]
    if annotated is not None:
        argv += ["--save", str(annotated)]
    argv += ["--rules", setup.rules, "--players", ",".join(setup.players)]
    for option in setup.options:
        argv += ["--option", option]
    if setup.dealer is not None:
        argv += ["--dealer", setup.dealer]
    if setup.deck is not None:
        argv += ["--deck", setup.deck]
    if setup.layout is not None:
        argv += ["--layout", str(setup.layout)]
    if setup.kept:
        argv += ["--store", *([] if setup.store is None else [str(setup.store)])]
    if setup.resume is not None:
        argv.append("--resume")
    return main(argv)


def _size(text: str) -> tuple[int, int]:
    width, _, height = text.partition("x")
    if not (width.isdecimal() and height.isdecimal() and int(width) >= 320 and int(height) >= 320):
        raise argparse.ArgumentTypeError(f"{text!r} is not WxH with both at least 320")
    return int(width), int(height)
