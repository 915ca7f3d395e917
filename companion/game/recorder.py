"""Record games in the evening's store, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from companion.game.interface import EventLine, Game
from companion.game.setup import GameSetup
from companion.store.event_pictures import game_pictures_folder
from companion.store.outbox import Outbox
from companion.store.store import Store
from vision.capture.addresses import without_password


def changes_between(before: Sequence[EventLine], after: Sequence[EventLine]) -> list[dict[str, Any]]:
    """Return the lines that turn `before` into `after`: revisions and new lines."""
    was, now = ({line["id"]: line for line in lines} for lines in (before, after))
    changes: list[dict[str, Any]] = []
    for number, line in was.items():
        if number not in now:
            changes.append({**line, "revise": number, "withdrawn": True})
        elif now[number] != line:
            changes.append({**now[number], "revise": number})
    return [*changes, *(dict(line) for number, line in now.items() if number not in was)]


class GameRecorder(Outbox):
    """Writes the running game into the evening's store.

    If the store cannot be written, because the disk is full or another program holds it, lines are held back
    and the game goes on. `tell` gets one line when that begins and when it ends.
    """

    def __init__(
        self, store: Store, setup: GameSetup, tell: Callable[[str], None] = lambda _line: None
    ) -> None:
        """The game of `setup` begins with `begin`, or with the first lines written."""
        self.game: int | None = None
        """Id of the game in the store, once there is one."""
        self.notice = store.notice
        """Message from opening the store, such as a damaged file set aside."""
        super().__init__(store, tell)
        self._path, self._choice = store.path, setup
        self._begun = False
        self._layout: Any = None
        self._end: tuple[str | None] | None = None
        """The result in the store: (loser,), or None while the game goes on."""

    @property
    def folder(self) -> Path | None:
        """Folder for the game's pictures, once it is in the store."""
        return None if self.game is None else game_pictures_folder(self._path, self.game)

    def begin(self) -> None:
        """Begin the game now, or go on with the one that the setup names.

        Raises:
            BadInputError: the store cannot be written, or another program is playing that game.
        """
        self._start(self._store, self._choice, ())
        self._begun = True

    def next_game(self, setup: GameSetup) -> None:
        """Write further lines into a new game with this setup."""
        self._choice, self._begun = setup, False
        self.game = self._layout = self._end = None

    def write(self, lines: Sequence[Mapping[str, Any]], game: Game) -> None:
        """Write lines that were decided together, all or none, and the game's state."""
        if lines:
            if not self._begun:
                self._begin_with(tuple(game.table.players))
            written = [dict(line) for line in lines]
            self.put(lambda store: store.append(*written))
        if self._begun:
            self._keep_end(game.lines)
            self._keep_layout(game.layout)
        self.flush()

    def write_changes(self, before: Sequence[EventLine], game: Game) -> None:
        """Write the changes that people made to the game's lines since `before`, as revisions."""
        self.write(changes_between(before, game.lines), game)

    def correct(self, event_id: int, line: dict[str, Any] | None) -> None:
        """Record that a player corrected an event to `line`, or removed it with None."""
        self.put(lambda store: store.correct(event_id, line))

    def _begin_with(self, players: tuple[str, ...]) -> None:
        setup = self._choice
        self.put(lambda store: self._start(store, setup, players))
        self._begun = True

    def _start(self, store: Store, setup: GameSetup, players: tuple[str, ...]) -> None:
        """Begin the game in the store. `players` come from the deal if the setup names none."""
        if setup.resume is not None:
            store.resume_game(setup.resume)
        else:
            store.start_game(
                setup.rules,
                setup.players or players,
                options=setup.options,
                dealer=setup.dealer,
                source=None if setup.source is None else without_password(setup.source),
                deck=setup.deck,
            )
        self.game = store.game

    def _keep_layout(self, layout: Any) -> None:
        """Write the positions of seats and piles (`vision.table.layout.Layout`), if they have changed."""
        if layout is not None and layout is not self._layout:
            places = layout.to_json()
            self.put(lambda store: store.save_layout(places))
            self._layout = layout

    def _keep_end(self, lines: Sequence[EventLine]) -> None:
        """Update the store's record of the game's end and its loser."""
        last = next((line for line in reversed(lines) if line.get("event") == "game_over"), None)
        end = None if last is None else (last.get("loser"),)
        if end == self._end:
            return
        if end is None:
            self.put(lambda store: store.reopen())
        else:
            self.put(lambda store: store.finish(end[0]))
        self._end = end
