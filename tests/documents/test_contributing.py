"""The walk in CONTRIBUTING.md works in a copy of the repository, and the page names only what exists."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
WALK = PAGE.split("## A first change")[1].split("\n## ")[0]
NEEDED = (
    *("engine", "companion", "vision", "tests/unit/engine", "tests/replay", "tests/conftest.py"),
    *("tests/unit/companion/test_catalogue.py", "tests/unit/companion/test_rule_words.py"),
    *("tests/support/made_once.py", "pyproject.toml", "CONTRIBUTING.md"),
)
"""Of the repository, for the walk: what the networks and the camera need stays behind."""


def test_a_pull_request_is_to_pass_make_test_on_every_python_that_is_promised() -> None:
    text = (ROOT / ".github" / "workflows" / "test.yml").read_text("utf-8")
    assert "pull_request:" in text
    assert "make test PYTHON=python${{ matrix.python }}" in text
    (listed,) = re.findall(r"python: \[(.*)\]", text)
    promised = re.findall(
        r'^requires-python = ">=3\.(\d+),<3\.(\d+)"', (ROOT / "pyproject.toml").read_text(), re.M
    )
    first, end = map(int, promised[0])
    assert re.findall(r"3\.(\d+)", listed) == [str(minor) for minor in range(first, end)]


def blocks(step: int) -> list[tuple[str, str]]:
    """The code blocks of a step of the walk: language and text."""
    (text,) = re.findall(rf"^\*\*{step}\. (.*?)(?=^\*\*\d|\Z)", WALK, re.MULTILINE | re.DOTALL)
    return re.findall(r"^```(\w*)\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


class Walker:
    """Somebody who types what the page says, in a fresh clone."""

    def __init__(self, clone: Path) -> None:
        self.clone = clone
        for name in NEEDED:
            ignored = shutil.ignore_patterns("*.mp4", "*.onnx")  # what is compiled may come along
            if (ROOT / name).is_dir():
                shutil.copytree(ROOT / name, clone / name, ignore=ignored)
            else:
                (clone / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / name, clone / name)
        programs = clone / ".venv" / "bin"
        programs.mkdir(parents=True)
        for name, module in (("python", ""), ("pytest", "-m pytest"), ("shithead", "-m companion.cli")):
            (programs / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {module} "$@"\n')
            (programs / name).chmod(0o755)
        (clone / ".gitignore").write_text(".venv/\n__pycache__/\n.pytest_cache/\n")
        assert (
            self.types("git init -q . && git add . && git -c user.name=A -c user.email=a@b commit -qm 0")[0]
            == 0
        )

    def types(self, command: str) -> tuple[int, str]:
        """The status of a command line, and what it says."""
        done = subprocess.run(
            ["sh", "-c", command],
            cwd=self.clone,
            env={**os.environ, "PYTHONPATH": str(self.clone), "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout + done.stderr

    def types_all(self, block: str) -> list[tuple[int, str]]:
        return [self.types(line) for line in block.splitlines()]

    def adds(self, file: str, text: str) -> None:
        with (self.clone / file).open("a") as out:
            out.write(f"\n\n{text}" if file.endswith(".py") else f"\n{text}")

    def says_it_in_german(self) -> None:
        """Walk the step of the translations."""
        (_, collect), (_, entry), (_, check) = blocks(5)
        ((status, said),) = self.types_all(collect)
        assert status == 0, said
        words = self.clone / "companion" / "locale" / "de" / "LC_MESSAGES" / "shithead.po"
        told, _, _ = entry.partition("msgstr")
        assert f'{told}msgstr ""\n' in words.read_text("utf-8")
        words.write_text(words.read_text("utf-8").replace(f'{told}msgstr ""\n', entry), "utf-8")
        compiled, tested = self.types_all(check)
        assert compiled[0] == 0, compiled[1]
        assert tested[0] == 0, tested[1]


@pytest.mark.skipif(
    "10-on-anything" in (ROOT / "engine" / "rulesets" / "rulebook.toml").read_text("utf-8"),
    reason="somebody has walked it: the page's example is an option by now and wants another",
)
@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_the_walk_to_a_first_rule_option_goes_as_the_page_says(tmp_path: Path) -> None:
    walker = Walker(tmp_path)
    assert walker.types_all(blocks(1)[0][1])[0][0] == 0
    (_, test), (_, run_it) = blocks(2)
    walker.adds("tests/unit/engine/test_rulings_rulebook.py", test)
    ((status, said),) = walker.types_all(run_it)
    assert status == 1
    assert "ruleset 'rulebook' has no option '10-on-anything'" in said
    ((_, option),) = blocks(3)
    walker.adds("engine/rulesets/rulebook.toml", option)
    tested, rules, games = walker.types_all(blocks(4)[0][1])
    assert [tested[0], rules[0], games[0]] == [0, 0, 0], tested[1] + rules[1] + games[1]
    assert "failed" not in tested[1]
    assert "A 10 goes on any card, as a 2 does." in rules[1]
    walker.says_it_in_german()
    golden = walker.clone / "tests/replay/test_golden.py"
    golden.write_text(
        golden.read_text().replace("OPTIONS = [", 'OPTIONS = [\n    ("rulebook", "10-on-anything"),')
    )
    ((_, look),) = blocks(6)
    written, status_of_git, difference = walker.types_all(look)
    assert written[0] == 0, written[1]
    assert [line for line in status_of_git[1].splitlines() if "golden/" in line] == [
        "?? tests/replay/golden/matrix_rulebook_10-on-anything.txt"
    ]
    before, after = (
        [line.split()[1:] for line in difference[1].splitlines() if line.startswith(mark)] for mark in "<>"
    )
    tens = {
        place
        for one, other in zip(before, after, strict=True)
        for place, (a, b) in enumerate(zip(one, other, strict=True))
        if a != b
    }
    # The first column names the card on top; the 10 is the ninth of those that are played.
    assert tens == {9}


def test_every_target_that_the_page_names_is_in_the_makefile() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    named = {word for words in re.findall(r"`make ([a-z ]+)`", PAGE) for word in words.split()}
    assert len(named) > 5
    assert named <= targets
