"""Cards of which only an index shows, beside cards that were found whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np
import pytest

from vision.recognition.classifier import CLASSES, CardClassifier, Classification, Fusion
from vision.recognition.index_detector import IndexDetection, IndexDetector
from vision.recognition.occlusion import OcclusionResolver, group_neighbours
from vision.types import CardReading, Image, Quad

PICTURE = np.zeros((400, 600, 3), np.uint8)
CARD = np.array([[0, 0], [63, 0], [63, 88], [0, 88]], np.float32)


def at(x: float, y: float = 0.0) -> Quad:
    return CARD + np.array([x, y], np.float32)


def whole(card: str, x: float, y: float = 0.0) -> CardReading:
    return CardReading(at(x, y), "up", 0.98, card, 0.99)


class Indices:
    def __init__(self, *indices: IndexDetection) -> None:
        self.indices, self.regions = indices, list[Any]()

    def detect(self, image: Image, card_height: float, region: Sequence[float]) -> list[IndexDetection]:
        self.regions.append((card_height, region))
        return list(self.indices)


class Faces:
    """Names indices in order of asking; `others` is what whole cards show in their other corners."""

    fusion = Fusion(1.0, 1.0, 1e-3, 0.5, index_threshold=0.64)

    def __init__(
        self,
        *names: tuple[str | None, float],
        unreadable: float = 0.01,
        others: tuple[str | None, float] = (None, 0.1),
    ) -> None:
        self.names, self.others, self.asked = names, others, 0
        self.log_p = np.full(len(CLASSES), -9.0)
        self.log_p[-1] = np.log(unreadable)

    def classify_indices(
        self, image: Image, quads: Sequence[Quad], *_: object, **__: bool
    ) -> list[Classification]:
        self.asked += 1
        pairs = self.names[: len(quads)] if self.asked == 1 else [self.others] * len(quads)
        assert len(pairs) == len(quads)
        return [Classification(card, p, (("2C", 0.01),), self.log_p) for card, p in pairs]


def found(
    known: Sequence[CardReading], indices: Sequence[IndexDetection], faces: Faces, packs: int = 1
) -> list[CardReading]:
    finder = Indices(*indices)
    covered = OcclusionResolver(cast(CardClassifier, faces), cast(IndexDetector, finder))
    told = covered.resolve(PICTURE, known, packs=packs)
    return [reading for reading in told if not any(reading is card for card in known)]


def test_the_lower_card_of_a_fanned_pair_is_read_from_its_index() -> None:
    (card,) = found([whole("9S", 120)], [IndexDetection(at(100), 0.9)], Faces(("9H", 0.97)))
    assert (card.card, card.face) == ("9H", "up")
    assert np.allclose(card.quad, at(100))


def test_a_whole_cards_own_indices_tell_of_no_other_card() -> None:
    own = [IndexDetection(at(121), 0.9), IndexDetection(np.roll(at(119), 2, axis=0), 0.9)]
    assert found([whole("9S", 120)], own, Faces(("9S", 0.99), ("9S", 0.99))) == []


def test_a_third_and_fourth_index_of_a_card_tell_of_no_other_card() -> None:
    beside = IndexDetection(at(120 + 63 - 17), 0.9)  # an index in the top right corner, misread
    faces = Faces(("QD", 0.95), others=("9S", 0.97))
    assert found([whole("9S", 120)], [beside], faces) == []


def test_where_a_deck_has_two_indices_one_in_another_corner_is_another_cards() -> None:
    beside = IndexDetection(at(120 + 63 - 17), 0.9)
    (card,) = found([whole("9S", 120)], [beside], Faces(("QD", 0.95)))
    assert card.card == "QD"


def test_two_indices_of_one_covered_card_tell_of_one_card() -> None:
    indices = [IndexDetection(at(100), 0.9), IndexDetection(np.roll(at(101, 1), 2, axis=0), 0.8)]
    cards = found([whole("9S", 130)], indices, Faces(("9H", 0.97), ("9H", 0.9)))
    assert [(card.card, card.confidence) for card in cards] == [("9H", 0.97)]


def test_a_doubtful_index_with_a_doubtful_name_is_nothing() -> None:
    assert found([whole("9S", 120)], [IndexDetection(at(100), 0.6)], Faces((None, 0.6))) == []


def test_a_sure_index_that_cannot_be_read_is_a_card_without_a_name() -> None:
    (card,) = found([whole("9S", 120)], [IndexDetection(at(100), 0.95)], Faces((None, 0.6)))
    assert card.card is None
    assert card.alternatives == (("2C", 0.01),)


def test_what_shows_no_index_at_all_is_nothing() -> None:
    faces = Faces((None, 0.3), unreadable=0.9)
    assert found([whole("9S", 120)], [IndexDetection(at(100), 0.95)], faces) == []


def test_without_a_card_face_up_nothing_is_looked_for() -> None:
    down = CardReading(at(0), "down", 0.9, None, 0.9)
    assert found([down], [IndexDetection(at(100), 0.9)], Faces(("9H", 0.97))) == []


def test_an_outline_drawn_through_two_cards_gives_way_to_what_their_indices_tell() -> None:
    blend = whole("6H", 108)
    indices = [IndexDetection(at(100), 0.95), IndexDetection(at(116), 0.95)]
    faces = Faces(("5H", 0.97), ("4S", 0.96))
    finder = OcclusionResolver(cast(CardClassifier, faces), cast(IndexDetector, Indices(*indices)))
    assert [reading.card for reading in finder.resolve(PICTURE, [blend])] == ["5H", "4S"]


def test_an_outline_in_whose_corners_two_other_cards_have_their_indices_is_drawn_through_both() -> None:
    """The lower card's index tells its card so far off that it lies in no one place with the outline."""
    turn = np.array([[0.87, 0.5], [-0.5, 0.87]], np.float32)
    corner, place = np.array([8.5, 14], np.float32), np.array([114, 15], np.float32)
    lower = IndexDetection(np.asarray((CARD - corner) @ turn + place, np.float32), 0.9)
    upper = IndexDetection(np.roll(at(108), 2, axis=0), 0.95)

    def cards(upper_surely: float) -> list[str | None]:
        faces = Faces(("7S", upper_surely), ("7C", 0.78))
        finder = OcclusionResolver(cast(CardClassifier, faces), cast(IndexDetector, Indices(upper, lower)))
        return [reading.card for reading in finder.resolve(PICTURE, [whole("9S", 106)])]

    assert cards(0.97) == ["7S", "7C"]
    assert cards(0.8) == ["9S"]


