"""Pictures of the table at each event, on the disk: only if the user has switched that on.

They lie beside the store, at `evenings.moments/GAME/EVENT.jpg` for `evenings.sqlite`
(`companion.files.store_paths`), and are erased with it. A backup of the store does not include them.
"""

from __future__ import annotations

import logging
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import cv2

from companion.files.store_paths import follow_link, path_beside
from companion.store.damage import was_database
from engine.errors import BadInputError
from engine.files.atomic import make_folder, write_whole
from vision.images import read_image

_log = logging.getLogger(__name__)


def event_pictures_folder(store: Path) -> Path:
    """Return the folder of the pictures of a store's games."""
    return path_beside(store, "moments")


def former_picture_folders(store: Path) -> list[Path]:
    """Return the folders in which older versions put a store's pictures, if they can belong to no other
    store.

    Those folders were named without the store's suffix, and lay beside a link to the store.
    """
    path = follow_link(store)
    places = [named.with_name(f"{named.stem}.moments") for named in dict.fromkeys((path, store))]
    return [
        place
        for place in places
        if place != event_pictures_folder(path) and place.is_dir() and not place.is_symlink()
        if not any(_is_store_of(place, file) for file in place.parent.iterdir() if file not in (path, store))
    ]


def _is_store_of(pictures: Path, file: Path) -> bool:
    return file.stem == pictures.stem and file.is_file() and was_database(file)


def adopt_former_pictures(store: Path) -> None:
    """Move pictures of an older version to the present folder, unless that exists."""
    try:
        for former in former_picture_folders(store)[:1]:
            if not event_pictures_folder(store).exists():
                shutil.move(former, event_pictures_folder(store))
    except OSError as error:
        _log.warning("pictures of moments stay where they are: %s", error)


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
