"""How much two pictures of one place are alike: computed from their pixels, or answered by somebody else.

The event logic compares pictures and looks at nothing else in them. So a log that keeps the answers needs no
pixels, and a game can be followed from it again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

Kind = Literal["patch", "index", "card", "rest", "edge", "beneath", "paper", "around"]
"""A comparison of two small pictures, or of one part of two close pictures.

The part is an index, a whole card, the rest that shows beside other cards, an edge, or the part that another
card would cover. For `around`, it is a square. For `paper`, the rest of a card is compared with the cards
that cover it, in one picture.
"""
Likeness = float | None
"""1 is all the same; None: the pictures show too little. For small pictures and squares it is the share that
differs."""


class Answering(Protocol):
    """Answers in place of the pixels, or listens to what they answer."""

    def __call__(
        self,
        kind: Kind,
        first: NDArray[np.uint8],
        second: NDArray[np.uint8],
        where: tuple[float, ...],
        compute: Callable[[], Likeness],
    ) -> Likeness:
        """Return how alike two pictures are at a place; `compute` does so from their pixels."""
        ...


_answering: ContextVar[Answering | None] = ContextVar("answering", default=None)
"""The one that answers comparisons now; None: the pixels do."""


@contextmanager
def answered_by(answering: Answering) -> Iterator[None]:
    """Have every comparison inside the block answered by `answering`."""
    before = _answering.set(answering)
    try:
        yield
    finally:
        _answering.reset(before)


def compare(
    kind: Kind,
    first: NDArray[np.uint8],
    second: NDArray[np.uint8],
    where: tuple[float, ...],
    compute: Callable[[], Likeness],
) -> Likeness:
    """Return how alike two pictures are at a place (numbers that name it among those of its kind)."""
    answering = _answering.get()
    return compute() if answering is None else answering(kind, first, second, where, compute)
