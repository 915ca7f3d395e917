"""The referee's question to the players, with buttons for the answers: one tap answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from kivy.clock import Clock
from kivy.lang import Builder
from kivy.metrics import dp
from kivy.properties import BooleanProperty, NumericProperty, StringProperty
from kivy.uix.boxlayout import BoxLayout

from companion.app.screens.arrangement import ANSWER_DP, rows_needed
from companion.app.screens.widgets import PillButton, signed, text_height
from companion.game.interface import EventLine
from companion.game.ruling_views import (
    asks_about_joined_game,
    asks_about_moved_game,
    asks_for_hidden_card,
    asks_for_places,
    likely_answers,
    line_to_correct,
    open_questions,
)
from companion.i18n.catalogue import _
from companion.i18n.events import event_text
from companion.i18n.wording import cards_label
from engine.events import Event

_QUESTION_SHARE, _STEPS = 0.4, 40
"""Fraction of the line for a question beside its answers, reduced in this number of steps if the answers need
it."""

_READABLE = 0.85
"""Least size of a question above several rows of answers, as a fraction of the largest."""


class AnswerChip(PillButton):
    """One answer."""

    wide = BooleanProperty(False)


class QuestionBar(BoxLayout):
    """The newest open question, hidden while there is none."""

    asks = StringProperty("")
    choice = BooleanProperty(False)
    """Whether there is an answer besides "Done"."""
    beside = BooleanProperty(False)
    """Whether it stands beside the picture, not below it."""
    wraps = BooleanProperty(False)
    """Whether the answers take several rows."""
    tallest = NumericProperty(48)
    """Height of an answer if there is room."""
    chip_height = NumericProperty(48)
    """Height of an answer."""
    rows_height = NumericProperty(48)
    """Total height of the rows of answers in pixels."""
    answers_width = NumericProperty(0)
    """Visible width of the answers in pixels. They scroll if they need more."""
    row_width = NumericProperty(0)
    """Width of all answers in one row, in pixels."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.on_answer: Callable[[int, Event | None], None] = lambda _id, _event: None
        """Called with an event's id and its replacement, or None to remove it."""
        self.on_other: Callable[[int], None] = lambda _id: None
        """Called with the id of a question that needs another answer."""
        self.on_where: Callable[[], None] | None = None
        """Called to show where rows and piles lie; None if nobody can."""
        self.chips: dict[str, PillButton] = {}
        """The answers: cards by name, `other`, `where`, and `done`."""
        self._shown: tuple[EventLine, EventLine | None, bool] | None = None
        self._lay = Clock.create_trigger(self._share, -1)
        self.fbind("size", self._lay)
        self.fbind("orientation", self._lay)
        self.fbind("asks", self._lay)
        self.fbind("tallest", self._lay)

    def show(self, lines: Sequence[EventLine], *, followed: bool = True) -> None:
        """Show the newest open question. `followed`: whether the layout is known."""
        question = next(reversed(open_questions(lines)), None)
        about = None if question is None else line_to_correct(lines, int(question["id"]))
        where = question is not None and asks_for_places(question, followed=followed)
        shown = None if question is None else (question, about, where)
        if shown == self._shown:
            return
        self._shown = shown
        self.chips = {}
        self.ids.chips.clear_widgets()
        self.ids.view.scroll_x = 0
        if question is None:
            self.asks = ""
            return
        number = int(question["id"])
        about_card = about is not question
        self.choice = about_card or where
        self.asks = _in_short(question) if self.choice else event_text(question)
        for event in likely_answers(lines, question):
            new = next(card for card in event.cards if card not in (about or {})["cards"])
            self._add(new, cards_label([new]), partial(self._answer, event.id, event))
        if about_card:
            self._add("other", _("Other"), lambda: self.on_other(number), wide=True, primary=False)
            self._add("done", "✗", partial(self._answer, number, None), primary=False)
        else:
            if where and self.on_where is not None:
                self._add("where", _("Show the places"), self.on_where, wide=True)
            self._add("done", _("Done"), partial(self._answer, number, None), wide=True, primary=not where)

    def _share(self, *_args: object) -> None:
        """Use several rows of answers if the whole question fits above them, else let them scroll."""
        if not self.chips:
            return
        across, gap = self.ids.chips.spacing
        left, top, right, bottom = self.padding
        widths = [chip.width for chip in self.chips.values()]
        self.row_width = sum(widths) + across * (len(widths) - 1)
        room = self.width - left - right
        rows = rows_needed(widths, across, room)
        asked = text_height(
            signed(self.asks), _READABLE * self.ids.asks.largest, max(2, int(room)), bold=True, italic=False
        )
        free = self.height - top - bottom - self.spacing - asked
        # With large type, make answers as low as a finger can hit before they leave the screen.
        height = max(dp(ANSWER_DP), min(self.tallest, (free + gap) / rows - gap))
        self.wraps = self.orientation == "vertical" and rows * (height + gap) - gap <= free
        if not self.wraps:
            height = (
                max(dp(ANSWER_DP), min(self.tallest, free))
                if self.orientation == "vertical"
                else self.tallest
            )
        self.chip_height = height
        self.rows_height = rows * (height + gap) - gap if self.wraps else self.chip_height
        self.answers_width = room if self.orientation == "vertical" else self._left_by_question(room)

    def _left_by_question(self, room: float) -> float:
        """Return the answers' width in a line with the question, which stays whole or keeps its share."""
        asks, needed = self.ids.asks, float(self.row_width)
        for step in range(_STEPS):
            width = room * _QUESTION_SHARE * (_STEPS - step) / _STEPS
            left = room - width - self.spacing
            if left >= needed and asks.fits(self.asks, asks.smallest, width):
                return needed
        return min(needed, room * (1 - _QUESTION_SHARE) - float(self.spacing))

    def _answer(self, event_id: int, event: Event | None) -> None:
        self.on_answer(event_id, event)

    def _add(
        self, name: str, text: str, act: Callable[[], Any], *, wide: bool = False, primary: bool = True
    ) -> None:
        chip = AnswerChip(text=signed(text), wide=wide, primary=primary, height=self.chip_height)
        self.fbind("chip_height", chip.setter("height"))
        chip.bind(on_release=lambda _chip: act())
        chip.bind(size=self._lay)
        self._lay()
        self.chips[name] = chip
        self.ids.chips.add_widget(chip)


def _in_short(question: EventLine) -> str:
    """Return a short form of a question that stands beside its answers. The log has the whole."""
    if asks_about_moved_game(question):
        return _("The cards are not where they were.")
    if asks_about_joined_game(question):
        return _("A game seems to be going on. Where is the play pile?")
    if asks_for_places(question):
        return _("No finished deal is in view.")
    who = str(question.get("player") or _("Somebody"))
    if asks_for_hidden_card(question):
        return _("Which card did {player} play underneath?").format(player=who)
    return _("Which card did {player} play?").format(player=who)


Builder.load_file(str(Path(__file__).with_suffix(".kv")))
