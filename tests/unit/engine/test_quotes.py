"""Every ruling rests on words that really stand in the text it names, and that say what the ruling says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.cards import RANK_OF, RANK_TEXTS
from engine.deals import deal_for
from engine.errors import BadInputError
from engine.judging.judge import judge
from engine.mechanics import Mechanics
from engine.ruleset import RULESET_NAMES, VARIANT_NAMES, Rule, Ruleset, build_variant, load_ruleset
from tests.unit.engine.conftest import situation
from tests.unit.engine.strategies import situations

SEEDS = Path(__file__).parents[4] / "shared" / "seeds"

ALWAYS = {
    *("one_pack", "exchange_late", "exchange_even", "exchange_cards", "start", "turn", "actions"),
    *(
        "gone",
        "leaving",
        "end",
        "over",
        "own_cards",
        "own_up",
        "own_down",
        "too_low",
        "sets",
        "burnt",
        "four",
    ),
    *("pick_up_whole", "draw", "up_hand", "up_hand_again", "up_same", "mixed", "down_hand", "down_up"),
    *("down_one", "down_fail"),
}
"""Mechanisms about which every ruleset must have a sentence, because rulings ask for one."""
WITH_A_RANK = {
    "limits": "too_high",
    "on_anything": "on_anything",
    "transparent": "through",
    "never_played": "never_played",
    "colours": "colour",
    "burns": "burn",
    "skips": "skip",
    "reverses": "reverse",
    "again": "again",
    "forces_pick_up": "forces_pick_up",
}
"""Mechanisms that depend on a rank, by the field that holds the ranks."""
TABLES: list[tuple[str, tuple[str, ...]]] = [(name, ()) for name in (*RULESET_NAMES, *VARIANT_NAMES)]
TABLES += [(name, (option,)) for name in RULESET_NAMES for option in load_ruleset(name).available]


@pytest.fixture(params=TABLES, ids=lambda table: "-".join((table[0], *table[1])))
def rules(request: pytest.FixtureRequest) -> Ruleset:
    name, options = request.param
    return load_ruleset(name, options)


def needed(rules: Ruleset) -> set[str]:
    """The mechanisms about which this ruleset's rulings may ask."""
    m = rules.mechanics
    wanted = set(ALWAYS)
    for field, mechanism in WITH_A_RANK.items():
        wanted |= {f"{mechanism}.{RANK_TEXTS[rank]}" for rank in getattr(m, field)}
    wanted |= {f"also_beaten_by.{RANK_TEXTS[h]}.{RANK_TEXTS[low]}" for h, low in m.also_beaten_by.items()}
    wanted |= {f"not_on_limit.{RANK_TEXTS[r]}.{RANK_TEXTS[low]}" for r in m.not_on_limit for low in m.limits}
    wanted |= {f"never_played_on_empty.{RANK_TEXTS[rank]}" for rank in m.never_played}
    wanted |= {"must_play"} if m.must_play else set()
    wanted |= {"pick_up_nothing"} if m.pick_up_empty else {"pick_up_empty"}
    wanted |= {"turn_leads"} if m.after_pick_up == "picker" else set()
    wanted |= {"must_flip"} if m.must_flip else set()
    wanted |= {"set_size"} if m.max_set else set()
    wanted |= {"suit"} if m.suit_order else set()
    wanted |= {"next_dealer"} if m.next_dealer else set()
    wanted |= {"start_loser"} if m.start_loser else set()
    wanted |= {"start_tie"} if m.start_by == "after-dealer" else set()
    wanted |= {"start_card"} if m.start_card_played and rules.base == "shed" else set()
    wanted |= {"up_deck", "down_deck"} if m.up_needs_empty_deck else set()
    wanted |= {"mixed_deck"} if m.mixed else set()
    wanted |= {"up_place_first"} if m.up_place_first else set()
    wanted |= {"up_enters_hand"} if m.up_enters_hand else {"up_taken", "down_look"}
    wanted |= {"four_out_of_turn"} if m.out_of_turn_four else set()
    wanted |= {"no_joker"} if not m.plays_jokers else set()
    wanted |= {"library", "library_size"} if m.library else set()
    wanted |= {"third_loss"} if m.third_loss_title else set()
    wanted |= {"loser_says"} if m.loser_says_title else set()
    if m.shown:
        wanted |= {"show", "show_one", "show_three", "show_self", "show_gone", "show_next", "backfire"}
        wanted |= {"back_in", "answer_order", "answer_three", "answer_up", "answer_down"}
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
    base = load_ruleset(rules.base)
    for rule in rules.rules.values():
        assert rule.cite.startswith((f"{base.title} §", f"{base.title}, ")), rule.id
        assert rule.text, rule.id


