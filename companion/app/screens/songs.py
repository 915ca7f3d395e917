"""The sheet of a player's rituals. A tap records one as done, and a second tap undoes that."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from kivy.core.window import Window
from kivy.lang import Builder
from kivy.properties import StringProperty
from kivy.uix.modalview import ModalView

from companion.app.screens.widgets import Chip
from companion.game.evening import Ritual
from companion.i18n.catalogue import _
from companion.i18n.wording import date_text


class SongChip(Chip):
    """One ritual, which stays pressed once it is done."""


class SongsSheet(ModalView):
    """Lists one player's rituals: first those that are due, each group oldest first."""

    player = StringProperty("")

    def __init__(
        self,
        player: str,
        rituals: Sequence[Ritual],
        *,
        dated: bool,
        on_mark: Callable[[Ritual, bool], bool],
        **kwargs: object,
    ) -> None:
        """Open for `player`.

        Args:
            player: The player on whom they fell.
            rituals: All of them, done or due, oldest first.
            dated: Whether to add dates, if there are several evenings.
            on_mark: Gets a ritual and whether it was done. Returns whether that was stored.
            kwargs: For Kivy.
        """
        super().__init__(player=player, **kwargs)
        self._dated, self._on_mark = dated, on_mark
        self.chips: list[SongChip] = []
        """From top to bottom. They keep their places while the sheet is open."""
        for ritual in sorted(rituals, key=lambda ritual: ritual.done is not None):
            chip = SongChip(on=ritual.done is not None, label=self._label(ritual, ritual.done is not None))
            chip.bind(on_release=partial(self._mark, ritual))
            self.chips.append(chip)
            self.ids.content.add_widget(chip)
        for part in (self.ids.body, self.ids.content):
            part.bind(minimum_height=self._size)
        self._size()
        Window.bind(size=self._size)
        self.bind(on_dismiss=lambda *_args: Window.unbind(size=self._size))

    def _mark(self, ritual: Ritual, chip: SongChip) -> None:
        done = not chip.on
        if self._on_mark(ritual, done):
            chip.on, chip.label = done, self._label(ritual, done)

    def _label(self, ritual: Ritual, done: bool) -> str:
        state = _("done") if done else _("still due")
        game = _("game {n}").format(n=ritual.game_number)
        when = f"{game}, {date_text(ritual.started)}" if self._dated else game
        return f"{ritual.title}\n{state} · {when}"

    def _size(self, *_args: object) -> None:
        needed = self.ids.body.minimum_height + self.ids.content.minimum_height
        upright = Window.height > Window.width
        share = (0.94, 0.8) if upright else (0.6, 0.94)
        self.size = Window.width * share[0], min(needed, Window.height * share[1])


Builder.load_file(str(Path(__file__).with_suffix(".kv")))
