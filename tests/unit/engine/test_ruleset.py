"""Rulesets as data, house variants as files."""

from __future__ import annotations

import tomllib
from importlib import resources
from pathlib import Path
from random import Random

import pytest

from engine import ruleset
from engine.errors import BadInputError
from engine.explain import compare, explain
from engine.judging.judge import judge
from engine.referee.referee import Referee
from engine.ruleset import RULESET_NAMES, build_variant, load_ruleset, save_variant
from engine.simulation.simulate import play_game


def test_a_ruleset_is_loaded_once() -> None:
    assert load_ruleset("jokers", ["q-reverse", "4-colour"]) is load_ruleset(
        "jokers", ["4-colour", "q-reverse"]
    )


def test_a_variant_mixes_options_under_its_own_name(tmp_path: Path) -> None:
    file = tmp_path / "friday.toml"
    save_variant(file, 'Friday "rules"', "jokers", ["q-reverse", "10-not-on-7"])
    rules = load_ruleset(str(file))
    assert (rules.name, rules.base) == ('Friday "rules"', "jokers")
    assert rules.options == ("10-not-on-7", "q-reverse")
    assert rules.mechanics == load_ruleset("jokers", ["q-reverse", "10-not-on-7"]).mechanics


def test_a_variant_may_change_a_mechanism(tmp_path: Path) -> None:
    file = tmp_path / "four.toml"
    file.write_text('base = "winnersh"\n[mechanics]\nmin_hand = 4\nburns = ["10", "J"]\n')
    situation = {
        "rules": str(file),
        "players": ["P1", "P2"],
        "turn": "P1",
        "pile": ["4S"],
        "draw_pile": 9,
        "cards": {"P1": {"hand": ["JH", "5H", "6H", "7H"]}},
        "action": {"type": "play", "player": "P1", "cards": ["JH"], "source": "hand"},
    }
    effects = judge(situation)["effects"]
    assert (effects["burn"], effects["draw"]) == (True, 1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("base = ", "TOML"),
        ('base = "whist"', "'whist' is not one of"),
        ('name = "x"', "base"),
        ('base = "jokers"\noptions = ["bastard-card"]', "has no option 'bastard-card'"),
        ('base = "jokers"\noptions = "q-reverse"', "options must be a list"),
        ('base = "jokers"\nfoo = 1', "unknown entry 'foo'"),
        ('base = "jokers"\n[mechanics]\nfoo = 1', "no mechanism 'foo'"),
        ('base = "jokers"\n[mechanics]\nmin_hand = "4"', "min_hand"),
        ('base = "jokers"\n[mechanics]\nmin_hand = true', "min_hand"),
        ('base = "jokers"\n[mechanics]\nburns = ["11"]', "'11' is not a rank"),
        ('base = "jokers"\n[mechanics]\nburns = "10"', "burns"),
        ('base = "jokers"\n[mechanics]\nafter_pick_up = "me"', "after_pick_up"),
        ('base = "jokers"\n[mechanics]\ndeal = {}', "deal"),
        ('base = "jokers"\n[mechanics]\ndeal = {down = -1, up = 3, hand = 3}', "deal"),
        ('base = "jokers"\n[mechanics]\nstart_order = ["5 green"]', "start_order"),
        ('base = "jokers"\n[mechanics]\nstart_order = [""]', "start_order"),
        ('base = "jokers"\n[mechanics]\nstart_order = [5]', "start_order"),
        ('base = "jokers"\n[mechanics]\nsuit_order = "CDH"', "suit_order"),
        ('base = "jokers"\n[mechanics]\nalso_beaten_by = 9', "also_beaten_by"),
        ('name = "x"', "no base"),
        ('base = "jokers"\nname = "a\\nb"', "name"),
        ('base = "jokers"\n[mechanics]\nmin_hand = -3', "min_hand"),
        ('base = "jokers"\n[mechanics]\nfour = 1', "four"),
        ('base = "jokers"\n[mechanics]\nplayers_per_pack = -1', "players_per_pack"),
        ('base = "jokers"\n[mechanics]\ndeal = {down = 0, up = 0, hand = 0}', "deal"),
    ],
)
def test_a_bad_variant_gets_one_clear_line(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "bad.toml"
    file.write_text(text)
    with pytest.raises(BadInputError) as error:
        load_ruleset(str(file))
    assert message in str(error.value)
    assert "bad.toml" in str(error.value)
    assert "\n" not in str(error.value)


def test_a_missing_or_binary_variant_gets_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match=r"nowhere\.toml"):
        load_ruleset(str(tmp_path / "nowhere.toml"))
    file = tmp_path / "picture.toml"
    file.write_bytes(b"\x89PNG\xff\xfe")
    with pytest.raises(BadInputError, match=r"picture\.toml"):
        load_ruleset(str(file))


