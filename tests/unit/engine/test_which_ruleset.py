"""Three questions tell the rulesets apart, and lead to the one that fits best."""

from __future__ import annotations

from itertools import combinations

import pytest

from engine.ruleset import RULESET_NAMES
from engine.which_ruleset import MOST_QUESTIONS, best_match, question_texts, questions


def answers_of(name: str) -> list[str | None]:
    return [question.by_ruleset[name] for question in questions()]


def test_there_are_three_questions_and_each_has_several_answers() -> None:
    assert len(questions()) == MOST_QUESTIONS == 3
    assert all(len(question.answers) > 1 for question in questions())


@pytest.mark.parametrize("name", RULESET_NAMES)
def test_the_answers_of_each_ruleset_lead_to_it(name: str) -> None:
    match = best_match(answers_of(name))
    assert (match.ruleset, match.otherwise) == (name, ())


@pytest.mark.parametrize("name", RULESET_NAMES)
@pytest.mark.parametrize("unknown", range(MOST_QUESTIONS))
def test_a_question_that_stays_open_contradicts_nothing(name: str, unknown: int) -> None:
    answers = answers_of(name)
    answers[unknown] = None
    assert best_match(answers).otherwise == ()


def test_every_two_rulesets_are_told_apart() -> None:
    for one, other in combinations(RULESET_NAMES, 2):
        assert answers_of(one) != answers_of(other)


def test_a_table_with_a_rule_of_its_own_gets_the_closest_ruleset_and_what_differs() -> None:
    answers = answers_of("jokers")
    odd = next(i for i, question in enumerate(questions()) if len(question.answers) > 2)
    answers[odd] = next(
        answer
        for answer in questions()[odd].answers
        if answer != answers[odd] and best_match([*answers[:odd], answer, *answers[odd + 1 :]]).otherwise
    )
    match = best_match(answers)
    assert len(match.otherwise) == 1


def test_without_any_answer_the_default_is_proposed() -> None:
    assert best_match([None] * MOST_QUESTIONS).ruleset == RULESET_NAMES[0]


def test_every_text_of_the_questions_is_there_to_be_translated() -> None:
    texts = set(question_texts())
    for question in questions():
        assert {question.text, *question.answers} <= texts


PLAIN, LOWEST = "Nothing special.", "The player with the lowest card."
ANSWERS = {
    "winnersh": ("It is shown to a player, who picks up the pile.", PLAIN, LOWEST),
    "jokers": (
        "It is invisible: the card below it counts.",
        "The next player is skipped.",
        "The last Shithead. In the first game, the player with the lowest card.",
    ),
    "backpacker": (PLAIN, PLAIN, "Whoever is quickest with the lowest card."),
    "shed": (
        PLAIN,
        "It is invisible: the card below it counts, and the direction of play turns round.",
        LOWEST,
    ),
    "rulebook": (PLAIN, PLAIN, "The player on the dealer's left."),
}
"""What a 3 does, what an 8 does, and who begins, as the rule texts have it."""


@pytest.mark.parametrize("name", RULESET_NAMES)
def test_each_ruleset_answers_as_its_text_does(name: str) -> None:
    assert [question.text for question in questions()] == [
        "What does a 3 do?",
        "What does an 8 do?",
        "Who begins?",
    ]
    assert tuple(answers_of(name)) == ANSWERS[name]
