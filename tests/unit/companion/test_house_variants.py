"""House variants that people make: kept beside the settings, found by name, changed and removed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from companion.cli.arguments import ruleset
from companion.cli.main import main
from companion.game.house_variants import (
    MOST_LETTERS,
    house_variant,
    house_variants,
    is_house_variant,
    remove_house_variant,
    save_house_variant,
    variants_folder,
)
from companion.i18n.rules import differences_text
from companion.settings import settings_path
from engine.errors import BadInputError
from engine.ruleset import load_ruleset


@pytest.fixture(autouse=True)
def own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("companion.settings.platformdirs.user_config_path", lambda *_, **__: tmp_path)


def test_a_variant_lies_beside_the_settings_and_plays_with_its_options() -> None:
    path = save_house_variant("Friday rules", "jokers", ["q-reverse"])
    assert path.parent == variants_folder()
    assert variants_folder().parent == settings_path().parent
    assert is_house_variant(str(path))
    rules = load_ruleset(str(path))
    assert (rules.title, rules.base, rules.options) == ("Friday rules", "jokers", ("q-reverse",))


@pytest.mark.parametrize("typed", ["Friday rules", "FRIDAY RULES", " friday rules", "friday-rules"])
def test_the_command_line_finds_a_variant_by_its_name_or_file(typed: str) -> None:
    path = save_house_variant("Friday rules", "jokers", [])
    assert ruleset(typed) == str(path)


@pytest.mark.parametrize("typed", ["jokers", "Shed-Extreme", "elsewhere/friday.toml", "no such rules"])
def test_other_names_mean_what_they_meant(typed: str) -> None:
    save_house_variant("Friday rules", "jokers", [])
    assert ruleset(typed).casefold() == typed.casefold()


def test_a_command_plays_by_the_name_and_the_list_has_it(capsys: pytest.CaptureFixture[str]) -> None:
    path = save_house_variant("Friday rules", "jokers", ["q-reverse"])
    assert main(["rules", "friday rules"]) == 0
    assert "Friday rules" in capsys.readouterr().out
    assert main(["rules", "--list", "--json"]) == 0
    listed = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert listed[-1] == {
        "name": "friday-rules",
        "title": "Friday rules",
        "based_on": "jokers",
        "differs": ["A queen reverses the direction."],
        "source": str(path),
    }


def test_a_changed_variant_keeps_its_file_so_that_its_games_go_on() -> None:
    path = save_house_variant("Friday rules", "jokers", ["q-reverse"])
    assert save_house_variant("Saturday rules", "jokers", [], path) == path
    assert [variant.name for variant in house_variants()] == ["Saturday rules"]
    assert load_ruleset(str(path)).options == ()


def test_a_variant_may_say_what_follows_a_breach() -> None:
    path = save_house_variant("Friday rules", "jokers", [], breach='They say "sorry"  and draw two.')
    (variant,) = house_variants()
    assert (variant.breach, variant.may_change) == ('They say "sorry" and draw two.', True)
    rule = load_ruleset(str(path)).rule_for("breach")
    assert (rule.cite, rule.quote) == ("Friday rules, house rules", 'They say "sorry" and draw two.')
    assert differences_text(load_ruleset(str(path))) == 'After a breach: They say "sorry" and draw two.'
    save_house_variant("Friday rules", "jokers", ["q-reverse"], path)
    assert house_variant(path).breach == ""


@pytest.mark.parametrize("breach", ["word " * 26, "x" * 161])
def test_a_rule_about_breaches_that_no_screen_has_room_for_is_refused(breach: str) -> None:
    with pytest.raises(BadInputError, match="at most 25 words and 160 letters"):
        save_house_variant("Friday rules", "jokers", [], breach=breach)
    assert house_variants() == []


def test_two_names_that_make_the_same_file_name_get_two_files() -> None:
    assert save_house_variant("Ours!", "shed", []) != save_house_variant("Ours?", "shed", [])
    assert len(house_variants()) == 2
    assert save_house_variant("♠♥", "shed", []).suffix == ".toml"


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("  ", "a name has 1 to 40 letters"),
        ("x" * (MOST_LETTERS + 1), "a name has 1 to 40 letters"),
        ("a\u0000b", "a name has 1 to 40 letters"),
        ("JOKERS", "there are rules called JOKERS already"),
        ("friday RULES", "there are rules called friday RULES already"),
    ],
)
def test_a_name_that_cannot_be_told_apart_is_refused_in_one_line(name: str, says: str) -> None:
    save_house_variant("Friday rules", "jokers", [])
    with pytest.raises(BadInputError) as refused:
        save_house_variant(name, "jokers", [])
    assert str(refused.value) == says
    assert len(house_variants()) == 1


def test_a_removed_variant_is_gone() -> None:
    remove_house_variant(save_house_variant("Friday rules", "jokers", []))
    assert house_variants() == []


def test_a_file_written_by_hand_can_be_played_but_not_changed_and_a_damaged_one_is_named() -> None:
    variants_folder().mkdir(parents=True)
    (variants_folder() / "own.toml").write_text('name = "Own"\nbase = "jokers"\n[mechanics]\nmin_hand = 4\n')
    (variants_folder() / "broken.toml").write_text("name =")
    broken, own = house_variants()
    assert (broken.name, broken.ruleset, broken.may_change) == ("broken", None, False)
    assert (own.name, own.may_change) == ("Own", False)
    assert house_variant(save_house_variant("Friday", "jokers", [])).may_change


def test_a_variant_says_what_it_changes() -> None:
    path = save_house_variant("Friday rules", "jokers", ["q-reverse"])
    assert differences_text(load_ruleset(str(path))) == (
        "Jokers, with house options: A queen reverses the direction."
    )
