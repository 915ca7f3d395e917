"""The ledger by touch in the real window: what it counts and shares, and what is owed marked as sung."""

from __future__ import annotations

import time

import pytest

from companion.i18n.wording import date_text
from tests.e2e.windows.driven import small_targets
from tests.e2e.windows.test_screens import SIZES, has, walk
from tests.support.owed_songs import AGO_S

SONG = "Once, Twice, Three Times A Shithead"
SAID = "I am the Shithead!"


def test_the_ledger_counts_the_last_evening_and_all() -> None:
    seen = walk("evening")
    assert has(seen["ledger"], "5 games played. The Shithead is Bob.")
    assert has(seen["ledger"], "3 of 5 lost")
    assert [has(seen["ledger"], name) for name in ("Tonight", "Last evening")] == [True, False]
    assert has(seen["ledger"], "due: Once, Twice, Three Times A Shithead")
    assert has(seen["ledger-all"], "4 of 7 lost")


def test_beside_the_losses_stands_how_many_came_in_a_row_or_that_there_was_none() -> None:
    """Bob has lost the last two games; one loss is no row, and Dan has lost none."""
    seen = walk("evening")
    for name, rows in seen["streaks"].items():
        assert rows == [["Bob", "2 losses in a row"], ["Ann", ""], ["Cat", ""], ["Dan", "never lost"]], name
        assert has(seen[name], "2 losses in a row")
        assert has(seen[name], "never lost")


def test_lines_of_equal_losses_are_all_seen_in_the_plot_of_the_night() -> None:
    """Before the second game three players had lost none, and before the first loss all four."""
    seen = walk("evening")
    assert {curve[0] for player, curve in seen["curves"].items() if player != "Ann"} == {0}
    assert seen["inks between the first games"] == dict.fromkeys(("Ann", "Bob", "Cat", "Dan"), True)


def test_who_never_lost_has_no_bar() -> None:
    bars = walk("evening")["bars"]
    assert bars["Dan"] == 0
    assert bars["Bob"] == pytest.approx(3 * bars["Ann"])


def test_a_page_thrown_in_a_slow_window_stops_at_its_end_and_another_evening_begins_at_its_top() -> None:
    seen = walk("evening")
    assert seen["thrown to"] == 0
    assert seen["all evenings from"] == 1


def test_the_ledger_is_shared_as_picture_table_and_text() -> None:
    seen = walk("evening")
    assert seen["png"][0] > 10_000
    assert seen["csv"][0].splitlines()[1].startswith("Bob,7,4,2,")
    assert "Bob" in seen["clipboard"]


def test_what_somebody_owes_is_marked_as_sung_with_two_taps_and_taken_back_with_a_third() -> None:
    seen = walk("sung")
    due = f"due: Library Boy × 4 · {SONG} · {SAID} →"
    assert has(seen["ledger"], due)
    assert has(seen["songs"], "Rituals of Bob")
    assert [text.splitlines()[1].split(" · ")[0] for text in seen["offered"]] == ["still due"] * 6
    assert seen["offered"][0] == "Library Boy\nstill due · game 1"
    assert seen["marked"] == "Library Boy\ndone · game 1"
    assert seen["ticked"] == [True, False, False, False, False, False]
    assert seen["kept"] == [[["Bob", "Library Boy", 1]], []]
    assert has(seen["ledger one sung"], due.replace("4", "3"))
    assert seen["reopened"][-1] == "Library Boy\ndone · game 1", "what is done lies below what is due"
    assert has(seen["ledger taken back"], due)


def test_what_cannot_be_kept_is_said_and_stays_due() -> None:
    closed, on, known, texts = walk("sung")["refused"]
    assert (closed, on, known) == (True, False, [])
    assert has(texts, "cannot be written: database is locked")
    assert has(texts, f"due: {SAID} →")
    small = walk("sung", (360, 640))["measured"]["refused"]
    assert small["cut"] == [], "though the store's path is long"


def test_what_is_sung_is_in_nothing_that_is_shared_and_the_row_says_that_nothing_is_due() -> None:
    seen = walk("sung")
    assert has(seen["ledger ann sung"], "✓ all done →")
    assert [line for line in seen["clipboard"].splitlines() if line.startswith("Ann")] == [
        "Ann         5       1       1"
    ]
    assert "Ann,5,1,1,\n" in seen["csv"]


def test_of_several_evenings_each_song_has_its_date() -> None:
    seen = walk("sung")
    assert has(seen["ledger all"], f"due: {SAID} →"), "of Ann's two one is sung"
    last = time.localtime(time.time() - AGO_S[-1])
    assert seen["dated"][0].startswith(f"{SAID}\nstill due · game 5, ")
    assert seen["dated"][1].startswith(f"{SAID}\ndone · game 5, {last.tm_mday} ")
    assert walk("sung")["headed"] == f"{date_text(time.mktime(last))}, The Red Lion"


def test_the_songs_are_large_enough_to_touch_and_whole() -> None:
    for size in SIZES:
        for language in ("", "-de"):
            measures = walk("sung", size)["measured"][f"songs{language}"]
            assert (small_targets(measures), measures["cut"], measures["outside"]) == ([], [], [])
            assert measures["faint"] == []