def test_saving_a_bad_variant_writes_nothing(tmp_path: Path) -> None:
    file = tmp_path / "bad.toml"
    with pytest.raises(BadInputError):
        save_variant(file, "x", "jokers", ["no-such-option"])
    assert not file.exists()


@pytest.mark.parametrize("name", RULESET_NAMES)
def test_explain_shows_every_rule_with_its_source(name: str) -> None:
    rules = load_ruleset(name)
    text = " ".join(explain(rules).split())
    for rule in rules.rules.values():
        assert rule.cite in text
    for option in rules.available:
        assert option in text


def test_compare_shows_both_side_by_side() -> None:
    text = compare(load_ruleset("winnersh"), load_ruleset("shed"))
    assert "Winnersh §9" in text
    assert "Shed, Magic Cards" in text
    assert len({line.find("|") for line in text.splitlines() if "|" in line}) == 1


def test_a_variant_may_switch_on_what_its_base_does_not_speak_of() -> None:
    rules = build_variant({"base": "winnersh", "mechanics": {"must_play": True}}, "Friday")
    situation = {"players": ["Ann", "Bob"], "turn": "Ann", "pile": ["4H"], "cards": {"Ann": {"hand": ["9S"]}}}
    ruling = judge({**situation, "rules": rules, "action": {"type": "pick_up", "player": "Ann"}})
    (breach,) = ruling["breaches"]
    assert (breach["rule"], breach["cite"]) == ("house.must-play", "Friday, house rules")
    assert breach["quote"]


@pytest.mark.parametrize("seed", range(12))
def test_whatever_a_variant_mixes_can_be_played_and_refereed(seed: int) -> None:
    rng = Random(seed)
    files = [resources.files("engine.rulesets").joinpath(f"{name}.toml") for name in RULESET_NAMES]
    tables = [tomllib.loads(file.read_text("utf-8"))["mechanics"] for file in files]
    chosen = rng.sample(sorted({key for table in tables for key in table}), 10)
    mechanics = {key: rng.choice([table[key] for table in tables if key in table]) for key in chosen}
    data = {"base": rng.choice(RULESET_NAMES), "mechanics": mechanics}
    rules = build_variant(data, "mixed")
    game = play_game(rules, ["Ann", "Bob", "Cat"], seed, cheats=2, quiet_acts=60)
    referee = Referee(rules, ["Ann", "Bob", "Cat"], dealer=game.dealer)
    for step in game:
        referee.observe(step.event)
    assert explain(rules)


def test_a_list_of_what_is_published_says_on_what_each_variant_is_based() -> None:
    based = {told["name"]: told["based_on"] for told in ruleset.published_rulesets()}
    assert [based.pop(name) for name in ruleset.RULESET_NAMES] == [None] * len(ruleset.RULESET_NAMES)
    assert tuple(based) == ruleset.VARIANT_NAMES
    assert set(based.values()) <= set(ruleset.RULESET_NAMES)
