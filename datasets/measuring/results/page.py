"""The page of results: each goal of the product beside the number that was measured.

`shithead results` reads a folder. `shithead measure` writes films.json. That becomes lively.json if people
are lively, and with `--people all` people.json. photos.jsonl is from `evaluate --json`, and soak.json from
`shithead soak`. `pytest -m benchmark` with SHITHEAD_MEASURED writes benchmarks.jsonl. A goal without a number
there is *not measured*.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from datasets.measuring.films.summary import by_machine
from datasets.measuring.results.film_goals import Goal
from datasets.measuring.results.film_tables import as_markdown, cores, number, spread, table, without_measures
from datasets.measuring.results.photo_tables import beside_rows, photo_rows
from datasets.measuring.results.product_goals import PARTS
from engine.errors import BadInputError
from engine.files.bounded import read_capped
from engine.files.json_text import parse_json

NOT_MEASURED = "not measured"
_FILES = {
    "films": "films.json",
    "lively": "lively.json",
    "people": "people.json",
    "photos": "photos.jsonl",
    "soak": "soak.json",
    "benchmarks": "benchmarks.jsonl",
}
_MADE_BY = {
    goal.field.split("/")[1]: (re.findall(r"\w+\.py", goal.command) or [goal.command])[0]
    for part in PARTS.values()
    for goal in part
    if goal.field.startswith("benchmarks/")
}
"""The test file or command that measures each benchmark."""
_TITLES = {goal.field.split("/")[1]: goal.title for part in PARTS.values() for goal in part}
_HOW_MADE = {
    "rulebook-3-16101-people3.mp4": "[These commands](limits.md#people-at-the-table) made the films.",
}
"""How films were made, by the name of one that the command names."""
_INTRO = """# Results

This page compares each goal with what was measured. `shithead results` writes it from the files in
`docs/measured`. The command that measured a number stands in its row, or above its table. A goal without a
number says *not measured*.

`shithead` stands for `.venv/bin/shithead`. `make dev` installs what these commands need, with exceptions.
The comparison with YOLO26n also needs `make train`. Films of whole people need the extra `films`, and Atheris
needs `.venv/bin/pip install atheris`. The labelled photos do not come with the program.

