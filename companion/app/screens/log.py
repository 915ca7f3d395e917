"""The log: every event of the game with its ruling, with filters."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from kivy.factory import Factory

from companion.app.android_folders import write_shared
from companion.app.screens.clip import ClipView
from companion.app.screens.correct import CorrectSheet, open_correct_sheet
from companion.app.screens.event_sheet import EventSheet
from companion.app.screens.panels import LogList, rows_of
from companion.app.screens.replay import ReplayView
from companion.app.screens.widgets import BodyText, Chip, Page, PillButton, close
from companion.game.interface import EventLine
from companion.game.replay import PlayedGame, last_evening_games, running_game
from companion.game.ruling_views import (
    find_line,
    has_later_events,
    line_to_correct,
    open_questions,
    ruling_of,
)
from companion.game.sharing import pictures_folder
from companion.i18n.catalogue import _, gettext_noop, ngettext
from companion.i18n.messages import error_text
from companion.i18n.wording import short_path
from engine.errors import BadInputError
from engine.files.atomic import make_folder, write_whole


def _illegal(lines: Sequence[EventLine]) -> Sequence[EventLine]:
    return [line for line in lines if (ruling_of(line) or {}).get("verdict") == "illegal"]


def _open(lines: Sequence[EventLine]) -> Sequence[EventLine]:
    asked = open_questions(lines)
    return [line for line in lines if line in asked or (ruling_of(line) or {}).get("verdict") == "unproven"]


FILTERS: tuple[tuple[str, str, Callable[[Sequence[EventLine]], Sequence[EventLine]]], ...] = (
    ("all", gettext_noop("All"), lambda lines: lines),
    ("illegal", gettext_noop("Illegal"), _illegal),
    ("open", gettext_noop("Open"), _open),
)
"""Name, title, and function that selects events."""


class LogScreen(Page):
    """The running game's log, else that of the newest stored game."""

    def __init__(self, app: Any, **kwargs: Any) -> None:
        super().__init__(title=_("Log"), **kwargs)
        self._summary = BodyText()
        self._app = app
        self.filter = "all"
        self.sheet: EventSheet | None = None
        self.correcting: CorrectSheet | None = None
        self._serial = -1
        self._game = app.session.snapshot.game if app.session is not None else 1
        self._lines: Sequence[EventLine] = ()
        self.chips: dict[str, Chip] = {}
        self.ids.head.add_widget(self._summary)
        filters = Factory.FilterRow()
        self.ids.head.add_widget(filters)
        self.rows = LogList()
        self.ids.column.remove_widget(self.ids.scroll)
        self.ids.column.add_widget(self.rows, index=1)
        for name, title, _among in FILTERS:
            chip = Chip(label=_(title))
            chip.bind(on_release=lambda _chip, name=name: self.show_only(name))
            self.chips[name] = chip
            filters.add_widget(chip)
        self._games: Sequence[PlayedGame] = ()
        if app.session is None:
            self._games = self._stored()
            self._lines = self._games[-1].lines if self._games else ()
        self.replay: ReplayView | None = None
        self.step_through = PillButton(text=_("Replay the evening"), size_hint=(1, 1))
        self.step_through.bind(on_release=lambda _button: self.open_replay())
        self.ids.foot.add_widget(self.step_through)
        self.show_only("all")
        self.refresh()

    def refresh(self, _dt: float = 0.0) -> None:
        """Show the session's newest state."""
        session = self._app.session
        if session is None or session.snapshot.version == self._serial:
            return
        if session.snapshot.game != self._game:
            close(self.sheet, self.correcting)  # they show events of the game before
        self._serial, self._game = session.snapshot.version, session.snapshot.game
        self._lines = session.snapshot.lines
        self._show()

    def show_only(self, name: str) -> None:
        """List the events of the filter `name`."""
        self.filter = name
        for other, chip in self.chips.items():
            chip.on = other == name
        self._show()

    def put_right(self, event_id: int) -> None:
        """Open the sheet that corrects an event, or only shows it if no game is running."""
        session = self._app.session
        line = line_to_correct(session.snapshot.lines, event_id) if session is not None else None
        if line is None:
            self.open_event(event_id)
        else:
            self.correcting = open_correct_sheet(line, session, on_look=lambda: self.open_event(event_id))

    def open_event(self, event_id: int) -> None:
        """Show one event with its picture and ruling."""
        line = find_line(self._lines, event_id)
        if line is None:
            return
        session = self._app.session
        picture = session.event_picture(event_id) if session is not None else self._kept(event_id)
        self.sheet = EventSheet(
            line,
            picture,
            on_correct=None if session is None else lambda: self.put_right(event_id),
            on_keep=lambda jpeg: self._keep(event_id, jpeg),
            on_undo_later=self._undo_later(event_id),
            on_show=self._show_again(event_id),
        )
        self.sheet.open()

    def _undo_later(self, event_id: int) -> Callable[[], None] | None:
        session = self._app.session
        if session is None or not has_later_events(session.snapshot.lines, event_id):
            return None
        return lambda: session.undo_to(event_id)

    def _show_again(self, event_id: int) -> Callable[[], None] | None:
        clip = self._app.session.clips.clip(event_id) if self._app.session is not None else None
        return None if clip is None else lambda: ClipView(clip).open()

    def open_replay(self) -> None:
        """Replay the evening's games, beginning with the newest."""
        games = self._stored()
        if not games:
            self.ids.toast.say(_("Nothing has happened yet."))
            return
        self.replay = ReplayView(games)
        self.replay.open()

    def _kept(self, event_id: int) -> bytes | None:
        return self._games[-1].picture(event_id) if self._games else None

    def _keep(self, event_id: int, jpeg: bytes) -> None:
        """Save the picture of an event among the user's pictures."""
        write_shared(lambda: self._write(event_id, jpeg), self.ids.toast.say)

    def _write(self, event_id: int, jpeg: bytes) -> None:
        path = pictures_folder() / time.strftime(f"shithead-%Y%m%d-%H%M%S-{event_id}.jpg")
        try:
            make_folder(path.parent)
            write_whole(path, jpeg)
        except OSError as error:
            self.ids.toast.say(error_text(error))
            return
        self.ids.toast.say(_("Saved as {path}").format(path=short_path(path)), 6.0)

    def _show(self) -> None:
        among = next(among for name, _title, among in FILTERS if name == self.filter)
        self.rows.show(rows_of(among(self._lines), open_questions(self._lines), self.put_right))
        illegal = len(_illegal(self._lines))
        events = ngettext("{n} event", "{n} events", len(self._lines))
        self._summary.full_text = f"{events}, {ngettext('{n} breach', '{n} breaches', illegal)}"

    def _stored(self) -> Sequence[PlayedGame]:
        """Return the games of the evening. A game that is not stored comes from its session."""
        session, setup = self._app.session, self._app.setup
        if session is not None and (setup is None or not setup.kept):
            return [running_game(setup, session)] if session.snapshot.lines else []
        try:
            games = last_evening_games(self._app.store)
        except BadInputError as error:
            self.ids.toast.say(error_text(error), 8.0)
            return ()
        if session is not None and games and games[-1].folder == session.picture_writer.folder:
            games[-1] = replace(games[-1], pictures=session.event_pictures)  # not all of them are on the disk
        return games
