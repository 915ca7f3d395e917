"""The picture of a soak: memory, lag, dropped pictures and what was told, over the time it ran."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from companion.game.scoring import percentile
from engine.errors import BadInputError
from engine.files.atomic import whole_file


def draw_soak(report: dict[str, Any], out: Path) -> None:
    """Draw a report of `datasets.measuring.films.soak.soak` as a PNG.

    Raises:
        BadInputError: matplotlib is not installed.
    """
    try:
        import matplotlib

        matplotlib.use("Agg")
        from matplotlib import pyplot
    except ImportError:
        raise BadInputError("the plot needs matplotlib: pip install matplotlib") from None
    figure, axes = pyplot.subplots(4, 1, figsize=(8, 9), sharex=True, layout="constrained")
    try:
        memory, lag, dropped, right = axes
        _draw_memory(memory, report["samples"])
        _draw_lag(lag, report["games"])
        _draw_dropped(dropped, report["games"])
        _draw_right(right, report["games"])
        for axis in axes:
            axis.grid(alpha=0.3)
        figure.suptitle(_title(report), fontsize="medium")
        with whole_file(out) as part:
            figure.savefig(part, dpi=90)
    finally:
        pyplot.close(figure)


def _title(report: dict[str, Any]) -> str:
    return (
        f"{report['hours']:.2f} h at {report['pace']:g} times real pace: {report['films_played']} films,"
        f" {report['lines_lost']} of {report['lines_told']} lines lost"
    )


def _draw_memory(axis: Any, samples: list[list[float | None]]) -> None:
    known = [(at / 60, mib) for at, mib in samples if at is not None and mib is not None]
    axis.plot([at for at, _ in known], [mib for _, mib in known], lw=1)
    axis.set(ylabel="memory, MiB", ylim=(0, None))


def _draw_lag(axis: Any, games: list[dict[str, Any]]) -> None:
    told = [game for game in games if game["lag_s"]]
    for name, share, style in (("median of a film", 0.5, "o"), ("95th percentile", 0.95, "^")):
        lags = [percentile(game["lag_s"], share) for game in told]
        axis.plot([game["began_s"] / 60 for game in told], lags, style, ms=4, label=name)
    axis.set(ylabel="picture to ruling, s", ylim=(0, None))
    axis.legend(fontsize="small")


def _draw_dropped(axis: Any, games: list[dict[str, Any]]) -> None:
    shares = [100 * game["dropped"] / max(1, game["dropped"] + game["pictures"]) for game in games]
    axis.plot([game["began_s"] / 60 for game in games], shares, "o", ms=4)
    axis.set(ylabel="pictures dropped, %", ylim=(0, 100))


def _draw_right(axis: Any, games: list[dict[str, Any]]) -> None:
    whole = [game for game in games if game["f1"] is not None]
    for film in sorted({game["film"] for game in whole}):
        mine = [game for game in whole if game["film"] == film]
        axis.plot(
            [game["began_s"] / 60 for game in mine], [game["f1"] for game in mine], "o-", ms=4, label=film
        )
    axis.set(ylabel="events, F1", xlabel="minutes", ylim=(0, 1.05))
    if whole:
        axis.legend(fontsize="small")
