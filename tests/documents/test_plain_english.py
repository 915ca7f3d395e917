"""The check of the prose: what it finds, and what it leaves alone."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
LONG = "The player " + "very " * 24 + "slowly picks up."


def load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("plain_english", ROOT / "scripts" / "plain_english.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


plain = load()


def found(text: str, name: str, folder: Path) -> list[str]:
    """What is found in a file of this name that holds this text: `line: reason`."""
    (folder / name).write_text(text, encoding="utf-8")
    return [f"{line}: {why.split(':')[0]}" for line, why in plain.findings(plain.texts_of(folder / name))]


def run(*arguments: str, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(sys, "argv", ["plain_english.py", *arguments])
    status: int = plain.main()
    return status


def test_a_sentence_of_more_than_25_words_is_found_on_its_line(tmp_path: Path) -> None:
    assert found(f"Short.\n\n{LONG}\n", "a.md", tmp_path) == ["3: 29 words, at most 25"]


def test_two_sentences_of_a_paragraph_are_counted_apart(tmp_path: Path) -> None:
    half = "Ann plays " + "one card and then " * 4 + "rests."
    assert found(f"{half} {half}\n", "a.md", tmp_path) == []


@pytest.mark.parametrize(
    "text",
    [
        f"```\n{LONG}\n```\n",
        f"Type this:\n\n    {LONG}\n",
        f"`{LONG}` is code.\n",
        "| " + " | ".join(["four words in here"] * 8) + " |\n",
        "".join(f"- item {number} of the list\n" for number in range(20)),
        "[a link](https://example.org/" + "/".join("abc" for _ in range(40)) + ")\n",
    ],
    ids=["fenced code", "indented code", "code span", "table", "list", "address"],
)
def test_code_tables_lists_and_addresses_make_no_long_sentence(text: str, tmp_path: Path) -> None:
    assert found(text, "a.md", tmp_path) == []


@pytest.mark.parametrize(
    "sentence",
    [
        "It has three parts, of which one is new.",
        "Who wants to, says before the first play what lies face up.",
        "Of two alike in two packs one is missed.",
        "A draw that is due is taken for made.",
        "A draw pile that looks as it did tells that who put nothing down has drawn nothing.",
        "Hands are hidden, nor does the camera see them.",
        "It waits, for it has not moved.",
    ],
)
def test_a_banned_construction_is_found(sentence: str, tmp_path: Path) -> None:
    assert found(sentence, "a.md", tmp_path) != []


@pytest.mark.parametrize(
    "sentence",
    [
        "With two packs, one of two identical cards is sometimes missed.",
        "You can first enter each player's face-up cards.",
        "Who plays first?",
        "What it survives",
        "Of course you can undo it.",
    ],
)
def test_a_plain_sentence_is_left_alone(sentence: str, tmp_path: Path) -> None:
    assert found(sentence, "a.md", tmp_path) == []


def test_docstrings_comments_and_strings_of_python_are_read(tmp_path: Path) -> None:
    source = (
        f'"""{LONG}"""\n\n# {LONG}\nvalue = "{LONG}"\nname = f"{LONG} {{value}}"\nquery = "SELECT {LONG}"\n'
    )
    assert [where.split(":")[0] for where in found(source, "a.py", tmp_path)] == ["1", "3", "4", "5"]


def test_words_on_screens_and_in_rulesets_are_read(tmp_path: Path) -> None:
    assert len(found(f'Label:\n    text: _("{LONG}")\n', "a.kv", tmp_path)) == 1
    assert len(found(f'text = "{LONG}"\nquote = "{LONG}"\n', "a.toml", tmp_path)) == 1


def test_the_findings_of_a_path_are_printed_with_file_and_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.md").write_text(f"Short.\n\n{LONG}\n")
    assert run(str(tmp_path), monkeypatch=monkeypatch) == 1
    assert capsys.readouterr().out.startswith(f"{tmp_path / 'a.md'}:3: 29 words, at most 25: ")
    (tmp_path / "a.md").write_text("Short.\n")
    assert run(str(tmp_path), monkeypatch=monkeypatch) == 0


def test_all_folders_are_checked_unless_some_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text(f"{LONG}\n")
    for name, value in (("ROOT", tmp_path), ("CHECKED", ("docs",))):
        monkeypatch.setattr(plain, name, value)
    assert run(monkeypatch=monkeypatch) == 1
    assert capsys.readouterr().out.startswith("docs/a.md:1: 29 words")
