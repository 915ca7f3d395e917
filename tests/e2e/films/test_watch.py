"""The watcher on drawn pictures, with a reader that knows what was drawn."""

from __future__ import annotations

import threading
import time
from copy import deepcopy
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.cli.event_writer import EventWriter
from companion.cli.recording import RecordedGames
from companion.game.refereeing import WatchedGame, make_referee
from engine.events import Event
from tests.support.plain import plain
from vision.following.watcher import Watcher
from vision.geometry import order_quad
from vision.motion.stabiliser import Stabiliser
from vision.questions import NO_DRAW_PILE, NO_ROWS, format_question
from vision.types import CardReading, Face, Image

SIZE = (1000, 600)
STEP = 1 / 8
CARD = np.array([[-31.5, -44], [31.5, -44], [31.5, 44], [-31.5, 44]])
UP = {"Ann": ["4S", "5C", "6C"], "Bob": ["9D", "JC", "AD"]}


class Table:
    """Draws cards as flat rectangles, 1 pixel = 1 mm, and reads them back without fault."""

    def __init__(self) -> None:
        self.cards: list[tuple[str | None, float, float, float]] = []
        self.printed: list[tuple[float, float]] = []
        """Where the cloth has a pattern that looks like a card, whose name nobody could tell."""
        self.arm: tuple[int, int, int] | None = None
        self.looks = 0
        self._drawn: tuple[object, Image] | None = None
        """What was drawn last, and the picture of it: most frames show what the ones before did."""

    def put(self, name: str | None, x: float, y: float, turn: float = 0.0) -> None:
        self.cards.append((name, x, y, turn))

    def quad(self, x: float, y: float, turn: float) -> np.ndarray:
        angle = np.radians(turn)
        matrix = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
        return np.asarray(CARD @ matrix + [x, y])

    def frame(self) -> Image:
        shown = ([*self.cards], [*self.printed], self.arm)
        if self._drawn is None or self._drawn[0] != shown:
            self._drawn = shown, self._draw()
        return self._drawn[1].copy()

    def _draw(self) -> Image:
        image = plain(*SIZE, (60, 90, 50))
        for x, y in self.printed:
            cv2.rectangle(image, (int(x) - 30, int(y) - 43), (int(x) + 30, int(y) + 43), (90, 140, 90), 3)
        for name, x, y, turn in self.cards:
            colour = (150, 60, 60) if name is None else (235, 235, 235)
            cv2.fillConvexPoly(image, np.round(self.quad(x, y, turn)).astype(np.int32), colour)
            cv2.putText(image, name or "", (int(x) - 25, int(y) + 8), 0, 0.9, (20, 20, 20), 2)
        if self.arm:
            x, y, edge = self.arm
            y0, y1 = (y, SIZE[1]) if edge > 0 else (0, y)
            image[y0:y1, x - 28 : x + 28] = (130, 160, 215)
        return image

    def read(self, image: Image, crowded: object = None, ignored: object = None) -> list[CardReading]:
        self.looks += 1
        found = [
            CardReading(order_quad(self.quad(x, y, 0)), "up", 0.5, None, 0.3, (("9H", 0.3),))
            for x, y in self.printed
        ]
        for name, x, y, turn in self.cards:
            if self.arm and abs(x - self.arm[0]) < 50 and (y - self.arm[1]) * self.arm[2] > -30:
                continue
            quad = order_quad(self.quad(x, y, turn))
            face: Face = "down" if name is None else "up"
            found.append(CardReading(quad, face, 0.95, name, 0.93 if name else 0.9))
        return found


class SlowTable(Table):
    """A table that is read only while nobody holds the reader up."""

    def __init__(self) -> None:
        super().__init__()
        self.goes_on = threading.Event()
        self.goes_on.set()

    def read(self, image: Image, crowded: object = None, ignored: object = None) -> list[CardReading]:
        assert self.goes_on.wait(60.0)
        return super().read(image, crowded, ignored)


