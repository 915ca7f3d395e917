"""Where hands are tracked by their landmarks: who did what, while others rest their hands beside it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import pytest

from tests.support.event_script import (
    BURN_AT,
    DRAW_AT,
    PLAY_AT,
    PLAYERS,
    STEP,
    Script,
    card,
    down,
    draw_picture,
)
from vision.following.looks import Look, UnderArm
from vision.hands.tracks import ArmTrack, HandsFrame
from vision.table.layout import BURN, DRAW, PLAY, Place, Zone
from vision.table.observations import Observation

ANN_HOME, BOB_HOME = (0.0, 250.0), (-390.0, 0.0)
BESIDE_PILE = (PLAY_AT[0], PLAY_AT[1] - 130.0)


def script_by_hands() -> Script:
    return Script(by_hands=True)


def draws(script: Script) -> list[tuple[str | None, int]]:
    return [(player, 1) for kind, player, _ in script.told() if kind == "draw"]


def plays_and_draws(script: Script) -> list[tuple[str, str | None]]:
    return [(event.event, event.player) for event in script.events if event.event in ("play", "draw")]


def together(script: Script, resting: str, there: Place, acting: str, *places: Place) -> None:
    """One player's hand rests at a place, while another's goes to others."""
    both(script, (resting, [there] * len(places)), (acting, places))


def both(
    script: Script, *ways: tuple[str, Sequence[Place]], then: Callable[[], object] = lambda: None
) -> None:
    """Two hands go to places at the same time; `then` comes before they leave."""
    maker, names = script.maker, [seat.player for seat in script.maker.layout.seats]
    hands = []
    for player, _ in ways:
        script.reaches += 1
        hands.append(ArmTrack.begin(script.reaches, names.index(player), script.t))
    for places in zip(*(places for _, places in ways), strict=True):
        for _ in range(3):
            script.t += STEP
            covered: dict[Zone, frozenset[int]] = {}
            for hand, place in zip(hands, places, strict=True):
                hand.update(place, script.t)
                zone = maker.layout.zone_at(*place)
                covered |= {} if zone is None else {zone: frozenset({hand.seat})}
            frame = HandsFrame(script.t, tuple(hands), (), covered, by_hands=True)
            script.events += maker.on_hands(frame)
    then()
    script.end(*hands)


def something_moves(script: Script, *zones: Zone, frames: int) -> None:
    """Something that is no hand, or a hand that is not found, moves over zones."""
    for _ in range(frames):
        script.t += STEP
        moving = {zone: frozenset[int]() for zone in zones}
        script.events += script.maker.on_hands(HandsFrame(script.t, (), (), moving, by_hands=True))


def somebody_leans(script: Script, player: str, *zones: Zone, frames: int) -> None:
    """A player's head is over piles, and hides the hands beneath it."""
    seats = frozenset({PLAYERS.index(player)})
    for _ in range(frames):
        script.t += STEP
        moving = {zone: frozenset[int]() for zone in zones}
        bodies = dict.fromkeys(zones, seats)
        frame = HandsFrame(script.t, (), (), moving, by_hands=True, bodies=bodies)
        script.events += script.maker.on_hands(frame)


def hand_beside_body(
    script: Script, hand: ArmTrack, place: Place, *, over: frozenset[int], body: frozenset[int], frames: int
) -> None:
    """A hand stays at a place while a body is over the draw pile. `over`: the seats of arms over it."""
    for _ in range(frames):
        script.t += STEP
        hand.update(place, script.t)
        frame = HandsFrame(script.t, (hand,), (), {DRAW: over}, by_hands=True, bodies={DRAW: body})
        script.events += script.maker.on_hands(frame)


def hand_beneath_heads(script: Script, player: str, lean: Sequence[str], *places: Place) -> ArmTrack:
    """A player's hand goes to each place for three frames while other players' heads are over the pile."""
    seat, heads = PLAYERS.index(player), {PLAY: frozenset(map(PLAYERS.index, lean))}
    hand = ArmTrack.begin(9, seat, script.t)
    for place in [place for place in places for _ in range(3)]:
        script.t += STEP
        hand.update(place, script.t)
        over = {PLAY: frozenset({seat})}
        frame = HandsFrame(script.t, (hand,), (), over, by_hands=True, bodies=heads)
        script.events += script.maker.on_hands(frame)
    return hand


def a_card_comes_and_ann_draws(script: Script, seconds: float) -> None:
    """A card lies on the pile. After some seconds Ann's hand goes to the draw pile, and the table rests."""
    script.table.append(card("9S", (PLAY_AT[0] + 5.0, PLAY_AT[1])))
    script.rest(seconds)
    script.end(script.reach("Ann", (ANN_HOME, 0.1), (DRAW_AT, 0.3), (ANN_HOME, 0.1)))
    script.rest(4.0)


def test_a_card_was_put_down_by_the_hand_that_came_nearest_to_it() -> None:
    script = script_by_hands()
    together(script, "Bob", BESIDE_PILE, "Ann", ANN_HOME, PLAY_AT, ANN_HOME)
    script.table.append(card("9S", PLAY_AT))
    script.rest(2.5)
    assert ("play", "Ann", ("9S",)) in script.told()


def test_a_card_came_when_it_was_first_read_though_its_outline_jumps_after_that() -> None:
    """Bob's hand is farther away than Ann's, which comes only later."""
    script = script_by_hands()
    beside = (PLAY_AT[0] - 120.0, PLAY_AT[1])
    bob, ann = (ArmTrack.begin(number, seat, script.t) for number, seat in ((1, 1), (2, 0)))

    def go(*ways: tuple[ArmTrack, Place]) -> None:
        script.t += STEP
        for hand, place in ways:
            hand.update(place, script.t)
        hands = tuple(hand for hand, _ in ways)
        script.events += script.maker.on_hands(HandsFrame(script.t, hands, (), {}, by_hands=True))

    script.look()
    for _ in range(3):
        go((bob, beside))
    over = {PLAY: frozenset[int]()}
    script.events += script.maker.on_hands(HandsFrame(script.t, (bob,), (), over, by_hands=True))
    script.table = [card("9S", PLAY_AT, 0.98)]
    script.look()
    script.table = [card("9S", (PLAY_AT[0], PLAY_AT[1] - 12.0), 0.98)]
    for y in (200.0, 120.0, 70.0):
        go((bob, beside), (ann, (PLAY_AT[0], y)))
    script.look()
    script.rest(3.0)
    assert [(kind, player) for kind, player, _ in script.told()][1:] == [("play", "Bob")]


def test_a_play_is_told_before_the_draw_that_follows_it_however_late_it_is_seen() -> None:
    script = script_by_hands()
    reach = script.reach("Ann", (ANN_HOME, 0.1), (PLAY_AT, 0.3), (DRAW_AT, 0.3), (ANN_HOME, 0.1))
    script.end(reach)
    script.table.append(card("9S", PLAY_AT))
    script.rest(3.0)
    kinds = [kind for kind, player, _ in script.told() if player == "Ann"]
    assert kinds == ["play", "draw"]


def test_who_draws_has_played_although_another_hand_lay_nearer_to_the_pile() -> None:
    script = script_by_hands()
    near = (PLAY_AT[0], PLAY_AT[1] + 110.0)
    together(script, "Bob", PLAY_AT, "Ann", ANN_HOME, near, ANN_HOME)
    script.table.append(card("9S", PLAY_AT))
    script.rest(1.0)
    script.end(script.reach("Ann", (ANN_HOME, 0.1), (DRAW_AT, 0.3), (ANN_HOME, 0.1)))
    script.rest(3.0)
    told = [(kind, player) for kind, player, _ in script.told() if kind != "deal"]
    assert told == [("play", "Ann"), ("draw", "Ann")]


def test_a_head_over_a_row_takes_no_card_up() -> None:
    script = script_by_hands()
    script.play("Ann", card("9S", PLAY_AT))
    zones = [zone for zone in script.rows if zone.seat == 1]
    kept = {zone: script.rows[zone] for zone in zones}
    for zone in zones:
        script.rows[zone] = None
    something_moves(script, *zones, frames=3)
    for _ in range(12):
        script.t += 0.3
        script.events += script.maker.on_hands(HandsFrame(script.t, (), (), {}, by_hands=True))
        script.look()
    assert all(kind != "take_up" for kind, _, _ in script.told())
    script.rows |= kept
    script.rest(2.0)
    assert all(kind not in ("take_up", "take_down") for kind, _, _ in script.told())


def test_an_up_card_that_a_hand_took_is_taken_up() -> None:
    script = script_by_hands()
    script.play("Ann", card("9S", PLAY_AT))
    zone = Zone("row", 1, 0)
    place = script.maker.layout.place_of(zone)
    assert place is not None
    reach = script.reach("Bob", (BOB_HOME, 0.1), (place, 0.4), (BOB_HOME, 0.1))
    script.end(reach)
    script.rows[zone] = down(place)
    script.rest(6.0)
    assert any(kind == "take_up" and player == "Bob" for kind, player, _ in script.told())


def test_a_hand_that_only_passes_the_draw_pile_draws_nothing_that_is_not_due() -> None:
    script = script_by_hands()
    script.play("Ann", card("9S", PLAY_AT))
    script.end(script.reach("Bob", (BOB_HOME, 0.1), (DRAW_AT, 0.05), (BOB_HOME, 0.1)))
    script.rest(3.0)
    assert draws(script) == []


