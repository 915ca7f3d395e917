"""A deck that was forgotten, or whose file is damaged, ends no game that was played with it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from companion.cli.main import main
from companion.game.history import GameHistory, load_history
from companion.game.setup import GameSetup, stored_setup
from companion.game.starting import WatchOptions, open_game
from companion.store.store import Store
from engine.errors import BadInputError
from engine.messages import Said
from vision.decks.deck import deck_path

PLAYERS = ("Ann", "Bob")


@pytest.fixture
def begun(tmp_path: Path) -> GameSetup:
    """A game that was broken off, played with a deck that is not enrolled."""
    path = tmp_path / "s.sqlite"
    with Store.open(path) as store:
        store.start_game("winnersh", PLAYERS, source="0", deck="mine")
        store.append({"id": 1, "event": "play", "player": "Ann", "cards": ["4C"], "t": 1.0})
        (game,) = store.games()
    return stored_setup(game, store=path)


@pytest.mark.parametrize("damaged", [False, True])
def test_a_game_goes_on_without_its_deck_and_says_why(damaged: bool, begun: GameSetup) -> None:
    told: list[Said] = []
    file = deck_path("mine")
    why = "deck mine: not enrolled (enrolled: none)"
    if damaged:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(b"damaged")
        why = f"{file}: not a deck file"
    try:
        opened = open_game(begun, load_history(begun), WatchOptions(tell=told.append))
    finally:
        file.unlink(missing_ok=True)
    assert [line["cards"] for line in opened.lines] == [["4C"]]
    assert told == [f"{why}; the game goes on without it"]


def test_a_game_that_begins_is_refused_a_deck_that_is_not_there(begun: GameSetup) -> None:
    with pytest.raises(BadInputError, match="deck mine: not enrolled"):
        open_game(replace(begun, resume=None), GameHistory())


def test_of_a_game_that_goes_on_another_deck_must_be_there(
    begun: GameSetup, capsys: pytest.CaptureFixture[str]
) -> None:
    store = str(begun.store)
    assert main(["watch", "a.mp4", "--headless", "--store", store, "--resume", "--deck", "pub"]) == 2
    assert "deck pub: not enrolled" in capsys.readouterr().err
