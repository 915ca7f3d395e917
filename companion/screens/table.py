"""The table screen: the live picture, the ruling, whose turn it is, the players, the log."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kivy.app import App
from kivy.clock import Clock
from kivy.lang import Builder
from kivy.metrics import dp
from kivy.properties import BooleanProperty
from kivy.uix.floatlayout import FloatLayout

from companion.rulings import line_to_correct, newest_ruling, ruling_of
from companion.screens import live, panels  # noqa: F401 - the kv file names their widgets
from companion.screens.arrangement import arrange
from companion.screens.correct import CorrectSheet
from companion.session import Session, Snapshot
from engine.events import Event


class TableScreen(FloatLayout):
    """Shows a session and passes on what the players ask for."""

    paused = BooleanProperty(False)

    def __init__(self, session: Session, **kwargs: Any) -> None:
        self.session = session
        self.sheet: CorrectSheet | None = None
        super().__init__(**kwargs)
        self._serials = (-1, -1)
        self._said = ""
        self._players = 4
        self.ids.log.on_choose = self.open_event
        self.ids.banner.bind(on_release=lambda banner: self.open_event(int(banner.event_id)))
        self._arrange = Clock.create_trigger(self._place_panels, -1)
        self.bind(size=self._arrange, pos=self._arrange)

    def refresh(self, _dt: float = 0.0) -> None:
        """Show what the session published since the last call; cheap when that is nothing."""
        picture, snapshot = self.session.picture, self.session.snapshot
        picture_serial, snapshot_serial = self._serials
        if picture is not None and picture.serial != picture_serial:
            self.ids.live.show_picture(picture)
        if snapshot.serial != snapshot_serial:
            self._show(snapshot)
        self._serials = (picture.serial if picture is not None else -1, snapshot.serial)

    def undo(self) -> None:
        """Take back the last event."""
        self.session.undo()

    def toggle_pause(self) -> None:
        """Stop looking, or go on."""
        self.session.pause(not self.paused)

    def open_event(self, event_id: int) -> None:
        """Open the sheet that puts one event right."""
        line = line_to_correct(self.session.snapshot.lines, event_id)
        if line is None:
            return
        players = list(self.session.snapshot.table.players)
        self.sheet = CorrectSheet(line, players, self._correct)
        self.sheet.open()

    def _correct(self, event_id: int, event: Event | None) -> None:
        self.session.correct(event_id, event)

    def _show(self, snapshot: Snapshot) -> None:
        ids = self.ids
        self.paused = snapshot.phase == "paused"
        ids.phase.text = snapshot.says if snapshot.phase in ("opening", "failed") else ""
        ids.pause.disabled = snapshot.phase not in ("watching", "paused")
        if snapshot.says and snapshot.says != self._said and not ids.phase.text:
            ids.toast.say(snapshot.says)
        self._said = snapshot.says
        judged = newest_ruling(snapshot.lines)
        if judged is not None:
            ids.banner.show(judged)
        elif snapshot.phase == "watching":
            ids.banner.show_plain("Watching", "Rulings appear here as they fall.")
        ids.live.show_readings(
            snapshot.readings,
            judged=tuple(judged.get("cards") or ()) if judged else (),
            verdict=str((ruling_of(judged) or {})["verdict"]) if judged else "legal",
            moving=snapshot.moving,
        )
        ids.log.show(snapshot.lines)
        ids.undo.disabled = not snapshot.lines
        if snapshot.table is not None:
            self._show_table(snapshot)

    def _show_table(self, snapshot: Snapshot) -> None:
        self.ids.turn.show(snapshot.table)
        self.ids.players.show(snapshot.table, snapshot.lines)
        if len(snapshot.table.players) != self._players:
            self._players = len(snapshot.table.players)
            self._arrange()

    def _place_panels(self, *_: object) -> None:
        app = App.get_running_app()
        if app is None:
            return  # a scheduled arrangement that comes after the app was told to stop
        plan = arrange(self.width, self.height, dp(1), self._players)
        app.u = plan.unit
        for name, box in plan.panels.items():
            panel = self.ids[name]
            panel.size_hint = (None, None)
            panel.pos, panel.size = (box.x, box.y), (box.width, box.height)


Builder.load_file(str(Path(__file__).with_suffix(".kv")))
