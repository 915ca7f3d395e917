"""A ruleset as its players would want to read it, made from the data with its sources."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from engine.deals import deal_for
from engine.ruleset import VARIANT_NAMES, Rule, Ruleset

_TOPICS = {
    "setup": "Before the game",
    "physical": "Before the game",
    "start": "Who starts",
    "turn": "Turns",
    "play": "What goes on what",
    "magic": "Cards with powers",
    "two": "Cards with powers",
    "three": "Cards with powers",
    "seven": "Cards with powers",
    "eight": "Cards with powers",
    "ten": "Cards with powers",
    "joker": "Cards with powers",
    "burn": "Burning",
    "four": "Burning",
    "pickup": "Picking up",
    "replenish": "Drawing",
    "up": "Face-up cards",
    "down": "Face-down cards",
    "end": "The end",
    "ritual": "Rituals",
    "ext": "Options",
    "extreme": "Options",
}
"""The heading of a rule, by the first part of its id, in the order in which they are read."""

WIDTH = 78


def topics(rules: Ruleset) -> dict[str, list[Rule]]:
    """Return the rules under their headings, in reading order."""
    sorted_rules: dict[str, list[Rule]] = {heading: [] for heading in _TOPICS.values()}
    for rule in rules.rules.values():
        heading = _TOPICS.get(rule.id.partition(".")[0], "Options")
        sorted_rules[heading].append(rule)
    return {heading: found for heading, found in sorted_rules.items() if found}


def explain(rules: Ruleset) -> str:
    """Return the ruleset as text: its options, the deals, and every rule with sentence and source."""
    lines = [_title(rules), "=" * len(_title(rules)), ""]
    lines += _deal_lines(rules)
    for heading, found in topics(rules).items():
        lines += ["", heading, "-" * len(heading)]
        for rule in found:
            lines += _wrapped(rule.text, "* ", "  ")
            lines += _wrapped(f"“{rule.quote}” ({rule.cite}; {rule.id})", "    ", "    ")
    if rules.available:
        lines += ["", "Options (* is on)", "-----------------"]
        for option in rules.available.values():
            mark = "*" if option.name in rules.options else " "
            lines += _wrapped(f"{option.name}: {option.text}", f"{mark} ", "    ")
    return "\n".join(lines) + "\n"


def _title(rules: Ruleset) -> str:
    on = f" with {', '.join(rules.options)}" if rules.options else ""
    kind = "variant" if rules.name in VARIANT_NAMES else "house variant"
    base = f" (a {kind} of {rules.base})" if rules.name != rules.base else ""
    return f"{rules.title}{base}{on}"


def _deal_lines(rules: Ruleset) -> list[str]:
    """Return one line for each number of players up to eight that can be dealt."""
    lines = ["Players  down  up  hand  draw pile  packs  jokers"]
    for players in range(max(2, rules.players[0]), min(rules.players[1], 8) + 1):
        deal = deal_for(rules, players)
        if deal is not None:
            lines.append(
                f"{players:>7}  {deal['down']:>4}  {deal['up']:>2}  {deal['hand']:>4}  {deal['draw_pile']:>9}"
                f"  {deal['packs']:>5}  {deal['jokers']:>6}"
            )
    return lines


def compare(one: Ruleset, other: Ruleset, width: int = 2 * WIDTH + 4) -> str:
    """Return two rulesets side by side, heading by heading, each rule with its source."""
    column = (width - 3) // 2
    left, right = topics(one), topics(other)
    lines = _beside([_title(one)], [_title(other)], column)
    lines += _beside(["=" * column], ["=" * column], column)
    for heading in dict.fromkeys(_TOPICS.values()):
        if heading in left or heading in right:
            lines += ["", heading.upper()]
            pair = (_column(left.get(heading, []), column), _column(right.get(heading, []), column))
            lines += _beside(*pair, column)
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _column(rules: Sequence[Rule], width: int) -> list[str]:
    lines: list[str] = []
    for rule in rules:
        lines += _wrapped(f"{rule.text} [{rule.cite}]", "* ", "  ", width)
    return lines or ["(nothing)"]


def _beside(left: Sequence[str], right: Sequence[str], column: int) -> list[str]:
    rows = max(len(left), len(right))
    pad = [""] * rows
    return [f"{a:<{column}} | {b}" for a, b in zip([*left, *pad][:rows], [*right, *pad][:rows], strict=True)]


def _wrapped(text: str, first: str, then: str, width: int = WIDTH) -> list[str]:
    return textwrap.wrap(text, width, initial_indent=first, subsequent_indent=then)
