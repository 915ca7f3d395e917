"""Every screen of the window, driven by touch in a process of its own (see drive_app.py)."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest

from companion.store.store import Store
from companion.version import version
from tests.e2e.windows.driven import AS_PHONE, answer_of, cut_texts, small_targets
from tests.support.made_once import answered_once
from tests.support.owed_songs import owe_songs

HERE = Path(__file__).parent
PLAYERS = ("Ann", "Bob", "Cat", "Dan")
SIZES = ((1280, 720), (360, 640))
PHONE = SIZES[1]
"""Forms and sheets that look alike on all windows are walked through where they have the least room."""
_FOLDERS = ("CONFIG_HOME", "PICTURES_DIR", "VIDEOS_DIR", "DOCUMENTS_DIR")
LARGEST = (3840, 2160)
"""Looked at only for photographs: in software it is drawn too slowly for every run."""


def walk(scenario: str, size: tuple[int, int] = (1280, 720), type_scale: float = 1.0) -> dict[str, Any]:
    """Return what a scenario saw. It runs once, for all files of tests that ask."""
    name = f"walk-{scenario}-{size[0]}x{size[1]}-{type_scale}"
    return answered_once(name, lambda: walk_anew(scenario, *size, type_scale))


def walk_anew(scenario: str, width: int, height: int, type_scale: float) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="shithead-screens-") as home:
        return _walk_at_home(Path(home), scenario, width, height, type_scale)


def _walk_at_home(home: Path, scenario: str, width: int, height: int, type_scale: float) -> dict[str, Any]:
    """Run a scenario; with SHITHEAD_SCREENSHOTS set to a folder, every screen is photographed there."""
    store = home / ".local" / "share" / "shithead" / "evenings.sqlite"
    store.parent.mkdir(parents=True)
    fill(store, scenario)
    wanted = os.environ.get("SHITHEAD_SCREENSHOTS")
    pictures = [str(Path(wanted) / f"{scenario}-{width}x{height}")] if wanted else []
    folders = {"HOME": str(home), "XDG_DATA_HOME": str(store.parents[1])}
    folders |= {f"XDG_{kind}": str(home / kind) for kind in _FOLDERS}
    # A phone's small screen comes with what a phone lacks, and so does a whole game by touch.
    phone = AS_PHONE if width == 360 or scenario == "score" else {}
    return answer_of(
        HERE / "drive_app.py",
        [scenario, str(width), str(height), str(store), *pictures],
        {**folders, **phone, "KIVY_METRICS_FONTSCALE": str(type_scale)},
    )


def test_a_walk_leaves_nothing_in_the_folder_for_temporary_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(sys.modules[__name__], "answer_of", lambda *_: {"home": True})
    assert walk_anew("score", 1280, 720, 1.0) == {"home": True}
    assert list(tmp_path.iterdir()) == []


def fill(path: Path, scenario: str) -> None:
    now = time.time()
    clock = {"now": now - 90_000}
    with Store.open(path, clock=lambda: clock["now"]) as store:
        if scenario in ("evening", "refused_files"):
            for losers in (("Bob", "Ann"), ("Ann", "Bob", "Cat", "Bob", "Bob")):
                for loser in losers:
                    store.start_game("winnersh", PLAYERS)
                    store.append({"id": 1, "event": "draw", "player": "Cat", "t": 0})
                    store.finish(loser)
                clock["now"] = now - 4000
        if scenario in ("sung", "worded", "turned"):
            owe_songs(store, PLAYERS, clock)
        if scenario == "replayed":
            clock["now"] = now - 600
            store.start_game("winnersh", PLAYERS, dealer="Dan")
            line = {"id": 1, "event": "play", "player": "Bob", "cards": ["5C"], "t": 1}
            store.append({**line, "source": "hand", "decided_at": 1})
            store.finish("Cat")
        if scenario == "broken":
            clock["now"] = now - 600
            store.start_game("winnersh", PLAYERS, dealer="Dan")
            for number, (player, card) in enumerate((("Ann", "4C"), ("Bob", "9S")), start=1):
                line = {"id": number, "event": "play", "player": player, "cards": [card], "t": number}
                store.append({**line, "source": "hand", "decided_at": number})


def has(texts: list[str], wanted: str) -> bool:
    return any(wanted in text for text in texts)


def test_the_first_steps_are_shown_once() -> None:
    seen = walk("tour")
    assert has(seen["tour1"], "Practice: play 1 of 3")
    assert has(seen["tour3"], "Put a camera over the table")  # this is no phone
    assert seen["on a phone"] == "Put the phone over the table"
    assert seen["tours left"] == 0
    assert seen["toured"] is True


@pytest.mark.parametrize("size", SIZES)
def test_the_first_steps_are_three_guided_plays_by_touch(size: tuple[int, int]) -> None:
    seen = walk("tour", size)
    assert seen["asked"] == [
        "Ann begins with a 9. Tap Ann, then 9, then Plays 9.",
        "Bob puts a 5 on it, which is too low. Tap Bob and enter it all the same.",
        "The referee says which rule it breaks. You decide: Take it back.",
        "Bob plays a jack. Tap Bob and enter it.",
        "In truth it was a queen. Tap the ruling, then a queen.",
    ]
    assert seen["breach"] == ["Illegal", "Practice: play 2 of 3"]
    assert seen["kept"] == 0, "a practice game is stored nowhere"
    assert seen["behind it"] == "SetupScreen"
    for look in ("tour1", "tour2", "tour3"):
        assert small_targets(seen["measured"][look]) == []
        assert cut_texts(seen["measured"][look]) == []


def test_players_are_seated_by_drag_and_the_dealer_by_a_tap() -> None:
    seen = walk("seats")
    assert seen["seated"] == [["Ann", "Cat", "Bob", "Dan"], "Dan"]
    assert seen["put back"] == seen["seated"]
    assert seen["seated again"] == ["Dan", "Cat", "Bob", "Ann"]
    assert seen["scrolled by a drag of a name"] is False
    assert has(seen["dark"], "Dan deals.")


def test_the_camera_is_looked_through_before_the_game_and_judged_in_words() -> None:
    seen = walk("seats")
    assert seen["sources"][0].endswith("Camera 0")
    assert seen["sources"][-1].endswith("Camera 1")
    assert has(seen["seats"], "✓ The picture is good. 6 cards in view, 4 of 5 face-up cards recognised.")
    assert has(seen["dark"], "✗ Too dark: the table needs more light.")


def test_a_camera_that_cannot_be_opened_is_said_and_waited_for_no_longer() -> None:
    seen = walk("seats")["no such camera"]
    assert has(seen, "✗ camera 2: cannot be opened")
    assert has(seen, "The table, seen from above")
    assert not has(seen, "Opening")


def test_a_camera_is_let_go_once_another_or_none_is_chosen() -> None:
    assert walk("seats")["cameras"] == ["open 0", "close 0", "open 1", "close 1"]


def test_two_taps_enter_a_pick_up_a_burn_a_show_and_whose_it_was() -> None:
    """The first tap is the player's own field, the second says what they did."""
    seen = walk("screens")
    action, event = seen["entered pick_up"]
    assert (action, event["event"], event["player"]) == ("enter", "pick_up", "Cat")
    assert seen["entered burn"][1]["event"] == "burn"
    assert seen["entered exchange"][1]["event"] == "exchange", "too late, and entered all the same"
    shown = seen["entered show Dan"][1]
    assert (shown["event"], shown["cards"], shown["to"]) == ("show", ["3"], "Dan")
    action, number, event = seen["entered was"]
    assert (action, number, event["player"], event["cards"]) == ("correct", 8, "Cat", ["7H"])


