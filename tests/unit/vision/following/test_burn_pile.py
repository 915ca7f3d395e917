"""What lies on the burn pile, and what has just been put there."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.event_script import BURN_AT, PLAY_AT, Script, card, down
from vision.following.burn_pile import BurnPile
from vision.following.close_ups import CloseUp
from vision.following.looks import UnderArm
from vision.following.scene import Scene
from vision.hands.tracks import ArmTrack, HandsFrame
from vision.plane import TablePlane
from vision.table.layout import PLAY, Layout, Place, Seat
from vision.table.observations import Observation


def test_a_card_that_surely_was_not_taken_does_not_show_where_the_taken_ones_went() -> None:
    layout = Layout(TablePlane(np.eye(3)), 100, 100, (Seat("Ann", ((0, 0), (75, 0), (150, 0)), (0, 1)),))
    heap = BurnPile(Scene(layout, reaches=[ArmTrack(0, 0, 1.0, 2.0, path=[(1.5, (300.0, 0.0))])]))
    heap.add([card("3D", (300.0, 0.0))], 2.0)
    assert heap.places_since(2.5, ("4S", "7S")) == []
    assert heap.places_since(2.5, ("3D",)) == [(300.0, 0.0)]
    heap.look([Observation(310.0, 0.0, 90.0, "down")], 2.2)
    heap.add([Observation(310.0, 0.0, 90.0, "down")], 2.2)
    assert heap.places_since(2.5, ("4S", "7S")) == [(310.0, 0.0)]


@pytest.mark.parametrize(("packs", "burnt"), [(1, []), (2, [(310.0, 0.0)])])
def test_a_card_that_is_burnt_already_was_not_put_there_again(packs: int, burnt: list[Place]) -> None:
    layout = Layout(TablePlane(np.eye(3)), 100, 100, (Seat("Ann", ((0, 0), (75, 0), (150, 0)), (0, 1)),))
    reach = ArmTrack(0, 0, 1.0, 2.0, path=[(1.5, (300.0, 0.0))])
    heap = BurnPile(Scene(layout, reaches=[reach], burned=["10C"], packs=packs))
    heap.add([card("10C", (310.0, 0.0), 0.67)], 2.0)
    assert heap.places_since(2.5, ("4S", "7S")) == burnt
    heap.add([card("9C", (320.0, 0.0), 0.67)], 2.0)
    assert heap.places_since(2.5, ("4S", "7S")) == [*burnt, (320.0, 0.0)]


def test_a_card_that_was_seen_before_the_pile_went_was_not_put_there_with_it() -> None:
    layout = Layout(TablePlane(np.eye(3)), 100, 100, (Seat("Ann", ((0, 0), (75, 0), (150, 0)), (0, 1)),))
    heap = BurnPile(
        Scene(layout, reaches=[ArmTrack(0, 0, 1.0, 6.0, path=[(1.5, (300.0, 0.0)), (5.5, (300.0, 0.0))])])
    )
    card = Observation(300.0, 0.0, 90.0, "down")
    assert heap.look([card], 2.0) == [], "one look is none"
    heap.add(heap.look([card], 6.0), 6.0)
    assert heap.places_since(5.5) == []
    assert heap.places_since(2.5) == [(300.0, 0.0)]


@pytest.mark.parametrize("burn", [None, (300.0, 0.0)])
def test_what_is_outlined_beside_an_arm_was_put_there_only_if_it_is_seen_without_it(
    burn: Place | None,
) -> None:
    layout = Layout(
        TablePlane(np.eye(3)), 100, 100, (Seat("Ann", ((0, 0),), (0, 1)),), play=(0, 0), burn=burn
    )
    heap = BurnPile(Scene(layout, reaches=[ArmTrack(0, 0, 1.0, 6.0, path=[(5.5, (300.0, 0.0))])]))
    seen = card("3D", (300.0, 0.0))
    for t in (5.6, 5.8):
        fresh = heap.look([], t, under_arms=[seen])
    heap.add(fresh, 5.8)
    assert heap.places_since(5.5) == [(300.0, 0.0)]
    assert heap.places_since(5.5, sure=True) == []
    assert not heap.has_since(5.5, ["3D"])
    heap.look([seen], 6.0)
    assert heap.places_since(5.5, sure=True) == [(300.0, 0.0)]
    assert heap.has_since(5.5, ["3D"])


@pytest.mark.parametrize(("changed", "grown"), [(True, [(310.0, 0.0)]), (False, [])])
def test_a_burn_pile_that_looks_as_before_has_not_grown(changed: bool, grown: list[Place]) -> None:
    layout = Layout(TablePlane(np.eye(3)), 100, 100, (Seat("Ann", ((0, 0),), (0, 1)),), burn=(300.0, 0.0))
    heap = BurnPile(Scene(layout, reaches=[ArmTrack(0, 0, 10.0, 12.0, path=[(11.0, (300.0, 0.0))])]))
    before = np.random.default_rng(1).integers(0, 255, (390, 390, 3), np.uint8)
    after = before.copy()
    if changed:
        after[150:260, 150:260] = np.random.default_rng(2).integers(0, 255, (110, 110, 3), np.uint8)
    heap.look([], 5.0, burnt=CloseUp(before, (170.0, -130.0)))
    for t in (12.2, 12.4):
        card = Observation(310.0, 0.0, 90.0, "down")
        fresh = heap.look([card], t, burnt=CloseUp(after, (170.0, -130.0)))
    heap.add(fresh, 12.4)
    assert heap.places_since(12.0, ["4S"]) == grown, "the reader had overlooked it"


@pytest.mark.parametrize(("at", "grown"), [(8.0, []), (4.0, [(310.0, 0.0)])])
def test_what_lay_there_when_the_hand_came_was_not_put_there_by_it(at: float, grown: list[Place]) -> None:
    """A card was put there just before, and is read only now; the pile was last seen free at 7.5."""
    layout = Layout(TablePlane(np.eye(3)), 100, 100, (Seat("Ann", ((0, 0),), (0, 1)),), burn=(300.0, 0.0))
    heap = BurnPile(Scene(layout, reaches=[ArmTrack(0, 0, 8.0, 9.4, path=[(9.0, (300.0, 0.0))])]))
    bare, heaped = np.random.default_rng(1).integers(0, 255, (2, 390, 390, 3), np.uint8)
    for t, burnt in ((3.0, bare), (7.5, heaped)):
        heap.look([], t, burnt=CloseUp(burnt, (170.0, -130.0)))
    for t in (9.5, 9.7):
        fresh = heap.look([card("3D", (310.0, 0.0), p=0.5)], t, burnt=CloseUp(heaped, (170.0, -130.0)))
    heap.add(fresh, 9.7)
    assert heap.places_since(9.0, ["7H"]) == [(310.0, 0.0)]
    assert heap.places_since(9.0, ["7H"], unlike=at) == grown


def test_a_burn_pile_that_looks_as_before_got_nothing() -> None:
    burn = (0.0, 0.0)
    layout = Layout(TablePlane(np.eye(3)), 100, 100, (Seat("Ann", ((0, 0),), (0, 1)),), burn=burn)
    heap = BurnPile(Scene(layout))
    bare = np.full((390, 390, 3), 90, np.uint8)
    grown = bare.copy()
    grown[160:230, 150:200] = 200
    heap.look([], 1.0, burnt=CloseUp(bare, (-130.0, -130.0)))
    assert not heap.is_untouched(2.0, 3.0), "it was not seen since"
    heap.look([], 4.0, burnt=CloseUp(bare, (-130.0, -130.0)))
    assert heap.is_untouched(2.0, 3.0)
    assert not heap.is_untouched(0.5, 3.0), "nor before"
    heap.look([], 5.0, burnt=CloseUp(grown, (-130.0, -130.0)))
    assert not heap.is_untouched(2.0, 3.0)
    assert not heap.looks_otherwise(2.0, 3.0), "that may be a shadow"
    grown[150:270, 140:240] = 200
    heap.look([], 6.0, burnt=CloseUp(grown, (-130.0, -130.0)))
    assert heap.looks_otherwise(2.0, 3.0)
    assert not heap.looks_otherwise(0.5, 3.0), "it was not seen before"


@pytest.mark.parametrize("by_hands", [False, True])
def test_a_card_burnt_before_it_ever_lay_free_is_the_first_on_the_burn_pile(by_hands: bool) -> None:
    """Where that is nobody knows yet: it is where the hand paused and the card lies then."""
    script = Script(by_hands=by_hands)
    ten = card("10D", PLAY_AT, 0.9)
    reach = script.reach("Bob", (PLAY_AT, 0.3))
    for _ in range(2):
        script.look([UnderArm(reach.seat, ten, 0.6, False)], frozenset({PLAY}))
        script.go_on(reach, [PLAY_AT] * 2, over=[PLAY])
    script.go_on(reach, [BURN_AT] * 6)
    script.table = [card("10D", BURN_AT, 0.98)]
    script.rest(3.0)
    assert script.told()[1:] == [("play", "Bob", ("10D",)), ("burn", "Bob", ("10D",))]


def test_a_hidden_card_that_shows_under_the_hand_with_the_burnt_pile_was_not_shown() -> None:
    """It lay under the queen all the time. The hand rests where it has put the pile."""
    script = Script()
    script.play("Ann", card("9S", PLAY_AT))
    script.play("Bob", card("QS", PLAY_AT))
    script.table = []
    reach = script.reach("Bob", (PLAY_AT, 0.4))
    beside = (BURN_AT[0] + 12.0, BURN_AT[1] + 9.0)
    for _ in range(8):
        script.go_on(reach, [BURN_AT] * 2)
        held = (card("QS", BURN_AT, 0.98), card("7S", beside, 0.9))
        script.look([UnderArm(reach.seat, seen, 0.99, False) for seen in held])
    script.t += 0.3
    script.events += script.maker.on_hands(HandsFrame(script.t, (), (reach,), {}))
    script.end()
    script.table = [card("QS", BURN_AT, 0.98)]
    script.rest(3.0)
    assert [kind for kind, _, _ in script.told()] == ["deal", "play", "play", "burn"]


def test_a_hidden_card_that_comes_to_light_just_after_the_burn_was_not_shown() -> None:
    script = Script()

    def burn(*lying: Observation) -> ArmTrack:
        script.table = []
        reach = script.reach("Bob", (PLAY_AT, 0.4), (BURN_AT, 0.3), ((-390.0, 0.0), 0.1))
        script.table = list(lying)
        return reach

    earlier, top = down(BURN_AT, 20.0), card("QS", BURN_AT, 0.98)
    script.play("Ann", card("9S", PLAY_AT))
    script.end(burn(earlier))
    script.rest(3.0)
    script.play("Cat", card("QS", PLAY_AT))
    reach = burn(earlier, top)
    script.end(reach)
    while script.events[-1].event != "burn":
        script.rest(0.1)
    beside = (BURN_AT[0] + 12.0, BURN_AT[1] + 9.0)
    script.go_on(reach, [(BURN_AT[0], BURN_AT[1] - 100.0)] * 2)
    script.table.append(card("7S", beside, 0.98))
    script.end(reach)
    for _ in range(3):
        script.rest(0.2)
        script.look()
    script.play("Cat", card("JD", PLAY_AT))
    kinds = [kind for kind, _, _ in script.told()]
    assert kinds == ["deal", "play", "burn", "play", "burn", "play"]


@pytest.mark.parametrize("overlooked", [False, True])
def test_a_burnt_pile_that_one_look_overlooks_is_not_picked_up(overlooked: bool) -> None:
    """None lay where it is put, so that nothing else tells that it was burnt."""
    script = Script()
    script.play("Ann", card("9S", PLAY_AT))
    script.table = []
    reach = script.reach("Bob", (PLAY_AT, 0.4), (BURN_AT, 0.1))
    for _ in range(2):
        script.go_on(reach, [BURN_AT] * 3)
        script.look()
    burnt = [down(BURN_AT, 20.0)]
    for number, shown in enumerate((burnt, [] if overlooked else burnt, burnt, burnt)):
        script.t += 0.3
        script.events += script.maker.on_hands(HandsFrame(script.t, (), () if number else (reach,), {}))
        script.table = shown
        script.look()
    script.rest(2.0)
    assert script.told()[-1] == ("burn", "Bob", ("9S",))


@pytest.mark.parametrize("overlooked", [1, 2])
def test_a_pile_that_looks_overlook_with_no_hand_there_is_not_taken(overlooked: int) -> None:
    script = Script()
    script.play("Ann", card("9S", PLAY_AT))
    script.reach("Bob", (PLAY_AT, 0.3))
    script.look()
    table, script.table = script.table, []
    for _ in range(overlooked):
        script.t += 0.13
        script.look()
    script.table = table
    script.rest()
    assert script.told()[-1] == ("play", "Ann", ("9S",))
