"""Pictures of the table at each event, on the disk: only if the user has switched that on.

They lie beside the store, at `evenings.moments/GAME/EVENT.jpg` for `evenings.sqlite`
(`companion.files.store_paths`), and are erased with it. A backup of the store does not include them.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import cv2

from companion.files.store_paths import path_beside
from engine.errors import BadInputError
from engine.files.atomic import make_folder, write_whole
from vision.images import read_image

_log = logging.getLogger(__name__)


def event_pictures_folder(store: Path) -> Path:
    """Return the folder of the pictures of a store's games."""
    return path_beside(store, "moments")


def game_pictures_folder(store: Path, game: int) -> Path:
    """Return the folder of one game's pictures."""
    return event_pictures_folder(store) / str(game)


class EventPictureWriter:
    """Writes the pictures of one game."""

    def __init__(self) -> None:
        """Write nothing until `enabled` is set and `folder` is known."""
        self.enabled = False
        self.folder: Path | None = None

    def keep(self, moments: Mapping[int, bytes], lines: Sequence[Mapping[str, Any]]) -> None:
        """Write the pictures of these event lines that are not yet on the disk.

        A picture that cannot be written does not end the game; no more are tried.
        """
        if not self.enabled or self.folder is None:
            return
        try:
            for line in lines:
                number = int(line.get("revise") or line["id"])
                path = self.folder / f"{number}.jpg"
                if number in moments and not path.exists():
                    make_folder(self.folder)
                    write_whole(path, moments[number])
        except OSError as error:
            self.enabled = False
            _log.warning("pictures of moments are not kept: %s", error)

    def get(self, number: int) -> bytes | None:
        """Return the picture of an event, or None."""
        return None if self.folder is None else read_event_picture(self.folder, number)


def read_event_picture(folder: Path, number: int) -> bytes | None:
    """Return the picture of an event as JPEG, or None if it is missing or unreadable.

    A damaged file is encoded again, because some libraries that show it reject damage.
    """
    try:
        picture = read_image(folder / f"{number}.jpg")
    except BadInputError:
        return None
    done, jpeg = cv2.imencode(".jpg", picture)
    return jpeg.tobytes() if done else None