class Game:
    """A table, a watcher and a clock."""

    def __init__(self, table: Table | None = None, **options: object) -> None:
        self.table = table or Table()
        self.watcher = Watcher(self.table, ("Ann", "Bob"), **options)  # type: ignore[arg-type]
        self.t = 0.0
        self.events: list[Event] = []

    def question(self) -> str | None:
        """What the watcher asks now."""
        return self.watcher.question

    def deal(self) -> None:
        for k, (ann, bob) in enumerate(zip(UP["Ann"], UP["Bob"], strict=True)):
            self.table.put(ann, 425 + 75 * k, 520)
            self.table.put(bob, 575 - 75 * k, 80)
        self.table.put(None, 580, 300)

    def run(self, seconds: float) -> None:
        for _ in range(round(seconds / STEP)):
            self.events += self.watcher.feed(self.table.frame(), self.t)
            self.t += STEP

    def reach(self, x: int, y: int, edge: int, then: object = None) -> None:
        """An arm comes in from the bottom (edge 1) or top (-1) edge to (x, y), pauses, and goes."""
        start = SIZE[1] - 40 if edge > 0 else 40
        way = list(np.linspace(start, y, 6).astype(int))
        for stop in way:
            self.table.arm = (x, int(stop), edge)
            self.run(STEP)
        self.run(0.25)
        if callable(then):
            then()
        for stop in reversed(way):
            self.table.arm = (x, int(stop), edge)
            self.run(STEP)
        self.table.arm = None
        self.run(0.6)

    def begin(self) -> None:
        """Deal, and let Ann play a card and draw."""
        self.run(0.6)
        self.deal()
        self.run(1.5)
        self.reach(400, 320, 1, lambda: self.table.put("9S", 420, 300))
        self.run(1.0)
        self.reach(600, 310, 1)
        self.run(1.5)

    def told(self) -> list[tuple[str, str | None]]:
        return [(event.event, event.player) for event in self.events]


@pytest.fixture(scope="module")
def played() -> Game:
    game = Game()
    game.begin()
    game.reach(410, 280, -1, lambda: game.table.put("QH", 424, 296, 8))
    game.run(1.5)
    game.events += game.watcher.finish(game.t)
    return game


def test_what_only_a_hand_shows_is_neither_shown_nor_told() -> None:
    game = Game()
    game.begin()
    game.table.put("KD", 690, 560)
    game.run(3.0)
    game.reach(410, 280, -1, lambda: game.table.put("QH", 424, 296, 8))
    game.run(1.0)
    shown = {reading.card for reading in game.watcher.view.readings}
    assert "KD" not in shown
    assert {*UP["Ann"], *UP["Bob"], "QH"} <= shown
    assert all("KD" not in event.cards for event in game.events)


def test_a_game_is_followed_from_pictures(played: Game) -> None:
    assert played.told() == [("deal", None), ("play", "Ann"), ("draw", "Ann"), ("play", "Bob")]
    deal, first, _, second = played.events
    assert deal.up == {"Ann": ("4S", "5C", "6C"), "Bob": ("9D", "JC", "AD")}
    assert (first.cards, second.cards) == (("9S",), ("QH",))


class DarkRoom(Table):
    """The same table with a quarter of the light, and sleeves nearly as dark as the cloth."""

    light = 0.25

    def frame(self) -> Image:
        lit = super().frame()
        lit[(lit == (130, 160, 215)).all(axis=2)] = (85, 115, 75)
        return np.asarray(lit * self.light, np.uint8)


def test_a_game_in_a_dark_room_is_followed_as_in_a_lit_one() -> None:
    """There, the sleeves differ from the cloth by less than the levels at which a lit arm is found."""
    game = Game(DarkRoom())
    game.begin()
    assert game.told() == [("deal", None), ("play", "Ann"), ("draw", "Ann")]