def test_an_up_card_that_was_hidden_when_cards_were_exchanged_is_played_from_the_hand() -> None:
    script = script_by_hands()
    zone = Zone("row", 1, 0)
    was = script.rows[zone]
    assert was is not None
    name = str(was.best[0])
    hidden = frozenset({zone})
    for _ in range(60):  # a head hides the spot while Bob exchanges that card, and it stays there
        script.t += STEP
        covered = {zone: frozenset[int]()}
        script.events += script.maker.on_hands(HandsFrame(script.t, (), (), covered, by_hands=True))
    script.rows[zone] = None
    script.look(hidden=hidden)
    reach = script.reach("Bob", (BOB_HOME, 0.1), (PLAY_AT, 0.4), (BOB_HOME, 0.1))
    script.end(reach)
    script.table.append(card(name, PLAY_AT))
    for _ in range(30):
        script.t += STEP
        gone = tuple(one for one in (reach,) if script.t - one.last_seen > 0.25)
        covered = {zone: frozenset[int]()}
        script.events += script.maker.on_hands(HandsFrame(script.t, (), gone, covered, by_hands=True))
        script.look(hidden=hidden)
    (play,) = [event for event in script.events if event.event == "play"]
    assert (play.player, play.cards, play.source) == ("Bob", (name,), "hand")


@pytest.mark.parametrize("read", [{}, {"8D": 0.3, "3D": 0.28}, {"3D": 0.97}])
def test_a_card_that_is_well_read_only_as_it_is_put_away_was_shown_to_whom_the_hand_pointed(
    read: dict[str, float],
) -> None:
    """`read`: how the card is read in the air."""
    script = script_by_hands()
    script.play("Ann", card("9S", PLAY_AT))
    held_out, put_away = (-220.0, -30.0), (-120.0, 130.0)
    in_air = Observation(*held_out, 90.0, "up", read) if read else None
    hand = script.reach("Ann", (ANN_HOME, 0.1), (held_out, 1.0), held=in_air)
    script.go_on(hand, [place for place in (put_away, ANN_HOME) for _ in range(3)])
    script.end(hand)
    script.table.append(card("3D", put_away))
    script.rest(3.0)
    (show,) = [event for event in script.events if event.event == "show"]
    assert (show.player, show.cards, show.to) == ("Ann", ("3D",), "Bob")


def test_a_card_held_out_over_the_pile_does_not_lie_there_once_the_pile_lies_free() -> None:
    script = script_by_hands()
    script.play("Ann", card("9S", PLAY_AT))
    held_out, put_away = (PLAY_AT[0], PLAY_AT[1] - 60.0), (-120.0, 130.0)
    hand = script.reach("Ann", (ANN_HOME, 0.1), (held_out, 0.8))
    script.look([UnderArm(0, card("3D", held_out, 0.6), 0.9, False)], frozenset({PLAY}))
    script.go_on(hand, [place for place in (put_away, ANN_HOME) for _ in range(3)])
    script.end(hand)
    script.table.append(card("3D", put_away))
    script.rest(3.0)
    assert [(kind, player) for kind, player, _ in script.told()][2:] == [("show", "Ann")]


def test_whoever_picks_up_after_a_show_was_shown_the_card_if_nobody_saw_to_whom() -> None:
    script = script_by_hands()
    script.play("Ann", card("9S", PLAY_AT))
    put_away = (-120.0, 130.0)
    script.end(script.reach("Ann", (put_away, 0.2), (ANN_HOME, 0.1)))
    script.table.append(card("3D", put_away))
    script.rest(1.0)
    script.end(script.reach("Cat", ((0.0, -250.0), 0.1), (PLAY_AT, 0.4), ((0.0, -250.0), 0.2)))
    script.table = [seen for seen in script.table if seen.best[0] != "9S"]
    script.rest(4.0)
    told = [(kind, player) for kind, player, _ in script.told() if kind in ("show", "pick_up")]
    assert told == [("show", "Ann"), ("pick_up", "Cat")]
    (show,) = [event for event in script.events if event.event == "show"]
    assert show.to == "Cat"


def test_a_card_that_a_player_was_seen_to_pick_up_is_played_by_that_player() -> None:
    script = script_by_hands()
    script.play("Ann", card("9S", PLAY_AT))
    script.end(script.reach("Bob", (BOB_HOME, 0.1), (PLAY_AT, 0.4), (BOB_HOME, 0.3)))
    script.table.clear()
    script.rest(4.0)
    together(script, "Ann", (PLAY_AT[0], PLAY_AT[1] + 40.0), "Bob", BOB_HOME, (-170.0, 0.0), BOB_HOME)
    script.table.append(card("9S", PLAY_AT))
    script.rest(3.0)
    plays = [(player, cards) for kind, player, cards in script.told() if kind == "play"]
    assert plays == [("Ann", ("9S",)), ("Bob", ("9S",))]


def test_a_card_that_shows_in_a_fan_is_not_shown_to_anybody() -> None:
    script = script_by_hands()
    script.play("Ann", card("9S", PLAY_AT))
    holds_fan = (ANN_HOME[0] - 120.0, ANN_HOME[1])
    script.end(script.reach("Ann", (holds_fan, 0.1), (DRAW_AT, 0.6), (holds_fan, 0.1)))
    script.table.append(card("QH", (holds_fan[0] - 60.0, holds_fan[1])))
    for _ in range(4):
        script.rest(0.3)
        script.look()
    script.rest(3.0)
    script.end(script.reach("Bob", (BOB_HOME, 0.1), (PLAY_AT, 0.3), (BOB_HOME, 0.1)))
    script.table.append(card("JS", (PLAY_AT[0] + 4.0, PLAY_AT[1])))
    script.rest(3.0)
    assert [kind for kind, _, _ in script.told()] == ["deal", "play", "draw", "play"]


def test_a_play_by_a_hand_that_was_not_found_is_that_of_who_draws() -> None:
    script = script_by_hands()
    script.play("Ann", card("9S", PLAY_AT))
    script.end(script.reach("Ann", (ANN_HOME, 0.1), (DRAW_AT, 0.3), (ANN_HOME, 0.1)))
    script.rest(8.0)
    something_moves(script, Zone("play"), frames=5)
    script.table.append(card("JS", (PLAY_AT[0] + 5.0, PLAY_AT[1])))
    script.rest(1.0)
    script.end(script.reach("Bob", (BOB_HOME, 0.1), (DRAW_AT, 0.3), (BOB_HOME, 0.1)))
    script.rest(3.0)
    told = [(kind, player) for kind, player, _ in script.told() if kind in ("play", "draw")]
    assert told == [("play", "Ann"), ("draw", "Ann"), ("play", "Bob"), ("draw", "Bob")]


def test_what_a_hand_that_was_not_found_puts_down_later_is_no_part_of_the_play_before() -> None:
    script = script_by_hands()
    script.play("Ann", card("4H", PLAY_AT))
    script.end(script.reach("Bob", (BOB_HOME, 0.1), (PLAY_AT, 0.4), (BOB_HOME, 0.3)))
    script.table.clear()
    script.rest(4.0)  # Bob has the 4H in the hand now, as was seen
    script.play("Bob", card("2C", PLAY_AT))
    script.rest(1.0)
    something_moves(script, Zone("play"), frames=5)
    script.table.append(card("4H", (PLAY_AT[0] + 5.0, PLAY_AT[1])))
    script.rest(3.0)
    plays = [(player, cards) for kind, player, cards in script.told() if kind == "play"]
    assert plays == [("Ann", ("4H",)), ("Bob", ("2C",)), ("Bob", ("4H",))]


def resting_over(
    script: Script, zone: Zone, card_there: str, looks: int
) -> list[tuple[str | None, int | None]]:
    """Bob's hand rests over a spot of his row after an exchange; returns the exchanges that are told."""
    place = script.maker.layout.place_of(zone)
    assert place is not None
    script.end(script.reach("Bob", (BOB_HOME, 0.1), (place, 0.4), (BOB_HOME, 0.1)))
    script.rows[zone] = card(card_there, place)
    hidden = frozenset({zone})
    for number in range(60):
        script.pass_frame(zone)
        if number % 4 == 0 and number < 4 * looks:
            shows = [UnderArm(1, card(card_there, place), 0.3, False)]
            script.look(under=shows, hidden=hidden)
    return [(event.player, event.count) for event in script.events if event.event == "exchange"]


def test_an_exchange_is_seen_though_a_hand_rests_over_the_card() -> None:
    assert resting_over(script_by_hands(), Zone("row", 1, 0), "JS", looks=10) == [("Bob", 1)]


def test_a_card_that_a_resting_hand_shows_but_once_is_no_exchange() -> None:
    assert resting_over(script_by_hands(), Zone("row", 1, 0), "JS", looks=2) == []


@pytest.mark.parametrize(("looks", "told"), [(5, [("Bob", 1)]), (2, [])])
def test_an_exchange_is_seen_though_a_hand_comes_back_to_the_card_before_each_look(
    looks: int, told: list[tuple[str, int]]
) -> None:
    script, zone = script_by_hands(), Zone("row", 1, 0)
    place = script.maker.layout.place_of(zone)
    assert place is not None
    script.end(script.reach("Bob", (BOB_HOME, 0.1), (place, 0.4), (BOB_HOME, 0.1)))
    script.rows[zone] = card("JS", place)
    for _ in range(looks):
        something_moves(script, zone, frames=4)
        script.look()
    script.end()
    something_moves(script, zone, frames=8)
    exchanges = [(event.player, event.count) for event in script.events if event.event == "exchange"]
    assert exchanges == told


def test_of_two_hands_that_came_as_near_the_one_that_draws_has_played() -> None:
    script = script_by_hands()
    near, as_near = (PLAY_AT[0], PLAY_AT[1] - 80.0), (PLAY_AT[0] - 5.0, PLAY_AT[1] + 75.0)
    together(script, "Bob", near, "Ann", ANN_HOME, as_near, ANN_HOME)
    script.table.append(card("9S", PLAY_AT))
    script.rest(0.4)
    script.end(script.reach("Bob", (BOB_HOME, 0.1), (DRAW_AT, 0.3), (BOB_HOME, 0.1)))
    script.rest(3.0)
    told = [(event.event, event.player, event.revise) for event in script.events if event.event == "play"]
    assert told == [("play", "Bob", None)]


def test_a_hand_that_points_at_the_draw_pile_does_not_draw_for_who_played() -> None:
    script = script_by_hands()
    script.draw_picture = draw_picture(20)
    script.rest(1.0)
    together(script, "Bob", DRAW_AT, "Ann", ANN_HOME, PLAY_AT, (DRAW_AT[0] + 10.0, DRAW_AT[1]), ANN_HOME)
    script.draw_picture = draw_picture(17)
    script.table.append(card("9S", PLAY_AT))
    script.rest(4.0)
    assert plays_and_draws(script) == [("play", "Ann"), ("draw", "Ann")]


