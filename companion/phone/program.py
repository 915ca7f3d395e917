"""The program's side for the phones' hub: the game, its ledger, and what the camera's picture shows."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from companion.game.evening import Tally, store_tally
from companion.game.preview import SightCheck, sight_lines
from companion.game.session import Session
from companion.game.setup import GameSetup
from companion.i18n.catalogue import speaking
from companion.sources.joined_phone import PhoneFrame, check_jpeg, decode_jpeg
from companion.store.store import Store, default_path
from engine.errors import BadInputError
from vision.capture.image_quality import quality_faults
from vision.types import CardReading, Image

_log = logging.getLogger(__name__)
Outline = list[list[float]]
"""Corners as (x, y), each a fraction of the picture's width and height."""


def _none() -> None:
    return None


@dataclass(frozen=True, slots=True)
class ProgramState:
    """Gives the hub the program's present state. Each function may be called from the server's thread."""

    session: Callable[[], Session | None] = _none
    setup: Callable[[], GameSetup | None] = _none
    sight: Callable[[], SightCheck | None] = _none
    """The check of a preview, before a game."""
    store: Path | None = None
    """Path of the evening's store; None: the user's own."""

    def ledger(self) -> Tally | None:
        """Return the evening's score; None if it cannot be read or nothing is stored."""
        if not (self.store or default_path()).exists():
            return None
        try:
            with Store.open_to_read(self.store) as store:
                return store_tally(store)
        except BadInputError as error:
            _log.warning("the ledger is not shown on phones: %s", error)
            return None


@dataclass(frozen=True, slots=True)
class CameraSight:
    """The program's judgement on the picture of the phone that films."""

    check: SightCheck | None = None
    """None: no cards were looked for yet."""
    quads: tuple[Outline, ...] = ()
    """The cards' corners."""
    table: Outline | None = None
    """The outline of all cards."""

    def to_json(self, language: str) -> dict[str, Any]:
        """Return it with its sentences in one language."""
        with speaking(language):
            lines = list(sight_lines(self.check))
        good = self.check is not None and not self.check.faults
        return {"lines": lines, "good": good, "quads": self.quads, "table": self.table}


def camera_sight(program: ProgramState, frame: PhoneFrame) -> CameraSight:
    """Return what the program sees in the newest frame. It takes some hundredths of a second."""
    session = program.session()
    if session is None:
        check = program.sight()
        size = _size_of(frame)
        return CameraSight() if check is None or size is None else _outlined(check, size)
    image = decode_jpeg(frame.jpeg)
    if image is None or session.snapshot.phase == "opening":
        return CameraSight()
    return _outlined(_checked(image, session.snapshot.readings), (image.shape[1], image.shape[0]))


def _checked(image: Image, readings: Sequence[CardReading]) -> SightCheck:
    return SightCheck(tuple(readings), quality_faults(image, readings))


def _size_of(frame: PhoneFrame) -> tuple[int, int] | None:
    try:
        return check_jpeg(frame.jpeg)
    except BadInputError:
        return None


def _outlined(check: SightCheck, size: tuple[int, int]) -> CameraSight:
    if not check.readings:
        return CameraSight(check)
    scale = np.array(size, np.float64)
    quads = [np.asarray(reading.quad, np.float64) / scale for reading in check.readings]
    hull = cv2.convexHull(np.concatenate(quads).astype(np.float32))[:, 0]
    return CameraSight(check, tuple(map(_rounded, quads)), _rounded(hull))


def _rounded(points: Any) -> Outline:
    return [[round(float(x), 3), round(float(y), 3)] for x, y in points]
