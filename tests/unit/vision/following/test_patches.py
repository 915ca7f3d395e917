"""Whether a card that comes to light lay there before, by close pictures of its place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support.event_script import PLAY_AT, Script, card
from vision.following.burn_pile import BurnPile
from vision.following.close_ups import ALIKE, CloseUp, PicturePair, close_up
from vision.following.duplicates import PileCard
from vision.following.looks import UnderArm
from vision.following.new_cards import NewCardFilter
from vision.following.pick_ups import Taking
from vision.following.pile import Pile
from vision.following.pile_pictures import PilePictures
from vision.following.play_log import PlayLog
from vision.following.scene import Scene
from vision.following.sets import NewCard
from vision.hands.tracks import ArmTrack
from vision.plane import TablePlane
from vision.table.layout import PLAY, Layout, Seat
from vision.table.observations import Observation

LAYOUT = Layout(
    TablePlane(np.array([[0.5, 0, -160], [0, 0.5, -160], [0, 0, 1]])),
    640,
    640,
    (Seat("Ann", ((-75, 90), (0, 90), (75, 90)), (0.0, 1.0)),),
    play=(0.0, 0.0),
)
"""Two pixels are a millimetre, the pile lies in the picture's middle."""
UPRIGHT = Observation(0.0, 0.0, 90.0, "up", {"5D": 0.95})
INDEX = {"top left": (-23, -30), "bottom right": (23, 30), "top right": (23, -30), "bottom left": (-23, 30)}


BLACK, RED = (40, 40, 40), (40, 40, 190)


@cache
def pile(
    figure: str = "5",
    *others: str,
    light: float = 1.0,
    noise: float = 0.0,
    ink: tuple[int, int, int] = BLACK,
) -> CloseUp:
    """Return a white pile with a figure at all its corners, and another one at the corners named."""
    frame: NDArray[np.uint8] = np.full((640, 640, 3), 200, np.uint8)
    for name, (x, y) in INDEX.items():
        place = (320 + 2 * x - 16, 320 + 2 * y + 16)
        shown = "X" if name in others else figure
        cv2.putText(frame, shown, place, cv2.FONT_HERSHEY_SIMPLEX, 1.4, ink, 4)
    rough = np.random.default_rng(4).normal(0, noise, frame.shape) if noise else 0.0
    frame = np.clip(frame * light + rough, 0, 255).astype(np.uint8)
    return close_up(frame, LAYOUT, (0.0, 0.0))


def test_a_card_both_of_whose_indices_are_other_than_before_is_new() -> None:
    assert not PicturePair(pile("5"), pile("5", "top left", "bottom right")).lay_there(UPRIGHT)


@pytest.mark.parametrize("place", ["top left", "bottom right"])
def test_a_card_one_of_whose_indices_is_as_it_was_lay_there_before(place: str) -> None:
    assert PicturePair(pile("5"), pile("5", place)).lay_there(UPRIGHT)


def test_an_index_under_another_card_tells_nothing_if_the_other_index_shows() -> None:
    before, now, upon = pile("5"), pile("5", "top left"), [replace(UPRIGHT, x=10.0)]
    assert not PicturePair(before, now).lay_there(UPRIGHT, upon=upon)
    assert PicturePair(before, pile("5", "bottom right")).lay_there(UPRIGHT, upon=upon)
    assert PicturePair(before, now).lay_there(UPRIGHT, upon=[UPRIGHT]), "neither index shows: both count"


def test_the_other_two_corners_tell_nothing() -> None:
    before = pile("5")
    assert not PicturePair(before, pile("X", "top right", "bottom left")).lay_there(UPRIGHT)
    assert PicturePair(before, pile("5", "top right", "bottom left")).lay_there(UPRIGHT)


def test_dimmer_light_and_noise_do_not_make_a_card_new() -> None:
    assert PicturePair(pile("5"), pile("5", "top left", light=0.5, noise=4.0)).lay_there(UPRIGHT)


def test_a_red_index_is_another_than_a_black_one() -> None:
    assert not PicturePair(pile("A"), pile("A", ink=RED)).lay_there(UPRIGHT)
    assert PicturePair(pile("A", ink=RED), pile("A", ink=RED, noise=4.0)).lay_there(UPRIGHT)


def test_an_outline_that_is_off_by_little_still_finds_its_index() -> None:
    assert PicturePair(pile("5"), pile("5")).lay_there(replace(UPRIGHT, x=2.0, y=-1.5))


