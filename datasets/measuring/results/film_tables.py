"""A report of measured films as Markdown tables: the measures, the types of event, the conditions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from datasets.measuring.films.summary import by_machine
from datasets.measuring.results.film_goals import FILM_GOALS, Goal

Cells = Sequence[str]


def as_markdown(report: dict[str, Any]) -> str:
    """Return the report's three tables, each with the plain baseline beside our numbers."""
    parts = [_about(report), _measures(report), _by_event(report), _by_condition(report)]
    return "\n\n".join(parts) + "\n"


def without_measures(report: dict[str, Any]) -> str:
    """Return the tables by type of event and by condition, as in `as_markdown`."""
    return "\n\n".join((_about(report), _by_event(report), _by_condition(report))) + "\n"


def table(head: Cells, rows: Sequence[Cells], numbers_from: int = 1) -> str:
    """Return a Markdown table; columns from `numbers_from` on are aligned right."""
    rule = ["---" if column < numbers_from else "---:" for column in range(len(head))]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (head, rule, *rows))


def number(value: Any, form: str = ".3f") -> str:
    """Return a number for a table; a dash if there is none."""
    return "-" if value is None else format(value, form)


def spread(values: Sequence[float]) -> str:
    """Return the least and the largest of the values as whole numbers; one number if they are the same."""
    least, most = (f"{value:.0f}" for value in (min(values), max(values)))
    return least if least == most else f"{least} to {most}"


def cores(machine: dict[str, Any]) -> str:
    """Return how many cores a machine has, in words."""
    return f"{machine['cores']} core{'' if machine['cores'] == 1 else 's'}"


def _about(report: dict[str, Any]) -> str:
    seconds, machines = report["overall"]["watch"]["seconds"], by_machine(report)
    alone = len(machines) == 1
    where = "; ".join(_on_machine(machine, rows, alone=alone) for machine, rows in machines)
    if alone and report["jobs"] is not None:
        where = f"{report['jobs']} at a time {where}"
    programs = " and ".join(dict.fromkeys(str(machine["program"]) for machine, _ in machines))
    return (
        f"{report['films']} films, {seconds / 60:.0f} minutes, {report['overall']['watch']['true']} events."
        f" Watched {where}. Program {programs}, {report['made']}."
    )


def _on_machine(machine: dict[str, Any], rows: Sequence[dict[str, Any]], *, alone: bool) -> str:
    """Return on which machine films were watched, how many of them, and how busy it was."""
    loads = [row["load"] for row in rows if row["load"] is not None]
    text = f"on {cores(machine)} ({machine['processor']})"
    if loads:
        busy = spread(loads)
        text += f", {busy} busy process{'' if busy == '1' else 'es'}"
    return text if alone else f"{len(rows)} {text}"


def _measures(report: dict[str, Any]) -> str:
    ours, plain = report["overall"]["watch"], report["overall"]["baseline"]
    rows = []
    for goal in FILM_GOALS:
        values = [number(side.get(goal.field), goal.form) for side in (ours, plain)]
        rows.append((goal.title, *values, goal.wanted()))
    return table(("measure", "this program", "plain baseline", "goal"), rows)


def _by_event(report: dict[str, Any]) -> str:
    rows = []
    for kind, sides in report["events"].items():
        cells = [number(sides[s][m]) for s in ("watch", "baseline") for m in ("f1", "precision", "recall")]
        rows.append((kind, str(sides["watch"]["true"]), *cells))
    titles = ("F1", "precision", "recall", "baseline F1", "baseline precision", "baseline recall")
    return table(("event", "number", *titles), rows)


_COLUMNS = (
    Goal("F1", "f1"),
    Goal("precision", "precision"),
    Goal("recall", "recall"),
    Goal("correct player", "player_right"),
    Goal("breaches found", "illegal_found"),
    Goal("false alarms per game", "false_alarms_per_game", form=".2f"),
    Goal("games without correction", "games_right", form=".2f"),
    Goal("time to ruling, median, s", "delay_median_s", form=".2f"),
    Goal("95th percentile, s", "delay_p95_s", form=".2f"),
    Goal("speed, times real time", "speed", form=".2f"),
)
_PLAIN_COLUMNS = (
    Goal("baseline F1", "f1"),
    Goal("baseline breaches found", "illegal_found"),
    Goal("baseline false alarms per game", "false_alarms_per_game", form=".2f"),
)


def _by_condition(report: dict[str, Any]) -> str:
    levels = [("all films", report["overall"])]
    levels += [pair for by_level in report["conditions"].values() for pair in by_level.items()]
    rows = []
    for level, sides in levels:
        cells = [number(sides["watch"].get(column.field), column.form) for column in _COLUMNS]
        cells += [number(sides["baseline"].get(column.field), column.form) for column in _PLAIN_COLUMNS]
        rows.append((level, str(sides["watch"]["films"]), *cells))
    head = ("films", "number", *(column.title for column in (*_COLUMNS, *_PLAIN_COLUMNS)))
    return table(head, rows)
