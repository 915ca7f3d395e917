"""The app explains its words as the documentation does."""

from __future__ import annotations

import re
from pathlib import Path

from companion.i18n.glossary import GLOSSARY

PAGE = Path(__file__).parents[3] / "docs" / "glossary.md"


def test_the_app_explains_each_word_as_the_documentation_does() -> None:
    rows = re.findall(r"^\| ([^|]+) \| ([^|]+) \|$", PAGE.read_text("utf-8"), re.MULTILINE)
    explained = {re.sub(r" \(`\w+`\)", "", word): meaning for word, meaning in rows}
    for word, meaning in GLOSSARY:
        assert explained[word] == meaning