def test_a_play_is_entered_by_tapping_the_cards() -> None:
    action, event = walk("screens")["entered play"]
    assert (action, event["player"], event["cards"], event["source"]) == ("enter", "Cat", ["9S", "9"], "hand")


def test_a_suit_without_a_rank_is_said_to_need_one() -> None:
    assert has(walk("screens")["a suit first"], "Tap the rank first, then the suit.")


def test_the_replay_on_a_phone_lays_nothing_over_the_picture() -> None:
    height, needed = walk("replayed", (360, 640))["column"]
    assert needed <= height + 1


def test_the_large_view_says_turn_demand_and_ruling_and_a_tap_leaves_it() -> None:
    seen = walk("screens")
    for words in ("Bartholomew to play", "7 or lower", "Illegal", "The 7 of hearts cannot go on a king"):
        assert has(seen["large"], words)
    assert seen["large closed"]


def test_the_large_view_forgets_a_ruling_that_was_taken_back() -> None:
    undone = walk("screens")["large undone"]
    assert has(undone, "No ruling yet")
    assert not has(undone, "The 7 of hearts cannot")
    assert not has(undone, "Illegal")


def test_without_a_camera_the_large_view_waits_for_no_deal() -> None:
    seen = walk("score")["score-large"]
    assert has(seen, "Who begins?")
    assert not has(seen, "Waiting for the deal")