def test_an_arm_that_passed_over_the_draw_pile_before_the_hand_came_there_has_not_drawn() -> None:
    script = script_by_hands()
    script.draw_picture = draw_picture(20)
    script.rest(1.0)
    points, plays = (PLAY_AT[0], PLAY_AT[1] + 70.0), (PLAY_AT[0] - 5.0, PLAY_AT[1] - 80.0)
    both(script, ("Ann", (ANN_HOME, points, points)), ("Bob", (BOB_HOME, plays, plays)))
    script.table.append(card("9S", PLAY_AT))
    script.rest(2.5)
    assert plays_and_draws(script) == [("play", "Ann")]
    ann, bob = (ArmTrack.begin(script.reaches + 1 + seat, seat, script.t) for seat in (0, 1))
    comes = (BOB_HOME, *[DRAW_AT] * 6, BOB_HOME)
    beneath = (ann.seat,), *[(bob.seat,)] * 6, ()  # those whose arms are over the draw pile
    for place, seats in zip(comes, beneath, strict=True):
        script.t += STEP
        ann.update(points if ann.seat in seats else ANN_HOME, script.t)
        bob.update(place, script.t)
        over = {DRAW: frozenset(seats)}
        script.events += script.maker.on_hands(HandsFrame(script.t, (ann, bob), (), over, by_hands=True))
    script.end(ann, bob)
    script.draw_picture = draw_picture(17)
    script.rest(4.0)
    assert plays_and_draws(script)[-1] == ("draw", "Bob")


def test_of_two_hands_that_leave_the_draw_pile_together_the_one_that_played_has_drawn() -> None:
    script = script_by_hands()
    script.draw_picture = draw_picture(20)
    script.rest(1.0)

    def look_at_draw_pile() -> None:
        script.draw_picture = draw_picture(16)
        for _ in range(3):
            script.look(hidden=frozenset({PLAY}))

    ann = (ANN_HOME, PLAY_AT, PLAY_AT, (DRAW_AT[0] + 10.0, DRAW_AT[1]), ANN_HOME)
    bob = (BOB_HOME, BOB_HOME, DRAW_AT, DRAW_AT, BOB_HOME)
    both(script, ("Bob", bob), ("Ann", ann), then=look_at_draw_pile)
    script.table.append(card("9S", PLAY_AT))  # only now is the card seen
    script.rest(4.0)
    assert plays_and_draws(script) == [("play", "Ann"), ("draw", "Ann")]


def test_a_hand_that_carries_the_pile_past_the_draw_pile_draws_nothing() -> None:
    script = script_by_hands()
    script.draw_picture = draw_picture(20)
    script.play("Ann", card("9S", PLAY_AT))
    script.rest(1.0)

    def look_at_draw_pile() -> None:
        script.table.clear()
        script.draw_picture = draw_picture(16)  # another card's edge shows now
        script.look(hidden=frozenset({PLAY}))

    both(script, ("Bob", (BOB_HOME, PLAY_AT, DRAW_AT, DRAW_AT, BOB_HOME)), then=look_at_draw_pile)
    script.rest(4.0)
    assert draws(script) == []
    assert script.told()[-1] == ("pick_up", "Bob", ("9S",))


def test_if_nobody_draws_the_nearest_hand_has_played() -> None:
    script = script_by_hands()
    near, as_near = (PLAY_AT[0], PLAY_AT[1] - 80.0), (PLAY_AT[0] - 5.0, PLAY_AT[1] + 75.0)
    together(script, "Bob", near, "Ann", ANN_HOME, as_near, ANN_HOME)
    script.table.append(card("9S", PLAY_AT))
    script.rest(4.0)
    (play,) = [event for event in script.events if event.event == "play"]
    assert play.player in ("Ann", "Bob")
    assert play.decided_at - play.t < 3.5


def test_a_play_beneath_a_head_is_that_of_whose_head_it_is() -> None:
    script = script_by_hands()
    script.play("Ann", card("9S", PLAY_AT))
    script.end(script.reach("Ann", (ANN_HOME, 0.1), (DRAW_AT, 0.3), (ANN_HOME, 0.1)))
    script.rest(8.0)
    somebody_leans(script, "Cat", PLAY, frames=10)
    script.table.append(card("JS", (PLAY_AT[0] + 5.0, PLAY_AT[1])))
    script.rest(4.0)
    plays = [(player, cards) for kind, player, cards in script.told() if kind == "play"]
    assert plays == [("Ann", ("9S",)), ("Cat", ("JS",))]


def test_a_draw_beneath_a_head_is_told_if_the_draw_pile_looks_different_then() -> None:
    script = script_by_hands()
    script.draw_picture = draw_picture(20)
    script.play("Ann", card("9S", PLAY_AT))
    somebody_leans(script, "Ann", DRAW, frames=10)
    script.draw_picture = draw_picture(16)
    script.rest(4.0)
    assert draws(script) == [("Ann", 1)]


def test_what_is_drawn_beneath_a_head_goes_to_the_hand_whose_arm_is_over_the_draw_pile() -> None:
    script = script_by_hands()
    script.draw_picture = draw_picture(20)
    script.play("Bob", card("9S", PLAY_AT), card("9H", (PLAY_AT[0] + 20.0, PLAY_AT[1])))
    ann, bob = (frozenset({PLAYERS.index(name)}) for name in ("Ann", "Bob"))
    reach = script.reach("Bob", (BOB_HOME, 0.1))
    short = (DRAW_AT[0], DRAW_AT[1] + 90.0 * (1 if BOB_HOME[1] > DRAW_AT[1] else -1))
    hand_beside_body(script, reach, short, over=bob, body=ann, frames=8)
    script.end(reach)
    somebody_leans(script, "Ann", DRAW, frames=4)
    script.draw_picture = draw_picture(16)
    script.rest(4.0)
    assert [(e.player, e.count) for e in script.events if e.event == "draw"] == [("Bob", 2)]


def test_what_is_drawn_beneath_a_head_does_not_go_to_a_hand_over_the_pile_that_need_not_draw() -> None:
    """The hand is Ann's own, and is given to Bob for a single frame."""
    script = script_by_hands()
    script.draw_picture = draw_picture(20)
    script.play("Ann", card("9S", PLAY_AT))
    ann, bob = (frozenset({PLAYERS.index(name)}) for name in ("Ann", "Bob"))
    somebody_leans(script, "Ann", DRAW, frames=8)
    script.reaches += 1
    hand = ArmTrack.begin(script.reaches, PLAYERS.index("Bob"), script.t)
    hand_beside_body(script, hand, (DRAW_AT[0] + 20.0, DRAW_AT[1]), over=bob, body=ann, frames=1)
    hand_beside_body(script, hand, BOB_HOME, over=frozenset(), body=ann, frames=3)
    script.go_on(hand, [BOB_HOME] * 6)
    script.end(hand)
    script.draw_picture = draw_picture(16)
    script.rest(4.0)
    assert draws(script) == [("Ann", 1)]


def test_what_is_drawn_beneath_its_players_head_does_not_go_to_the_only_hand_that_is_seen() -> None:
    script = script_by_hands()
    script.draw_picture = draw_picture(20)
    script.play("Bob", card("9S", PLAY_AT))
    script.end(script.reach("Bob", (BOB_HOME, 0.1)))
    bob = frozenset({PLAYERS.index("Bob")})
    ann = script.reach("Ann", (ANN_HOME, 0.1))
    far = (ANN_HOME[0], ANN_HOME[1] - 60.0)
    hand_beside_body(script, ann, far, over=frozenset(), body=bob, frames=8)
    script.end(ann)
    script.draw_picture = draw_picture(16)
    script.rest(4.0)
    assert plays_and_draws(script) == [("play", "Bob"), ("draw", "Bob")]


@pytest.mark.parametrize(("shows", "drawn"), [(19, [("Bob", 1)]), (20, [])])
def test_a_hand_beside_the_draw_pile_whose_arm_lies_over_it_has_drawn_if_a_little_of_it_looks_different(
    shows: int, drawn: list[tuple[str, int]]
) -> None:
    script = script_by_hands()
    script.draw_picture = draw_picture(20)
    script.play("Bob", card("9S", PLAY_AT))
    bob = frozenset({PLAYERS.index("Bob")})
    hand = script.reach("Bob", (BOB_HOME, 0.1))
    beside = (DRAW_AT[0] - 95.0, DRAW_AT[1])
    hand_beside_body(script, hand, beside, over=frozenset(), body=bob, frames=8)
    script.end(hand)
    script.draw_picture = draw_picture(shows)
    script.rest(4.0)
    assert draws(script) == drawn


def test_a_hand_beside_the_draw_pile_has_taken_its_last_card_if_nothing_lies_there_afterwards() -> None:
    script = script_by_hands()
    script.draw_picture = draw_picture(20)
    script.play("Bob", card("9S", PLAY_AT))
    hand = script.reach("Bob", (BOB_HOME, 0.1))
    beside = (DRAW_AT[0] - 95.0, DRAW_AT[1])
    hand_beside_body(script, hand, beside, over=frozenset(), body=frozenset({PLAYERS.index("Bob")}), frames=8)
    script.end(hand)
    script.draw_pile, script.draw_picture = False, draw_picture(4)
    script.rest(4.0)
    assert draws(script) == [("Bob", 1)]


@pytest.mark.parametrize(("shows", "draws_told"), [(16, ["Bob"]), (20, [])])
def test_a_hand_whose_fingers_may_reach_the_draw_pile_has_drawn_if_that_looks_different(
    shows: int, draws_told: list[str]
) -> None:
    script = script_by_hands()
    script.draw_picture = draw_picture(20)
    script.play("Bob", card("9S", PLAY_AT))
    script.end(script.reach("Bob", (BOB_HOME, 0.1), ((DRAW_AT[0] + 20.0, DRAW_AT[1] - 95.0), 0.3)))
    script.draw_picture = draw_picture(shows)
    script.rest(4.0)
    assert [player for player, _ in draws(script)] == draws_told


