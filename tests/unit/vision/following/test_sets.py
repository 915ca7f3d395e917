"""The play pile, and other parts of the event logic by themselves."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
import pytest

from tests.support.told_pictures import ALL_NEW
from vision.following.looks import UnderArm
from vision.following.patches import Patch, same_patch
from vision.following.pile import Pile
from vision.following.reported_events import PutDown, ReportedEvents
from vision.following.scene import Scene
from vision.following.sets import NewCard, named_like_mates, without_doubtful
from vision.hands.tracks import ArmTrack
from vision.plane import TablePlane
from vision.table.layout import Layout, Place, Seat, Zone
from vision.table.observations import Observation

SPOT = Zone("row", 0, 0)


def up(name: str, x: float = 0.0, p: float = 0.97, angle: float = 90.0, **others: float) -> Observation:
    odds = {name: p} | {other.removeprefix("c"): q for other, q in others.items()}
    return Observation(x, 0.0, angle, "up", odds)


def pile_of(*cards: Observation) -> Pile:
    pile = Pile()
    pile.put([NewCard(str(card.best[0]), 1.0, card) for card in cards])
    return pile


def test_only_what_did_not_lie_there_before_is_new() -> None:
    pile = pile_of(up("4S"))
    view = pile.view([[up("4S"), up("9S", 20)]] * 2, set())
    assert [card[0] for card in view.new] == ["9S"]
    assert view.old == ("4S",)


def test_a_buried_card_does_not_come_out_on_top() -> None:
    pile = pile_of(up("8S"), up("KD", 30), up("2C", 60))
    view = pile.view([[up("8S", 90, p=0.6, c8C=0.35)]] * 2, set())
    assert [card[0] for card in view.new] == ["8C"]


def test_a_card_of_a_pile_that_was_straightened_is_not_new_while_the_uppermost_is_seen() -> None:
    """It lies elsewhere, half covered, and is read a little oftener as what it is than as its like."""
    pile = pile_of(up("5C"), up("6S", 30), up("7D", 60))
    moved = [up("5C", 90, p=0.6, c5S=0.35), up("6S", 75), up("7D", 60)]
    assert pile.view([moved] * 2, set()).new == ()


def test_what_seems_new_in_half_of_the_looks_is_not_surer_because_its_rivals_lie_elsewhere() -> None:
    pile, bare = pile_of(up("4S")), [up("4S")]
    doubtful = [up("4S"), up("JC", 20, p=0.87, cQC=0.11)]
    surely = [up("4S"), up("JC", 20, p=0.95, cQC=0.04)]
    assert not pile.view([bare, bare, doubtful, doubtful], {"QC"}).new
    assert [name for name, _, _ in pile.view([bare, doubtful, doubtful], {"QC"}).new] == ["JC"]
    assert [name for name, _, _ in pile.view([bare, bare, surely, surely], {"QC"}).new] == ["JC"]


def test_the_uppermost_card_half_covered_by_a_new_one_is_not_new_though_its_suit_is_misread() -> None:
    looks = [[up("7D"), up("JD", 4, p=0.9, angle=178, cJS=0.05)]] * 3
    pile = pile_of(up("4D"), up("JS", angle=180))
    assert [card[0] for card in pile.view(looks, set(), ALL_NEW).new] == ["7D"]
    elsewhere = pile_of(up("4D"), up("JS", 25, angle=180))
    assert [card[0] for card in elsewhere.view(looks, set(), ALL_NEW).new] == ["JD", "7D"]


def test_a_card_just_where_another_lay_counts_where_the_picture_shows_that_it_is_new() -> None:
    """Of a red jack under another one little shows, and the eight that lay in its place is covered."""
    looks = [[up("JH", 16), up("JD", p=0.65, cJH=0.14)]] * 2
    pile = pile_of(up("8S"), up("JS", 60, angle=10))
    assert [card[0] for card in pile.view(looks, set()).new] == ["JH"]
    assert [card[0] for card in pile.view(looks, set(), ALL_NEW).new] == ["JH", "JD"]


def test_of_a_card_of_another_rank_the_rank_must_be_sure_and_not_the_suit() -> None:
    four = up("4S", p=0.75, c4C=0.2)
    assert [card[0] for card in Pile().view([[up("7S", 12), four]] * 2, set()).new] == ["4S", "7S"]
    four_or_ace = up("4S", p=0.75, cAC=0.2)
    assert [card[0] for card in Pile().view([[up("7S", 12), four_or_ace]] * 2, set()).new] == ["7S"]


def test_a_card_of_a_rank_that_lies_there_may_be_one_of_those_outlined_twice() -> None:
    twice = [up("4S", p=0.63, angle=4, c4C=0.33), up("4C", 22, p=0.87, angle=174, c4S=0.11)]
    view = pile_of(up("4S", angle=4)).view([[up("2S", 15), *twice]] * 2, set())
    assert [card[0] for card in view.new] == ["2S"]


def test_a_card_hidden_under_others_in_its_place_is_hardly_the_one_that_is_seen_there() -> None:
    """One look took the new card for one that was put down there long before."""
    new = up("2C", p=0.65, c2S=0.3)
    assert pile_of(up("2S"), up("KD")).view([[new]] * 2, set()).old == ()
    assert pile_of(up("2S"), up("KD", 20)).view([[new]] * 2, set()).old == ("2S",), (
        "the king hides nothing of it"
    )


def test_a_new_card_may_lie_just_where_the_old_one_did() -> None:
    view = pile_of(up("8S")).view([[up("QD")]] * 2, set())
    assert [card[0] for card in view.new] == ["QD"]


def test_one_look_among_several_is_not_enough() -> None:
    view = Pile().view([[up("4S")], [], []], set())
    assert view.cards == 0


def test_a_doubtful_card_is_the_mate_of_one_that_was_put_down_with_it() -> None:
    top, below = up("8S", 0, p=1.0), Observation(0, -18, 90, "up", {"8D": 0.4, "8S": 0.1, "9S": 0.1})
    named = named_like_mates([("8S", 1.0), (None, 0.0)], [top, below], known=["5C"])
    assert [name for name, _ in named] == ["8S", "8D"]
    assert named[1][1] > 0.7
    alike = Observation(0, -18, 90, "up", {"8C": 0.4, "8S": 0.3})
    assert named_like_mates([("8S", 1.0), (None, 0.0)], [top, alike], known=[])[1][0] is None, (
        "outlined twice?"
    )
    assert named_like_mates([("8S", 1.0), (None, 0.0)], [top, below], known=["8S"])[1][0] is None, (
        "nothing new"
    )
    twice = named_like_mates([("8S", 1.0), (None, 0.0), (None, 0.0)], [top, below, below], known=[])
    assert [name for name, _ in twice] == ["8S", "8D", None]


def test_a_mate_of_the_same_colour_is_one_unless_it_may_be_the_other_one_outlined_twice() -> None:
    named = [("8H", 1.0), (None, 0.0)]
    top, below = up("8H", 0, p=1.0), Observation(0, -18, 90, "up", {"8D": 0.3, "10D": 0.2, "8H": 0.02})
    assert [name for name, _ in named_like_mates(named, [top, below], known=["8S"])] == ["8H", "8D"]
    twice = Observation(0, -18, 90, "up", {"8D": 0.3, "10D": 0.2, "8H": 0.1})
    assert named_like_mates(named, [top, twice], known=["8S"])[1][0] is None


def test_the_mate_of_a_card_that_was_told_under_the_hand_is_likelier_than_it_is_read() -> None:
    pile, below = pile_of(up("5S")), Observation(0, -18, 90, "up", {"5H": 0.5, "JH": 0.04})
    looks = [[up("5S"), below]] * 2
    (put_down,), (alone,) = pile.view(looks, set(), ranks={"5"}).new, pile.view(looks, set()).new
    assert put_down[:1] == alone[:1] == ("5H",)
    assert alone[1] < 0.75 < put_down[1]


@pytest.mark.parametrize(("as_the_black_one", "new"), [(0.13, ["6S"]), (0.02, ["6H", "6S"])])
def test_what_is_drawn_through_two_cards_of_the_pile_and_read_in_both_colours_is_neither(
    as_the_black_one: float, new: list[str]
) -> None:
    black, red = Observation(-64, 2, 100, "up", {"6C": 1.0}), Observation(-72, 34, 103, "up", {"6D": 0.95})
    pile = pile_of(red, black)
    through = Observation(-72, 20, 91, "up", {"6H": 0.5, "6D": 0.36, "6C": as_the_black_one})
    view = pile.view([[Observation(-67, 12, 94, "up", {"6S": 1.0}), red, through]] * 2, set())
    assert sorted(name for name, _, _ in view.new) == new


def test_a_set_keeps_its_rank_unless_other_cards_are_sure() -> None:
    seen = up("9S")
    assert [
        c[0]
        for c in without_doubtful(
            [NewCard("9S", 0.95, seen), NewCard("6D", 0.6, seen), NewCard("9H", 0.5, seen)]
        )
    ] == ["9S", "9H"]
    assert {c[0] for c in without_doubtful([NewCard("9S", 0.95, seen), NewCard("6D", 0.97, seen)])} == {
        "9S",
        "6D",
    }


def test_the_rank_that_is_being_played_is_the_sets_though_another_is_read_more_surely() -> None:
    seen = up("9S")
    new = [NewCard("KH", 0.96, up("KH", p=0.85)), NewCard("JD", 0.9, seen)]
    assert [card[0] for card in without_doubtful(new)] == ["KH"]
    assert [card[0] for card in without_doubtful(new, ranks={"J"})] == ["JD"]


def test_a_card_of_another_rank_is_none_where_its_like_is_known_to_lie_unseen() -> None:
    pile = pile_of(up("7H"), up("3S", 40))
    view = pile.view([[up("6S", 20, p=0.99), up("7D", p=0.92, angle=60, c7H=0.05), up("3S", 40)]] * 2, set())
    assert [card[0] for card in view.new] == ["6S"]
    across = pile.view([[up("6S", 20, p=0.99), up("7D", p=0.92, angle=0, c7H=0.05), up("3S", 40)]] * 2, set())
    assert {card[0] for card in across.new} == {"6S", "7D"}, "the seven that lies there lies across"
    seen = pile.view([[up("6S", 20, p=0.99), up("7D", 70, angle=0), up("7H"), up("3S", 40)]] * 2, set())
    assert {card[0] for card in seen.new} == {"6S", "7D"}, "both sevens are to be seen"


@pytest.mark.parametrize(("as_old", "new"), [(0.01, {"10D", "2S"}), (0.05, {"10D"})])
def test_a_card_that_is_well_read_and_hardly_as_its_like_below_is_another(
    as_old: float, new: set[str]
) -> None:
    pile = pile_of(up("2C"))
    view = pile.view([[up("10D", 8, p=0.99), up("2S", -22, p=0.91, c2C=as_old)]] * 2, set())
    assert {card[0] for card in view.new} == new


def test_a_card_of_the_uppermost_set_that_was_straightened_is_that_card_though_misread() -> None:
    sixes = pile_of(up("6C", -30), up("6H", 20), up("6D", 40))
    look = [up("6H"), up("6S", p=0.7, angle=145, c6C=0.25)]
    assert sixes.view([look] * 2, set()).new == ()
    put_upon = [up("6H"), up("6S", p=0.98, angle=145)]
    assert [card[0] for card in sixes.view([put_upon] * 2, set()).new] == ["6S"], "a fourth six is read well"


def test_the_lower_card_of_the_uppermost_set_may_have_been_moved_like_the_upper_one() -> None:
    nines = pile_of(up("4D", 40), up("9S", -30), up("9C"))
    look = [up("9C", p=0.99), up("9S", 8, p=0.61, angle=54, c9C=0.26, c3S=0.02)]
    assert nines.view([look] * 3, set()).new == ()


def test_both_ends_of_a_card_under_another_are_that_card_though_one_is_misread() -> None:
    pile = pile_of(up("8S", angle=0))
    top, end = up("8H"), up("8S", 10, p=0.6, angle=6, c8C=0.35)
    two_ends = [top, end, up("8C", -15, p=0.95, angle=174, c8S=0.04)]
    assert [card[0] for card in pile.view([two_ends] * 2, set()).new] == ["8H"]
    another = [top, end, up("8C", 25, p=0.95, angle=174, c8S=0.04)]
    assert {card[0] for card in pile.view([another] * 2, set()).new} == {"8H", "8C"}, "on the same side"


def test_a_card_seen_just_where_it_lies_is_no_end_of_itself() -> None:
    """What lies beside it in a fan, and much like it, is another one."""
    pile = pile_of(up("5D", 40, angle=0), up("5S", 0, p=0.99, angle=0))
    fan = [up("5S", 0, p=0.99, angle=0), up("5D", 41, p=0.85, angle=0, c5H=0.1)]
    fan.append(up("5H", 21, p=0.85, angle=0, c5D=0.1))
    assert [card[0] for card in pile.view([fan] * 3, set()).new] == ["5H"]


def test_two_of_a_fanned_set_that_are_read_as_different_cards_are_no_two_ends_of_one() -> None:
    pile = pile_of()
    top = up("8S", -30)
    eights = [up("8D", 11, p=0.87, c10D=0.05), up("8H", -8, p=0.74, c9H=0.11, cQH=0.06)]
    assert {card[0] for card in pile.view([[top, *eights]] * 2, set()).new} == {"8S", "8D", "8H"}


@pytest.mark.parametrize(("turn", "at", "reds"), [(90, 0, 1), (4, -35, 2)])
def test_one_that_lies_along_a_card_and_not_across_it_leaves_but_one_of_its_ends(
    turn: float, at: float, reds: int
) -> None:
    ends = [up("4D", 12, p=0.85, angle=0, c4H=0.1), up("4H", -11, p=0.85, angle=0, c4D=0.1)]
    upper = up("4S", at, p=0.99, angle=turn)
    assert len(pile_of().view([[upper, *ends]] * 3, set()).new) == 1 + reds


def test_both_ends_of_a_straightened_card_under_the_uppermost_are_that_card_though_one_is_misread() -> None:
    pile = pile_of(up("7C", 40, angle=0), up("8S"))
    top, end = up("8S", p=0.99), up("7C", -10, p=0.9, angle=57)
    for turned in (7, 14):
        ends = [top, end, up("7S", 9, p=0.9, angle=57 - turned, c7C=0.08)]
        assert pile.view([ends] * 2, set()).new == ()
    aside = [top, end, up("7S", 39, p=0.9, angle=50, c7C=0.08)]
    assert [card[0] for card in pile.view([aside] * 2, set()).new] == ["7S"], "not under it"


@pytest.mark.parametrize(("as_buried", "new"), [(0.25, []), (0.1, ["9S"])])
def test_a_guess_below_the_bare_uppermost_is_a_buried_card_where_that_is_hardly_less_likely(
    as_buried: float, new: list[str]
) -> None:
    pile = pile_of(up("QS", 40, angle=0), up("5S"))
    guess = Observation(-20.0, 5.0, 73.0, "up", {"9S": 0.45, "QS": as_buried})
    assert [card[0] for card in pile.view([[up("5S", p=0.99), guess]] * 3, set()).new] == new


def test_what_cannot_be_named_in_a_pile_that_a_hand_has_moved_is_one_of_its_cards() -> None:
    pile = pile_of(up("4D", 5, angle=20), up("4H", -5, angle=20), up("6C"))
    unread = Observation(-11.0, 0.0, 66.0, "up", {"QH": 0.2, "4D": 0.2})
    moved = [up("6C", p=0.99), up("4H", 5, p=0.94, angle=60), unread]
    assert pile.view([moved] * 4, set()).new == ()
    as_it_was = [up("6C", p=0.99), up("4H", -5, p=0.94, angle=20), unread]
    assert [card[0] for card in pile.view([as_it_was] * 4, set()).new] == ["??"]


def test_a_card_of_another_rank_is_not_surer_because_what_rivals_it_lies_elsewhere() -> None:
    pile = pile_of(up("4D", 40))
    doubtful = up("AD", 20, p=0.8, angle=0, **{"4D": 0.2})
    view = pile.view([[up("4S", p=0.99), doubtful, up("4D", 40)]] * 2, set())
    assert [card[0] for card in view.new] == ["4S"]
    assert [card[0] for card in view.doubtful] == ["AD"]


def test_a_card_told_under_a_hand_is_sure_once_it_is_surely_read_in_its_place_without_one() -> None:
    pile = pile_of(up("6S", 40))
    pile.confirm([[up("6S", 40, p=0.99)]])
    pile.confirm([[up("6S", 40, p=0.9)]] * 2)
    pile.confirm([[up("6S", 80, p=0.99)]] * 2)
    assert [card.sure for card in pile.cards] == [False], "one look, a doubtful one, one somewhere else"
    pile.confirm([[up("6S", 40, p=0.99)]] * 2)
    assert [card.sure for card in pile.cards] == [True]
    bare = pile.view([[up("6C", 40, p=0.99)]] * 2, set())
    assert pile.misread_before(NewCard("6C", 0.99, up("6C", 40, p=0.99)), bare) is None


@pytest.mark.parametrize(("p", "new"), [(0.5, ["6D"]), (0.99, ["5C", "6D"])])
def test_an_end_beyond_a_new_card_that_lies_across_is_no_card_whatever_its_suit_seems(
    p: float, new: list[str]
) -> None:
    pile = pile_of(up("5H", angle=0))
    both_ends = [up("5H", -8, angle=0), up("5C", 8, p=p, angle=0)]
    view = pile.view([[up("6D", p=0.99), *both_ends]] * 2, set())
    assert sorted(card[0] for card in view.new) == new


@pytest.mark.parametrize(("p", "misread"), [(0.9, "6S"), (0.999, None)])
def test_a_buried_card_that_was_almost_certain_under_the_hand_was_not_misread(
    p: float, misread: str | None
) -> None:
    """Somebody else put a card of its rank and colour where it lies."""
    pile = pile_of(up("6S", 40, p=p), up("9H", 80))
    view = pile.view([[up("6C", 40, p=0.999)]] * 2, set())
    found = pile.misread_before(NewCard("6C", 0.999, up("6C", 40, p=0.999)), view)
    assert (found and found.name) == misread


def test_a_doubtful_second_card_of_the_rank_and_colour_of_one_that_is_unseen_is_that_one() -> None:
    pile = pile_of(up("3S", 40))
    view = pile.view([[up("3H", p=0.99, angle=0), up("3C", 60, p=0.92, c3S=0.05)]] * 2, set())
    assert [card[0] for card in view.new] == ["3H"]
    both = pile.view([[up("3H", p=0.99, angle=0), up("3C", 60, p=0.92, c3S=0.05), up("3S", 40)]] * 2, set())
    assert {card[0] for card in both.new} == {"3H", "3C"}, "the other one is to be seen"


def test_a_doubtful_second_card_is_another_one_where_the_picture_shows_that_it_is_new() -> None:
    pile = pile_of(up("3S", 40))
    look = [up("3H", p=0.99, angle=0), up("3C", 60, p=0.92, c3S=0.05), up("KS", 80, p=0.92, cKC=0.05)]
    unseen_king = pile_of(up("3S", 40), up("KC", 90))
    view = pile.view([look[:2]] * 2, set(), ALL_NEW)
    assert {card[0] for card in view.new} == {"3H", "3C"}
    other_rank = unseen_king.view([look] * 2, set(), ALL_NEW)
    assert {card[0] for card in other_rank.new} == {"3H", "3C"}, "one of another rank stays doubtful"


def test_a_card_read_all_but_certainly_is_new_though_another_lay_in_its_place() -> None:
    pile = pile_of(up("7H", 20))
    view = pile.view([[up("6C", 55, p=0.99), up("5H", 20, p=0.98)]] * 2, set())
    assert {card[0] for card in view.new} == {"6C", "5H"}


def test_a_doubtful_card_just_where_one_much_like_it_lies_is_that_one_read_once_more() -> None:
    pile = pile_of(up("8D"), up("9H", 40, angle=0))
    echo = up("8H", 5, p=0.8, angle=93)
    assert not pile.view([[up("8D"), up("9H", 40, angle=0), echo]] * 3, set()).new
    beside = up("8H", 60, p=0.8, angle=93)
    apart = pile.view([[up("8D"), up("9H", 40, angle=0), beside]] * 3, set())
    assert [card[0] for card in apart.new] == ["8H"]
    black = up("9D", 44, p=0.95, angle=2, c9H=0.01)
    half_covered = pile_of(up("9C", 40, angle=0), up("9H"))
    assert not half_covered.view([[up("9H"), black]] * 3, set()).new, "it is the 9C, of which little shows"


@pytest.mark.parametrize(("as_unseen", "new"), [(0.22, ["6H"]), (0.1, ["6H", "6S"])])
def test_a_guess_is_an_unseen_card_that_is_hardly_less_likely_though_its_outline_lies_beside_that(
    as_unseen: float, new: list[str]
) -> None:
    pile = pile_of(up("6C"))
    look = [up("6H", 3, p=0.99, angle=0), up("6S", -12, p=0.3, angle=102, c6C=as_unseen)]
    assert [card[0] for card in pile.view([look] * 4, set(), ALL_NEW).new] == new


def test_a_doubtful_card_of_a_rank_that_lay_there_is_new_where_the_picture_shows_that_it_is() -> None:
    pile = pile_of(up("6S"))
    looks = [[up("6H", p=0.99, angle=95), up("6C", 8, p=0.84, angle=84)]] * 3
    assert [card[0] for card in pile.view(looks, set()).new] == ["6H"], "it may be the 6S"
    assert [card[0] for card in pile.view(looks, set(), ALL_NEW).new] == ["6H", "6C"]


def test_what_cannot_be_named_and_lies_nearly_as_an_unseen_card_is_that_card() -> None:
    pile = pile_of(up("4D", 5, angle=20), up("6C"))
    unread = Observation(-8.0, 9.0, 24.0, "up", {"QH": 0.2, "4D": 0.2})
    assert pile.view([[up("6C", p=0.99), unread]] * 4, set()).new == ()


def test_a_card_that_is_read_as_one_of_the_pile_is_no_card_that_cannot_be_read() -> None:
    """A three that lies under a king was moved, so that both its ends stick out."""
    pile = pile_of(up("3H", angle=95), up("KH"))
    moved = up("3H", 3, p=0.8, angle=28)
    assert not pile.view([[up("KH"), moved]] * 5, set()).new
    unread = up("5H", 3, p=0.2, angle=28)
    assert [card[0] for card in pile.view([[up("KH"), unread]] * 5, set()).new] == ["??"]


def test_what_cannot_be_named_does_not_hide_that_the_upper_cards_were_taken_off() -> None:
    pile = pile_of(up("7H"), up("JC", 3), up("AH"))
    unnamed = up("5H", 2, p=0.2, angle=35)
    view = pile.view([[up("7H"), unnamed]] * 5, set())
    assert [card[0] for card in view.new] == ["??"]
    assert pile.is_laid_bare(view, {"AH"}, gone=False, doubtful=True)
    assert not pile.is_laid_bare(view, {"AH", "7H"}, gone=False, doubtful=True), (
        "the seven was seen before, too"
    )
    assert pile.is_laid_bare(view, {"AH", "7H"}, gone=True, doubtful=False), (
        "and the ace's index is no more where it was"
    )
    covering = pile.view([[up("7H", 70), up("QS", p=0.99)]] * 5, set())
    for gone in (False, True):
        assert not pile.is_laid_bare(covering, {"AH"}, gone=gone, doubtful=False), "a queen lies on the ace"


def test_a_revision_names_the_first_telling() -> None:
    log = ReportedEvents()
    first = log.add("play", 1.0, 1.2, player="Ann", cards=("7S",))
    second = log.revise(first, 1.9, cards=("7S", "7D"))
    third = log.revise(second, 2.2, cards=("7S", "7D", "7H"))
    assert (second.revise, third.revise) == (first.id, first.id)
    assert [event.id for event in log.take()] == [1, 2, 3]
    assert log.take() == []


@pytest.mark.parametrize("drawn", [False, True])
def test_whoever_showed_the_card_that_seemed_played_has_to_draw_unless_that_is_done(drawn: bool) -> None:
    log = ReportedEvents()
    played = log.add("play", 1.0, 1.2, player="Ann", cards=("3S",))
    if drawn:
        log.add("draw", 2.0, 2.2, player="Ann", count=1)
    log.revise(played, 4.0, event="show", to="Bob")
    assert [put.shown for put in log.put_down.values()] == ([] if drawn else [True])


def test_patches_tell_whether_anything_changed() -> None:
    patch = np.full((10, 12, 3), 100, np.uint8)
    assert same_patch(Patch(patch), Patch(patch + 3))
    assert not same_patch(Patch(patch), Patch(patch + 60))
    part = patch.copy()
    part[2:5, 3:8] += 20
    assert not same_patch(Patch(patch), Patch(part))
    assert not same_patch(None, Patch(patch))
    assert not same_patch(Patch(patch[:5]), Patch(patch))


def test_a_swaying_camera_changes_no_place_by_a_part_of_a_pixel() -> None:
    fine = np.random.default_rng(5).integers(60, 200, (10 * 12, 12 * 12, 1), np.uint8).repeat(3, axis=2)
    moved = (np.roll(fine, by, axis=(0, 1)) for by in (0, 2))
    seen = (cv2.resize(pixels, (26, 26), interpolation=cv2.INTER_AREA) for pixels in moved)
    before, after = (np.asarray(pixels, np.uint8) for pixels in seen)
    assert not same_patch(Patch(before), Patch(after))
    assert not same_patch(Patch(before), Patch(after, hand_held=True)), "fine detail counts on a stand"
    assert same_patch(Patch(before, hand_held=True), Patch(after, hand_held=True))
    card = before.copy()
    card[:, 5:10] = 250
    assert not same_patch(Patch(before, hand_held=True), Patch(card, hand_held=True))


def test_an_addition_is_made_to_the_latest_form() -> None:
    log = ReportedEvents()
    first = log.add("play", 1.0, 1.2, player="Ann", cards=("7S",))
    log.revise(first, 1.9, cards=("7S", "7D"))
    log.add("draw", 2.0, 2.1, player="Ann", count=1)
    assert log.latest(first).cards == ("7S", "7D")
    assert not log.is_newest(first)
    assert log.revise(first, 2.5, player="Bob").cards == ("7S", "7D")
    assert log.last is not None
    assert log.last.event == "draw", "a late change makes nothing the newest"


@pytest.mark.parametrize(
    ("told", "revised"),
    [
        ({"source": "hand"}, {"event": "flip", "source": "down"}),
        ({"source": "up"}, {"source": "hand"}),
        ({"source": "hand"}, {"source": "up"}),
        ({"source": "up"}, {"cards": ("7S", "7D")}),
        ({"source": "up"}, {"source": "hand+up", "cards": ("7S", "7D")}),
        ({"source": "hand"}, {"cards": ("7S", "7D")}),
        ({"source": "hand"}, {"withdrawn": True}),
        ({"source": "up"}, {"withdrawn": True}),
    ],
)
def test_after_a_revision_as_many_cards_are_due_as_if_the_last_form_had_been_told_at_once(
    told: dict[str, Any], revised: dict[str, Any]
) -> None:
    log, at_once = ReportedEvents(), ReportedEvents()
    first = log.add("play", 1.0, 1.2, player="Ann", cards=("7S",), **told)
    last = log.revise(first, 1.9, **revised)
    if not last.withdrawn:
        at_once.add(last.event, 1.0, 1.2, player="Ann", cards=last.cards, source=last.source)
    assert log.put_down_by("Ann") == at_once.put_down_by("Ann")


def test_nobody_holds_the_cards_of_a_pick_up_that_is_withdrawn() -> None:
    log = ReportedEvents()
    taken = log.add("pick_up", 1.0, 1.2, player="Ann", cards=("7S",))
    assert log.held == {"7S": "Ann"}
    log.revise(taken, 1.9, withdrawn=True)
    assert log.held == {}


def test_others_have_played_since_though_an_older_play_is_reported_after_theirs() -> None:
    log = ReportedEvents()
    log.add("play", 2.0, 2.2, player="Ann", cards=("7S",), source="hand")
    due = log.put_down_by("Ann")
    assert due is not None
    log.add("play", 4.0, 4.2, player="Bob", cards=("8S",), source="hand")
    log.add("play", 1.0, 4.4, player="Cat", cards=("5S",), source="hand")
    assert log.is_past(due)


def test_a_flip_that_turns_out_to_be_a_play_from_the_hand_is_drawn_for() -> None:
    log = ReportedEvents()
    flip = log.add("flip", 1.0, 1.2, player="Ann", cards=("7S",), source="down")
    assert log.put_down_by("Ann") is None
    log.revise(flip, 1.9, event="play", source="hand")
    assert log.put_down_by("Ann") == PutDown(1.0, 1)


@pytest.mark.parametrize(("drawn", "due"), [(False, 3), (True, 2)])
def test_a_shown_card_is_drawn_for_with_the_next_play_if_it_was_not_before(drawn: bool, due: int) -> None:
    log = ReportedEvents()
    log.add("show", 1.0, 1.2, player="Bob", cards=("3C",), to="Ann", answers=(("Ann", "Bob"),))
    if drawn:
        log.add("draw", 2.0, 2.2, player="Ann", count=1)
    log.add("play", 3.0, 3.2, player="Ann", cards=("KD", "KH"), source="hand")
    put = log.put_down_by("Ann")
    assert put is not None
    assert put.count == due


def test_a_play_that_is_withdrawn_twice_takes_no_earlier_card_with_it() -> None:
    log = ReportedEvents()
    play = log.add("play", 1.0, 1.2, player="Ann", cards=("7S",), source="hand")
    log.revise(play, 1.9, withdrawn=True)
    log.add("play", 2.0, 2.2, player="Ann", cards=("8S",), source="hand")
    log.revise(play, 2.5, withdrawn=True)
    assert log.put_down_by("Ann") == PutDown(2.0, 1)


def test_cards_found_below_a_play_whose_draw_is_over_are_due_since_they_were_put_down() -> None:
    log = ReportedEvents()
    play = log.add("play", 1.0, 1.2, player="Ann", cards=("7S",), source="hand")
    log.add("draw", 2.0, 2.2, player="Ann", count=1)
    log.revise(play, 2.5, cards=("7D", "7S"))
    due = log.put_down_by("Ann")
    assert due == PutDown(1.0, 1)
    assert not log.is_past(due), "nobody has played since"


def test_a_doubtful_card_in_the_top_s_place_does_not_hide_it_where_a_buried_one_comes_to_light() -> None:
    pile = pile_of(up("7H"), up("JC", 3), up("AH", 30))
    view = pile.view([[up("7H"), up("QS", 30, p=0.6)]] * 5, set(), ALL_NEW)
    assert [card[0] for card in view.new] == ["QS"]
    assert pile.is_laid_bare(view, {"AH"}, gone=True, doubtful=True)
    for seen, gone, doubtful in (({"AH"}, True, False), ({"AH"}, False, True), ({"AH", "7H"}, True, True)):
        assert not pile.is_laid_bare(view, seen, gone=gone, doubtful=doubtful), "the queen lies on the ace"


@pytest.mark.parametrize(("as_buried", "bare"), [(0.3, True), (0.1, False)])
def test_a_guess_in_the_top_s_place_that_may_be_a_buried_card_does_not_hide_the_top(
    as_buried: float, bare: bool
) -> None:
    pile = pile_of(up("4H", -20), up("6C", 5), up("JC", 3), up("AH", 12))
    look = [up("4H", -20), up("JC", 3), up("6S", 12, p=0.45, c6C=as_buried)]
    view = pile.view([look] * 5, set(), ALL_NEW)
    assert [card[0] for card in view.new] == ["6S"]
    assert pile.is_laid_bare(view, {"AH", "JC"}, gone=True, doubtful=False) is bare


@pytest.mark.parametrize(
    ("tip", "left"),
    [((0.0, 20.0), False), ((0.0, -88.0), False), ((0.0, -110.0), True), ((88.0, 0.0), True)],
    ids=["hand", "shadow ahead", "gone on", "gone aside"],
)
def test_a_hand_has_left_a_card_behind_that_it_is_away_from(tip: Place, *, left: bool) -> None:
    """What is held out casts a shadow ahead, which seems to be the arm's tip."""
    seats = (Seat("Ann", ((-75.0, 220.0), (0.0, 220.0), (75.0, 220.0)), (0.0, 1.0)),)
    layout = Layout(TablePlane(np.eye(3)), 1000, 600, seats)
    scene = Scene(layout, reaches=[ArmTrack(1, 0, 1.0, 2.0, tip)])
    assert scene.is_left_behind(UnderArm(0, up("3D"), 0.3, moving=False)) is left
