"""A short film without a game, and a truth beside it in which nobody has confirmed anything yet."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import cv2

from tests.support.scripted import table_picture

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


def write_film(folder: Path, seconds: float = 5.0, fps: float = 15.0) -> Path:
    """Write `game.mp4`, in which the time is written on a table, and return its path."""
    film = folder / "game.mp4"
    writer = cv2.VideoWriter(str(film), cv2.VideoWriter.fourcc(*"mp4v"), fps, (960, 540))
    for number in range(round(seconds * fps)):
        picture = table_picture()
        cv2.putText(picture, f"{number / fps:.2f}", (40, 90), 0, 2.0, (255, 255, 255), 3)
        writer.write(picture)
    writer.release()
    return film


def write_events(path: Path) -> Path:
    """Write the events as `watch` tells them, and return the path."""
    lines = ({**line, "id": n, "decided_at": line["t"] + 0.2} for n, line in enumerate(EVENTS, start=1))
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path
