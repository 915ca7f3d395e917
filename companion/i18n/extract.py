"""Update the catalogues after texts have changed: `python -m companion.i18n.extract`.

It collects the texts of the source, the rulesets and `vision.questions`. New texts enter each language's .po
file without a translation, and texts that are gone leave it. Babel then compiles the .mo file that ships.
`tests/unit/companion/test_catalogue.py` fails while a translation is missing or the .mo file is stale.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

import companion
import engine
import vision
from companion.i18n.catalogue import DOMAIN, LANGUAGES, locale_folder
from companion.i18n.rules import rule_texts
from vision.questions import QUESTIONS

SOURCES = tuple(Path(str(package.__file__)).parent for package in (engine, vision, companion))
Text = str | tuple[str, str]
"""A text to translate, or its singular and plural."""

TERMINAL_ONLY = (
    *("companion/cli", "companion/parallel.py", "companion/game/scoring.py"),
    *("engine/judging/judge.py", "engine/judging/situation.py", "engine/simulation/simulate.py"),
    "engine/fields.py",
    *("engine/notation/record.py", "engine/notation/record_lines.py"),
    *("vision/following/look_log.py", "vision/following/replay.py"),
    "companion/phone/requests.py",
)
"""Sources whose errors appear in the terminal only, or answer a broken page, and stay English."""
_MARKS = ("_", "gettext_noop", "say")
_MESSAGES = ("BadInputError", "message")
_MARKED = re.compile(rf"\b(?:{'|'.join((*_MARKS, *_MESSAGES, 'ngettext'))})\(")
"""Finds the mark of a text. Files without one are not parsed, because that takes much longer."""
_IN_KV = re.compile(r"""\b_\(("(?:[^"\\]|\\.)*")\)""")


def all_texts() -> Iterator[Text]:
    """Yield every text that is to be translated."""
    yield from rule_texts()
    yield from QUESTIONS
    for root in SOURCES:
        yield from marked_texts(root)


def marked_texts(root: Path) -> Iterator[Text]:
    """Yield every text of the source under `root` that is marked for translation."""
    for path in sorted(root.rglob("*.py")):
        names = _MARKS if terminal_only(path) else (*_MARKS, *_MESSAGES)
        yield from _in_python(path.read_text(encoding="utf-8"), names)
    for path in sorted(root.rglob("*.kv")):
        yield from map(ast.literal_eval, _IN_KV.findall(path.read_text(encoding="utf-8")))


def terminal_only(path: Path) -> bool:
    """Return whether the errors of a source file appear in the terminal only."""
    name = path.relative_to(SOURCES[0].parent).as_posix()
    return any(name == part or name.startswith(f"{part}/") for part in TERMINAL_ONLY)


def _in_python(source: str, names: Sequence[str]) -> Iterator[Text]:
    if not _MARKED.search(source):
        return
    # Babel's own extractor misses calls inside f-strings before Python 3.12.
    for node in ast.walk(ast.parse(source)):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
            continue
        texts = [
            arg.value for arg in node.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)
        ]
        if node.func.id in names and texts:
            yield texts[0]
        elif node.func.id == "ngettext" and len(texts) >= 2:
            yield texts[0], texts[1]


def po_path(language: str) -> Path:
    """Return the path of a language's translations."""
    return locale_folder() / language / "LC_MESSAGES" / f"{DOMAIN}.po"


def translations(language: str) -> Catalog:
    """Return a language's catalogue as it is stored."""
    with po_path(language).open("rb") as file:
        return read_po(file, locale=language)


def updated(language: str) -> Catalog:
    """Return a language's catalogue with exactly the texts of the source."""
    template = Catalog()
    for text in all_texts():
        if text:
            template.add(text)
    catalog = translations(language)
    catalog.update(template, no_fuzzy_matching=True, update_creation_date=False)
    return catalog


def untranslated(catalog: Catalog) -> list[str]:
    """Return the texts without a translation."""
    return [str(entry.id) for entry in catalog if entry.id and not (entry.string and all(entry.string))]


def compiled(catalog: Catalog) -> bytes:
    """Return the .mo file of a catalogue."""
    file = BytesIO()
    write_mo(file, catalog)
    return file.getvalue()


def main() -> None:
    """Update every language's catalogue, and print the number of missing translations."""
    for language in LANGUAGES:
        if language == "en":
            continue
        catalog, path = updated(language), po_path(language)
        with path.open("wb") as file:
            write_po(file, catalog, width=0, sort_output=True, ignore_obsolete=True)
        path.with_suffix(".mo").write_bytes(compiled(catalog))
        print(f"{language}: {len(catalog)} texts, {len(untranslated(catalog))} to translate")


if __name__ == "__main__":
    main()
