"""Keeps what is decided in the evening's store: one game after the other, each as its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from companion.game.interface import EventLine, Game
from companion.game.setup import GameSetup
from companion.store.event_pictures import game_pictures_folder
from companion.store.outbox import Outbox
from companion.store.store import Store


def changes_between(before: Sequence[EventLine], after: Sequence[EventLine]) -> list[dict[str, Any]]:
    """Return what makes the lines `before` those `after`: lines that revise others, and new ones."""
    was, now = ({line["id"]: line for line in lines} for lines in (before, after))
    changes: list[dict[str, Any]] = []
    for number, line in was.items():
        if number not in now:
            changes.append({**line, "revise": number, "withdrawn": True})
        elif now[number] != line:
            changes.append({**now[number], "revise": number})
    return [*changes, *(dict(line) for number, line in now.items() if number not in was)]


class GameRecorder:
    """Writes the game that is on into the evening's store.

    While the store cannot be written to (the disk is full, another program holds it) what is decided is held
    back, and the game goes on; `tell` gets one line when that begins and when it ends.
    """

    def __init__(
        self, store: Store, setup: GameSetup, tell: Callable[[str], None] = lambda _line: None
    ) -> None:
        """`choice` is what is played; its game begins with `begin`, or with the first lines written."""
        self.game: int | None = None
        """The game in the store that is written to, once there is one."""
        self.notice = store.notice
        """What there is to say of the store: that a damaged file was set aside."""
        self._outbox, self._path, self._choice = Outbox(store, tell), store.path, setup
        self._begun = False
        self._layout: Any = None
        self._end: tuple[str | None] | None = None
        """What the store was told last: (loser,), or None while the game goes on."""

    @property
    def fault(self) -> str | None:
        """Why nothing can be written at the moment, or None."""
        return self._outbox.fault

    @property
    def folder(self) -> Path | None:
        """Where pictures of the game may lie, once it is in the store."""
        return None if self.game is None else game_pictures_folder(self._path, self.game)

    def begin(self) -> None:
        """Begin the game, or go on with the one in the store that the choice names: at once, or not at all.

        Raises:
            BadInputError: the store cannot be written to, or another program is playing that game.
        """
        self._outbox.at_once(lambda store: self._start(store, self._choice, ()))
        self._begun = True

    def next_game(self, setup: GameSetup) -> None:
        """Write what follows into a game of its own, in which this is played."""
        self._choice, self._begun = setup, False
        self.game = self._layout = self._end = None

    def write(self, lines: Sequence[Mapping[str, Any]], game: Game) -> None:
        """Write lines that were decided together, all or none, and how the game stands with them."""
        if lines:
            if not self._begun:
                self._begin_with(tuple(game.table.players))
            written = [dict(line) for line in lines]
            self._outbox.write(lambda store: store.append(*written))
        if self._begun:
            self._keep_end(game.lines)
            self._keep_layout(game.layout)
        self._outbox.flush()

    def write_changes(self, before: Sequence[EventLine], game: Game) -> None:
        """Write what people have changed since the game's lines were those `before`, as lines that revise."""
        self.write(changes_between(before, game.lines), game)

    def correct(self, event_id: int, line: dict[str, Any] | None) -> None:
        """Write that a player corrected an event to `line`, or with None took it back."""
        self._outbox.write(lambda store: store.correct(event_id, line))

    def flush(self) -> None:
        """Write what was held back, unless that has just failed."""
        self._outbox.flush()

    def close(self) -> None:
        """Close the store.

        Raises:
            BadInputError: something could not be kept.
        """
        self._outbox.close()

    def _begin_with(self, players: tuple[str, ...]) -> None:
        setup = self._choice
        self._outbox.write(lambda store: self._start(store, setup, players))
        self._begun = True

    def _start(self, store: Store, setup: GameSetup, players: tuple[str, ...]) -> None:
        """Begin the game in the store; `players` are those that the deal showed where nobody was named."""
        if setup.resume is not None:
            store.resume_game(setup.resume)
        else:
            store.start_game(
                setup.rules,
                setup.players or players,
                options=setup.options,
                dealer=setup.dealer,
                source=setup.source,
                deck=setup.deck,
            )
        self.game = store.game

    def _keep_layout(self, layout: Any) -> None:
        """Write where seats and piles are (`vision.table.layout.Layout`), if that is news."""
        if layout is not None and layout is not self._layout:
            places = layout.to_json()
            self._outbox.write(lambda store: store.save_layout(places))
            self._layout = layout

    def _keep_end(self, lines: Sequence[EventLine]) -> None:
        """Keep the store's word on whether the game is over, and who lost, in step with the game's."""
        last = next((line for line in reversed(lines) if line.get("event") == "game_over"), None)
        end = None if last is None else (last.get("loser"),)
        if end == self._end:
            return
        if end is None:
            self._outbox.write(lambda store: store.reopen())
        else:
            self._outbox.write(lambda store: store.finish(end[0]))
        self._end = end
