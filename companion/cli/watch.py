"""`shithead watch`: follow a game in a film, from a camera or a stream, and rule on it."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from companion.cli.arguments import (
    add_game,
    add_keep,
    add_store,
    film_keeper,
    game_setup,
    player_names,
    source,
)
from companion.cli.progress import Bar
from engine.errors import BadInputError
from engine.files.atomic import write_whole

if TYPE_CHECKING:
    from companion.cli.recording import RecordedGames
    from companion.game.recorder import GameRecorder
    from companion.game.setup import GameSetup
    from vision.capture.sources import FrameSource
    from vision.types import Image


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Add this sub-command's arguments."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "watch",
        help="follow a game in a film or from a camera, and rule on it",
        description="Follow a game and print each event with its ruling as soon as it is decided.",
    )
    parser.add_argument("source", type=source, metavar="SOURCE", help="film, camera number or stream URL")
    add_game(parser)
    parser.add_argument(
        "--learn",
        action=argparse.BooleanOptionalAction,
        help="learn a deck that is not named, for the next games (default: from a camera or a stream, "
        "unless the app's setting is off)",
    )
    parser.add_argument(
        "--layout", type=Path, metavar="FILE", help="layout file: positions of seats and piles (JSON)"
    )
    parser.add_argument("--save-layout", type=Path, metavar="FILE", help="write the layout that was found")
    parser.add_argument(
        "--events", metavar="OUT.jsonl", help="write event lines (- is stdout; --resume appends)"
    )
    parser.add_argument("--save", type=Path, metavar="OUT.mp4", help="write the annotated film")
    parser.add_argument(
        "--log",
        type=Path,
        metavar="OUT.looks",
        help="write down what the events follow from, without pictures (`python -m vision.following.replay`)",
    )
    add_keep(parser)
    add_store(parser)
    parser.add_argument(
        "--resume",
        action="store_true",
        help="with --store: continue the interrupted game, with its own rules and players",
    )
    parser.add_argument("--headless", action="store_true", help="no window")
    return parser


def run(args: argparse.Namespace) -> int:
    """Watch to the end of the source.

    Raises:
        BadInputError: source or settings cannot be used, or a film breaks off. Every decision so far is
            written.
    """
    from companion.cli.event_writer import EventWriter
    from companion.cli.recording import FilmWriter, LogWriter, RecordedGames
    from companion.files.incomplete import remove_incomplete_files
    from companion.game.film_keeper import FilmedSource
    from companion.game.history import load_history
    from companion.game.series import NextGameFinder
    from companion.game.starting import WatchOptions, open_game_source, open_watched_game, skip_watched_part

    remove_incomplete_files()
    # Check all input before anything is written.
    _check_files(args)
    keeper = film_keeper(args, _say)
    setup = setup_from_arguments(args)
    history = load_history(setup)
    if history.notice:
        print(f"shithead watch: {history.notice}", file=sys.stderr)
    source = skip_watched_part(setup, history, open_game_source(args.source, keep_trying=True))
    if keeper is not None:
        source = FilmedSource(source, keeper)
    source.on_status = _say
    film: FilmWriter | None = None
    log: LogWriter | None = None
    try:
        watching = WatchOptions(learns_deck(args, setup), _say)
        if args.log is not None:
            log = LogWriter(args.log)
            watching = replace(watching, make_events=log.event_maker)
        named = None if args.players is None else player_names(args.players)
        game = open_watched_game(setup, history, named, watching)
        if args.save is not None:
            film = FilmWriter(args.save, source.fps)
        recorder = _open_recorder(setup) if setup.kept else None
        following = NextGameFinder(
            setup, history, lambda new, old: open_watched_game(new, old, watching=watching), _say
        )
        events = EventWriter(args.events, _say, append=args.resume)
        recorded = RecordedGames(game, events, film, recorder, following, log, keeper, _say)
    except BaseException:
        source.close()
        raise
    try:
        if args.headless or not _in_window(source, recorded):
            with Bar("watch", "s") as bar:
                follow(source, recorded, lambda t: bar.show(t, source.seconds))
    except BaseException:
        # The error that ended the game must be the last line; later errors come before it.
        try:
            _close(source, recorded, args.save_layout)
        except (BadInputError, OSError) as error:
            _say(str(error))
        raise
    _close(source, recorded, args.save_layout)
    return 0


def watch_film(
    film: Path, header: Mapping[str, Any], output: tuple[str, Path], layout: Path | None, deck: str | None
) -> None:
    """Watch a film without a window, with the rules and players of the first line of its truth.

    `output` is `--events` or `--log`, with its file. If the film is damaged, a line says so, and what was
    seen counts.

    Raises:
        BadInputError: the film, its rules or its players cannot be used.
    """
    parser = argparse.ArgumentParser(prog="shithead")
    add_parser(parser.add_subparsers())
    argv = ["watch", str(film), "--headless", "--no-learn", "--rules", header["rules"]]
    argv += ["--players", ",".join(header["players"])]
    for option in header.get("options") or ():
        argv += ["--option", option]
    given = (output, ("--dealer", header.get("dealer")), ("--deck", deck), ("--layout", layout))
    for flag, value in given:
        argv += [flag, str(value)] if value else []
    try:
        run(parser.parse_args(argv))
    except BadInputError as error:
        if not (output[1].is_file() and output[1].stat().st_size):
            raise
        _say(str(error))


def _close(source: FrameSource, game: RecordedGames, layout: Path | None) -> None:
    with ExitStack() as closing:
        closing.callback(_save_layout, layout, game)
        closing.callback(source.close)
        closing.callback(game.close)


def _save_layout(path: Path | None, game: RecordedGames) -> None:
    if path is not None and game.layout is not None:
        write_whole(path, json.dumps(game.layout.to_json()) + "\n")


def setup_from_arguments(args: argparse.Namespace) -> GameSetup:
    """Return the setup that the command line asks for, or the one of a stored game that goes on.

    Raises:
        BadInputError: there is no game to go on with.
    """
    from companion.game.history import find_resumable_game
    from companion.game.setup import stored_setup
    from vision.decks.deck_files import load_deck

    store = None if args.store in (None, Path()) else args.store
    if not args.resume:
        return game_setup(args, args.source)
    if args.store is None:
        raise BadInputError("--resume needs --store: only a stored game can continue")
    game, notice = find_resumable_game(store)
    if game is None:
        raise BadInputError(notice or "the store has no game that was interrupted within the last day")
    setup = replace(stored_setup(game, store=store, layout=args.layout), source=args.source)
    if args.deck in (None, setup.deck):
        return setup
    load_deck(args.deck)  # a resumed game would ignore a missing deck
    return replace(setup, deck=args.deck)


def _check_files(args: argparse.Namespace) -> None:
    """Refuse output files that cannot be written, or that would destroy an input."""
    from companion.cli.outputs import check_outputs
    from companion.store.store import default_path
    from vision.decks.deck_files import deck_path

    read = [args.source, args.rules, args.layout, deck_path(args.deck) if args.deck else None]
    written = {"--events": args.events, "--save": args.save, "--log": args.log}
    written["--save-layout"] = args.save_layout
    check_outputs(written, read, store=default_path() if args.store == Path() else args.store)


def learns_deck(args: argparse.Namespace, setup: GameSetup) -> bool:
    """Return whether to learn a deck that is not named. A film must give the same events every time."""
    from companion.settings import load_settings

    if args.learn is not None:
        return bool(args.learn)
    return not setup.is_film and load_settings().learn_deck


def _open_recorder(setup: GameSetup) -> GameRecorder:
    from companion.game.recorder import GameRecorder
    from companion.store.store import Store

    recorder = GameRecorder(Store.open(setup.store), setup, _say)
    if setup.resume is not None:
        recorder.begin()
    return recorder


def _say(line: str) -> None:
    print(f"shithead watch: {line}", file=sys.stderr, flush=True)


def follow(
    source: Iterable[tuple[float, Image]],
    game: RecordedGames,
    progress: Callable[[float], None] = lambda t: None,
) -> None:
    """Feed every frame to the game, and finish it even if the source fails.

    `progress` gets the time of each frame.
    """
    t = 0.0
    try:
        for t, frame in source:
            game.feed(frame, t)
            progress(t)
    finally:
        game.finish(t)


def _in_window(source: FrameSource, game: RecordedGames) -> bool:
    """Watch in a window. Without a display, print a line and return False."""
    from companion.app.window import NoDisplayError, prepare_kivy, run_window
    from companion.game.session import Session

    try:
        prepare_kivy()
        run_window(Session(lambda: source, lambda: game))
    except NoDisplayError as error:
        print(f"shithead watch: {error}; going on without a window", file=sys.stderr)
        return False
    return True
