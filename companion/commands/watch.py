"""`shithead watch`: follow a game in a film, from a camera or a stream, and rule on it."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from companion.recording import EventWriter, FilmWriter, GameKeeper
    from companion.refereeing import Refereeing
    from vision.reading import CardReading, Image
    from vision.sources import FrameSource

_PROGRESS_SECONDS = 10.0


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Add this sub-command's arguments."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "watch",
        help="follow a game in a film or from a camera, and rule on it",
        description="Follow a game and print each event with its ruling as soon as it is decided.",
    )
    parser.add_argument("source", metavar="SOURCE", help="film, camera number or stream URL")
    parser.add_argument("--rules", default="winnersh", help="ruleset (default: %(default)s)")
    parser.add_argument("--option", action="append", default=[], metavar="NAME", help="house option; repeat")
    parser.add_argument("--players", metavar="A,B,...", help="clockwise from above, the bottom edge first")
    parser.add_argument("--dealer", metavar="NAME", help="who dealt")
    parser.add_argument("--deck", metavar="NAME", help="an enrolled deck")
    parser.add_argument("--layout", type=Path, metavar="FILE", help="where seats and piles are (JSON)")
    parser.add_argument("--save-layout", type=Path, metavar="FILE", help="write the layout that was found")
    parser.add_argument("--events", metavar="OUT.jsonl", help="write event lines (- is stdout)")
    parser.add_argument("--save", type=Path, metavar="OUT.mp4", help="write the annotated film")
    parser.add_argument(
        "--store",
        type=Path,
        nargs="?",
        const=Path(),
        metavar="FILE",
        help="keep the game for `shithead tally`: in FILE, or in the evening's own store",
    )
    parser.add_argument("--headless", action="store_true", help="no window")
    return parser


def run(args: argparse.Namespace) -> int:
    """Watch to the end of the source.

    Raises:
        BadInputError: source or settings are not usable, or a film breaks off; what was decided until
            then has been written.
    """
    from companion.recording import EventWriter, FilmWriter, GameKeeper
    from companion.refereeing import Refereeing
    from companion.store import Store
    from vision.sources import open_source

    # Everything that can be wrong with the input is found before anything is written.
    source = open_source(args.source)
    film: FilmWriter | None = None
    try:
        game = Refereeing.open(
            rules=args.rules,
            players=_names(args.players),
            options=args.option,
            dealer=args.dealer,
            layout=args.layout,
            deck=args.deck,
        )
        if args.save is not None:
            film = FilmWriter(args.save, source.fps)
        keeper = None
        if args.store is not None:
            store = Store.open(None if args.store == Path() else args.store)
            if store.notice:
                print(f"shithead watch: {store.notice}", file=sys.stderr)
            keeper = GameKeeper(store, args.rules, args.option, args.dealer, args.source)
        recorded = Recorded(game, EventWriter(args.events), film, keeper)
    except BaseException:
        source.close()
        raise
    try:
        if args.headless or not _in_window(source, recorded):
            follow(source, recorded)
    finally:
        recorded.close()
        source.close()
        if args.save_layout is not None and game.layout is not None:
            args.save_layout.write_text(json.dumps(game.layout.to_json()) + "\n", encoding="utf-8")
    return 0


class Recorded:
    """A game that writes down its lines, and its pictures, as they come. Looks like the game it wraps."""

    def __init__(
        self,
        game: Refereeing,
        events: EventWriter,
        film: FilmWriter | None,
        keeper: GameKeeper | None = None,
    ) -> None:
        self._game, self._events, self._film, self._keeper = game, events, film, keeper

    def feed(self, frame: Image, t: float) -> list[dict[str, Any]]:
        """Take one picture; the lines decided by it are written and returned."""
        lines = self._game.feed(frame, t)
        self._write(lines)
        if self._film is not None:
            self._film.tell(lines, t)
            self._film.write(frame, t, self._game.view)
        return lines

    def finish(self, t: float) -> list[dict[str, Any]]:
        """Take the end of the source."""
        lines = self._game.finish(t)
        self._write(lines)
        return lines

    def _write(self, lines: Sequence[dict[str, Any]]) -> None:
        self._events.write(lines)
        if self._keeper is not None and lines:
            self._keeper.write(lines, self._game.table.players)

    def close(self) -> None:
        """Close what is being written."""
        self._events.close()
        if self._film is not None:
            self._film.close()
        if self._keeper is not None:
            self._keeper.close()

    @property
    def table(self) -> Any:
        """The referee's public table."""
        return self._game.table

    @property
    def lines(self) -> Sequence[dict[str, Any]]:
        """Every event of the game."""
        return self._game.lines

    @property
    def readings(self) -> Sequence[CardReading]:
        """The cards that were read last."""
        return self._game.readings

    @property
    def moving(self) -> bool:
        """Whether something moves over the table."""
        return self._game.moving

    @property
    def undo(self) -> Any:
        """Take back the last event."""
        return self._game.undo

    @property
    def correct(self) -> Any:
        """Put another event in place of an earlier one."""
        return self._game.correct


def follow(source: FrameSource, game: Recorded) -> None:
    """Feed every picture to the game and finish it, even if the source breaks off; progress on stderr."""
    t, began, told = 0.0, time.monotonic(), time.monotonic()
    try:
        for t, frame in source:
            game.feed(frame, t)
            if time.monotonic() - told > _PROGRESS_SECONDS:
                told = time.monotonic()
                print(f"watch: {t:.0f} s seen in {told - began:.0f} s", file=sys.stderr, flush=True)
    finally:
        game.finish(t)


def _in_window(source: FrameSource, game: Recorded) -> bool:
    """Watch in a window; False, after one line, when there is no display."""
    from companion.app import NoDisplayError, prepare_kivy, run_window
    from companion.session import Session

    try:
        prepare_kivy()
        run_window(Session(lambda: source, lambda: game))
    except NoDisplayError as error:
        print(f"shithead watch: {error}; going on without a window", file=sys.stderr)
        return False
    return True


def _names(text: str | None) -> tuple[str, ...] | None:
    return None if text is None else tuple(name.strip() for name in text.split(",") if name.strip())
