"""Makes a test of a labelled film: its recorded looks and its truth, in the tests of a checkout.

No picture goes there, and no name: the players are P1, P2 and so on.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from companion.game.labelling import Labels, is_inferred
from companion.game.scoring import REMARKS, compare, read_events, read_truth
from engine.errors import BadInputError
from engine.files.atomic import write_whole
from engine.files.json_text import json_lines
from vision.following.replay import Replay, read_log

LOOKS = Path(__file__).resolve().parents[2] / "tests" / "replay" / "looks"


def make_test(labels: Labels, film: Path, layout: Path | None, deck: str | None, folder: Path = LOOKS) -> str:
    """Watch a film, and write its looks and its truth into `folder`. Return the name of the test.

    The truth says how many corrections the film needs now (`corrections`).

    Raises:
        BadInputError: this is no checkout, something is not confirmed, a test of that name exists, or no deal
            was seen.
    """
    from companion.cli.watch import watch_film

    if not folder.is_dir():
        raise BadInputError("--test: this runs from a checkout of the project; see CONTRIBUTING.md")
    if labels.unconfirmed:
        raise BadInputError(f"--test: {len(labels.unconfirmed)} events are not confirmed; no test was made")
    looks, truth = folder / f"{film.stem}.looks", folder / f"{film.stem}.truth.jsonl"
    if looks.exists() or truth.exists():
        raise BadInputError(f"--test: {looks} exists; rename the film")
    header, *events = _nameless(labels)
    with tempfile.TemporaryDirectory(prefix="shithead-label-") as scratch:
        seen, told, labelled = (Path(scratch) / name for name in ("seen.looks", "told.jsonl", "truth.jsonl"))
        watch_film(film, header, ("--log", seen), layout, deck)
        write_whole(told, json_lines(e.to_json() for _call, found in Replay(read_log(seen)) for e in found))
        if not read_events(told):
            raise BadInputError("--test: no deal was seen in the film, so nothing can be followed")
        write_whole(labelled, json_lines([header, *events]))
        header["corrections"] = compare(read_events(told), read_truth(labelled)).corrections
        write_whole(truth, json_lines([header, *events]))
        write_whole(looks, seen.read_bytes())
    return film.stem


def _nameless(labels: Labels) -> list[dict[str, Any]]:
    """Return the truth without names, and without what the event logic does not tell: remarks, inferences."""
    header, *events = labels.truth_lines()
    header = {name: value for name, value in header.items() if name not in ("labelled_to", "dropped")}
    names = {player: f"P{number}" for number, player in enumerate(header["players"], start=1)}
    told = [line for line in events if line["event"] not in REMARKS and not is_inferred(line)]
    return [_renamed(line, names) for line in (header, *told)]


def _renamed(value: Any, names: Mapping[str, str]) -> Any:
    """Return a JSON value in which every text that is a name is replaced."""
    if isinstance(value, dict):
        return {names.get(key, key): _renamed(inside, names) for key, inside in value.items()}
    if isinstance(value, list | tuple):
        return [_renamed(inside, names) for inside in value]
    return names.get(value, value) if isinstance(value, str) else value
