"""The console script as people expect it: help, version, completion, a log instead of a stack trace."""

from __future__ import annotations

import argparse
import logging
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import cv2
import pytest

from companion.cli import main as cli
from companion.cli import tally
from companion.cli.completion import _commands, _posix
from companion.cli.main import COMMANDS, build_parser, main
from companion.files import logs
from engine.ruleset import RULESET_NAMES


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    path = tmp_path / "log" / "shithead.log"
    monkeypatch.setattr(logs, "log_path", lambda: path)
    monkeypatch.setattr(cli, "log_path", lambda: path)
    root = logging.getLogger()
    before = list(root.handlers)
    root.handlers[:] = [h for h in before if not isinstance(h, logging.FileHandler)]
    yield path
    for handler in root.handlers:
        if handler not in before:
            handler.close()
    root.handlers[:] = before


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as done:
        main(["--help"])
    assert done.value.code == 0
    text = capsys.readouterr().out
    assert all(f"    {name}" in text for name in COMMANDS)
    assert "Begin with: shithead app" in text


def test_the_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as done:
        main(["--version"])
    assert done.value.code == 0
    assert capsys.readouterr().out.startswith("shithead ")


@pytest.mark.parametrize(
    "typed",
    ["", "nonsense", "watch", "tally --bogus", "app --size 3x3", "simulate --games 1e9", "film x --tilt abc"],
)
def test_arguments_that_cannot_be_are_refused_in_one_line(
    typed: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as done:
        main(typed.split())
    assert done.value.code == 2
    said = capsys.readouterr()
    assert said.err.startswith("shithead")
    assert "--help" in said.err
    assert said.err.count("\n") == 1
    assert said.out == ""


@pytest.mark.parametrize("closed", ["1>&-", "2>&-", "0<&- 1>&- 2>&-"])
def test_an_output_that_was_closed_before_is_written_to_by_nobody(closed: str, tmp_path: Path) -> None:
    done = subprocess.run(
        ["sh", "-c", f'exec "$0" -m companion.cli.main rules shed {closed}', sys.executable],
        capture_output=True,
        env={**os.environ, "XDG_STATE_HOME": str(tmp_path)},
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_a_mistake_of_the_program_is_one_line_for_the_user_and_a_trace_in_the_log(
    log: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(_args: object) -> int:
        raise ZeroDivisionError("by nought")

    monkeypatch.setattr(tally, "run", fail)
    assert main(["tally"]) == 1
    error = capsys.readouterr().err
    assert error == f"shithead tally: the program failed (ZeroDivisionError: by nought); see {log}\n"
    assert "Traceback" in log.read_text()


def test_a_mistake_of_which_a_library_says_several_lines_is_one_line(
    log: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(_args: object) -> int:
        raise cv2.error("OpenCV(5.0.0) /io/resize.cpp:4208:\n  error: (-215) failed\r\n  > expected\n")

    monkeypatch.setattr(tally, "run", fail)
    assert main(["tally"]) == 1
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "resize.cpp:4208: error: (-215) failed > expected ); see" in error


def test_the_log_is_rotated(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "_MOST_BYTES", 2000)
    logs.begin_logging()
    for _ in range(200):
        logging.getLogger("test").warning("x" * 100)
    files = sorted(log.parent.iterdir())
    assert [file.name for file in files] == ["shithead.log", *(f"shithead.log.{n}" for n in (1, 2, 3))]
    assert all(file.stat().st_size <= 2000 for file in files)


def completed(*typed: str, where: Path) -> set[str]:
    """Return what bash offers for what has been typed behind `shithead`, the last word being under way."""
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("no bash here")
    script = _posix(_commands(build_parser()), "bash")
    words = " ".join(f'"{word}"' for word in ("shithead", *typed))
    state = f"COMP_WORDS=({words}); COMP_CWORD={len(typed)}"
    ask = 'printf "%s\\n" "${COMPREPLY[@]}"'
    done = subprocess.run(
        [bash, "-c", f"{script}\n{state}; _shithead; {ask}"],
        cwd=where,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stderr == ""
    return set(done.stdout.split())


@pytest.mark.parametrize(
    ("line", "offered"),
    [(("",), set(COMMANDS)), (("watch", "--re"), {"--resume"}), (("deck", "en"), {"enrol"})],
)
def test_bash_completes_commands_and_options(
    line: tuple[str, ...], offered: set[str], tmp_path: Path
) -> None:
    assert completed(*line, where=tmp_path) == offered


@pytest.mark.parametrize("command", ["app", "watch", "film", "simulate"])
def test_bash_offers_the_rulesets_and_the_files_of_house_variants_after_rules(
    command: str, tmp_path: Path
) -> None:
    (tmp_path / "our-house.toml").touch()
    assert completed(command, "--rules", "", where=tmp_path) == {*RULESET_NAMES, "our-house.toml"}
    # bash takes --rules=jo apart into three words.
    assert completed(command, "--rules", "=", where=tmp_path) == {*RULESET_NAMES, "our-house.toml"}
    assert completed(command, "--rules", "=", "jo", where=tmp_path) == {"jokers"}


def test_bash_offers_the_rulesets_wherever_else_one_is_named(tmp_path: Path) -> None:
    assert completed("rules", "sh", where=tmp_path) == {"shed"}
    assert completed("rules", "--compare", "jokers", "sh", where=tmp_path) == {"shed"}
    assert completed("record", "events.jsonl", "--from-events", "", where=tmp_path) == set(RULESET_NAMES)


def test_bash_offers_every_choice_of_an_option_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "film.mp4").touch()
    seen = []
    for name, command in commands().items():
        for action in command._actions:
            if action.choices and action.option_strings:
                offered = completed(name, action.option_strings[0], "", where=tmp_path)
                assert offered == set(action.choices), f"{name} {action.option_strings[0]}"
                seen.append(action.option_strings[0])
    assert {"--codec", "--policy"} <= set(seen)


def test_after_an_option_that_wants_a_file_bash_offers_files_and_no_options(tmp_path: Path) -> None:
    (tmp_path / "table.json").touch()
    assert completed("watch", "--layout", "", where=tmp_path) == {"table.json"}
    assert "--rules" in completed("watch", "--resume", "--", where=tmp_path)


def commands() -> dict[str, argparse.ArgumentParser]:
    found = (action for action in build_parser()._actions if isinstance(action, argparse._SubParsersAction))
    return dict(next(found).choices)


def test_zsh_and_fish_get_their_own_form(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", "zsh"]) == 0
    assert capsys.readouterr().out.startswith("autoload")
    assert main(["completion", "fish"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert sum("__fish_use_subcommand" in line for line in lines) == len(COMMANDS)
    assert any("from watch" in line and "-l resume" in line for line in lines)
    (rules,) = (line for line in lines if "from watch" in line and "-l rules" in line)
    assert f" -r -a '{' '.join(RULESET_NAMES)}' " in rules, "a ruleset, or a file"
    (codec,) = (line for line in lines if "from film" in line and "-l codec" in line)
    assert " -x -a 'mp4v h264' " in codec, "one of these alone"


def test_a_files_name_does_not_steer_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    for line in (["judge", "\x1b[2Jno.json"], ["read", "\x1b[2Jno.png"]):
        assert main(line) == 2
        assert "\\x1b[2Jno." in capsys.readouterr().err
