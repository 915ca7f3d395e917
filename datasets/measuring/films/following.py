"""Measures following by itself: `python -m datasets.measuring.films.following --films 8 --seed 5001`.

Films are followed as they are drawn, small, with readings made from their timelines
(`datasets.measuring.films.timeline_reader`): many times as fast as with the networks, and what goes wrong no
reading has done. It is for finding mistakes in following; `shithead measure` tells how well games are
followed.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from companion.game.refereeing import WatchedGame
from companion.game.scoring import Score, compare, read_events
from companion.parallel import spread
from datasets.films.production import prepare, true_events
from datasets.films.truth import write_lines
from datasets.measuring.films.plan import FIRST_SEED, FilmPlan, plan_films, shot_of, story_of
from datasets.measuring.films.timeline_reader import TimelineReader
from engine.errors import BadInputError
from engine.ruleset import RULESET_NAMES

SIZE = (960, 540)
_TOLD = ("event", "t", "t_start", "player", "cards", "count", "to", "answers", "up", "loser")


class Followed(NamedTuple):
    """How one film was followed."""

    name: str
    corrections: int
    false_alarms: int
    wrong: tuple[str, ...]
    """What was missed, spurious or mistaken, a line each."""


def follow_plan(plan: FilmPlan) -> Followed:
    """Draw, follow and score one film, of which nothing is kept."""
    story = story_of(plan)
    scene = prepare(story, shot_of(plan, story))
    truth = true_events(scene, story)
    reader = TimelineReader(scene)
    game = WatchedGame.open(
        rules=story.rules,
        players=story.players,
        options=story.options,
        dealer=story.dealer,
        reader=reader,
    )
    lines: list[dict[str, Any]] = []
    for t, frame in scene.renderer.frames(scene.shot.fps):
        reader.t = t
        lines += game.feed(frame, t)
    lines += game.finish(reader.t)
    with tempfile.TemporaryDirectory() as folder:
        told = Path(folder) / "events.jsonl"
        write_lines(told, lines)
        score = compare(read_events(told), truth)
    return Followed(plan.name, score.corrections, score.false_alarms, tuple(_wrong(score)))


def _wrong(score: Score) -> list[str]:
    mistaken = [f"mistaken {_short(true)} for {_short(told)}" for true, told in score.mistaken]
    spurious = [f"spurious {_short(line)}" for line in score.spurious]
    return [*(f"missed {_short(line)}" for line in score.missed), *spurious, *mistaken]


def _short(line: dict[str, Any]) -> str:
    return " ".join(f"{key}={line[key]}" for key in _TOLD if line.get(key))


def main(arguments: list[str]) -> int:
    """Follow the films and print what went wrong."""
    parser = argparse.ArgumentParser(prog="python -m datasets.measuring.films.following", description=__doc__)
    parser.add_argument("--films", type=int, default=8, metavar="N", help="of each ruleset (default 8)")
    parser.add_argument("--rulesets", default=",".join(RULESET_NAMES), metavar="A,B")
    parser.add_argument("--seed", type=int, default=FIRST_SEED, metavar="N", help="of the first film")
    parser.add_argument("--lively", action="store_true", help="people drink, hesitate, take cards back")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="processes")
    args = parser.parse_args(arguments)
    plan = partial(plan_films, first_seed=args.seed, size=SIZE, lively=args.lively, endings=True)
    plans = plan(args.rulesets.split(","), args.films)
    right = 0
    for film in spread(follow_plan, plans, args.jobs, None):
        right += not film.corrections
        print(f"{film.name}: {film.corrections} corrections, {film.false_alarms} false alarms", flush=True)
        for line in film.wrong:
            print(f"  {line}", flush=True)
    print(f"{right} of {len(plans)} films followed without a correction")
    return 0


if __name__ == "__main__":
    try:
        raise SystemExit(main(sys.argv[1:]))
    except BadInputError as error:
        print(error, file=sys.stderr)
        raise SystemExit(2) from None
