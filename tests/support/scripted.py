"""A game in mid-course that needs no camera and no networks, for tests of the screens."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import cv2
import numpy as np

from companion.game.clips import ClipBuffer
from companion.game.display_image import DisplayImage
from companion.game.film_keeper import FilmKeeper
from companion.game.session import Snapshot
from companion.store.event_pictures import EventPictureWriter
from engine.events import Event
from vision.questions import HIDDEN_CARD, format_question
from vision.table.layout import Place, Zone
from vision.table.manual_layout import TappedPlaces
from vision.types import CardReading, Image, Quad

PLAYERS = ("Ann", "Bartholomew", "Cat", "Dan")
LONG_NAME = "Maximiliane-Wilhelmina von Hohenstein-Treppenhaus"


@dataclass(frozen=True)
class Hand:
    size: int | None
    known: tuple[str, ...] = ()


@dataclass(frozen=True)
class Table:
    """The referee's public table, by the names that the screens use."""

    players: tuple[str, ...] = PLAYERS
    dealer: str | None = "Dan"
    turn: str | None = "Bartholomew"
    direction: str = "clockwise"
    pile: tuple[str, ...] = ("4S", "9S", "9D", "KH", "7H")
    draw_pile: int | None = 12
    burned: tuple[str, ...] = ("10C", "5C")
    hands: dict[str, Hand] = field(
        default_factory=lambda: {p: Hand(n) for p, n in zip(PLAYERS, (3, 3, 11, None), strict=True)}
    )
    up: dict[str, tuple[str, ...]] = field(
        default_factory=lambda: {
            "Ann": ("KD", "2C", "QD"),
            "Bartholomew": ("10H", "10S", "??"),
            "Cat": ("3H",),
            "Dan": (),
        }
    )
    down: dict[str, int | None] = field(
        default_factory=lambda: {"Ann": 3, "Bartholomew": 3, "Cat": 3, "Dan": None}
    )
    left: tuple[str, ...] = ()
    loser: str | None = None
    playable_ranks: tuple[str, ...] = ("2", "4", "5", "6", "7")
    demand_in_words: str = "7 or lower"
    also_playable: tuple[str, ...] = ()
    to_draw: dict[str, int] = field(default_factory=dict)


def ruling(verdict: str, says: str = "", quote: str = "", cite: str = "", **effects: Any) -> dict[str, Any]:
    """Return a ruling as the contract writes it."""
    breach = {"rule": "play.test", "cite": cite, "quote": quote, "says": says}
    return {
        "verdict": verdict,
        "breaches": [breach] if verdict == "illegal" else [],
        "effects": {"next": "Cat", "burn": False, "draw": 1, **effects},
        "notes": [],
    }


ILLEGAL = ruling(
    "illegal",
    "The 7 of hearts cannot go on a king: equal or higher is needed.",
    "A playable card is one with a face value equal to or higher than the card at the top.",
    "Winnersh §5",
)
LINES: tuple[dict[str, Any], ...] = (
    {"id": 1, "event": "deal", "t": 3.0},
    {"id": 2, "event": "play", "player": "Ann", "cards": ["4S"], "t": 14.2, "ruling": ruling("legal")},
    {
        "id": 3,
        "event": "play",
        "player": "Bartholomew",
        "cards": ["9S", "9D"],
        "t": 22.5,
        "ruling": ruling("legal"),
    },
    {"id": 4, "event": "pick_up", "player": "Cat", "cards": ["4S", "9S"], "t": 33, "ruling": ruling("legal")},
    {
        "id": 5,
        "event": "play",
        "player": "Dan",
        "cards": ["10C"],
        "t": 41,
        "ruling": ruling("legal", burn=True),
    },
    {"id": 6, "event": "burn", "cards": ["10C"], "t": 44},
    {
        "id": 7,
        "event": "unclear",
        "player": "Bartholomew",
        "concerns": 3,
        "cards": ["9H", "9C"],
        "t": 55,
        "says": format_question(HIDDEN_CARD, "Bartholomew", count=2),
    },
    {"id": 8, "event": "play", "player": "Ann", "cards": ["7H"], "t": 61.4, "ruling": ILLEGAL},
)


