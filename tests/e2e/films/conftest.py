"""Films that several tests watch, drawn once."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.films import drawn_film


@pytest.fixture(scope="session")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a drawn film of half a minute, for `drawn_film` as a program."""
    path = tmp_path_factory.mktemp("film") / "drawn.avi"
    drawn_film.make(path)
    return path
