"""Check that prose is plain English: short sentences, and none of a list of constructions.

    python scripts/plain_english.py             check every file
    python scripts/plain_english.py PATH...     check files or folders

It reads Markdown, docstrings, comments, strings of four words or more, texts in .kv files and the `text` of
rulesets. `plain_english_banned.txt` lists the constructions. Each finding is printed, and fails the check.
"""

from __future__ import annotations

import argparse
import ast
import io
import re
import sys
import tokenize
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
CHECKED = (".", "companion", "datasets", "docs", "engine", "models", "scripts", "shithead_referee", "vision")
MOST_WORDS = 25
FEWEST_WORDS = 4  # shorter strings are names, paths and patterns
LONGEST_LABEL = 5  # headings and labels up to this length may begin with Who, What or Where
_LINES = Path(__file__).with_name("plain_english_banned.txt").read_text("utf-8").splitlines()
BANNED = [
    (re.compile(pattern, 0 if pattern.startswith("^") else re.IGNORECASE), instead)
    for pattern, instead in (line.split(" :: ") for line in _LINES if not line.startswith("#"))
]
Text = tuple[int, str]  # a piece of prose after the number of its first line
_CODE = re.compile(r"(`+)(.+?)\1", re.DOTALL)
_LINK = re.compile(r"!?\[((?:[^\[\]]|\[[^\[\]]*\])*)\](?:\([^)]*\)|\[[^\]]*\])")
_TAG = re.compile(r"<[^<>\n]+>|\{[^{}\n]*\}|https?://\S+")
_ITEM = re.compile(r"^\s*(?:[-*+]|\d+\.|#+|>)\s+")
_SECTION = re.compile(r"\s+[\w`*]{1,40}: |(Args|Returns|Raises|Yields):$")
_EMPHASIS = re.compile(r"[*_]{1,2}(?=\S)|(?<=\S)[*_]{1,2}")
_END = re.compile(r"""[.!?]["'”’)\]*_]*\s+(?=["'“‘(\[*_]*[A-Z0-9])""")
_ABBREVIATED = re.compile(r"\b(e\.g|i\.e|cf|vs|etc|No|St|al|approx|max|min)\.")
_QUOTED = {".kv": re.compile(r'"([^"]* [^"]*)"'), ".toml": re.compile(r'^text = "(.*)"$')}
_SQL = r"\A\s*(SELECT|INSERT|UPDATE|DELETE|CREATE|DROP|ALTER|PRAGMA|WITH|ATTACH)\b"
_OTHER_CODE = re.compile(_SQL + r"|^\s*(from \S+ import |import \S|local |if \[)", re.MULTILINE)


def paragraphs(lines: Iterable[Text]) -> Iterator[Text]:
    """Yield each paragraph, list item, heading and table cell; code blocks are left out."""
    held: list[str] = []
    start, fenced, blank = 0, False, True
    for number, line in lines:
        stripped = line.strip()
        fence = stripped.startswith(("```", "~~~"))
        indented = blank and not held and line.startswith("    ")
        code = fenced or fence or indented or stripped.startswith((">>>", "..."))
        fenced = fenced != fence
        table = stripped.startswith("|")
        if held and (code or table or not stripped or _ITEM.match(line) or _SECTION.match(line)):
            yield start, "\n".join(held)
            held = []
        if table and not code:
            yield from ((number, cell.strip()) for cell in _CODE.sub("Code", stripped).strip("|").split("|"))
        elif stripped and not code:
            start = start if held else number
            held.append(_ITEM.sub("", line) if not held else stripped)
        blank = blank if code else not stripped
    if held:
        yield start, "\n".join(held)


def sentences(text: Text) -> Iterator[Text]:
    """Yield the sentences of a paragraph, without markup; a code span counts as one word."""
    line, prose = text
    for pattern, instead in ((_CODE, "Code"), (_LINK, r"\1"), (_TAG, "X"), (_ABBREVIATED, r"\1")):
        prose = pattern.sub(instead, prose)
    begin = 0
    for end in [*(found.end() for found in _END.finditer(prose)), len(prose)]:
        sentence = prose[begin:end]
        yield line + prose.count("\n", 0, begin), " ".join(_EMPHASIS.sub("", sentence).split())
        begin = end


