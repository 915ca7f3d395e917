"""A layout for pictures of another size than those it was found in."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from engine.errors import BadInputError
from vision.plane import TablePlane
from vision.table.layout import Layout

_ASPECT_TOLERANCE = 0.02
"""Two pictures have one shape if their ratios of width to height differ by less than this share."""


def rescale_layout(layout: Layout, width: int, height: int) -> Layout:
    """Return the layout for pictures of this size, which show the same at another resolution.

    Raises:
        BadInputError: they are of another shape, so that they cannot show the same.
    """
    if (width, height) == (layout.width, layout.height):
        return layout
    if abs(width * layout.height / (height * layout.width) - 1) > _ASPECT_TOLERANCE:
        raise BadInputError(
            "layout: it is for pictures of {width} x {height}, these are {new_width} x {new_height}",
            width=layout.width,
            height=layout.height,
            new_width=width,
            new_height=height,
        )
    shrink = np.diag([layout.width / width, layout.height / height, 1.0])
    plane = TablePlane(np.asarray(layout.plane.to_table @ shrink, np.float64))
    return replace(layout, plane=plane, width=width, height=height)
