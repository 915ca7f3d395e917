"""The part of *More* about the films of games: keep them, see which there are, delete them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kivy.factory import Factory

from companion.app.screens.widgets import BodyText, Chip, Page, PillButton
from companion.i18n.catalogue import _
from companion.i18n.wording import short_path
from companion.store.kept_films import kept_films_folder, kept_games
from companion.store.store import default_path

_MOST_FILMS = 5
_MB = 1_000_000


class FilmSection:
    """Switches, and a button for each of the newest films that deletes it with one tap."""

    def __init__(self, page: Page, app: Any, switch: Callable[[str], None]) -> None:
        """Add the section to `page`. `switch` switches a setting on or off."""
        self._page, self._app, self._switch = page, app, switch
        self.switches: dict[str, Chip] = {}
        self.buttons: dict[str, PillButton] = {}
        self._add_switches()
        self._add_films()

    def _add_switches(self) -> None:
        settings = self._app.settings
        row = self._page.add(Factory.FilterRow())
        self._chip(row, "keep_film", _("Keep the film of this game"))
        if settings.keep_film:
            self._chip(row, "keep_film_whole", _("Show people"))
        shows = (
            _("Everybody in the picture can be recognised. Ask them first.")
            if settings.keep_film and settings.keep_film_whole
            else _("It shows the table. Everything around it is blurred.")
        )
        where = short_path(kept_films_folder(self._app.store or default_path()))
        lies = _("The film begins with the deal and stays on this device, in {path}.").format(path=where)
        self._page.add(BodyText(full_text=f"{shows} {lies}"))

    def _add_films(self) -> None:
        keeper = self._app.session.film_keeper if self._app.session is not None else None
        if keeper is not None and keeper.kept is not None:
            self._button("running", _("Delete the film of this game"), keeper.discard)
        kept = kept_games(kept_films_folder(self._app.store or default_path()))
        for game in kept[:_MOST_FILMS]:
            size = _("{n} MB").format(n=max(1, round(game.bytes / _MB)))
            text = _("Delete the film {name} ({size})").format(name=game.folder.name, size=size)
            self._button(game.folder.name, text, game.delete)

    def _chip(self, row: Any, name: str, label: str) -> None:
        chip = Chip(label=label, on=getattr(self._app.settings, name))
        chip.bind(on_release=lambda _chip: self._switch_and_tell(name))
        self.switches[name] = chip
        row.add_widget(chip)

    def _switch_and_tell(self, name: str) -> None:
        self._switch(name)
        self._app.go("more")  # the text below says something else now

    def _button(self, name: str, text: str, delete: Callable[[], None]) -> None:
        def tapped(_button: object) -> None:
            delete()
            self._app.go("more")
            self._app.screen.ids.toast.say(_("The film is deleted."))

        button = PillButton(text=text, size_hint=(1, 1))
        button.bind(on_release=tapped)
        self.buttons[name] = button
        self._page.add(Factory.FilterRow()).add_widget(button)
