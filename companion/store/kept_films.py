"""Kept games on the disk: a folder per game with its film, its layout, its log and a description.

They lie beside the store, in `evenings.films/` for `evenings.sqlite` (`companion.files.store_paths`), and are
erased with it. In a folder `NAME` lie `NAME.mp4`, `NAME.layout.json`, `NAME.events.jsonl` and `NAME.json`.
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from companion.files.store_paths import path_beside
from engine.errors import BadInputError
from engine.files.atomic import make_folder, write_whole
from engine.files.bounded import read_capped
from engine.files.json_text import json_lines, parse_json


@dataclass(frozen=True, slots=True)
class KeptGame:
    """The folder of one game."""

    folder: Path

    @property
    def film(self) -> Path:
        """The film."""
        return self._named(".mp4")

    @property
    def layout(self) -> Path:
        """The places of seats and piles in the film's first picture, as `watch --layout` reads them."""
        return self._named(".layout.json")

    @property
    def events(self) -> Path:
        """The event lines as people corrected them, with the film's times."""
        return self._named(".events.jsonl")

    @property
    def about(self) -> Path:
        """The description of the game, with the fields of a truth's first line."""
        return self._named(".json")

    @property
    def bytes(self) -> int:
        """The size of all files."""
        return sum(path.stat().st_size for path in self.folder.glob("*") if path.is_file())

    def read_about(self) -> dict[str, Any]:
        """Return the description.

        Raises:
            BadInputError: it is missing or no JSON object.
        """
        try:
            about = parse_json(read_capped(self.about).decode())
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            raise BadInputError("{path}: {reason}", path=self.about, reason=reason) from None
        if not isinstance(about, dict):
            raise BadInputError("{path}: {reason}", path=self.about, reason="not a JSON object")
        return about

    def write(
        self, about: Mapping[str, Any], layout: Mapping[str, Any], lines: Sequence[Mapping[str, Any]]
    ) -> None:
        """Write everything but the film.

        Raises:
            OSError: a file cannot be written.
        """
        write_whole(self.layout, json.dumps(layout) + "\n")
        write_whole(self.events, json_lines(lines))
        write_whole(self.about, json.dumps(about, ensure_ascii=False, indent=1) + "\n")

    def delete(self) -> None:
        """Delete the folder, as far as possible."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _named(self, suffix: str) -> Path:
        return self.folder / f"{self.folder.name}{suffix}"


def kept_films_folder(store: Path) -> Path:
    """Return the folder of a store's kept games."""
    return path_beside(store, "films")


def new_kept_game(parent: Path) -> KeptGame:
    """Return a new, empty folder in `parent`, named after the present time.

    Raises:
        OSError: it cannot be made.
    """
    name = time.strftime("%Y%m%d-%H%M%S")
    number = 1
    while (folder := parent / (name if number == 1 else f"{name}-{number}")).exists():
        number += 1
    make_folder(folder)
    return KeptGame(folder)


def kept_games(parent: Path) -> list[KeptGame]:
    """Return the complete kept games in a folder, the newest first."""
    found = [KeptGame(folder) for folder in sorted(parent.glob("*"), reverse=True) if folder.is_dir()]
    return [game for game in found if game.film.is_file() and game.about.is_file()]
