"""The referee copes with what is misread or missed."""

from __future__ import annotations

import pytest

from engine.errors import BadInputError
from engine.events import Event, EventKind
from engine.referee.referee import Referee
from tests.unit.engine.conftest import Halfway, Start
from tests.unit.engine.outcomes import broken, kinds, notes, verdict

ANN, BOB, CAT = PLAYERS = ("Ann", "Bob", "Cat")


# Imperfect observations


@pytest.mark.parametrize(
    "kind", ["play", "flip", "take_up", "take_down", "pick_up", "burn", "show", "draw", "recount", "out"]
)
@pytest.mark.parametrize("player", [None, "Ann", "Nobody"])
@pytest.mark.parametrize("cards", [(), ("??",), ("9H",), ("garbage",), ("3H", "3S")])
def test_nothing_that_is_seen_stops_the_referee(
    kind: EventKind, player: str | None, cards: tuple[str, ...]
) -> None:
    referee = Referee("winnersh", PLAYERS)
    for number in range(1, 4):
        referee.observe(Event(id=number, event=kind, player=player, cards=cards, to="Bob", count=None))
    assert referee.table.players == PLAYERS


@pytest.mark.parametrize("count", [-3, 10**9])
def test_a_count_that_cannot_be_is_passed_over(start: Start, count: int) -> None:
    game = start()
    game.play(BOB, "4H")
    game.tell("draw", BOB, count=count)
    assert (game.table.hands[BOB].size, game.table.draw_pile) == (3, 24)


def test_a_card_read_wrongly_before_is_forgotten_without_a_false_alarm(midway: Halfway) -> None:
    game = midway(draw_pile=9, hands={CAT: "5H 6S 6D"})  # thought to be known, one of them wrongly
    game.play(BOB, "4H", draws=1)
    game.tell("pick_up", CAT, "4H")
    game.play(ANN, "5D", draws=1)
    game.play(BOB, "8H", draws=1)
    outcome = game.play(CAT, "KS")
    assert verdict(outcome) == "legal"
    assert notes(outcome)
    assert game.table.hands[CAT].size == 3


def test_a_pick_up_not_seen_follows_from_a_card_of_the_pile_played_again(start: Start) -> None:
    game = start()
    game.play(BOB, "9H", draws=1, confidence=0.97)
    game.play(CAT, "JH", draws=1)
    game.play(ANN, "QH", draws=1)
    outcome = game.play(BOB, "9H")  # Bob's pick-up was missed, and then more: only Bob can hold it now
    assert verdict(outcome) == "unproven"
    assert outcome.ruling is not None
    assert outcome.ruling["needs"] == ["whether Bob picked up the pile without being seen"]
    assert game.table.hands[BOB].known == ("JH", "QH")


def test_elsewhere_a_card_of_the_pile_is_not_played_again_while_an_observer_is_certain(start: Start) -> None:
    game = start()
    game.play(BOB, "4H", draws=1)
    game.play(CAT, "5H", draws=1)
    outcome = game.play(ANN, "5H", draws=1)
    assert broken(outcome) == ["physical.elsewhere"]
    assert game.table.hands[ANN].known == ()


def test_a_card_that_lies_elsewhere_proves_no_late_breach(start: Start) -> None:
    game = start("rulebook", dealer=ANN)
    game.play(BOB, "9H", draws=1)
    game.tell("pick_up", CAT, "9H")
    game.play(ANN, "5H", draws=1)
    game.play(BOB, "6H", draws=1)
    outcome = game.play(CAT, "KD", draws=1)  # it lies face up in front of Ann
    assert broken(outcome) == ["physical.elsewhere"]
    assert kinds(outcome) == []


@pytest.mark.parametrize(
    ("hand", "played", "left"),
    [
        ("JS ??", "J", "??"),  # the jack of spades, or another one
        ("JS JH KC", "J", "J KC"),
        ("J ??", "JS", "??"),
        ("JS JH KC", "J J", "KC"),
    ],
)
def test_a_rank_named_without_its_suit_may_be_any_card_of_it(
    midway: Halfway, hand: str, played: str, left: str
) -> None:
    game = midway(turn=BOB, opening=False, hands={BOB: hand})
    outcome = game.play(BOB, played)
    assert (verdict(outcome), notes(outcome)) == ("legal", [])
    assert game.state.seats[BOB].hand == left.split()


@pytest.mark.parametrize(
    ("hand", "up", "left"), [("A", "?? KD", "KD"), ("AS", "AH KD", "KD"), ("AS", "?? ??", "??")]
)
def test_one_card_from_the_hand_and_one_from_the_table_may_be_named_by_their_rank(
    midway: Halfway, hand: str, up: str, left: str
) -> None:
    game = midway(turn=BOB, opening=False, hands={BOB: hand}, ups={BOB: up})
    outcome = game.play(BOB, "A A", "hand+up")
    assert verdict(outcome) == "legal"
    assert game.table.hands[BOB].size == 0
    assert game.table.up[BOB] == left.split()


def test_up_cards_taken_unseen(midway: Halfway) -> None:
    game = midway(hands={BOB: ""})
    outcome = game.play(BOB, "7H")
    assert verdict(outcome) == "legal"
    assert game.table.up[BOB] == ["2C", "7S"]


def test_an_unidentified_card_may_be_one_that_was_known(start: Start) -> None:
    game = start()
    game.play(BOB, "9H", draws=1)
    game.tell("pick_up", CAT, "9H")
    game.play(ANN, "5H", draws=1)
    game.play(BOB, "6H", draws=1)
    game.play(CAT, "??")
    assert game.table.hands[CAT].known == ()
    assert game.table.hands[CAT].size == 3


