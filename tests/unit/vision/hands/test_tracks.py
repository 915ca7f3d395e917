"""Limbs in the picture become reaches of players."""

from __future__ import annotations

import numpy as np

from vision.hands.tracks import ArmTrack, ArmTracker, HandsFrame
from vision.motion.background import BackgroundSubtractor
from vision.motion.stabiliser import StabilisedFrame
from vision.plane import TablePlane
from vision.table.layout import DRAW, PLAY, Layout, Seat, Zone

STEP = 1 / 15
PLANE = TablePlane(np.array([[1.0, 0, -320], [0, 1, -180], [0, 0, 1]]))
LAYOUT = Layout(
    PLANE,
    640,
    360,
    (
        Seat("Ann", ((-75, 120), (0, 120), (75, 120)), (0.0, 1.0)),
        Seat("Bob", ((75, -120), (0, -120), (-75, -120)), (0.0, -1.0)),
    ),
    draw=(70, 0),
    play=(-70, 0),
)
TABLE = np.full((360, 640, 3), 90, np.uint8)


def arm_from_below(x: int, top: int) -> np.ndarray:
    frame = TABLE.copy()
    frame[top:, x - 18 : x + 18] = 190
    return frame


class Watch:
    """Feeds frames to the gate and the tracker."""

    def __init__(self) -> None:
        self.gate, self.tracker, self.t = BackgroundSubtractor(), ArmTracker(), 0.0
        self.ended: list[ArmTrack] = []
        for _ in range(10):
            self.feed(TABLE)

    def feed(self, frame: np.ndarray) -> HandsFrame:
        self.t += STEP
        hands = self.tracker.feed(self.gate.feed(StabilisedFrame(frame), self.t), LAYOUT)
        self.gate.protect_arms(self.tracker.visible_masks)
        self.ended += hands.ended
        return hands


def reach_for(watch: Watch, x: int, top: int, pause: int = 6) -> list[HandsFrame]:
    tops = [*range(340, top, -45), *[top] * pause, *range(top, 360, 45)]
    told = [watch.feed(arm_from_below(x, y)) for y in tops]
    return told + [watch.feed(TABLE) for _ in range(6)]


def test_a_reach_has_its_seat_its_stop_and_its_end() -> None:
    watch = Watch()
    told = reach_for(watch, 390, 180)
    assert {reach.seat for hands in told for reach in hands.tracks} == {0}
    (reach,) = watch.ended
    assert reach.seat == 0
    assert any(abs(stop.place[0] - 70) < 15 and abs(stop.place[1]) < 25 for stop in reach.pauses)


def test_zones_under_the_arm_are_covered_and_no_others() -> None:
    watch = Watch()
    told = reach_for(watch, 390, 170)
    covered = {zone for hands in told for zone in hands.covered}
    assert DRAW in covered
    assert Zone("row", 0, 2) in covered, "the arm passes over its own row"
    assert PLAY not in covered
    assert not any(zone.kind == "row" and zone.seat == 1 for zone in covered)


def test_two_reaches_one_after_the_other_are_two() -> None:
    watch = Watch()
    reach_for(watch, 390, 180)
    reach_for(watch, 390, 180)
    assert len(watch.ended) == 2
    assert watch.ended[0].number != watch.ended[1].number


def test_a_card_left_behind_is_no_arm() -> None:
    watch = Watch()
    card = TABLE.copy()
    card[150:238, 220:283] = 230
    hands = [watch.feed(card) for _ in range(8)]
    assert not any(h.tracks for h in hands)


def test_a_hand_whose_sleeve_cannot_be_seen_stays_the_player_s() -> None:
    watch = Watch()
    for y in (340, 300, 260, 220):
        watch.feed(arm_from_below(390, y))
    frames = []
    for y in (200, 180, 160, 150):
        frame = arm_from_below(390, y)
        frame[300:] = 90  # a sleeve of the table's colour
        frames.append(frame)
    hands = [watch.feed(frame) for frame in frames]
    assert all([reach.seat for reach in h.tracks] == [0] for h in hands)
    assert hands[-1].tracks[0].tip[1] < 0


def test_an_arm_whose_sleeve_the_dark_floor_hides_is_its_players() -> None:
    watch = Watch()
    told = []
    for top in [*range(290, 170, -40), *[175] * 6, *range(175, 300, 40)]:
        frame = TABLE.copy()
        frame[top:330, 350:430] = 190  # the picture's border, 30 pixels further down, is never touched
        told.append(watch.feed(frame))
    told += [watch.feed(TABLE) for _ in range(6)]
    assert {reach.seat for hands in told for reach in hands.tracks} == {0}
    assert any(DRAW in hands.covered for hands in told)


def hidden_sleeve(top: int) -> np.ndarray:
    """An arm whose sleeve is as dark as the floor: the picture's border is never touched."""
    frame = TABLE.copy()
    frame[top:330, 350:430] = 190
    return frame


def test_an_arm_that_rests_long_is_one_still_though_the_floor_hides_its_sleeve() -> None:
    watch = Watch()
    for top in range(290, 170, -40):
        watch.feed(hidden_sleeve(top))
    told = [watch.feed(hidden_sleeve(175)) for _ in range(45)]  # three seconds
    assert all([reach.seat for reach in hands.tracks] == [0] for hands in told)
    assert all(DRAW in hands.covered for hands in told)
    for top in range(175, 300, 40):
        watch.feed(hidden_sleeve(top))
    for _ in range(6):
        watch.feed(TABLE)
    assert [reach.seat for reach in watch.ended] == [0], "one reach"