def table_picture() -> Image:
    """Return a green table of 960 x 540 pixels with a few white cards."""
    picture: Image = np.full((540, 960, 3), (52, 74, 38), np.uint8)
    for card in READINGS:
        cv2.fillConvexPoly(picture, card.quad.astype(np.int32), (235, 240, 240))
    return picture


def _quad(x: float, y: float, angle: float, width: float = 52.0) -> Quad:
    half = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * (width / 2, width * 44 / 63)
    turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    return np.asarray(half @ turn + (x, y), np.float32)


READINGS: tuple[CardReading, ...] = (
    CardReading(_quad(400, 250, 0.0), "down", 0.95, None, 0.97),
    CardReading(_quad(520, 250, 0.1), "up", 0.99, "KH", 0.99),
    CardReading(_quad(548, 254, 0.3), "up", 0.99, "7H", 0.98),
    CardReading(_quad(420, 460, 0.0), "up", 0.99, "KD", 0.99),
    CardReading(_quad(480, 462, 0.05), "up", 0.99, "2C", 0.71),
    CardReading(_quad(540, 460, 0.0), "up", 0.9, None, 0.3, (("QD", 0.5),)),
)


class ScriptedSession:
    """Stands in for `companion.game.session.Session`: shows what it is given and notes what it is asked."""

    def __init__(self) -> None:
        picture = cv2.cvtColor(table_picture(), cv2.COLOR_BGR2RGB)
        self.picture: DisplayImage | None = DisplayImage(1, picture.tobytes(), (960, 540), (960, 540), 61.5)
        self.snapshot = Snapshot(
            version=1, phase="watching", t=61.5, table=Table(), lines=LINES, readings=READINGS
        )
        self.asked: list[list[Any]] = []
        self.watches = True
        self.clips = ClipBuffer()
        self.setup = None
        self.picture_writer = EventPictureWriter()
        self.film_keeper: FilmKeeper | None = None
        done, jpeg = cv2.imencode(".jpg", table_picture())
        assert done
        self.event_pictures: dict[int, bytes] = {8: jpeg.tobytes()}

    def event_picture(self, event_id: int) -> bytes | None:
        return self.event_pictures.get(event_id)

    def show(self, **changes: Any) -> None:
        self.snapshot = replace(self.snapshot, version=self.snapshot.version + 1, **changes)

    def start(self) -> None:
        self.asked.append(["start"])

    def stop(self, timeout: float = 0.0) -> None:
        self.asked.append(["stop"])

    def undo(self) -> None:
        self.asked.append(["undo"])
        self.show(lines=self.snapshot.lines[:-1], says="Undone: Ann plays 7♥")

    def undo_to(self, event_id: int) -> None:
        self.asked.append(["undo to", event_id])

    def settle(self, event_id: int, choice: str) -> None:
        self.asked.append(["settle", event_id, choice])

    def redo(self) -> None:
        self.asked.append(["redo"])

    def pause(self, paused: bool) -> None:
        self.asked.append(["pause", paused])
        self.show(phase="paused" if paused else "watching", says="Paused" if paused else "Watching")

    def enter(self, event: Event) -> None:
        self.asked.append(["enter", event.to_json()])

    def move_place(self, zone: Zone, pixel: Place) -> None:
        self.asked.append(["put", zone.kind, zone.seat, *map(round, pixel)])

    def set_layout(self, shown: TappedPlaces) -> None:
        rows = [list(map(round, row)) for row in shown.rows]
        self.asked.append(["lay out", rows, shown.draw and list(map(round, shown.draw))])

    def correct(self, event_id: int, event: Event | None) -> None:
        self.asked.append(["correct", event_id, None if event is None else event.to_json()])


def to_json(value: Sequence[Any]) -> Any:
    """Return `value` as it looks after a way through JSON."""
    return json.loads(json.dumps(value))
