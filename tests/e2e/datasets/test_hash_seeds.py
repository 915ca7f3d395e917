"""Films do not depend on the order in which Python walks through a set, which is another in each process."""

from __future__ import annotations

import os
import subprocess
import sys

TIMELINES = """
import hashlib
from datasets.films.production import Shot, prepare
from datasets.films.story import find_story

story = find_story("shed", ("Ann", "Bob", "Cat", "Dan"), 8, acts=3)
for seed, people in ((0, None), (1, None), (2, None), (3, None), (4, 2)):
    shot = Shot(seed=seed, width=160, height=90, deck="drawn", surface="drawn", lively=True, people=people)
    timeline = prepare(story, shot).timeline
    moves = repr((story, timeline.card_moves, timeline.arm_moves, timeline.actions))
    print(seed, people, hashlib.sha256(moves.encode()).hexdigest()[:16])
"""


def timelines(hash_seed: int) -> list[str]:
    """Return checksums of the timelines of some films, made with this order of sets."""
    environment = {**os.environ, "PYTHONHASHSEED": str(hash_seed)}
    done = subprocess.run(
        [sys.executable, "-c", TIMELINES], env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()


def test_stories_and_timelines_are_the_same_in_each_process() -> None:
    first = timelines(1)
    assert len(set(first)) == 5
    assert timelines(2) == first
