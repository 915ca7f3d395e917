"""Cards of the pile that plainly stay where they lay: what is seen above them is none of them."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import cast

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support.event_script import DRAW_AT, PLAY_AT, Script, card
from tests.support.told_pictures import told_pair
from tests.unit.vision.following.test_patches import LAYOUT, UPRIGHT
from vision.following.close_ups import CloseUp, PicturePair, close_up
from vision.following.looks import UnderArm
from vision.following.new_cards import NewCardFilter
from vision.following.pick_ups import Taking
from vision.following.pile import Pile, PileView
from vision.following.pile_pictures import PilePictures
from vision.following.play_log import PlayLog
from vision.following.sets import NewCard
from vision.table.layout import DRAW
from vision.table.observations import Observation

THREE, FIVE = card("3H", (-60.0, 0.0)), card("5S", (-60.0, 0.0), angle=99.0)
PLAYED = [card("7H", (-62.0, -8.0), 0.99), Observation(-62.0, 17.0, 90.0, "up", {"5C": 0.93, "5S": 0.04})]


def stays(*those: Observation, new: bool = True) -> PicturePair:
    """What pictures tell where these cards stay, and whether all that is seen was not there before."""
    return told_pair(shows_new=lambda _: new, stays_beneath=lambda card, *_: card in those)


def view(below: Sequence[Observation], look: Sequence[Observation], pictured: PicturePair) -> PileView:
    pile = Pile()
    for lying in below:
        pile.put([NewCard(str(lying.best[0]), 1.0, lying)])
    return pile.view([look] * 2, set(), pictured)


def names(view: PileView) -> set[str]:
    return {name for name, _, _ in view.new}


def test_a_card_rather_read_as_one_that_stays_below_is_its_like() -> None:
    upper = card("3S", (-67.0, -9.0), 0.99)
    red = Observation(-68.0, 16.0, 90.0, "up", {"3H": 0.7, "3D": 0.25})
    assert names(view([THREE], [upper, red], stays())) == {"3S"}
    assert names(view([THREE], [upper, red], stays(THREE))) == {"3S", "3D"}
    assert names(view([THREE], [upper, red], stays(THREE, new=False))) == {"3S"}, "it was to be seen there"


def test_a_card_of_another_rank_like_one_that_stays_below_came_with_the_play() -> None:
    assert names(view([FIVE], PLAYED, stays())) == {"7H"}, "the five may have been moved"
    assert names(view([FIVE], PLAYED, stays(FIVE))) == {"7H", "5C"}


def test_an_edge_where_another_card_lies_just_so_tells_nothing() -> None:
    below = card("9D", (-61.0, 1.0), angle=98.0)
    assert names(view([below, FIVE], PLAYED, stays(FIVE, below))) == {"7H"}


def table(x: int, upon: bool, mate: int | None = None, *, inked: bool = False) -> CloseUp:
    """Return a picture of a card on wood, so far (mm) aside, and maybe of one that lies upon it.

    Between the two one like the lower may lie, so far (mm) below; both may bear an index.
    """
    grain = np.random.default_rng(5).normal(90, 5, (640, 640, 1)).repeat(3, axis=2)
    frame: NDArray[np.uint8] = np.clip(grain, 0, 255).astype(np.uint8)
    cards = [(320 + 2 * x - 63, 232, inked, 215)]
    cards += [] if mate is None else [(320 - 63, 232 + 2 * mate, inked, 215)]
    cards += [(320 - 63 - 24, 232, False, 225)] if upon else []
    for left, top, index, colour in cards:
        cv2.rectangle(frame, (left, top), (left + 126, top + 176), (colour,) * 3, -1)
        cv2.rectangle(frame, (left, top), (left + 126, top + 176), (120,) * 3, 1)
        if index:
            cv2.ellipse(frame, (left + 114, top + 160), (5, 9), 0, 0, 360, (20,) * 3, -1)
    return close_up(frame, LAYOUT, (0.0, 0.0))


@pytest.mark.parametrize(("moved", "same"), [(0, True), (4, False)])
def test_a_card_stays_whose_edge_beside_those_upon_it_is_where_it_was(moved: int, same: bool) -> None:
    """A blank strip of it is all that shows."""
    upper = Observation(-12.0, 0.0, 90.0, "up", {"9D": 0.99})
    before, now = table(0, upon=False), table(moved, upon=True)
    assert PicturePair(before, now).edge_as_before(UPRIGHT, [upper]) == same
    assert not PicturePair(before, now).edge_as_before(UPRIGHT, [UPRIGHT]), "nothing of it shows"
    assert not PicturePair(None, now).edge_as_before(UPRIGHT, [upper])
    pictures = PilePictures(now=now, left=before, before_play=table(-6, upon=False))
    assert pictures.since_left.stays_beneath(UPRIGHT, [upper], []) == same
    assert not pictures.since_play().stays_beneath(UPRIGHT, [upper], [])


@pytest.mark.parametrize(("mate", "other"), [(None, False), (12, True)])
def test_what_is_outlined_where_a_card_shows_as_before_is_that_card(mate: int | None, other: bool) -> None:
    """The corner that shows of a card is outlined too low: a card there would cover what is to be seen."""
    upper, low = (
        Observation(-12.0, 0.0, 90.0, "up", {"9D": 0.99}),
        Observation(0.0, 12.0, 90.0, "up", {"5S": 0.9}),
    )
    before, now = table(0, upon=False, inked=True), table(0, upon=True, mate=mate, inked=True)
    assert PicturePair(before, now).edge_as_before(UPRIGHT, [upper, low])
    assert PicturePair(before, now).stays_beneath(UPRIGHT, [upper, low], [low]) == other


@pytest.mark.parametrize("alone", [True, False])
def test_of_two_packs_a_card_just_upon_its_like_is_told_by_the_edge_of_that(alone: bool) -> None:
    queen, upon = card("QH", PLAY_AT), card("QH", (-68.0, 2.0), 0.99)
    pile = Pile(packs=2)
    for lying in [queen] if alone else [card("JD", (-61.0, 1.0)), queen]:
        pile.put([NewCard(str(lying.best[0]), 1.0, lying)])
    pile.note_picture()

    def told(edge_stays: bool) -> list[str]:
        was = told_pair(shows_new=lambda _: True, edge_as_before=lambda *_: edge_stays)
        return [name for name, _, _ in pile.view([[upon]] * 2, set(), was=was).new]

    assert told(edge_stays=False) == [], "it may be that one, moved"
    assert told(edge_stays=True) == (["QH"] if alone else [])


@pytest.mark.parametrize("together", [False, True])
def test_a_card_of_the_same_rank_that_was_put_on_later_lies_above_for_sure(together: bool) -> None:
    """Of cards that were put down at once it is not known which lies on which."""
    clubs, diamonds = card("JC", (-86.0, -6.0), angle=103.0), card("JD", (-66.0, -9.0), angle=8.0)
    pile = Pile(packs=2)
    for cards in [[clubs, diamonds]] if together else [[clubs], [diamonds]]:
        pile.put([NewCard(str(one.best[0]), 1.0, one) for one in cards])
    look = [card("JS", (-46.0, 0.0), 0.99, 101.0), card("JH", (-69.0, -3.0), 0.99, 98.0)]
    look.append(card("JC", (-94.0, -6.0), 0.99, 99.0))
    was = told_pair(shows_new=lambda _: True)
    new = pile.view([look] * 2, set(), was=was).new
    assert {name for name, _, _ in new} == ({"JS", "JH"} if together else {"JS", "JH", "JC"})


def test_of_two_packs_one_that_is_outlined_elsewhere_for_once_is_no_second_one() -> None:
    ace, askew = card("AD", PLAY_AT, 0.99, 79.0), card("AD", (-77.0, -7.0), 0.98, 101.0)
    pile = Pile(packs=2)
    pile.put([NewCard("AD", 1.0, ace)])
    assert not pile.view([[ace], [ace], [ace], [ace, askew], [askew]], set()).new
    assert [name for name, _, _ in pile.view([[ace, askew]] * 3, set()).new] == ["AD"]


@pytest.mark.parametrize("packs", [1, 2])
def test_the_first_card_of_a_game_is_shown_to_nobody_though_a_hand_rested_on_it(packs: int) -> None:
    """Before there is a pile nothing tells a card that is held out from one that was put down."""
    script = Script(play=None, packs=packs)
    three = card("3H", PLAY_AT, 0.99)
    reach = script.reach("Ann", (PLAY_AT, 0.3))
    for _ in range(4):
        script.go_on(reach, [PLAY_AT] * 3)
        script.look([UnderArm(reach.seat, three, 0.6, True)])
    script.go_on(reach, [DRAW_AT] * 6, over=(DRAW,))
    script.table = [three]
    script.rest(3.0)
    assert [event[:2] for event in script.told()[1:]] == [("play", "Ann"), ("draw", "Ann")]


@pytest.mark.parametrize("left", [["8S", "2D"], ["8S", "6D"], ["8S"]])
def test_of_two_ranks_played_together_none_is_taken_alone_where_a_hand_straightens_the_pile(
    left: list[str],
) -> None:
    """Which of them lies on top is not sure."""
    script = Script()
    script.play("Ann", card("8S", (-75.0, 10.0)))
    script.play("Bob", card("6D", (-60.0, 0.0)), card("2D", (-60.0, 20.0)))
    script.reach("Cat", (PLAY_AT, 0.4))
    script.table = [seen for seen in script.table if seen.best[0] in left]
    script.rest(3.0)
    told = [(kind, player, set(cards)) for kind, player, cards in script.told()[2:]]
    took = [] if len(left) > 1 else [("pick_up", "Cat", {"6D", "2D"})]
    assert told == [("play", "Bob", {"6D", "2D"}), *took]


def test_a_card_of_the_play_itself_does_not_stay_since_before_the_play(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    upper, lower = card("JS", (-84.0, 31.0), 0.99), card("JH", (-91.0, 2.0))
    pile, pictures = Pile(), PilePictures()
    pile.put([NewCard("JH", 0.8, lower), NewCard("JS", 1.0, upper)])
    monkeypatch.setattr(PicturePair, "edge_as_before", lambda *_: True)
    monkeypatch.setattr(PicturePair, "shows_new", lambda *_: True)
    told = SimpleNamespace(last=SimpleNamespace(cards=("JH", "JS")))
    new_cards = NewCardFilter(pile, pictures, cast(Taking, None), cast(PlayLog, told))
    again = Observation(-84.0, 9.0, 86.0, "up", {"JH": 0.58, "JD": 0.4})
    assert names(pile.view([[upper, again]] * 4, set(), pictures.since_play())) == {"JD"}
    assert names(new_cards.view_since_play([[upper, again]] * 4, set())) == set()