@pytest.mark.parametrize(("light", "said"), [(1.0, []), (0.2, ["Too dark: the table needs more light."])])
def test_if_the_dealt_table_is_too_dark_one_line_says_so(
    light: float, said: list[str], tmp_path: Path
) -> None:
    game, told = Game(), list[str]()
    watched = WatchedGame(game.watcher, lambda names: make_referee("winnersh", names), ("Ann", "Bob"))
    games = RecordedGames(watched, EventWriter(str(tmp_path / "events.jsonl")), None, say=told.append)
    game.deal()
    for number in range(24):
        games.feed(np.asarray(game.table.frame() * light, np.uint8), number * STEP)
    assert [line["event"] for line in games.lines] == ["deal"]
    assert told == said


@pytest.mark.parametrize(("before", "after"), [(0.25, 1.0), (1.0, 0.4)])
def test_nothing_is_missed_if_light_is_switched_while_somebody_plays(before: float, after: float) -> None:
    room = DarkRoom()
    game, room.light = Game(room), before
    game.begin()

    def switch() -> None:
        room.put("QH", 424, 296, 8)
        room.light = after

    game.reach(410, 280, -1, switch)
    game.run(1.0)
    assert game.told() == [("deal", None), ("play", "Ann"), ("draw", "Ann"), ("play", "Bob")]


def test_what_looks_like_a_card_but_was_there_before_the_deal_is_the_table() -> None:
    game = Game()
    game.table.put("KS", 420, 300, 5)  # a pattern of the cloth, beside the draw pile
    game.run(0.6)
    game.deal()
    game.run(1.5)
    game.reach(400, 320, 1, lambda: game.table.put("9S", 470, 240))
    game.run(1.0)
    assert [(event.event, event.cards) for event in game.events] == [("deal", ()), ("play", ("9S",))]


def test_a_pattern_beside_a_row_does_not_hide_the_deal() -> None:
    game = Game()
    game.table.printed = [(350, 520), (650, 80)]
    game.run(0.6)
    game.deal()
    game.run(1.5)
    assert [event.up for event in game.events] == [{name: tuple(cards) for name, cards in UP.items()}]


def test_a_cloth_whose_pattern_looks_like_cards_by_the_dozen_does_not_tilt_the_table() -> None:
    """What its outlines say of the plane counts for nothing beside the cards that are surely named."""
    game = Game()
    read = game.table.read
    eyes = [(x, y) for x in range(60, 1000, 110) for y in (40, 300)]

    def patterned(image: Image, crowded: object = None, ignored: object = None) -> list[CardReading]:
        found = list(read(image, crowded))
        near = [
            (x, y)
            for x, y in eyes
            if all(abs(x - cx) > 90 or abs(y - cy) > 90 for _, cx, cy, _ in game.table.cards)
        ]
        flat = [
            np.array([(x, y), (x + 70, y + k % 9), (x + 75, y + 16), (x + 3, y + 19)])
            for k, (x, y) in enumerate(near)
        ]
        return found + [CardReading(order_quad(quad.astype(float)), "up", 0.2, None, 0.1) for quad in flat]

    game.table.read = patterned  # type: ignore[method-assign]
    assert dealt(game) == UP


def dealt(game: Game) -> dict[str, list[str]]:
    """Deal; returns the up-cards that are told, in one event and nothing else."""
    game.run(0.6)
    game.deal()
    game.run(2.5)
    (deal,) = game.events
    return {player: list(cards) for player, cards in (deal.up or {}).items()}


def test_a_card_that_quick_looks_overlook_is_looked_for_by_its_index_before_the_deal_is_told() -> None:
    game = Game()
    read = game.table.read

    def overlooking(image: Image, crowded: object = None, ignored: object = None) -> list[CardReading]:
        return [found for found in read(image, crowded) if found.card != "AD" or crowded is None]

    game.table.read = overlooking  # type: ignore[method-assign]
    assert dealt(game) == UP


