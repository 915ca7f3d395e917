"""Every word of the app can be said in German, and what ships is what was translated."""

from __future__ import annotations

import string
from collections.abc import Iterator
from pathlib import Path

import pytest

from companion.i18n import catalogue as i18n
from companion.i18n.catalogue import _, ngettext, set_language
from companion.i18n.events import event_text
from companion.i18n.extract import all_texts, compiled, read_po, write_po
from companion.i18n.wording import card_name, demand_text

PO = i18n.locale_folder() / "de" / "LC_MESSAGES" / "shithead.po"


@pytest.fixture(autouse=True)
def english_afterwards() -> Iterator[None]:
    yield
    set_language("en")


def test_every_marked_text_has_a_translation() -> None:
    texts, translations = all_texts(), read_po(PO)
    assert len(texts) > 200
    assert [text for text in texts if not all(translations.get(text, ("",)))] == []
    assert sorted(set(translations) - set(texts)) == []
    assert [t for t, plural in texts.items() if plural and len(translations[t]) != 2] == []


def test_translations_fill_in_the_same_gaps() -> None:
    for text, said in read_po(PO).items():
        for one in said:
            assert gaps(one) == gaps(text), text


def gaps(text: str) -> set[str | None]:
    return {name for _text, name, _spec, _conversion in string.Formatter().parse(text) if name}


def test_the_compiled_catalogue_is_that_of_the_translations() -> None:
    assert PO.with_suffix(".mo").read_bytes() == compiled("de", all_texts(), read_po(PO))


def test_german_is_spoken_when_asked_for() -> None:
    assert set_language("de") == "de"
    assert _("Undo") == "Zurück"
    assert ngettext("{n} card", "{n} cards", 1) == "1 Karte"
    assert ngettext("{n} card", "{n} cards", 3) == "3 Karten"
    assert card_name("9S") == "Pik 9"
    assert demand_text("queen or higher, red") == "Dame oder höher, rot"
    assert event_text({"event": "pick_up", "player": "Ann", "cards": ["9S"]}) == "Ann nimmt 1 Karte auf"


@pytest.mark.parametrize(("lang", "spoken"), [("de_AT.UTF-8", "de"), ("fr_FR.UTF-8", "en"), ("C", "en")])
def test_the_language_follows_the_system_where_it_can(
    lang: str, spoken: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("LC_ALL", "LC_MESSAGES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", lang)
    assert set_language("auto") == spoken


def test_a_catalogue_can_be_written_and_read_back(tmp_path: Path) -> None:
    texts = {'a "quoted"\nline': None, "{n} hat": "{n} hats"}
    translations = {'a "quoted"\nline': ("ein\t„Zitat“",), "{n} hat": ("{n} Hut", "{n} Hüte")}
    write_po(tmp_path / "x.po", "de", texts, translations)
    assert read_po(tmp_path / "x.po") == translations
