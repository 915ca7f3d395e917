"""`shithead serve`: the referee without a window. Phones join over the local network, to film and to see."""

from __future__ import annotations

import argparse
import json
import sys
import threading
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from companion.cli.arguments import add_game, add_keep, add_store, film_keeper, game_setup, source
from companion.cli.event_writer import EventWriter
from engine.errors import BadInputError

if TYPE_CHECKING:
    from companion.game.session import Session
    from companion.game.setup import GameSetup
    from companion.phone.server import PhoneServer, Serving


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Add this sub-command's arguments."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "serve",
        help="referee without a window; phones film and show the game",
        description="Serve a page on the local network. The phone that scans the code films the table. All "
        "others show the game. Each event is printed with its ruling. Ctrl-C ends it.",
    )
    parser.add_argument(
        "source",
        nargs="?",
        type=source,
        metavar="SOURCE",
        help="film, camera number or stream URL (default: a phone)",
    )
    parser.add_argument("--port", type=_port, metavar="N", help="port (default: the first free from 8443)")
    parser.add_argument(
        "--host", metavar="ADDRESS", help="serve on this address only (default: all local networks)"
    )
    add_game(parser)
    parser.add_argument("--layout", type=Path, metavar="FILE", help="layout file of the table (JSON)")
    parser.add_argument("--events", metavar="OUT.jsonl", help="write event lines here, not to stdout")
    add_keep(parser)
    add_store(parser)
    return parser


def run(args: argparse.Namespace) -> int:
    """Serve until Ctrl-C.

    Raises:
        BadInputError: the source, the settings, the port or the address cannot be used.
    """
    from companion.cli.outputs import check_outputs
    from companion.phone.opening import open_phones, wanted_size
    from companion.phone.optional_packages import require_phone_extra
    from companion.phone.program import ProgramState
    from companion.settings import load_settings
    from companion.sources.joined_phone import JOINED_PHONE
    from companion.store.store import default_path
    from vision.decks.deck_files import deck_path

    require_phone_extra()
    store = default_path() if args.store == Path() else args.store
    read = [args.source, args.rules, args.layout, deck_path(args.deck) if args.deck else None]
    check_outputs({"--events": args.events}, read, store=store)
    setup = game_setup(args, args.source or JOINED_PHONE)
    with ExitStack() as closing:
        session = _session(setup, args, closing)
        program = ProgramState(lambda: session, lambda: session.setup or setup, store=setup.store)
        size = wanted_size(load_settings())
        server = open_phones(program, host=args.host, port=args.port, wanted_size=size)
        closing.callback(server.stop)
        assert server.serving is not None
        closing.callback(session.stop)
        with suppress(KeyboardInterrupt):
            _announce(server.serving, films=setup.source == JOINED_PHONE)
            session.start()
            _wait(session, server, films=setup.source == JOINED_PHONE)
    return 0


def _session(setup: GameSetup, args: argparse.Namespace, closing: ExitStack) -> Session:
    """Return the session, not yet started. Its lines go to the output as they are decided.

    Raises:
        BadInputError: the source or the settings cannot be used.
    """
    from companion.cli.recording import RecordedGames
    from companion.cli.watch import learns_deck
    from companion.game.film_keeper import FilmedSource
    from companion.game.history import load_history
    from companion.game.recorder import GameRecorder
    from companion.game.series import NextGameFinder
    from companion.game.session import Session
    from companion.game.starting import WatchOptions, open_game_source, open_watched_game
    from companion.store.store import Store

    keeper = film_keeper(args, _say)
    history = load_history(setup)
    source = open_game_source(setup.source or "", keep_trying=True)
    if keeper is not None:
        source = FilmedSource(source, keeper)
    closing.callback(source.close)
    args.learn = None
    watching = WatchOptions(learns_deck(args, setup), _say)
    game = open_watched_game(setup, history, setup.players or None, watching)
    recorder = GameRecorder(Store.open(setup.store), setup, _say) if setup.kept else None
    following = NextGameFinder(
        setup, history, lambda new, old: open_watched_game(new, old, watching=watching), _say
    )
    events = EventWriter(args.events or "-", _say)
    recorded = RecordedGames(game, events, None, recorder, following, keeper=keeper)
    closing.callback(recorded.close)
    session = Session(lambda: source, lambda: recorded)
    session.picture_width = 16  # nobody looks at it: phones show no picture
    session.keeps_clips = False
    return session


def _announce(serving: Serving, *, films: bool) -> None:
    """Print the addresses as JSON on stdout, and for people on stderr."""
    from companion.phone.qr import qr_text

    line = {
        "event": "serving",
        "join": serving.join,
        "view": serving.view,
        "local": serving.local,
        "fingerprint": serving.fingerprint,
    }
    print(json.dumps(line), flush=True)
    scanned, what = (serving.join, "film the table") if films else (serving.view, "see the game")
    print(qr_text(scanned), file=sys.stderr)
    _say(f"scan this code to {what}: {scanned}")
    if films:
        _say(f"the screens use: {serving.view}")
    _say(f"in a browser on this machine: {serving.local}")
    _say(f"your browser warns of the certificate once; its fingerprint begins {serving.fingerprint[:23]}")


def _wait(session: Session, server: PhoneServer, *, films: bool) -> None:
    """Wait until the session has failed. If this machine comes into another network, show the new code.

    Raises:
        BadInputError: the session has failed.
    """
    told, serving = session.snapshot.says, server.serving
    never = threading.Event()
    while session.snapshot.phase != "failed":
        never.wait(0.2)
        if server.serving is not None and server.serving is not serving:
            serving = server.serving
            _say("the network has changed; all phones scan the new code")
            _announce(serving, films=films)
        if session.snapshot.says not in ("", told):
            told = session.snapshot.says
            _say(told)
    raise BadInputError(session.snapshot.says)


def _say(line: str) -> None:
    print(f"shithead serve: {line}", file=sys.stderr, flush=True)


def _port(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and 0 <= int(text) <= 65534):
        raise argparse.ArgumentTypeError(f"{text!r} is not a port from 0 to 65534")
    return int(text)