def findings(texts: Iterable[Text]) -> list[Text]:
    """Return what is wrong with the texts of a file, by line."""
    found = []
    for text in texts:
        for line, sentence in sentences(text):
            words = len(re.findall(r"[^\W_][\w'’.,-]*", sentence))
            if words > MOST_WORDS:
                found.append((line, f"{words} words, at most {MOST_WORDS}: {sentence[:60]}..."))
            for pattern, why in BANNED:
                hit = pattern.search(sentence)
                if hit and (words > LONGEST_LABEL or not pattern.pattern.startswith("^W")):
                    found.append((line, f"{why}: {sentence[max(0, hit.start() - 20) : hit.start() + 50]}"))
    return sorted(found)


def python_texts(source: str) -> list[Text]:
    """Return the docstrings and comments of Python source, and its strings that are prose."""
    prose = list(_comments(source))
    nodes = list(ast.walk(ast.parse(source)))
    documented = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    inside = {id(part) for node in nodes if isinstance(node, ast.JoinedStr) for part in ast.walk(node)}
    for node in nodes:
        if isinstance(node, ast.JoinedStr):
            parts = (str(part.value) if isinstance(part, ast.Constant) else "X" for part in node.values)
            prose += _string(node.lineno, "".join(parts))
        elif not (isinstance(node, ast.Constant) and isinstance(node.value, str)) or id(node) in inside:
            continue
        elif id(node) not in documented:
            prose += _string(node.lineno, node.value)
        else:
            margin = node.col_offset
            lines = [line[margin:] if line[:margin].isspace() else line for line in node.value.splitlines()]
            prose += paragraphs(enumerate(lines, node.lineno))
    return prose


def _string(line: int, value: str) -> Iterator[Text]:
    if len(re.findall(r"\b[A-Za-z]['a-z]*\b", value)) >= FEWEST_WORDS and not _OTHER_CODE.search(value):
        yield from paragraphs((line, part) for part in value.splitlines())


def _comments(source: str) -> Iterator[Text]:
    lines: list[Text] = []
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT and not re.match(r"#[!:]|# (noqa|type:|mypy:)", token.string):
            beside_code = token.line[: token.start[1]].strip()
            if lines and (beside_code or token.start[0] != lines[-1][0] + 1):
                lines.append((lines[-1][0], ""))
            lines.append((token.start[0], token.string.lstrip("# ")))
    yield from paragraphs(lines)


def texts_of(path: Path) -> list[Text]:
    """Return the prose of a file."""
    source = path.read_text("utf-8")
    if path.suffix == ".py":
        return python_texts(source)
    lines = list(enumerate(source.splitlines(), 1))
    if path.suffix not in _QUOTED:
        return list(paragraphs(lines))
    return [(number, words) for number, line in lines for words in _QUOTED[path.suffix].findall(line)]


def files_below(path: Path) -> list[Path]:
    """Return the file itself, or the files of a folder and, except for the root, of its subfolders."""
    if path.is_file():
        return [path]
    found = path.glob("*") if path.resolve() == ROOT else path.rglob("*")
    return sorted(
        file for file in found if file.suffix in (".md", ".py", *_QUOTED) and file.name != "pyproject.toml"
    )


def main() -> int:
    """Print the findings; return 1 if there are any."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    checked = [ROOT / folder for folder in CHECKED]
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH", default=checked, help="default: all")
    found = False
    for path in (file for folder in parser.parse_args().paths for file in files_below(folder)):
        for line, why in findings(texts_of(path)):
            print(f"{path.relative_to(ROOT) if path.is_relative_to(ROOT) else path}:{line}: {why}")
            found = True
    return int(found)


if __name__ == "__main__":
    sys.exit(main())
