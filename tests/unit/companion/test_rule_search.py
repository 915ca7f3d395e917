"""A search finds the rule that is meant first."""

from __future__ import annotations

import pytest

from companion.game.rule_search import find_rules
from engine.ruleset import RULESET_NAMES, load_ruleset


@pytest.mark.parametrize(
    ("rules", "word", "first"),
    [
        ("winnersh", "7", "After a 7 only a 7 or lower may be played."),
        ("jokers", "7", "After a 7 only 7 or below may be played."),
        ("shed", "7", "A 7 is glass: what lies under it is to be beaten."),
        ("winnersh", "10", "A 10 burns the pile."),
    ],
)
def test_the_rule_on_a_rank_comes_first(rules: str, word: str, first: str) -> None:
    assert find_rules(load_ruleset(rules), [word])[0][1].text == first


@pytest.mark.parametrize("rules", RULESET_NAMES)
def test_without_words_every_rule_is_listed_once_and_nonsense_finds_none(rules: str) -> None:
    ruleset = load_ruleset(rules)
    everything = find_rules(ruleset, [])
    assert sorted(rule.id for _heading, rule in everything) == sorted(ruleset.rules)
    assert find_rules(ruleset, ["xyzzy"]) == []
