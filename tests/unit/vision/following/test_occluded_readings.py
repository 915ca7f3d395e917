"""What was read on the play pile under a hand, and what it says of what is seen without it."""

from __future__ import annotations

import numpy as np

from tests.support.event_script import PLAY_AT, Script, card
from vision.following.looks import Look, UnderArm
from vision.following.occluded_readings import OccludedReadings, plainly_read
from vision.following.pile import Pile
from vision.plane import TablePlane
from vision.table.layout import PLAY, Layout, Seat
from vision.table.observations import Observation

TABLE = Layout(TablePlane(np.eye(3)), 100, 100, (Seat("Ann", ((0, 400),), (0, 1)),), play=(0.0, 0.0))


def up(name: str, x: float = 0.0, p: float = 0.97, angle: float = 90.0) -> Observation:
    return Observation(x, 0.0, angle, "up", {name: p})


def test_a_doubtful_card_is_the_one_of_the_set_that_was_read_there_under_the_hand() -> None:
    under_hand = OccludedReadings()
    under_hand.note(Look(1.0, (), (UnderArm(0, up("4D", 25, p=0.9), 0.8, False),)), TABLE, lambda _: False)
    seen = [[up("4H", p=0.99), up("AD", 26, p=0.85, angle=88)]] * 3
    view = Pile().view(seen, set())
    assert [card[0] for card in under_hand.named_as_read(view, (), ()).new] == ["4H", "4D"]
    assert under_hand.named_as_read(view, (), {"4D"}).new == view.new, "that one lies elsewhere"
    other = Pile().view([[up("4H", p=0.99), up("AD", 60, p=0.85)]] * 3, set())
    assert under_hand.named_as_read(other, (), ()).new == other.new, "it was read at another place"


def test_what_is_read_in_the_hand_that_carries_the_pile_does_not_count_later_it_does() -> None:
    under_hand = OccludedReadings()
    under_hand.taken_off(["4S"], 10.0)
    for t in (10.2, 10.4, 14.0, 14.2):
        under_hand.note(Look(t, (), (UnderArm(0, up("4S"), 0.9, moving=False),)), TABLE, lambda _: False)
        assert bool(under_hand.sure([], t, ())) == (t == 14.2)


def test_a_card_outlined_twice_in_one_look_was_read_once() -> None:
    under_hand = OccludedReadings()
    twice = tuple(UnderArm(0, up("JS", x), 0.6, moving=False) for x in (0, 9))
    under_hand.note(Look(10.0, (), twice), TABLE, lambda _: False)
    assert under_hand.sure([], 10.0, ()) == []
    under_hand.note(Look(10.2, (), twice[:1]), TABLE, lambda _: False)
    assert [name for name, _, _ in under_hand.sure([], 10.2, ())] == ["JS"]


def test_of_several_packs_two_alike_read_in_two_looks_beside_one_another_are_two() -> None:
    def read(*looks: tuple[float, ...]) -> list[str]:
        under_hand = OccludedReadings()
        for t, places in enumerate(looks):
            held = tuple(UnderArm(0, up("6C", x), 0.6, moving=False) for x in places)
            under_hand.note(Look(10.0 + t / 5, (), held), TABLE, lambda _: False)
        return [name for name, _, _ in under_hand.beside(["6C"], 10.5)]

    assert read((0, 25), (0,), (3, 30)) == ["6C"]
    assert read((0, 25), (0,), (3,)) == [], "they were seen so once"
    assert read((0, 9), (1, 10)) == [], "that is one card, outlined twice"
    assert read((0,), (25,), (0,), (25,)) == [], "that is one card, moved"


def test_the_suit_of_a_half_covered_card_is_what_was_read_under_the_hand_and_without_it_together() -> None:
    seen = Observation(0, 10, 86, "up", {"JD": 0.5, "JH": 0.46})
    view = Pile().view([[up("JS", 0), seen]] * 3, set())
    assert [name for name, _, _ in view.new] == ["JS", "JD"]
    under_hand = OccludedReadings()
    for t, p in ((1.0, 0.92), (1.2, 0.85)):
        held = UnderArm(0, Observation(-6, 4, 84, "up", {"JH": p, "JD": 0.1}), 0.8, moving=False)
        under_hand.note(Look(t, (), (held,)), TABLE, lambda _: False)
    read = {name: p for name, p, _ in under_hand.named_as_read(view, (), ()).new}
    assert set(read) == {"JS", "JH"}
    assert 0.5 < read["JH"] < 0.8
    assert under_hand.named_as_read(view, (), {"JH"}).new == view.new, "that one lies elsewhere"


def test_what_is_read_as_one_card_again_and_again_lies_there_though_no_two_looks_outline_it_alike() -> None:
    held = [up("10D", -3, 0.99, 173)]
    free = [up("10D", 0, 0.94, 88), up("10D", 8, 0.93, 177), up("10D", 8, 0.91, 3)]
    card = plainly_read(held, free, first_seen=True)
    assert card is not None
    assert card[0] == "10D"
    assert card[2] == free[0], "it lies where it is read best"
    assert plainly_read(held, free, first_seen=False) is None, "it was read before"
    assert plainly_read([], free, first_seen=True) is None, "no hand was seen to bring it"
    assert plainly_read(held, free[:2], first_seen=True) is None, "too seldom"
    doubtful = [up("10D", 0, 0.8), up("10D", 30, 0.8), up("10D", 60, 0.8)]
    assert plainly_read(held, doubtful, first_seen=True) is None


def test_what_was_read_twice_under_a_hand_counts_with_what_is_read_just_there_without_it() -> None:
    held = [up("10D", 0, 0.9), up("10D", 2, 0.9)]
    assert plainly_read(held, [up("10D", 3, 0.6)], first_seen=False) is not None
    assert plainly_read(held, [up("10D", 60, 0.99)], first_seen=False) is None


def test_what_went_with_the_hand_is_no_part_of_the_set_that_it_brings_later() -> None:
    """Who puts a card down, takes it back and then plays another of its rank has played one card."""
    script = Script()
    script.play("Ann", card("4H", PLAY_AT))
    tried = card("6S", (-40.0, 18.0), angle=30)
    reach = script.reach("Bob", (PLAY_AT, 0.1))
    for _ in range(3):
        script.look([UnderArm(reach.seat, tried, 0.6, False)], frozenset({PLAY}))
    script.rest(1.5)
    script.play("Bob", card("6H", (-60.0, 10.0), angle=60))
    script.rest(2.0)
    assert [event for event in script.told()[1:] if event[0] == "play"][-1] == ("play", "Bob", ("6H",))
