"""The page itself: small, in both languages, and without anything from elsewhere."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from importlib import resources
from pathlib import Path

import pytest

from companion.phone.page_texts import PAGE_TEXTS, page_document, translations

MAX_PAGE_BYTES = 100_000
PAGE = Path(str(resources.files("companion.phone"))) / "page"
FILES = ("page.js", "style.css", "icon.svg")


def test_the_whole_page_is_under_a_hundred_kilobytes() -> None:
    whole = len(page_document().encode()) + sum((PAGE / name).stat().st_size for name in FILES)
    assert whole < MAX_PAGE_BYTES


def test_every_text_of_the_page_is_in_the_catalogue() -> None:
    used = re.findall(r"(?<![A-Za-z])t\(\"((?:[^\"\\]|\\.)*)\"", (PAGE / "page.js").read_text("utf-8"))
    assert set(used) == set(PAGE_TEXTS)


def test_the_page_speaks_german() -> None:
    german = translations()["de"]
    assert german["That is wrong"] == "Das stimmt nicht"
    assert all(german[text] for text in PAGE_TEXTS)


def test_translations_keep_their_places_for_facts() -> None:
    for text, translated in translations()["de"].items():
        assert set(re.findall(r"\{\w+\}", text)) == set(re.findall(r"\{\w+\}", translated))


def test_the_texts_cannot_break_out_of_their_place() -> None:
    class Texts(HTMLParser):
        found = ""
        here = False

        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            self.here = ("id", "texts") in attrs

        def handle_data(self, data: str) -> None:
            self.found += data if self.here else ""

    parser = Texts()
    parser.feed(page_document())
    assert json.loads(parser.found) == translations()


@pytest.mark.parametrize("name", ["index.html", *FILES])
def test_the_page_names_no_other_site(name: str) -> None:
    text = (PAGE / name).read_text("utf-8").replace("http://www.w3.org/2000/svg", "")
    assert not re.search(r"https?://|//[a-z]+\.[a-z]", text)
    assert "innerHTML" not in text
    assert "eval(" not in text
