"""Names in Arabic and Hebrew come in the order of drawing, with joined letters."""

from __future__ import annotations

import unicodedata

import pytest

from companion.i18n.right_to_left import as_drawn, plain_form


@pytest.mark.parametrize(
    ("name", "forms"),
    [
        ("عمر", ["REH FINAL", "MEEM MEDIAL", "AIN INITIAL"]),
        ("دانا", ["ALEF FINAL", "NOON INITIAL", "ALEF ISOLATED", "DAL ISOLATED"]),
        ("سلام", ["MEEM ISOLATED", "LIGATURE LAM WITH ALEF FINAL", "SEEN INITIAL"]),
        ("پری", ["FARSI YEH ISOLATED", "REH FINAL", "PEH INITIAL"]),
    ],
)
def test_each_arabic_letter_has_the_form_that_its_neighbours_ask_for(name: str, forms: list[str]) -> None:
    drawn = as_drawn(name)
    named = [unicodedata.name(c).replace("ARABIC ", "").replace("LETTER ", "") for c in drawn]
    assert [one.replace(" FORM", "") for one in named] == forms


def test_other_scripts_around_a_name_stay_in_their_order() -> None:
    assert as_drawn("Enter שלום בר’s turn") == "Enter רב םולש’s turn"
    assert as_drawn("שלום 2") == "םולש 2"
    assert as_drawn("Zoë 李") == "Zoë 李"


def test_a_mark_stays_on_its_letter() -> None:
    drawn = as_drawn("مُنى")
    assert drawn.index("\u064f") == len(drawn) - 1, "behind the letter that it stands on, which is drawn last"
    assert unicodedata.name(drawn[-2]) == "ARABIC LETTER MEEM INITIAL FORM"


def test_a_font_without_joined_forms_draws_the_plain_letters() -> None:
    assert "".join(map(plain_form, as_drawn("سلام"))) == "مالس"
    assert plain_form("a") == "a"
