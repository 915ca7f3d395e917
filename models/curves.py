"""Draws a training's learning curve from its log: `.venv/bin/python -m models.curves CURVE.jsonl OUT.png`."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

import matplotlib  # comes with ultralytics

matplotlib.use("Agg")
from matplotlib import pyplot

_NOT_LOSSES = frozenset({"step", "minutes", "note", "held back"})


def draw_curve(log: Path, out: Path) -> None:
    """Draw the losses over the steps as a PNG: training thin, scenes held back dotted.

    `log` is the `curve.jsonl` that `models.training.Trainer` writes.
    """
    entries = [json.loads(line) for line in log.read_text().splitlines()]
    trained = [entry for entry in entries if "held back" not in entry]
    checked = [entry for entry in entries if "held back" in entry]
    names = [name for name in trained[0] if name not in _NOT_LOSSES]
    figure, axes = pyplot.subplots(1, len(names), figsize=(4.5 * len(names), 3.2), layout="constrained")
    for axis, name in zip([axes] if len(names) == 1 else axes, names, strict=True):
        axis.plot([e["step"] for e in trained], [e[name] for e in trained], lw=0.8, label="training")
        held_back = [e["held back"][name] for e in checked]
        axis.plot([e["step"] for e in checked], held_back, "o:", ms=3, label="held back, averaged weights")
        axis.set(title=name, xlabel="step", yscale="log")
        axis.grid(alpha=0.3, which="both")
    figure.legend(*axis.get_legend_handles_labels(), loc="outside lower center", ncols=2)
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
    main()
