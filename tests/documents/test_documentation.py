"""The documentation: it covers every command, names only what exists, shows only what works, and builds."""

from __future__ import annotations

import importlib.util
import re
import shlex
import subprocess
import sys
import textwrap
import tomllib
from pathlib import Path

import pytest

from companion.cli.main import COMMANDS, build_parser, main
from engine.events import EVENT_KINDS

ROOT = Path(__file__).parents[2]
PAGES = sorted([*(ROOT / "docs").glob("*.md"), *(ROOT.glob("*.md"))])
_FENCED = re.compile(r"^```\n(.*?)^```", re.MULTILINE | re.DOTALL)
_PLACEHOLDER = re.compile(r"…|\bCOMMAND\b")
_NO_PROSE = re.compile(r"^```.*?^```$|^(?:\||    ).*?$", re.MULTILINE | re.DOTALL)
_PATH = re.compile(
    r"`((?:companion|datasets|docs|engine|models|scripts|shithead_referee|tests|vision|\.github)/[^`\s]*)`"
)
_MODULE = re.compile(r"python -m ((?:companion|datasets|models|vision)[.\w]+)")
_ON_SCREEN = re.compile(r"(?<!\*)\*([A-Z][^*\n]*?)\*(?!\*)")
_RUN = 9
"""So many words one after the other are no turn of phrase."""
_NEAR = 80
"""Two merged versions of a passage begin at most so many words apart."""


def shown_commands(page: Path) -> list[str]:
    """The lines of code blocks without a language that call the console script, up to a pipe or remark."""
    text = page.read_text("utf-8")
    lines = [line for block in _FENCED.findall(text) for line in block.splitlines()]
    lines += [line[4:] for line in text.splitlines() if line.startswith("    shithead ")]
    commands = [re.split(r"\s+#|[|<>]", line)[0].strip().removeprefix(".venv/bin/") for line in lines]
    return [c for c in commands if c.startswith("shithead ") and not _PLACEHOLDER.search(c)]


CARDS = sorted([*(ROOT / "models").glob("*/MODEL_CARD.md"), ROOT / "companion" / "assets" / "LICENSES.md"])


def relative(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", [*PAGES, *CARDS], ids=relative)
def test_every_path_and_module_that_a_page_names_exists(page: Path) -> None:
    """A name in capitals stands for any: `engine/rulesets/NAME.toml`. The phone's networks are built."""
    text = page.read_text("utf-8")
    named = [re.sub(r"[A-Z]{3,}(?=[./])", "*", path) for path in _PATH.findall(text)]
    missing = [path for path in named if not list(ROOT.glob(path.rstrip("/"))) and "/phone/" not in path]
    modules = [module.replace(".", "/") for module in _MODULE.findall(text)]
    missing += [name for name in modules if not list(ROOT.glob(f"{name}.py")) + list(ROOT.glob(f"{name}/"))]
    assert missing == []


@pytest.mark.parametrize("name", ["first-evening.md", "how-it-sees.md", "limits.md", "files.md"])
def test_what_a_page_names_on_a_screen_is_on_one(name: str) -> None:
    """Italics that begin with a capital are words of the app, or the beginning of them."""
    words = (ROOT / "companion" / "locale" / "de" / "LC_MESSAGES" / "shithead.po").read_text("utf-8")
    on_screens = [
        re.sub(r"\{player\}", "Bob", text) for text in re.findall(r'^msgid "(.*)"$', words, re.MULTILINE)
    ]
    named = set(_ON_SCREEN.findall((ROOT / "docs" / name).read_text("utf-8")))
    assert named
    assert [word for word in named if not any(text.startswith(word) for text in on_screens)] == []


SHOWN = [(page.name, command) for page in PAGES for command in shown_commands(page)]


def test_commands_are_shown() -> None:
    assert len(SHOWN) > 30


@pytest.mark.parametrize(("page", "command"), SHOWN, ids=[f"{page}: {command}" for page, command in SHOWN])
def test_what_is_shown_can_be_typed(page: str, command: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = shlex.split(command)[1:]
    if {"--help", "--version"} & set(words):
        with pytest.raises(SystemExit, match="0"):
            build_parser().parse_args(words)
        return
    try:
        build_parser().parse_args(words)
    except SystemExit:
        pytest.fail(f"{page}: {command}: {capsys.readouterr().err}")


def told_twice(text: str) -> list[str]:
    """The runs of words that a page's prose, tables and code aside, repeats nearby."""
    words = re.findall(r"[^\W_]+", _NO_PROSE.sub("", text).lower())
    last: dict[str, int] = {}
    repeated = []
    for at in range(len(words) - _RUN + 1):
        run = " ".join(words[at : at + _RUN])
        if at - last.get(run, -_NEAR - 1) <= _NEAR:
            repeated.append(run)
        last[run] = at
    return repeated


@pytest.mark.parametrize(
    "page", [page for page in PAGES if page.name != "results.md"], ids=lambda page: page.name
)
def test_no_passage_is_told_twice(page: Path) -> None:
    assert told_twice(page.read_text("utf-8")) == []


def test_a_passage_that_a_merge_left_twice_is_found() -> None:
    passage = "Without a display it says so, prints the rulings and writes the sample film. "
    assert told_twice(passage + "What works is said by the doctor. " + passage)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_its_section(command: str) -> None:
    text = (ROOT / "docs" / "commands.md").read_text("utf-8")
    (section,) = re.findall(rf"^### {command}$(.*?)(?=^##|\Z)", text, re.MULTILINE | re.DOTALL)
    assert f"shithead {command}" in section


@pytest.mark.parametrize("kind", EVENT_KINDS)
def test_every_kind_of_event_is_told(kind: str) -> None:
    assert f"`{kind}`" in (ROOT / "docs" / "files.md").read_text("utf-8")


def test_the_record_that_is_shown_is_what_the_command_gives(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its remarks, the rulings, are worked out anew."""
    page = (ROOT / "docs" / "house-rules.md").read_text("utf-8")
    (shown,) = re.findall(r'^    \[Rules "winnersh"\]\n(?:(?:    .*)?\n)+', page, re.MULTILINE)
    record = textwrap.dedent(shown).strip() + "\n"
    (tmp_path / "game.txt").write_text(record, encoding="utf-8")
    assert main(["record", str(tmp_path / "game.txt")]) == 0
    assert capsys.readouterr().out == record


def test_every_page_of_the_site_is_a_click_away_from_the_first() -> None:
    linked = set(re.findall(r"\]\(([\w-]+\.md)\)", (ROOT / "docs" / "index.md").read_text("utf-8")))
    pages = {page.name for page in (ROOT / "docs").glob("*.md")}
    assert pages - linked == {
        "index.md",
        "changelog.md",
        "phone-build.md",
    }  # the last is told of in limits.md


def test_what_the_tests_need_builds_the_site_too() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    assert "shithead-referee[docs]" in extras["dev"], "the test below would be skipped where it matters most"


@pytest.mark.skipif(
    importlib.util.find_spec("material") is None, reason="mkdocs-material is not installed (make docs)"
)
def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    built = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path / "site")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stderr
    assert (tmp_path / "site" / "commands.html").is_file()
