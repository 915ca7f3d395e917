"""The numbers that the README quotes are those in `docs/measured`, of which the page of results is made."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from datasets.measuring.results.film_tables import number
from datasets.measuring.results.page import read_measured

ROOT = Path(__file__).parents[2]
MEASURED = read_measured(ROOT / "docs" / "measured")
TABLE = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in (ROOT / "README.md").read_text("utf-8").split("## Measured")[1].split("\n## ")[0].splitlines()
    if line.startswith("| ") and not line.startswith("| what |")
]
OF_THE_SAMPLE = "the film that ships"
"""What its row says comes from two commands that take seconds; no file of measures has it."""


def at(path: str, form: str = ".0f", times: float = 1) -> str:
    value = MEASURED.value(path)
    assert value is not None, path
    return number(value * times, form)


def film(field: str, form: str = ".3f", times: float = 1, who: str = "watch") -> str:
    return at(f"films/overall/{who}/{field}", form, times)


def photo(name: str, field: str, form: str = ".3f", times: float = 1) -> str:
    return at(f"photos/{name}/{field}", form, times)


def cards(name: str) -> int:
    count: int = MEASURED.photos[name]["cards"]
    return count


def found(name: str, field: str = "recall") -> str:
    """So many of a set's cards, of how many."""
    return f"{photo(name, field, '.0f', cards(name))} of {cards(name)}"


def others(name: str) -> str:
    """So many were found where no card of the set lies."""
    of_set = MEASURED.photos[name]
    right = cards(name) * of_set["recall"]
    return f"{right / of_set['precision'] - right:.0f}"


def bench(what: str, form: str = ".0f") -> str:
    return at(f"benchmarks/{what}/value", form)


def in_words(what: str) -> str:
    return {"0": "no", "12": "all twelve"}[bench(what)]


QUOTED: dict[str, Callable[[], tuple[str, ...]]] = {
    "cards on six photos": lambda: (
        f"{found('vpo_table', 'identity_right')} face-up cards found and named",
        f"{found('vpo_table_down')} face-down piles (and {others('vpo_table_down')} that are none)",
    ),
    "coarse photos from above": lambda: (
        f"{found('jaxon411', 'identity_right')} found and their ranks right",
        f"{found('jaxon411_down')} face-down ones found",
        f"{found('yuchenrao_single', 'identity_right')} named"
        f" (and {others('yuchenrao_single')} that are none, "
        f"{photo('yuchenrao_single', 'confidently_wrong', '.0f')} of them surely)",
        f"{found('alvaro_corners', 'identity_right')} named rightly, {others('alvaro_corners')} wrongly",
    ),
    "a card named where one lies face down": lambda: (
        f"of {sum(cards(name) for name in ('vpo_table_down', 'jaxon411_down', 'evan_backs'))}",
    ),
    "close photos": lambda: (
        f"precision {photo('rf100_valid', 'precision')}, recall {photo('rf100_valid', 'recall')}",
    ),
    "chaotic piles": lambda: tuple(
        f"{field} {photo('laptopcam_piles', field, '.2f')} / {photo('bidly_fans', field, '.2f')}"
        for field in ("precision", "recall")
    ),
    "decks that no network was trained on": lambda: (
        f"{photo('held_out', 'identity_right', '.1f', 100)} % of {cards('held_out'):,} named rightly",
        f"{photo('held_out', 'confidently_wrong_share', '.1f', 100)} % surely but wrongly",
        f"with the deck enrolled {photo('held_out+deck', 'identity_right', '.1f', 100)} %",
    ),
    "forty films": lambda: (
        f"events {film('recall')} / {film('precision')}",
        f"F1 {film('f1')} (plain baseline {film('f1', who='baseline')})",
        f"{film('illegal_found', '.0f', 80)} of {film('illegal_true', '.0f')}",
        f"{film('false_alarms_per_game', '.2f')} false alarms a game",
        f"right player {film('player_right', '.0f', 100)} %",
        f"{film('games_right', '.0f', 40)} of {film('films', '.0f')} games needed no correction",
        f"ruling {film('delay_median_s', '.2f')} s after the cards rest (median),"
        f" {film('delay_p95_s', '.2f')} s (95th percentile)",
        f"{bench('watching_times_real_time', '.1f')} times real time",
    ),
    "an evening of twelve whole games by film": lambda: (
        f"{in_words('film_evening_lines_lost')} line lost,",
        f"{in_words('film_evening_games_tallied')} tallied right",
    ),
    "hands dealing blackjack": lambda: (
        f"{in_words('false_events_busy_table')} event in either",
        f"{in_words('false_events_other_game')} event in either",
    ),
    "an evening of twelve games by touch": lambda: (
        f"{in_words('touch_evening_games_tallied')} tallied right",
    ),
    "the program killed in mid-game": lambda: (
        f"{bench('kills')} kills",
        f"{in_words('kills_that_lost')} event that had been shown was lost",
    ),
    "games by random players": lambda: (
        f"{bench('random_games_per_s')} four-player Winnersh games/s",
        f"{bench('acts_per_s', ',.0f')} acts/s; {bench('ruling_us', '.1f')} µs",
    ),
}
"""By how a row of the table begins: what must stand in its last cell."""


@pytest.mark.parametrize("row", TABLE, ids=[row[0][:40] for row in TABLE])
def test_a_number_of_the_readme_is_the_one_that_was_measured(row: list[str]) -> None:
    what, *_, says = row
    if what.startswith(OF_THE_SAMPLE):
        return
    (wanted,) = (quoted for start, quoted in QUOTED.items() if what.startswith(start))
    assert [words for words in wanted() if words not in says] == []


def test_no_row_of_the_readme_is_held_against_nothing() -> None:
    begun = [start for start in (*QUOTED, OF_THE_SAMPLE) if any(row[0].startswith(start) for row in TABLE)]
    assert len(begun) == len(QUOTED) + 1 == len(TABLE)
