"""Face-down cards that leave their row: turned over on to the play pile, or taken up unseen."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.event_script import PLAY_AT, Script, card, down
from vision.hands.tracks import ArmTrack
from vision.table.layout import PLAY, Place, Zone

SPOTS = [Zone("row", 0, spot) for spot in range(3)]


@pytest.fixture
def bare() -> Script:
    """Ann has face-down cards only."""
    script = Script()
    script.play("Bob", card("9S", PLAY_AT))
    for zone in SPOTS:
        script.maker.rows.spots[zone].up = None
        script.rows[zone] = down(place_of(script, zone))
    return script


def place_of(script: Script, zone: Zone) -> Place:
    return script.maker.layout.seats[zone.seat].row[zone.spot]


def kinds(script: Script) -> list[str]:
    return [kind for kind, player, _ in script.told() if player == "Ann"]


def take_from_row(script: Script) -> ArmTrack:
    """Ann's hand takes up the middle card, and holds it over the pile while the row is seen without it."""
    place = place_of(script, SPOTS[1])
    reach = script.reach("Ann", (place, 0.3))
    script.rows[SPOTS[1]] = None
    script.maker.rows.touch(SPOTS[1], script.t)
    for _ in range(5):
        script.go_on(reach, [(-20.0, 60.0)] * 2, over=(PLAY,))
        script.look(hidden=frozenset({PLAY}))
    return reach


def test_a_card_that_is_missed_in_its_row_before_it_shows_on_the_pile_is_turned_over(bare: Script) -> None:
    reach = take_from_row(bare)
    assert bare.maker.rows.spots[SPOTS[1]].down, "while the arm is there nothing is concluded"
    bare.go_on(reach, [PLAY_AT] * 4, over=(PLAY,))
    bare.table.append(card("5H", PLAY_AT, angle=20.0))
    bare.rest(2.5)
    assert kinds(bare) == ["flip"]


def test_a_card_whose_spot_is_bare_after_one_reach_was_turned_over_though_no_pause_there_was_seen(
    bare: Script,
) -> None:
    reach = bare.reach("Ann", ((-20.0, 60.0), 0.0))
    bare.rows[SPOTS[1]] = None
    bare.maker.rows.touch(SPOTS[1], bare.t)
    bare.go_on(reach, [PLAY_AT] * 6, over=(PLAY,))
    bare.table = [card("5H", PLAY_AT, angle=20.0)]
    bare.rest(0.6)
    assert kinds(bare) == ["play"], "it may come from the hand yet"
    bare.rest(3.0)
    assert kinds(bare) == ["flip"]
    flip = bare.events[-1]
    assert (flip.cards, flip.source, flip.revise) == (("5H",), "down", bare.events[-2].id)


def test_a_card_that_is_turned_over_and_taken_back_was_not_picked_up(bare: Script) -> None:
    bare.go_on(take_from_row(bare), [PLAY_AT] * 4, over=(PLAY,))
    bare.table.append(card("5H", (-40.0, 18.0), angle=30.0))
    bare.rest(2.5)
    assert kinds(bare) == ["flip"]
    bare.reach("Ann", ((-40.0, 18.0), 0.4))
    bare.table.pop()
    bare.rest(4.0)
    assert kinds(bare) == []


def test_a_card_that_does_not_show_on_the_pile_is_taken_up_unseen(bare: Script) -> None:
    take_from_row(bare)
    bare.rest(3.0)
    assert kinds(bare) == ["take_down"]


def test_a_face_down_card_that_every_other_look_overlooks_lies_where_it_lay(bare: Script) -> None:
    place = place_of(bare, SPOTS[1])
    reach = bare.reach("Ann", (place, 0.3))
    bare.go_on(reach, [(0.0, 500.0)])
    for shown in (down(place, 90.0), None, down(place, 60.0), None, None, None):
        bare.rows[SPOTS[1]] = shown
        bare.t += 0.13
        bare.look()
    bare.rest(2.0)
    assert bare.maker.rows.spots[SPOTS[1]].down
    assert "take_down" not in kinds(bare)


def test_a_sleeve_like_the_table_takes_no_card_away(bare: Script) -> None:
    reach = bare.reach("Ann", (PLAY_AT, 0.3))
    lies, bare.rows[SPOTS[1]] = bare.rows[SPOTS[1]], None
    bare.maker.rows.touch(SPOTS[1], bare.t)
    for _ in range(8):  # the arm is not seen to be over the row
        bare.go_on(reach, [PLAY_AT] * 2, over=(PLAY,))
        bare.look(hidden=frozenset({PLAY}))
    bare.rows[SPOTS[1]] = lies
    bare.rest(2.0)
    assert kinds(bare) == []