def test_a_card_read_surely_does_not_give_way_to_one_index_that_is_read_less_surely() -> None:
    misread = Faces(("8S", 0.93), ("8S", 0.93))
    beside = [IndexDetection(at(123, 3), 0.95), IndexDetection(np.roll(at(117, -3), 2, axis=0), 0.95)]
    assert found([whole("6S", 120)], beside, misread) == []


def test_a_card_named_more_surely_by_an_index_lies_where_that_index_tells() -> None:
    doubtful = CardReading(at(120), "up", 0.9, "9H", 0.7)
    (card,) = found([doubtful], [IndexDetection(at(132, 12), 0.95)], Faces(("9H", 0.96)))
    assert (card.card, card.confidence) == ("9H", 0.96)
    assert np.allclose(card.quad, at(132, 12))


def test_an_outline_gives_way_to_one_index_that_is_read_more_surely() -> None:
    doubtful = CardReading(at(120), "up", 0.98, "6S", 0.7)
    (card,) = found([doubtful], [IndexDetection(at(128, 3), 0.95)], Faces(("8S", 0.93)))
    assert card.card == "8S"


def test_an_index_without_a_name_in_the_place_of_a_named_card_is_that_cards() -> None:
    off = IndexDetection(at(128, 6), 0.95)
    assert found([whole("9S", 120)], [off], Faces((None, 0.6))) == []


