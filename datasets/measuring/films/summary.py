"""Sums the rows of films up to one report: over all films, by event type, and by condition."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from companion.game.scoring import calibration_error, percentile
from datasets.measuring.films.watching import Row
from engine.events import EVENT_KINDS

SIDES = ("watch", "baseline")
"""The watcher, and the baseline (`datasets.measuring.films.baseline`)."""
_DETAILS = ("missed", "spurious", "mistaken", "delays_s", "computed_s", "certainty")
Sums = dict[str, Any]


def _tilt_band(row: Row) -> str:
    tilt = float(row["tilt"] or 0.0)
    return next(
        (f"tilt up to {edge:.0f}°" for edge in (10.0, 20.0, 35.0, 50.0) if tilt <= edge), "tilt over 50°"
    )


def _company(row: Row) -> str:
    if row.get("people") is not None:
        return f"whole people: level {row['people']}"
    return "people: lively" if row.get("lively") else "people: they only play"


CONDITIONS: dict[str, Callable[[Row], str]] = {
    "ruleset": lambda row: str(row["rules"]),
    "players": lambda row: f"{len(row['players'])} players",
    "light": lambda row: f"light: {row['light'] or 'unknown'}",
    "tilt": _tilt_band,
    "camera": lambda row: "camera held in a hand" if row.get("sway") else "camera on a stand",
    "company": _company,
    "deck": lambda row: "deck unknown to training" if row["deck_held_out"] else "deck known from training",
    "table": lambda row: f"table top: {'drawn' if row['surface'] == 'drawn' else 'photographed'}",
}
"""The conditions by which films differ: for each its name, and the label of a drawn film."""
_OF_A_REAL_GAME: dict[str, Callable[[Row], str]] = {
    "tilt": lambda _: "tilt unknown",
    "camera": lambda _: "camera of a real game",
    "company": lambda row: f"real people: {'all' if row.get('confirmed') else 'not all'} confirmed",
    "table": lambda _: "table top: real",
}
"""Labels of the film of a real game, where they differ."""


def label(condition: str, row: Row) -> str:
    """Return the label of a film under a condition."""
    labels = {**CONDITIONS, **_OF_A_REAL_GAME} if row.get("real") else CONDITIONS
    return labels[condition](row)


def report(rows: Sequence[Row], **about: Any) -> dict[str, Any]:
    """Return the content of the tables as JSON, after `about` (machine, date, ...)."""
    return {
        **about,
        "films": len(rows),
        "overall": {side: sums(rows, side) for side in SIDES},
        "events": _by_event(rows),
        "conditions": {
            name: {
                level: {side: sums(chosen, side) for side in SIDES} for level, chosen in _split(rows, name)
            }
            for name in CONDITIONS
        },
        "rows": [_without_details(row) for row in rows],
    }


def by_machine(report: Mapping[str, Any]) -> list[tuple[dict[str, Any], list[Row]]]:
    """Return the machines on which a report's films were watched, each with their rows, most films first.

    A film without a note of its machine counts for the machine that made the report.
    """
    groups: dict[str, tuple[dict[str, Any], list[Row]]] = {}
    for row in report.get("rows", ()):
        machine = row.get("machine") or report["machine"]
        groups.setdefault(json.dumps(machine, sort_keys=True), (machine, []))[1].append(row)
    return sorted(groups.values(), key=lambda group: -len(group[1]))


def sums(rows: Sequence[Row], side: str) -> Sums:
    """Return the measures over films. A measure without data is None."""
    scores = [row[side] for row in rows]
    illegal = _added(score["illegal"] for score in scores)
    players = _added(score["players"] for score in scores)
    rulings = _added({k: score["rulings"][k] for k in ("judged", "right", "unproven")} for score in scores)
    right = sum(score["corrections"] == 0 for score in scores)
    seconds = sum(row["seconds"] for row in rows)
    summed: Sums = {
        "films": len(rows),
        "seconds": round(seconds, 1),
        **_tally(rows, side),
        "player_right": _share(players.get("right", 0), players.get("judged", 0)),
        "rulings_right": _share(rulings.get("right", 0), rulings.get("judged", 0)),
        "illegal_true": illegal.get("true", 0),
        "illegal_found": _share(illegal.get("found", 0), illegal.get("true", 0)),
        "false_alarms_per_game": _share(illegal.get("false_alarms", 0), len(rows)),
        "games_right": _share(right, len(rows)),
        "corrections_per_game": _share(sum(score["corrections"] for score in scores), len(rows)),
        "questions_per_game": _share(sum(score["asked"] for score in scores), len(rows)),
        **_delays("delay", [s for score in scores for s in score["delays_s"]]),
    }
    if side == "watch":
        summed |= _delays("computed", [s for score in scores for s in score["computed_s"]])
        certainty = [(c, bool(right)) for score in scores for c, right in score.get("certainty", ())]
        error = calibration_error(certainty)
        summed["calibration_error"] = None if error is None else round(error, 4)
        summed["speed"] = _share(seconds, sum(row["wall_s"] for row in rows), 2)
        summed["processor_speed"] = _share(seconds, sum(row["cpu_s"] for row in rows), 2)
    return summed


def _by_event(rows: Sequence[Row]) -> Sums:
    """Return the counts for each type of event that happened or was reported."""
    counts = {kind: {side: _tally(rows, side, kind) for side in SIDES} for kind in EVENT_KINDS}
    return {
        k: sides for k, sides in counts.items() if any(s["true"] or s["reported"] for s in sides.values())
    }


def _split(rows: Sequence[Row], condition: str) -> list[tuple[str, list[Row]]]:
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(label(condition, row), []).append(row)
    return sorted(groups.items(), key=lambda group: (len(group[0]), group[0]))


def _tally(rows: Sequence[Row], side: str, kind: str | None = None) -> Sums:
    """Return counts, precision, recall and F1, over all events or one kind."""
    scores = (row[side] for row in rows)
    parts = [score["overall"] if kind is None else score["events"].get(kind, {}) for score in scores]
    counts = {name: sum(part.get(name, 0) for part in parts) for name in ("true", "reported", "matched")}
    return {
        **counts,
        "precision": _share(counts["matched"], counts["reported"]),
        "recall": _share(counts["matched"], counts["true"]),
        "f1": _share(2 * counts["matched"], counts["true"] + counts["reported"]),
    }


def _added(parts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    total: dict[str, int] = {}
    for part in parts:
        for name, value in part.items():
            total[name] = total.get(name, 0) + value
    return total


def _delays(name: str, seconds: Sequence[float]) -> Sums:
    values = {"median": percentile(seconds, 0.5), "p95": percentile(seconds, 0.95)}
    return {f"{name}_{which}_s": None if v is None else round(v, 3) for which, v in values.items()}


def _share(part: float, whole: float, digits: int = 4) -> float | None:
    return round(part / whole, digits) if whole else None


def _without_details(row: Row) -> Row:
    """Return the row of a film without the lists of single events."""
    sides = {side: {k: v for k, v in row[side].items() if k not in _DETAILS} for side in SIDES}
    return {**row, **sides}
