"""The format of the row of a film, to check stored rows and the first lines of truths."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

_MOST = 1e12
"""Greatest count or time of a film. Sums of such numbers are exact and finite."""
Shape = Callable[[Any], bool]


def _number(value: Any) -> bool:
    return type(value) in (int, float) and math.isfinite(value) and abs(value) <= _MOST


def _count(value: Any) -> bool:
    return type(value) is int and 0 <= value <= _MOST


def _text(value: Any) -> bool:
    return isinstance(value, str)


def _flag(value: Any) -> bool:
    return isinstance(value, bool)


def _plain(value: Any) -> bool:
    """Return whether a value suits a condition: text, a number, a flag, or None."""
    return value is None or _text(value) or _flag(value) or _number(value)


def _or_none(shape: Shape) -> Shape:
    return lambda value: value is None or shape(value)


def _each(shape: Shape) -> Shape:
    return lambda value: isinstance(value, list) and all(shape(one) for one in value)


def _by_name(shape: Shape) -> Shape:
    return lambda value: isinstance(value, dict) and all(shape(one) for one in value.values())


def _object(shapes: Mapping[str, Shape]) -> Shape:
    return lambda value: (
        isinstance(value, dict)
        and all(name in value and shape(value[name]) for name, shape in shapes.items())
    )


def _all(shape: Shape, names: str) -> dict[str, Shape]:
    return dict.fromkeys(names.split(), shape)


_TALLY = _object(_all(_count, "true reported matched") | _all(_or_none(_number), "precision recall f1"))
_SCORE: dict[str, Shape] = {
    "events": _by_name(_TALLY),
    "overall": _TALLY,
    "players": _object(_all(_count, "judged right")),
    "rulings": _object(_all(_count, "judged right unproven")),
    "illegal": _object(_all(_count, "true found false_alarms")),
    **_all(_count, "corrections asked"),
    "delays_s": _each(_number),
}
_FILM: dict[str, Shape] = {
    **_all(_text, "film rules deck"),
    **_all(_each(_text), "options players"),
    **_all(_or_none(_text), "dealer"),
    **_all(_number, "seconds fps width height"),
    **_all(_or_none(_number), "tilt sway"),
    **_all(_plain, "seed light lively people surface card_px messy"),
    **_all(_flag, "real confirmed deck_held_out"),
    "bytes": _count,
}
is_film_row = _object(_FILM)
"""Whether a value is the description of a film in its truth."""
is_whole_row = _object(
    {
        **_FILM,
        **_all(_number, "wall_s cpu_s"),
        "load": _or_none(_number),
        "machine": _object({**_all(_text, "processor program"), "cores": _count}),
        "looks": _count,
        "watch": _object({**_SCORE, "computed_s": _each(_number)}),
        "baseline": _object(_SCORE),
    }
)
"""Whether a value is the row of a completely watched film."""