def test_every_ruling_finds_a_rule(rules: Ruleset) -> None:
    missing = needed(rules) - set(rules.deciding)
    assert not missing


@pytest.mark.parametrize("name", RULESET_NAMES)
def test_every_option_can_be_switched_on(name: str) -> None:
    for option in load_ruleset(name).available:
        rules = load_ruleset(name, (option,))
        assert rules.options == (option,)
        assert rules.mechanics != load_ruleset(name).mechanics


@pytest.mark.parametrize(
    ("rules", "options", "act", "known", "cited"),
    [
        ("winnersh", (), "play 10H", {"hand": "10H", "up": "", "down": 0, "pile": "9S"}, "burn.last-card"),
        ("winnersh", (), "play 10H", {"hand": "10H 4H", "pile": "9S"}, "burn.another-go"),
        ("winnersh", (), "play 2H", {"hand": "2H", "up": "", "down": 0, "pile": "9S"}, "burn.last-card"),
        ("winnersh", (), "play KH", {"hand": "KH", "up": "", "down": 0, "pile": "9S"}, "end.left"),
        (
            "winnersh",
            (),
            "play KH",
            {"hand": "KH", "up": "", "down": 0, "pile": "9S", "players": 2},
            "end.shithead",
        ),
        ("winnersh", (), "pick_up", {"hand": "4H", "pile": "9S"}, "pickup.next-left"),
        ("winnersh", (), "pick_up", {"hand": "4H", "pile": "9S"}, "pickup.whole-pile"),
        ("jokers", (), "pick_up", {"hand": "4H", "pile": "9S"}, "pickup.loses-turn"),
        ("backpacker", (), "pick_up", {"hand": "KH", "pile": "9S"}, "pickup.by-choice"),
        ("winnersh", (), "flip 4H", {"hand": "", "up": "", "down": 1, "pile": "9S"}, "down.stays-in-hand"),
        ("winnersh", (), "hand+up JH JS", {"hand": "JH", "up": "JS 4H", "pile": "9S"}, "up.last-hand-combo"),
        ("winnersh", (), "take_up JS JD", {"hand": "", "up": "JS JD", "pile": "9S"}, "up.enters-hand"),
        ("winnersh", (), "draw 1", {"hand": "4H 5H", "draw": 9}, "replenish.to-three"),
        ("jokers", (), "play KH KS", {"hand": "KH KS 4H", "pile": "KC KD", "turn": "P3"}, "four.out-of-turn"),
        ("jokers", (), "play KH KS", {"hand": "KH KS 4H", "pile": "KC KD"}, "four.plays-again"),
        ("jokers", (), "play 10H", {"hand": "10H 4H", "pile": "KC"}, "ten.plays-again"),
        ("jokers", ("q-reverse",), "play QH", {"hand": "QH 4H", "pile": "9S"}, "ext.queen-reverse"),
        ("jokers", (), "play JOKER", {"hand": "JOKER 4H", "pile": "9S"}, "joker.reverses"),
        ("jokers", (), "play 8H", {"hand": "8H 4H", "pile": "7S 3S 3D 8C"}, "eight.skips"),
        ("jokers", (), "play 8H 8D", {"hand": "8H 8D 4H", "pile": "4S", "players": 2}, "eight.never-oneself"),
        ("jokers", (), "flip 4H", {"hand": "", "up": "", "down": 1, "pile": "9S"}, "pickup.loses-turn"),
        ("jokers", (), "play 2H", {"hand": "2H 4H", "pile": "KC"}, "magic.on-all-cards"),
        ("jokers", ("4-colour",), "play KH", {"hand": "KH 4H", "pile": "4D"}, "ext.four-colour"),
        ("backpacker", (), "play 10H", {"hand": "10H 4H", "pile": "KC"}, "ten.plays-again"),
        ("backpacker", (), "play 6H", {"hand": "6H 4H", "pile": "6C 6D 6S"}, "four.plays-again"),
        ("backpacker", (), "play 4H", {"hand": "6H 4H", "pile": "2S"}, "two.follows"),
        ("backpacker", (), "pick_up", {"hand": "4H", "pile": "9S"}, "pickup.next-plays"),
        (
            "backpacker",
            ("up-card-pick-up",),
            "up 4H",
            {"hand": "", "up": "4H 5H", "pile": "9S"},
            "up.place-then-pick-up",
        ),
        (
            "backpacker",
            (),
            "play KH",
            {"hand": "KH", "up": "", "down": 0, "pile": "9S", "players": 2},
            "ritual.i-am",
        ),
        ("shed", (), "play 8H", {"hand": "8H 4H", "pile": "9S"}, "eight.reverses"),
        ("shed", (), "play 10H", {"hand": "10H 4H", "pile": "9S"}, "ten.places-again"),
        ("shed", (), "pick_up", {"hand": "4H", "pile": "9S"}, "pickup.picker-leads"),
        ("shed", ("suit-values",), "play 9S", {"hand": "9S 4H", "pile": "9D"}, "extreme.suits"),
        ("rulebook", (), "play 10H", {"hand": "10H 4H", "pile": "9S"}, "ten.burns"),
        (
            "rulebook",
            (),
            "flip 4H",
            {"hand": "", "up": "", "down": 1, "pile": "9S"},
            "down.only-when-up-empty",
        ),
    ],
)
def test_a_legal_ruling_cites_what_took_effect(
    rules: str, options: tuple[str, ...], act: str, known: dict[str, Any], cited: str
) -> None:
    ruling = judge(situation(rules, act, options=options, **{"draw": 0, **known}))
    assert ruling["verdict"] == "legal"
    assert cited in [entry["rule"] for entry in ruling["basis"]]


