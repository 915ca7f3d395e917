"""What a finger touches is lit under it, and looks afterwards as before."""

from __future__ import annotations

from typing import Any

import pytest

from tests.e2e.windows.test_screens import walk


@pytest.fixture(scope="module")
def seen() -> dict[str, Any]:
    return walk("pressed", (360, 640))


@pytest.mark.parametrize("name", ["button", "switch", "row"])
def test_what_is_touched_is_lit_and_no_longer_than_that(name: str, seen: dict[str, Any]) -> None:
    assert seen[name]["under"] != seen[name]["before"]
    assert seen[name]["after"] == seen[name]["before"]