@pytest.mark.parametrize("size", SIZES)
def test_the_large_type_can_be_read_from_two_metres_and_a_long_ruling_scrolls(size: tuple[int, int]) -> None:
    """In dp, whatever the window: see legible_dp."""
    seen = walk("screens", size)
    assert min(seen["large type"][name] for name in ("who", "need", "word")) >= 51
    assert seen["large type"]["says"] >= 32
    smallest, cut, scrolls = seen["large with a long ruling"]
    assert (smallest >= 32, cut, scrolls) == (True, False, size == (360, 640))
    assert seen["large scrolled to"] >= 0, "its last line is in sight"


def test_help_names_the_version_and_explains_the_words() -> None:
    about = walk("screens")["about"]
    assert has(about, f"Shithead Referee {version()}")
    assert has(about, "Nothing leaves this device.")
    assert has(about, "taking the play pile out of the game")


def test_the_log_lists_all_or_only_what_was_illegal() -> None:
    seen = walk("screens")
    assert has(seen["log"], "8 events, 1 breach")
    assert seen["illegal rows"] == [8]


def test_an_evening_is_gone_through_step_by_step_with_the_table_as_it_stood() -> None:
    seen = walk("replayed")
    heading, what, pile, turn, picture = seen["first"]
    assert heading.startswith("Game 2 of 2 · Event 1 of ")
    assert (what.split("  ")[1], pile, turn, picture) == ("Ann plays 4", ["4"], "Bob", False)
    heading, what, pile, turn, picture = seen["third"]
    assert (what.split("  ")[1], pile, turn, picture) == ("Bob plays 9", ["4", "9"], "Cat", True)
    assert seen["last"][2:4] == [["4", "9", "6"], "Dan"]
    assert seen["earlier game"][:4] == ["Game 1 of 2 · Event 1 of 1", "0:01  Bob plays 5♣", ["5C"], "Cat"]


def test_pictures_of_rulings_are_kept_from_the_moment_they_are_switched_on() -> None:
    assert walk("replayed")["keeps"] is True


def test_a_deck_is_enrolled_in_any_order_with_what_is_still_missing() -> None:
    seen = walk("enrolled")
    assert "letters, digits" in seen["refused"]
    assert has(seen["enrolling"], "3 of 52 recognised, 4 shown")
    missing = next(text for text in seen["enrolling"] if "Still missing:" in text)
    assert "♣  A 3 4 5 6 7 8 9 10 J Q K" in missing
    assert "♥  A 2 3 4" in missing
    assert has(seen["enrolled"], "3 cards enrolled; 1 not recognised")
    assert seen["forgotten"]