def test_a_turned_card_has_its_indices_elsewhere() -> None:
    turned = replace(UPRIGHT, angle=0.0)
    now = pile("5", "top right", "bottom left")
    assert PicturePair(pile("5"), now).lay_there(UPRIGHT)
    assert not PicturePair(pile("5"), now).lay_there(turned)


def test_a_place_has_changed_with_a_play_only_where_both_pictures_show_that() -> None:
    other = pile("5", "top left", "bottom right")
    assert PilePictures(now=other, before_play=pile("5")).changed_with_play(UPRIGHT)
    assert not PilePictures(now=pile("5"), before_play=pile("5")).changed_with_play(UPRIGHT)
    assert not PilePictures(now=other).changed_with_play(UPRIGHT)


def test_a_card_is_shown_to_be_new_only_where_both_its_indices_have_changed() -> None:
    before = pile("5")
    assert PilePictures(now=pile("5", "top left", "bottom right"), left=before).since_left.shows_new(UPRIGHT)
    assert not PilePictures(now=pile("5", "top left"), left=before).since_left.shows_new(UPRIGHT)
    assert not PilePictures(now=pile(" "), left=before).since_left.shows_new(UPRIGHT)
    assert not PilePictures(now=pile("5", "top left", "bottom right")).since_left.shows_new(UPRIGHT)


@dataclass(frozen=True)
class AlikePair(PicturePair):
    """Pictures in which the indices of cards look so much like before, by where the cards lie."""

    indices: Callable[[Observation], float] = field(kw_only=True)
    as_before: Callable[[Observation, Sequence[Observation]], bool] = field(kw_only=True)
    """Whether a card's part beside those upon it looks as before."""

    def lay_there(self, card: Observation, alike: float = ALIKE, upon: Sequence[Observation] = ()) -> bool:
        return self.indices(card) > alike

    def looks_as_before_beside(self, card: Observation, upon: Sequence[Observation]) -> bool:
        return self.as_before(card, upon)


class Alike(PilePictures):
    """Pictures of the pile that were all made when it looked like an `AlikePair`."""

    def __init__(
        self,
        indices: Callable[[Observation], float] = lambda card: 0.0,
        as_before: Callable[[Observation, Sequence[Observation]], bool] = lambda card, upon: False,
    ) -> None:
        super().__init__()
        self._pair = AlikePair(indices=indices, as_before=as_before)

    @property
    def since_left(self) -> PicturePair:
        return self._pair

    def since_play(self, put: Sequence[Observation] = ()) -> PicturePair:
        return self._pair


def test_a_pip_where_one_of_its_suit_lay_is_most_likely_that_ones() -> None:
    """A seven of hearts, its 7 half covered by the corner of a king, is no king of hearts."""
    pile, scene = Pile([PileCard("7H", replace(UPRIGHT, x=3.0))]), Scene(LAYOUT)
    pictures = Alike(indices=lambda _: 0.85)
    new_cards = NewCardFilter(pile, pictures, Taking(scene, BurnPile(scene)), PlayLog(scene))
    assert new_cards.lay_there(NewCard("KH", 0.93, UPRIGHT))
    assert not new_cards.lay_there(NewCard("KS", 0.93, UPRIGHT))
    assert not new_cards.lay_there(NewCard("KH", 0.93, replace(UPRIGHT, x=40.0)))
    assert not new_cards.lay_there(NewCard("KH", 0.99, UPRIGHT))
    assert not new_cards.lay_there(NewCard("KH", 0.93, replace(UPRIGHT, probabilities={"KH": 0.99}))), (
        "put exactly on it"
    )


def test_one_of_a_set_was_not_overlooked_before_when_another_is_plainly_new() -> None:
    """A seven of hearts put exactly on a four of hearts looks much like it."""
    scene = Scene(LAYOUT)
    pile = Pile([PileCard("4H", UPRIGHT)])
    pictures = Alike(indices=lambda card: 0.92 if card.x == 0 else 0.1)
    new_cards = NewCardFilter(pile, pictures, Taking(scene, BurnPile(scene)), PlayLog(scene))
    read = NewCard("7H", 0.93, replace(UPRIGHT, probabilities={"7H": 0.98}))
    seven, six = (NewCard("7D", 0.9, replace(UPRIGHT, x=25.0)), NewCard("6D", 0.9, replace(UPRIGHT, x=25.0)))
    assert new_cards.without_overlooked([read, seven], 0.0) == [read, seven]
    assert pile.names == ["4H"]
    new_cards.in_sight.add("7H")
    assert new_cards.without_overlooked([read, seven], 0.0) == [seven], "it was read so before"
    new_cards.in_sight.clear()
    pile.cards = [PileCard("4H", UPRIGHT)]
    assert new_cards.without_overlooked([read, six], 0.0) == [six]
    assert pile.names == ["7H", "4H"]
    doubtful = NewCard("7S", 0.8, replace(UPRIGHT, probabilities={"7S": 0.8}))
    assert new_cards.without_overlooked([doubtful, seven], 0.0) == [seven]
    seven_at_least = NewCard("7S", 0.7, replace(UPRIGHT, probabilities={"7S": 0.66, "7C": 0.3}))
    assert new_cards.without_overlooked([seven_at_least, seven], 0.0) == [seven], "it may be the 7H"
    pile.cards = [PileCard("4H", UPRIGHT)]
    assert new_cards.without_overlooked([seven_at_least, seven], 0.0) == [seven_at_least, seven]
    certain = NewCard("7S", 0.96, replace(UPRIGHT, probabilities={"7S": 0.993}))
    assert new_cards.without_overlooked([certain], 0.0) == [certain]


