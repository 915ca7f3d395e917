"""Every word of the app can be said in German, and what ships is what was translated."""

from __future__ import annotations

import gettext
import string
from collections.abc import Iterator
from typing import Any

import pytest

from companion.i18n.catalogue import DOMAIN, _, locale_folder, ngettext, set_language
from companion.i18n.events import event_text
from companion.i18n.extract import translations, untranslated, updated
from companion.i18n.wording import card_name, demand_text

GERMAN = translations("de")
TEXTS = [entry for entry in GERMAN if entry.id]


@pytest.fixture(autouse=True)
def english_afterwards() -> Iterator[None]:
    yield
    set_language("en")


def forms(texts: Any) -> tuple[str, ...]:
    """Return a text, or its singular and plural."""
    return (texts,) if isinstance(texts, str) else tuple(texts)


def test_the_catalogue_has_every_text_of_the_source_and_a_translation() -> None:
    assert len(TEXTS) > 200
    assert {entry.id for entry in updated("de")} == {entry.id for entry in GERMAN}
    assert untranslated(GERMAN) == []


def test_translations_fill_in_the_same_gaps() -> None:
    for entry in TEXTS:
        text = forms(entry.id)[0]
        assert {frozenset(gaps(said)) for said in forms(entry.string)} == {frozenset(gaps(text))}, text


def gaps(text: str) -> set[str | None]:
    return {name for _text, name, _spec, _conversion in string.Formatter().parse(text) if name}


def test_the_compiled_catalogue_has_these_translations() -> None:
    compiled = gettext.translation(DOMAIN, str(locale_folder()), ["de"])
    for entry in TEXTS:
        if isinstance(entry.id, str):
            assert compiled.gettext(entry.id) == entry.string
        else:
            one, several = entry.id
            assert tuple(compiled.ngettext(one, several, n) for n in (1, 2)) == entry.string


def test_german_is_spoken_when_asked_for() -> None:
    assert set_language("de") == "de"
    assert _("Undo") == "Rückgängig"
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
