"""The numbers in the README are those in `docs/measured`, which also feed the page of results."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from datasets.measuring.results.film_tables import number
from datasets.measuring.results.page import read_measured

ROOT = Path(__file__).parents[2]
MEASURED = read_measured(ROOT / "docs" / "measured")
SECTION = (ROOT / "README.md").read_text("utf-8").split("## Six numbers")[1].split("\n## ")[0]
TABLE = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in SECTION.splitlines()
    if line.startswith("| ") and not line.startswith("| what |")
]


def at(path: str, form: str = ".0f", times: float = 1) -> str:
    value = MEASURED.value(path)
    assert value is not None, path
    return number(value * times, form)


def film(field: str, form: str = ".3f", times: float = 1, who: str = "watch") -> str:
    return at(f"films/overall/{who}/{field}", form, times)


def level(number_of: int) -> str:
    return at(f"people/conditions/company/whole people: level {number_of}/watch/f1", ".2f")


QUOTED: dict[str, Callable[[], tuple[str, ...]]] = {
    "events of seventeen films of whole people": lambda: (
        f"{level(3)}, {level(2)}, {level(1)} and {level(0)} (a simple rule",
        f"reaches {at('people/overall/baseline/f1', '.2f')})",
    ),
    "events of ten lively films": lambda: (
        f"{at('lively/overall/watch/f1', '.2f')} (a simple rule",
        f"reaches {at('lively/overall/baseline/f1', '.2f')})",
    ),
    "cards found in photos of untidy piles": lambda: (
        f"{at('photos/laptopcam_piles/recall', '.0f', 100)} % (",
        f"({at('photos/laptopcam_piles/precision', '.0f', 100)} % of the reported cards",
    ),
    "events of forty polite films": lambda: (
        f"{film('f1')} (a simple rule reaches {film('f1', who='baseline')})",
    ),
    "breaches in those forty films": lambda: (
        f"{film('illegal_found', '.0f', 80)} of {film('illegal_true', '.0f')} found",
        f"{film('false_alarms_per_game', '.2f')} false alarms per game",
    ),
    "time from the last movement to the ruling": lambda: (
        f"half within {film('computed_median_s', '.2f')} s, 95 % within {film('computed_p95_s', '.2f')} s",
    ),
}
"""For the start of each row of the table: the words that its second cell must hold."""


@pytest.mark.parametrize("row", TABLE, ids=[row[0][:40] for row in TABLE])
def test_a_number_of_the_readme_is_the_one_that_was_measured(row: list[str]) -> None:
    what, says, _ = row
    (wanted,) = (quoted for start, quoted in QUOTED.items() if what.startswith(start))
    assert [words for words in wanted() if words not in says] == []


def test_every_row_of_the_readme_is_checked() -> None:
    assert len(TABLE) == len(QUOTED) == 6


def test_the_readme_names_the_hardest_condition_before_its_numbers() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    before = " ".join(text.split("## Six numbers")[0].split())
    assert "It follows a game only in part if people lean, drink or rest their hands on the table." in before
    assert "In these forty films, arms appear only to play." in " ".join(SECTION.split())
    assert "whole people" in TABLE[0][0], "the hardest condition comes first"
    assert at("people/films") == "17"
    assert at("lively/films") == "10"
    assert at("lively/overall/watch/false_alarms_per_game", ".1f") == "0.2"
    assert "In these ten games, honest players were accused twice." in " ".join(SECTION.split())
    assert "Most of their errors were then fixed." in " ".join(SECTION.split())


def test_the_numbers_of_how_it_sees_are_those_that_were_measured() -> None:
    page = (ROOT / "docs" / "how-it-sees.md").read_text("utf-8")
    unknown, enrolled = (at(f"photos/held_out{deck}/identity_right", ".1f", 100) for deck in ("", "+deck"))
    right = at("photos/vpo_table/identity_right", ".0f", MEASURED.photos["vpo_table"]["cards"])
    quoted = (
        f"an unchanged frame takes {at('benchmarks/unchanged_frame_of_a_game_ms/value', '.2f')} ms",
        f"all {right} face-up cards in photos of whole tables",
        f"{unknown} % of the cards of unknown decks",
        f"from {unknown} % to {enrolled} %",
        f"{at('photos/laptopcam_piles/recall', '.0f', 100)} % of the cards in untidy piles",
        f"all {at('films/events/deal/watch/matched')} deals in polite films",
        f"F1 {film('f1')} in polite films",
    )
    assert [words for words in quoted if words not in " ".join(page.split())] == []
    assert film("player_right") == "1.000"
