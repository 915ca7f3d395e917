"""Measures following by itself: `python -m datasets.measuring.films.following --films 8 --seed 5001`.

Films are followed while they are drawn, at a small size. The readings come from their timelines
(`datasets.measuring.films.timeline_reader`). That is much faster than with the networks, and no error comes
from reading. Use it to find faults in following; `shithead measure` measures how well games are followed.
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
from datasets.films.people.levels import LEVELS
from datasets.films.production import prepare, true_events
from datasets.films.story import DEFAULT_ACTS
from datasets.films.truth import write_lines
from datasets.measuring.films.plan import FIRST_SEED, FilmPlan, plan_films, shot_of, story_of
from datasets.measuring.films.timeline_hands import TimelineHands
from datasets.measuring.films.timeline_reader import TimelineReader
from engine.errors import BadInputError
from engine.ruleset import RULESET_NAMES

SIZE = (960, 540)
_LEVELS = tuple(level.number for level in LEVELS if not level.faults)
"""Levels of whole people at which the camera has no faults. Only real reading suffers from those."""
_TOLD = ("event", "t", "t_start", "player", "cards", "count", "to", "answers", "up", "loser")


class Followed(NamedTuple):
    """The result of one film."""

    name: str
    corrections: int
    false_alarms: int
    wrong: tuple[str, ...]
    """A line for each missed, invented or mistaken event."""


def follow_plan(plan: FilmPlan) -> Followed:
    """Draw, follow and score one film, without keeping anything."""
    story = story_of(plan)
    scene = prepare(story, shot_of(plan, story))
    truth = true_events(scene, story)
    reader = TimelineReader(scene)
    hands = None if plan.people is None else TimelineHands(scene)
    game = WatchedGame.open(
        rules=story.rules,
        players=story.players,
        options=story.options,
        dealer=story.dealer,
        reader=reader,
        hands=hands,
    )
    lines: list[dict[str, Any]] = []
    for t, frame in scene.renderer.frames(scene.shot.fps):
        reader.t = t
        if hands is not None:
            hands.t = t
        lines += game.feed(frame, t)
    lines += game.finish(reader.t)
    with tempfile.TemporaryDirectory() as folder:
        told = Path(folder) / "events.jsonl"
        write_lines(told, lines)
        score = compare(read_events(told), truth)
    return Followed(plan.name, score.corrections, score.false_alarms, tuple(_wrong(score)))


def _wrong(score: Score) -> list[str]:
    mistaken = [f"mistaken {_short(true)} for {_short(told)}" for true, told in score.mistaken]
    invented = [f"invented {_short(line)}" for line in score.spurious]
    return [*(f"missed {_short(line)}" for line in score.missed), *invented, *mistaken]


def _short(line: dict[str, Any]) -> str:
    return " ".join(f"{key}={line[key]}" for key in _TOLD if line.get(key))


def main(arguments: list[str]) -> int:
    """Follow the films and print the errors."""
    parser = argparse.ArgumentParser(prog="python -m datasets.measuring.films.following", description=__doc__)
    parser.add_argument("--films", type=int, default=8, metavar="N", help="of each ruleset (default 8)")
    parser.add_argument("--rulesets", default=",".join(RULESET_NAMES), metavar="A,B")
    parser.add_argument("--seed", type=int, default=FIRST_SEED, metavar="N", help="of the first film")
    parser.add_argument("--lively", action="store_true", help="people drink, hesitate, take cards back")
    parser.add_argument(
        "--people", type=int, choices=_LEVELS, metavar="LEVEL", help="whole people: 0, 1 or 2"
    )
    parser.add_argument("--plays", type=int, default=DEFAULT_ACTS, metavar="N", help="acts in a film")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="processes")
    args = parser.parse_args(arguments)
    plan = partial(
        plan_films,
        plays=args.plays,
        first_seed=args.seed,
        size=SIZE,
        lively=args.lively,
        endings=args.people is None,
        people=() if args.people is None else (args.people,),
    )
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
