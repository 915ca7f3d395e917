"""A short film without a game, and a truth beside it in which nobody has confirmed anything yet."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import cv2

from tests.support.made_once import made_once
from tests.support.scripted import table_picture

SECONDS, FPS = 5.0, 15.0
HEADER: dict[str, Any] = {
    "film": "game.mp4",
    "rules": "winnersh",
    "options": [],
    "players": ["Ann", "Bob", "Cat"],
    "dealer": "Cat",
    "condition": {"real": True},
}
UP = {"Ann": ["KD", "2C", "QD"], "Bob": ["10H", "10S", "3C"], "Cat": ["3H", "6C", "JD"]}
EVENTS: tuple[dict[str, Any], ...] = (
    {"event": "deal", "up": UP, "t": 1.0},
    {"event": "play", "player": "Ann", "cards": ["7S"], "source": "hand", "t": 2.0},
    {"event": "play", "player": "Bob", "cards": ["9D"], "source": "hand", "t": 3.0},
    {"event": "draw", "player": "Ann", "count": 1, "t": 3.6},
)


def write_film(folder: Path) -> Path:
    """Write `game.mp4`, in which the time is written on a table, and return its path."""
    return Path(shutil.copy(made_once("labelled-film", _draw) / "game.mp4", folder))


def _draw(folder: Path) -> None:
    writer = cv2.VideoWriter(str(folder / "game.mp4"), cv2.VideoWriter.fourcc(*"mp4v"), FPS, (960, 540))
    for number in range(round(SECONDS * FPS)):
        picture = table_picture()
        cv2.putText(picture, f"{number / FPS:.2f}", (40, 90), 0, 2.0, (255, 255, 255), 3)
        writer.write(picture)
    writer.release()


def write_events(path: Path) -> Path:
    """Write the events as `watch` tells them, and return the path."""
    lines = ({**line, "id": n, "decided_at": line["t"] + 0.2} for n, line in enumerate(EVENTS, start=1))
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path