@pytest.mark.parametrize("due", [True, False])
def test_a_hand_that_is_first_seen_at_the_draw_pile_and_leaves_at_once_has_drawn_if_it_is_due_a_card(
    due: bool,
) -> None:
    script = script_by_hands()
    script.draw_picture = draw_picture(20)
    if due:
        script.play("Bob", card("9S", PLAY_AT))
    hand = ArmTrack.begin(9, PLAYERS.index("Bob"), script.t)
    for place in (DRAW_AT, (DRAW_AT[0] - 150.0, 0.0), BOB_HOME):
        script.t += STEP
        hand.update(place, script.t)
        frame = HandsFrame(script.t, (hand,), (), {DRAW: frozenset({hand.seat})}, by_hands=True)
        script.events += script.maker.on_hands(frame)
    script.end(hand)
    script.draw_picture = draw_picture(16)
    script.rest(4.0)
    assert draws(script) == ([("Bob", 1)] if due else [])


def test_a_hand_that_was_first_seen_at_the_draw_pile_has_drawn_but_once_though_it_stays_and_plays_again() -> (
    None
):
    script = script_by_hands()
    script.draw_picture = draw_picture(20)
    script.play("Bob", card("9S", PLAY_AT))
    hand = ArmTrack.begin(9, PLAYERS.index("Bob"), script.t)

    def stays(place: Place, zone: Zone | None, frames: int) -> None:
        for _ in range(frames):
            script.t += STEP
            hand.update(place, script.t)
            over = {} if zone is None else {zone: frozenset({hand.seat})}
            script.events += script.maker.on_hands(HandsFrame(script.t, (hand,), (), over, by_hands=True))
            if zone is None:
                script.look()

    stays(DRAW_AT, DRAW, 6)
    script.draw_picture = draw_picture(16)
    stays(BOB_HOME, None, 30)
    stays(PLAY_AT, PLAY, 6)
    script.table.append(card("JS", (PLAY_AT[0] + 5.0, PLAY_AT[1])))
    stays(BOB_HOME, None, 60)
    script.end(hand)
    script.rest(4.0)
    assert plays_and_draws(script) == [("play", "Bob"), ("draw", "Bob"), ("play", "Bob")]


def test_a_hand_that_touches_the_draw_pile_before_anybody_has_played_draws_nothing() -> None:
    script = script_by_hands()
    for shown in (20, 19):
        script.draw_picture = draw_picture(20)
        script.end(script.reach("Bob", (BOB_HOME, 0.1), (DRAW_AT, 0.4), (BOB_HOME, 0.1)))
        script.draw_picture = draw_picture(shown)
        script.rest(4.0)
    assert draws(script) == []


def test_a_hand_that_was_at_the_draw_pile_only_before_its_card_came_has_drawn_later() -> None:
    script = script_by_hands()
    script.draw_picture = draw_picture(20)
    script.play("Ann", card("4H", PLAY_AT))
    script.end(script.reach("Bob", (BOB_HOME, 0.1), (DRAW_AT, 0.4), (BOB_HOME, 0.1)))
    script.rest(1.0)
    script.reach("Bob", (PLAY_AT, 0.4))
    script.table.append(card("9S", (PLAY_AT[0] + 5.0, PLAY_AT[1])))
    script.rest(0.5)
    script.end(script.reach("Bob", (BOB_HOME, 0.1), (DRAW_AT, 0.4), (BOB_HOME, 0.1)))
    script.draw_picture = draw_picture(16)
    script.rest(4.0)
    assert [(e.player, e.count) for e in script.events if e.event == "draw"] == [("Bob", 1)]


@pytest.mark.parametrize(("leans", "draws_told"), [("Bob", ["Bob"]), ("Cat", ["Bob", "Cat"])])
def test_a_second_draw_is_that_of_who_leans_over_the_pile_if_one_of_theirs_is_still_doubtful(
    leans: str, draws_told: list[str]
) -> None:
    """The hand seems to be Cat's, as far as its arm shows."""
    script = script_by_hands()
    script.draw_picture = draw_picture(20)
    script.play("Bob", card("9S", PLAY_AT), card("9H", (PLAY_AT[0] + 20.0, PLAY_AT[1])))
    for seat, player, edge in ((1, "Bob", 16), (2, leans, 12)):
        hand, body = ArmTrack.begin(7 + seat, seat, script.t), frozenset({PLAYERS.index(player)})
        hand_beside_body(script, hand, DRAW_AT, over=frozenset({seat}), body=body, frames=6)
        script.end(hand)
        script.draw_picture = draw_picture(edge)
        script.rest(3.0)
    assert [who for kind, who, _ in script.told() if kind == "draw"] == draws_told


def test_a_head_over_the_draw_pile_draws_nothing_if_that_looks_unchanged() -> None:
    script = script_by_hands()
    script.draw_picture = draw_picture(20)
    script.play("Ann", card("9S", PLAY_AT))
    somebody_leans(script, "Ann", DRAW, frames=10)
    script.rest(4.0)
    assert draws(script) == []


@pytest.mark.parametrize(
    ("as_played", "after", "drawn"),
    [
        (False, 20, []),
        (False, 19, []),
        (False, 16, [("Bob", 1)]),
        (True, 19, [("Bob", 1)]),
        (True, 16, [("Bob", 1)]),
    ],
)
def test_with_more_cards_than_at_the_deal_nobody_draws_unless_plainly_or_where_all_draw_as_they_played(
    as_played: bool, after: int, drawn: list[tuple[str, int]]
) -> None:
    script = Script(by_hands=True, draws_as_played=as_played)
    script.draw_picture = draw_picture(20)
    for name in ("9S", "JS"):
        script.play("Ann", card(name, PLAY_AT))
    script.end(script.reach("Bob", (BOB_HOME, 0.1), (PLAY_AT, 0.4), (BOB_HOME, 0.1)))
    script.table.clear()
    script.rest(3.0)
    assert script.told()[-1][:2] == ("pick_up", "Bob")
    script.play("Bob", card("QS", PLAY_AT))
    script.end(script.reach("Bob", (BOB_HOME, 0.1), (DRAW_AT, 0.4), (BOB_HOME, 0.1)))
    script.draw_picture = draw_picture(after)
    script.rest(3.0)
    assert [draw for draw in draws(script) if draw[0] == "Bob"] == drawn


@pytest.mark.parametrize(("frames", "drawn"), [(1, []), (10, [("Bob", 1)])])
def test_who_needs_no_card_takes_none_beneath_a_head_that_passes_the_draw_pile_in_one_frame(
    frames: int, drawn: list[tuple[str, int]]
) -> None:
    script = script_by_hands()
    script.draw_picture = draw_picture(20)
    for name in ("9S", "JS"):
        script.play("Ann", card(name, PLAY_AT))
    script.end(script.reach("Bob", (BOB_HOME, 0.1), (PLAY_AT, 0.4), (BOB_HOME, 0.1)))
    script.table.clear()
    script.rest(3.0)
    script.play("Bob", card("QS", PLAY_AT))
    somebody_leans(script, "Bob", DRAW, frames=frames)
    script.draw_picture = draw_picture(16)
    script.rest(4.0)
    assert [draw for draw in draws(script) if draw[0] == "Bob"] == drawn


def test_the_first_card_was_put_down_after_the_looks_that_showed_its_place_bare() -> None:
    script = Script(play=None, by_hands=True)
    reach = script.reach("Ann", (ANN_HOME, 0.1), ((PLAY_AT[0] + 40.0, PLAY_AT[1]), 0.3))
    pointed = script.t
    for _ in range(3):
        script.go_on(reach, [ANN_HOME] * 4)
        script.look()
    beyond = (PLAY_AT[0], PLAY_AT[1] + 170.0)
    script.go_on(reach, [beyond] * 4)
    script.table.append(card("9S", PLAY_AT))
    for _ in range(3):
        script.go_on(reach, [beyond] * 3)
        script.look()
    script.end(reach)
    script.rest(3.0)
    (play,) = (event for event in script.events if event.event == "play")
    assert play.player == "Ann"
    assert play.t is not None
    assert play.t > pointed + 0.3


def test_a_look_that_overlooks_the_first_card_does_not_give_it_to_whose_head_comes_next() -> None:
    script = Script(play=None, by_hands=True)
    script.end(script.reach("Ann", (ANN_HOME, 0.1), (PLAY_AT, 0.3), (ANN_HOME, 0.5)))
    nine = card("9S", PLAY_AT)
    for lying in ([nine], [], [nine]):
        script.table = lying
        something_moves(script, frames=3)
        script.look()
    somebody_leans(script, "Bob", PLAY, frames=3)
    script.rest(3.0)
    assert ("play", "Ann", ("9S",)) in script.told()


def test_a_first_card_that_lies_where_it_was_held_was_not_shown_however_late_that_is_seen() -> None:
    script, nine = Script(play=None, by_hands=True), card("9S", PLAY_AT)
    near = (PLAY_AT[0] + 20.0, PLAY_AT[1] + 30.0)
    reach = script.reach("Ann", (ANN_HOME, 0.1), (near, 0.3))
    for _ in range(4):
        script.go_on(reach, [near] * 3)
        script.look([UnderArm(reach.seat, nine, 0.6, False)])
    script.go_on(reach, [DRAW_AT, DRAW_AT, ANN_HOME])
    something_moves(script, frames=3)
    script.events += script.maker.on_hands(HandsFrame(script.t, (), (reach,), {}, by_hands=True))
    something_moves(script, frames=30)
    script.table.append(nine)
    for _ in range(3):
        script.look()
        something_moves(script, frames=2)
    script.rest(2.0)
    assert [kind for kind, _, _ in script.told()] == ["deal", "play", "draw"]


