"""The sheet that finds a table's ruleset with a few questions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from kivy.core.window import Window
from kivy.lang import Builder
from kivy.properties import BooleanProperty, StringProperty
from kivy.uix.modalview import ModalView

from companion.app.screens.widgets import PillButton
from companion.i18n.catalogue import _
from companion.i18n.rules import differences_text
from engine.ruleset import load_ruleset
from engine.which_ruleset import best_match, questions


class AnswerButton(PillButton):
    """One answer. Its English text is `answer`; None is no answer."""

    def __init__(self, answer: str | None, **kwargs: Any) -> None:
        self.answer = answer
        super().__init__(text=_("We don’t know") if answer is None else _(answer), **kwargs)


class WhichRulesSheet(ModalView):
    """Asks one question after the other, then names the ruleset that fits best."""

    heading = StringProperty("")
    body = StringProperty("")
    progress = StringProperty("")
    found = BooleanProperty(False)
    """Whether all questions are answered."""

    def __init__(self, on_choose: Callable[[str], object], **kwargs: Any) -> None:
        """`on_choose` gets the name of the ruleset that was found."""
        super().__init__(**kwargs)
        self._on_choose = on_choose
        self._answers: list[str | None] = []
        self.ruleset = ""
        self.again()
        self._size()
        Window.bind(size=self._size)
        self.bind(on_dismiss=lambda *_args: Window.unbind(size=self._size))

    def again(self) -> None:
        """Begin with the first question."""
        self._answers = []
        self._ask()

    def answer(self, answer: str | None) -> None:
        """Take an answer, and ask the next question or show the result."""
        self._answers.append(answer)
        if len(self._answers) < len(questions()):
            self._ask()
        else:
            self._show_result()

    def choose(self) -> None:
        """Pass on the ruleset."""
        self.dismiss()
        self._on_choose(self.ruleset)

    def _ask(self) -> None:
        number = len(self._answers)
        question = questions()[number]
        self.found = False
        self.heading, self.body = _(question.text), ""
        self.progress = _("Question {n} of {all}").format(n=number + 1, all=len(questions()))
        self.ids.answers.clear_widgets()
        for answer in (*question.answers, None):
            button = AnswerButton(answer)
            button.bind(on_release=lambda button: self.answer(button.answer))
            self.ids.answers.add_widget(button)

    def _show_result(self) -> None:
        match = best_match(self._answers)
        ruleset = load_ruleset(match.ruleset)
        self.ruleset = match.ruleset
        self.ids.answers.clear_widgets()
        self.heading, self.progress = ruleset.title, ""
        fits = _("These rules fit your answers.") if not match.otherwise else _("These rules come closest.")
        differing = [
            _("Different from your answer: {question} {answer}").format(
                question=_(question.text), answer=_(question.by_ruleset[match.ruleset])
            )
            for question in match.otherwise
        ]
        self.body = "\n\n".join([fits, differences_text(ruleset), *differing])
        self.found = True

    def _size(self, *_args: object) -> None:
        self.width = Window.width * (0.94 if Window.height > Window.width else 0.6)


Builder.load_file(str(Path(__file__).with_suffix(".kv")))
