"""The first steps: a practice game by touch with three guided plays, then where to put the camera."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from kivy.app import App
from kivy.clock import Clock
from kivy.lang import Builder
from kivy.properties import BooleanProperty, StringProperty
from kivy.uix.modalview import ModalView

from companion.app.screens.table import TableScreen
from companion.app.screens.widgets import close
from companion.device import on_phone
from companion.game.practice import PLAYS, Practice, first_player, practice_session, practice_setup
from companion.i18n.catalogue import _, gettext_noop

_WITH_A_PHONE = (
    gettext_noop("Put the phone over the table"),
    gettext_noop(
        "The whole table must be in view. Then deal: face-down cards, face-up cards on top, hands. No "
        "camera? Then enter by touch what happens."
    ),
)
_WITH_A_COMPUTER = (
    gettext_noop("Put a camera over the table"),
    gettext_noop(
        "Use a webcam, or a phone that streams its picture. The whole table must be in view. Then deal: "
        "face-down cards, face-up cards on top, hands. No camera? Then enter by touch what happens."
    ),
)


def camera_page() -> tuple[str, str]:
    """Return title and text of the last page for this device, not yet translated."""
    return _WITH_A_PHONE if on_phone() else _WITH_A_COMPUTER


class Tour(ModalView):
    """The practice game with its tasks. The user can leave at any time."""

    heading = StringProperty("")
    body = StringProperty("")
    practising = BooleanProperty(True)
    """Whether the practice game is shown, and not yet the last page."""

    def __init__(self, on_done: Callable[[], None], **kwargs: Any) -> None:
        """`on_done` is called at the end, or when the user leaves."""
        super().__init__(**kwargs)
        self._on_done = on_done
        self._practice = Practice(first_player(practice_setup()))
        self._session = practice_session()
        self._session.start()
        self.table: TableScreen | None = TableScreen(self._session)
        self.table.on_next = self.dismiss
        self.ids.column.add_widget(self.table)
        self._page = self.ids.page.__self__  # the proxy alone would not keep it
        self.ids.column.remove_widget(self._page)
        self._clock = Clock.schedule_interval(self._refresh, 0)
        self._show()
        self.bind(on_dismiss=self._end)

    def _refresh(self, dt: float) -> None:
        if self.table is None:
            return
        self.table.refresh(dt)
        before = self._practice.text
        self._practice.look(self._session.snapshot)
        if self._practice.is_done:
            self._leave_table()
            self._show_camera_page()
        elif self._practice.text != before:
            self._show()

    def _show(self) -> None:
        self.heading = _("Practice: play {n} of {all}").format(n=self._practice.play, all=PLAYS)
        self.body = self._practice.text
        if self.table is not None:
            self.table.hint = f"{self.heading}\n{self.body}"

    def _show_camera_page(self) -> None:
        self.practising = False
        self.heading, self.body = map(_, camera_page())
        self.ids.column.clear_widgets()
        self.ids.column.add_widget(self._page)

    def _leave_table(self) -> None:
        """End the practice game. The screen behind it sets the design unit again."""
        if self.table is None:
            return
        self._clock.cancel()
        close(self.table.sheet, self.table.player_sheet, self.table.large)
        self.ids.column.remove_widget(self.table)
        self.table = None
        self._session.stop()
        App.get_running_app().measure()

    def _end(self, *_args: object) -> None:
        self._leave_table()
        self._on_done()


Builder.load_file(str(Path(__file__).with_suffix(".kv")))
