"""Draws the learning curve of the one-stage detector from the `results.csv` of ultralytics."""

from __future__ import annotations

import csv
from pathlib import Path

_LOSSES = (("box_loss", "box"), ("cls_loss", "class"))
_PRECISION = "metrics/mAP50(B)"


def read_results(results: Path) -> list[dict[str, float]]:
    """Return the completely written rounds; none without the file."""
    if not results.is_file():
        return []
    with results.open(newline="") as file:
        rows = list(csv.DictReader(file, skipinitialspace=True))
    return [{name: float(value) for name, value in row.items()} for row in rows if all(row.values())]


def spent_seconds(results: Path) -> float:
    """Return the training time so far, seconds."""
    rows = read_results(results)
    return rows[-1]["time"] if rows else 0.0


def draw_results(results: Path, out: Path) -> None:
    """Draw both losses and the mean average precision over time as a PNG, if there is a complete round."""
    rows = read_results(results)
    if not rows:
        return
    minutes = [row["time"] / 60 for row in rows]
    from models.shared.plotting import pyplot  # matplotlib takes most of a second to load

    figure, axes = pyplot.subplots(1, 3, figsize=(13.5, 3.2), layout="constrained")
    for axis, (name, title) in zip(axes, _LOSSES, strict=False):
        axis.plot(minutes, [row[f"train/{name}"] for row in rows], lw=0.8, label="training")
        axis.plot(minutes, [row[f"val/{name}"] for row in rows], "o:", ms=3, label="held-out scenes")
        axis.set(title=f"loss: {title}", xlabel="minutes")
    axes[2].plot(minutes, [row[_PRECISION] for row in rows], "o:", ms=3, color="C1")
    axes[2].set(title="mAP at IoU 0.5, held-out scenes", xlabel="minutes", ylim=(0, 1))
    for axis in axes:
        axis.grid(alpha=0.3)
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=2)
    figure.savefig(out, dpi=90)
    pyplot.close(figure)
