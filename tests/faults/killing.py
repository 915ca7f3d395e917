"""Run as a program: plays games by touch and is killed (SIGKILL) at random moments, again and again.

Usage: killing.py STORE [--rounds N] [--seed N]. Each round a child process of its own begins a game, or goes
on with the one that was broken off, and reports every event once the screen would show it; then it is killed.
Then the store must open as if nothing had happened and hold every event that was reported. Prints one
JSON line (rounds, kills before anything was shown, games, events); exits with 1 at the first loss. How often
it killed and whether anything was lost is kept as benchmarks keep what they measure (`SHITHEAD_MEASURED`).
"""

from __future__ import annotations

import argparse
import json
import os
import random
import select
import signal
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from companion.game.evening import apply_revisions
from companion.game.event_log import EventLog
from companion.game.history import find_resumable_game
from companion.game.refereeing import make_referee
from companion.game.setup import GameSetup, stored_setup
from companion.game.starting import make_session
from companion.store.store import Store
from datasets.measuring.benchmark_log import note
from engine.simulation.simulate import play_game

PLAYERS = ("Ann", "Bob", "Cat")
ENDS_AFTER = 60
"""So many events make a game: then somebody loses, and the next one begins."""
Shown = dict[int, list[Mapping[str, Any]]]
"""Per game its lines, as they were written."""
_SHOWN = ("id", "event", "player", "cards")


def shown(lines: Any) -> list[list[Any]]:
    """Return what a screen tells of each event."""
    return [[line.get(name) for name in _SHOWN] for line in lines]


def play(store: Path, seed: int, pipe: int) -> None:
    """Play until killed; what is reported has been on the screen."""
    rng = random.Random(seed)
    game, _ = find_resumable_game(store)
    fresh = GameSetup(source=None, players=PLAYERS, dealer="Cat", store=store)
    setup = fresh if game is None else stored_setup(game, store=store)
    while True:
        session = make_session(setup)
        session.start()
        while session.snapshot.phase == "opening":
            time.sleep(0.001)
        assert session.snapshot.phase == "watching", session.snapshot.says
        steps = [step.event for step in play_game("winnersh", PLAYERS, rng.randrange(10**6), cheats=2)]
        done = len(session.snapshot.lines)
        for event in steps:
            if event.event in ("out", "game_over", "deal", "draw"):
                continue
            done += 1
            undo = done % 7 == 6
            if done >= ENDS_AFTER:
                event = replace(event, event="game_over", player=None, cards=(), loser=rng.choice(PLAYERS))
            serial = session.snapshot.version
            report(pipe, {"undo": undo})
            session.undo() if undo else session.enter(event)
            while session.snapshot.version == serial:
                time.sleep(0.0005)
            report(pipe, {"lines": shown(session.snapshot.lines)})
            if event.event == "game_over":
                break
        session.stop()
        setup = fresh
        report(pipe, {"next": True})


def report(pipe: int, what: dict[str, Any]) -> None:
    os.write(pipe, (json.dumps(what) + "\n").encode())


def killed_after(store: Path, seed: int, seconds: float, *, at_once: bool) -> list[dict[str, Any]]:
    """Let a child play for `seconds`, kill it, and return what it reported.

    The time counts from its first word, or with `at_once` from its birth: then it may be opening the store.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        try:
            play(store, seed, writing)
        finally:
            os._exit(3)  # reached by a mistake only
    os.close(writing)
    if not at_once:
        select.select([reading], [], [], 60.0)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    with os.fdopen(reading, "rb") as pipe:
        whole = pipe.read()
    _, status = os.waitpid(child, 0)
    if os.WIFEXITED(status):
        raise SystemExit(f"the program ended by itself (status {os.WEXITSTATUS(status)})")
    return [json.loads(line) for line in whole.split(b"\n")[:-1]]


def check(store: Path, reported: list[dict[str, Any]], resumed: int | None, before: Shown) -> Shown:
    """Raise SystemExit if anything that was shown of any game is lost; returns what each game holds now.

    Args:
        store: Its path.
        reported: What the program told before it was killed.
        resumed: The game with which it will have gone on, if any.
        before: What each game held before it was started.
    """
    with Store.open(store) as opened:
        if opened.notice is not None:
            raise SystemExit(f"the store speaks of damage: {opened.notice}")
        held: Shown = {game.id: list(opened.events(game.id)) for game in opened.games()}
    played = [*([] if resumed is None else [resumed]), *(game for game in held if game not in before)]
    for game, was in before.items():
        if game != resumed and held.get(game) != was:
            raise SystemExit(f"game {game} held {was}, and now {held.get(game)}")
    told: list[list[dict[str, Any]]] = [[]]
    for entry in reported:
        told.append([]) if "next" in entry else told[-1].append(entry)
    for place, entries in enumerate(told):
        if place < len(played):
            _check_game(held[played[place]], entries, ended=place < len(told) - 1)
        elif any("lines" in entry for entry in entries):
            raise SystemExit(f"a game is lost of which was shown: {entries[-1]}")
    return held


def _check_game(written: Sequence[Mapping[str, Any]], reported: list[dict[str, Any]], *, ended: bool) -> None:
    lines = apply_revisions(written)
    last: list[Any] = next((entry["lines"] for entry in reversed(reported) if "lines" in entry), [])
    held = shown(lines)
    if ended and sorted(held) != sorted(last):
        raise SystemExit(f"of a game that was over, {last} was shown, and the store holds {held}")
    undoing = bool(reported) and reported[-1].get("undo", False)
    missing = [line for line in last if line not in held]
    # An undo that was on its way takes the last entry back, and the draws that were assumed after it.
    if missing and not (undoing and missing == last[-len(missing) :] and len(missing) <= 3):
        raise SystemExit(f"lost: {missing} of {last}; the store holds {held}")
    book = EventLog(make_referee("winnersh", PLAYERS, dealer="Cat"))
    book.resume(written)
    if [line["id"] for line in book.lines] != [line["id"] for line in sorted(lines, key=lambda e: e["id"])]:
        raise SystemExit("the game does not go on where it was broken off")


def keep(kills: int, early: int, *, losses: int) -> None:
    note("kills", kills)
    note("kills_before_anything", early)
    note("kills_that_lost", losses)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("store", type=Path)
    parser.add_argument("--rounds", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    rng = random.Random(args.seed)
    play_game("winnersh", PLAYERS, 1)  # what is loaded here, the children need not load
    early, held, done = 0, Shown(), 0
    try:
        for number in range(args.rounds):
            child, at_once = args.seed * 100_000 + number, rng.random() < 0.2
            resumed, _ = find_resumable_game(args.store)
            reported = killed_after(args.store, child, rng.uniform(0.0, 0.3), at_once=at_once)
            done += 1
            early += not any("lines" in entry for entry in reported)
            held = check(args.store, reported, None if resumed is None else resumed.id, held)
    except SystemExit:
        keep(done, early, losses=1)
        raise
    keep(done, early, losses=0)
    with Store.open(args.store) as store:
        games = store.games()
        events = sum(len(store.events(game.id)) for game in games)
    told = {"rounds": args.rounds, "before_anything": early, "games": len(games), "events": events}
    print(json.dumps(told))
    return 0


if __name__ == "__main__":
    sys.exit(main())
