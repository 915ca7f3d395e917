"""A film of polite people, whose arms appear only to play: it is followed faster than the film that ships.

It was made as `companion/assets/LICENSES.md` says.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from companion.sources.cameras import SampleFilm

_FILM = Path(__file__).parent / "films" / "polite.mp4"


@cache
def polite_film() -> SampleFilm:
    """Return the film and the game in it. Its truth lies beside it."""
    header = json.loads(_FILM.with_suffix(".truth.jsonl").read_text(encoding="utf-8").splitlines()[0])
    return SampleFilm(_FILM, header["rules"], (), tuple(header["players"]), header["dealer"])
