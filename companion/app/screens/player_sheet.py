"""The sheet to enter what a player did, opened by a tap on the player."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from kivy.app import App
from kivy.core.window import Window
from kivy.lang import Builder
from kivy.metrics import dp
from kivy.properties import StringProperty
from kivy.uix.modalview import ModalView

from companion.app.screens.pad import CardPad
from companion.app.screens.widgets import Chip, PillButton, signed
from companion.game.entry import (
    SOURCES,
    answered_show,
    entered_event,
    has_begun,
    last_event_by_another,
    with_player,
)
from companion.game.interface import EventLine
from companion.i18n.catalogue import _, gettext_noop
from companion.i18n.events import event_text
from companion.i18n.wording import cards_label
from engine.events import Event

_SOURCE_WORDS = {
    "hand": gettext_noop("From hand"),
    "up": gettext_noop("Face-up"),
    "hand+up": gettext_noop("Hand and face-up"),
    "down": gettext_noop("Face-down"),
}


class PlayerSheet(ModalView):
    """Enters a play, pick-up, burn, draw or show, or credits the newest event to this player."""

    player = StringProperty("")

    def __init__(
        self,
        player: str,
        others: Sequence[str],
        lines: Sequence[EventLine],
        *,
        face_up: int,
        pile: int,
        likely: Sequence[str] = (),
        source: str = "hand",
        playable: Sequence[str] | None = None,
        jokers: bool = True,
        shown: str | None,
        on_enter: Callable[[Event], None],
        on_correct: Callable[[int, Event], None],
        **kwargs: Any,
    ) -> None:
        """Open for `player`.

        Args:
            player: The player who did something.
            others: All other players.
            lines: The game so far. Its newest event may have been this player's.
            face_up: Number of the player's up-cards, known or not.
            pile: Number of cards on the play pile.
            likely: Cards that the player is known to have, offered first.
            source: The most likely origin of played cards.
            playable: The ranks that may be played, offered first; None if it is not this player's turn.
            jokers: Whether jokers are in play.
            shown: The rank that players may show by the rules, if any.
            on_enter: Gets the event.
            on_correct: Gets the id of an event and its replacement.
            kwargs: For Kivy.
        """
        super().__init__(player=player, **kwargs)
        self._on_enter, self._on_correct = on_enter, on_correct
        self._face_up, self._begun = face_up, has_begun(lines)
        self.buttons: dict[str, PillButton] = {}
        self.pad: CardPad = self.ids.pad
        self.pad.hint = _("Tap the cards. Add suits only if they matter.")
        self.pad.offer(likely=likely, playable=playable, jokers=jokers)
        self.source = "hand"
        self.sources = {name: Chip(label=_(_SOURCE_WORDS[name])) for name in SOURCES}
        for name, chip in self.sources.items():
            chip.bind(on_release=lambda _chip, name=name: self.take_from(name))
            self.ids.sources.add_widget(chip)
        self.take_from(source)
        self._add_actions(others, shown, pile)
        self._add_second_thoughts(lines)
        self.pad.bind(cards=self._name_play, on_enter=lambda *_: self._play_if_named())
        self._name_play()
        Window.bind(size=self._place)
        for column in (self.ids.left, self.ids.right):
            column.bind(minimum_height=self._place)
        self.bind(on_dismiss=lambda *_: Window.unbind(size=self._place))
        self._place()

    def take_from(self, source: str) -> None:
        """Select the origin of the played cards."""
        self.source = source
        for name, chip in self.sources.items():
            chip.on = name == source

    def enter(self, kind: str, **fields: Any) -> None:
        """Report what the player did, and close the sheet."""
        cards, face_up = self.pad.cards, self._face_up
        self._on_enter(entered_event(kind, self.player, cards, self.source, face_up=face_up, **fields))
        self.dismiss()

    def _play_if_named(self) -> None:
        if self.pad.cards:
            self.enter("play")

    def _add_actions(self, others: Sequence[str], shown: str | None, pile: int) -> None:
        add = self._add
        add("close", _("Close"), self.ids.bar, self.dismiss)
        add("play", "", self.ids.bar, lambda: self.enter("play"), primary=True)
        if pile:
            add("pick_up", _("Picks up"), self.ids.first, lambda: self.enter("pick_up"))
        add("burn", _("Burns the pile"), self.ids.first, lambda: self.enter("burn"))
        add("draw", _("Draws 1"), self.ids.first, lambda: self.enter("draw"))
        if self._begun:
            add("take_up", _("Takes a face-up card"), self.ids.second, lambda: self.enter("take_up"))
            add("take_down", _("Takes a face-down card"), self.ids.second, lambda: self.enter("take_down"))
        else:
            add("deal", _("Has face up"), self.ids.second, lambda: self.enter("deal"))
        # Allowed at any time: an illegal exchange can be entered like anything else, and is ruled on.
        add("exchange", _("Exchanges"), self.ids.second, lambda: self.enter("exchange"))
        add("out", _("Is out"), self.ids.first, self._out)
        if not pile:  # no usual act, but a camera may have missed what lies there
            add("pick_up", _("Picks up nothing"), self.ids.again, lambda: self.enter("pick_up"))
        for other in others if shown is not None else ():
            add(
                f"show {other}",
                _("{card} to {player}").format(card=shown, player=other),
                self.ids.shows,
                partial(self.enter, "show", to=other, shown=shown),
            )

    def _out(self) -> None:
        """Enter at the second tap that the player is out: nothing else ends a game so easily."""
        button = self.buttons["out"]
        if button.primary:
            self.enter("out")
        else:
            button.primary, button.text = True, signed(_("Tap again: out"))

    def _add_second_thoughts(self, lines: Sequence[EventLine]) -> None:
        reply = answered_show(lines, self.player)
        if reply is not None:
            self._add("answer", _("Shows it back"), self.ids.again, partial(self._correct, reply))
        newest = last_event_by_another(lines, self.player)
        if newest is not None:
            event = Event.from_json(dict(newest))
            words = _("It was {player}: {what}").format(player=self.player, what=event_text(newest))
            put = with_player(event, self.player)
            self._add("was", words, self.ids.again, partial(self._correct, put))

    def _correct(self, event: Event) -> None:
        self._on_correct(event.id, replace(event, confidence=1.0, revise=None))
        self.dismiss()

    def _add(self, name: str, text: str, row: Any, act: Callable[[], Any], *, primary: bool = False) -> None:
        button = PillButton(text=signed(text), primary=primary, size_hint=(1, 1))
        button.bind(on_release=lambda _button: act())
        self.buttons[name] = button
        row.add_widget(button)

    def _name_play(self, *_args: object) -> None:
        cards = self.pad.cards
        self.buttons["play"].text = signed(f"{_('Plays')} {cards_label(cards)}".strip())
        self.buttons["play"].disabled = not cards
        fits = len(cards) <= self._face_up
        for name, disabled in (
            ("take_up", not cards),
            ("deal", not (cards and fits)),
            ("exchange", not fits),
        ):
            if name in self.buttons:
                self.buttons[name].disabled = disabled

    def _place(self, *_args: object) -> None:
        u = App.get_running_app().u
        upright = Window.height > Window.width
        body = self.ids.body
        body.orientation = "vertical" if upright else "horizontal"
        width = min(Window.width, 640 * u if upright else 1120 * u)
        inner = width - 20 * u
        # Side by side, the keys take the width of seven touch targets, and the buttons the rest.
        keys = inner if upright else max(inner / 2, dp(7 * 48 + 6))
        for column, wide in ((self.ids.left, keys), (self.ids.right, inner if upright else inner - keys)):
            column.size_hint_x = 1 if upright else None
            column.width = wide
        left, right = self.ids.left.minimum_height, self.ids.right.minimum_height
        height = left + right + 8 * u if upright else max(left, right)
        self.size = (width, min(Window.height - 8 * u, height + 20 * u))


Builder.load_file(str(Path(__file__).with_suffix(".kv")))