def test_a_hand_that_draws_beneath_its_players_head_has_drawn_once_though_the_play_is_seen_later() -> None:
    script = script_by_hands()
    script.draw_picture = draw_picture(20)
    script.look()
    ann = frozenset({PLAYERS.index("Ann")})
    reach = script.reach("Ann", (ANN_HOME, 0.1), (PLAY_AT, 0.3))
    for _ in range(6):
        script.t += STEP
        reach.update(DRAW_AT, script.t)
        frame = HandsFrame(script.t, (reach,), (), {DRAW: ann}, by_hands=True, bodies={DRAW: ann, PLAY: ann})
        script.events += script.maker.on_hands(frame)
    script.end(reach)
    somebody_leans(script, "Ann", DRAW, PLAY, frames=20)
    script.draw_picture = draw_picture(16)
    script.look(hidden=frozenset({PLAY}))
    somebody_leans(script, "Ann", PLAY, frames=20)
    script.table.append(card("9S", PLAY_AT))
    script.rest(4.0)
    assert draws(script) == [("Ann", 1)]
    assert ("play", "Ann", ("9S",)) in script.told()
    played, drawn = (next(e for e in script.events if e.event == kind) for kind in ("play", "draw"))
    assert drawn.t >= played.t, "nobody draws for a card before putting it down"


def test_nobody_is_taken_to_draw_beneath_a_head_while_the_hand_that_may_draw_is_seen() -> None:
    script = script_by_hands()
    script.draw_picture = draw_picture(20)
    script.play("Ann", card("9S", PLAY_AT))
    somebody_leans(script, "Ann", DRAW, frames=2)
    script.draw_picture = draw_picture(16)
    reach = script.reach("Ann", (ANN_HOME, 0.1))
    script.look()
    for _ in range(12):
        script.go_on(reach, [DRAW_AT, DRAW_AT, ANN_HOME])
    came = script.t
    script.go_on(reach, [DRAW_AT] * 5, over=(DRAW,))
    script.go_on(reach, [ANN_HOME] * 2)
    script.end(reach)
    script.draw_picture = draw_picture(12)
    script.rest(4.0)
    assert draws(script) == [("Ann", 1)]
    assert all(event.t >= came for event in script.events if event.event == "draw")


def test_who_has_put_nothing_down_since_others_have_draws_nothing_beneath_a_head() -> None:
    script = script_by_hands()
    script.draw_picture = draw_picture(20)
    script.play("Ann", card("9S", PLAY_AT))
    script.play("Bob", card("JS", (PLAY_AT[0] + 4.0, PLAY_AT[1])))
    script.end(script.reach("Bob", (BOB_HOME, 0.1), (DRAW_AT, 0.3), (BOB_HOME, 0.1)))
    script.draw_picture = draw_picture(16)
    script.rest(8.0)
    somebody_leans(script, "Ann", DRAW, frames=10)
    script.draw_picture = draw_picture(12)
    script.rest(4.0)
    assert draws(script) == [("Bob", 1)]


def test_nothing_was_drawn_if_a_draw_pile_that_shows_draws_looks_unchanged() -> None:
    script = script_by_hands()
    for name, width in (("9S", 20), ("JS", 16), ("QS", 19), ("KS", 15)):
        script.draw_picture = draw_picture(width)
        script.rest(1.0)
        script.play("Ann", card(name, (PLAY_AT[0] + width - 18.0, PLAY_AT[1])))
        script.end(script.reach("Ann", (ANN_HOME, 0.1), (DRAW_AT, 0.3), (ANN_HOME, 0.1)))
        script.draw_picture = draw_picture({20: 16, 16: 19, 19: 15}.get(width, width))
        script.rest(8.0)
    assert draws(script) == [("Ann", 1)] * 3


def test_a_hand_that_tosses_its_card_from_beside_the_draw_pile_draws_only_when_it_comes_back() -> None:
    script = script_by_hands()
    script.draw_picture = draw_picture(20)
    script.play("Ann", card("6H", PLAY_AT))
    beside = (DRAW_AT[0], DRAW_AT[1] + 60.0)
    hand = script.reach("Bob", (beside, 0.1))
    script.go_on(hand, [beside] * 2, over=[PLAY], apart=True)
    script.table.append(card("9S", (PLAY_AT[0] + 5.0, PLAY_AT[1])))
    script.look()
    script.go_on(hand, [beside] * 4)
    script.end(hand)
    script.rest(2.0)
    tossed = script.t
    script.end(script.reach("Bob", (BOB_HOME, 0.1), (DRAW_AT, 0.4), (BOB_HOME, 0.1)))
    script.draw_picture = draw_picture(16)
    script.rest(2.0)
    assert plays_and_draws(script)[-2:] == [("play", "Bob"), ("draw", "Bob")]
    assert script.events[-1].t > tossed


def test_a_camera_in_a_hand_may_miss_that_a_card_is_drawn_from_a_neat_pile() -> None:
    """The player had to draw, and the hand was there."""
    script = script_by_hands()
    script.hand_held = True
    for name, width in (("9S", 20), ("JS", 14), ("QS", 20), ("KS", 14)):
        script.draw_picture = draw_picture(width)
        script.rest(1.0)
        script.play("Ann", card(name, (PLAY_AT[0] + width - 18.0, PLAY_AT[1])))
        script.end(script.reach("Ann", (ANN_HOME, 0.1), (DRAW_AT, 0.3), (ANN_HOME, 0.1)))
        script.draw_picture = draw_picture(14 if name in ("9S", "QS") else 20 if name == "JS" else width)
        script.rest(8.0)
    assert draws(script) == [("Ann", 1)] * 4


def test_who_was_at_both_piles_only_before_a_card_came_has_not_played_it() -> None:
    script = script_by_hands()
    script.draw_picture = draw_picture(20)
    script.play("Cat", card("9S", PLAY_AT))
    between = ((PLAY_AT[0] + DRAW_AT[0]) / 2 + 10.0, 0.0)
    pointing = script.reach("Ann", (ANN_HOME, 0.1), (between, 0.5), (ANN_HOME, 0.1))
    script.end(pointing)
    script.rest(1.0)
    reach = script.reach("Bob", (BOB_HOME, 0.1), (PLAY_AT, 0.4), (DRAW_AT, 0.4), (BOB_HOME, 0.1))
    script.end(reach)
    script.table.append(card("JS", (PLAY_AT[0] + 5.0, PLAY_AT[1])))
    script.draw_picture = draw_picture(16)
    script.rest(4.0)
    told = [(kind, player) for kind, player, _ in script.told() if kind in ("play", "draw")]
    assert told == [("play", "Cat"), ("play", "Bob"), ("draw", "Bob")]


@pytest.mark.parametrize(("p", "plays"), [(0.92, [("6H",), ("6S", "6H")]), (0.99, [("6H",), ("6S",)])])
def test_a_card_of_the_last_play_s_rank_that_the_hand_hid_below_it_until_it_had_drawn_came_with_it(
    p: float, plays: list[tuple[str, ...]]
) -> None:
    script = script_by_hands()
    script.draw_picture = draw_picture(20)
    script.play("Ann", card("6H", PLAY_AT))
    script.end(script.reach("Ann", (ANN_HOME, 0.1), (DRAW_AT, 0.4), (ANN_HOME, 0.1)))
    script.draw_picture = draw_picture(16)
    something_moves(script, PLAY, frames=75)
    script.table.append(card("6S", (PLAY_AT[0] + 14.0, PLAY_AT[1]), p))
    script.rest(3.0)
    assert [event.cards for event in script.events if event.event == "play"] == plays


def test_a_card_of_the_last_play_s_rank_is_another_play_if_the_pile_lay_free_without_it_after_the_draw() -> (
    None
):
    """The play is against the rules, and the more reason not to take it for a part of the one before."""
    script = script_by_hands()
    script.draw_picture = draw_picture(20)
    script.play("Ann", card("6H", PLAY_AT))
    script.end(script.reach("Ann", (ANN_HOME, 0.1), (DRAW_AT, 0.4), (ANN_HOME, 0.1)))
    script.draw_picture = draw_picture(16)
    script.rest(2.0)
    script.end(script.reach("Ann", (ANN_HOME, 0.1), (PLAY_AT, 0.4), (ANN_HOME, 0.1)))
    script.table.append(card("6S", (PLAY_AT[0] + 14.0, PLAY_AT[1]), 0.92))
    script.rest(3.0)
    assert [event.cards for event in script.events if event.event == "play"] == [("6H",), ("6S",)]


def test_a_card_that_is_tossed_upon_one_that_was_hardly_read_is_of_the_hand_that_came_last() -> None:
    script = script_by_hands()
    script.table.append(Observation(*PLAY_AT, 90.0, "up", {"4C": 0.66, "AC": 0.3}))
    script.rest(1.0)
    script.reach("Bob", (PLAY_AT, 0.4))
    script.table.append(card("6S", (PLAY_AT[0] + 20.0, PLAY_AT[1])))
    script.rest(0.7)
    script.reach("Cat", (ANN_HOME, 0.1), ((PLAY_AT[0], 170.0), 0.2))
    something_moves(script, PLAY, frames=2)
    script.table.append(card("9S", PLAY_AT))
    script.rest(3.0)
    assert plays_and_draws(script)[-2:] == [("play", "Bob"), ("play", "Cat")]


def test_a_pile_went_with_the_hand_beneath_which_it_was_last_seen() -> None:
    script = script_by_hands()
    pile = card("9S", PLAY_AT)
    script.play("Ann", pile)
    script.rest(4.0)
    beside = (PLAY_AT[0], PLAY_AT[1] + 25.0)
    together(script, "Ann", beside, "Bob", BOB_HOME, PLAY_AT)
    bobs_hand = PLAYERS.index("Bob")
    lifted = replace(pile, x=pile.x - 10.0)
    script.look([UnderArm(bobs_hand, lifted, 0.8, True)], frozenset({PLAY}))
    script.table.clear()
    together(script, "Ann", beside, "Bob", PLAY_AT, BOB_HOME)
    script.rest(4.0)
    picked_up = [player for kind, player, _ in script.told() if kind == "pick_up"]
    assert picked_up == ["Bob"]


