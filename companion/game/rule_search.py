"""Search a ruleset: the rules that contain all words, those that decide about them first."""

from __future__ import annotations

import re
from collections.abc import Sequence

from companion.i18n.catalogue import _
from engine.explain import topics
from engine.ruleset import Rule, Ruleset


def find_rules(ruleset: Ruleset, words: Sequence[str]) -> list[tuple[str, Rule]]:
    """Return (heading, rule) for the rules that contain the words, in the current language or in English.

    A rule that decides about a searched rank comes first, then one whose own sentence says the words, then
    others. Without words, all rules come in their order.
    """
    wanted = [word.casefold() for word in words]
    found = [(heading, rule) for heading, rules in topics(ruleset).items() for rule in rules]
    matching = [(heading, rule) for heading, rule in found if _contains(rule, heading, wanted)]
    return sorted(matching, key=lambda one: _distance(one[1], wanted)) if wanted else matching


def _contains(rule: Rule, heading: str, wanted: Sequence[str]) -> bool:
    texts = (rule.text, rule.quote, heading)
    text = " ".join([rule.id, rule.cite, *texts, *map(_, texts)]).casefold()
    return all(word in text for word in wanted)


def _distance(rule: Rule, wanted: Sequence[str]) -> float:
    """Return the distance of a rule from the words: 0 if it decides about them alone, at most 4."""
    about = [mechanism.partition(".")[2].casefold() for mechanism in rule.decides]
    share = sum(name in wanted for name in about) / max(1, len(about))
    if share:
        return 1 - share
    for distance, text in enumerate((rule.text, rule.quote), start=2):
        spoken = re.findall(r"\w+", f"{text} {_(text)}".casefold())
        if all(word in spoken for word in wanted):
            return distance
    return 4.0
