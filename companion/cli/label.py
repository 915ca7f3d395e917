"""`shithead label`: give a film of a real game its truth, beginning with what the watcher proposes."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from companion.cli.arguments import add_game, player_names
from engine.errors import BadInputError

if TYPE_CHECKING:
    from companion.game.labelling import Labels
    from companion.store.kept_films import KeptGame


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Add this sub-command's arguments."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "label",
        help="say what really happened in a film of a game",
        description="Step through a film in a window, and confirm or correct each event. The truth is saved "
        "beside the film after each change; the next call goes on there. Without a truth or event lines, the "
        "film is watched first.",
    )
    parser.add_argument("film", type=Path, metavar="FILM", help="film, or the folder of a kept game")
    parser.add_argument(
        "--truth",
        type=Path,
        metavar="OUT.truth.jsonl",
        help="write the truth here (default: beside the film)",
    )
    parser.add_argument(
        "--events", type=Path, metavar="EVENTS.jsonl", help="begin with these event lines of `watch`"
    )
    parser.add_argument(
        "--layout",
        type=Path,
        metavar="FILE",
        help="layout file of the table, for a film that is watched first",
    )
    parser.add_argument(
        "--test",
        action="store_true",
        help="in a checkout: make a test of the film once all is confirmed; it holds no pictures",
    )
    add_game(parser)
    return parser


def run(args: argparse.Namespace) -> int:
    """Open the window with the film. With `--test`, make a test of it in the end.

    Raises:
        BadInputError: film, truth or event lines cannot be used, or no window can be opened.
    """
    from companion.cli.outputs import check_outputs
    from companion.game.scoring import truth_path
    from companion.store.kept_films import KeptGame

    kept = KeptGame(args.film.resolve()) if args.film.is_dir() else None
    film: Path = args.film if kept is None else kept.film
    if not film.is_file():
        missing = "no such file" if kept is None else f"no kept game (there is no {film.name})"
        raise BadInputError(f"{args.film}: {missing}")
    truth = args.truth or truth_path(film)
    check_outputs({"--truth" if args.truth else "": truth}, [film, args.events, args.rules, args.layout])
    labels = _labels(args, film, truth, kept)
    layout = args.layout if kept is None or args.layout is not None else kept.layout
    labels.save(truth)
    if labels.unconfirmed or not args.test:
        _in_window(labels, film, truth)
    if args.test:
        from companion.cli.replay_tests import make_test

        name = make_test(labels, film, layout, args.deck)
        print(f"shithead label: the test {name} is made; add its files to a commit", file=sys.stderr)
    return 0


def _labels(args: argparse.Namespace, film: Path, truth: Path, kept: KeptGame | None) -> Labels:
    """Return the labels to begin with: the truth so far, the log of a kept game, or what is proposed."""
    from companion.cli.watch import watch_film
    from companion.game.labelling import kept_labels, propose_labels, read_labels

    if truth.is_file():
        labels = read_labels(truth)
        if not labels.header.get("labelled"):
            raise BadInputError(f"{truth}: people did not make this truth; name another file with --truth")
        return labels
    if kept is not None and args.events is None:
        return kept_labels(kept)
    header = _header(args, film, kept)
    if args.events is not None:
        return propose_labels(header, args.events)
    with tempfile.TemporaryDirectory(prefix="shithead-label-") as scratch:
        events = Path(scratch) / "events.jsonl"
        watch_film(film, header, ("--events", events), args.layout, args.deck)
        return propose_labels(header, events)


def _header(args: argparse.Namespace, film: Path, kept: KeptGame | None) -> dict[str, Any]:
    """Return the first line of a new truth.

    Raises:
        BadInputError: the players are not named.
    """
    if kept is not None:
        return kept.read_about()
    from vision.capture.film_player import FilmPlayer

    players = player_names(args.players)
    if not players:
        raise BadInputError(f"{film}: name the players (--players A,B,..., clockwise, the nearest one first)")
    player = FilmPlayer(film)
    height, width = player.picture.shape[:2]
    player.close()
    return {
        "film": film.name,
        "fps": round(player.fps, 3),
        "width": width,
        "height": height,
        "rules": args.rules,
        "options": list(args.option),
        "players": list(players),
        "dealer": args.dealer,
        "deck": args.deck,
        "condition": {"real": True},
        "seconds": round(player.seconds, 3),
    }


def _in_window(labels: Labels, film: Path, truth: Path) -> None:
    from companion.app.window import NoDisplayError, run_label_window
    from companion.game.label_session import LabelSession

    try:
        run_label_window(lambda: LabelSession(labels, film, truth))
    except NoDisplayError as error:
        raise BadInputError(f"{error}; what was proposed is in {truth}") from None
