"""`shithead watch`: follow a game in a film, from a camera or a stream, and rule on it."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from companion.cli.arguments import ruleset
from companion.cli.progress import Bar
from engine.errors import BadInputError
from engine.files.atomic import write_whole

if TYPE_CHECKING:
    from companion.cli.recording import Recorded
    from companion.game.recorder import GameKeeper
    from companion.game.setup import Choice
    from vision.capture.sources import FrameSource


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Add this sub-command's arguments."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "watch",
        help="follow a game in a film or from a camera, and rule on it",
        description="Follow a game and print each event with its ruling as soon as it is decided.",
    )
    parser.add_argument("source", metavar="SOURCE", help="film, camera number or stream URL")
    parser.add_argument("--rules", type=ruleset, default="winnersh", help="ruleset (default: %(default)s)")
    parser.add_argument("--option", action="append", default=[], metavar="NAME", help="house option; repeat")
    parser.add_argument("--players", metavar="A,B,...", help="clockwise from above, the bottom edge first")
    parser.add_argument("--dealer", metavar="NAME", help="who dealt")
    parser.add_argument("--deck", metavar="NAME", help="an enrolled deck")
    parser.add_argument(
        "--learn",
        action=argparse.BooleanOptionalAction,
        help="learn a deck that is not named, and keep what was learnt for the next games "
        "(default: from a camera or a stream, unless the app's setting says no)",
    )
    parser.add_argument("--layout", type=Path, metavar="FILE", help="where seats and piles are (JSON)")
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
    parser.add_argument(
        "--store",
        type=Path,
        nargs="?",
        const=Path(),
        metavar="FILE",
        help="keep the game for `shithead tally`: in FILE, or in the evening's own store",
    )
    parser.add_argument(
        "--resume",
        action="store_true",
        help="with --store: go on with the game that was broken off, by its own rules and players",
    )
    parser.add_argument("--headless", action="store_true", help="no window")
    return parser


def run(args: argparse.Namespace) -> int:
    """Watch to the end of the source.

    Raises:
        BadInputError: source or settings are not usable, or a film breaks off; what was decided until
            then has been written.
    """
    from companion.cli.event_writer import EventWriter
    from companion.cli.recording import FilmWriter, LogWriter, Recorded
    from companion.files.incomplete import forget_left_files
    from companion.game.series import NextDeal
    from companion.game.starting import Watching, before, open_chosen_source, watched_game, wound_on

    forget_left_files()
    # Everything that can be wrong with the input is found before anything is written.
    _check_files(args)
    choice = _choice(args)
    past = before(choice)
    if past.notice:
        print(f"shithead watch: {past.notice}", file=sys.stderr)
    source = wound_on(choice, past, open_chosen_source(args.source, tries_on=True))
    source.tell = _say
    film: FilmWriter | None = None
    log: LogWriter | None = None
    try:
        watching = Watching(_learns(args, choice), _say)
        if args.log is not None:
            log = LogWriter(args.log)
            watching = replace(watching, make_events=log.event_maker)
        game = watched_game(choice, past, _names(args.players), watching)
        if args.save is not None:
            film = FilmWriter(args.save, source.fps)
        keeper = _keeper(choice) if choice.kept else None
        following = NextDeal(choice, past, lambda new, old: watched_game(new, old, watching=watching), _say)
        events = EventWriter(args.events, _say, append=args.resume)
        recorded = Recorded(game, events, film, keeper, following, log)
    except BaseException:
        source.close()
        raise
    try:
        if args.headless or not _in_window(source, recorded):
            with Bar("watch", "s") as bar:
                follow(source, recorded, lambda t: bar.show(t, source.seconds))
    except BaseException:
        # What ended the game is the line to end with; what went wrong afterwards comes before it.
        try:
            _close(source, recorded, args.save_layout)
        except (BadInputError, OSError) as error:
            _say(str(error))
        raise
    _close(source, recorded, args.save_layout)
    return 0


def _close(source: FrameSource, game: Recorded, layout: Path | None) -> None:
    with ExitStack() as closing:
        closing.callback(_save_layout, layout, game)
        closing.callback(source.close)
        closing.callback(game.close)


def _save_layout(path: Path | None, game: Recorded) -> None:
    if path is not None and game.layout is not None:
        write_whole(path, json.dumps(game.layout.to_json()) + "\n")


def _choice(args: argparse.Namespace) -> Choice:
    """Return the game that the command line asks for, or the one in the store that goes on.

    Raises:
        BadInputError: no game can go on.
    """
    from companion.game.setup import Choice, choice_of
    from companion.game.starting import broken_off
    from vision.decks.deck import load_deck

    store = None if args.store in (None, Path()) else args.store
    if not args.resume:
        return Choice(
            source=args.source,
            players=_names(args.players) or (),
            rules=args.rules,
            options=tuple(args.option),
            dealer=args.dealer,
            layout=args.layout,
            deck=args.deck,
            store=store,
            kept=args.store is not None,
        )
    if args.store is None:
        raise BadInputError("--resume needs --store: only a game that was kept can go on")
    game, notice = broken_off(store)
    if game is None:
        raise BadInputError(notice or "the store holds no game that was broken off within the last day")
    choice = replace(choice_of(game, store=store, layout=args.layout), source=args.source)
    if args.deck in (None, choice.deck):
        return choice
    load_deck(args.deck)  # of a game that goes on, a deck that is not there would be passed over
    return replace(choice, deck=args.deck)


def _check_files(args: argparse.Namespace) -> None:
    """Refuse files that cannot be written, or not without losing what is read."""
    from companion.cli.outputs import check_outputs
    from companion.store.store import default_path
    from vision.decks.deck import deck_path

    read = [args.source, args.rules, args.layout, deck_path(args.deck) if args.deck else None]
    written = {"--events": args.events, "--save": args.save, "--log": args.log}
    written["--save-layout"] = args.save_layout
    check_outputs(written, read, store=default_path() if args.store == Path() else args.store)


def _learns(args: argparse.Namespace, choice: Choice) -> bool:
    """Tell whether a deck that is not named is learnt: a film, watched again, is to be told as before."""
    from companion.settings import load_settings

    if args.learn is not None:
        return bool(args.learn)
    return not choice.films and load_settings().learn_deck


def _keeper(choice: Choice) -> GameKeeper:
    from companion.game.recorder import GameKeeper
    from companion.store.store import Store

    keeper = GameKeeper(Store.open(choice.store), choice, _say)
    if choice.resume is not None:
        keeper.begin()
    return keeper


def _say(line: str) -> None:
    print(f"shithead watch: {line}", file=sys.stderr, flush=True)


def follow(source: FrameSource, game: Recorded, progress: Callable[[float], None] = lambda t: None) -> None:
    """Feed every picture to the game and finish it, even if the source breaks off.

    `progress` is told the time of each picture that was fed.
    """
    t = 0.0
    try:
        for t, frame in source:
            game.feed(frame, t)
            progress(t)
    finally:
        game.finish(t)


def _in_window(source: FrameSource, game: Recorded) -> bool:
    """Watch in a window; False, after one line, when there is no display."""
    from companion.app.window import NoDisplayError, prepare_kivy, run_window
    from companion.game.session import Session

    try:
        prepare_kivy()
        run_window(Session(lambda: source, lambda: game))
    except NoDisplayError as error:
        print(f"shithead watch: {error}; going on without a window", file=sys.stderr)
        return False
    return True


def _names(text: str | None) -> tuple[str, ...] | None:
    return None if text is None else tuple(name.strip() for name in text.split(",") if name.strip())
