"""Films do not depend on the order in which Python walks through a set, which is another in each process."""

from __future__ import annotations

import os
import subprocess
import sys

TIMELINES = """
import hashlib, random
from datasets.films.choreography.choreograph import choreograph
from datasets.films.choreography.layout import make_layout
from datasets.films.choreography.liveliness import lively_manner, random_liveliness
from datasets.films.choreography.stage import random_manner
from datasets.films.choreography.tabletop import random_habits
from datasets.films.geometry import look_at_table
from datasets.films.people.acting import PeopleStage, people_gestures, seated
from datasets.films.people.company import company_at
from datasets.films.people.levels import LEVELS
from datasets.films.story import find_story

players, table = ("Ann", "Bob", "Cat", "Dan"), (900.0, 600.0)
camera = look_at_table(640, 360, table=table)
story = find_story("shed", players, 8, acts=3)
for seed in range(6):
    rng = random.Random(seed)
    layout = make_layout(players, 3, table, camera, rng)
    manners = {player: lively_manner(random_manner(rng, 0.5), rng) for player in players}
    habits, lively = random_habits(rng, len(players)), random_liveliness(layout, camera, rng)
    told = [choreograph(story, layout, manners, habits, rng, lively)]
    stage = PeopleStage(seated(layout), manners, rng, LEVELS[2], lively.standing)
    company, gestures = company_at(lively, LEVELS[2]), people_gestures(stage)
    told.append(choreograph(story, seated(layout), manners, habits, rng, company, stage, gestures))
    for timeline in told:
        moves = repr((story, timeline.card_moves, timeline.arm_moves, timeline.actions))
        print(seed, hashlib.sha256(moves.encode()).hexdigest()[:16])
"""


def timelines(hash_seed: int) -> list[str]:
    """Return checksums of the timelines of some evenings, made with this order of sets."""
    environment = {**os.environ, "PYTHONHASHSEED": str(hash_seed)}
    done = subprocess.run(
        [sys.executable, "-c", TIMELINES], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_stories_and_timelines_are_the_same_in_each_process() -> None:
    first = timelines(1)
    assert len(set(first)) == 12
    assert timelines(2) == first