def test_cards_turned_over_before_their_spots_are_seen_bare_were_not_taken_up(
    bare: Script,
) -> None:
    for zone, name in zip(SPOTS[:2], ("5H", "6D"), strict=True):
        reach = bare.reach("Ann", (place_of(bare, zone), 0.3))
        bare.rows[zone] = None
        bare.maker.rows.touch(zone, bare.t)
        bare.go_on(reach, [PLAY_AT] * 6, over=(PLAY,))
        bare.table = [card(name, PLAY_AT, angle=20.0 + 40.0 * zone.spot)]
        bare.rest(0.6)
        assert bare.maker.rows.spots[zone].down, "too few looks have shown it bare"
    bare.rest(3.0)
    assert kinds(bare) == ["flip"], "turned over so soon one after the other they are told as one set"
    assert not any(bare.maker.rows.spots[zone].down for zone in SPOTS[:2])


@pytest.mark.parametrize(
    ("looks", "pictured", "told"),
    [(2, True, ["take_down", "play"]), (1, True, ["flip"]), (2, False, ["flip"])],
)
def test_who_takes_a_card_up_unseen_and_is_back_at_once_plays_it_from_the_hand(
    bare: Script, looks: int, pictured: bool, told: list[str]
) -> None:
    """Two looks between show its spot bare: less than tells it for sure, but for a picture of the spot."""
    back, table = (np.full((26, 26, 3), level, np.uint8) for level in (160, 60))
    bare.spot_pictures[SPOTS[1]] = back
    bare.look()
    place = place_of(bare, SPOTS[1])
    reach = bare.reach("Ann", (place, 0.3))
    bare.rows[SPOTS[1]] = None
    bare.spot_pictures[SPOTS[1]] = table if pictured else back
    if not pictured:
        bare.maker.rows.spots[SPOTS[1]].patch = None
    bare.go_on(reach, [(0.0, 500.0)] * 2)
    bare.end()
    bare.t += 0.4
    for _ in range(looks):
        bare.t += 0.2
        bare.look()
    reach = bare.reach("Ann", ((0.0, 500.0), 0.0))
    bare.go_on(reach, [(0.0, 300.0), place, (-20.0, 60.0)], over=(SPOTS[1],))
    bare.go_on(reach, [PLAY_AT] * 6, over=(PLAY,))
    bare.table = [card("5H", PLAY_AT, angle=20.0)]
    bare.rest(4.0)
    assert kinds(bare) == told


@pytest.mark.parametrize(
    ("bare_spot", "told"), [(False, ["play"]), (True, ["play", "take_down"])], ids=["lies there", "is gone"]
)
@pytest.mark.parametrize("flip_first", [True, False])
def test_a_card_that_was_put_down_with_one_from_the_hand_was_not_turned_over(
    bare: Script, flip_first: bool, bare_spot: bool, told: list[str]
) -> None:
    """A face-down card is turned over alone: the hand took it up, or only paused where it lies."""
    place = place_of(bare, SPOTS[1])
    names = ("5H", "5D")
    for at, name in enumerate(names):
        reach = bare.reach("Ann", (place if (at == 0) is flip_first else (0.0, 500.0), 0.3))
        if bare_spot and (at == 0) is flip_first:
            bare.rows[SPOTS[1]] = None
            bare.maker.rows.touch(SPOTS[1], bare.t)
        bare.go_on(reach, [PLAY_AT] * 6, over=(PLAY,))
        bare.table.append(card(name, (PLAY_AT[0] + 25.0 * at, 18.0 * at), angle=20.0))
        bare.rest(1.0)
        if at == 0:
            assert kinds(bare) == (["flip"] if flip_first else ["play"])
    bare.rest(4.0)
    assert sorted(kinds(bare)) == told
    play = next(event for event in reversed(bare.events) if event.event in ("play", "flip"))
    assert (play.event, play.cards, play.source) == ("play", names, "hand")


def test_a_card_from_the_hand_that_goes_with_a_flip_is_drawn_for(bare: Script) -> None:
    for at, name in enumerate(("5H", "5D")):
        reach = bare.reach("Ann", (place_of(bare, SPOTS[1]) if at == 0 else (0.0, 500.0), 0.3))
        bare.go_on(reach, [PLAY_AT] * 6, over=(PLAY,))
        bare.table.append(card(name, (PLAY_AT[0] + 25.0 * at, 18.0 * at), angle=20.0))
        bare.rest(1.0)
    due = bare.maker.log.put_down_by("Ann")
    assert due is not None
    assert due.count == 2
