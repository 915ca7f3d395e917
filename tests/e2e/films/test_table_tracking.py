"""A table that is tidied or a camera that is carried away: the game is lost, said to be, and found again."""

from __future__ import annotations

from copy import deepcopy
from functools import cache

import numpy as np
import pytest

from companion.game.places import set_layout
from companion.game.refereeing import WatchedGame, make_referee
from companion.game.ruling_views import asks_for_places, open_questions
from companion.memory import MemoryTrimmer
from engine.errors import BadInputError
from engine.events import Event
from tests.e2e.films.test_watch import STEP, Game
from vision.following.patches import Patch
from vision.following.rows import Rows
from vision.following.table_tracking import TableTracker
from vision.questions import LOST_TRACK, format_question
from vision.table.manual_layout import TappedPlaces


class Refereed(Game):
    """The same under a referee."""

    def __init__(self) -> None:
        super().__init__(row_length=3)
        self.watched = self.watcher
        self.game = WatchedGame(self.watched, lambda names: make_referee("winnersh", names), ("Ann", "Bob"))

    def run(self, seconds: float) -> None:
        for _ in range(round(seconds / STEP)):
            self.game.feed(self.table.frame(), self.t)
            self.t += STEP

    def lost(self) -> bool:
        """Whether the cards are being looked for."""
        return self.watched.lost

    def told(self) -> list[tuple[str, str | None]]:
        return [(line["event"], line.get("player")) for line in self.game.lines]


@cache
def _begun() -> Refereed:
    game = Refereed()
    game.begin()
    assert game.told() == [("deal", None), ("play", "Ann"), ("draw", "Ann")]
    return game


def copy_of(game: Refereed) -> Refereed:
    """Return a copy that goes its own way. What gives memory back to the system has no state to copy."""
    shared = {id(part): part for part in vars(game.game).values() if isinstance(part, MemoryTrimmer)}
    return deepcopy(game, shared)


def begun() -> Refereed:
    """Return a game with a play and a draw. They are followed once, for all tests."""
    return copy_of(_begun())


@cache
def _carried_away() -> Refereed:
    game = begun()
    carry_away(game, 4.0)
    return game


def carried_away() -> Refereed:
    """Return such a game whose camera has seen anything but the table for a while."""
    return copy_of(_carried_away())


def tidy(game: Game) -> None:
    """Move every card, each row for itself."""
    game.table.cards = [
        (name, x - 130, y + (20 if y < 200 else -40 if y > 400 else 0), turn)
        for name, x, y, turn in game.table.cards
    ]


def test_a_table_that_is_tidied_is_no_act_and_the_game_goes_on() -> None:
    game = begun()
    tidy(game)
    game.run(15.0)
    assert [line.get("says") for line in game.game.lines[3:]] == [format_question(LOST_TRACK)]
    assert not game.lost()
    game.reach(280, 280, -1, lambda: game.table.put("QH", 294, 296, 8))
    game.run(1.5)
    assert game.told()[4:] == [("play", "Bob")]
    assert game.game.lines[-1]["cards"] == ["QH"]
    assert game.game.table.pile == ["9S", "QH"]


def turned(game: Game) -> None:
    """Let the camera see the table from the other side."""
    width, height = 1000, 600
    game.table.cards = [(name, width - x, height - y, turn) for name, x, y, turn in game.table.cards]


def carry_away(game: Refereed, seconds: float) -> None:
    """Let the camera see anything but the table."""
    chance = np.random.default_rng(1)
    for _ in range(round(seconds / STEP)):
        frame = np.repeat(np.repeat(chance.integers(0, 255, (60, 100, 3), np.uint8), 10, 0), 10, 1)
        cards, game.table.cards = game.table.cards, []
        game.game.feed(frame, game.t)
        game.table.cards = cards
        game.t += STEP


def test_a_camera_that_was_carried_away_and_stands_elsewhere_sees_the_game_go_on() -> None:
    game = carried_away()
    turned(game)
    game.run(12.0)
    assert [line.get("says") for line in game.game.lines[3:]] == [format_question(LOST_TRACK)]
    assert not game.lost()
    game.reach(590, 320, 1, lambda: game.table.put("QH", 576, 304, 8))
    game.run(1.5)
    assert game.told()[4:] == [("play", "Bob")], "who sits where is told by the cards"


def test_a_camera_that_comes_back_to_where_it_was_has_lost_nothing() -> None:
    game = carried_away()
    game.run(10.0)
    assert game.told() == [("deal", None), ("play", "Ann"), ("draw", "Ann")]
    assert not game.lost()
    game.reach(410, 280, -1, lambda: game.table.put("QH", 424, 296, 8))
    game.run(1.5)
    assert game.told()[3:] == [("play", "Bob")]


def test_what_only_a_hand_shows_is_not_shown_either_while_the_camera_is_in_doubt() -> None:
    game = carried_away()
    game.table.put("KD", 690, 560)
    shown = set()
    for _ in range(round(10.0 / STEP)):
        game.run(STEP)
        shown |= {reading.card for reading in game.watched.view.readings}
    assert "9S" in shown
    assert "KD" not in shown


def test_a_row_that_its_player_takes_up_is_an_act_and_no_loss() -> None:
    game = begun()

    def take() -> None:
        game.table.cards = [card for card in game.table.cards if card[0] not in ("4S", "5C", "6C")]

    game.reach(500, 500, 1, take)
    game.run(8.0)
    assert format_question(LOST_TRACK) not in [line.get("says") for line in game.game.lines]


