"""A game that was going on when the table was first seen: that is said, and what lay there is no act."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from functools import cache

import pytest

from companion.game.refereeing import WatchedGame, make_referee
from companion.game.ruling_views import asks_for_places, open_questions
from tests.e2e.films.test_watch import STEP, Game, Table
from vision.questions import UNDER_WAY, format_question
from vision.table.layout import PLAY
from vision.table.manual_layout import TappedPlaces
from vision.types import CardReading, Image

JOINED = format_question(UNDER_WAY)
PILE = (("9S", 420, 300, 0), ("QH", 427, 305, 9))
BURNED = (("4C", 420, 180, 0), ("4D", 427, 185, 9))


def joined(*lying: tuple[str, int, int, int]) -> Game:
    """A table that is seen when its rows lie there, and `lying` beside them. Each is watched once."""
    return deepcopy(_joined(*lying))


@cache
def _joined(*lying: tuple[str, int, int, int]) -> Game:
    game = Game(row_length=3)
    game.deal()
    for card in lying:
        game.table.put(*card)
    game.run(3.0)
    return game


def taken(game: Game) -> None:
    game.table.cards = [card for card in game.table.cards if card[0] not in ("9S", "QH")]


def burned(game: Game) -> None:
    taken(game)
    game.table.put("9S", 434, 190, 18)
    game.table.put("QH", 441, 195, 27)


def bob_plays_king(game: Game) -> None:
    game.reach(410, 280, -1, lambda: game.table.put("KH", 440, 315, 20))
    game.run(1.5)


def told(game: Game) -> list[tuple[str, str | None, tuple[str, ...]]]:
    """The events in the end, with the deal in its last form."""
    standing = {event.revise or event.id: event for event in game.events}
    return [(event.event, event.player, event.cards) for event in standing.values()]


@pytest.mark.parametrize("lying", [PILE, BURNED, (*PILE, *BURNED)], ids=["pile", "burned", "both"])
def test_a_game_that_is_going_on_is_said_to_be_and_no_card_counts_as_played(
    lying: tuple[tuple[str, int, int, int], ...],
) -> None:
    game = joined(*lying)
    assert game.question() == JOINED
    assert [(event.event, event.under_way) for event in game.events] == [("deal", True)]


def test_the_first_play_that_is_seen_shows_the_play_pile_and_what_lies_below_it() -> None:
    game = joined(*PILE, *BURNED)
    bob_plays_king(game)
    deal, play = told(game)
    assert (deal[0], sorted(deal[2])) == ("deal", ["9S", "QH"])
    assert play == ("play", "Bob", ("KH",))
    assert game.question() is None


def test_a_card_put_nearer_to_the_draw_pile_shows_that_the_single_pile_was_burned() -> None:
    game = joined(*BURNED)
    bob_plays_king(game)
    assert told(game) == [("deal", None, ()), ("play", "Bob", ("KH",))]
    assert game.question() is None


def test_a_card_put_farther_from_the_draw_pile_than_the_single_pile_is_no_play() -> None:
    game = joined(*PILE)
    game.reach(230, 250, 1, lambda: game.table.put("3D", 230, 220, 20))
    game.run(3.0)
    assert told(game)[1:] == [("show", "Ann", ("3D",))]
    bob_plays_king(game)
    assert told(game)[2:] == [("play", "Bob", ("KH",))]


class HalfReadTable(Table):
    """A table with a card on the pile whose visible edge is read only from some time on."""

    hidden: tuple[str, ...] = ("4C",)

    def read(self, image: Image, crowded: object = None, ignored: object = None) -> list[CardReading]:
        return [card for card in super().read(image, crowded, ignored) if card.card not in self.hidden]


def test_a_card_of_the_pile_that_is_read_later_is_not_played() -> None:
    table = HalfReadTable()
    game = Game(table, row_length=3)
    game.deal()
    for card in (("4C", 420, 290, 0), *PILE):
        table.put(*card)
    game.run(3.0)
    table.hidden = ()
    game.reach(600, 310, 1)
    game.run(1.5)
    assert [event[0] for event in told(game) if event[0] == "play"] == []


@pytest.mark.parametrize("others", [(), BURNED], ids=["one pile", "two piles"])
@pytest.mark.parametrize(("act", "kind"), [(taken, "pick_up"), (burned, "burn")])
def test_a_pile_that_goes_before_any_play_was_seen_is_told(
    act: Callable[[Game], None], kind: str, others: tuple[tuple[str, int, int, int], ...]
) -> None:
    game = joined(*PILE, *others)
    game.reach(420, 320, 1, lambda: act(game))
    game.run(2.0)
    (_, _, lying), (what, player, cards) = told(game)
    assert sorted(lying) == ["9S", "QH"]
    assert (what, player, sorted(cards)) == (kind, "Ann", ["9S", "QH"])
    assert game.question() is None
    bob_plays_king(game)
    assert told(game)[2:] == [("play", "Bob", ("KH",))]


def test_a_card_put_on_another_pile_shows_the_play_pile() -> None:
    game = joined(*PILE, *BURNED)
    game.reach(410, 170, -1, lambda: game.table.put("KH", 440, 190, 20))
    game.run(1.5)
    deal, play = told(game)
    assert (deal[0], sorted(deal[2])) == ("deal", ["4C", "4D"])
    assert play == ("play", "Bob", ("KH",))


def test_a_pile_that_is_moved_later_has_each_card_once() -> None:
    game = joined(*PILE)
    game.reach(410, 280, -1, lambda: game.table.put("KH", 424, 296, 8))
    game.run(1.5)

    def moved() -> None:
        game.table.cards = [card for card in game.table.cards if card[0] not in ("9S", "QH", "KH")]
        for number, name in enumerate(("9S", "QH", "KH")):
            game.table.put(name, 330 + 7 * number, 300, 9 * number)

    game.reach(420, 320, 1, moved)
    game.run(2.0)
    game.reach(340, 280, -1, lambda: game.table.put("2D", 360, 300, 40))
    game.run(2.0)
    assert sorted(game.watcher.view.pile) == ["2D", "9S", "KH", "QH"]


def test_people_can_show_which_of_the_piles_is_the_play_pile() -> None:
    game = joined(*PILE, *BURNED)
    game.watcher.put(PLAY, (424.0, 303.0))
    game.run(2.0)
    ((kind, _, cards),) = told(game)
    assert (kind, sorted(cards)) == ("deal", ["9S", "QH"])
    assert game.question() is None
    bob_plays_king(game)
    assert told(game)[1:] == [("play", "Bob", ("KH",))]


def test_a_game_that_is_joined_begins_with_tapped_places_too() -> None:
    game = Game(row_length=3)
    game.deal()
    for card in PILE:
        game.table.put(*card)
    game.table.cards = [card for card in game.table.cards if card[0] != "4S"]  # so that no deal is recognised
    game.run(8.0)
    assert game.events == []
    game.watcher.lay_out(TappedPlaces(((490.0, 510.0), (510.0, 90.0)), (570.0, 310.0)))
    game.run(1.0)
    assert [(event.event, event.under_way) for event in game.events] == [("deal", True)]
    bob_plays_king(game)
    assert told(game)[1:] == [("play", "Bob", ("KH",))]


@pytest.mark.parametrize("before", [(), (("KS", 420, 300, 5),)], ids=["bare table", "a pattern like a card"])
def test_a_deal_that_was_seen_is_no_game_that_was_joined(
    before: tuple[tuple[str, int, int, int], ...],
) -> None:
    game = Game(row_length=3)
    for card in before:
        game.table.put(*card)
    game.run(0.6)
    game.deal()
    game.run(2.0)
    assert game.question() is None
    assert [(event.event, event.under_way) for event in game.events] == [("deal", False)]


def test_a_joker_that_is_put_aside_is_no_game_that_was_joined() -> None:
    game = joined(("JOKER", 200, 300, 0))
    assert game.question() is None
    assert [event.under_way for event in game.events] == [False]


def test_nobody_is_accused_of_a_play_on_a_pile_whose_order_was_not_seen() -> None:
    game = Game(row_length=3)
    game.deal()
    for card in PILE:
        game.table.put(*card)
    watched = WatchedGame(game.watcher, lambda names: make_referee("winnersh", names), ("Ann", "Bob"))

    def run(seconds: float) -> None:
        for _ in range(round(seconds / STEP)):
            watched.feed(game.table.frame(), game.t)
            game.t += STEP

    game.run = run  # type: ignore[method-assign]
    run(3.0)
    assert watched.table.turn is None
    assert watched.table.draw_pile is None
    (question,) = open_questions(watched.lines)
    assert asks_for_places(question, followed=True)
    game.reach(410, 280, -1, lambda: game.table.put("5H", 440, 315, 20))
    run(1.5)
    play = next(line for line in watched.lines if line["event"] == "play")
    assert play["ruling"]["verdict"] == "unproven"
    assert watched.table.pile == ["??", "??", "5H"]
    assert open_questions(watched.lines) == []