def test_a_pile_that_a_head_hid_was_not_picked_up_if_its_cards_come_to_light_again() -> None:
    script = script_by_hands()
    script.play("Ann", card("9S", PLAY_AT))
    script.rest(4.0)
    somebody_leans(script, "Bob", PLAY, frames=3)
    lying, script.table = script.table, []
    script.rest(2.0)
    assert script.told()[-1] == ("pick_up", "Bob", ("9S",))
    script.table = lying
    script.play("Cat", card("JD", (PLAY_AT[0] + 25.0, PLAY_AT[1])))
    script.rest(3.0)
    assert script.told()[1:] == [("play", "Ann", ("9S",)), ("play", "Cat", ("JD",))]


def test_a_card_of_a_fan_that_shows_under_a_hand_was_not_shown_to_anybody() -> None:
    script = script_by_hands()
    script.play("Ann", card("9S", PLAY_AT))
    script.rest(3.0)
    fan = card("7C", (ANN_HOME[0] - 150.0, ANN_HOME[1] + 40.0))
    near = (fan.x + 60.0, fan.y - 60.0)
    script.end(script.reach("Ann", (ANN_HOME, 0.1), (near, 0.3), (ANN_HOME, 0.2)))
    for _ in range(3):
        script.t += 0.1
        script.look([UnderArm(PLAYERS.index("Ann"), fan, 0.33, False)])
    script.play("Bob", card("JD", (PLAY_AT[0] + 20.0, PLAY_AT[1])))
    assert [told[0] for told in script.told()] == ["deal", "play", "play"]


def test_who_lifted_the_pile_before_has_not_lifted_a_card_that_was_put_there_since() -> None:
    script = script_by_hands()
    pile, king = card("9S", PLAY_AT), card("KD", PLAY_AT)
    script.play("Ann", pile)
    script.rest(4.0)
    together(script, "Ann", ANN_HOME, "Bob", BOB_HOME, PLAY_AT)
    lifted = replace(pile, x=pile.x - 10.0)
    script.look([UnderArm(PLAYERS.index("Bob"), lifted, 0.8, True)], frozenset({PLAY}))
    script.table.clear()
    together(script, "Ann", ANN_HOME, "Bob", PLAY_AT, BOB_HOME)
    script.rest(4.0)
    puts, home = ArmTrack.begin(90, PLAYERS.index("Cat"), script.t), (PLAY_AT[0], -220.0)
    for place, shows in [(home, ()), (PLAY_AT, ()), *[(PLAY_AT, (king,))] * 2, (home, ())]:
        for _ in range(3):
            script.t += STEP
            puts.update(place, script.t)
            covered = {PLAY: frozenset({puts.seat})}
            frame = HandsFrame(script.t, (puts,), (), covered, by_hands=True)
            script.events += script.maker.on_hands(frame)
        script.look([UnderArm(puts.seat, seen, 0.45, False) for seen in shows], frozenset({PLAY}))
    assert script.told()[-1] == ("play", "Cat", ("KD",))
    script.end(puts)
    script.rest(4.0)
    assert script.told() == [("deal", None, ()), ("play", "Ann", ("9S",)), ("pick_up", "Bob", ("9S",))]


def test_a_pile_that_lies_unmoved_beneath_a_resting_hand_goes_with_the_hand_that_comes_for_it() -> None:
    script = script_by_hands()
    pile = card("9S", PLAY_AT)
    script.play("Ann", pile)
    script.rest(4.0)
    beside = (PLAY_AT[0], PLAY_AT[1] + 25.0)
    rests, takes = (
        ArmTrack.begin(number, PLAYERS.index(player), script.t)
        for number, player in enumerate(("Ann", "Bob"))
    )
    for place in [BOB_HOME, BOB_HOME, PLAY_AT, PLAY_AT, BOB_HOME]:
        for _ in range(3):
            script.t += STEP
            rests.update(beside, script.t)
            takes.update(place, script.t)
            covered = {PLAY: frozenset({rests.seat})}
            frame = HandsFrame(script.t, (rests, takes), (), covered, by_hands=True)
            script.events += script.maker.on_hands(frame)
        if script.table:
            script.look([UnderArm(rests.seat, pile, 0.5, False)], frozenset({PLAY}))
        if place == PLAY_AT:
            script.table.clear()
    script.end(takes, rests)
    script.rest(4.0)
    picked_up = [player for kind, player, _ in script.told() if kind == "pick_up"]
    assert picked_up == ["Bob"]


def test_who_draws_has_played_if_only_hands_far_from_the_card_were_seen() -> None:
    script = script_by_hands()
    script.play("Cat", card("4H", PLAY_AT))
    script.rest(4.0)
    pointing = (PLAY_AT[0] - 120.0, PLAY_AT[1])
    script.end(script.reach("Bob", (BOB_HOME, 0.1), (pointing, 0.6), (BOB_HOME, 0.1)))
    something_moves(script, PLAY, frames=4)
    a_card_comes_and_ann_draws(script, 0.4)
    assert plays_and_draws(script) == [("play", "Cat"), ("play", "Ann"), ("draw", "Ann")]
    assert all(event.revise is None for event in script.events)


@pytest.mark.parametrize(("heads", "player"), [((), "Ann"), (("Cat", "Dan"), "Bob")])
def test_who_draws_next_has_played_beneath_heads_only_if_a_head_was_that_player_s(
    heads: Sequence[str], player: str
) -> None:
    """Otherwise the hand that was seen has played, though it came less near to the card than most do."""
    script = script_by_hands()
    script.play("Cat", card("4H", PLAY_AT))
    script.rest(4.0)
    beside = (PLAY_AT[0] - 100.0, PLAY_AT[1])
    script.end(hand_beneath_heads(script, "Bob", heads, BOB_HOME, beside, beside, BOB_HOME))
    a_card_comes_and_ann_draws(script, 1.5)
    assert [who for kind, who in plays_and_draws(script) if kind == "play"] == ["Cat", player]


def test_a_hand_beside_the_pile_beneath_its_own_players_head_has_played_whoever_draws_next() -> None:
    """Another player's head is over the pile, too, but that player's hands are seen at home."""
    script = script_by_hands()
    script.play("Dan", card("4H", PLAY_AT))
    script.rest(4.0)
    beside, heads = (PLAY_AT[0] - 90.0, PLAY_AT[1]), {PLAY: frozenset({1, 2})}
    bob, cat = (ArmTrack.begin(number, seat, script.t) for number, seat in ((8, 1), (9, 2)))
    for place in [place for place in (BOB_HOME, beside, beside, BOB_HOME) for _ in range(4)]:
        script.t += STEP
        bob.update(place, script.t)
        cat.update((0.0, -250.0), script.t)
        frame = HandsFrame(script.t, (bob, cat), (), {PLAY: frozenset({1})}, by_hands=True, bodies=heads)
        script.events += script.maker.on_hands(frame)
    script.end(bob, cat)
    a_card_comes_and_ann_draws(script, 1.0)
    assert [who for kind, who in plays_and_draws(script) if kind == "play"] == ["Dan", "Bob"]


@pytest.mark.parametrize(("edge", "player"), [(20, "Bob"), (14, "Ann")])
def test_a_play_whose_player_is_in_doubt_goes_to_who_plainly_takes_a_card_later(
    edge: int, player: str
) -> None:
    """`edge`: where the draw pile's uppermost card ends after that."""
    script = script_by_hands()
    script.draw_picture = draw_picture(20)
    script.play("Cat", card("4H", PLAY_AT))
    script.rest(4.0)
    beside = (PLAY_AT[0] - 100.0, PLAY_AT[1])
    script.end(script.reach("Bob", (BOB_HOME, 0.1), (beside, 0.4), (BOB_HOME, 0.1)))
    something_moves(script, PLAY, frames=4)
    script.table.append(card("9S", (PLAY_AT[0] + 5.0, PLAY_AT[1])))
    script.rest(2.3)
    script.end(script.reach("Ann", (ANN_HOME, 0.1), (DRAW_AT, 0.3), (ANN_HOME, 0.1)))
    script.draw_picture = draw_picture(edge)
    script.rest(4.0)
    told = [who for kind, who, _ in script.told() if kind in ("play", "draw")]
    assert told == ["Cat", player, *["Ann"] * (player == "Ann")]


def test_a_draw_while_the_table_was_lost_from_sight_is_told_if_one_player_was_due_a_card() -> None:
    script = script_by_hands()
    script.draw_picture = draw_picture(20)
    script.play("Ann", card("9S", PLAY_AT))
    script.t += 2.0
    script.draw_picture = draw_picture(16)
    script.rest(4.0)
    assert draws(script) == [("Ann", 1)]


def test_nobody_drew_while_the_table_was_lost_from_sight_if_the_draw_pile_looks_unchanged() -> None:
    script = script_by_hands()
    script.draw_picture = draw_picture(20)
    script.play("Ann", card("9S", PLAY_AT))
    script.t += 2.0
    script.rest(4.0)
    assert draws(script) == []


def test_if_a_hand_and_a_body_over_the_pile_are_of_two_players_the_draw_decides() -> None:
    script = script_by_hands()
    script.play("Ann", card("4H", PLAY_AT))
    script.rest(4.0)
    hand = hand_beneath_heads(script, "Dan", ["Cat"], (PLAY_AT[0] + 60.0, -80.0), PLAY_AT, PLAY_AT)
    script.end(hand)
    script.table.append(card("9S", (PLAY_AT[0] + 5.0, PLAY_AT[1])))
    script.rest(0.5)
    script.end(script.reach("Cat", ((0.0, -250.0), 0.1), (DRAW_AT, 0.3), ((0.0, -250.0), 0.1)))
    script.rest(4.0)
    assert plays_and_draws(script) == [("play", "Ann"), ("play", "Cat"), ("draw", "Cat")]