def test_an_index_below_the_one_that_a_card_has_in_that_corner_is_that_of_a_card_under_it() -> None:
    about_both = np.array([[120, 0], [183, 0], [183, 108], [120, 108]], np.float32)
    own = [IndexDetection(at(120), 0.95), IndexDetection(np.roll(at(120), 2, axis=0), 0.95)]
    lower = IndexDetection(np.roll(at(120, 20), 2, axis=0), 0.95)
    faces = Faces(("5H", 0.98), ("5H", 0.98), (None, 0.5))
    finder = OcclusionResolver(cast(CardClassifier, faces), cast(IndexDetector, Indices(*own, lower)))
    told = finder.resolve(PICTURE, [CardReading(about_both, "up", 0.98, "5H", 0.99)])
    assert [card.card for card in told] == ["5H", None]
    assert np.allclose(told[1].quad, np.roll(at(120, 20), 2, axis=0))


def test_of_two_unread_indices_in_one_corner_one_is_that_of_a_card_under_it() -> None:
    """An outline about two cards has its corner between theirs, near enough to both."""
    about_both = at(120) + np.array([[0, -8], [0, -8], [0, 0], [0, 0]], np.float32)
    own, lower = IndexDetection(at(120), 0.95), IndexDetection(at(118, -14), 0.95)
    end = IndexDetection(np.roll(at(120), 2, axis=0), 0.95)
    faces = Faces(("9H", 0.98), (None, 0.53), (None, 0.26))
    finder = OcclusionResolver(cast(CardClassifier, faces), cast(IndexDetector, Indices(end, lower, own)))
    told = finder.resolve(PICTURE, [CardReading(about_both, "up", 0.94, "9H", 0.99)])
    assert [card.card for card in told] == ["9H", None]
    assert np.allclose(told[1].quad, lower.quad)


def test_an_index_without_a_name_does_not_move_a_card() -> None:
    indices = [IndexDetection(at(120), 0.95), IndexDetection(at(70), 0.95)]
    (below,) = found([whole("9S", 110, 4)], indices, Faces(("9S", 0.97), (None, 0.6)))
    assert below.card is None


def test_an_outline_on_plain_edges_stays_where_its_index_tells_of_another_place() -> None:
    picture = PICTURE.copy()
    picture[4:92, 110:173] = 255
    indices = [IndexDetection(at(120), 0.95), IndexDetection(at(102), 0.95)]
    faces = Faces(("9S", 0.97), ("9H", 0.96))
    covered = OcclusionResolver(cast(CardClassifier, faces), cast(IndexDetector, Indices(*indices)))
    card, below = covered.resolve(picture, [whole("9S", 110, 4)], [(0.0, 0.0, 600.0, 400.0)])
    assert (card.card, below.card) == ("9S", "9H")
    assert np.allclose(card.quad, at(110, 4))


def test_an_outline_that_is_off_is_put_where_the_cards_own_index_says() -> None:
    indices = [IndexDetection(at(120), 0.95), IndexDetection(at(102), 0.95)]
    moved, below = found([whole("9S", 110, 4)], indices, Faces(("9S", 0.97), ("9H", 0.96)))
    assert (moved.card, below.card) == ("9S", "9H")
    assert np.allclose(moved.quad, at(120))


def test_the_outline_of_a_card_that_lies_free_stays() -> None:
    assert found([whole("9S", 110, 4)], [IndexDetection(at(120), 0.95)], Faces(("9S", 0.97))) == []


def test_an_outline_that_its_index_confirms_stays_as_it_is() -> None:
    assert found([whole("9S", 120)], [IndexDetection(at(122), 0.95)], Faces(("9S", 0.97))) == []


