"""What is played tonight: source, ruleset, players; and the session that comes of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from companion.session import Game, Session
from companion.store import Store
from engine.errors import BadInputError
from engine.ruleset import DEFAULT_RULESET, load_ruleset
from vision.sources import open_source


@dataclass(frozen=True, slots=True)
class Choice:
    """One game as it was chosen, before anything is opened."""

    source: str
    """A film's path, a camera's number or a stream's URL."""
    players: tuple[str, ...]
    """Clockwise as seen from above, the first at the bottom edge of the picture."""
    rules: str = DEFAULT_RULESET
    options: tuple[str, ...] = ()
    dealer: str | None = None
    layout: Path | None = None
    deck: str | None = None
    """An enrolled deck."""
    store: Path | None = None
    """Where the evening is kept; None: the user's own store."""
    kept: bool = True
    """Whether the game goes into the store at all."""


def fault_in(rules: str, options: Sequence[str], players: Sequence[str]) -> str | None:
    """Return in one sentence why this game cannot be played, or None if it can."""
    if any(not name.strip() for name in players):
        return "Every player needs a name."
    if len({name.strip().casefold() for name in players}) < len(players):
        return "Two players have the same name."
    try:
        ruleset = load_ruleset(rules, tuple(options))
    except BadInputError as error:
        return str(error)
    fewest, most = ruleset.players
    if not fewest <= len(players) <= most:
        return f"{ruleset.title} is for {fewest} to {most} players."
    return None


def session_of(choice: Choice, *, realtime: bool = True) -> Session:
    """Return the session of a chosen game; nothing is opened before it starts.

    `realtime=False` runs a film as fast as it can be read.
    """

    def open_game() -> Game:
        from companion.refereeing import Refereeing

        return Refereeing.open(
            rules=choice.rules,
            players=choice.players,
            options=choice.options,
            dealer=choice.dealer,
            layout=choice.layout,
            deck=choice.deck,
        )

    def open_store() -> Store:
        store = Store.open(choice.store)
        store.start_game(
            choice.rules,
            choice.players,
            options=choice.options,
            dealer=choice.dealer,
            source=choice.source,
        )
        return store

    return Session(
        lambda: open_source(choice.source),
        open_game,
        open_store=open_store if choice.kept else None,
        realtime=realtime,
    )
