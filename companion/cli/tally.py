"""`shithead tally`: the evening's losers, from the store."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from companion.cli.arguments import add_force
from engine.errors import BadInputError

if TYPE_CHECKING:
    from companion.store.store import Store


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Add this sub-command's arguments."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "tally",
        help="the evening's losers",
        description="Per player: games, losses, losses in a row, rituals due. The data come from the store "
        "on this device. You can also record which rituals are done.",
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="one JSON object on stdout")
    form.add_argument("--csv", action="store_true", help="CSV on stdout")
    parser.add_argument("--png", metavar="OUT", type=Path, help="write a picture to share")
    parser.add_argument("--place", default="", help="with --png: where it was, for the picture")
    add_force(parser)
    parser.add_argument("--all", action="store_true", help="every evening, not only the last one")
    song = parser.add_mutually_exclusive_group()
    song.add_argument("--sung", metavar="PLAYER", help="record PLAYER's oldest ritual as done")
    song.add_argument("--not-sung", metavar="PLAYER", help="undo PLAYER's newest record")
    parser.add_argument("--title", help="with these: the title of the ritual")
    parser.add_argument("--store", metavar="FILE", type=Path, help="this store, not the user's own")
    return parser


def run(args: argparse.Namespace) -> int:
    """Print the tally in the requested form."""
    from companion.cli.outputs import check_outputs
    from companion.game import sharing
    from companion.game.evening import store_tally, tally_title
    from companion.store.store import Store, default_path, store_exists
    from vision.images import check_image_name

    check_outputs({"--png": args.png}, store=args.store or default_path(), overwrite=args.force)
    if args.png is not None:
        check_image_name(args.png, ".png")
    if args.store is not None and not store_exists(args.store):
        raise BadInputError(f"{args.store}: no such file")
    player = args.not_sung if args.sung is None else args.sung
    if player is None and args.title is not None:
        raise BadInputError("--title needs --sung or --not-sung")
    writes = player is not None and store_exists(args.store)
    with Store.open(args.store) if writes else Store.open_to_read(args.store) as store:
        if store.notice:
            print(f"shithead tally: {store.notice}", file=sys.stderr)
        if player is not None:
            _mark(store, player, args)
        tally = store_tally(store, all_evenings=args.all)
        title = tally_title(store, all_evenings=args.all)
    if args.png is not None:
        sharing.save_picture(tally, args.png, title=title, place=args.place)
    if args.json:
        print(json.dumps(sharing.as_json(tally), ensure_ascii=False))
    elif args.csv:
        print(sharing.as_csv(tally), end="")
    elif args.png is None:
        print(sharing.as_text(tally))
    return 0


def _mark(store: Store, player: str, args: argparse.Namespace) -> None:
    """Record that one of a player's rituals was done, or was not."""
    from companion.game.evening import store_tally

    done = args.sung is not None
    tally = store_tally(store, all_evenings=args.all)
    if player not in {standing.player for standing in tally.standings}:
        raise BadInputError(f"{player} has played no game{'' if args.all else ' that evening (see --all)'}")
    found = [
        ritual
        for ritual in tally.rituals
        if ritual.player == player and (ritual.done is None) == done and args.title in (None, ritual.title)
    ]
    if not found:
        what = "anything" if args.title is None else f"“{args.title}”"
        says = f"does not owe {what}" if done else f"has not sung {what}"
        raise BadInputError(f"{player} {says}{'' if args.all else ' that evening (see --all)'}")
    ritual = found[0] if done else sorted(found, key=lambda ritual: ritual.done or 0.0)[-1]
    store.mark_ritual(ritual.game, player, ritual.title, ritual.number, done=done)
    says = "is done" if done else "is due again"
    print(f"shithead tally: {player}: “{ritual.title}” {says}", file=sys.stderr)
