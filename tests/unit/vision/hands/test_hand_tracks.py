"""Hands become reaches: of those that come in over the table, and not of those that rest."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from functools import cache

import numpy as np
import pytest

from vision.hands.hand_tracks import HandTracker
from vision.hands.landmarks import Hand, Tile
from vision.hands.reaches import ReachTracker
from vision.hands.tracks import ArmTrack, HandsFrame
from vision.motion.background import BackgroundSubtractor
from vision.motion.stabiliser import StabilisedFrame
from vision.plane import TablePlane
from vision.table.layout import DRAW, Layout, Seat, Zone
from vision.types import Image

STEP = 1 / 15
PLANE = TablePlane(np.array([[2.0, 0, -640], [0, 2.0, -360], [0, 0, 1]]))
"""The picture has 640 x 360 pixels of 2 mm."""
LAYOUT = Layout(
    PLANE,
    640,
    360,
    (
        Seat("Ann", ((-75, 220), (0, 220), (75, 220)), (0.0, 1.0)),
        Seat("Bob", ((75, -220), (0, -220), (-75, -220)), (0.0, -1.0)),
    ),
    draw=(-60, 0),
    play=(60, 0),
)
TABLE = np.full((360, 640, 3), 90, np.uint8)
AWAY = (0.0, 1.0)
"""The direction from the fingers to the arm of somebody at the bottom edge."""


def hand_at(x: float, y: float, arm: tuple[float, float] = AWAY) -> Hand:
    """Return a hand whose fingertips are at (x, y) mm, with its arm in a direction."""
    points = np.zeros((21, 2))
    along = np.array(arm)
    across = np.array([-arm[1], arm[0]])
    for finger in range(5):
        for joint in range(4):
            points[1 + 4 * finger + joint] = (x, y) + along * 25 * (3 - joint) + across * 8 * (finger - 2)
    points[0] = (x, y) + along * 150
    return Hand(PLANE.to_pixels(points), 0.98)


class Seen:
    """Finds the hands that are in the picture by the script, wherever it is asked to look."""

    def __init__(self) -> None:
        self.hands: list[Hand] = []

    def find(
        self, picture: Image, tile: Tile, known: Sequence[Hand] = (), least_size: float = 0.0
    ) -> list[Hand]:
        return [hand for hand in self.hands if not any(hand.is_same(other) for other in known)]

    def redetect(self, picture: Image, before: Sequence[Hand]) -> list[Hand]:
        near = (
            min(self.hands, key=lambda h: float(np.hypot(*(h.middle - b.middle))), default=None)
            for b in before
        )
        return [hand for hand in near if hand is not None]


def drawn(hands: Sequence[Hand]) -> Image:
    """Return a picture of hands as bright blobs with their forearms."""
    import cv2

    picture = TABLE.copy()
    for hand in hands:
        cv2.fillPoly(picture, [cv2.convexHull(np.round(hand.points).astype(np.int32))], (190, 190, 190))
        out = hand.points[0] + (hand.points[0] - hand.points[9]) * 8
        ends = [tuple(int(v) for v in end) for end in (hand.points[0], out)]
        cv2.line(picture, ends[0], ends[1], (190, 190, 190), 18)
    return picture


class Watch:
    """Feeds pictures to the motion gate and a tracker."""

    def __init__(self, tracker: HandTracker | ReachTracker, seen: Seen) -> None:
        self.gate, self.tracker, self.seen, self.t = BackgroundSubtractor(), tracker, seen, 0.0
        self.ended: list[ArmTrack] = []
        for _ in range(10):
            self.feed()

    def feed(self, *hands: Hand) -> HandsFrame:
        return self.seen_only(hands, *hands)

    def seen_only(self, found: Sequence[Hand], *hands: Hand) -> HandsFrame:
        """Take in a picture of hands of which only some are found."""
        self.t += STEP
        self.seen.hands = list(found)
        picture = drawn(hands)
        told = self.tracker.feed(picture, self.gate.feed(StabilisedFrame(picture), self.t), LAYOUT)
        self.ended += told.ended
        return told


def reach(watch: Watch, goal: tuple[float, float], *, others: tuple[Hand, ...] = ()) -> None:
    """Ann's hand comes in, pauses at a place (mm) and goes home."""
    way = [*np.linspace(330, goal[1], 6), *[goal[1]] * 5, *np.linspace(goal[1], 330, 6)]
    for y in way:
        watch.feed(hand_at(goal[0], float(y)), *others)
    for _ in range(8):
        watch.feed(*others)