def test_a_deck_is_chosen_on_the_form_as_soon_as_it_is_enrolled_and_until_it_is_forgotten() -> None:
    seen = walk("enrolled")
    both = ["Any deck", "pub"]
    any_deck, pub = [both, ["Any deck"], None, False], [both, ["pub"], "pub", True]
    assert seen["decks"] == [any_deck, pub, any_deck, pub]
    assert seen["previewed with"] == ["pub", None, "pub"], "the picture is read as the game will be"
    assert seen["deck forgotten"] == [[], [], None, False]
    measures = seen["measured"]["which deck"]
    assert (small_targets(measures), measures["cut"]) == ([], [])


def test_can_i_play_this_is_answered_on_the_pile_of_the_game_with_the_sentence() -> None:
    seen = walk("screens")
    assert has(seen["ask"], "✗  Illegal")
    assert has(seen["ask"], "The king cannot go on a 7: 7 or lower is needed.")
    assert has(seen["ask"], "Winnersh §5")
    free = walk("evening")["ask-free"]
    assert has(free, "The 4 cannot go on a 9: equal or higher is needed.")


def test_everything_can_be_backed_up_and_at_the_second_tap_erased() -> None:
    seen = walk("evening")
    assert seen["backups"][0].endswith(".sqlite")
    assert has(seen["erase-asks"], "Nochmals tippen")
    assert seen["still there"]
    assert seen["erased"]


def test_nothing_is_erased_and_no_game_ended_while_another_program_plays() -> None:
    seen = walk("kept")
    assert has(seen["erase refused"], "end it first")
    assert has(seen["erase refused"], "Erase this file")
    assert seen["plays on"] == [True, True]


def test_erasing_says_what_it_takes() -> None:
    assert has(walk("kept")["backups"], "Decks, settings and logs stay")


def test_a_backup_is_put_back_at_the_second_tap() -> None:
    seen = walk("kept")
    assert has(seen["backups"], "· 1 game")
    assert has(seen["put back asks"], "Tap again to restore it")
    assert has(seen["put back asks"], "Erase this file")
    assert has(seen["put back"], "The backup is restored.")
    assert len(seen["set aside"]) == 1
    assert seen["session after"] is False


@pytest.mark.parametrize("size", SIZES)
def test_the_sample_film_is_called_a_demonstration_and_leads_to_a_game_of_ones_own(
    size: tuple[int, int],
) -> None:
    seen, at = walk("demonstration"), f"{size[0]}x{size[1]}"
    assert has(seen[f"demonstration-en {at}"], "Demonstration: the sample film")
    assert has(seen[f"demonstration-de {at}"], "Vorführung: der Beispielfilm")
    assert seen["own"] == [None, False, True]
    for language in ("en", "de"):
        measures = seen["measured"][f"demonstration-{language} {at}"]
        assert small_targets(measures) == []
        assert [text for text in measures["cut"] if "film" in text] == []


def test_learning_the_deck_during_play_is_switched_off_where_the_decks_are() -> None:
    seen = walk("evening")
    assert has(seen["deck-de"], "Das Blatt beim Spielen lernen")
    assert seen["learns"] is False


def test_type_grows_at_a_tap_and_the_size_is_remembered() -> None:
    seen = walk("evening")
    times, chips, kept = seen["largest type"]
    assert (times, chips, kept) == (pytest.approx(1.6), ["largest"], "largest")
    assert seen["usual type"] == 1.0


def test_the_language_changes_at_a_tap_and_is_remembered() -> None:
    seen = walk("evening")
    assert has(seen["more-de"], "Sprache")
    assert has(seen["tonight-de"], "Heute Abend")
    assert has(seen["rules-de"], "Was worauf geht")
    assert has(
        seen["rules-de"], "„Wer die schwächste Karte auf der Hand hat, ist zuerst am Zug.“ (Winnersh §4.1)"
    )
    assert seen["language"] == "de"


def test_the_voice_is_off_until_it_is_switched_on() -> None:
    assert walk("evening")["speaks"] is True


