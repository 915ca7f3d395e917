"""Simulated games, read back as `shithead record` does: lawful ones, and ones with breaches.

Run: `pytest -m benchmark -s tests/benchmarks/test_simulated_games.py`. It takes some six minutes of one
processor core. Of each ruleset it plays 200 lawful games and 200 games of cheats, with 2 to 5 players and a
random choice of options. In every second game of cheats the breaches stand; in the others they are of every
kind that an onlooker can see, and each is taken back.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from random import Random

import pytest

from engine.events import Event
from engine.notation.record import Record, read_record
from engine.referee.referee import Referee
from engine.ruleset import RULESET_NAMES, load_ruleset
from engine.simulation.simulate import SimulatedGame, play_game
from tests.support.offences import Breaches, cheats_in, with_offences

pytestmark = pytest.mark.benchmark

GAMES = 200
NAMES = ("Ann", "Bob", "Cat", "Dan", "Eve")
CHEATS = 5
QUIET_ACTS = 300


def game_of(rules: str, number: int, cheats: int = 0) -> SimulatedGame:
    """Return one game; its number decides the options, the number of players and how they play."""
    rng = Random(f"{rules} {number}")
    options = [name for name in sorted(load_ruleset(rules).available) if rng.random() < 0.4]
    policy = "sensible" if number % 3 else "random"
    players = NAMES[: 2 + number % 4]
    return play_game(rules, players, number, policy, options, cheats=cheats, quiet_acts=QUIET_ACTS)


def tally(game: SimulatedGame, log: tuple[Event, ...], breaches: Breaches) -> Counter[str]:
    """Read the record of a game back, and count breaches, those found, and accusations beside them."""
    text = Record(rules=game.rules, players=game.players, dealer=game.dealer, log=log).to_text()
    record, damage = read_record(text)
    assert not damage
    referee, count = Referee(record.rules, record.players, dealer=record.dealer), Counter(told=len(breaches))
    for event in record.log:
        outcome = referee.observe(event)
        broken = {breach["rule"] for breach in outcome.ruling["breaches"]} if outcome.ruling else set()
        late = [follow.says for follow in outcome.follow_ups if follow.event == "late_breach"]
        due = breaches.get(event.id, frozenset()) if not event.withdrawn else frozenset()
        count["found"] += bool(broken & due)
        count["accusations"] += bool(late) or bool(broken and not due)
        if late or bool(broken) != bool(broken & due) or bool(due) != bool(broken):
            print(f"{game.rules.name} {game.rules.options}: {event}, broken {broken}, due {due}, late {late}")
    return count


def test_no_lawful_game_has_an_accusation(measured: Callable[[str, float], None]) -> None:
    accused = 0
    for rules in RULESET_NAMES:
        for number in range(GAMES):
            game = game_of(rules, number)
            accused += tally(game, tuple(step.event for step in game), {})["accusations"] > 0
    measured("lawful_games_accused", accused)
    assert accused == 0


def test_every_breach_of_a_cheating_game_is_found(measured: Callable[[str, float], None]) -> None:
    count: Counter[str] = Counter()
    for rules in RULESET_NAMES:
        for number in range(GAMES):
            if number % 2:
                game = game_of(rules, number)
                log, breaches = with_offences(game, Random(number), CHEATS)
            else:
                game = game_of(rules, number, cheats=CHEATS)
                log, breaches = tuple(step.event for step in game), cheats_in(game)
            count += tally(game, log, breaches)
    measured("cheats_committed", count["told"])
    measured("cheats_found_share", count["found"] / count["told"])
    measured("cheating_games_wrong_accusations", count["accusations"])
    assert count["told"] > 4 * GAMES * len(RULESET_NAMES)
    assert (count["found"], count["accusations"]) == (count["told"], 0)
