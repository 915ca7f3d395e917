"""Keeps the catalogues in step with the source: `python -m companion.i18n.extract` after words have changed.

It collects every text that is marked (`_`, `gettext_noop`, `ngettext` in Python, `_` in kv files), the forms
of `engine.sentences.say`, `engine.messages.message` and `BadInputError`, the texts of the rulesets and the
questions of `vision.questions`. New ones it enters into each language's .po file with nothing for a
translation, drops those that are gone, and compiles the .mo file that ships.
`tests/unit/companion/test_catalogue.py` fails while a translation is missing or the .mo is stale.
"""

from __future__ import annotations

import ast
import json
import re
import struct
from collections.abc import Iterator, Sequence
from pathlib import Path

import companion
import engine
import vision
from companion.i18n.catalogue import DOMAIN, LANGUAGES, locale_folder
from companion.i18n.rules import rule_texts
from vision.questions import QUESTIONS

SOURCES = tuple(Path(str(package.__file__)).parent for package in (engine, vision, companion))
Texts = dict[str, str | None]
"""The marked texts, each with its plural where it has one."""
Translations = dict[str, tuple[str, ...]]
"""Per text its translation; one for each plural form where it has several."""

TERMINAL_ONLY = (
    *("companion/cli", "companion/parallel.py", "companion/game/scoring.py"),
    *("engine/judging/judge.py", "engine/judging/situation.py", "engine/simulation/simulate.py"),
    *("engine/notation/record.py", "engine/notation/record_lines.py"),
)
"""What is wrong with input that the app never takes stays English, as all that the terminal says."""
_MARKS = ("_", "gettext_noop", "say")
_MESSAGES = ("BadInputError", "message")
_IN_KV = re.compile(r"""\b_\(("(?:[^"\\]|\\.)*")\)""")
_HEADER = (
    "Content-Type: text/plain; charset=UTF-8\n"
    "Content-Transfer-Encoding: 8bit\n"
    "Plural-Forms: nplurals=2; plural=(n != 1);\n"
    "Language: {language}\n"
)


def all_texts() -> Texts:
    """Return every text that is to be translated.

    The app's, the forms of the referee's sentences and questions, and what the rulesets say.
    """
    texts: Texts = dict.fromkeys((*rule_texts(), *QUESTIONS))
    for root in SOURCES:
        texts |= marked_texts(root)
    return texts


def marked_texts(root: Path) -> Texts:
    """Return every text of the source under `root` that is marked for translation."""
    found: Texts = {}
    for path in sorted(root.rglob("*.py")):
        names = _MARKS if terminal_only(path) else (*_MARKS, *_MESSAGES)
        for text, several in _in_python(path.read_text(encoding="utf-8"), names):
            found[text] = several or found.get(text)
    for path in sorted(root.rglob("*.kv")):
        for quoted in _IN_KV.findall(path.read_text(encoding="utf-8")):
            found.setdefault(ast.literal_eval(quoted), None)
    return found


def terminal_only(path: Path) -> bool:
    """Return whether what a source file finds wrong is told on the terminal alone."""
    name = path.relative_to(SOURCES[0].parent).as_posix()
    return any(name == part or name.startswith(f"{part}/") for part in TERMINAL_ONLY)


def _in_python(source: str, names: Sequence[str]) -> Iterator[tuple[str, str | None]]:
    for node in ast.walk(ast.parse(source)):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
            continue
        texts = [arg.value for arg in node.args if isinstance(arg, ast.Constant)]
        strings = [text for text in texts if isinstance(text, str)]
        if node.func.id in names and strings:
            yield strings[0], None
        elif node.func.id == "ngettext" and len(strings) >= 2:
            yield strings[0], strings[1]


def read_po(path: Path) -> Translations:
    """Return the translations of a .po file; the header is left out."""
    found: Translations = {}
    entry: dict[str, str] = {}
    field = ""
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    for line in [*lines, ""]:
        if line.startswith("msg"):
            field, _space, quoted = line.partition(" ")
            entry[field] = json.loads(quoted)
        elif line.startswith('"'):
            entry[field] += json.loads(line)
        elif not line.strip():
            if entry.get("msgid"):
                names = ("msgstr", "msgstr[0]", "msgstr[1]")
                found[entry["msgid"]] = tuple(entry[name] for name in names if name in entry)
            entry = {}
    return found


def write_po(path: Path, language: str, texts: Texts, translations: Translations) -> None:
    """Write a .po file with an entry for each text, sorted."""
    header = json.dumps(_HEADER.format(language=language), ensure_ascii=False)
    parts = [f'msgid ""\nmsgstr {header}\n']
    for text in sorted(texts):
        several, said = texts[text], translations.get(text, ())
        lines = [f"msgid {json.dumps(text, ensure_ascii=False)}"]
        if several is None:
            lines.append(f"msgstr {json.dumps(said[0] if said else '', ensure_ascii=False)}")
        else:
            lines.append(f"msgid_plural {json.dumps(several, ensure_ascii=False)}")
            for form in (0, 1):
                known = said[form] if form < len(said) else ""
                lines.append(f"msgstr[{form}] {json.dumps(known, ensure_ascii=False)}")
        parts.append("\n".join(lines) + "\n")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(parts), encoding="utf-8")


def compiled(language: str, texts: Texts, translations: Translations) -> bytes:
    """Return the .mo file of a language: GNU gettext's format, sorted by text, without a hash table."""
    pairs = {"": _HEADER.format(language=language)}
    for text, said in translations.items():
        if text not in texts or not all(said):
            continue
        several = texts[text]
        pairs[text if several is None else f"{text}\0{several}"] = "\0".join(said)
    keys = sorted(key.encode() for key in pairs)
    values = [pairs[key.decode()].encode() for key in keys]
    count, at = len(keys), 28 + 16 * len(keys)
    index: list[int] = []
    for block in (keys, values):
        for item in block:
            index += [len(item), at]
            at += len(item) + 1
    head = struct.pack("<7I", 0x950412DE, 0, count, 28, 28 + 8 * count, 0, 28 + 16 * count)
    body = b"".join(item + b"\0" for item in [*keys, *values])
    return head + struct.pack(f"<{len(index)}I", *index) + body


def main() -> None:
    """Bring every language's catalogue up to date and say what is left to translate."""
    texts = all_texts()
    for language in LANGUAGES:
        if language == "en":
            continue
        folder = locale_folder() / language / "LC_MESSAGES"
        po = folder / f"{DOMAIN}.po"
        translations = read_po(po)
        write_po(po, language, texts, translations)
        (folder / f"{DOMAIN}.mo").write_bytes(compiled(language, texts, translations))
        missing = [text for text in texts if not all(translations.get(text) or ("",))]
        print(f"{language}: {len(texts)} texts, {len(missing)} to translate")


if __name__ == "__main__":
    main()
