"""Looks at resting cards vote on what they are; each card exists once."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vision.plane import TablePlane
from vision.table.observations import Observation, angle_between, assign_names, fuse_looks, observe
from vision.types import CardReading

FLAT = TablePlane(np.eye(3))


def reading(x: float, y: float, card: str | None, p: float = 0.9, **fields: object) -> CardReading:
    quad = np.array([[x, y], [x + 63, y], [x + 63, y + 88], [x, y + 88]], np.float32)
    return CardReading(quad, "up", fields.get("outline", 0.95), card, p, fields.get("others", ()))  # type: ignore[arg-type]


def up(x: float, odds: dict[str, float], angle: float = 90.0) -> Observation:
    return Observation(x, 0.0, angle, "up", odds)


def test_a_reading_is_placed_by_its_centre_and_its_long_side() -> None:
    (seen,) = observe([reading(100, 200, "9S")], FLAT)
    assert (seen.x, seen.y) == (131.5, 244)
    assert seen.angle == pytest.approx(90)
    assert seen.best[0] == "9S"


def test_a_name_is_as_likely_as_it_was_read_however_sure_the_outline_is() -> None:
    for outline in (0.62, 0.99):
        (seen,) = observe([reading(0, 0, "9S", p=0.6, outline=outline)], FLAT)
        assert seen.best == ("9S", 0.6)


def test_a_doubtful_card_just_under_another_is_that_one_read_twice() -> None:
    for p, names in ((0.6, ["7C"]), (0.95, ["7C", "7S"])):
        seen = observe([reading(0, 0, "7C", 0.97), reading(6, 3, "7S", p)], FLAT)
        assert [card.best[0] for card in seen] == names


def test_one_card_read_twice_counts_once() -> None:
    assert len(observe([reading(100, 200, "9S"), reading(104, 203, "9S", p=0.6)], FLAT)) == 1
    assert len(observe([reading(100, 200, "9S"), reading(104, 203, "9D")], FLAT)) == 2, "a set lies like this"


def test_odds_are_averaged_over_looks_at_one_place() -> None:
    (settled,) = fuse_looks([[up(0, {"9S": 0.9})], [up(3, {"9C": 0.6, "9S": 0.3})], [up(1, {"9S": 0.9})]])
    assert settled.look_count == 3
    assert settled.observation.best[0] == "9S"
    assert settled.observation.probabilities["9S"] == pytest.approx(0.7)


def test_places_and_turns_keep_cards_apart() -> None:
    assert len(fuse_looks([[up(0, {"9S": 0.9})], [up(30, {"9S": 0.9})]])) == 2
    assert len(fuse_looks([[up(0, {"9S": 0.9})], [up(0, {"9S": 0.9}, angle=40)]])) == 2


def test_of_two_cards_close_together_each_is_known_again_by_its_name() -> None:
    """Outlines are off by more than the cards are apart: by its place each would be taken for the other."""
    king, jack = {"KC": 0.99}, {"JH": 0.96}
    looks = [[up(0.0, king), up(17.0, jack)], [up(15.0, king), up(20.0, jack)], [up(14.0, king)]]
    settled = fuse_looks(looks)
    assert [(s.look_count, s.observation.best[0]) for s in settled] == [(3, "KC"), (2, "JH")]
    assert settled[0].observation.probabilities == pytest.approx(king)


def test_looks_at_one_card_are_joined_by_its_name_though_another_card_lies_nearer() -> None:
    """The lower of two is outlined off by more than they are apart, and one look missed the upper one."""
    spades, diamonds = {"3S": 1.0}, {"3D": 0.82, "3H": 0.12}
    looks = [[up(-11.0, spades), up(9.0, diamonds)], [up(-2.0, diamonds)], [up(-11.0, spades)]]
    assert [(s.look_count, s.observation.best[0]) for s in fuse_looks(looks)] == [(2, "3S"), (2, "3D")]


def test_of_two_claims_to_one_card_the_likelier_has_it() -> None:
    cards = [up(0, {"8S": 0.6, "9S": 0.4}), up(100, {"8S": 0.9})]
    assert [name for name, _ in assign_names(cards)] == ["9S", "8S"]


def test_a_card_that_lies_elsewhere_is_hardly_believed() -> None:
    ((name, _),) = assign_names([up(0, {"8S": 0.6, "9S": 0.4})], taken={"8S"})
    assert name == "9S"
    ((name, p),) = assign_names([up(0, {"8S": 0.99})], taken={"8S"})
    assert p < 0.8


def test_what_another_card_surely_is_makes_the_rest_likelier() -> None:
    """Half the pip of the queen of clubs is covered: that of spades is rather read, which lies on top."""
    top = up(0, {"QS": 1.0})
    (_, (name, p)) = assign_names([top, up(36, {"QS": 0.78, "QC": 0.22})])
    assert name == "QC"
    assert p > 0.8
    (_, (name, p)) = assign_names([top, up(36, {"QS": 0.99, "QC": 0.01})])
    assert p < 0.3, "most likely it is the upper one, outlined twice"


def test_a_pack_has_two_jokers() -> None:
    jokers = [up(90 * k, {"JOKER": 0.9}) for k in range(3)]
    assert [name for name, _ in assign_names(jokers)].count("JOKER") == 2


@given(
    st.lists(
        st.dictionaries(
            st.sampled_from(["2C", "3C", "4C", "5C", "6C"]), st.floats(0, 1 / 5), min_size=1, max_size=5
        ),
        max_size=6,
    )
)
def test_no_name_is_given_twice(odds: list[dict[str, float]]) -> None:
    named = assign_names([up(100.0 * i, o) for i, o in enumerate(odds)])
    names = [name for name, _ in named if name]
    assert len(names) == len(set(names))
    assert all(0 <= p <= 1 for _, p in named)


@given(st.floats(0, 180), st.floats(0, 180))
def test_turns_between_lines(first: float, second: float) -> None:
    turn = angle_between(first, second)
    assert 0 <= turn <= 90
    assert turn == pytest.approx(angle_between(second, first))


def test_a_name_is_given_as_often_as_there_are_packs() -> None:
    twins = [Observation(x, 0.0, 90.0, "up", {"5S": 0.9, "5C": 0.1}) for x in (0.0, 100.0)]
    assert sorted(str(name) for name, _ in assign_names(twins)) == ["5C", "5S"]
    assert [name for name, _ in assign_names(twins, packs=2)] == ["5S", "5S"]
