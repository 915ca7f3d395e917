"""Argument types that several commands share, and that shell completion recognises."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from engine.errors import BadInputError

if TYPE_CHECKING:
    from companion.game.film_keeper import FilmKeeper
    from companion.game.setup import GameSetup

PLAYERS_HELP = "names, clockwise, starting at the bottom edge of the picture"
"""Help for the names of players whom a camera sees."""


def ruleset(text: str) -> str:
    """Return the name of a ruleset as it is written, in whatever case it was typed.

    The name of a house variant that was made in the app becomes the path of its file. A path stays unchanged.
    Its loader checks it. `companion.cli.completion` recognises arguments of this type, and offers the
    rulesets.
    """
    from companion.game.house_variants import known_ruleset

    return known_ruleset(text)


def source(text: str) -> str:
    """Return a film, camera or address. The `http://` of an address may be left out."""
    from vision.capture.addresses import complete_address

    return complete_address(text)


def player_names(text: str | None) -> tuple[str, ...]:
    """Return the names in `A,B,...`. There are none if nothing was given."""
    return tuple(name.strip() for name in (text or "").split(",") if name.strip())


def add_options(parser: argparse.ArgumentParser, only: str = "") -> None:
    """Add the switch for the house options of a ruleset. `only` begins its help: it says when it counts."""
    parser.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="NAME",
        help=f"{only}switch a house option on (may be repeated)",
    )


def add_game(parser: argparse.ArgumentParser) -> None:
    """Add what describes a game to a command that follows one: rules, options, players, dealer and deck."""
    parser.add_argument("--rules", type=ruleset, default="winnersh", help="ruleset (default: %(default)s)")
    add_options(parser)
    parser.add_argument("--players", metavar="A,B,...", help=PLAYERS_HELP)
    parser.add_argument("--dealer", metavar="NAME", help="who dealt")
    parser.add_argument("--deck", metavar="NAME", help="an enrolled deck")


def add_store(parser: argparse.ArgumentParser) -> None:
    """Add the switch that stores a game, with an optional file. Without a file it is `Path()`."""
    parser.add_argument(
        "--store",
        type=Path,
        nargs="?",
        const=Path(),
        metavar="FILE",
        help="store the game for `shithead tally`, in FILE or in the user's own store",
    )


def add_keep(parser: argparse.ArgumentParser) -> None:
    """Add what keeps the films of the games."""
    parser.add_argument(
        "--keep",
        type=Path,
        metavar="FOLDER",
        help="keep each game's film, layout and log in a folder inside FOLDER; people are blurred outside "
        "the table",
    )
    parser.add_argument("--keep-people", action="store_true", help="with --keep: people stay visible")


def film_keeper(args: argparse.Namespace, tell: Callable[[str], object]) -> FilmKeeper | None:
    """Return what keeps the films that `--keep` asks for, or None.

    Raises:
        BadInputError: there is no such folder, or `--keep-people` stands alone.
    """
    from companion.game.film_keeper import FilmKeeper

    if args.keep is None:
        if args.keep_people:
            raise BadInputError("--keep-people: it needs --keep FOLDER")
        return None
    if not args.keep.is_dir():
        raise BadInputError(f"--keep {args.keep}: there is no such folder")
    if args.keep_people:
        tell("everybody in the film can be recognised; ask them first")
    keeper = FilmKeeper(args.keep, tell, whole_picture=args.keep_people)
    keeper.enabled = True
    return keeper


def game_setup(args: argparse.Namespace, source: str) -> GameSetup:
    """Return the setup of a new game from the arguments of `add_game` and `add_store`, and `--layout`."""
    from companion.game.setup import GameSetup

    return GameSetup(
        source=source,
        players=player_names(args.players),
        rules=args.rules,
        options=tuple(args.option),
        dealer=args.dealer,
        layout=args.layout,
        deck=args.deck,
        store=None if args.store in (None, Path()) else args.store,
        kept=args.store is not None,
    )


def add_force(parser: argparse.ArgumentParser) -> None:
    """Add the switch without which a command overwrites no file."""
    parser.add_argument("--force", action="store_true", help="overwrite a file that exists")