def test_one_of_a_set_was_not_overlooked_before_when_the_hand_that_is_there_put_down_another() -> None:
    scene = Scene(LAYOUT)
    told, pile = PlayLog(scene), Pile([PileCard("4H", UPRIGHT)])
    new_cards = NewCardFilter(pile, Alike(indices=lambda _: 0.92), Taking(scene, BurnPile(scene)), told)
    reach = ArmTrack(1, 0, 10.0, 12.0)
    scene.reaches.append(reach)
    told.report(LAYOUT.seats[0].player, [NewCard("7D", 0.9, replace(UPRIGHT, x=25.0))], "hand", 11.0, 11.2)
    read = NewCard("7H", 0.93, replace(UPRIGHT, probabilities={"7H": 0.98}))
    assert new_cards.without_overlooked([read], 11.8) == [read]
    assert new_cards.without_overlooked([read], 20.0) == [read], "the hand has not been away"
    scene.reaches.append(ArmTrack(2, 0, 18.0, 20.0))
    assert new_cards.without_overlooked([read], 20.0) == []


def test_one_of_the_rank_played_that_is_read_well_and_never_was_before_has_come_with_the_play() -> None:
    """In a small picture a five of hearts looks much like the four of hearts that lay there."""
    scene = Scene(LAYOUT)
    new_cards = NewCardFilter(
        Pile(), Alike(indices=lambda _: 0.92), Taking(scene, BurnPile(scene)), PlayLog(scene)
    )
    five = NewCard("5H", 0.92, replace(UPRIGHT, probabilities={"5H": 0.96}))
    assert new_cards.lay_there_before_play(five), "as far as it is known what was played"
    assert not new_cards.lay_there_before_play(five, "5")
    assert new_cards.lay_there_before_play(five, "6")
    assert new_cards.lay_there_before_play(
        NewCard("5H", 0.8, replace(UPRIGHT, probabilities={"5H": 0.8})), "5"
    )
    half_read = NewCard("5H", 0.8, replace(UPRIGHT, probabilities={"5H": 0.8, "5D": 0.17}))
    assert not new_cards.lay_there_before_play(half_read, "5"), "its rank is plain"
    new_cards.in_sight.add("5H")
    new_cards.begin_play()
    assert new_cards.lay_there_before_play(five, "5"), "it was read there before"


@pytest.mark.parametrize(("dx", "light", "same"), [(0, 1.0, True), (0, 0.7, True), (9, 1.0, False)])
def test_what_shows_of_a_card_beside_the_one_upon_it_tells_whether_it_came_with_that(
    dx: int, light: float, same: bool
) -> None:
    """Its own indices may both be covered, or its outline be turned from where it lies."""

    def striped(moved: int, upper: bool) -> CloseUp:
        frame: NDArray[np.uint8] = np.full((640, 640, 3), 90, np.uint8)
        cv2.rectangle(frame, (257 + moved, 232), (383 + moved, 408), (200,) * 3, -1)
        for y in range(250, 400, 40):
            cv2.circle(frame, (366 + moved, y), 8, RED, -1)
        if upper:
            cv2.rectangle(frame, (207, 222), (333, 398), (230,) * 3, -1)
        return close_up((frame * light).astype(np.uint8) if upper else frame, LAYOUT, (0.0, 0.0))

    before, now = striped(0, upper=False), striped(dx, upper=True)
    upon = [Observation(-25.0, -5.0, 90.0, "up", {"9D": 0.99})]
    turned = replace(UPRIGHT, angle=84.0)
    assert PicturePair(before, now).looks_as_before_beside(turned, upon) == same
    assert not PicturePair(before, now).looks_as_before_beside(turned, [UPRIGHT]), "nothing of it shows"
    assert not PicturePair(None, now).looks_as_before_beside(turned, upon)
    assert not PicturePair(before, replace(now, corner=(0.0, 0.0))).looks_as_before_beside(turned, upon)


