"""Check that prose is plain English: short sentences, and none of a list of constructions.

    python scripts/plain_english.py                  check every file against the allow-list
    python scripts/plain_english.py --list PATH...   print each finding in files or folders
    python scripts/plain_english.py --shrink         lower the allow-list to the numbers found now

It reads Markdown, docstrings, comments, strings of four words or more, texts in .kv files and the `text` of
rulesets. `plain_english_banned.txt` lists the constructions. `plain_english_allowed.txt` lists the files that
still have findings, with their number. The check fails if a file has more findings than that, or fewer.
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
ALLOWED = Path(__file__).with_name("plain_english_allowed.txt")
CHECKED = (".", "companion", "datasets", "docs", "engine", "models", "scripts", "shithead_referee", "vision")
SUFFIXES = (".md", ".py", ".kv", ".toml")
MOST_WORDS = 25
FEWEST_WORDS_OF_A_STRING = 4  # shorter strings are names, paths and patterns
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
_SQL = re.compile(r"\s*(SELECT|INSERT|UPDATE|DELETE|CREATE|DROP|ALTER|PRAGMA|WITH|ATTACH)\b")


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
        if code:
            pass
        elif table:
            yield from ((number, cell.strip()) for cell in _CODE.sub("Code", stripped).strip("|").split("|"))
        elif stripped:
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


def python_texts(source: str) -> Iterator[Text]:
    """Yield the docstrings, comments and strings of Python source that are prose."""
    tree = ast.parse(source)
    documented = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    filled = [node for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)]
    inside = {id(part) for node in filled for part in ast.walk(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            parts = (str(part.value) if isinstance(part, ast.Constant) else "X" for part in node.values)
            yield from _string(node.lineno, "".join(parts))
        elif not (isinstance(node, ast.Constant) and isinstance(node.value, str)) or id(node) in inside:
            continue
        elif id(node) not in documented:
            yield from _string(node.lineno, node.value)
        else:
            margin = node.col_offset
            lines = [line[margin:] if line[:margin].isspace() else line for line in node.value.splitlines()]
            yield from paragraphs(enumerate(lines, node.lineno))
    yield from _comments(source)


def _string(line: int, value: str) -> Iterator[Text]:
    if len(re.findall(r"\b[A-Za-z]['a-z]*\b", value)) >= FEWEST_WORDS_OF_A_STRING and not _SQL.match(value):
        yield from paragraphs((line, part) for part in value.splitlines())


def _comments(source: str) -> Iterator[Text]:
    lines: list[Text] = []
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT and not re.match(r"#[!:]|# (noqa|type:|mypy:)", token.string):
            if lines and token.start[0] != lines[-1][0] + 1:
                lines.append((lines[-1][0] + 1, ""))
            lines.append((token.start[0], token.string.lstrip("# ")))
    yield from paragraphs(lines)


def texts_of(path: Path) -> Iterator[Text]:
    """Yield the prose of a file."""
    source = path.read_text("utf-8")
    lines = source.splitlines()
    if path.suffix == ".py":
        yield from python_texts(source)
    elif path.suffix in _QUOTED:
        for number, line in enumerate(lines, 1):
            yield from ((number, words) for words in _QUOTED[path.suffix].findall(line))
    else:
        yield from paragraphs(enumerate(lines, 1))


def files_below(path: Path) -> list[Path]:
    """Return the file itself, or the files of a folder and, except for the root, of its subfolders."""
    if path.is_file():
        return [path]
    found = path.glob("*") if path.resolve() == ROOT else path.rglob("*")
    return sorted(file for file in found if file.suffix in SUFFIXES and file.name != "pyproject.toml")


def read_allowed() -> dict[str, int]:
    """Return how many findings each file of the allow-list may have."""
    lines = ALLOWED.read_text("utf-8").splitlines()
    return {name: int(count) for count, name in map(str.split, lines)}


def main() -> int:
    """Run the check; return 1 if a file differs from the allow-list."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--list", nargs="+", type=Path, metavar="PATH", help="print the findings of these")
    parser.add_argument("--shrink", action="store_true", help="lower the allow-list to what is found")
    args = parser.parse_args()
    if args.list:
        for path in (file for folder in args.list for file in files_below(folder)):
            for line, why in findings(texts_of(path)):
                print(f"{path}:{line}: {why}")
        return 0
    files = [file for folder in CHECKED for file in files_below(ROOT / folder)]
    counts = {file.relative_to(ROOT).as_posix(): len(findings(texts_of(file))) for file in files}
    allowed = read_allowed()
    if args.shrink:
        kept = {name: min(count, counts.get(name, 0)) for name, count in allowed.items()}
        rows = (f"{count} {name}\n" for name, count in sorted(kept.items()) if count)
        ALLOWED.write_text("".join(rows), "utf-8")
        allowed = read_allowed()
    differing = [name for name in sorted({*counts, *allowed}) if counts.get(name, 0) != allowed.get(name, 0)]
    for name in differing:
        count, limit = counts.get(name, 0), allowed.get(name, 0)
        if count > limit:
            print(f"{name}: {count} findings, {limit} allowed: python scripts/plain_english.py --list {name}")
        else:
            print(f"{ALLOWED.name}: '{limit} {name}' must now be '{count} {name}': --shrink does that")
    return int(bool(differing))


if __name__ == "__main__":
    sys.exit(main())
