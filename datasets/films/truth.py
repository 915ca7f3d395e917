"""The truth of a film: its events, and the visible parts of the cards at rest."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from datasets.films.geometry import Camera
from datasets.films.story import Story
from datasets.films.timeline import Action, CardMove
from engine.events import Event
from engine.files.atomic import whole_file
from engine.referee.referee import Referee

TRUTH_VERSION = 3
"""Grows whenever the same film would get other events, another order of events, or other verdicts.

Films of version 1 do not say it. `tests/e2e/datasets/test_truth_version.py` tells when it is to be raised.
"""
_STEP = 2.0
"""Visible pixels are counted at this step."""


def write_lines(path: Path, lines: Iterable[dict[str, object]]) -> None:
    """Write JSON lines. The file gets its name only when it is complete."""
    with whole_file(path) as part, part.open("w", encoding="utf-8") as out:
        for line in lines:
            out.write(json.dumps(line) + "\n")


def event_line(action: Action) -> dict[str, object]:
    """Return the line of one event."""
    return {"t_start": round(action.start_s, 3), "t_end": round(action.end_s, 3), **action.line}


def with_verdicts(lines: list[dict[str, object]], story: Story) -> list[dict[str, object]]:
    """Return event lines with `verdict`: the ruling of a referee who sees only public cards.

    It is `unproven` if hidden cards decide, although the film knows them. `legal: false` marks a broken rule.
    """
    referee = Referee(story.rules, story.players, options=story.options, dealer=story.dealer)
    judged = []
    for number, line in enumerate(lines, start=1):
        outcome = referee.observe(Event.from_json(line | {"id": number, "t": line["t_end"]}))
        verdict = {"verdict": outcome.ruling["verdict"]} if outcome.ruling else {}
        judged.append(line | verdict)
    return judged


def resting_cards(moves: list[CardMove], camera: Camera) -> list[dict[str, Any]]:
    """Return the cards at rest in the picture of a camera, bottom first.

    Args:
        moves: The moves that put them there, bottom first.
        camera: The camera.

    Returns:
        For each card: `card` (None if face down), `face`, `quad` and `visible`. A quad is in pixels,
        clockwise from the top left of the card. `visible` is the share that no other card covers.
    """
    size = (math.ceil(camera.height / _STEP), math.ceil(camera.width / _STEP))
    owner = np.zeros(size, np.uint16)
    quads, areas = [], []
    for number, move in enumerate(moves, start=1):
        quad = camera.project(move.end.corners(), move.end.z)
        outline = np.round(quad / _STEP * 16.0).astype(np.int32)
        alone = np.zeros(size, np.uint8)
        cv2.fillConvexPoly(alone, outline, 1, cv2.LINE_8, 4)
        cv2.fillConvexPoly(owner, outline, number, cv2.LINE_8, 4)
        quads.append(quad)
        areas.append(int(np.count_nonzero(alone)))
    seen = np.bincount(owner.ravel(), minlength=len(moves) + 1)
    return [
        {
            "card": move.card if move.face_end else None,
            "face": "up" if move.face_end else "down",
            "quad": [[round(float(x), 1), round(float(y), 1)] for x, y in quads[index]],
            "visible": round(float(seen[index + 1]) / max(areas[index], 1), 3),
        }
        for index, move in enumerate(moves)
    ]