def test_a_pile_is_burnt_where_its_cards_lie_though_no_hand_was_seen_there() -> None:
    script = script_by_hands()
    script.play("Ann", card("9S", PLAY_AT))
    script.end(script.reach("Bob", (BOB_HOME, 0.1), (PLAY_AT, 0.4), (BOB_HOME, 0.1)))
    script.table = [card("9S", BURN_AT)]
    script.rest(4.0)
    assert script.told()[-1] == ("burn", "Bob", ("9S",))


def test_a_hand_that_is_lost_from_sight_on_its_way_to_the_burn_pile_has_burnt_the_pile() -> None:
    script = script_by_hands()
    script.play("Ann", card("9S", PLAY_AT))
    script.end(script.reach("Bob", (BOB_HOME, 0.1), (PLAY_AT, 0.4)))
    script.table.clear()
    script.rest(0.35)
    hand = script.reach("Bob", (BURN_AT, 0.4))
    script.table.append(down(BURN_AT))
    for _ in range(3):
        script.go_on(hand, [(0.0, 80.0)] * 2)
        script.look()
    script.go_on(hand, [BOB_HOME])
    script.end(hand)
    script.rest(1.0)
    assert script.told()[-1] == ("burn", "Bob", ("9S",))


def test_a_card_that_a_player_has_exchanged_into_the_hand_is_that_players_play() -> None:
    script = script_by_hands()
    spot, place = Zone("row", 1, 1), script.maker.layout.seats[1].row[1]
    script.end(script.reach("Bob", (place, 0.3), (BOB_HOME, 0.1)))
    script.rows[spot] = card("2S", place)
    script.rest(3.0)
    assert script.events[-1].event == "exchange"
    aside = (PLAY_AT[0], PLAY_AT[1] + 90.0)
    put = partial(script.table.append, card("JC", PLAY_AT))
    both(script, ("Ann", [PLAY_AT] * 3), ("Bob", [BOB_HOME, aside, BOB_HOME]), then=put)
    script.rest(3.0)
    assert script.told()[-1] == ("play", "Bob", ("JC",))


def test_a_card_that_came_to_light_with_a_burned_pile_is_not_shown_afterwards() -> None:
    script = script_by_hands()
    script.play("Bob", card("9S", PLAY_AT))
    shows = card("9H", (BURN_AT[0] - 15.0, BURN_AT[1] + 3.0), 0.97)
    script.end(script.reach("Bob", (PLAY_AT, 0.4), (BURN_AT, 0.3), (BOB_HOME, 0.1)))
    script.table = [card("9S", BURN_AT), shows]
    script.rest(3.0)
    assert script.told()[-1] == ("burn", "Bob", ("9S",))
    script.table[1] = replace(shows, x=shows.x + 11.0, angle=shows.angle + 40.0)
    script.end(script.reach("Bob", (BURN_AT, 0.3), (BOB_HOME, 0.1)))
    script.rest(3.0)
    assert [told[0] for told in script.told()] == ["deal", "play", "burn"]


def test_the_hand_that_put_the_pile_aside_has_burnt_it_though_another_lay_over_it() -> None:
    script = script_by_hands()
    script.play("Ann", card("9S", PLAY_AT))
    near = (PLAY_AT[0], PLAY_AT[1] + 40.0)
    together(script, "Ann", near, "Bob", BOB_HOME, PLAY_AT, (BURN_AT[0], BURN_AT[1] - 60.0), BOB_HOME)
    script.table = [down(BURN_AT)]
    script.rest(4.0)
    assert script.told()[-1] == ("burn", "Bob", ("9S",))


def test_a_single_look_that_reads_a_card_poorly_before_the_hand_is_back_tells_no_play() -> None:
    script = script_by_hands()
    script.play("Ann", card("9S", PLAY_AT))
    script.end(script.reach("Bob", (BOB_HOME, 0.1), (PLAY_AT, 0.2), (BOB_HOME, 0.1)))
    misread = card("10D", (PLAY_AT[0] + 20.0, PLAY_AT[1]), 0.65)
    script.table.append(misread)
    script.look()
    script.end(script.reach("Bob", (BOB_HOME, 0.1), (PLAY_AT, 0.2), (BOB_HOME, 0.1)))
    script.table.remove(misread)
    script.rest(3.0)
    assert [told for told in script.told() if told[0] == "play"] == [("play", "Ann", ("9S",))]


def test_a_pile_that_comes_to_light_beside_the_others_once_a_body_has_gone_was_burnt() -> None:
    script = script_by_hands()
    script.play("Ann", card("9S", PLAY_AT))
    script.end(script.reach("Bob", (BOB_HOME, 0.1), (PLAY_AT, 0.4), (BOB_HOME, 0.1)))
    script.table.clear()
    script.rest(2.0)
    assert script.told()[-1] == ("pick_up", "Bob", ("9S",))
    script.table = [down(BURN_AT)]
    for _ in range(3):
        script.rest(0.2)
        script.look()
    script.rest(0.2)
    assert script.told()[-1] == ("burn", "Bob", ("9S",))
    script.play("Bob", card("JD", PLAY_AT))
    assert script.told()[-1] == ("play", "Bob", ("JD",))


def test_a_card_of_a_fan_that_comes_to_light_far_from_the_burn_pile_burns_nothing() -> None:
    script = script_by_hands()
    script.maker.put_right(script.maker.layout.with_pile(BURN, BURN_AT), script.t)
    script.play("Ann", card("9S", PLAY_AT))
    script.end(script.reach("Bob", (BOB_HOME, 0.1), (PLAY_AT, 0.4), (BOB_HOME, 0.1)))
    script.table = [down(BURN_AT)]
    script.rest(2.0)
    script.table.append(down((-310.0, 300.0)))
    for _ in range(3):
        script.rest(0.2)
        script.look()
    script.rest(1.0)
    assert script.told()[-1] == ("pick_up", "Bob", ("9S",))


def test_a_single_look_that_reads_nothing_beneath_a_moving_head_does_not_take_the_pile() -> None:
    script = script_by_hands()
    script.play("Ann", card("9S", PLAY_AT))
    script.end(script.reach("Bob", (BOB_HOME, 0.1), (PLAY_AT, 0.2), (BOB_HOME, 0.1)))
    kept, script.table = script.table, []
    script.look()
    somebody_leans(script, "Ann", PLAY, frames=3)
    script.table = kept
    script.rest(3.0)
    assert script.told()[1:] == [("play", "Ann", ("9S",))]


def test_a_hand_that_is_lost_at_the_draw_pile_beneath_anothers_head_has_drawn() -> None:
    script = script_by_hands()
    script.draw_picture = draw_picture(20)
    script.play("Bob", card("9S", PLAY_AT))
    somebody_leans(script, "Ann", DRAW, PLAY, frames=5)
    reach = script.reach("Bob", (BOB_HOME, 0.1), (DRAW_AT, 0.05))
    somebody_leans(script, "Ann", DRAW, PLAY, frames=10)
    script.end(reach)
    script.draw_picture = draw_picture(16)
    script.rest(4.0)
    assert script.told()[1:] == [("play", "Bob", ("9S",)), ("draw", "Bob", ())]


def test_cards_taken_back_from_under_a_hand_are_withdrawn_though_each_look_misses_one_that_stays() -> None:
    script = script_by_hands()
    script.drawn = {}
    stays = [card("9S", PLAY_AT), card("JS", (PLAY_AT[0] + 20.0, PLAY_AT[1] + 12.0))]
    script.play("Ann", stays[0])
    script.play("Bob", stays[1])
    script.rest(3.0)
    held = card("KS", (PLAY_AT[0] + 30.0, PLAY_AT[1] + 25.0))
    script.table = [*stays, held]
    script.end(script.leave("Cat", held))
    assert script.told()[-1] == ("play", "Cat", ("KS",))
    for missed in stays:
        script.t += 0.15
        script.events += script.maker.on_hands(HandsFrame(script.t, (), (), {}, by_hands=True))
        script.table = [
            replace(seen, face="down", probabilities={}) if seen is missed else seen for seen in stays
        ]
        script.look()
    script.table = stays
    script.rest(3.0)
    assert script.told()[1:] == [("play", "Ann", ("9S",)), ("play", "Bob", ("JS",))]


def test_an_act_says_that_others_may_have_acted_if_anothers_head_hid_the_pile_before_it() -> None:
    for leans, unseen in (("Cat", True), ("Bob", False)):
        script = script_by_hands()
        script.play("Ann", card("9S", PLAY_AT))
        somebody_leans(script, leans, PLAY, frames=20)
        script.rest(2.0)
        script.end(script.reach("Bob", (BOB_HOME, 0.1), (PLAY_AT, 0.3), (BOB_HOME, 0.1)))
        script.table.append(card("JS", (PLAY_AT[0] + 4.0, PLAY_AT[1])))
        script.rest(3.0)
        play = next(event for event in script.events if event.cards == ("JS",))
        assert (play.player, play.unseen) == ("Bob", unseen)


def test_a_card_beside_a_head_that_stays_is_from_the_hand_that_was_there_when_it_came() -> None:
    script = script_by_hands()
    script.play("Ann", card("4H", PLAY_AT))
    script.rest(4.0)
    somebody_leans(script, "Cat", PLAY, frames=3)
    far = (PLAY_AT[0] + 60.0, -180.0)
    hand = hand_beneath_heads(script, "Dan", ["Cat"], far, PLAY_AT, PLAY_AT, far)
    head = {PLAY: frozenset({PLAYERS.index("Cat")})}
    left = HandsFrame(script.t, (), (hand,), {PLAY: frozenset()}, by_hands=True, bodies=head)
    script.events += script.maker.on_hands(left)
    script.table.append(card("9S", (PLAY_AT[0] + 5.0, PLAY_AT[1])))
    for _ in range(12):
        somebody_leans(script, "Cat", PLAY, frames=5)
        look = Look(script.t, tuple(script.cards()), (), frozenset({PLAY}))
        script.events += script.maker.on_look(look)
    script.rest(4.0)
    plays = [(player, cards) for kind, player, cards in script.told() if kind == "play"]
    assert plays == [("Ann", ("4H",)), ("Dan", ("9S",))]