def test_a_game_is_scored_and_ruled_without_a_camera() -> None:
    seen = walk("score")
    assert has(seen["score-start"], "Tap the player who begins")
    assert has(seen["score-start"], "No camera. Tap a player to enter what they do")
    assert has(seen["score-over"], "Game over")
    for name in ("score-start", "score-illegal", "score-over"):
        assert (seen["measured"][name]["faint"], seen["measured"][name]["cut"]) == ([], []), name
    assert has(seen["score-said"], "Entered:")
    assert seen["said beside the button"] == [True, False]
    assert not has(seen["score-illegal"], "Entered:"), "what lies over the picture goes by"
    assert seen["verdicts"][0] == "legal"
    assert "illegal" in seen["verdicts"]
    assert has(seen["score-illegal"], "The 6 cannot go on a 9: equal or higher is needed.")
    assert seen["after undo"] == ["4", "9"]
    assert seen["after pick-up"] == ["Dan", 5]
    assert has(seen["correct-over"], "If a card is left, it did not happen.")
    assert seen["after denial"] == "out"
    assert seen["loser"] == "Dan"


def test_after_a_game_the_next_one_is_two_taps_away_with_the_dealer_moved_on() -> None:
    seen = walk("score")
    assert has(seen["score-over"], "Dan is the Shithead")
    assert seen["next dealer"] == "Ann"
    assert seen["after two taps"] == [list(PLAYERS), "Ann", None]


def test_before_a_camera_the_next_deal_begins_the_next_game() -> None:
    seen = walk("next_deal", (360, 640))
    assert seen["over"] == "New game", "who wants to play otherwise gets to the form"
    assert has(seen["deal awaited"], "the next deal starts a new game: Bob deals")
    assert has(seen["deal awaited"], "Deal the next game"), "for as long as it is awaited"
    assert not has(seen["new game"], "Deal the next game")
    assert seen["sheet before"] == "Ann is out"
    assert seen["banner"] == ["New game", "Bob deals. Rulings appear here."]
    assert has(seen["new game"], "a new game has begun: Bob deals")
    assert has(seen["new game"], "Who begins?"), "the cards are dealt, and hands are hidden"
    assert seen["goes on"] == [False, "Pause", "Bob"]
    assert seen["cells"] == ["Up K♠ 2♣ 7♣ · Down 3", "Up 8♦ Q♣ 3♦ · Down 3"]
    assert seen["log"] == ["The cards are dealt"]
    assert seen["ledger"] == [["Bob", "1 of 1 lost"], ["Ann", "0 of 1 lost"]]
    for name in ("deal awaited", "new game"):
        assert (seen["measured"][name]["cut"], seen["measured"][name]["outside"]) == ([], []), name


def test_a_game_that_was_broken_off_goes_on_at_a_tap() -> None:
    seen = walk("broken")
    assert has(seen["broken"], "A game of Ann, Bob, Cat, Dan was interrupted at")
    assert (seen["pile"], seen["turn"]) == (["4C", "9S"], "Cat")
    assert has(seen["resumed"], "Cat to play")


@pytest.mark.parametrize("size", (*SIZES, LARGEST) if os.environ.get("SHITHEAD_SCREENSHOTS") else SIZES)
def test_everything_to_touch_is_large_enough_and_no_text_is_cut(size: tuple[int, int]) -> None:
    """A name may be cut, and so may a path: both are said in full elsewhere."""
    check_measures(walk("screens", size)["measured"])


def check_measures(measured: dict[str, Any]) -> None:
    assert len(measured) > 12
    for name, measures in measured.items():
        assert small_targets(measures) == [], name
        assert measures["outside"] == [], name
        assert measures["faint"] == [], name
        assert cut_texts(measures) == [], name


def test_every_screen_and_a_game_by_touch_need_nothing_that_a_phone_lacks() -> None:
    for seen in (walk("score"), walk("screens", (360, 640))):
        assert (seen["runs on"], seen["not on a phone"]) == ("opencv", [])
