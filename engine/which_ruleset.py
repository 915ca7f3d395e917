"""Which published ruleset a table plays by, found with a few questions.

A subject is something on which rulesets differ, such as the effect of an 8. Its answers are read off each
ruleset's mechanics. The questions asked are the subjects that together tell the rulesets apart best, so
another ruleset needs no change here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

from engine.cards import RANK_VALUES
from engine.mechanics import Mechanics
from engine.ruleset import RULESET_NAMES, load_ruleset

MOST_QUESTIONS = 3
_TEN = RANK_VALUES["10"]


@dataclass(frozen=True, slots=True)
class Question:
    """One question, with an answer for each ruleset. The texts are English and wait for translation."""

    text: str
    by_ruleset: Mapping[str, str]

    @property
    def answers(self) -> tuple[str, ...]:
        """Every answer once, in the order of the rulesets."""
        return tuple(dict.fromkeys(self.by_ruleset.values()))


@dataclass(frozen=True, slots=True)
class Match:
    """The ruleset that fits the answers best."""

    ruleset: str
    otherwise: tuple[Question, ...]
    """The questions that it answers in another way than the table does."""


@lru_cache(maxsize=1)
def questions() -> tuple[Question, ...]:
    """Return the questions that tell the published rulesets apart.

    The two rulesets that are hardest to tell apart count first, then the sum over all pairs.
    """

    def separation(chosen: Sequence[Question]) -> tuple[int, int]:
        pairs = [
            sum(question.by_ruleset[one] != question.by_ruleset[other] for question in chosen)
            for one, other in combinations(RULESET_NAMES, 2)
        ]
        return min(pairs), sum(pairs)

    return max(combinations(_all_questions(), MOST_QUESTIONS), key=separation)


def best_match(answers: Sequence[str | None]) -> Match:
    """Return the ruleset that agrees with the most answers to `questions()`. None is no answer."""

    def otherwise(name: str) -> tuple[Question, ...]:
        return tuple(
            question
            for question, answer in zip(questions(), answers, strict=True)
            if answer is not None and question.by_ruleset[name] != answer
        )

    name = min(RULESET_NAMES, key=lambda name: len(otherwise(name)))
    return Match(name, otherwise(name))


def question_texts() -> Iterator[str]:
    """Yield the text and the answers of every question that could be asked, for the catalogue."""
    for question in _all_questions():
        yield question.text
        yield from question.answers


@lru_cache(maxsize=1)
def _all_questions() -> tuple[Question, ...]:
    loaded = {name: load_ruleset(name).mechanics for name in RULESET_NAMES}
    found = [
        Question(text, {name: tell(mechanics) for name, mechanics in loaded.items()})
        for text, tell in _SUBJECTS.items()
    ]
    return tuple(question for question in found if len(question.answers) > 1)


def _effect(rank: str) -> Callable[[Mechanics], str]:
    """Return a function that says in one sentence what a card of this rank does."""
    value = RANK_VALUES[rank]

    def tell(mechanics: Mechanics) -> str:
        effects = [words for names, words in _EFFECTS.items() if value in getattr(mechanics, names)]
        text = ", and ".join(effects) or "nothing special"
        return f"{text[0].upper()}{text[1:]}."

    return tell


_EFFECTS = {
    "shown": "it is shown to a player, who picks up the pile",
    "transparent": "it is invisible: the card below it counts",
    "resets": "any card may follow it",
    "limits": "the next card must be equal or lower",
    "skips": "the next player is skipped",
    "reverses": "the direction of play turns round",
    "again": "its player has another turn",
}
"""By field of `Mechanics`: what a rank in it does."""


def _ten(mechanics: Mechanics) -> str:
    return "On any card." if _TEN in mechanics.on_anything else "On a card that it equals or beats."


def _who_starts(mechanics: Mechanics) -> str:
    if mechanics.start == "left-of-dealer":
        return "The player on the dealer's left."
    if mechanics.start_loser:
        return "The last Shithead. In the first game, the player with the lowest card."
    if mechanics.start_by == "race":
        return "Whoever is quickest with the lowest card."
    return "The player with the lowest card."


_SUBJECTS: dict[str, Callable[[Mechanics], str]] = {
    "How many cards are in a hand?": lambda mechanics: f"{mechanics.deal.hand} cards.",
    "What does a 3 do?": _effect("3"),
    "What does an 8 do?": _effect("8"),
    "What does a 7 do?": _effect("7"),
    "What does a 2 do?": _effect("2"),
    "You can play, but want to pick up the pile. May you?": lambda mechanics: (
        "No, whoever can play must play." if mechanics.must_play else "Yes."
    ),
    "Where does a 10 go?": _ten,
    "Who begins?": _who_starts,
    "Who leads after a pick-up?": lambda mechanics: (
        "The player who picked up." if mechanics.after_pick_up == "picker" else "The next player."
    ),
    "Who plays after the pile was burned?": lambda mechanics: (
        "The player who burned it." if mechanics.burn_again else "The next player."
    ),
}
"""By question: how a ruleset answers it."""
