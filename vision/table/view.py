"""A view of the table at one moment, for overlays."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from vision.geometry import transform_points
from vision.plane import Matrix, TablePlane
from vision.table.layout import Layout
from vision.types import CardReading


@dataclass(frozen=True, slots=True, eq=False)
class TableView:
    """The content of an overlay: the latest reading, and the current belief about the table."""

    readings: tuple[CardReading, ...] = ()
    layout: Layout | None = None
    hands: tuple[str, ...] = ()
    """The players whose arms are in the picture."""
    still: bool = True
    """Whether nothing moves over the table."""
    pile: tuple[str, ...] = ()
    """The names of the cards on the play pile, top card last."""
    to_reference: Matrix | None = None
    """The homography (3 x 3) from pixels of the latest frame to those of `readings` and `layout`.
    None: the camera has not moved since the start."""

    def in_frame(self) -> TableView:
        """Return the view in pixels of the latest frame."""
        if self.to_reference is None:
            return self
        back = np.asarray(np.linalg.inv(self.to_reference), np.float64)
        readings = tuple(
            replace(reading, quad=transform_points(back, reading.quad).astype(np.float32))
            for reading in self.readings
        )
        layout = self.layout
        if layout is not None:
            layout = replace(layout, plane=TablePlane(layout.plane.to_table @ self.to_reference))
        return replace(self, readings=readings, layout=layout, to_reference=None)

    def shows_same_scene(self, other: TableView) -> bool:
        """Return whether two views show the same cards and places from the same position of the camera."""
        if self.readings is not other.readings or self.layout is not other.layout:
            return False
        if self.to_reference is None or other.to_reference is None:
            return self.to_reference is other.to_reference
        return np.array_equal(self.to_reference, other.to_reference)