@pytest.mark.parametrize(
    ("rules", "hands", "more", "cited"),
    [
        ("winnersh", {"P1": "5H", "P2": "4D"}, {}, "start.weakest-card"),
        ("winnersh", {"P1": "4H", "P2": "4D"}, {}, "start.suit-breaks-ties"),
        ("jokers", {"P1": "4S", "P2": "4H"}, {}, "start.4h"),
        ("jokers", {"P1": "4S", "P2": "5H"}, {}, "start.any-4"),
        ("jokers", {"P1": "6S", "P2": "5H"}, {}, "start.closest-to-4"),
        ("jokers", {"P1": "4H"}, {"loser": "P2"}, "start.loser"),
        ("backpacker", {"P1": "3S", "P2": "3C"}, {}, "start.black-three"),
        ("backpacker", {"P1": "3H", "P2": "4C"}, {}, "start.red-three"),
        ("backpacker", {"P1": "4H", "P2": "4C"}, {}, "start.black-before-red"),
        ("backpacker", {"P1": "3S", "P2": "4C"}, {"options": ["computer-start"]}, "start.lowest-card"),
        (
            "backpacker",
            {"P1": "3S", "P2": "3C"},
            {"options": ["computer-start"], "dealer": "P1"},
            "start.after-dealer",
        ),
        ("shed", {"P1": "3S", "P2": "3D"}, {}, "start.3d"),
        ("shed", {"P1": "3S", "P2": "4D"}, {}, "start.any-3"),
        ("shed", {"P1": "4S", "P2": "5D"}, {}, "start.any-4"),
        ("rulebook", {"P1": "4S", "P2": "5D"}, {"dealer": "P1"}, "start.dealers-left"),
    ],
)
def test_who_starts_cites_what_decided(
    rules: str, hands: dict[str, str], more: dict[str, Any], cited: str
) -> None:
    ask = {"type": "who_starts", "hands": {player: [card] for player, card in hands.items()}}
    answer = judge({"rules": rules, "players": ["P1", "P2"], "ask": ask, **more})
    assert answer["rule"] == cited


# Variants


