"""The user's settings, in a small file in the platform's configuration folder."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import platformdirs

from companion.i18n.catalogue import AUTOMATIC, LANGUAGES
from engine.files.atomic import make_folder, write_whole
from engine.files.json_text import parse_json

_CAMERA_HEIGHTS = (480, 2160)
_MOST_REMEMBERED = 12
"""Remembered players, and remembered sources."""
TYPE_SIZES = {"normal": 1.0, "larger": 1.3, "largest": 1.6}
"""Factors by which each size enlarges the system's own type."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings. Nothing sounds or is stored until the user switches it on."""

    language: str = AUTOMATIC
    speak: bool = False
    """Whether rulings are spoken."""
    sound: bool = False
    """Whether a breach sounds."""
    vibrate: bool = False
    """Whether a breach makes the phone vibrate."""
    keep_moments: bool = False
    """Whether the picture of each ruling is stored. It shows the table only."""
    keep_film: bool = False
    """Whether the film of each game is kept, with its log."""
    keep_film_whole: bool = False
    """Whether people stay visible in it. Otherwise they are blurred outside the table."""
    learn_deck: bool = True
    """Whether a deck that nobody named is learnt during play."""
    type_size: str = "normal"
    """The window's type size: one of `TYPE_SIZES`."""
    camera_height: int = 1080
    """Height in pixels of the 16:9 frames that a camera is asked for. The camera may give others."""
    toured: bool = False
    """Whether the first steps have been shown."""
    sources: tuple[str, ...] = ()
    """Films and addresses that gave a picture, the newest first. The form offers them."""
    players: tuple[str, ...] = ()
    """Names of players, the newest first. The form offers them."""
    place: str = ""
    """The place that the shared picture names; empty if nobody named one."""

    @property
    def camera_size(self) -> tuple[int, int]:
        """Width and height in pixels of the frames that a camera is asked for."""
        return self.camera_height * 16 // 9, self.camera_height


def settings_path() -> Path:
    """Return the path of the settings file."""
    return platformdirs.user_config_path("shithead", appauthor=False) / "settings.json"


def load_settings(path: Path | None = None) -> Settings:
    """Return the settings. Missing or damaged entries get their defaults."""
    try:
        stored = parse_json((path or settings_path()).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return Settings()
    if not isinstance(stored, dict):
        return Settings()
    sound: dict[str, Any] = {}
    for field in fields(Settings):
        value = stored.get(field.name)
        if isinstance(field.default, tuple):
            value = _remembered(value)
        if type(value) is type(field.default):
            sound[field.name] = value
    if sound.get("language") not in (AUTOMATIC, *LANGUAGES):
        sound.pop("language", None)
    if not sound.get("place", "").isprintable():
        sound.pop("place")
    if sound.get("type_size") not in TYPE_SIZES:
        sound.pop("type_size", None)
    if not _CAMERA_HEIGHTS[0] <= sound.get("camera_height", _CAMERA_HEIGHTS[0]) <= _CAMERA_HEIGHTS[1]:
        sound.pop("camera_height")
    return Settings(**sound)


def remember(before: Sequence[str], *new: str) -> tuple[str, ...]:
    """Return a list of remembered texts with `new` ones first, each once and not too many."""
    return tuple(dict.fromkeys(text for text in (*new, *before) if text))[:_MOST_REMEMBERED]


def _remembered(value: Any) -> tuple[str, ...]:
    texts = value if isinstance(value, list) else []
    return remember([text for text in texts if isinstance(text, str) and text.isprintable()])


def save_settings(settings: Settings, path: Path | None = None) -> None:
    """Store the settings in one step: a killed program leaves the old ones or the new ones.

    Only the user may read them, because a remembered address may hold a password.

    Raises:
        OSError: the file cannot be written.
    """
    target = path or settings_path()
    make_folder(target.parent)
    write_whole(target, json.dumps(asdict(settings), indent=1) + "\n", private=True)
