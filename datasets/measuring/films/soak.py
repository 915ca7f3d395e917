"""A soak test: films of whole games one after another in real time, to measure memory, lag and losses.

As with a camera, frames that arrive during computing wait for a moment (`FrameQueue`), and then they are
dropped. Each film is a game of its own in one store, as with `shithead watch --store`.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from companion.cli.event_writer import EventWriter
from companion.cli.recording import RecordedGames
from companion.game.event_pictures import add_event_pictures
from companion.game.history import load_history
from companion.game.recorder import GameRecorder
from companion.game.scoring import compare, percentile, read_events, read_lines, read_truth, truth_path
from companion.game.setup import GameSetup
from companion.game.starting import WatchOptions, open_watched_game
from companion.store.rows import is_string_list
from companion.store.store import Store
from datasets.measuring.films.paced_source import PacedSource
from datasets.measuring.films.plan import FilmPlan
from datasets.measuring.machine import load, machine, resident_mib
from datasets.progress import Progress
from engine.errors import BadInputError
from vision.capture.sources import open_source

SAMPLE_SECONDS = 10.0
FILMS = tuple(
    FilmPlan(
        rules=rules,
        players=players,
        seed=6001,
        tilt=8.0,
        light=light,
        deck="bidly",
        surface="any",
        plays=None,
        width=960,
        height=540,
    )
    for rules, players, light in (("winnersh", 2, "day"), ("shed", 3, "lamp"), ("rulebook", 2, "evening"))
)
"""Whole games that are small enough to be rendered in minutes."""


@dataclass(slots=True)
class PlayedFilm:
    """The result of one film."""

    film: str
    began_s: float
    """Time since the start of the soak test."""
    pictures: int = 0
    dropped: int = 0
    told: int = 0
    """Number of event lines, with revisions."""
    lost: int = 0
    """Number of these lines that are missing in the store."""
    f1: float | None = None
    """F1 of the events; None if the film was interrupted."""
    loser_right: bool | None = None
    """Whether the store has the true loser; None if the film was interrupted."""
    lag_s: list[float] = field(default_factory=list)
    """Seconds between the time of the frame and the writing of the line, one for each line."""


def soak(
    films: Sequence[Path],
    folder: Path,
    seconds: float,
    *,
    pace: float = 1.0,
    every: float = SAMPLE_SECONDS,
    tell: Callable[[str], None] = lambda text: None,
    progress: Progress = lambda done, whole: None,
) -> dict[str, Any]:
    """Play films for some time, and return the report as JSON.

    Args:
        films: Films with their truth; they are played in turn.
        folder: For the store and the event lines.
        seconds: Duration of the test.
        pace: Seconds of film per second.
        every: Seconds between samples of memory.
        tell: Called with a line after each film.
        progress: Counts seconds.

    Raises:
        BadInputError: a film or its truth cannot be read, or the store cannot be written.
    """
    began = time.monotonic()
    store = folder / "soak.sqlite"
    games: list[PlayedFilm] = []
    memory: list[tuple[float, float | None]] = []

    def sample() -> None:
        now = time.monotonic() - began
        progress(now, seconds)
        if not memory or now - memory[-1][0] >= every:
            memory.append((round(now, 1), resident_mib()))

    for film in itertools.cycle(films):
        if time.monotonic() - began >= seconds:
            break
        games.append(_play(film, store, folder / "soak.events.jsonl", pace, began, began + seconds, sample))
        tell(_in_words(games[-1], memory[-1][1] if memory else None))
    return _report(games, memory, time.monotonic() - began, pace)


def _play(
    film: Path,
    store: Path,
    events: Path,
    pace: float,
    began: float,
    until: float,
    sample: Callable[[], None],
) -> PlayedFilm:
    setup = _choice(film, store)
    played = PlayedFilm(film.stem, round(time.monotonic() - began, 1))
    told: list[dict[str, Any]] = []
    with ExitStack() as stack:
        source = stack.enter_context(closing(open_source(str(film))))
        keeper = GameRecorder(Store.open(store), setup)
        game = open_watched_game(setup, load_history(setup), watching=WatchOptions(live=True))
        moments: dict[int, bytes] = {}
        recorded = stack.enter_context(closing(RecordedGames(game, EventWriter(str(events)), None, keeper)))
        pictures, t = PacedSource(source, pace, until), 0.0
        for t, frame in pictures:
            lines = recorded.feed(frame, t)
            played.lag_s += [round(time.monotonic() - pictures.due, 3)] * len(lines)
            told += lines
            # As in the app: the pictures of moments take memory and time.
            arms = recorded.arms if lines else None
            add_event_pictures(moments, lines, frame, recorded.layout, arms, recorded.readings)
            played.pictures += 1
            sample()
        told += recorded.finish(t)
    played.told, played.dropped = len(told), pictures.dropped
    _check(played, told, store, None if pictures.interrupted else film, events)
    return played


def _choice(film: Path, store: Path) -> GameSetup:
    """Return the game that the truth of a film describes.

    Raises:
        BadInputError: the truth describes no game.
    """
    truth = truth_path(film)
    header = next(iter(read_lines(truth)), {})
    players, options, rules = header.get("players"), header.get("options") or [], header.get("rules")
    dealer = header.get("dealer")
    if not (is_string_list(players) and is_string_list(options) and isinstance(rules, str) and players):
        raise BadInputError(f"{truth}: the first line does not describe a film")
    if not isinstance(dealer, str | None):
        raise BadInputError(f"{truth}: the first line names no dealer")
    return GameSetup(
        source=str(film),
        players=tuple(players),
        rules=rules,
        options=tuple(options),
        dealer=dealer,
        store=store,
    )


def _check(
    played: PlayedFilm, told: list[dict[str, Any]], store: Path, film: Path | None, events: Path
) -> None:
    """Compare the reported lines with the store, and with the truth of a complete film."""
    with Store.open(store) as opened:
        game = opened.games()[-1] if told else None
        kept = opened.events(game.id) if game is not None else []
    played.lost = sum(line not in kept for line in told)
    if film is None:
        return
    truth = read_truth(truth_path(film))
    played.f1 = compare(read_events(events), truth).overall.to_json()["f1"]
    ends = [line["loser"] for line in truth if line["event"] == "game_over"]
    played.loser_right = (game.loser if game is not None else None) == (ends[0] if ends else None)


def _report(
    games: Sequence[PlayedFilm], memory: Sequence[tuple[float, float | None]], seconds: float, pace: float
) -> dict[str, Any]:
    whole = [game for game in games if game.f1 is not None]
    half = (len(whole) + 1) // 2
    lags = [[s for game in part for s in game.lag_s] for part in (whole[:half], whole[half:], games)]
    right = sum(game.loser_right is True for game in whole)
    pictures, dropped = sum(game.pictures for game in games), sum(game.dropped for game in games)
    return {
        "made": datetime.now(UTC).strftime("%Y-%m-%d"),
        "machine": machine(),
        "load": load(),
        "hours": round(seconds / 3600, 3),
        "pace": pace,
        "films_played": len(whole),
        "pictures": pictures,
        "dropped_share": round(dropped / max(1, pictures + dropped), 4),
        "memory_mib": _memory(memory),
        "lag_s": {
            name: _lag(part) for name, part in zip(("first_half", "second_half", "all"), lags, strict=True)
        },
        "lines_told": sum(game.told for game in games),
        "lines_lost": sum(game.lost for game in games),
        "losers_right": right,
        "losers_right_share": round(right / len(whole), 4) if whole else None,
        "games": [asdict(game) for game in games],
        "samples": [list(sample) for sample in memory],
    }


def _memory(samples: Sequence[tuple[float, float | None]]) -> dict[str, float | None]:
    """Return the first, last and greatest memory, and its growth after the start-up."""
    known = [(at, mib) for at, mib in samples if mib is not None]
    if not known:
        return {"first": None, "last": None, "most": None, "growth_per_hour": None}
    warm = known[len(known) // 4 :]
    slope = None
    if len(warm) > 2:
        hours = np.array([at for at, _ in warm]) / 3600
        slope = round(float(np.polyfit(hours, [mib for _, mib in warm], 1)[0]), 2)
    return {
        "first": known[0][1],
        "last": known[-1][1],
        "most": max(mib for _, mib in known),
        "growth_per_hour": slope,
    }


def _lag(seconds: Sequence[float]) -> dict[str, float | None]:
    return {"median": percentile(seconds, 0.5), "p95": percentile(seconds, 0.95)}


def _in_words(game: PlayedFilm, mib: float | None) -> str:
    end = (
        "interrupted"
        if game.f1 is None
        else f"F1 {game.f1}, loser {'right' if game.loser_right else 'wrong'}"
    )
    return f"{game.film}: {end}, {game.lost} of {game.told} lines lost, {game.dropped} dropped, {mib} MiB"