def test_what_such_an_arm_leaves_behind_is_soon_part_of_the_table() -> None:
    watch = Watch()
    for top in range(290, 170, -40):
        watch.feed(hidden_sleeve(top))
    fan = np.zeros(TABLE.shape[:2], bool)
    fan[150:238, 340:450] = True  # as large as a hand with its wrist
    for top in range(175, 340, 40):
        watch.feed(np.where(fan[..., None], np.uint8(230), hidden_sleeve(top)))
    left = np.where(fan[..., None], np.uint8(230), TABLE)
    told = [watch.feed(left) for _ in range(30)]
    assert not told[-1].tracks
    assert DRAW not in told[-1].covered


def test_a_piece_of_an_arm_that_was_lost_is_that_arm() -> None:
    watch = Watch()
    for top in (340, 260, 180, 100, 60):
        watch.feed(arm_from_below(390, top))
    watch.feed(TABLE)
    piece = TABLE.copy()
    piece[:200, 372:408] = 190  # what is seen of it reaches the far border, where Bob sits
    hands = watch.feed(piece)
    assert [reach.seat for reach in hands.tracks] == [0]
    later = Watch()
    assert [reach.seat for reach in later.feed(piece).tracks] == [1], "nobody else's arm was there"


def test_what_moves_in_the_middle_of_the_table_is_nobodys_arm() -> None:
    watch = Watch()
    told = []
    for x in range(200, 440, 30):
        frame = TABLE.copy()
        frame[150:230, x : x + 60] = 190
        told.append(watch.feed(frame))
    assert not any(hands.tracks for hands in told)


def test_a_hand_that_is_seen_apart_from_its_arm_is_where_the_reach_ends() -> None:
    watch = Watch()
    for y in (340, 300, 260, 220, 170, 120):
        watch.feed(arm_from_below(390, y))
    frames = []
    for k, y in enumerate((110, 95, 80)):
        frame = arm_from_below(390 + 8 * k, y)
        frame[170:200] = 90  # something dim between the hand and its arm
        frames.append(frame)
    hands = [watch.feed(frame) for frame in frames]
    assert hands[-1].tracks[0].tip[1] < -60, "180 pixels down is the middle of the table"


def test_of_two_arms_that_cross_the_one_that_stays_is_still_its_players() -> None:
    """Two that touch are seen as one; once the other has gone it comes in where only one of them sits."""
    watch = Watch()

    def frame(below: int | None, above: int | None) -> np.ndarray:
        picture = TABLE.copy()
        if below is not None:
            picture[below:, 372:408] = 190
        if above is not None:
            picture[:above, 380:416] = 190
        return picture

    steps: list[tuple[int | None, int | None]] = [(y, None) for y in (300, 240, 180)]
    steps += [(180, y) for y in (60, 120, 170, 190)]
    steps += [(y, 200) for y in (230, 290, 350)]
    steps += [(None, y) for y in (215, 200, 205, 200, 190)]
    for below, above in steps:
        told = watch.feed(frame(below, above))
    assert [reach.seat for reach in told.tracks] == [1]
    told = [watch.feed(TABLE) for _ in range(6)][-1]
    assert not told.tracks
    assert {reach.seat for reach in watch.ended} == {0, 1}


def test_an_arm_that_rests_is_one_still_though_too_little_of_it_is_seen_to_be_one() -> None:
    """In the dark no more than the hand can be told from the table, once the sleeve has come in."""
    watch = Watch()
    told = []
    for top in [340, 320, *range(300, 180, -20), *[180] * 30]:
        frame = arm_from_below(390, top)
        frame[top + 50 :] = TABLE[0, 0]
        told.append(watch.feed(frame))
    assert all([reach.seat for reach in hands.tracks] == [0] for hands in told)
    assert all(DRAW in hands.covered for hands in told[-30:])
    told = [watch.feed(TABLE) for _ in range(6)]
    assert not told[-1].tracks


def test_cards_that_a_hand_has_changed_in_its_own_row_are_no_arm() -> None:
    watch = Watch()
    row = np.zeros(TABLE.shape[:2], bool)
    row[256:344, 303:403] = True  # less than the hand with its wrist
    for top in (340, 300, 260, 230, 230, 230, 260, 290, 320, 345):
        watch.feed(np.where(row[..., None], np.uint8(230), arm_from_below(390, top)))
    told = [watch.feed(np.where(row[..., None], np.uint8(230), TABLE)) for _ in range(12)]
    assert not told[-1].tracks


def test_a_hand_goes_on_though_its_sleeve_covers_where_it_was_seen_last() -> None:
    """At first it is small beside the sleeve. The sleeve has one colour, so nothing moves where it lies."""
    watch = Watch()
    for top in (*[250] * 6, *range(250, 200, -8), *range(200, 20, -40)):
        frame = arm_from_below(390, top)
        frame[250:, 300:480] = 190
        hands = watch.feed(frame)
    (hand,) = hands.tracks
    assert hand.tip[1] < -80
