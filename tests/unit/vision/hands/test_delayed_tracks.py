"""Tracks that are taken in later are as they were at their frame, and keep their identity."""

from __future__ import annotations

from vision.hands.tracks import ArmTrack, DelayedTracks, HandsFrame

HOME, PILE = (0.0, 200.0), (40.0, 10.0)


def frame(t: float, *tracks: ArmTrack, ended: tuple[ArmTrack, ...] = ()) -> HandsFrame:
    return HandsFrame(t, tracks, ended, {}, by_hands=True)


def test_a_frame_that_waited_does_not_show_where_the_hand_went_since() -> None:
    hand, taken = ArmTrack.begin(1, 0, 0.0), DelayedTracks()
    for t in (0.0, 0.1, 0.2, 0.3):
        hand.update(HOME, t)
    waiting = frame(0.3, hand).copy()
    pauses = list(hand.pauses)
    for t in (0.4, 0.5, 0.6, 0.7, 0.8):
        hand.update(PILE, t)
    assert len(hand.pauses) > len(pauses)
    (seen,) = taken.take_in(waiting).tracks
    assert (seen.tip, seen.last_seen, seen.pauses) == (HOME, 0.3, pauses)
    assert taken.take_in(frame(0.8, hand)).tracks[0].tip == PILE


def test_a_hand_is_the_same_track_in_all_frames() -> None:
    hand, taken = ArmTrack.begin(1, 0, 0.0), DelayedTracks()
    (first,) = taken.take_in(frame(0.0, hand)).tracks
    hand.update(PILE, 0.1)
    (later,) = taken.take_in(frame(0.1, hand)).tracks
    (ended,) = taken.take_in(frame(0.5, ended=(hand,))).ended
    assert first is later is ended
    assert first.tip == PILE


def test_the_places_of_a_hand_are_kept_for_as_long_at_any_frame_rate() -> None:
    kept = []
    for rate in (10, 30):
        hand = ArmTrack.begin(1, 0, 0.0)
        for number in range(20 * rate):
            hand.update(HOME, number / rate)
        kept.append(hand.last_seen - hand.path[0][0])
    assert abs(kept[0] - kept[1]) < 0.1
