"""The console script as people expect it: help, version, completion, a log instead of a stack trace."""

from __future__ import annotations

import logging
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import cv2
import pytest

from companion.cli import main as cli
from companion.cli import tally
from companion.cli.main import COMMANDS, main
from companion.files import logs
from engine.ruleset import RULESET_NAMES, VARIANT_NAMES


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


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_explains_itself_as_the_parser_of_all_commands_would(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for ask in (main, cli.build_parser().parse_args):
        with pytest.raises(SystemExit):
            ask([name, "--help"])
    said = capsys.readouterr().out
    assert said == 2 * said[: len(said) // 2]


def test_a_command_that_is_named_loads_no_other() -> None:
    loads = "import sys; from companion.cli.main import main; main(['rules', '--list']); "
    printing = "print(*(name for name in sys.modules if name.startswith(('companion.', 'email'))))"
    done = subprocess.run(
        [sys.executable, "-c", loads + printing], capture_output=True, text=True, check=True
    )
    loaded = set(done.stdout.splitlines()[-1].split())
    others = {f"companion.cli.{name}" for name in COMMANDS if name not in ("rules", "completion")}
    assert "companion.cli.rules" in loaded
    assert not loaded & {*others, "email", "companion.store.store"}


def test_the_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as done:
        main(["--version"])
    assert done.value.code == 0
    assert capsys.readouterr().out.startswith("shithead ")


@pytest.mark.parametrize(
    "typed",
    ["nonsense", "watch", "tally --bogus", "app --size 3x3", "simulate --games 1e9", "film x --tilt abc"],
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


def test_the_log_is_rotated(log: Path) -> None:
    logs.begin_logging()
    for _ in range(200):
        logging.getLogger("test").warning("a word " * 3_000)
    files = sorted(log.parent.iterdir())
    assert [file.name for file in files] == ["shithead.log", *(f"shithead.log.{n}" for n in (1, 2, 3))]
    assert all(file.stat().st_size <= 500_000 for file in files)


def completed(line: str) -> set[str]:
    """Return what a shell is offered after `shithead LINE`.

    It runs in a process of its own, because argcomplete takes over file descriptors 8 and 9.
    """
    line = f"shithead {line}"
    asked = {
        "_ARGCOMPLETE": "1",
        "_ARGCOMPLETE_IFS": "\n",
        "_ARGCOMPLETE_COMP_WORDBREAKS": "",
        "COMP_LINE": line,
        "COMP_POINT": str(len(line)),
    }
    with tempfile.TemporaryDirectory() as folder:
        offered = Path(folder) / "offered"
        subprocess.run(
            [sys.executable, "-m", "companion.cli"],
            env={**os.environ, **asked, "_ARGCOMPLETE_STDOUT_FILENAME": str(offered)},
            check=False,
        )
        return {word.strip() for word in offered.read_text("utf-8").splitlines()}


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("", set(COMMANDS) | {"-h", "--help", "--version"}),
        ("watch --re", {"--resume"}),
        ("deck en", {"enrol"}),
    ],
)
def test_commands_and_options_are_completed(
    line: str, offered: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert completed(line) == offered


@pytest.mark.parametrize("command", ["app", "watch", "film", "simulate"])
def test_rulesets_and_files_of_house_variants_are_completed_after_rules(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "our-house.toml").touch()
    assert completed(f"{command} --rules ") == {*RULESET_NAMES, *VARIANT_NAMES, "our-house.toml"}
    assert completed(f"{command} --rules=jo") == {"--rules=jokers", "--rules=jokers-extensions"}


def test_rulesets_are_completed_wherever_one_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert completed("rules sh") == {"shed", "shed-extreme"}
    assert completed("rules --compare jokers sh") == {"shed", "shed-extreme"}
    assert completed("record events.jsonl --from-events ") == {*RULESET_NAMES, *VARIANT_NAMES}


def test_the_choices_of_an_option_are_completed_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "film.mp4").touch()
    assert completed("film --codec ") == {"h264", "mp4v"}
    assert completed("completion ") >= {"bash", "zsh", "fish"}


def test_files_are_completed_after_an_option_that_wants_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "table.json").touch()
    assert completed("watch --layout ") == {"table.json"}
    assert "--rules" in completed("watch --resume --")


def test_bash_completes_with_the_printed_script(tmp_path: Path) -> None:
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("no bash here")
    program = tmp_path / "shithead"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m companion.cli "$@"\n')
    program.chmod(0o755)
    ask = (
        'eval "$(shithead completion bash)"; COMP_LINE="shithead watch --re"; COMP_POINT=${#COMP_LINE};'
        "COMP_TYPE=9; COMP_WORDS=(shithead watch --re); COMP_CWORD=2; _python_argcomplete shithead; "
        'printf "%s\\n" "${COMPREPLY[@]}"'
    )
    done = subprocess.run(
        [bash, "-c", ask],
        env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert done.stdout.split() == ["--resume"]


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_get_their_own_script(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    assert "shithead" in script
    assert {"zsh": "compdef", "fish": "complete --command shithead"}[shell] in script