def test_a_deal_with_a_doubtful_card_is_looked_at_closely_before_it_is_told() -> None:
    game = Game()
    read = game.table.read

    def doubting(image: Image, crowded: object = None, ignored: object = None) -> list[CardReading]:
        doubtful = [replace(found, card="AH", confidence=0.87) for found in read(image) if found.card == "AD"]
        indices = [found for found in read(image) if found.card == "AD" and crowded is None]
        return [*(found for found in read(image) if found.card != "AD"), *doubtful, *indices]

    game.table.read = doubting  # type: ignore[method-assign]
    assert dealt(game) == UP


def test_once_cards_are_dealt_the_camera_is_followed_by_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the bare table, by which it was followed before, too little may be left to see."""
    game = Game()
    told_by_then: list[int] = []
    monkeypatch.setattr(Stabiliser, "confirm", lambda _: told_by_then.append(game.table.looks))
    game.run(0.6)
    bare = game.table.looks
    game.deal()
    game.run(1.5)
    assert len(told_by_then) == len(game.events) == 1
    assert bare < told_by_then[0] <= game.table.looks


def test_up_cards_that_no_name_is_sure_of_may_have_lain_there_from_the_first() -> None:
    game = Game()
    game.deal()
    game.table.cards.remove(("4S", 425, 520, 0.0))
    game.table.printed = [(425, 520)]
    game.run(2.0)
    (deal,) = game.events
    assert deal.up == {"Ann": ("9H", "5C", "6C"), "Bob": ("9D", "JC", "AD")}


@pytest.mark.parametrize(("jokers", "told"), [(True, ("JOKER",)), (False, ("??",))])
def test_where_no_jokers_are_played_with_what_is_read_as_one_is_asked_about(
    jokers: bool, told: tuple[str, ...]
) -> None:
    game = Game(jokers=jokers)
    game.run(0.6)
    game.deal()
    game.run(1.5)
    game.reach(400, 320, 1, lambda: game.table.put("9S", 420, 300))
    game.run(1.0)
    game.reach(410, 280, -1, lambda: game.table.put("JOKER", 440, 290, 30))
    game.run(3.0)
    assert [event.cards for event in game.events if event.event == "play"] == [("9S",), told]
    assert any(event.event == "unclear" for event in game.events) != jokers


def test_after_a_knock_the_game_goes_on_though_somebody_fidgets_all_the_time() -> None:
    game = Game()
    game.begin()
    noise = np.random.default_rng(3)
    for _ in range(20):  # nothing can be made out for more than a second
        picture = noise.integers(0, 255, (*SIZE[::-1], 3)).astype(np.uint8)
        game.events += game.watcher.feed(picture, game.t)
        game.t += STEP
    still = game.table.frame

    def fidgeting() -> Image:
        picture, x = still(), 20 + round(game.t / STEP) % 9 * 8
        picture[20:60, x : x + 40] = (130, 160, 215)
        return picture

    game.table.frame = fidgeting  # type: ignore[method-assign]
    game.run(0.5)
    game.reach(410, 280, -1, lambda: game.table.put("QH", 424, 296, 8))
    game.run(1.5)
    assert game.told()[-1] == ("play", "Bob")


def test_an_arm_over_the_pile_in_the_first_picture_of_a_joined_game_is_not_there_for_good() -> None:
    game = Game()
    game.deal()
    game.table.put("9S", 420, 300)
    game.table.arm = (400, 320, 1)
    game.run(0.6)
    game.table.arm = None
    game.run(2.5)
    game.reach(410, 280, -1, lambda: game.table.put("QH", 424, 296, 8))
    game.run(1.0)
    assert game.told() == [("deal", None), ("play", "Bob")]


def test_decisions_are_not_made_before_they_happen(played: Game) -> None:
    assert all(event.decided_at >= event.t for event in played.events)
    assert [event.id for event in played.events] == [1, 2, 3, 4]


def test_the_view_tells_what_is_believed(played: Game) -> None:
    view = played.watcher.view
    assert view.pile == ("9S", "QH")
    assert view.still
    assert view.layout is not None
    assert len(view.readings) == 9


def test_the_networks_run_rarely(played: Game) -> None:
    assert played.table.looks == played.watcher.looks
    assert played.watcher.looks < 3.5 * played.t


def test_nothing_is_told_of_a_table_that_is_not_set() -> None:
    game = Game()
    for k in range(7):
        game.table.put("9S" if k else "4D", 150 + 110 * k, 300, 20 * k)
    game.run(2.0)
    game.reach(400, 320, 1, lambda: game.table.put("KS", 420, 200))
    game.run(2.0)
    assert game.events == []
    assert game.watcher.finish(game.t) == []


def test_a_resting_table_costs_hardly_a_look() -> None:
    game = Game()
    game.deal()
    game.run(1.5)
    looks = game.table.looks
    game.run(5.0)
    assert game.table.looks - looks <= 3


def test_a_reader_that_finds_nothing_yields_nothing() -> None:
    class Blind:
        def read(self, image: Image, crowded: object = None, ignored: object = None) -> list[CardReading]:
            return []

    watcher = Watcher(Blind(), ("Ann", "Bob"))
    frame = np.zeros((60, 80, 3), np.uint8)
    assert [watcher.feed(frame, k * STEP) for k in range(20)] == [[]] * 20
    assert watcher.layout is None
    assert watcher.finish(2.0) == []


def test_a_table_on_which_cards_were_played_is_still_until_an_arm_comes_in(played: Game) -> None:
    game = deepcopy(played)
    frame = game.table.frame()
    game.watcher.feed(frame, game.t)
    assert game.watcher.view.still
    frame[400:, 300:356] = (130, 160, 215)
    game.watcher.feed(frame, game.t + STEP)
    assert not game.watcher.view.still


def without(game: Game, *names: str | None) -> None:
    """Take cards from the table."""
    game.table.cards = [card for card in game.table.cards if card[0] not in names]


@pytest.mark.parametrize(
    ("gone", "question"),
    [
        (("4S",), format_question(NO_ROWS, found=1, wanted=2)),
        (("4S", "9D"), format_question(NO_ROWS, found=0, wanted=2)),
        ((None,), format_question(NO_DRAW_PILE)),
    ],
    ids=["a card too few", "two cards too few", "no draw pile"],
)
def test_where_no_deal_is_recognised_it_is_asked_what_is_missing_until_it_is_there(
    gone: tuple[str | None, ...], question: str
) -> None:
    game = Game(row_length=3)
    game.run(0.6)
    game.deal()
    dealt = list(game.table.cards)
    without(game, *gone)
    game.run(3.0)
    assert game.question() is None, "whoever deals may rest for a moment"
    game.run(5.0)
    assert game.question() == question
    assert game.events == []
    game.table.cards = dealt
    game.run(2.0)
    assert game.question() is None
    assert [event.event for event in game.events] == ["deal"]


def test_a_few_cards_that_lie_about_are_not_asked_about() -> None:
    game = Game()
    for k in range(3):
        game.table.put("789"[k] + "S", 200 + 200 * k, 300)
    game.run(8.0)
    assert game.question() is None


def test_pictures_of_a_camera_do_not_wait_for_the_networks() -> None:
    table = SlowTable()
    game = Game(table, live=True)
    game.deal()
    game.run(4.0)
    table.goes_on.clear()
    game.reach(500, 300, 1, then=lambda: table.put("9S", 500, 300))  # nobody reads, and nothing is stuck
    assert [event.event for event in game.events] == ["deal"]
    table.goes_on.set()
    patience = time.monotonic() + 60.0
    while len(game.events) < 2 and time.monotonic() < patience:
        game.run(STEP)
        time.sleep(0.01)
    (_, play, *_) = game.events
    assert (play.event, play.player, play.cards) == ("play", "Ann", ("9S",))