def test_a_doubtful_mate_whose_rest_looks_as_before_was_not_played() -> None:
    asked: list[Observation] = []

    def rest(card: Observation, upon: Sequence[Observation]) -> bool:
        asked.extend(upon)
        return card.x > 0

    scene = Scene(LAYOUT)
    new_cards = NewCardFilter(Pile(), Alike(as_before=rest), Taking(scene, BurnPile(scene)), PlayLog(scene))
    nine = NewCard("9D", 0.99, replace(UPRIGHT, probabilities={"9D": 0.99}))
    mate = NewCard("9H", 0.8, replace(UPRIGHT, x=20.0, probabilities={"9H": 0.4, "10H": 0.3}))
    other = NewCard("9C", 0.8, replace(UPRIGHT, x=-20.0, probabilities={"9C": 0.4}))
    assert new_cards.without_overlooked([mate, other, nine], 0.0) == [other, nine]
    assert set(map(id, asked)) == {id(nine[2])}
    assert new_cards.without_overlooked([mate], 0.0) == [mate], "nothing is known to lie upon it"


@pytest.mark.parametrize(
    ("name", "read", "alike", "new"),
    [
        ("4D", 0.93, 0.93, False),
        ("4D", 0.98, 0.93, True),
        ("4D", 0.93, 0.85, True),
        ("9H", 0.93, 0.93, True),
    ],
)
def test_a_card_of_another_rank_than_what_came_must_be_all_but_certain_to_have_come_with_it(
    name: str, read: float, alike: float, new: bool
) -> None:
    """That what it may be besides lies elsewhere makes its name certain, and not that it has just come."""
    likeness, scene = {20.0: alike, 0.0: 0.1}, Scene(LAYOUT)
    pictures = Alike(indices=lambda card: likeness[card.x])
    new_cards = NewCardFilter(Pile(), pictures, Taking(scene, BurnPile(scene)), PlayLog(scene))
    nine = NewCard("9D", 0.99, replace(UPRIGHT, probabilities={"9D": 0.99}))
    other = NewCard(name, 0.99, replace(UPRIGHT, x=20.0, probabilities={name: read}))
    assert new_cards.without_overlooked([other, nine], 0.0) == ([other, nine] if new else [nine])


def test_a_card_that_would_hide_an_index_lies_beneath_it_where_that_shows_as_before() -> None:
    across = Observation(0.0, -20.0, 0.0, "up", {"9S": 0.97})  # over the upper corners
    assert PicturePair(pile("5"), pile("5")).index_shows_beside(UPRIGHT, across)
    assert not PicturePair(pile("5"), pile("5", "top left")).index_shows_beside(UPRIGHT, across)
    below = Observation(0.0, 60.0, 0.0, "up", {"9S": 0.97})
    assert not PicturePair(pile("5"), pile("5", "top left")).index_shows_beside(UPRIGHT, below), (
        "it hides neither index"
    )
    assert not PicturePair(None, pile("5")).index_shows_beside(UPRIGHT, across), "nothing shows how it was"


def test_where_nothing_is_printed_nothing_is_told() -> None:
    assert not PicturePair(pile(" "), pile(" ")).lay_there(UPRIGHT)


def test_without_a_picture_nothing_is_told() -> None:
    assert not PicturePair(None, pile()).lay_there(UPRIGHT)
    assert not PicturePair(pile(), None).lay_there(UPRIGHT)


def test_what_the_picture_does_not_show_is_not_told() -> None:
    far = Observation(200.0, 0.0, 90.0, "up", {"5D": 0.95})
    assert not PicturePair(pile(), pile()).lay_there(far)


def test_a_close_picture_shows_the_table_in_millimetres() -> None:
    window = pile(" ").window((0.0, 0.0), 90.0, (20.0, 30.0))
    assert window is not None
    assert window.shape == (90, 60, 3)
    assert window.mean() == 200


