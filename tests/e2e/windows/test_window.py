"""The window, driven by touch in a process of its own (see drive_window.py)."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest

from companion.sources.cameras import sample_film
from tests.e2e.windows.driven import cut_texts, drive, small_targets
from tests.support.excerpt import write_excerpt
from tests.support.polite_film import polite_film

SIZES = ((1280, 720), (400, 860), (860, 400), (1024, 768), (1920, 1080))


def test_shows_the_ruling_in_words_with_its_sentence_and_citation() -> None:
    sign, word, what, says, quote = drive("look")["start"]["banner"]
    assert (sign, word, what) == ("✗", "Illegal", "Ann plays 7♥")
    assert says == "The 7 of hearts cannot go on a king: equal or higher is needed."
    assert quote.startswith("“A playable card is one with")
    assert quote.endswith("— Winnersh §5")


def test_shows_whose_turn_it_is_the_pile_and_what_may_be_played() -> None:
    seen = drive("look")["start"]
    assert seen["turn"] == [
        "Bartholomew to play",
        "↻ clockwise",
        "7 or lower",
        "5 on the pile\n12 to draw · 2 burned",
    ]
    assert seen["pile"] == ["4S", "9S", "9D", "KH", "7H"]
    assert seen["playable"] == ["2", "4", "5", "6", "7"]


def test_the_screen_stays_awake_and_a_keyboard_covers_nothing_that_is_written() -> None:
    assert drive("look")["window"] == {"sleeps": False, "keyboard": "below_target"}


def test_names_the_players_round_the_picture_and_rings_whose_turn_it_is() -> None:
    ring = drive("look")["start"]["ring"]
    assert [name for name, (_text, to_play, *_place) in ring.items() if to_play] == ["Bartholomew"]
    assert ring["Bartholomew"][0] == "Bartholomew ↻"
    (ann, bart, cat, dan) = (ring[name][2:] for name in ("Ann", "Bartholomew", "Cat", "Dan"))
    assert ann[1] < bart[1] < cat[1], "the first at the bottom edge"
    assert bart[0] < ann[0] < dan[0], "then clockwise, as seen from above"


def test_names_the_cards_in_the_picture() -> None:
    """A face-down card has no name, an uncertain one its probability, one of the ruling its sign."""
    assert drive("look")["start"]["names"] == ["K♥", "✗ 7♥", "K♦", "2♣ 71%", "?"]


def test_shows_hands_pick_ups_and_burns_of_each_player() -> None:
    cells = drive("look")["start"]["cells"]
    assert cells["Bartholomew"] == [
        "▶ Bartholomew",
        "3 in hand",
        "Up 10♥ 10♠ ? · Down 3",
        "Pick-ups 0 · Burns 0",
    ]
    assert cells["Cat"][1] == "11 in hand"
    assert cells["Cat"][3] == "Pick-ups 1 · Burns 0"
    assert cells["Dan"] == ["Dan", "? in hand", "Up none · Down ?", "Pick-ups 0 · Burns 1"]


def test_lists_every_event_the_newest_first() -> None:
    log = drive("look")["start"]["log"]
    assert len(log) == 8
    assert log[0].startswith("Ann plays 7")
    assert log[-1] == "The cards are dealt"


def test_undo_and_pause_by_touch() -> None:
    seen = drive("look")
    assert seen["undone"]["asked"] == [["start"], ["undo"]]
    assert seen["undone"]["toast"].startswith("Undone: Ann plays 7")
    assert seen["undone"]["banner"][2] == "Dan plays 10♣"
    assert seen["paused"]["asked"][-1] == ["pause", True]
    assert seen["paused"]["pause"] == "Resume"
    assert seen["going on"]["asked"][-1] == ["pause", False]
    assert seen["going on"]["pause"] == "Pause"


def test_two_taps_put_a_misread_card_right() -> None:
    """The row of the event, then the card; the sheet closes by itself."""
    seen = drive("corrections")
    assert seen["sheet"]["sheet"]["heading"] == "Ann plays 7♥"
    assert "7 of hearts" in seen["sheet"]["sheet"]["hint"]
    action, event_id, event = seen["card"]["asked"][-1]
    assert (action, event_id, event["cards"], event["player"]) == ("correct", 8, ["8S"], "Ann")
    assert event["confidence"] == 1.0
    assert seen["card"]["sheet"] is None


def test_it_was_another_player_or_it_never_happened() -> None:
    seen = drive("corrections")
    assert seen["player"]["asked"][-1][2]["player"] == "Cat"
    assert seen["player"]["asked"][-1][2]["cards"] == ["7H"]
    assert seen["struck"]["asked"][-1] == ["correct", 8, None]
    assert seen["closed"]["asked"] == seen["struck"]["asked"]
    assert seen["closed"]["sheet"] is None


def test_the_cards_of_a_set_are_put_right_one_after_the_other() -> None:
    seen = drive("corrections")
    assert seen["first"]["asked"][-1][2]["cards"] == ["8S", "9D"]
    assert "9 of diamonds" in seen["first"]["sheet"]["hint"]
    assert seen["second"]["asked"][-1][2]["cards"] == ["8S", "8D"]


def test_a_card_that_was_missed_is_added_and_one_that_was_not_there_is_taken_away() -> None:
    seen = drive("missed_cards")
    assert seen["adding"]["sheet"]["cards"] == ["7H", "??"]
    assert seen["adding"]["asked"][-1] == ["start"], "nothing is changed before a card is named"
    action, number, event = seen["added"]["asked"][-1]
    assert (action, number, event["cards"], event["t"]) == ("correct", 8, ["7H", "7D"], 61.4)
    assert seen["added"]["sheet"]["cards"] == ["7H", "7D"], "the sheet stays: there may be more"
    assert seen["taken away"]["asked"][-1][2]["cards"] == ["7H"]


@pytest.mark.parametrize("size", [(1280, 720), (360, 640), (640, 360)])
def test_a_pick_up_of_twenty_cards_is_put_right_by_scrolling_and_a_joker_may_be_among_them(
    size: tuple[int, int],
) -> None:
    seen = drive("missed_cards", *size)
    sheet, strip, cards = seen["strip"]
    assert strip < sheet < cards
    assert seen["joker"]["asked"][-1][2]["cards"][:2] == ["JOKER", "2D"]
    for measures in (seen["measures"], seen["many"]):
        assert small_targets(measures) == []


def test_who_it_was_is_told_by_a_tick_and_may_be_said_where_nobody_was_seen() -> None:
    players = drive("missed_cards")["adding"]["sheet"]["players"]
    assert [text.partition(" ")[2] for text in players if "✓" in text] == ["Ann"]
    nobody = drive("questions")["nobody"]["sheet"]["players"]
    assert nobody == ["Ann", "Bartholomew", "Cat", "Dan"]


def test_a_breach_that_is_proven_late_is_ruled_illegal_with_its_sentence() -> None:
    sign, word, _, says, quote = drive("questions")["late"]["banner"]
    assert (sign, word, says) == ("✗", "Illegal", "Ann could have played her king.")
    assert quote.endswith("Winnersh §5")


def test_a_source_that_fails_says_why() -> None:
    assert drive("states")["failed"]["phase"] == "camera 7: cannot be opened (no such camera or stream)"


def test_a_camera_that_is_lost_is_said_for_good_and_one_tap_leads_to_another() -> None:
    seen = drive("states")
    later = seen["failed and put right"]
    assert later["phase"] == seen["failed"]["phase"]
    assert later["toast"] == "Removed"
    assert seen["failed"]["pause"] == "Choose a source"
    assert (seen["form"], seen["form again"]) == (1, 2)
    assert (seen["ended"]["phase"], seen["ended"]["toast"] != seen["ended"]["phase"]) == (
        "The film has ended",
        True,
    )


def test_a_pause_is_said_over_the_picture_until_it_ends() -> None:
    seen = drive("look")
    assert (seen["paused"]["phase"], seen["paused"]["pause"]) == ("Paused", "Resume")
    assert seen["going on"]["phase"] == ""


def test_where_the_game_is_lost_from_sight_the_last_ruling_makes_room_for_that() -> None:
    _, word, what, says, _ = drive("states")["lost"]["banner"]
    assert (word, what) == ("Lost track", "")
    assert "have moved" in says


def test_before_the_deal_nothing_is_claimed() -> None:
    seen = drive("states")["empty"]
    assert seen["banner"][1] == "Watching"
    assert seen["turn"][0] == "Waiting for the deal"
    assert seen["turn"][2] == ""
    assert seen["undo_disabled"]


def test_unproven_is_neither_green_nor_red_and_says_what_is_missing() -> None:
    seen = drive("states")["over"]
    assert seen["banner"][:2] == ["?", "Not proven"]
    assert "whether Dan holds a king or an ace" in seen["banner"][3]
    assert seen["turn"][0] == "Dan is the Shithead"
    assert seen["cells"]["Cat"][1] == "out"


@pytest.mark.parametrize("size", SIZES)
def test_everything_to_touch_is_large_enough(size: tuple[int, int]) -> None:
    measures = drive("sizes")[f"ordinary {size[0]}x{size[1]}"]
    assert measures["size"] == list(size)
    assert len(measures["targets"]) > 3
    assert small_targets(measures) == []


@pytest.mark.parametrize("size", [(1280, 720), (400, 860), (860, 400), (360, 640), (640, 360)])
def test_the_cards_to_choose_from_are_large_enough(size: tuple[int, int]) -> None:
    """The sheet is turned to each of these sizes while it is open."""
    measures = drive("corrections")[f"measures {size[0]}x{size[1]}"]
    assert sum(target[0] == "CardChoice" for target in measures["targets"]) == 52
    assert small_targets(measures) == []


@pytest.mark.parametrize("size", SIZES)
def test_ordinary_texts_are_not_cut(size: tuple[int, int]) -> None:
    measures = drive("sizes")[f"ordinary {size[0]}x{size[1]}"]
    assert cut_texts(measures) == []
    assert measures["outside"] == []


@pytest.mark.parametrize("size", SIZES)
def test_long_names_and_rulings_stay_inside_their_fields(size: tuple[int, int]) -> None:
    measures = drive("sizes")[f"long {size[0]}x{size[1]}"]
    assert any("Maximiliane" in text for text in measures["cut"])
    assert measures["outside"] == []


FIELDS = [(size, scale) for size in ("412x892", "892x412", "1280x720") for scale in (1.0, 1.3, 1.6)]


@pytest.mark.parametrize(("size", "scale"), FIELDS)
def test_a_players_name_and_hand_stand_whole_beside_each_other(size: str, scale: float) -> None:
    seen = drive("player_fields")[f"ordinary {size} {scale}"]
    assert cut_texts(seen) == []
    for field in seen["fields"]:
        assert [re.sub(r"\[/?font[^]]*]", "", text) for text in field["shown"]] == field["said"]
        assert_apart(field)
        assert min(field["type"]) >= 11, field


@pytest.mark.parametrize(("size", "scale"), FIELDS)
def test_of_a_name_too_long_for_its_field_the_end_is_left_out_and_nothing_of_the_hand(
    size: str, scale: float
) -> None:
    first, *others = drive("player_fields")[f"long {size} {scale}"]["fields"]
    name, hand = first["shown"]
    assert re.fullmatch(r"\[font=DejaVuSans]▶\[/font] Maxim.*…", name, re.DOTALL)
    assert hand == first["said"][1] == "44 in hand"
    assert first["type"][1] >= max(first["type"][0], 11), "what is cut anyway takes nothing from the hand"
    for field in (first, *others):
        assert_apart(field)


def assert_apart(field: dict[str, Any]) -> None:
    """Name and hand lie apart inside their field, each no larger than there is room for."""
    assert field["edges"] == sorted(field["edges"]), field
    assert field["gap"] is None or field["gap"] >= 4, field
    assert all(needed <= there + 1 for needed, there in field["heights"]), field


def test_the_form_before_the_game_ends_in_what_was_chosen() -> None:
    """By touch: a player more, a name, the dealer, the rules, an option, a player less, start."""
    seen = drive("tonight")
    assert seen["source"] == "Watching camera 0"
    assert "4-colour" in seen["options"]
    assert ["deals" in text and "✓" in text for text in seen["dealer"]] == [False, True, False]
    assert seen["choice"] == ["0", "jokers", ["4-colour"], ["Bob", "Cat"], "Bob"]
    assert small_targets(seen["measures"]) == []


def test_the_form_refuses_what_cannot_be_played() -> None:
    seen = drive("tonight")
    assert seen["unnamed"] == ["Every player needs a name.", True]
    assert seen["refused"] == 0
    assert seen["twice"] == "Two players have the same name."


def test_the_ruleset_that_is_chosen_is_told_by_a_tick() -> None:
    for name, (ticked, _summary) in drive("form")["rules"].items():
        assert len(ticked) == 1, name


def test_no_house_option_is_cut_on_a_small_phone_and_the_summary_says_them_in_words() -> None:
    seen = drive("form")
    assert [name for name, _lines, fits in seen["options"] if not fits] == []
    assert max(lines for _name, lines, _fits in seen["options"]) > 2, "the longest has several lines"
    assert "Nach einer 4" in seen["rules"]["jokers"][1]
    assert "4-colour" not in seen["rules"]["jokers"][1]


def test_a_house_variant_whose_file_has_gone_is_named_and_another_ruleset_can_be_chosen() -> None:
    fault, ticked = drive("form")["gone"]
    assert "/nowhere/our-house.toml" in fault
    assert ticked == ["our-house"]


def test_a_game_that_was_broken_off_goes_on_through_another_camera_and_with_its_own_deck() -> None:
    assert drive("form")["through"] == [[7, "0", "its-own"], [7, "http://127.0.0.1:9/", "its-own"]]


def test_a_game_whose_deck_was_forgotten_goes_on_without_it_or_with_another() -> None:
    seen = drive("form")
    without, chosen = (
        "Sein Blatt mine ist nicht mehr eingelernt. Das Spiel geht auch so weiter.",
        "Sein Blatt mine ist nicht mehr eingelernt. Das Spiel nimmt das unten gewählte.",
    )
    assert seen["forgotten"] == [[without, 7, None], [chosen, 7, None], [chosen, 7, "pub"]]
    for place in (0, 1):
        measures = seen[f"forgotten {place}"]
        assert (cut_texts(measures), small_targets(measures)) == ([], []), place


def test_pictures_of_the_states_can_be_taken(tmp_path: Path) -> None:
    """With SHITHEAD_SCREENSHOTS set to a folder, every state is photographed there for the eye."""
    wanted = os.environ.get("SHITHEAD_SCREENSHOTS")
    folder = Path(wanted) if wanted else tmp_path
    folder.mkdir(parents=True, exist_ok=True)
    scenarios = ("look", "correct_a_set", "states", "long_texts") if wanted else ("long_texts",)
    for scenario in scenarios:
        for width, height in SIZES if wanted else SIZES[:1]:
            picture = folder / f"{scenario}-{width}x{height}.png"
            drive(scenario, width, height, str(picture))
            assert picture.read_bytes().startswith(b"\x89PNG")


def test_a_film_is_refereed_in_the_window(tmp_path: Path) -> None:
    """The whole program as on a phone, on real pictures, nothing scripted, until the first ruling has fallen.

    With SHITHEAD_OVERLAY set to a path, it sees the sample film as on a computer and photographs its breach:
    that is how docs/overlay.png was made, and, with SHITHEAD_OVERLAY_SIZE=412x892, docs/phone.png.
    """
    wanted = os.environ.get("SHITHEAD_OVERLAY")
    width, height = map(int, os.environ.get("SHITHEAD_OVERLAY_SIZE", "1280x720").split("x"))
    shown = sample_film() if wanted else polite_film()
    film = shown.path if wanted else write_excerpt(tmp_path / "first-play.avi")
    players = shown.players
    seen = drive("film", width, height, str(film), *([wanted] if wanted else []))
    assert seen["phase"] == "paused"
    assert wanted or (seen["runs on"], seen["not on a phone"]) == ("opencv", [])
    screen = seen["film"]
    sign, word, what, says, quote = screen["banner"]
    assert (sign, word) in {("✓", "Legal"), ("✗", "Illegal"), ("?", "Not proven")}
    assert any(player in what for player in players)
    assert says
    if wanted:
        assert (sign, word) == ("✗", "Illegal")
        assert quote.startswith("“")
        assert len(screen["log"]) >= 6
    assert any(player in screen["turn"][0] for player in players)
    assert list(screen["cells"]) == list(players)
    assert all("?" not in cell[2].partition("·")[0] for cell in screen["cells"].values())
    assert screen["names"]
