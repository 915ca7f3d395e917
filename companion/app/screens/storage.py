"""The section of *More* about the data on this device: back up, restore, erase."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from kivy.factory import Factory

from companion.app.android_folders import write_shared
from companion.app.screens.widgets import BodyText, Page, PillButton
from companion.game import sharing
from companion.i18n.catalogue import _, ngettext
from companion.i18n.messages import error_text
from companion.i18n.wording import short_path
from companion.store import backup as keeping
from engine.errors import BadInputError
from engine.files.atomic import make_folder

_MOST_BACKUPS = 3


class StorageSection:
    """Buttons on a page. Those that lose data need a second tap."""

    def __init__(self, page: Page, app: Any) -> None:
        """Add the section to `page`."""
        self._page, self._app = page, app
        self.buttons: dict[str, PillButton] = {}
        self._labels: dict[str, str] = {}
        self._asked = ""
        """The button that was tapped once."""
        row = page.add(Factory.FilterRow())
        self._button(row, "backup", _("Back up"), self.back_up)
        self._button(row, "erase", self._erase_label(), self.erase)
        page.add(BodyText(full_text=self._what_erasing_takes()))
        self._add_backups()

    def back_up(self) -> None:
        """Copy the store to the user's documents, once the phone allows it."""
        write_shared(self._back_up, self._say)

    def _back_up(self) -> None:
        path = sharing.documents_folder() / time.strftime("shithead-%Y%m%d-%H%M%S.sqlite")
        try:
            make_folder(path.parent)
            keeping.back_up(path, self._app.store)
        except (OSError, BadInputError) as error:
            self._say(error_text(error))
            return
        self._app.go("more")  # it lists the backup
        self._say(_("Saved as {path}").format(path=short_path(path)))

    def erase(self) -> None:
        """Erase everything at the second tap."""

        def do() -> str:
            links = [link for link, _target in keeping.foreign_links(self._app.store)]
            self._app.settings = replace(self._app.settings, sources=(), players=())
            done = ngettext("{n} file erased", "{n} files erased", len(keeping.erase(self._app.store)))
            if not links:
                return done
            named = ", ".join(short_path(link) for link in links)
            return f"{done} {_('The targets of these links were not erased: {paths}').format(paths=named)}"

        try:
            count = len(keeping.stored_files(self._app.store))
        except OSError as error:
            self._say(error_text(error))
            return
        self._at_second_tap(
            "erase", ngettext("Tap again to erase {n} file", "Tap again to erase {n} files", count), do
        )

    def put_back(self, backup: Path) -> None:
        """Restore a backup at the second tap."""

        def do() -> str:
            aside = keeping.restore(backup, self._app.store)
            done = _("The backup is restored.")
            return (
                done if aside is None else f"{done} {_('The former games are in {path}').format(path=aside)}"
            )

        self._at_second_tap(
            backup.name,
            _("Tap again to restore it"),
            do,
            check=lambda: keeping.check_backup(backup, self._app.store),
        )

    def _add_backups(self) -> None:
        folder = sharing.documents_folder()
        backups = keeping.list_backups(folder)[:_MOST_BACKUPS]
        if not backups:
            return
        self._page.add(BodyText(full_text=_("Backups in {path}: tap one to restore it.").format(path=folder)))
        for path, games in backups:
            row = self._page.add(Factory.FilterRow())
            stamp = path.stem.removeprefix("shithead-")
            label = f"{stamp} · {ngettext('{n} game', '{n} games', games)}"
            self._button(row, path.name, label, partial(self.put_back, path))

    def _at_second_tap(
        self, name: str, question: str, act: Callable[[], str], check: Callable[[], object] = lambda: None
    ) -> None:
        """Ask at the first tap. At the second, end the game, change the store, and start over.

        `act` returns a line for the user. Nothing happens if another program is playing, or if `check` raises
        BadInputError or OSError.
        """
        asked, self._asked = self._asked, ""
        if asked:
            self.buttons[asked].text = self._labels[asked]
        if asked != name:
            self._asked, self.buttons[name].text = name, question
            return
        session = self._app.session
        try:
            keeping.check_not_playing(self._app.store, besides=session.game_id if session else None)
            check()
        except (OSError, BadInputError) as error:
            self._say(error_text(error))
            return
        self._app.end_session()
        try:
            says = act()
        except (OSError, BadInputError) as error:
            says = error_text(error)
        self._app.new_game()
        self._app.go("more")
        self._say(says)

    def _say(self, text: str) -> None:
        self._app.screen.ids.toast.say(text, 8.0)

    def _erase_label(self) -> str:
        return _("Erase everything") if self._app.store is None else _("Erase this file")

    def _what_erasing_takes(self) -> str:
        if self._app.store is None:
            return _("This erases games, pictures, decks, settings and logs.")
        return _("This erases the games in this file and their pictures. Decks, settings and logs stay.")

    def _button(self, row: Any, name: str, text: str, act: Callable[[], None]) -> None:
        button = PillButton(text=text, size_hint=(1, 1))
        button.bind(on_release=lambda _button: act())
        self.buttons[name], self._labels[name] = button, text
        row.add_widget(button)
