"""A game goes on under a camera that was moved meanwhile: seats and piles are found where they are now."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.events import Event
from vision.following.events import EventMaker
from vision.following.looks import Deal
from vision.following.watcher import MakeEvents, Watcher
from vision.geometry import order_quad, transform_points
from vision.plane import TablePlane
from vision.questions import TABLE_CHANGED, format_question
from vision.table.layout import Layout, Place, Seat
from vision.types import CardReading, Image

WIDTH, HEIGHT = 1600, 1200
CARD = np.array([[-31.5, -44], [31.5, -44], [31.5, 44], [-31.5, 44]])
SPOTS = {
    "Ann": ((-75, 300), (0, 300), (75, 300)),
    "Bob": ((-330, -75), (-330, 0), (-330, 75)),
    "Cat": ((75, -300), (0, -300), (-75, -300)),
    "Dan": ((330, 75), (330, 0), (330, -75)),
}
"""Where cards lie before each player, mm from the middle of the table."""
DRAW, PLAY = (60.0, 0.0), (-60.0, 10.0)
UP = {
    "Ann": ["4S", "5C", "6C"],
    "Bob": ["9D", "JC", "AD"],
    "Cat": ["KH", "2C", "7D"],
    "Dan": ["8S", "QC", "3H"],
}
Matrix = NDArray[np.float64]


def camera(x: float = 0.0, y: float = 0.0, turn: float = 0.0, tilt: float = 0.0) -> Matrix:
    """Return the homography from the table's millimetres to pixels of a camera that stands so."""
    angle = np.radians(turn)
    turned = np.array([[np.cos(angle), -np.sin(angle), x], [np.sin(angle), np.cos(angle), y], [0, 0, 1]])
    onto = np.array([[1.3, 0, WIDTH / 2], [0, 1.3, HEIGHT / 2], [0, 0, 1]])
    return np.asarray(onto @ np.array([[1, 0, 0], [0, 1, 0], [0, tilt, 1]]) @ turned, np.float64)