NAMED_RANK = re.compile(r"\b(?:(10|[2-9])s?|(Two|Seven|Ten|seven|ten))\b")
WORDS = {"two": "2", "seven": "7", "ten": "10"}
_ranks = st.lists(st.sampled_from([*RANK_TEXTS.values()]), max_size=3, unique=True)
changes = st.fixed_dictionaries(
    {},
    optional={
        **dict.fromkeys(("limits", "burns", "on_anything", "transparent", "resets", "skips"), _ranks),
        **dict.fromkeys(("reverses", "again", "never_played", "colours", "four_through"), _ranks),
        "four": st.integers(2, 5),
        "min_hand": st.integers(0, 7),
        "max_set": st.integers(0, 3),
        "draw": st.sampled_from(["to-minimum", "as-played"]),
        "after_pick_up": st.sampled_from(["next", "picker"]),
        "library": st.integers(0, 12),
        "suit_order": st.sampled_from(["", "DCHS", "CDHS"]),
        "start_order": st.just(["7", "6"]),
        **{
            name: st.booleans()
            for name in (
                *("must_play", "pick_up_empty", "burn_again", "mixed", "must_flip", "up_enters_hand"),
                *("up_place_first", "up_needs_empty_deck", "four_anywhere", "out_of_turn_four", "back_in"),
            )
        },
    },
)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[tuple[str, ...], Rule]]:
    """What rulings asked for, and the rule that each got."""
    found: list[tuple[tuple[str, ...], Rule]] = []
    original = Ruleset.rule_for

    def rule_for(self: Ruleset, mechanism: str, *more: str) -> Rule:
        rule = original(self, mechanism, *more)
        found.append(((mechanism, *more), rule))
        return rule

    monkeypatch.setattr(Ruleset, "rule_for", rule_for)
    return found


def ranks_in(quote: str) -> Iterator[str]:
    """Yield every rank that a sentence names."""
    for digits, word in NAMED_RANK.findall(quote):
        yield digits or WORDS[word.lower()]


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(table=situations(), changed=changes)
def test_no_ruling_quotes_a_sentence_that_does_not_say_it(
    asked: list[tuple[tuple[str, ...], Rule]], table: dict[str, Any], changed: dict[str, Any]
) -> None:
    variant = {"base": table["rules"], "options": table["options"], "mechanics": changed}
    rules = build_variant(variant, "House")
    asked.clear()
    ruling = judge({**table, "rules": rules, "options": []})
    known = {rule.id: rule for rule in rules.rules.values()}
    for mechanisms, rule in asked:
        assert rule.id.startswith("house.") or set(rule.decides) & set(mechanisms), (mechanisms, rule)
        assert rule.id.startswith("house.") or known[rule.id] is rule
    for entry in [*ruling["breaches"], *ruling.get("basis", ())]:
        if not entry["rule"].startswith("house."):
            check_ranks(rules.mechanics, known[entry["rule"]])
            check_cards(known[entry["rule"]], written(table["action"], table.get("pile"), entry.get("facts")))


def written(*parts: Any) -> set[str]:
    """Return the ranks of all cards that stand anywhere in JSON values."""
    found: set[str] = set()
    for part in parts:
        if isinstance(part, str):
            found |= {part.rstrip("CDHS")} if part in RANK_OF else set()
        elif isinstance(part, dict | list | tuple):
            found |= written(*(part.values() if isinstance(part, dict) else part))
    return found


def check_cards(rule: Rule, lying: set[str]) -> None:
    """A sentence about the power of a rank is quoted only where a card of that rank is played or lies."""
    powers = [name.split(".")[1:] for name in rule.decides if "." in name]
    if powers and len(powers) == len(rule.decides):
        ranks = {rank.split()[0].rstrip("CDHS") for power in powers for rank in power}
        assert ranks & lying or ranks == {"four"}, (rule, lying)


def check_ranks(mechanics: Mechanics, rule: Rule) -> None:
    """A sentence about a power names a rank that has this power in the game that is played."""
    for field, mechanism in WITH_A_RANK.items():
        decided = [name.split(".")[1] for name in rule.decides if name.startswith(f"{mechanism}.")]
        having = {RANK_TEXTS[rank] for rank in getattr(mechanics, field)}
        if decided and len(rule.decides) == len(decided):
            assert set(decided) & having, (field, rule)
            named = set(ranks_in(rule.quote))
            assert not named or named & having or named & set(decided), rule


