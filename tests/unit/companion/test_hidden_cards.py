"""A squared stack shows its uppermost card alone: the others are asked for, or follow from what is seen."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
import pytest

from companion.game.refereeing import WatchedGame, make_referee
from companion.game.ruling_views import likely_answers, open_questions
from engine.events import Event
from vision.following import watcher as watch
from vision.questions import HIDDEN_CARD, format_question
from vision.table.view import TableView

FRAME = np.zeros((4, 4, 3), np.uint8)
UP: dict[str, tuple[str, ...]] = {
    "Ann": ("4S", "5C", "6C"),
    "Bob": ("9D", "JC", "AD"),
    "Cat": ("10H", "8C", "QD"),
}


@dataclass
class Watcher:
    """Tells one event a picture."""

    given: list[Event]
    view: TableView = field(default_factory=TableView)
    layout: Any = None
    looks: int = 0
    question: str | None = None
    lost: bool = False

    def feed(self, frame: Any, t: float) -> list[Event]:
        return [self.given.pop(0)]


class Filmed(WatchedGame):
    """A game whose watcher can be given more events."""

    given: list[Event]


def see(game: Filmed, event: Event) -> None:
    """Let the camera of a game see one event more."""
    game.given.append(event)
    game.feed(FRAME, event.t)


def watched(*seen: dict[str, Any], rules: str = "winnersh", others: tuple[str, ...] = ()) -> Filmed:
    """Return a game of which a camera saw the deal and then these events."""
    events = [Event(id=1, event="deal", up=UP, confidence=0.95)]
    for number, fields in enumerate(seen, start=2):
        events.append(Event(**{"id": number, "t": float(number), "confidence": 0.95, **fields}))
    watcher = Watcher(list(events))
    game = Filmed(
        cast(watch.Watcher, watcher),
        lambda players: make_referee(rules, players, dealer=players[-1]),
        (*UP, *others),
    )
    game.given = watcher.given
    for event in events:
        game.feed(FRAME, event.t)
    return game


PLAY = {"event": "play", "player": "Ann", "cards": ("4C",), "source": "hand"}
DRAW_TWO = {"event": "draw", "player": "Ann", "count": 2}


def test_who_draws_two_for_one_card_seen_is_asked_which_one_lay_under_it() -> None:
    game = watched(PLAY, DRAW_TWO)
    play, draw = game.lines[1:3]
    assert draw["ruling"]["verdict"] == "unproven"
    (question,) = open_questions(game.lines)
    assert question["says"] == format_question(HIDDEN_CARD, "Ann", count=1)
    assert question["concerns"] == play["id"]
    assert question["cards"] == ["4D", "4H"], "4S lies before Ann, 4C was seen"


def test_the_answer_settles_the_draw() -> None:
    game = watched(PLAY, DRAW_TWO)
    (question,) = open_questions(game.lines)
    game.correct(game.lines[1]["id"], likely_answers(game.lines, question)[0])
    assert game.lines[1]["cards"] == ["4D", "4C"]
    assert game.lines[2]["ruling"]["verdict"] == "legal"
    assert open_questions(game.lines) == []


def test_it_is_asked_once_and_closes_when_the_card_is_seen_after_all() -> None:
    told_twice = {**DRAW_TWO, "revise": 3}
    game = watched(PLAY, DRAW_TWO, told_twice)
    assert len(open_questions(game.lines)) == 1
    seen = {**PLAY, "cards": ("4D", "4C"), "revise": 2}
    assert open_questions(watched(PLAY, DRAW_TWO, seen).lines) == []


TAKEN_BACK = ({**PLAY, "cards": ("4D",)}, {**PLAY, "cards": ("4D",), "revise": 2, "withdrawn": True})


def test_a_card_that_its_player_had_put_down_and_taken_back_lay_under_the_other_one() -> None:
    game = watched(*TAKEN_BACK, PLAY, DRAW_TWO)
    assert cards_of(game, "play", "Ann") == [["4D", "4C"]]
    assert open_questions(game.lines) == []
    see(game, Event(id=9, t=9.0, event="play", player="Ann", cards=("4D",), source="hand", confidence=0.95))
    assert cards_of(game, "play", "Ann") == [["4H", "4C"], ["4D"]], "one other is left"


def test_a_card_that_another_player_had_taken_back_is_asked_for_like_any_other() -> None:
    by_bob = tuple({**event, "player": "Bob"} for event in TAKEN_BACK)
    (question,) = open_questions(watched(*by_bob, PLAY, DRAW_TWO).lines)
    assert question["cards"] == ["4D", "4H"]


def test_a_card_that_its_player_had_picked_up_lay_under_the_other_one() -> None:
    on_pile = {"event": "play", "player": "Bob", "cards": ("4D",), "source": "hand"}
    picks_up = {"event": "pick_up", "player": "Ann", "cards": ("4D",)}
    game = watched(on_pile, picks_up, PLAY, {**DRAW_TWO, "count": 1})
    assert cards_of(game, "play", "Ann") == [["4D", "4C"]], "with only one played, no draw would be due"


def test_nothing_is_asked_about_what_is_due_or_about_another_players_play() -> None:
    assert open_questions(watched(PLAY, {**DRAW_TWO, "count": 1}).lines) == []
    by_bob = {**PLAY, "player": "Bob", "cards": ("5H",)}
    assert open_questions(watched(PLAY, by_bob, DRAW_TWO).lines) == []


def test_nothing_is_asked_where_all_cards_of_the_rank_are_seen() -> None:
    fours = {**PLAY, "cards": ("4C", "4D", "4H")}
    assert open_questions(watched(fours, {**DRAW_TWO, "count": 4}).lines) == []


NINE = {"event": "play", "player": "Ann", "cards": ("9C",), "source": "hand"}
NINE_ON_IT = {**NINE, "player": "Bob", "cards": ("9H",)}
DRAW_ONE = {"event": "draw", "player": "Ann", "count": 1}
BOB_DRAWS_TWO = {"event": "draw", "player": "Bob", "count": 2}
ONLY_ONE_LEFT = (NINE, DRAW_ONE, NINE_ON_IT, BOB_DRAWS_TWO)
"""The 9 of diamonds lies before Bob: who drew two for the 9 of hearts had the 9 of spades under it."""


def cards_of(game: WatchedGame, event: str, player: str | None = None) -> list[list[str]]:
    return [x["cards"] for x in game.lines if x["event"] == event and player in (None, x.get("player"))]


def test_where_only_one_card_is_left_nobody_is_asked() -> None:
    game = watched(*ONLY_ONE_LEFT)
    assert cards_of(game, "play", "Bob") == [["9S", "9H"]]
    assert [line["ruling"]["verdict"] for line in game.lines[3:]] == ["legal", "legal"]
    assert not [line for line in game.lines if line["event"] == "unclear"]


def test_a_card_that_was_inferred_is_less_certain_than_one_that_was_seen() -> None:
    game = watched(*ONLY_ONE_LEFT)
    plays = [line["confidence"] for line in game.lines if line["event"] == "play"]
    assert plays == [0.95, 0.9]


BY_CAT = ({**PLAY, "player": "Cat"}, {**DRAW_TWO, "player": "Cat"})
"""The 4 of spades lies before Ann. The others of hearts and diamonds may lie under that of clubs."""


@pytest.mark.parametrize(
    "gone",
    [
        ({"event": "pick_up", "player": "Bob", "cards": ("4D", "4H")},),
        (
            {"event": "play", "player": "Bob", "cards": ("10C",), "source": "hand"},
            {"event": "burn", "player": "Bob", "cards": ("4D", "4H", "10C")},
            {"event": "play", "player": "Bob", "cards": ("5H",), "source": "hand"},
        ),
    ],
    ids=["in a hand", "burned"],
)
def test_nothing_is_asked_where_the_other_cards_of_the_rank_are_known_to_be_elsewhere(gone: Any) -> None:
    two = ({**PLAY, "cards": ("4D", "4H")}, DRAW_TWO)
    assert open_questions(watched(*two, *gone, *BY_CAT).lines) == []
    assert open_questions(watched(*BY_CAT).lines) != []


def test_what_is_seen_later_answers_the_question() -> None:
    game = watched(PLAY, DRAW_TWO)
    assert len(open_questions(game.lines)) == 1
    seen = {"event": "play", "player": "Bob", "cards": ("4H",), "source": "hand"}
    game = watched(PLAY, DRAW_TWO, seen)
    assert cards_of(game, "play", "Ann") == [["4D", "4C"]]
    assert not [line for line in game.lines if line["event"] == "unclear"], "the question is withdrawn"
    assert game.lines[2]["ruling"]["verdict"] == "legal"


def test_what_was_concluded_goes_when_the_card_turns_up_elsewhere() -> None:
    turned_up = {"event": "play", "player": "Cat", "cards": ("9S",), "source": "hand"}
    assert cards_of(watched(*ONLY_ONE_LEFT, turned_up), "play", "Bob") == [["9H"]]


def test_what_was_concluded_goes_when_fewer_were_drawn_after_all() -> None:
    drew_one = {**BOB_DRAWS_TWO, "count": 1, "revise": 5}
    assert cards_of(watched(*ONLY_ONE_LEFT, drew_one), "play", "Bob") == [["9H"]]


def test_a_burn_told_before_is_told_with_the_hidden_card() -> None:
    burnt = (
        {"event": "play", "player": "Bob", "cards": ("10C",), "source": "hand"},
        {"event": "burn", "player": "Bob", "cards": ("4C", "10C")},
        {"event": "play", "player": "Bob", "cards": ("4H",), "source": "hand"},
    )
    game = watched(PLAY, DRAW_TWO, *burnt)
    assert cards_of(game, "play", "Ann") == [["4D", "4C"]]
    assert cards_of(game, "burn") == [["4D", "4C", "10C"]]


def test_who_picked_the_pile_up_may_play_what_lay_hidden_there() -> None:
    taken = (
        {"event": "pick_up", "player": "Bob", "cards": ("4C",)},
        {"event": "play", "player": "Bob", "cards": ("4H",), "source": "hand"},
    )
    game = watched(PLAY, DRAW_TWO, *taken)
    assert cards_of(game, "play", "Ann") == [["4C"]]
    assert len(open_questions(game.lines)) == 1


def test_who_once_laid_a_set_out_for_all_to_see_may_hide_cards_of_the_next() -> None:
    laid_out = (
        {"event": "play", "player": "Ann", "cards": ("5D",), "source": "hand"},
        DRAW_ONE,
        {"event": "play", "player": "Bob", "cards": ("7C", "7H"), "source": "hand"},
        BOB_DRAWS_TWO,
        {"event": "play", "player": "Cat", "cards": ("9C",), "source": "hand"},
        {**DRAW_ONE, "player": "Cat"},
        {"event": "play", "player": "Ann", "cards": ("JD",), "source": "hand"},
        DRAW_ONE,
        {"event": "play", "player": "Bob", "cards": ("JH",), "source": "hand"},
        BOB_DRAWS_TWO,
    )
    game = watched(*laid_out)
    assert cards_of(game, "play", "Bob")[-1] == ["JS", "JH"]
    assert open_questions(game.lines) == []


def test_a_burn_that_shows_three_of_a_rank_tells_of_the_fourth() -> None:
    sevens = [
        {"event": "play", "player": player, "cards": (card,), "source": "hand"}
        for player, card in (("Ann", "7C"), ("Bob", "7D"), ("Cat", "7H"))
    ]
    draws = [{**DRAW_ONE, "player": player} for player in ("Ann", "Bob")]
    burnt = {"event": "burn", "player": "Cat", "cards": ("7C", "7D", "7H")}
    game = watched(sevens[0], draws[0], sevens[1], draws[1], sevens[2], burnt)
    assert cards_of(game, "play", "Cat") == [["7S", "7H"]]
    assert cards_of(game, "burn") == [["7C", "7D", "7S", "7H"]]


def test_with_two_packs_it_is_asked() -> None:
    game = watched(*ONLY_ONE_LEFT, rules="shed", others=("Dan", "Eve"))
    assert cards_of(game, "play", "Bob") == [["9H"]]
    assert len(open_questions(game.lines)) == 1


def test_an_answer_given_stands_whatever_is_seen_later() -> None:
    game = watched(PLAY, DRAW_TWO)
    (question,) = open_questions(game.lines)
    heart = next(answer for answer in likely_answers(game.lines, question) if "4H" in answer.cards)
    game.correct(game.lines[1]["id"], heart)
    assert game.lines[1]["cards"] == ["4H", "4C"]
    see(game, Event(id=4, event="play", t=4.0, player="Bob", cards=("4H",), source="hand", confidence=0.95))
    assert game.lines[1]["cards"] == ["4H", "4C"]


def test_what_lay_hidden_in_a_pile_taken_before_is_not_put_into_a_later_one() -> None:
    taken = {"event": "pick_up", "player": "Ann", "cards": ("4C",)}
    seen = {"event": "play", "player": "Bob", "cards": ("4H",), "source": "hand"}
    again = (
        {"event": "play", "player": "Ann", "cards": ("4C", "4D"), "source": "hand"},
        {"event": "burn", "player": "Ann", "cards": ("4H", "4C", "4D")},
    )
    game = watched(PLAY, DRAW_TWO, taken, seen, *again)
    assert cards_of(game, "pick_up") == [["4D", "4C"]]
    assert cards_of(game, "burn") == [["4H", "4C", "4D"]]


def test_what_lay_hidden_is_still_told_where_the_taking_is_told_anew() -> None:
    taken = {"event": "pick_up", "player": "Cat", "cards": ("4C",)}
    seen = {"event": "play", "player": "Bob", "cards": ("4H",), "source": "hand"}
    by_ann = {"event": "pick_up", "player": "Ann", "cards": ("4C",), "revise": 4}
    assert cards_of(watched(PLAY, DRAW_TWO, taken, seen, by_ann), "pick_up", "Ann") == [["4D", "4C"]]


def test_a_pile_that_was_not_taken_after_all_is_told_with_what_lay_hidden_once_it_is() -> None:
    taken = {"event": "pick_up", "player": "Cat", "cards": ("4C",)}
    seen = {"event": "play", "player": "Bob", "cards": ("4H",), "source": "hand"}
    after_all = (
        {**taken, "revise": 4, "withdrawn": True},
        {"event": "pick_up", "player": "Cat", "cards": ("4C", "4H")},
    )
    game = watched(PLAY, DRAW_TWO, taken, seen, *after_all)
    assert cards_of(game, "pick_up") == [["4D", "4C", "4H"]]
