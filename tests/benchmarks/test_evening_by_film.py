"""An evening of twelve whole games by film: the real `watch` into the real store, killed three times.

Run: `pytest -m benchmark -s tests/benchmarks/test_evening_by_film.py`. It takes about an hour and a half of
one processor core, most of it to render; SHITHEAD_GAMES=3 plays fewer games, SHITHEAD_FILMS names a folder in
which the films are kept. A film's deck is that of SHITHEAD_PHOTOS where it is set, else a drawn one.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from companion.cli.main import main
from companion.game.evening import apply_revisions
from companion.game.scoring import compare, read_truth, truth_path
from companion.game.setup import GameSetup
from companion.game.starting import make_session
from companion.store.rows import StoredGame
from companion.store.store import Store
from datasets.measuring.films.plan import FilmPlan, render
from engine.events import Event
from tests.e2e.films.test_film_through_kills import lost, watch

NAMES = ("Ann", "Bob", "Cat")
EVENING = (
    ("shed", 3, 5),
    ("jokers", 2, 75),
    ("backpacker", 2, 42),
    ("rulebook", 2, 55),
    ("winnersh", 2, 28),
    ("shed", 3, 55),
    ("jokers", 3, 24),
    ("backpacker", 3, 32),
    ("rulebook", 3, 42),
    ("winnersh", 3, 71),
    ("jokers", 2, 54),
    ("backpacker", 2, 44),
)
"""Ruleset, players and seed of each game: of the seeds 1 to 149 one of those whose games are over soonest."""
LIGHTS = ("day", "lamp", "evening")
GAMES = int(os.environ.get("SHITHEAD_GAMES", "12"))
KILLS = (5, 12, 20)
"""After so many lines, in the first game, in the middle one and in the last."""
PATIENCE_S = 60.0


def film_of(number: int, folder: Path) -> Path:
    """Render the game of this number, unless that was done before; returns the film."""
    rules, players, seed = EVENING[number]
    plan = FilmPlan(
        rules=rules,
        players=players,
        seed=seed,
        tilt=8.0,
        light=LIGHTS[number % len(LIGHTS)],
        deck="bidly" if os.environ.get("SHITHEAD_PHOTOS") else "drawn",
        surface="any" if os.environ.get("SHITHEAD_PHOTOS") else "drawn",
        plays=None,
        width=960,
        height=540,
    )
    render(plan, folder)
    return plan.film_in(folder)


def enter_the_loser(store: Path, game: StoredGame, loser: str) -> None:
    """Let a person say who lost, as by touch, where the referee has not found it out."""
    session = make_session(
        GameSetup(source=None, players=game.players, rules=game.rules, store=store, resume=game.id)
    )
    session.start()
    deadline = time.monotonic() + PATIENCE_S
    while session.snapshot.phase == "opening" and time.monotonic() < deadline:
        time.sleep(0.01)
    session.enter(Event(id=0, event="game_over", loser=loser))
    while not session.snapshot.says.startswith("Entered") and time.monotonic() < deadline:
        time.sleep(0.01)
    session.stop()


@pytest.mark.benchmark
def test_whole_games_by_film_are_tallied_right_through_three_kills(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], measured: Callable[[str, float], None]
) -> None:
    folder, store = Path(os.environ.get("SHITHEAD_FILMS") or tmp_path), tmp_path / "s.sqlite"
    folder.mkdir(parents=True, exist_ok=True)
    kills = dict(zip((0, GAMES // 2, GAMES - 1), KILLS, strict=True))
    truly: list[str] = []
    found_out: list[str | None] = []
    missing = 0
    for number in range(GAMES):
        film = film_of(number, folder)
        rules, players, _ = EVENING[number]
        truth = read_truth(truth_path(film))
        loser = next(line["loser"] for line in truth if line.get("event") == "game_over")
        truly.append(loser)
        program = [sys.executable, "-m", "companion.cli", "watch", str(film)]
        new_game = ["--rules", rules, "--players", ",".join(NAMES[:players])]
        began, shown = time.monotonic(), []
        if number in kills:
            shown = watch([*program, *new_game], store, resume=False, kill_after=kills[number])
        shown += watch(program if shown else [*program, *new_game], store, resume=bool(shown))
        missing += len(lost(store, shown))
        with Store.open(store) as opened:
            assert opened.notice is None
            game = opened.games()[-1]
            lines = [dict(line) for line in apply_revisions(opened.events(game.id))]
        assert game.id == number + 1, "a kill begins no game of its own"
        found = compare(lines, truth).to_json()["overall"]
        with capsys.disabled():
            killed = f", killed after {kills[number]} lines" if number in kills else ""
            seconds = time.monotonic() - began
            print(f"{film.stem}{killed}: {seconds:.0f} s; {found}; loser {game.loser}, truly {loser}")
        if game.loser != loser:
            enter_the_loser(store, game, loser)
        found_out.append(game.loser)
    assert main(["tally", "--store", str(store), "--json"]) == 0
    tally = json.loads(capsys.readouterr().out)
    losses = {standing["player"]: standing["losses"] for standing in tally["players"]}
    found = right(found_out, truly)
    with capsys.disabled():
        print(
            f"{GAMES} games, {len(kills)} kills: {missing} lines lost; losers found {found_out},"
            f" truly {truly}: {found} right, {GAMES - found} entered by hand; then tallied {losses}"
        )
    measured("film_evening_games_tallied", right(tally["losers"], truly))
    measured("film_evening_lines_lost", missing)
    measured("film_evening_losers_entered", GAMES - found)
    assert missing == 0
    assert tally["losers"] == truly
    assert losses == {player: truly.count(player) for player in NAMES}
    assert found == GAMES, "what the referee does not find out, nobody may put right before it is counted"


def right(told: Sequence[str | None], truly: Sequence[str]) -> int:
    """Return in how many games, one by one, the loser is the true one."""
    return sum(one == other for one, other in zip(told, truly, strict=True))