@cache
def _at_the_bare_table(kind: type[HandTracker] | type[ReachTracker]) -> Watch:
    seen = Seen()
    return Watch(kind(seen), seen)


def hands_watch() -> Watch:
    return deepcopy(_at_the_bare_table(HandTracker))


def test_a_hand_that_comes_in_is_a_reach_of_its_player() -> None:
    watch = hands_watch()
    reach(watch, (-60, 10))
    (told,) = watch.ended
    assert told.seat == 0
    assert any(abs(stop.place[0] + 60) < 20 and abs(stop.place[1] - 10) < 30 for stop in told.pauses)


def test_an_arm_from_the_other_side_is_the_other_player_s() -> None:
    watch = hands_watch()
    for y in [*np.linspace(-330, 0, 6), 0.0, 0.0, 0.0, *np.linspace(0, -330, 6)]:
        watch.feed(hand_at(-60, float(y), (0.0, -1.0)))
    for _ in range(8):
        watch.feed()
    (told,) = watch.ended
    assert told.seat == 1


def test_a_hand_that_pauses_on_the_other_side_stays_its_player_s() -> None:
    watch, sideways = hands_watch(), (1.0, 0.0)
    come = [hand_at(0, float(y)) for y in np.linspace(330, -120, 9)]
    for hand in [*come, *[hand_at(-60, -150, sideways)] * 25, *reversed(come)]:
        watch.feed(hand)
    for _ in range(8):
        watch.feed()
    assert {told.seat for told in watch.ended} == {0}


def test_the_hand_found_where_another_was_lost_may_be_the_other_player_s() -> None:
    watch, towards_bob = hands_watch(), (0.0, -1.0)
    for y in [*np.linspace(330, 0, 7), *[0.0] * 15]:
        watch.feed(hand_at(0, float(y)))
    blurred = hand_at(0, -60, towards_bob)
    for _ in range(3):
        watch.seen_only((), blurred)
    for y in np.linspace(-60, 0, 6):
        told = watch.feed(hand_at(0, float(y), towards_bob))
    assert 1 in {track.seat for track in told.tracks}


def test_a_hand_that_rests_at_home_does_not_reach() -> None:
    watch = hands_watch()
    resting = hand_at(160, 300)
    for _ in range(20):
        told = watch.feed(resting)
        assert told.tracks == ()
    assert watch.ended == []


def test_a_hand_at_one_player_s_place_is_that_player_s_wherever_its_arm_points() -> None:
    watch, away = hands_watch(), (0.1, -1.0)
    for x in np.linspace(340.0, 20.0, 8):
        watch.feed(hand_at(float(x), 395.0, away))
    frames = [watch.feed(hand_at(20.0, 395.0, away)) for _ in range(15)]
    assert [track.seat for frame in frames for track in frame.tracks] == []


def test_a_resting_hand_does_not_hold_up_what_the_other_one_does() -> None:
    watch = hands_watch()
    resting = hand_at(160, 300)
    for _ in range(5):
        watch.feed(resting)
    reach(watch, (-60, 10), others=(resting,))
    assert [told.seat for told in watch.ended] == [0]


def test_a_hand_over_the_draw_pile_covers_it_for_its_player() -> None:
    watch = hands_watch()
    covered: set[tuple[Zone, frozenset[int]]] = set()
    for y in [*np.linspace(330, 0, 6), 0.0, 0.0, 0.0]:
        covered |= set(watch.feed(hand_at(-60, float(y))).covered.items())
    assert (DRAW, frozenset({0})) in covered


def test_a_hand_that_lies_over_the_table_for_long_reaches_no_more() -> None:
    watch = hands_watch()
    for y in np.linspace(330, 40, 6):
        watch.feed(hand_at(150, float(y)))
    assert watch.feed(hand_at(150, 40)).tracks
    for _ in range(90):
        told = watch.feed(hand_at(150, 40))
    assert told.tracks == ()


def reaches_watch(watch: Watch | None = None) -> tuple[ReachTracker, Watch]:
    watch = deepcopy(watch or _at_the_bare_table(ReachTracker))
    assert isinstance(watch.tracker, ReachTracker)
    return watch.tracker, watch


