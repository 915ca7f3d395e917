"""Films that several tests watch, drawn once."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.films import drawn_film
from tests.support.made_once import made_once


@pytest.fixture(scope="session")
def film() -> Path:
    """Return a drawn film of nearly half a minute, for `drawn_film` as a program."""
    return made_once("drawn-film", lambda folder: drawn_film.make(folder / "drawn.avi")) / "drawn.avi"