@pytest.mark.parametrize(
    ("base", "changed", "act", "known", "absent"),
    [
        ("winnersh", {"limits": ["9"]}, "play KH", {"hand": "KH 4H", "pile": "9S"}, "7"),
        ("winnersh", {"burns": ["J"]}, "play JH", {"hand": "JH 4H", "pile": "9S"}, "10"),
        ("winnersh", {"min_hand": 4}, "draw 2", {"hand": "KH 4H 5H", "draw": 9}, "three"),
        ("winnersh", {"again": []}, "play 2H", {"hand": "2H 4H", "pile": "9S"}, "second go"),
        (
            "winnersh",
            {"up_needs_empty_deck": False},
            "up 4H",
            {"hand": "5H", "up": "4H", "pile": "2S"},
            "pick-up pile",
        ),
        ("jokers", {"must_play": False}, "pick_up", {"hand": "KH", "pile": "9S"}, "cannot play"),
        ("winnersh", {"never_played": ["4"]}, "play 4H", {"hand": "4H", "pile": "2S"}, "3s"),
        ("jokers", {"transparent": ["4"]}, "play 5H", {"hand": "5H", "pile": "9S 4S"}, "3"),
        ("jokers", {"reverses": ["K"]}, "play KH", {"hand": "KH 5H", "pile": "9S"}, "Joker"),
        ("shed", {"suit_order": "CDHS"}, "play 9C", {"hand": "9C", "pile": "9S"}, "Diamonds"),
        ("shed", {"four": 3}, "play KH", {"hand": "KH 4H", "pile": "KS KD"}, "four"),
        ("rulebook", {"max_set": 2}, "play KH KD KC", {"hand": "KH KD KC", "pile": "9S"}, "4"),
    ],
)
def test_a_variant_does_not_quote_what_it_has_changed(
    base: str, changed: dict[str, Any], act: str, known: dict[str, Any], absent: str
) -> None:
    rules = build_variant({"base": base, "mechanics": changed}, "House")
    ruling = judge({**situation(base, act, **known), "rules": rules, "options": []})
    quotes = [entry["quote"] for entry in (*ruling["breaches"], *ruling.get("basis", ()))]
    assert not [quote for quote in quotes if absent in quote]
    for breach in ruling["breaches"]:
        # What lies under a 4 is beaten as usual: only that a 4 is seen through is the table's own rule.
        assert breach["cite"] == "House, house rules" or breach["rule"] == "play.equal-or-higher"


def test_a_variant_carries_its_own_sentences() -> None:
    sentence = {"quote": "After a 9, play a 9 or lower.", "decides": ["too_high.9"]}
    data = {"base": "winnersh", "mechanics": {"limits": ["9"]}, "rules": {"nine.or-lower": sentence}}
    rules = build_variant(data, "House")
    ruling = judge({**situation("winnersh", "play KH", hand="KH", pile="9S"), "rules": rules, "options": []})
    (breach,) = ruling["breaches"]
    assert (breach["rule"], breach["quote"]) == ("nine.or-lower", "After a 9, play a 9 or lower.")
    assert breach["cite"] == "House, house rules"


@pytest.mark.parametrize(
    "rule",
    [
        "text",
        {"quote": "No list."},
        {"decides": ["too_low"]},
        {"quote": "", "decides": ["too_low"]},
        {"quote": "word " * 26, "decides": ["too_low"]},
        {"quote": "Two\nlines.", "decides": ["too_low"]},
        {"quote": "A number.", "decides": [7]},
        {"quote": "Presumes.", "decides": ["too_low"], "states": {"nothing": 1}},
    ],
)
def test_a_variant_s_sentence_that_cannot_be_used_is_named(rule: Any) -> None:
    with pytest.raises(BadInputError):
        build_variant({"base": "winnersh", "rules": {"mine": rule}}, "House")


def test_every_published_variant_can_be_dealt() -> None:
    for name in VARIANT_NAMES:
        rules = load_ruleset(name)
        assert rules.base in RULESET_NAMES
        assert rules.title
        assert rules.source
        assert rules.differs
        assert deal_for(rules, 4) is not None