def test_where_no_card_was_outlined_indices_are_looked_for_in_the_part_that_is_asked_for() -> None:
    finder = Indices(IndexDetection(at(300, 200), 0.95))
    covered = OcclusionResolver(cast(CardClassifier, Faces(("9H", 0.97))), cast(IndexDetector, finder))
    region = (280.0, 180.0, 420.0, 320.0)
    told = covered.resolve(PICTURE, [whole("9S", 20)], [region])
    assert [reading.card for reading in told] == ["9S", "9H"]
    assert [asked for _, asked in finder.regions] == [region]


def test_what_is_plainly_of_another_rank_beside_a_fourth_index_is_another_card() -> None:
    beside = IndexDetection(at(120 + 63 - 17 + 3, -9), 0.9)
    faces = Faces(("8C", 0.96), others=("9S", 0.97))
    assert [card.card for card in found([whole("9S", 120)], [beside], faces)] == ["8C"]


class Doubtful(Faces):
    """Names the first index surely, and leaves open what the second one is."""

    def classify_indices(
        self, image: Image, quads: Sequence[Quad], *_: object, **__: bool
    ) -> list[Classification]:
        plain = Classification("9H", 0.97, (("9D", 0.02),), self.log_p)
        open_ = Classification(None, 0.53, (("9D", 0.53), ("9H", 0.43)), self.log_p)
        return [plain, open_][: len(quads)]


def test_an_index_that_may_be_a_card_seen_elsewhere_is_the_other_one() -> None:
    indices = [IndexDetection(at(120), 0.97), IndexDetection(at(120, -20), 0.97)]
    told = found([whole("9H", 120)], indices, Doubtful())
    assert [card.card for card in told] == ["9D"]
    assert told[0].confidence > 0.8


def test_with_two_packs_it_may_be_that_card_too() -> None:
    indices = [IndexDetection(at(120), 0.97), IndexDetection(at(120, -20), 0.97)]
    told = found([whole("9H", 120)], indices, Doubtful(), packs=2)
    assert [(card.card, card.confidence) for card in told] == [(None, 0.53)]


def test_how_tall_cards_are_is_told_by_those_outside_an_outline_about_two() -> None:
    finder = Indices()
    covered = OcclusionResolver(cast(CardClassifier, Faces()), cast(IndexDetector, finder))
    tall = replace(
        whole("4S", 250, 200), quad=np.array([[250, 170], [313, 170], [313, 290], [250, 290]], np.float32)
    )
    row = [whole(card, 90 * k) for k, card in enumerate(("2C", "3C", "5C", "6C", "7C"))]
    covered.resolve(PICTURE, [*row, tall], [(240.0, 160.0, 330.0, 300.0)])
    assert [round(height) for height, _ in finder.regions] == [88]


def test_cards_close_together_are_one_crowd() -> None:
    groups = group_neighbours([whole("9S", x) for x in (0, 70, 300, 140)])
    assert sorted(len(group) for group in groups) == [1, 3]


def test_a_card_much_larger_than_its_neighbour_is_of_another_crowd() -> None:
    assert len(group_neighbours([whole("9S", 0), replace(whole("9S", 0), quad=3 * CARD)])) == 2


def test_a_card_named_doubtfully_gets_the_name_of_its_own_index_where_that_is_surer() -> None:
    doubtful = CardReading(at(120), "up", 0.9, "6C", 0.7)
    (card,) = found([doubtful], [IndexDetection(at(121), 0.95)], Faces(("8C", 0.8)))
    assert (card.card, card.confidence) == ("8C", 0.8)
    assert np.allclose(card.quad, at(120))


def test_a_surer_card_keeps_its_name() -> None:
    assert (
        found(
            [CardReading(at(120), "up", 0.9, "6C", 0.84)], [IndexDetection(at(121), 0.95)], Faces(("8C", 0.8))
        )
        == []
    )


