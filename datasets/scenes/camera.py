"""A pinhole camera over a table.

Table coordinates are millimetres, as in a plan: x points to the right, y down, and z up to the camera. The
system is left-handed, so a plan and a picture from above turn in the same direction.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Camera:
    """Projects table points to pixels with a 3 x 4 matrix."""

    matrix: NDArray[np.float64]

    @classmethod
    def above(cls, size: int, view_mm: float, tilt: float, azimuth: float, roll: float, fov: float) -> Camera:
        """Return a camera that looks at the origin of the table.

        Args:
            size: Side of the square picture, pixels.
            view_mm: Width of the table across the middle of the picture.
            tilt: Angle from straight down, radians.
            azimuth: Direction of the camera, radians.
            roll: Turn about its own axis, radians.
            fov: Field of view, radians.
        """
        focal = size / 2 / np.tan(fov / 2)
        distance = view_mm * focal / size
        towards = np.array(
            [np.sin(tilt) * np.cos(azimuth), np.sin(tilt) * np.sin(azimuth), np.cos(tilt)]
        )  # from the origin to the camera
        # The x axis of the picture is level, y points down in the picture, and z into the scene.
        right = np.array([np.sin(azimuth), -np.cos(azimuth), 0.0])
        forward = -towards
        down = np.cross(right, forward)
        cos, sin = np.cos(roll), np.sin(roll)
        rotation = np.stack([cos * right + sin * down, -sin * right + cos * down, forward])
        intrinsics = np.array([[focal, 0, size / 2], [0, focal, size / 2], [0, 0, 1]])
        translation = -rotation @ (towards * distance)
        return cls(intrinsics @ np.column_stack([rotation, translation]))

    def plane(self, height_mm: float = 0.0) -> NDArray[np.float64]:
        """Return the homography (3 x 3) from table (x, y) at `height_mm` to pixels."""
        m = self.matrix
        return np.column_stack([m[:, 0], m[:, 1], m[:, 2] * height_mm + m[:, 3]])

    def project(self, points: NDArray[np.floating], height_mm: float = 0.0) -> NDArray[np.float32]:
        """Return the pixels (N x 2) of table points (N x 2 mm) at `height_mm`."""
        homogeneous = np.column_stack([points, np.ones(len(points))]) @ self.plane(height_mm).T
        return np.asarray(homogeneous[:, :2] / homogeneous[:, 2:], np.float32)


def random_camera(rng: np.random.Generator, size: int, view_mm: float) -> Camera:
    """Return the camera of a phone in a hand or a clamp: mostly steep, tilted by up to 50 degrees."""
    tilt = np.radians(min(50.0, abs(rng.normal(0, 22)) if rng.random() < 0.8 else rng.uniform(25, 50)))
    quarter = rng.integers(4) * np.pi / 2  # phones are mostly parallel to the edges of the table
    azimuth = quarter + rng.normal(0, 0.15) if rng.random() < 0.5 else rng.uniform(0, 2 * np.pi)
    roll = rng.normal(0, 0.06) if rng.random() < 0.7 else rng.uniform(-np.pi, np.pi)
    return Camera.above(
        size, view_mm, float(tilt), float(azimuth), float(roll), np.radians(rng.uniform(42, 78))
    )
