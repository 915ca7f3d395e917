"""Wrong arguments are answered in plain words, and no file is overwritten unless that is asked for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from companion.cli.main import main
from companion.store.store import Store


def _refused(line: str, capfd: pytest.CaptureFixture[str]) -> str:
    """Run a command that refuses its arguments, and return the line that it says."""
    with pytest.raises(SystemExit) as ended:
        main(line.split())
    assert ended.value.code == 2
    said = capfd.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    return said.err.rstrip()


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("tallly", "shithead: there is no command 'tallly'; do you mean tally?"),
        ("qqq", "shithead: there is no command 'qqq'"),
        ("rules --loud", "shithead rules: not known here: --loud"),
        ("watch a b c", "shithead watch: not known here: b c"),
        ("watch", "shithead watch: SOURCE is missing"),
        ("watch a --option", "shithead watch: --option needs a value"),
        ("rules --compare jokers", "shithead rules: --compare needs 2 values"),
        ("simulate --players many", "shithead simulate: --players: 'many' is not a whole number"),
        ("simulate --policy wild", "shithead simulate: --policy: 'wild' is not one of sensible, random"),
        ("simulate --s 1", "shithead simulate: --s may mean --seed or --save"),
        ("tally --json --csv", "shithead tally: --csv does not go with --json"),
        ("tally --all=1", "shithead tally: --all takes no value"),
        ("app --size 3", "shithead app: --size: '3' is not WxH with both at least 320"),
    ],
)
def test_a_wrong_argument_is_answered_in_plain_words(
    line: str, says: str, capfd: pytest.CaptureFixture[str]
) -> None:
    said = _refused(line, capfd)
    assert said.startswith(f"{says}; see shithead ")
    for jargon in ("argument", "invalid", "choose from", "unrecognized", "expected", "ambiguous"):
        assert jargon not in said


@pytest.mark.parametrize(
    ("line", "text", "says"),
    [
        ("judge {file}", "{bad", "judge: {file}: not JSON: 'b' was not expected here (column 2)"),
        ("judge {file}", '{"a":', "judge: {file}: not JSON: the end is missing (column 6)"),
        (
            "judge --lines {file}",
            "[1 2]",
            "judge: {file}, line 1: not JSON: '2' was not expected here (column 4)",
        ),
        (
            "rules {file}",
            'title = "x"\noption = 3 3',
            "rules: house variant {file} is not readable as TOML: line 2, column 12 cannot be read",
        ),
        (
            "rules {file}",
            "rules = [",
            "rules: house variant {file} is not readable as TOML: its end cannot be read",
        ),
        ("restore {file}", "{}", "restore: {file}: not a backup of this program"),
    ],
)
def test_a_wrong_file_is_answered_without_the_words_of_a_parser(
    line: str, text: str, says: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "wrong.toml"
    file.write_text(text, "utf-8")
    assert main([part.replace("{file}", str(file)) for part in line.split()]) == 2
    assert capfd.readouterr().err == f"shithead {says.replace('{file}', str(file))}\n"


def test_the_program_alone_prints_its_help(capfd: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    said = capfd.readouterr()
    assert said.err == ""
    assert "shithead app" in said.out
    for command in ("app", "tally", "rules", "simulate"):
        assert f"\n    {command} " in said.out


@pytest.mark.parametrize("name", ["Jokers", "JOKERS", " jokers"])
def test_a_ruleset_is_found_in_any_case(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "jokers"]) == 0
    plain = capfd.readouterr().out
    assert main(["rules", name]) == 0
    assert capfd.readouterr().out == plain


def test_a_judged_situation_may_name_its_ruleset_in_any_case(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    asked = {"ask": "deal", "players": ["Ann", "Bob", "Cat"]}
    answers = []
    for name in ("rulebook", "RuleBook"):
        file = tmp_path / f"{name}.json"
        file.write_text(json.dumps({**asked, "rules": name}))
        assert main(["judge", str(file)]) == 0
        answers.append(capfd.readouterr().out)
    assert answers[0] == answers[1]


@pytest.mark.parametrize(
    "line", ["rules jokers --save {file}.toml", "simulate --save {file}.txt", "tally --png {file}.png"]
)
def test_a_file_is_overwritten_only_by_force(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    with Store.open() as store:
        store.start_game("winnersh", ["Ann", "Bob"])
    command = line.format(file=tmp_path / "kept").split()
    file = Path(command[-1])
    file.write_text("written by hand")
    assert main(command) == 2
    assert capfd.readouterr().err == (
        f"shithead {command[0]}: {command[-2]} {file}: exists and was not changed; --force overwrites it\n"
    )
    assert file.read_text() == "written by hand"
    assert main([*command, "--force"]) == 0
    assert file.read_bytes() != b"written by hand"
