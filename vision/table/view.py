"""What is believed of the table at one moment, for whoever draws it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from vision.geometry import transform_points
from vision.plane import Matrix, TablePlane
from vision.table.layout import Layout
from vision.types import CardReading


@dataclass(frozen=True, slots=True, eq=False)
class TableView:
    """What an overlay draws: the latest reading and what is believed of the table."""

    readings: tuple[CardReading, ...] = ()
    layout: Layout | None = None
    hands: tuple[str, ...] = ()
    """Players whose arm is in the picture."""
    still: bool = True
    pile: tuple[str, ...] = ()
    to_reference: Matrix | None = None
    """The homography (3 x 3) from pixels of the latest frame to those of `readings` and `layout`; None while
    the camera is where it was at first."""

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
        """Tell whether two views show the same cards and places, from the same place."""
        if self.readings is not other.readings or self.layout is not other.layout:
            return False
        if self.to_reference is None or other.to_reference is None:
            return self.to_reference is other.to_reference
        return np.array_equal(self.to_reference, other.to_reference)