RESTING = hand_at(160, 300)


@cache
def _with_a_resting_hand() -> Watch:
    _, watch = reaches_watch()
    for _ in range(30):
        watch.feed(RESTING)
    return watch


def watch_of_a_resting_hand() -> tuple[ReachTracker, Watch]:
    return reaches_watch(_with_a_resting_hand())


def test_arms_are_followed_by_their_hands_where_hands_rest() -> None:
    tracker, watch = watch_of_a_resting_hand()
    before = len(watch.ended)
    reach(watch, (-60, 10), others=(RESTING,))
    assert tracker.by_hands
    assert [told.seat for told in watch.ended[before:]] == [0]


def test_hands_are_followed_at_once_after_the_camera_was_knocked() -> None:
    tracker, watch = watch_of_a_resting_hand()
    assert tracker.by_hands
    knocked = tracker.anew()
    again = Watch(knocked, watch.seen)
    reach(again, (-60, 10), others=(RESTING,))
    assert knocked.by_hands
    assert [told.seat for told in again.ended] == [0]


def test_arms_that_come_only_to_act_are_followed_by_what_enters() -> None:
    tracker, watch = reaches_watch()
    for _ in range(3):
        reach(watch, (-60, 10))
    assert not tracker.by_hands
    assert [told.seat for told in watch.ended] == [0, 0, 0]


def test_hands_that_are_not_found_as_they_act_are_not_relied_on() -> None:
    tracker, watch = watch_of_a_resting_hand()
    for _ in range(8):
        for y in [*np.linspace(330, 0, 6), 0.0, 0.0, 0.0, *np.linspace(0, 330, 6)]:
            watch.seen_only((RESTING,), hand_at(-60, float(y)), RESTING)
        for _ in range(6):
            watch.feed(RESTING)
    assert not tracker.by_hands


def test_a_resting_hand_hides_a_spot_of_a_row_only_if_it_covers_much_of_it() -> None:
    watch = hands_watch()
    tracker = watch.tracker
    spot = Zone("row", 0, 1)
    for beside, hidden in ((60.0, False), (0.0, True)):
        for _ in range(30):
            told = watch.feed(hand_at(beside, 225))
        assert isinstance(tracker, HandTracker)
        assert told.tracks == ()
        assert (spot in told.covered) == hidden


def test_a_hand_that_is_first_seen_when_it_rests_on_the_draw_pile_has_reached_there() -> None:
    watch = hands_watch()
    for _ in range(90):
        watch.feed()
    for y in np.linspace(330, 30, 6):  # its card hides it on its way
        watch.seen_only((), hand_at(-60, float(y)))
    for _ in range(4):
        told = watch.feed(hand_at(-60, 10))
    assert [track.seat for track in told.tracks] == [0]


class Near(Seen):
    """Finds a hand when it comes in, and then only where it is looked for."""

    def find(
        self, picture: Image, tile: Tile, known: Sequence[Hand] = (), least_size: float = 0.0
    ) -> list[Hand]:
        coming = [hand for hand in self.hands if hand.middle[1] > PLANE.to_pixels([(0, 340)])[0][1]]
        return [hand for hand in coming if not any(hand.is_same(other) for other in known)]

    def redetect(self, picture: Image, before: Sequence[Hand]) -> list[Hand]:
        return [hand for hand in self.hands for old in before if np.hypot(*(hand.middle - old.middle)) < 12]


def test_a_fast_hand_is_found_where_its_way_leads() -> None:
    seen = Near()
    watch = Watch(HandTracker(seen), seen)
    way = [
        330.0,
        325.0,
        315.0,
        300.0,
        280.0,
        258.0,
        233.0,
        205.0,
        175.0,
        143.0,
        109.0,
        73.0,
    ]  # up to 18 px a step
    for y in way:
        told = watch.feed(hand_at(-60, y))
    (track,) = told.tracks
    assert track.tip[1] < 110