All films on this page are rendered. **In most of them the players are polite**: their arms appear only to
play. Real people lean over the table, drink and rest their hands on the cards. The program follows such
games less well. See [the films of whole people](#following-a-game-with-whole-people) and
[What does not work yet](limits.md).

How to read the numbers:

- **Precision** is the share of reported events (or cards) that are true. **Recall** is the share of true ones
  that were reported. **F1** combines the two; 1 is perfect.
- **Median**: half of all values are smaller. **95th percentile**: 95 of 100 values are smaller.
- **Plain baseline**: a simple rule on the same card readings. Each new card on top counts as a play by the
  player whose turn it is.
- **Busy processes**: how many processes were ready to run at the same time. If there were more of them than
  cores, the machine was slower than it could be.
"""
_MACHINES = (
    "The last column names the version of the program by the start of its checksum. Some numbers were"
    " measured with an older version than others."
)


@dataclass(frozen=True, slots=True)
class Measured:
    """The numbers that the commands wrote."""

    films: Mapping[str, Any] = field(default_factory=dict)
    lively: Mapping[str, Any] = field(default_factory=dict)
    """Films of people who hesitate, take cards back, toss cards and stack sets; objects lie about."""
    people: Mapping[str, Any] = field(default_factory=dict)
    """Films of whole people."""
    photos: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Rows of `shithead evaluate --json` by set; the last one counts."""
    soak: Mapping[str, Any] = field(default_factory=dict)
    benchmarks: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Lines of the benchmarks by name; the last one counts."""

    def command(self, goal: Goal) -> str:
        """Return the command that measured a goal, as its report says, or the goal's own."""
        report = getattr(self, goal.field.split("/")[0])
        return str(report.get("command", goal.command)) if isinstance(report, Mapping) else goal.command

    def value(self, path: str) -> float | None:
        """Return the number at `FILE/key/key/...`, such as `films/overall/watch/f1`, or None."""
        source, *keys = path.split("/")
        here: Any = getattr(self, source)
        for key in keys:
            here = here.get(key) if isinstance(here, Mapping) else None
        return float(here) if isinstance(here, int | float) else None


def read_measured(folder: Path) -> Measured:
    """Read the files of a folder; each may be missing.

    Raises:
        BadInputError: there is no such folder, or no command of this program wrote one of its files.
    """
    if not folder.is_dir():
        raise BadInputError(f"{folder}: there is no such folder")
    soaked = _lines(folder / "soak.json")
    measured = Measured(
        films=_report(folder / "films.json"),
        lively=_report(folder / "lively.json"),
        people=_report(folder / "people.json"),
        photos={str(row.get("set")): _with_share(row) for row in _lines(folder / "photos.jsonl")},
        soak=_with_lag_ratio(_with_film_hours(soaked[-1])) if soaked else {},
        benchmarks={str(row.get("what")): row for row in _lines(folder / "benchmarks.jsonl")},
    )
    for name, file in _FILES.items():
        _check(measured, name, folder / file)
    return measured


def _check(measured: Measured, name: str, path: Path) -> None:
    """Refuse a file that no page can be made of: no command wrote it."""
    plot = path.with_name("soak.png")
    try:
        page(Measured(**{name: getattr(measured, name)}), plot.name if plot.is_file() else None)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        raise _no_result(path) from None


def _no_result(path: Path) -> BadInputError:
    return BadInputError(f"{path}: not what a command of this program wrote")


def _with_film_hours(soak: dict[str, Any]) -> dict[str, Any]:
    """Return a soak with its hours of film: at a pace of 2, an hour shows two hours of film."""
    hours, pace = soak.get("hours"), soak.get("pace")
    if not (isinstance(hours, int | float) and isinstance(pace, int | float)):
        return soak
    return {**soak, "film_hours": hours * pace}


def _with_share(photos: dict[str, Any]) -> dict[str, Any]:
    """Return the row of a set with its share of confident wrong names."""
    wrong, cards = photos.get("confidently_wrong"), photos.get("cards")
    if not (isinstance(wrong, int) and isinstance(cards, int) and cards):
        return photos
    return {**photos, "confidently_wrong_share": wrong / cards}


def _with_lag_ratio(soak: dict[str, Any]) -> dict[str, Any]:
    """Return a soak with the growth of its lag: median of the second half / median of the first."""
    lag = Measured(soak=soak)
    first, second = (lag.value(f"soak/lag_s/{half}_half/median") for half in ("first", "second"))
    return {**soak, "lag_second_to_first": second / first} if first and second is not None else soak


def _report(path: Path) -> dict[str, Any]:
    return _object(_text(path), path) if path.is_file() else {}


def _lines(path: Path) -> list[dict[str, Any]]:
    if not path.is_file():
        return []
    return [_object(line, path) for line in _text(path).split("\n") if line.strip()]


def _text(path: Path) -> str:
    try:
        return read_capped(path).decode()
    except UnicodeDecodeError:
        raise _no_result(path) from None


def _object(text: str, path: Path) -> dict[str, Any]:
    try:
        read = parse_json(text)
    except json.JSONDecodeError:
        read = None
    if not isinstance(read, dict):
        raise _no_result(path)
    return read


def page(measured: Measured, plot: str | None) -> str:
    """Return the page as Markdown; `plot` is the path of the picture of the soak, relative to the page."""
    parts = [_INTRO]
    for title, goals in PARTS.items():
        rows = [_row(goal, measured) for goal in goals]
        parts.append(f"## {title}\n\n{_goal_table(rows, {measured.command(goal) for goal in goals})}")
    if measured.photos:
        parts.append(f"## Cards by set of photos\n\n{photo_rows(measured.photos)}")
    beside = beside_rows(measured.photos)
    if beside is not None:
        parts.append(f"## Beside a one-stage detector\n\n{beside}")
    if measured.films:
        parts.append(
            f"## Films by type of event and by condition\n\n{as_markdown(dict(measured.films)).strip()}"
        )
    if measured.lively:
        parts.append(f"## Lively films\n\n{without_measures(dict(measured.lively)).strip()}")
    if measured.people:
        parts.append(f"## Films of whole people\n\n{without_measures(dict(measured.people)).strip()}")
    if measured.soak and plot is not None:
        picture = f"![Memory, lag and dropped pictures over time]({plot})"
        parts.append(f"## A long run\n\n{_soak_words(measured.soak)}\n\n{picture}")
    parts.append(f"## When and where\n\n{_MACHINES}\n\n{_machines(measured)}")
    return "\n\n".join(part.strip() for part in parts) + "\n"


def _goal_table(rows: Sequence[tuple[str, ...]], commands: Collection[str]) -> str:
    """Return a table of goals; a command that measured all of them stands above it."""
    head = ("what", "goal", "measured", "met")
    if len(commands) != 1:
        return table((*head, "command"), rows, 5)
    (command,) = commands
    made = "".join(f"{words}\n\n" for film, words in _HOW_MADE.items() if film in command)
    said = f"One command measured all of this:\n\n    {command}\n\n{made}"
    return said + table(head, [row[:4] for row in rows], 4)


def _row(goal: Goal, measured: Measured) -> tuple[str, ...]:
    value, command = measured.value(goal.field), f"`{measured.command(goal)}`"
    if value is None:
        return goal.title, goal.wanted(), NOT_MEASURED, "", command
    reached = goal.reached(value)
    verdict = "" if reached is None else "yes" if reached else "**no**"
    return goal.title, goal.wanted(), number(value, goal.form), verdict, command


def _machines(measured: Measured) -> str:
    """Return a table of dates, machines and programs: a row for each combination."""
    benchmarks = [(_MADE_BY[what], row) for what, row in measured.benchmarks.items() if what in _MADE_BY]
    rows = [
        *_machine_rows("films", _films_by_machine(measured.films)),
        *_machine_rows("lively films", _films_by_machine(measured.lively)),
        *_machine_rows("films of whole people", _films_by_machine(measured.people)),
        *_machine_rows("photos", measured.photos.items()),
        *_machine_rows("soak", [("soak", measured.soak)]),
        *_machine_rows("benchmarks", benchmarks),
    ]
    head = ("what", "when", "machine", "busy processes", "system", "versions", "program")
    return table(head, rows, len(head))


def _films_by_machine(films: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    return [
        (f"{len(rows)} of {films['films']}", {"made": films.get("made"), "machine": machine, "rows": rows})
        for machine, rows in by_machine(films)
    ]


def _machine_rows(source: str, named: Iterable[tuple[str, Mapping[str, Any]]]) -> list[tuple[str, ...]]:
    """Return a row for each combination of date and machine; it names its parts if there are several.

    If a benchmark file stands in several rows, what it measured follows in brackets.
    """
    groups: dict[str, list[tuple[str, Mapping[str, Any]]]] = {}
    for name, row in named:
        if row.get("machine"):
            groups.setdefault(json.dumps([row.get("made"), row["machine"]]), []).append((name, row))
    if not groups:
        return [(source, NOT_MEASURED, "", "", "", "", "")]
    numbers = [Counter(name for name, _ in group) for group in groups.values()]
    rows: list[tuple[str, ...]] = []
    for group in groups.values():
        _, source_row = group[0]
        machine, made = source_row["machine"], str(source_row.get("made") or "")
        names = ", ".join(
            f"`{name}`{_measures(name, group, [number[name] for number in numbers if number[name]])}"
            for name in dict.fromkeys(name for name, _ in group)
        )
        versions = ", ".join(f"{package} {version}" for package, version in machine["versions"].items())
        rows.append(
            (
                source if len(groups) == 1 else f"{source}: {names}",
                made,
                f"{machine['processor']}, {cores(machine)}, {machine['memory_gib']} GiB",
                _busy([row for _, row in group]),
                f"{machine['system']}, Python {machine['python']}",
                versions,
                f"`{machine['program']}`",
            )
        )
    return rows


def _measures(name: str, group: Sequence[tuple[str, Mapping[str, Any]]], numbers: Sequence[int]) -> str:
    """Return in brackets what a benchmark file measured in one row; empty if it stands in no other row.

    `numbers`: how much it measured in each row. The largest row holds the others.
    """
    titles = [_TITLES[row["what"]] for other, row in group if other == name and row.get("what") in _TITLES]
    if len(numbers) < 2 or not titles:
        return ""
    is_largest = len(titles) == max(numbers) and numbers.count(len(titles)) == 1
    return " (its other numbers)" if is_largest else f" ({'; '.join(titles)})"


def _busy(measured: Iterable[Mapping[str, Any]]) -> str:
    """Return the number of busy processes, or the least and the largest; empty if nobody knows."""
    rows = [row for one in measured for row in (one, *one.get("rows", ()))]
    loads = [row["load"] for row in rows if row.get("load") is not None]
    return spread(loads) if loads else ""


def _soak_words(soak: Mapping[str, Any]) -> str:
    hours, busy = number(soak["hours"], ".2f"), number(soak.get("load"), ".0f")
    return (
        f"The run took {hours} hours at {soak['pace']:g} times real pace and showed"
        f" {soak['films_played']} whole films. {100 * soak['dropped_share']:.0f} % of the pictures came while"
        f" the program was computing, and were dropped. Busy processes at its end: {busy}."
    )
