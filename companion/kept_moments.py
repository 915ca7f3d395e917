"""Pictures of moments on the disk: only where the user switched that on, and of the table only.

They lie beside the store, `evenings.moments/GAME/EVENT.jpg` for `evenings.sqlite`, and go with it when it is
erased. A backup of the store does not take them along.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import cv2

from engine.errors import BadInputError
from engine.whole_files import write_whole
from vision.pictures import read_image

_log = logging.getLogger(__name__)


def moments_folder(store: Path) -> Path:
    """Return where the pictures of a store's games lie."""
    return store.with_name(f"{store.stem}.moments")


def game_folder(store: Path, game: int) -> Path:
    """Return where the pictures of one game lie."""
    return moments_folder(store) / str(game)


class KeptMoments:
    """Writes the pictures of one game."""

    def __init__(self) -> None:
        """Keep nothing until it is `wanted` and the `folder` is known."""
        self.wanted = False
        self.folder: Path | None = None

    def keep(self, moments: Mapping[int, bytes], lines: Sequence[Mapping[str, Any]]) -> None:
        """Write the pictures of these event lines that are not kept yet.

        A picture that cannot be written is no reason to end a game; no other is tried then.
        """
        if not self.wanted or self.folder is None:
            return
        try:
            for line in lines:
                number = int(line.get("revise") or line["id"])
                path = self.folder / f"{number}.jpg"
                if number in moments and not path.exists():
                    self.folder.mkdir(parents=True, exist_ok=True)
                    write_whole(path, moments[number])
        except OSError as error:
            self.wanted = False
            _log.warning("pictures of moments are not kept: %s", error)

    def get(self, number: int) -> bytes | None:
        """Return the picture of an event, or None."""
        return None if self.folder is None else kept_moment(self.folder, number)


def kept_moment(folder: Path, number: int) -> bytes | None:
    """Return the picture of an event as JPEG; None where there is none, or the file is damaged.

    What a damaged file still shows is made a sound picture of: not every library that shows it is patient.
    """
    try:
        picture = read_image(folder / f"{number}.jpg")
    except BadInputError:
        return None
    done, jpeg = cv2.imencode(".jpg", picture)
    return jpeg.tobytes() if done else None