def test_a_play_whose_hand_nobody_saw_may_be_anybodys_beneath_its_players_head() -> None:
    script = script_by_hands()
    script.play("Ann", card("9S", PLAY_AT))
    script.rest(2.0)
    somebody_leans(script, "Bob", PLAY, frames=4)
    script.table.append(card("JS", (PLAY_AT[0] + 4.0, PLAY_AT[1])))
    script.rest(4.0)
    play = next(event for event in script.events if event.cards == ("JS",))
    assert (play.player, play.unseen) == ("Bob", True)


def test_a_hidden_draw_is_told_though_the_next_player_has_played_when_the_head_leaves() -> None:
    script = script_by_hands()
    script.draw_picture = draw_picture(20)
    script.play("Ann", card("9S", PLAY_AT))
    somebody_leans(script, "Ann", DRAW, frames=60)
    script.draw_picture = draw_picture(16)
    script.end(script.reach("Bob", (BOB_HOME, 0.1), (PLAY_AT, 0.4), (BOB_HOME, 0.1)))
    script.table.append(card("JS", (PLAY_AT[0] + 4.0, PLAY_AT[1])))
    script.rest(4.0)
    drawn = next(event for event in script.events if event.event == "draw")
    played = next(event for event in script.events if event.cards == ("9S",))
    assert drawn.player == "Ann"
    assert 0.0 < drawn.t - played.t < 2.5


def test_a_card_that_lies_in_sight_beside_a_body_is_told_before_the_body_leaves() -> None:
    script = script_by_hands()
    script.play("Ann", card("4H", PLAY_AT))
    script.rest(4.0)
    hand = hand_beneath_heads(script, "Dan", ["Cat"], (PLAY_AT[0] + 60.0, -180.0), BESIDE_PILE, BESIDE_PILE)
    script.end(hand)
    script.table.append(card("9S", (PLAY_AT[0] + 5.0, PLAY_AT[1]), p=0.995))
    for _ in range(8):
        somebody_leans(script, "Cat", PLAY, frames=5)
        somebody_leans(script, "Bob", PLAY, frames=1)
        script.events += script.maker.on_look(Look(script.t, tuple(script.cards()), (), frozenset({PLAY})))
    assert [cards for kind, _, cards in script.told() if kind == "play"] == [("4H",), ("9S",)]


@pytest.mark.parametrize("before", [1, 5])
def test_a_hand_that_was_at_the_draw_pile_while_a_card_was_put_down_has_not_played_it(before: int) -> None:
    script = script_by_hands()
    script.draw_picture = draw_picture(20)
    script.play("Ann", card("4H", PLAY_AT))
    script.rest(4.0)
    near = (PLAY_AT[0] + 95.0, PLAY_AT[1])
    together(script, "Bob", DRAW_AT, "Dan", *(before * [(350.0, 0.0)]), *(3 * [near]), (350.0, 0.0))
    something_moves(script, PLAY, frames=2)
    script.draw_picture = draw_picture(16)
    script.table.append(card("9S", (PLAY_AT[0] + 5.0, PLAY_AT[1])))
    script.rest(4.0)
    plays = [(player, cards) for kind, player, cards in script.told() if kind == "play"]
    assert plays == [("Ann", ("4H",)), ("Dan", ("9S",))]


def test_a_hand_that_had_drawn_before_a_look_showed_the_pile_without_a_card_has_not_tossed_it() -> None:
    far = (0.0, 330.0)
    script = script_by_hands()
    script.drawn = {}
    script.play("Bob", card("4H", PLAY_AT))
    script.end(script.reach("Bob", (BOB_HOME, 0.1), (DRAW_AT, 0.4), (BOB_HOME, 0.1)))
    script.rest(0.7)
    script.look()
    script.rest(0.3)
    script.reach("Ann", (far, 0.3))
    script.table.append(card("9S", (PLAY_AT[0] + 5.0, PLAY_AT[1])))
    script.look()
    script.end(script.reach("Ann", (ANN_HOME, 0.2), (DRAW_AT, 0.4), (ANN_HOME, 0.1)))
    script.rest(4.0)
    assert plays_and_draws(script)[-2:] == [("play", "Ann"), ("draw", "Ann")]


def test_what_cannot_be_read_and_looks_as_it_did_after_the_first_play_is_no_play() -> None:
    """A pattern of the table beside the first card. Then a head passes over it."""
    script = Script(play=None, by_hands=True)
    script.drawn = {}
    pattern = Observation(PLAY_AT[0] - 15.0, PLAY_AT[1] + 2.0, 90.0, "up", {"8S": 0.12, "8C": 0.11})
    script.table, script.unread = [pattern], [pattern]
    script.play("Bob", card("5D", PLAY_AT))
    script.unread = []
    for _ in range(3):
        script.rest(0.3)
        script.look()
    something_moves(script, PLAY, frames=2)
    for _ in range(8):
        script.rest(0.3)
        script.look()
    assert [cards for kind, _, cards in script.told() if kind == "play"] == [("5D",)]


@pytest.mark.parametrize(
    ("seconds", "shows", "drawn"), [(2.0, 16, ["Ann"]), (0.4, 16, ["Bob"]), (2.0, 20, ["Bob"])]
)
def test_what_is_drawn_beneath_a_hand_that_points_is_of_the_only_player_who_still_has_to_draw(
    seconds: float, shows: int, drawn: list[str]
) -> None:
    script = script_by_hands()
    script.draw_picture = draw_picture(20)
    script.play("Ann", card("9S", PLAY_AT))
    script.end(script.reach("Bob", (BOB_HOME, 0.1), (DRAW_AT, seconds), (BOB_HOME, 0.1)))
    script.draw_picture = draw_picture(shows)
    script.rest(4.0)
    assert [player for player, _ in draws(script)] == (drawn if shows < 20 else [])


def test_of_two_players_who_still_have_to_draw_neither_is_given_what_a_pointing_hand_may_have_drawn() -> None:
    script = script_by_hands()
    script.draw_picture = draw_picture(20)
    script.play("Ann", card("9S", PLAY_AT))
    script.play("Cat", card("JS", PLAY_AT))
    script.end(script.reach("Bob", (BOB_HOME, 0.1), (DRAW_AT, 2.0), (BOB_HOME, 0.1)))
    script.draw_picture = draw_picture(16)
    script.rest(4.0)
    assert {player for player, _ in draws(script)} <= {"Bob"}


def test_two_quick_trips_to_the_draw_pile_are_no_pointing() -> None:
    script = script_by_hands()
    script.draw_picture = draw_picture(20)
    script.play("Ann", card("9S", PLAY_AT))
    trips = ((BOB_HOME, 0.1), (DRAW_AT, 0.2), (BOB_HOME, 0.4), (DRAW_AT, 0.2), (BOB_HOME, 0.1))
    script.end(script.reach("Bob", *trips))
    script.draw_picture = draw_picture(16)
    script.rest(4.0)
    assert "Ann" not in {player for player, _ in draws(script)}


def test_a_pile_that_a_body_hides_with_a_part_of_its_players_row_is_not_picked_up() -> None:
    """The hair is as dark as the cloth, so it is seen only as it comes."""
    script = script_by_hands()
    script.play("Bob", card("9S", PLAY_AT))
    middle = Zone("row", 0, 1)
    row, pile = script.rows[middle], script.table
    somebody_leans(script, "Ann", PLAY, frames=2)
    script.rows[middle], script.table = None, []
    script.rest(3.0)
    assert "pick_up" not in [event.event for event in script.events]
    script.rows[middle], script.table = row, pile
    script.rest(2.0)
    script.play("Cat", card("JD", (PLAY_AT[0] + 14.0, PLAY_AT[1])))
    plays = [(player, cards) for kind, player, cards in script.told() if kind != "deal"]
    assert plays == [("Bob", ("9S",)), ("Cat", ("JD",))]


def test_a_card_that_a_head_half_hides_is_not_taken_up_though_it_is_read_as_face_down() -> None:
    script = script_by_hands()
    script.play("Ann", card("9S", PLAY_AT))
    spot = Zone("row", 1, 2)
    something_moves(script, spot, frames=3)
    script.rows[spot] = down(script.maker.layout.spot(spot))
    script.rest(4.0)
    assert script.told()[1:] == [("play", "Ann", ("9S",))]


def test_a_card_that_a_hand_took_from_its_row_is_taken_up() -> None:
    script = script_by_hands()
    script.play("Ann", card("9S", PLAY_AT))
    spot = Zone("row", 1, 2)
    place = script.maker.layout.spot(spot)
    script.end(script.reach("Bob", (place, 0.4), (BOB_HOME, 0.1)))
    script.rows[spot] = down(place)
    script.rest(4.0)
    assert script.told()[1:] == [("play", "Ann", ("9S",)), ("take_up", "Bob", ("AD",))]


def test_a_card_of_a_set_that_lies_in_its_row_after_all_was_misread_on_the_pile() -> None:
    """A hand rests over the ace in Bob's row while a covered four on the pile is read as that ace."""
    script = script_by_hands()
    script.play("Ann", card("4D", PLAY_AT))
    ace = Zone("row", 1, 2)
    row, script.rows[ace] = script.rows[ace], None
    script.end(script.reach("Bob", (script.maker.layout.spot(ace), 0.2), (PLAY_AT, 0.3), (BOB_HOME, 0.1)))
    upper = (PLAY_AT[0] + 14.0, PLAY_AT[1])
    four = Observation(*PLAY_AT, 90.0, "up", {"AD": 0.92, "4D": 0.05})
    script.table = [four, card("5D", upper), card("5H", (upper[0] + 14.0, upper[1]))]
    script.rest(2.0)
    something_moves(script, ace, frames=3)
    script.rows[ace] = row
    script.rest(3.0)
    plays = [event for event in script.events if event.event == "play" and event.player == "Bob"]
    assert plays[0].cards == ("AD", "5D", "5H")
    assert (plays[-1].cards, plays[-1].source) == (("5D", "5H"), "hand")
    assert plays[-1].revise == plays[0].id
    assert "AD" not in script.maker.pile
