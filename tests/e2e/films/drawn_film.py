"""A short film of a drawn table, and a reader that knows what was drawn: for `watch` as a program of its own.

As a program: drawn_film.py FILM ARGUMENT... runs `shithead watch FILM ARGUMENT...` with that reader. A
picture bears its number as squares that differ by a hair, and FILM.json says what lies in each.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[3]))

from companion.cli.main import main
from tests.support.plain import plain
from vision.geometry import order_quad
from vision.types import CardReading, Face, Image

SIZE, FPS = (1000, 600), 8
PLAYERS = ("Ann", "Bob")
UP = {"Ann": ("4S", "5C", "6C"), "Bob": ("9D", "JC", "AD")}
PLAYS = (
    ("Ann", "4H"),
    ("Bob", "9S"),
    ("Ann", "JD"),
    ("Bob", "QH"),
    ("Ann", "KC"),
)
_CARD = np.array([[-31.5, -44], [31.5, -44], [31.5, 44], [-31.5, 44]])
_SQUARE, _BITS, _GREY = 24, 12, 100
"""A bit is one step of brightness, which the codec keeps and no eye for motion sees."""


class Table:
    """Cards lie as flat rectangles, 1 pixel = 1 mm; an arm comes in from below (Ann's) or above (Bob's)."""

    def __init__(self) -> None:
        self.cards: list[tuple[str | None, float, float, float]] = []
        self.arm: tuple[int, int, int] | None = None
        self.said: list[list[list[Any]]] = []
        """What lies in each picture, for who looks down on it."""

    def put(self, picture: Image) -> None:
        """Take the next picture."""
        raise NotImplementedError

    def deal(self, up: Mapping[str, Sequence[str]] = UP) -> None:
        """Lay out three face-up cards before each, and the draw pile."""
        self.cards = [(None, 580, 300, 0.0)]
        for k in range(3):
            self.cards += [(up["Ann"][k], 425 + 75 * k, 520, 0.0), (up["Bob"][k], 575 - 75 * k, 80, 0.0)]

    def show(self, seconds: float) -> None:
        for _ in range(round(seconds * FPS)):
            picture = plain(*SIZE, (60, 90, 50))
            for name, *place in self.cards:
                colour = (150, 60, 60) if name is None else (235, 235, 235)
                cv2.fillConvexPoly(picture, np.round(_quad(*place)).astype(np.int32), colour)
                for x, y in _quad(*place, indices=True) if name else ():
                    cv2.putText(picture, name or "", (int(x) - 10, int(y) + 6), 0, 0.55, (20, 20, 20), 2)
            if self.arm:
                x, y, edge = self.arm
                rows = slice(y, SIZE[1]) if edge > 0 else slice(0, y)
                picture[rows, x - 28 : x + 28] = (130, 160, 215)
            number = len(self.said)
            for bit in range(_BITS):
                left = bit * _SQUARE
                picture[:_SQUARE, left : left + _SQUARE] = _GREY + (number >> bit & 1)
            self.said.append([[name, *place] for name, *place in self.cards if not self._hides(*place[:2])])
            self.put(picture)

    def _hides(self, x: float, y: float) -> bool:
        return self.arm is not None and abs(x - self.arm[0]) < 50 and (y - self.arm[1]) * self.arm[2] > -30

    def reach(self, x: int, y: int, edge: int, card: tuple[str | None, float, float, float] | None) -> None:
        start = SIZE[1] - 40 if edge > 0 else 40
        way = [int(stop) for stop in np.linspace(start, y, 6)]
        for stop in way:
            self.arm = (x, stop, edge)
            self.show(1 / FPS)
        self.show(0.25)
        if card is not None:
            self.cards.append(card)
        for stop in reversed(way):
            self.arm = (x, stop, edge)
            self.show(1 / FPS)
        self.arm = None
        self.show(1.6)

    def play(self, number: int, player: str, card: str) -> None:
        """Let Ann or Bob put a card on the pile, as the play of this number (from 0)."""
        edge = 1 if player == "Ann" else -1
        # No two cards lie alike: they would be taken for one that was read twice.
        x, y, turn = 420 + 6 * (number * 2 % 5 - 2), 300 + 6 * (number * 3 % 5 - 2), number * 23 % 40 - 20
        self.reach(400 + number, 300 + 20 * edge, edge, (card, x, y, turn))


class Filmed(Table):
    """Writes the pictures into a film, and beside it what lies in them."""

    def __init__(self, film: Path) -> None:
        super().__init__()
        self._film = film
        self._out = cv2.VideoWriter(str(film), cv2.VideoWriter.fourcc(*"FFV1"), FPS, SIZE)

    def put(self, picture: Image) -> None:
        self._out.write(picture)

    def close(self) -> None:
        self._out.release()
        self._film.with_suffix(".json").write_text(json.dumps(self.said))


def make(film: Path) -> None:
    """Draw a deal and a few plays."""
    table = Filmed(film)
    table.show(0.6)
    table.deal()
    table.show(2.0)
    for number, (player, card) in enumerate(PLAYS):
        table.play(number, player, card)
    table.close()


def _quad(x: float, y: float, turn: float, *, indices: bool = False) -> np.ndarray[Any, Any]:
    """Return a card's corners, or where its two indices are."""
    angle = np.radians(turn)
    matrix = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    return np.asarray((_CARD[::2] * 0.68 if indices else _CARD) @ matrix + [x, y])


class Reader:
    """Reads a picture's number, and says what was drawn into it."""

    def __init__(self, said: list[list[list[Any]]]) -> None:
        self._said = said

    def read(self, image: Image, crowded: object = None, ignored: object = None) -> list[CardReading]:
        middle = _SQUARE // 2
        bits = [
            int(image[middle, bit * _SQUARE + middle].mean() > _GREY + 0.5) << bit for bit in range(_BITS)
        ]
        found = []
        for name, *place in self._said[sum(bits)]:
            face: Face = "down" if name is None else "up"
            found.append(CardReading(order_quad(_quad(*place)), face, 0.95, name, 0.98 if name else 0.9))
        return found


if __name__ == "__main__":
    import vision.recognition.incremental

    said = json.loads(Path(sys.argv[1]).with_suffix(".json").read_text())
    vision.recognition.incremental.game_reader = lambda *_: Reader(said)
    raise SystemExit(main(["watch", *sys.argv[1:]]))