def inverse(view: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the homography the other way round."""
    return np.asarray(np.linalg.inv(view), np.float64)


class Table:
    """Cards on a table under a camera; reads them without fault."""

    def __init__(self, view: Matrix, gone: tuple[str, ...] = (), unread: bool = False) -> None:
        self.view, self.gone = view, gone
        self.cards: list[tuple[str | None, float, float, float]] = [(None, *DRAW, 0.0)]
        for player, row in SPOTS.items():
            for name, (x, y) in zip(UP[player], row, strict=True):
                turn = 90.0 if abs(x) > 300 else 0.0
                self.cards.append((None if unread or name in gone else name, x, y, turn))
        self.cards += [("10S", *PLAY, 20.0), ("10D", PLAY[0] + 25, PLAY[1] - 10, 75.0)]

    def read(self, image: Image, crowded: object = None, ignored: object = None) -> list[CardReading]:
        found = []
        for name, x, y, turn in self.cards:
            angle = np.radians(turn)
            spin = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
            quad = order_quad(transform_points(self.view, CARD @ spin + [x, y]))
            found.append(CardReading(quad, "up" if name else "down", 0.97, name, 0.96))
        return found


def stored(players: tuple[str, ...] = tuple(SPOTS)) -> Layout:
    """Return the layout as it was when the game was broken off, seen straight from above."""
    out = {"Ann": (0.0, 1.0), "Bob": (-1.0, 0.0), "Cat": (0.0, -1.0), "Dan": (1.0, 0.0)}
    seats = tuple(Seat(name, SPOTS[name], out[name]) for name in players)
    plane = TablePlane(inverse(camera()))
    return Layout(plane, WIDTH, HEIGHT, seats, draw=DRAW, play=PLAY)


def resumed(
    table: Table,
    layout: Layout | None = None,
    size: tuple[int, int] = (WIDTH, HEIGHT),
    make_events: MakeEvents = EventMaker,
) -> Watcher:
    """Return a watcher that has looked for a second at a table where a game is to go on."""
    layout = layout or stored()
    names = [seat.player for seat in layout.seats]
    watcher = Watcher(table, names, layout, row_length=3, make_events=make_events)
    known = {name: [card for card in UP[name] if card not in table.gone] for name in names}
    watcher.go_on(known, begun=True)
    frame = np.full((size[1], size[0], 3), 90, np.uint8)
    for k in range(30):
        watcher.feed(frame, k / 15)
    return watcher


def off(watcher: Watcher, table: Table) -> float:
    """Return how far the watcher's places are from where they are, at most, mm."""
    layout, worst = watcher.layout, 0.0
    assert layout is not None, "nothing was found"
    pairs: list[tuple[Place | None, Place]] = [
        (spot, place)
        for seat in layout.seats
        for spot, place in zip(seat.row, SPOTS[seat.player], strict=True)
    ]
    pairs += [(layout.draw, DRAW), (layout.play, PLAY)]
    to_table = inverse(table.view)
    for found, true in pairs:
        assert found is not None
        there = transform_points(to_table, layout.plane.to_pixels([found]))[0]
        worst = max(worst, float(np.hypot(*(there - true))))
    return worst


@pytest.mark.parametrize(
    "view",
    [
        camera(),
        camera(x=70, y=-40),
        camera(turn=12, tilt=2e-4),
        camera(x=-30, turn=-25, tilt=-3e-4),
        camera(turn=90),
        camera(x=40, turn=180, tilt=2e-4),
    ],
    ids=[
        "where it was",
        "pushed aside",
        "turned",
        "turned and tilted",
        "from the next side",
        "from opposite",
    ],
)
def test_seats_and_piles_are_found_wherever_the_camera_stands_now(view: Matrix) -> None:
    table = Table(view)
    watcher = resumed(table)
    assert off(watcher, table) < 12.0
    assert watcher.question is None


def test_in_mid_game_most_up_cards_may_have_gone() -> None:
    table = Table(camera(x=50, turn=15), gone=("4S", "5C", "6C", "9D", "KH", "2C", "QC"))
    followed: list[EventMaker] = []

    def make_events(deal: Deal) -> EventMaker:
        followed.append(EventMaker(deal))
        return followed[-1]

    watcher = resumed(table, make_events=make_events)
    assert off(watcher, table) < 12.0
    assert [followed[-1].rows.up_of(seat) for seat in range(2)] == [[], ["JC", "AD"]]


def test_without_names_only_a_view_from_about_the_same_side_is_taken() -> None:
    near = Table(camera(x=40, turn=20), unread=True)
    near.cards = [("10S", x, y, turn) if (x, y) == PLAY else (n, x, y, turn) for n, x, y, turn in near.cards]
    assert off(resumed(near), near) < 12.0
    far = Table(camera(turn=90), unread=True)
    watcher = resumed(far)
    assert watcher.layout is None, "it is not known who sits where"
    assert watcher.question == format_question(TABLE_CHANGED)


def test_names_before_other_players_are_not_believed() -> None:
    table = Table(camera(x=60))
    swapped = {UP["Ann"][k]: UP["Cat"][k] for k in range(3)} | {UP["Cat"][k]: UP["Ann"][k] for k in range(3)}
    swapped |= {UP["Bob"][k]: UP["Dan"][k] for k in range(3)} | {UP["Dan"][k]: UP["Bob"][k] for k in range(3)}
    table.cards = [(swapped.get(n or "", n), x, y, turn) for n, x, y, turn in table.cards]
    # The same table from the other side: names decide, not the side.
    watcher = resumed(table)
    assert watcher.layout is not None
    ann = watcher.layout.seats[0]
    assert ann.player == "Ann"
    there = transform_points(inverse(table.view), watcher.layout.plane.to_pixels([ann.centre]))[0]
    assert there[1] == pytest.approx(-300, abs=12)


def test_cards_that_were_put_away_are_not_taken_for_the_game() -> None:
    table = Table(camera(x=60))
    table.cards = [(f"{rank}S", 80.0 * k - 300, 40.0 * (k % 3), 25.0 * k) for k, rank in enumerate("4567")]
    watcher = resumed(table)
    assert watcher.layout is None
    assert watcher.question == format_question(TABLE_CHANGED)
    table.cards = Table(camera(x=60)).cards
    frame = np.full((HEIGHT, WIDTH, 3), 90, np.uint8)
    for k in range(30, 150):
        watcher.feed(frame, k / 15)
    assert off(watcher, table) < 12.0, "put back, the game goes on"
    assert watcher.question is None


def test_late_in_a_game_few_cards_suffice_where_nothing_has_moved() -> None:
    table = Table(camera())
    table.cards = [(None, *SPOTS["Ann"][1], 0.0), (None, *SPOTS["Cat"][0], 0.0), ("10S", *PLAY, 0.0)]
    assert off(resumed(table), table) < 1.0


def test_a_picture_of_another_shape_is_no_end() -> None:
    onto = camera(turn=90)
    onto = np.array([[1, 0, (HEIGHT - WIDTH) / 2], [0, 1, (WIDTH - HEIGHT) / 2], [0, 0, 1]]) @ onto
    table = Table(onto)
    assert off(resumed(table, size=(HEIGHT, WIDTH)), table) < 12.0


def watched_amid_motion(
    watcher: Watcher, table: Table, *, seconds: float, card_a_second: bool = False
) -> None:
    """Watch while a hand at the picture's edge never rests; `card_a_second`: cards come in turn."""
    cards = table.cards
    for k in range(round(15 * seconds)):
        frame = np.full((HEIGHT, WIDTH, 3), 90, np.uint8)
        frame[40 * (k % 3) : 40 * (k % 3) + 90, :60] = 210
        if card_a_second:
            table.cards = [cards[0], *cards[1 : 1 + k // 15]]
        watcher.feed(frame, k / 15)
    table.cards = cards


def test_a_game_is_found_though_somebody_always_moves() -> None:
    table = Table(camera(x=60))
    watcher = Watcher(table, list(SPOTS), stored(), row_length=3)
    watcher.go_on(UP, begun=True)
    watched_amid_motion(watcher, table, seconds=10.0)
    assert off(watcher, table) < 12.0


def test_while_cards_are_dealt_no_deal_is_found_however_long_nothing_rests() -> None:
    table = Table(camera())
    table.cards = [card for card in table.cards if card[0] not in ("10S", "10D")]
    watcher = Watcher(table, list(SPOTS))
    watched_amid_motion(watcher, table, seconds=12.0, card_a_second=True)
    assert (watcher.layout, watcher.question) == (None, None)
    for k in range(180, 360):
        frame = np.full((HEIGHT, WIDTH, 3), 90, np.uint8)
        frame[40 * (k % 3) : 40 * (k % 3) + 90, :60] = 210
        watcher.feed(frame, k / 15)
    assert watcher.layout is not None, "the deal is finished, and the same person still moves"


def watched_in_parts(
    watcher: Watcher, table: Table, *parts: tuple[float, bool, list[tuple[str | None, float, float, float]]]
) -> list[Event]:
    """Watch parts of so many seconds, with or without motion at the edge, each with its cards in sight."""
    events, k = [], 0
    for seconds, moving, cards in parts:
        table.cards = cards
        for _ in range(round(15 * seconds)):
            frame = np.full((HEIGHT, WIDTH, 3), 90, np.uint8)
            y = 40 * (k % 3) if moving else 0
            frame[y : y + 90, :60] = 210
            events += watcher.feed(frame, k / 15)
            k += 1
    return events


def test_a_row_under_a_head_that_rests_is_remembered_from_the_seconds_before() -> None:
    table = Table(camera())
    full = [card for card in table.cards if card[0] not in ("10S", "10D")]
    headed = [card for card in full if (card[1], card[2]) not in SPOTS["Ann"]]
    watcher = Watcher(table, list(SPOTS))
    watched_in_parts(watcher, table, (4.5, True, full), (1.5, False, headed))
    assert watcher.layout is not None


def test_a_card_played_just_before_a_game_is_joined_is_no_play_after_that() -> None:
    table = Table(camera())
    rows = [card for card in table.cards if card[0] not in ("10S", "10D")]
    lying = [*rows, ("QS", *PLAY, 0.0)]
    watcher = Watcher(table, list(SPOTS))
    later = [*lying, ("KS", PLAY[0] + 20, PLAY[1], 10.0)]
    events = watched_in_parts(watcher, table, (3.5, True, lying), (4.5, True, later))
    assert [event.event for event in events if event.event != "unclear"] == ["deal"]
    assert set(events[-1].cards) >= {"KS"}


def test_rows_that_no_look_amid_motion_completes_are_asked_for() -> None:
    table = Table(camera())
    table.cards = table.cards[:8]
    watcher = Watcher(table, list(SPOTS))
    watched_amid_motion(watcher, table, seconds=14.0)
    assert watcher.question is not None


@pytest.mark.parametrize(("played", "asked_at"), [(0, 7.0), (4, 11.0)])
def test_a_set_of_four_only_delays_the_question_about_the_rows(played: int, asked_at: float) -> None:
    table, rows = Table(camera()), Table(camera()).cards[:8]
    four: list[tuple[str | None, float, float, float]] = [
        (f"10{suit}", PLAY[0] + 25.0 * k, 60.0, 0.0) for k, suit in enumerate("CDHS")
    ]
    watcher, asked = Watcher(table, list(SPOTS)), []
    for k in range(15 * 16):
        table.cards = rows + (four[:played] if k > 15 * 5.5 else [])
        frame = np.full((HEIGHT, WIDTH, 3), 210, np.uint8)
        frame[40 * (k % 3) : 40 * (k % 3) + 90, :60] = 90
        watcher.feed(frame, k / 15)
        asked.append(watcher.question is not None)
    assert asked.index(True) / 15 == pytest.approx(asked_at, abs=0.5)
