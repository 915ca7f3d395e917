"""Games followed from what was once seen of them: the same events to the line, and the true ones.

The logs in `looks/` are of films that the renderer drew: eight plays of a game, two to four players, decks
that no network has seen. Three are of whole people, at level 3 (`--people 3 --plays 12 --illegal 1`), and one
is the sample film that ships.
`shithead watch FILM --log LOG` writes such a log. If you change the event logic on purpose, and it tells the
truth, watch the films anew: the first line of a truth says how `shithead film` draws its film again, with
`--plays 8 --illegal 1`.

`shithead label FILM --test` adds a real film. If it was followed wrongly, its truth says how many corrections
it needed (`corrections`), and the test waits for that number to fall.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from companion.game.scoring import compare, read_events, read_lines, read_truth
from vision.following.replay import Replay, read_log

LOOKS = Path(__file__).parent / "looks"
GAMES = sorted(path.stem for path in LOOKS.glob("*.looks"))
_MOST_BYTES = 1_200_000


@pytest.fixture(scope="module", params=GAMES)
def game(request: pytest.FixtureRequest) -> tuple[str, list[Any], list[Any], int]:
    """Name, events told when the film was watched, events told now, comparisons that the log lacks."""
    replay = Replay(read_log(LOOKS / f"{request.param}.looks"))
    then: list[Any] = []
    now: list[Any] = []
    for call, events in replay:
        then += call.events
        now += [event.to_json() for event in events]
    return request.param, then, now, replay.unanswered


def test_the_same_events_are_told_as_when_the_film_was_watched(game: Any) -> None:
    name, then, now, unanswered = game
    assert now == then, f"see `python -m vision.following.replay {LOOKS / name}.looks --check`"
    assert unanswered == 0, "every comparison of pictures is the one that was made then"


def test_what_happened_is_told_and_nothing_else(game: Any, tmp_path: Path) -> None:
    name, _, now, _ = game
    told = tmp_path / "events.jsonl"
    told.write_text("\n".join(map(json.dumps, now)))
    truth = LOOKS / f"{name}.truth.jsonl"
    score = compare(read_events(told), read_truth(truth)).to_json()
    known = read_lines(truth)[0].get("corrections", 0)
    better = f"{truth}: if it is followed better now, write the new number of `corrections` there"
    assert score["corrections"] == known, better
    if not known:
        assert (score["missed"], score["spurious"], score["overall"]["f1"]) == ([], [], 1.0)


def test_the_logs_are_small() -> None:
    assert len(GAMES) >= 4
    assert sum(path.stat().st_size for path in LOOKS.iterdir()) < _MOST_BYTES
