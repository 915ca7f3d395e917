"""Makes a test of a labelled film: its recorded looks and its truth, in the tests of a checkout."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from companion.game.labelling import Labels
from companion.game.scoring import compare, read_events, read_truth
from engine.errors import BadInputError
from engine.files.atomic import write_whole

LOOKS = Path(__file__).resolve().parents[2] / "tests" / "replay" / "looks"


def make_test(labels: Labels, film: Path, layout: Path | None, deck: str | None, folder: Path = LOOKS) -> str:
    """Watch a film, and write its looks and its truth into `folder`. Return the name of the test.

    No picture goes there. The truth says how many corrections the film needed (`corrections`).

    Raises:
        BadInputError: this is no checkout, something is not confirmed, a test of that name exists, or no deal
            was seen.
    """
    from companion.cli.label import watch_film

    if not folder.is_dir():
        raise BadInputError("--test: this runs from a checkout of the project; see CONTRIBUTING.md")
    if labels.unconfirmed:
        raise BadInputError(f"--test: {len(labels.unconfirmed)} events are not confirmed; no test was made")
    name = film.stem
    looks, truth = folder / f"{name}.looks", folder / f"{name}.truth.jsonl"
    if looks.exists() or truth.exists():
        raise BadInputError(f"--test: {looks} exists; rename the film")
    with tempfile.TemporaryDirectory(prefix="shithead-label-") as scratch:
        seen, events = Path(scratch) / looks.name, Path(scratch) / "events.jsonl"
        watch_film(film, labels.header, layout, deck, ["--events", str(events), "--log", str(seen)])
        told = read_events(events)
        if not told:
            raise BadInputError("--test: no deal was seen in the film, so nothing can be followed")
        lines = labels.truth_lines()
        lines[0].pop("labelled_to", None)
        labelled = Path(scratch) / truth.name
        write_whole(labelled, "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))
        lines[0]["corrections"] = compare(told, read_truth(labelled)).corrections
        write_whole(truth, "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))
        write_whole(looks, seen.read_bytes())
    return name