def test_the_pip_of_a_card_that_covers_an_index_now_is_not_that_index() -> None:
    def covered(figure: str, pip: int) -> CloseUp:
        frame: NDArray[np.uint8] = np.full((640, 640, 3), 200, np.uint8)
        x, y = INDEX["top left"]
        place = (320 + 2 * x - 16, 320 + 2 * y + 16)
        cv2.putText(frame, figure, place, cv2.FONT_HERSHEY_SIMPLEX, 1.4, (40,) * 3, 4)
        x, y = INDEX["bottom right"]
        middle = (320 + 2 * x + 12, 320 + 2 * y + pip)
        cv2.circle(frame, middle, 4, (40,) * 3, -1)  # beside where the index would be
        return close_up(frame, LAYOUT, (0.0, 0.0))

    assert not PicturePair(covered("X", 3), covered("5", 0)).lay_there(UPRIGHT)


def test_what_shows_of_a_card_beside_another_tells_whether_it_came_with_that_one() -> None:
    before, upon = pile("5"), [replace(UPRIGHT, x=40.0)]
    assert PicturePair(before, pile("5", "top left", "bottom left")).looks_otherwise_beside(UPRIGHT, upon)
    assert not PicturePair(before, pile("5", "top right", "bottom right")).looks_otherwise_beside(
        UPRIGHT, upon
    )
    assert not PicturePair(before, pile("X")).looks_otherwise_beside(UPRIGHT, [UPRIGHT]), (
        "nothing of it shows"
    )
    assert not PicturePair(before, pile(" ")).looks_otherwise_beside(UPRIGHT, upon), (
        "there is nothing to compare"
    )
    assert not PicturePair(None, pile("X")).looks_otherwise_beside(UPRIGHT, upon)


def test_under_a_hand_what_looks_before_read_so_just_there_lay_there() -> None:
    """A second card like one on the pile is no other than that one, however it was outlined first."""
    ace = replace(UPRIGHT, probabilities={"AH": 0.97})
    pictures = PilePictures(read=[[ace], [replace(ace, x=4.0)], []])
    assert pictures.under_hand().lay_there(replace(ace, x=2.0))
    assert not pictures.since_left.lay_there(ace), "no hand is there: pictures tell"
    assert not pictures.under_hand().lay_there(replace(ace, x=30.0))
    assert not pictures.under_hand().lay_there(replace(ace, probabilities={"AD": 0.97}))
    assert not PilePictures(read=[[ace], []]).under_hand().lay_there(ace), "one look is not enough"
    assert (
        not PilePictures(read=[[replace(ace, probabilities={"AH": 0.8})]] * 3).under_hand().lay_there(ace)
    ), "nor are doubtful ones"


@pytest.mark.parametrize(("read_before", "told"), [(True, []), (False, [("play", "Cat", ("AH",))])])
def test_the_looks_before_a_hand_came_are_kept_while_it_is_there(
    read_before: bool, told: list[tuple[str, str, tuple[str, ...]]]
) -> None:
    """The ace was outlined badly when it was put down. Where it was read since, no second one has come."""
    script = Script(packs=2)
    script.play("Ann", card("AH", PLAY_AT))
    nine, turned = card("9S", (-40.0, 0.0)), card("AH", (-50.0, 5.0), angle=120.0)
    script.play("Bob", nine)
    if read_before:
        script.table = [turned, nine]
    for _ in range(3):
        script.t += 0.2
        script.look()
    assert script.told()[1:] == [("play", "Ann", ("AH",)), ("play", "Bob", ("9S",))]
    reach = script.reach("Cat", (PLAY_AT, 0.3))
    for _ in range(4):
        script.go_on(reach, [PLAY_AT] * 3, over=(PLAY,))
        script.look([UnderArm(reach.seat, seen, 0.3, False) for seen in (turned, nine)], frozenset({PLAY}))
    assert script.told()[3:] == told


@pytest.mark.parametrize(("below", "is_bare"), [(70, True), (205, False), (175, False)])
def test_a_card_that_lay_under_another_is_gone_if_the_table_shows_beside_it(
    below: int, *, is_bare: bool
) -> None:
    """What shows is a dark table, the paper of the lower card, or a table nearly as light as paper."""
    frame: NDArray[np.uint8] = np.full((640, 640, 3), 70, np.uint8)
    upper, lower = replace(UPRIGHT, x=20.0), replace(UPRIGHT, x=-10.0)
    for seen, level in ((lower, below), (upper, 205)):
        x, y = round(320 + 2 * seen.x), 320
        frame[y - 88 : y + 88, x - 63 : x + 63] = level
    now = close_up(frame, LAYOUT, (0.0, 0.0))
    assert PicturePair(None, now).is_bare_beside(lower, [upper]) is is_bare
    assert not PicturePair(None, now).is_bare_beside(upper, [upper]), "nothing of it shows beside itself"
    assert not PicturePair(None, None).is_bare_beside(lower, [upper])