def test_the_index_of_a_card_that_lies_above_does_not_rename_the_one_below() -> None:
    below, above = CardReading(at(120), "up", 0.9, "6C", 0.7), whole("8D", 124)
    assert found([below, above], [IndexDetection(at(123), 0.95)], Faces(("8D", 0.8))) == []


SHORT = np.array([[63, 30], [63, 88], [0, 88], [0, 30]], np.float32)
"""The outline of a card of which another leaves only the lower part: too short, so taken for a wide one."""
LOWER = IndexDetection(np.roll(at(0), 2, axis=0), 0.99)
"""That card's lower right index."""


def with_four_indices(card: tuple[str, float], *indices: IndexDetection) -> list[tuple[str | None, float]]:
    """Return what is told of a deck with four indices where a covered card's outline is named so."""
    name, confidence = card
    known = [whole("3H", 80), CardReading(SHORT, "up", 0.75, name, confidence)]
    faces = Faces(("3D", 0.97), (None, 0.6), others=("3H", 0.97))
    finder = Indices(LOWER, *indices)
    told = OcclusionResolver(cast(CardClassifier, faces), cast(IndexDetector, finder)).resolve(PICTURE, known)
    return [(reading.card, reading.confidence) for reading in told if reading.card != "3H"]


def test_where_a_deck_has_four_indices_one_that_agrees_makes_a_name_surer() -> None:
    assert with_four_indices(("3D", 0.8)) == [("3D", 0.97)]


def test_where_a_deck_has_four_indices_a_doubtful_name_gives_way_to_a_sure_index() -> None:
    assert with_four_indices(("6D", 0.77)) == [("3D", 0.97)]


def test_the_fourth_index_of_a_card_told_by_its_first_is_no_other_card() -> None:
    beside = IndexDetection(np.roll(at(-(63 - 17)), 2, axis=0), 0.96)
    assert with_four_indices(("6D", 0.77), beside) == [("3D", 0.97)]


def test_where_a_deck_has_four_indices_no_card_is_outlined_about_the_third_of_another() -> None:
    known = [whole("3H", 80), CardReading(at(80 + 63 - 17), "up", 0.5, "3H", 0.92)]
    beside = IndexDetection(at(80 + 63 - 17), 0.95)
    for others, cards in ((("3H", 0.97), ["3H"]), ((None, 0.1), ["3H", "3H"])):
        faces = Faces(("3H", 0.8), others=others)
        finder = OcclusionResolver(cast(CardClassifier, faces), cast(IndexDetector, Indices(beside)))
        assert [reading.card for reading in finder.resolve(PICTURE, known)] == cards


def test_the_end_of_a_lower_card_that_an_outline_tells_of_is_read_where_no_index_was_found() -> None:
    end = IndexDetection(np.roll(at(120, 20), 2, axis=0), 0.88)
    faces = Faces(("QC", 0.87))
    finder = OcclusionResolver(cast(CardClassifier, faces), cast(IndexDetector, Indices()))
    told = finder.resolve(PICTURE, [whole("QH", 120)], None, 1, [end])
    assert [reading.card for reading in told] == ["QH", "QC"]
    assert np.allclose(told[1].quad, end.quad)
    elsewhere = finder.resolve(PICTURE, [whole("QH", 120)], [(400, 0, 600, 400)], 1, [end])
    assert [reading.card for reading in elsewhere] == ["QH"], "only where it is looked for"


def test_an_index_is_placed_by_the_end_of_the_card_that_it_stands_on() -> None:
    end, loose = np.roll(at(120, 20), 2, axis=0), np.roll(at(123, 24), 2, axis=0)
    faces = Faces(("QC", 0.87))
    finder = OcclusionResolver(
        cast(CardClassifier, faces), cast(IndexDetector, Indices(IndexDetection(loose, 0.97)))
    )
    told = finder.resolve(PICTURE, [whole("QH", 120)], None, 1, [IndexDetection(end, 0.88)])
    assert [reading.card for reading in told] == ["QH", "QC"]
    assert np.allclose(told[1].quad, end)
    assert told[1].detection_confidence == 0.97


