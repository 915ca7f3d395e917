"""What the phones show of a game."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from companion.game.session import Session
from companion.i18n.wording import playable_now
from companion.phone.view import ViewInput, game_view
from tests.support.game_by_touch import game_by_touch


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with game_by_touch(tmp_path / "s.sqlite") as game:
        yield game


def test_phones_say_all_that_may_be_played_as_the_window_does(session: Session) -> None:
    need = game_view(ViewInput(session.snapshot), "en")["table"]["need"]
    assert need == "4 or higher, or a 2"
    assert need == playable_now(session.snapshot.table)
    assert game_view(ViewInput(session.snapshot), "de")["table"]["need"] == "4 oder höher, oder eine 2"
