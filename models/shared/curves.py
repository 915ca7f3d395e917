"""Draw a learning curve from its log: `.venv/bin/python -m models.shared.curves CURVE.jsonl OUT.png`."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from engine.errors import BadInputError
from models.shared.commands import run_command

_NOT_DRAWN = frozenset({"minutes", "note", "samples"})
Entry = dict[str, float]
"""The numbers at one step."""


def _read(log: Path) -> tuple[list[Entry], list[Entry]]:
    """Return the entries of training, and those of the held-out data."""
    if not log.is_file():
        raise BadInputError(f"{log}: there is no log of a training")
    trained: list[Entry] = []
    checked: list[Entry] = []
    for line in log.read_text().splitlines():
        entry = json.loads(line)
        if "held out" in entry:
            checked.append({"step": entry["step"]} | entry["held out"])
        else:
            trained.append({name: value for name, value in entry.items() if name not in _NOT_DRAWN})
    return trained, checked


def draw_curve(log: Path, out: Path) -> None:
    """Draw the numbers in a training's log over its steps as a PNG, one panel for each.

    A thin line is training, a dotted one the held-out data. `log` is the `curve.jsonl` that
    `models.shared.trainer.Trainer` and `models.faces.train` write.

    Raises:
        BadInputError: there is no such log, or nothing in it.
    """
    trained, checked = _read(log)
    names = list(dict.fromkeys(name for entry in (*trained, *checked) for name in entry if name != "step"))
    if not names:
        raise BadInputError(f"{log}: there is no log of a training")
    from models.shared.plotting import pyplot  # matplotlib takes most of a second to load

    figure, axes = pyplot.subplots(
        1, len(names), figsize=(4.5 * len(names), 3.2), layout="constrained", squeeze=False
    )
    for axis, name in zip(axes[0], names, strict=True):
        for entries, style, label in (
            (trained, {"lw": 0.8}, "training"),
            (checked, {"ls": ":", "marker": "o", "ms": 3, "color": "C1"}, "held out, averaged weights"),
        ):
            points = [(entry["step"], entry[name]) for entry in entries if name in entry]
            axis.plot(*(zip(*points, strict=True) if points else ([], [])), label=label, **style)
        axis.set(title=name, xlabel="step", yscale="log")
        axis.grid(alpha=0.3, which="both")
    figure.legend(*axes[0][0].get_legend_handles_labels(), loc="outside lower center", ncols=2)
    figure.savefig(out, dpi=90)
    pyplot.close(figure)


def main(argv: Sequence[str] | None = None) -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("log", type=Path)
    parser.add_argument("out", type=Path)
    args = parser.parse_args(argv)
    draw_curve(args.log, args.out)


if __name__ == "__main__":
    run_command(main, "run it again")