def test_an_index_of_a_suit_much_like_the_cards_is_the_cards_own_where_no_other_is_seen() -> None:
    own, off = IndexDetection(at(120), 0.95), IndexDetection(np.roll(at(114, -9), 2, axis=0), 0.95)
    for names, cards in (
        ([("JC", 0.98), ("JS", 0.9)], ["JC"]),
        ([("JC", 0.98), ("JH", 0.9)], ["JC", "JH"]),
        ([("JC", 0.98), ("QS", 0.9)], ["JC", "QS"]),
    ):
        finder = OcclusionResolver(
            cast(CardClassifier, Faces(*names)), cast(IndexDetector, Indices(own, off))
        )
        assert [reading.card for reading in finder.resolve(PICTURE, [whole("JC", 120)])] == cards
    # Its own one stands there: then what is beside it is another card's.
    faces = Faces(("JC", 0.98), ("JC", 0.98), ("JS", 0.9))
    both = Indices(own, IndexDetection(np.roll(at(120), 2, axis=0), 0.95), off)
    finder = OcclusionResolver(cast(CardClassifier, faces), cast(IndexDetector, both))
    assert [reading.card for reading in finder.resolve(PICTURE, [whole("JC", 120)])] == ["JC", "JS"]


def test_the_two_ends_of_a_card_under_another_are_one_card_though_the_suit_of_one_is_misread() -> None:
    def ends(second: float, *names: tuple[str, float]) -> list[str | None]:
        indices = [IndexDetection(at(200), 0.99), IndexDetection(np.roll(at(200, second), 2, axis=0), 0.95)]
        finder = OcclusionResolver(
            cast(CardClassifier, Faces(*names)), cast(IndexDetector, Indices(*indices))
        )
        return [reading.card for reading in finder.resolve(PICTURE, [whole("6C", 20)])[1:]]

    assert ends(10.0, ("6D", 0.98), ("6H", 0.8)) == ["6D"]
    assert ends(25.0, ("6D", 0.98), ("6H", 0.8)) == ["6D", "6H"], "moved along on its like"
    assert ends(10.0, ("6D", 0.98), ("6H", 0.95)) == ["6D", "6H"], "read surely"
    assert ends(10.0, ("6D", 0.98), ("6S", 0.8)) == ["6D", "6S"], "of another colour"
    assert ends(10.0, ("6D", 0.98), ("6S", 0.48)) == ["6D"], "a guess"


def test_both_ends_of_a_card_under_another_count_if_neither_shows_its_colour_surely() -> None:
    indices = [IndexDetection(at(200), 0.99), IndexDetection(np.roll(at(200, 10.0), 2, axis=0), 0.95)]
    faces = cast(CardClassifier, Faces(("4D", 0.86), ("4S", 0.8)))
    finder = OcclusionResolver(faces, cast(IndexDetector, Indices(*indices)))
    (_, four) = finder.resolve(PICTURE, [whole("6C", 20)])
    assert dict([(four.card, four.confidence), *four.alternatives])["4S"] == pytest.approx(0.4)
    assert four.card == "4D"
    assert four.confidence == pytest.approx(0.43)


def test_of_a_card_that_is_outlined_doubtfully_its_index_has_a_say_in_the_suit() -> None:
    indices = [IndexDetection(at(120, 20), 0.97), IndexDetection(at(120), 0.94)]
    for outline, named in ((0.34, [("JD", 0.465)]), (0.98, [])):
        lower = CardReading(at(120), "up", outline, "JD", 0.93, (("JH", 0.05),))
        told = found([whole("JS", 120, 20), lower], indices, Faces(("JS", 0.99), ("JH", 0.87)))
        assert [(card.card, round(card.confidence, 3)) for card in told] == named
