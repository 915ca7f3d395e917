"""Every ruling rests on words that really stand in the text it names."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.mechanics import Mechanics
from engine.ruleset import RULESET_NAMES, Ruleset, load_ruleset

SEEDS = Path(__file__).parents[4] / "shared" / "seeds"

ALWAYS = {
    *("no_joker", "one_pack", "deal", "exchange_late", "exchange_even", "exchange_cards", "start"),
    *("turn", "turn_leads", "direction", "actions", "gone", "leaving", "end", "own_cards", "too_low", "sets"),
    *("pick_up_whole", "draw", "burn", "burnt", "up_hand", "up_hand_again", "up_deck", "up_same"),
    *("mixed", "mixed_deck", "down_hand", "down_up", "down_deck", "down_one"),
}
"""Mechanisms about which every ruleset must have a rule, because rulings ask for it."""


@pytest.fixture(params=RULESET_NAMES)
def rules(request: pytest.FixtureRequest) -> Ruleset:
    return load_ruleset(request.param)


def needed(mechanics: Mechanics) -> set[str]:
    """The mechanisms about which this ruleset's rulings may ask."""
    m = mechanics
    wanted = set(ALWAYS)
    wanted |= {"too_high"} if m.limits else set()
    wanted |= {"never_played"} if m.never_played else set()
    wanted |= {"must_play"} if m.must_play else set()
    wanted |= set() if m.pick_up_empty else {"pick_up_empty"}
    wanted |= {"must_flip"} if m.must_flip else set()
    wanted |= {"set_size"} if m.max_set else set()
    wanted |= {"next_dealer"} if m.next_dealer else set()
    wanted |= set() if m.up_enters_hand else {"up_taken", "down_look"}
    if m.shown:
        wanted |= {"show", "show_one", "show_three", "show_self", "show_gone"}
        wanted |= {"answer_order", "answer_three", "answer_up", "answer_down"}
    return wanted


def test_every_quote_is_short(rules: Ruleset) -> None:
    for rule in rules.rules.values():
        assert 0 < len(rule.quote.split()) <= 25, rule.id


@pytest.mark.skipif(not SEEDS.is_dir(), reason="the rule texts (../shared/seeds) are not here")
def test_every_quote_stands_in_its_seed(rules: Ruleset) -> None:
    (seed,) = SEEDS.glob(f"{rules.seed}_*.txt")
    text = seed.read_text("utf-8")
    for rule in rules.rules.values():
        assert rule.quote in text, rule.id


def test_every_rule_is_cited_by_ruleset_and_section(rules: Ruleset) -> None:
    for rule in rules.rules.values():
        assert rule.cite.startswith((f"{rules.title} §", f"{rules.title}, ")), rule.id
        assert rule.text, rule.id


def test_every_ruling_finds_a_rule(rules: Ruleset) -> None:
    missing = needed(rules.mechanics) - set(rules.deciding)
    assert not missing


@pytest.mark.parametrize("name", RULESET_NAMES)
def test_every_option_can_be_switched_on_and_finds_its_rule(name: str) -> None:
    for option in load_ruleset(name).available:
        rules = load_ruleset(name, (option,))
        assert rules.options == (option,)
        assert needed(rules.mechanics) <= set(rules.deciding)
        assert rules.mechanics != load_ruleset(name).mechanics