def test_reaches_end_when_the_table_is_lost_from_sight() -> None:
    tracker, watch = watch_of_a_resting_hand()
    for y in np.linspace(330, 0, 8):
        told = watch.feed(hand_at(-60, float(y)), RESTING)
    assert [track.seat for track in told.tracks] == [0]
    ended = tracker.interrupted(watch.t)
    assert ended is not None
    assert (ended.tracks, [track.seat for track in ended.ended]) == ((), [0])
    assert tracker.interrupted(watch.t) is None
    (again,) = watch.feed(hand_at(-60, 0.0), RESTING).tracks
    assert again.number != ended.ended[0].number


def test_without_a_reach_nothing_ends_when_the_table_is_lost() -> None:
    tracker, watch = watch_of_a_resting_hand()
    assert tracker.interrupted(watch.t) is None


def test_a_body_is_over_a_pile_only_while_something_covers_that_pile() -> None:
    """An arm that is lost from sight seems to rest where it was. But then nothing is there."""
    _, watch = watch_of_a_resting_hand()
    for y in [*np.linspace(330, 0, 6), *[0.0] * 8]:
        told = watch.seen_only((RESTING,), hand_at(-60, float(y)), RESTING)
    assert told.bodies == {DRAW: frozenset({0})}
    home = hand_at(-60, 330)
    later = [watch.seen_only((RESTING,), home, RESTING) for _ in range(20)]
    assert all(zone in told.covered for told in later for zone in told.bodies)
    assert later[-1].bodies == {}


def test_an_arm_over_a_pile_may_be_of_each_player_whose_hand_is_seen_in_it() -> None:
    """The arm comes from Ann's side. Of Bob's, which touches it, only the hand can be seen."""
    _, watch = watch_of_a_resting_hand()
    for y in [*np.linspace(330, 0, 6), *[0.0] * 4]:
        bobs = hand_at(-60, float(y), (0.0, -1.0))
        whole = hand_at(-60, float(y) - 150)
        told = watch.seen_only((RESTING, bobs), whole, RESTING)
    assert told.bodies == {DRAW: frozenset({0, 1})}


@pytest.mark.parametrize(("size", "reaches"), [(1.0, True), (0.1, False)])
def test_what_is_much_smaller_than_a_hand_is_none(size: float, reaches: bool) -> None:
    """The pattern of a tablecloth may look like one."""
    watch = hands_watch()
    for y in [*np.linspace(330, 0, 6), 0.0, 0.0, 0.0]:
        hand = hand_at(-60, float(y))
        middle = hand.points.mean(axis=0)
        told = watch.seen_only([Hand(middle + size * (hand.points - middle), 0.98)], hand)
    assert bool(told.tracks) == reaches


@pytest.mark.parametrize("shows", [True, False])
def test_a_pattern_of_the_cloth_that_passes_as_a_hand_reaches_nowhere(shows: bool) -> None:
    """The table looks there as it always did."""
    watch = hands_watch()
    hand = hand_at(-60, 0)
    for _ in range(5):
        told = watch.seen_only([hand], *([hand] if shows else []))
    assert bool(told.tracks) is shows


@pytest.mark.parametrize(("size", "reaching"), [(0.3, {0}), (0.6, {0, 1})])
def test_what_looks_like_a_small_hand_in_a_hand_is_a_part_of_it(size: float, reaching: set[int]) -> None:
    """It seems to point the other way, as a hand of the other player would."""
    watch = hands_watch()
    for y in [*np.linspace(330, 0, 6), 0.0, 0.0, 0.0]:
        hand, other = hand_at(-60, float(y)), hand_at(-60, float(y), (0.0, -1.0))
        fingers = hand.points[1:].mean(axis=0)
        part = Hand(fingers + size * (other.points - other.points.mean(axis=0)), 0.98)
        told = watch.seen_only([hand, part], hand)
    assert {reach.seat for reach in told.tracks} == reaching


def test_an_act_is_not_cut_in_two_when_it_turns_out_that_hands_rest() -> None:
    """Bob's hand holds something out while it becomes clear that one of Ann's rests."""
    tracker, watch = reaches_watch()
    way = [hand_at(-60, float(y), (0.0, -1.0)) for y in np.linspace(-330, -10, 6)]
    for hand in (*way, *way[-1:] * 36):
        watch.feed(hand, RESTING)
    assert not [told for told in watch.ended if told.seat == 1]
    assert not tracker.by_hands
    for hand in reversed(way):
        watch.feed(hand, RESTING)
    for _ in range(20):
        watch.feed(RESTING)
    assert tracker.by_hands
