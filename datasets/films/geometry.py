"""The table in millimetres, poses on it, and the camera over it.

The origin of the table is its middle. The axis x points to the right, y to the bottom edge of the picture
(the first player), and z up, all in millimetres. Angles are degrees, clockwise in the picture. A card at
angle 0 is upright for the player at the bottom edge.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from vision.geometry import CARD_HEIGHT_MM, CARD_WIDTH_MM

CARD_THICKNESS_MM = 0.3

Points = NDArray[np.float64]
"""N x 2 (x, y)."""
Grip = Literal["hold", "flat", "point", "away", "rest", "fan", "grasp", "show", "open"]
"""Holding a card between finger and thumb; flat on a pile; pinching the top card; out of the picture.

Only whole people (`datasets.films.people`) have the others: resting on the table, holding a fan, round a
glass, showing with one finger, open in the air.
"""


@dataclass(frozen=True, slots=True)
class Pose:
    """The pose of a flat object: its centre in mm, its turn in degrees, its height over the table in mm."""

    x: float
    y: float
    angle: float = 0.0
    z: float = 0.0

    def shifted(self, right: float, down: float, turn: float = 0.0, lift: float = 0.0) -> Pose:
        """Return the pose moved in its own frame: right and down for a player who reads the card."""
        dx, dy = rotated(right, down, self.angle)
        return replace(self, x=self.x + dx, y=self.y + dy, angle=self.angle + turn, z=self.z + lift)

    def blended(self, other: Pose, share: float) -> Pose:
        """Return the pose at `share` (0 to 1) of the way to `other`, with the shorter turn."""
        turn = (other.angle - self.angle + 180.0) % 360.0 - 180.0
        return Pose(
            self.x + (other.x - self.x) * share,
            self.y + (other.y - self.y) * share,
            self.angle + turn * share,
            self.z + (other.z - self.z) * share,
        )

    def corners(self, width: float = CARD_WIDTH_MM, height: float = CARD_HEIGHT_MM) -> Points:
        """Return the four corners (4 x 2 mm), clockwise from the top left of the card."""
        half = np.array([[-width, -height], [width, -height], [width, height], [-width, height]]) / 2.0
        turn = math.radians(self.angle)
        matrix = np.array([[math.cos(turn), math.sin(turn)], [-math.sin(turn), math.cos(turn)]])
        return np.asarray(half @ matrix + np.array([self.x, self.y]))


def rotated(x: float, y: float, angle: float) -> tuple[float, float]:
    """Turn a vector clockwise in the picture by `angle` degrees."""
    turn = math.radians(angle)
    return x * math.cos(turn) - y * math.sin(turn), x * math.sin(turn) + y * math.cos(turn)


@dataclass(frozen=True, slots=True)
class ArmPose:
    """The pose of a hand: grip point and height (mm), direction of the fingers (degrees), and grip."""

    x: float
    y: float
    z: float
    heading: float
    grip: Grip


@dataclass(frozen=True)
class Camera:
    """A pinhole camera over the table."""

    width: int
    height: int
    matrix: NDArray[np.float64]
    """3 x 4: table (x, y, z, 1) to homogeneous pixels."""

    def plane(self, z: float = 0.0) -> NDArray[np.float64]:
        """Return the 3 x 3 homography from the plane at height `z` mm to pixels."""
        m = self.matrix
        return np.stack([m[:, 0], m[:, 1], m[:, 3] + z * m[:, 2]], axis=1)

    def project(self, points: Points, z: float = 0.0) -> Points:
        """Return the pixels (N x 2) of points (N x 2 mm) at height `z`."""
        mapped = np.c_[points, np.ones(len(points))] @ self.plane(z).T
        return np.asarray(mapped[:, :2] / mapped[:, 2:])

    def project_all(self, points: Points) -> Points:
        """Return the pixels (N x 2) of points (N x 3 mm), each at its own height."""
        mapped = np.c_[points, np.ones(len(points))] @ self.matrix.T
        return np.asarray(mapped[:, :2] / mapped[:, 2:])

    def scale(self) -> float:
        """Return pixels per millimetre in the middle of the table."""
        pair = self.project(np.array([[-50.0, 0.0], [50.0, 0.0]]))
        return float(np.linalg.norm(pair[1] - pair[0]) / 100.0)

    def sees(self, x: float, y: float, margin: float = 0.0) -> bool:
        """Return whether a point of the table is in the picture, widened by `margin` pixels."""
        px, py = self.project(np.array([[x, y]]))[0]
        return bool(-margin <= px <= self.width + margin and -margin <= py <= self.height + margin)


def look_at_table(
    width: int,
    height: int,
    *,
    table: tuple[float, float],
    tilt: float = 10.0,
    azimuth: float = 0.0,
    roll: float = 0.0,
    fill: float = 0.92,
    field_of_view: float = 62.0,
) -> Camera:
    """Place a camera so that the whole table fills the share `fill` of the picture in one direction.

    Args:
        width: Width of the picture, pixels.
        height: Height of the picture, pixels.
        table: Width and depth of the table, mm.
        tilt: Degrees from straight down.
        azimuth: Direction of the camera, degrees: 0 from the bottom edge, 90 from the left edge.
        roll: Turn about its own axis, degrees.
        fill: Distance of the farthest table corner from the middle, as a share of the half-picture.
        field_of_view: Horizontal field of view, degrees.
    """
    focal = width / 2.0 / math.tan(math.radians(field_of_view) / 2.0)
    corners = Pose(0.0, 0.0).corners(*table)
    near, far = 200.0, 20000.0
    for _ in range(50):
        distance = math.sqrt(near * far)
        camera = _camera(width, height, focal, distance, tilt, azimuth, roll)
        offsets = np.abs(camera.project(corners) / np.array([width, height]) - 0.5).max() * 2.0
        near, far = (distance, far) if offsets > fill else (near, distance)
    return camera


def _camera(
    width: int, height: int, focal: float, distance: float, tilt: float, azimuth: float, roll: float
) -> Camera:
    lean, turn, twist = (math.radians(v) for v in (tilt, azimuth, roll))
    # The eye, in table coordinates with z up; image x to the right, image y down, view axis forward.
    eye = distance * np.array(
        [-math.sin(lean) * math.sin(turn), math.sin(lean) * math.cos(turn), math.cos(lean)]
    )
    forward = -eye / np.linalg.norm(eye)
    # Down in the picture is the table's +y as far as the view axis allows.
    down = np.array([0.0, 1.0, 0.0]) - forward * forward[1]
    down /= np.linalg.norm(down)
    right = np.cross(forward, down)  # x right, y down, z up: a left-handed frame
    right, down = (
        right * math.cos(twist) + down * math.sin(twist),
        -right * math.sin(twist) + down * math.cos(twist),
    )
    rotation = np.stack([right, down, forward])
    extrinsic = np.c_[rotation, -rotation @ eye]
    intrinsic = np.array([[focal, 0.0, width / 2.0], [0.0, focal, height / 2.0], [0.0, 0.0, 1.0]])
    return Camera(width, height, intrinsic @ extrinsic)
