"""A laptop's keyboard and mouse in the real window, in a process of its own."""

from __future__ import annotations

from tests.e2e.windows.driven import cut_texts, small_targets
from tests.e2e.windows.test_screens import PLAYERS, has, walk


def test_digits_and_letters_enter_cards_and_enter_plays_them() -> None:
    seen = walk("keyed")
    assert seen["entered"] == ["4C"]
    assert seen["removed"] == ["4C"], "Backspace takes the last card back"
    assert seen["opened"] == ["Bob", ["7"]], "the sheet of the player to play opens at a card's key"
    assert seen["ten"] == ["10"]


def test_undo_and_redo_by_key_and_by_touch_leave_the_game_as_it_was() -> None:
    seen = walk("keyed")
    assert seen["redone"] is True
    assert has(seen["undone twice"], "Redo")


def test_the_log_leads_back_to_any_line() -> None:
    seen = walk("keyed")
    assert has(seen["one event"], "Undo everything after this")
    assert seen["went back to"] == ["play", "draw"], "the draw that followed stays with its play"


def test_the_toolkits_settings_do_not_open_and_the_window_fills_the_screen_at_a_key() -> None:
    seen = walk("keyed")
    assert seen["foreign"] == []
    assert seen["fullscreen"] == [False, True, False]


def test_the_mouse_wheel_over_a_seat_scrolls() -> None:
    seen = walk("scrolled_over_a_seat")
    assert seen["scrolled"] is True
    assert seen["seated"] == [list(PLAYERS), "Dan"], "nobody has moved"


def test_what_can_be_touched_is_large_enough_beside_redo() -> None:
    for size in ((1280, 720), (360, 640)):
        measured = walk("keyed", size)["measured"]
        for look in ("undone twice", "one event"):
            assert small_targets(measured[look]) == []
            assert cut_texts(measured[look]) == []