def test_a_card_that_was_put_right_stays_so_when_the_game_is_lost_and_found_again() -> None:
    game = begun()
    nine = next(line for line in game.game.lines if line["event"] == "play")
    game.game.correct(nine["id"], Event.from_json({**nine, "cards": ["9C"]}))
    tidy(game)
    game.run(15.0)
    assert not game.lost()
    game.reach(280, 280, -1, lambda: game.table.put("QH", 294, 296, 8))
    game.run(1.5)
    assert [line["cards"] for line in game.game.lines if line["event"] == "play"] == [["9C"], ["QH"]]

    def take() -> None:
        game.table.cards = [card for card in game.table.cards if card[0] not in ("9S", "QH")]

    game.reach(290, 320, 1, take)
    game.run(3.0)
    assert game.told()[-1] == ("pick_up", "Ann")
    assert sorted(game.game.lines[-1]["cards"]) == ["9C", "QH"]


def test_the_numbers_of_events_go_on_when_the_game_is_lost_and_found_again() -> None:
    game = Game(row_length=3)
    game.begin()
    tidy(game)
    game.run(15.0)
    game.reach(280, 280, -1, lambda: game.table.put("QH", 294, 296, 8))
    game.run(1.5)
    numbers = [event.id for event in game.events if event.event != "unclear"]
    assert len(numbers) > 4
    assert numbers == sorted(set(numbers))


def test_while_the_game_is_lost_nothing_is_told_and_it_is_shown_to_be_lost() -> None:
    game = begun()
    game.table.cards = [(name, 80.0 * k + 60, 300, 25.0 * k) for k, (name, *_) in enumerate(game.table.cards)]
    game.run(6.0)
    game.reach(400, 320, 1)
    game.run(3.0)
    assert game.lost()
    assert game.watched.layout is None
    assert game.told()[3:] == [("unclear", None)]


def put_elsewhere(game: Game) -> None:
    """Put the rows' cards where they are no rows any more, each player's for itself."""
    places = {"4S": (650, 430), "5C": (735, 520), "6C": (560, 500)}
    places |= {"9D": (300, 60), "JC": (385, 130), "AD": (225, 150)}
    game.table.cards = [
        (name, *places[name], 20.0 * k) if name in places else (name, x, y, turn)
        for k, (name, x, y, turn) in enumerate(game.table.cards)
    ]


@pytest.mark.parametrize("from_opposite", [False, True])
def test_a_game_that_is_not_found_again_goes_on_where_people_show_it_to_lie(from_opposite: bool) -> None:
    game = carried_away()
    put_elsewhere(game)
    ann, bob, draw, reach, lands = (640.0, 480.0), (300.0, 115.0), (580.0, 300.0), (400, 280, -1), (428, 306)
    if from_opposite:
        turned(game)
        ann, bob, draw = (360.0, 120.0), (700.0, 485.0), (420.0, 300.0)
        reach, lands = (600, 320, 1), (572, 294)
    game.run(12.0)
    assert game.lost()
    (question,) = open_questions(game.game.lines)
    assert asks_for_places(question)
    assert not asks_for_places(question, followed=True)
    set_layout(game.game, TappedPlaces((ann, bob), draw))
    game.run(3.0)
    assert not game.lost()
    assert game.told()[3:] == [("unclear", None)], "what lies there is no act"
    game.reach(*reach, lambda: game.table.put("QH", *lands, 8))
    game.run(1.5)
    assert game.told()[4:] == [("play", "Bob")]
    assert game.game.table.pile == ["9S", "QH"]


def test_a_game_that_is_followed_is_not_laid_out_anew() -> None:
    game = begun()
    with pytest.raises(BadInputError, match="begun already"):
        set_layout(game.game, TappedPlaces(((500.0, 520.0), (500.0, 80.0)), (580.0, 300.0)))


def small_picture(shade: int) -> Patch:
    """A place with a card on it, in a shade of its own."""
    place = np.full((26, 26, 3), 60, np.uint8)
    place[4:22, 7:19] = shade
    return Patch(place)


@pytest.mark.parametrize(
    ("changed", "bare", "moved"), [(0, 0, False), (1, 0, False), (2, 0, True), (1, 1, True)]
)
def test_an_arm_from_row_to_row_is_no_moved_camera(changed: int, bare: int, moved: bool) -> None:
    """One card that looks as it did tells that; a bare place looks alike wherever it is."""
    rows = Rows([["4S", "5C", "6C"], ["9D", "JC", "AD"]], 1, 0.0)
    zones = list(rows.spots)
    for number, zone in enumerate(zones):
        rows.spots[zone].patch = small_picture(100 + 20 * number)
    now = {zone: spot.patch for zone, spot in rows.spots.items() if spot.patch is not None}
    tracker, arm = TableTracker(), zones[:4]
    now |= {zone: Patch(np.full((26, 26, 3), 180, np.uint8)) for zone in arm}
    assert tracker.seems_moved(now, rows), "of six places two look as they did"
    tracker.covered = arm
    for zone in zones[4 : 4 + changed]:
        now[zone] = Patch(np.roll(now[zone].pixels, 6, axis=0))
    for zone in zones[6 - bare :]:
        rows.spots[zone].up, rows.spots[zone].down = None, False
    assert tracker.seems_moved(now, rows) == moved