def test_an_unidentified_card_picked_up_proves_nothing_later(start: Start) -> None:
    game = start("rulebook", dealer=ANN)
    game.play(BOB, "9H", draws=1)
    game.tell("pick_up", CAT, "9H")
    game.play(ANN, "??", draws=1)
    game.play(BOB, "AH", draws=1)
    game.tell("pick_up", CAT, "?? AH")
    game.play(ANN, "5H", draws=1)
    game.play(BOB, "6H", draws=1)
    assert kinds(game.play(CAT, "KH")) == []  # may be the card that Ann played


@pytest.mark.parametrize(("confidence", "second"), [(1.0, "illegal"), (0.97, "unproven")])
def test_up_only_when_hand_empty_a_repeated_offence_is_not_forgiven(
    midway: Halfway, confidence: float, second: str
) -> None:
    game = midway("rulebook", dealer=ANN, hands={BOB: "??"})
    game.tell("unclear", confidence=confidence)
    assert broken(game.play(BOB, "2C", source="up"))
    game.play(CAT, "4D")
    game.play(ANN, "5D")
    assert verdict(game.play(BOB, "7H", source="up")) == second


def test_names_and_dealer_are_checked() -> None:
    with pytest.raises(BadInputError):
        Referee("winnersh", ["Ann"])
    with pytest.raises(BadInputError):
        Referee("winnersh", PLAYERS, dealer="Zoe")


# A set of which one card was overlooked: the player draws one more than is due


def test_a_draw_beyond_what_is_due_is_called_once_and_then_counted_with(start: Start) -> None:
    game = start()
    game.play(BOB, "4H")
    surplus = game.tell("draw", BOB, count=2)
    assert broken(surplus) == ["replenish.to-three"]
    assert game.table.hands[BOB].size == 3
    game.play(CAT, "5H", draws=1)
    game.play(ANN, "6D", draws=1)
    game.play(BOB, "8H")
    assert verdict(game.tell("draw", BOB, count=1)) == "legal"


@pytest.mark.parametrize(
    ("burner", "confidence", "ruled", "turn"),
    [(BOB, 0.97, "unproven", BOB), (BOB, 1.0, "illegal", CAT), (CAT, 0.97, "illegal", CAT)],
)
def test_a_set_that_looks_like_one_card_may_have_been_four_of_a_kind(
    start: Start, burner: str, confidence: float, ruled: str, turn: str
) -> None:
    game = start()
    game.play(BOB, "4H", draws=1)
    game.play(CAT, "QC", draws=1)
    game.play(ANN, "QD", draws=1)
    game.tell("pick_up", BOB, "4H QC QD")
    game.play(CAT, "5H", draws=1)
    game.play(ANN, "6D", draws=1)
    game.tell("play", BOB, "QS", source="hand", confidence=confidence)
    outcome = game.tell("burn", burner, "5H 6D QS")
    assert verdict(outcome) == ruled
    assert game.table.turn == turn
    assert not game.table.pile


@pytest.mark.parametrize(
    ("played", "confidence", "ruled"),
    [("3H", 0.97, "unproven"), ("3H", 1.0, "illegal"), ("4H", 0.97, "illegal")],
)
def test_the_starting_card_may_lie_unseen_under_another_of_its_rank(
    start: Start, played: str, confidence: float, ruled: str
) -> None:
    game = start("shed", {ANN: ("4C", "9S", "KD"), BOB: ("3D", "7H", "7S"), CAT: ("5C", "6C", "8C")})
    game.tell("exchange", BOB, count=1, up={BOB: ("AH", "7H", "7S")})
    outcome = game.tell("play", BOB, played, source="hand", confidence=confidence)
    assert verdict(outcome) == ruled


@pytest.mark.parametrize(("burner", "ruled"), [(CAT, "unproven"), (ANN, "illegal")])
def test_whose_turn_it_is_may_have_completed_four_of_a_kind_unseen(
    start: Start, burner: str, ruled: str
) -> None:
    game = start()
    game.tell("play", BOB, "QC QD QH", source="hand", confidence=0.97)
    assert verdict(game.tell("burn", burner, "QC QD QH")) == ruled


@pytest.mark.parametrize(("face_up", "ruled"), [(True, "unproven"), (False, "illegal")])
def test_a_pile_that_lies_face_up_may_only_have_been_moved(start: Start, face_up: bool, ruled: str) -> None:
    game = start()
    game.play(BOB, "4H", draws=1)
    game.tell("play", CAT, "5H", source="hand", confidence=0.97)
    assert verdict(game.tell("burn", ANN, "4H 5H", face_up=face_up)) == ruled


def test_three_cards_in_a_hand_are_no_four_of_a_kind(start: Start) -> None:
    game = start()
    game.tell("play", BOB, "QS", source="hand", confidence=0.97)
    assert broken(game.tell("burn", BOB, "QS"))


def test_a_set_that_cannot_have_been_four_of_a_kind_is_no_ground_for_a_burn(start: Start) -> None:
    game = start()
    game.play(BOB, "4H", draws=1)
    game.play(CAT, "5D", draws=1)
    game.play(ANN, "QC", draws=1)
    game.tell("pick_up", BOB, "4H 5D QC")
    game.play(CAT, "QH", draws=1)
    game.tell("pick_up", ANN, "QH")
    game.tell("play", BOB, "QS", source="hand", confidence=0.97)
    outcome = game.tell("burn", BOB, "QS")
    assert broken(outcome), "Ann has one of the queens"
