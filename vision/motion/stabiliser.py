"""Image stabilisation: mapping every frame to the view of the first one, the reference.

A phone in a hand sways, and one on a stand may be knocked. Points of the table are tracked from a key frame
by sparse optical flow (Lucas and Kanade 1981, with pyramids). As a table is flat, the camera's motion is the
homography with the most inliers (RANSAC). Hands and moving cards are outliers. Points on people are left
out, because a head moves too, and its hair has many points. After a jump, points are matched by ORB features
(Rublee and others 2011). A frame from the first view stays unchanged. From another view, the full frame is
only warped on demand.
"""

from __future__ import annotations

from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import transform_points
from vision.images import downscale_to, downscaled_size, halve_towards
from vision.plane import Matrix
from vision.types import Image, Mask

_WIDTH_PX = 640
"""Longer side of the image in which points are tracked, in pixels. Distances below are in its pixels."""
_MAX_POINTS, _MIN_POINT_DISTANCE_PX = 150, 14
"""Largest number of points, and their least distance in pixels."""
_CORNER_QUALITY, _SMOOTHING_SIGMA_PX = 0.08, 1.6
"""Least quality of a point relative to the best one, and the blur before that, in pixels."""
_QUICK_POINTS = 48
"""Number of points in the quick check whether the camera moves at all."""
_STILL_PX = 0.2
"""Median motion of these points, in pixels, below which it does not."""
_STATIC_POINT_PX, _STATIC_SHARE, _MIN_STATIC_POINTS = 0.4, 0.4, 6
"""A point is static if it moved by less than the first value, in pixels. The camera is at rest if this share
of the points, and at least this number, are static."""
_GIVE_UP_FRAMES = 45
"""After this many frames without a plausible motion, the camera counts as at rest, if enough points are
static or too few exist. Others have had time to check the cards' places by then."""
_NEARLY_STATIC_PX, _MAX_DRIFT_PX = 2.0, 0.5
"""The camera is also at rest if that share of the points moved less than the first value, in pixels. Their
common motion must move no image corner farther than the second value. In a dim or blurred image, each point
moves a little in its own direction."""
_INLIER_PX = 0.8
"""Largest error of an inlier, in pixels."""
_MIN_INLIERS, _MIN_INLIER_SHARE = 30, 0.3
"""Least number of inliers, and their least share of the points."""
_SIMPLER_SHARE = 0.9
"""A simpler motion is preferred if it has this share of the other's inliers."""
_SURE_INLIER_SHARE = 0.6
"""With this share of inliers, a motion is certain."""
_COMPARED_BLOCK_PX = (9, 9)
"""Size of the block around a point in which images are compared."""
_NOISE_LEVEL, _MAX_DIFFERENCE_RATIO, _DIFFERENCE_QUANTILE = 0.05, 0.85, 0.25
"""Otherwise the images must confirm it. At this quantile of the inliers, the difference of the images plus
the first value (levels, 0-255) must shrink by the second value. On a bare or dark table, each point is found
a pixel or two away, and some agree on a motion by chance."""
_RANSAC_ITERATIONS = 500
"""Enough to draw four inliers if a third of the points are inliers."""
_MIN_KEY_INLIER_SHARE = 0.35
"""Below this share of inliers, a new key frame is taken, because the cards lie differently."""
_AT_REST_PX = 0.2
"""A motion that moves no image corner by more than this, in pixels, is ignored."""
_MAX_STRETCH = 0.2
"""Largest change of the length of an image side, as a share: a camera over a table moves no more up or
down."""
_FLOW_WINDOW_PX, _FLOW_LEVELS = (25, 25), 3
"""Parameters of the optical flow: window, pyramid levels."""
_FLOW_CRITERIA = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, 20, 0.01)
"""When its iteration ends."""
_MIN_EIGENVALUE = 1e-6
"""Least eigenvalue of a point that can be tracked. The edge of a dark table is far above it."""
_ORB_POINTS = 600
"""Number of ORB features per image."""
_SWAY_FRAMES = 15
"""Number of frames after a motion in which the camera counts as swaying."""
_HELD_FRAMES = 90
"""The camera is held in a hand if it sways in most of about so many frames. A knock takes a third of that."""
_SEARCH_FRAMES, _ORB_EVERY = 30, 10
"""A lost table is searched in this many frames, by ORB in every tenth. Then it is searched only after
motion."""

Grey = NDArray[np.uint8]
"""A grey image, height x width."""


class StabilisedFrame:
    """A frame mapped to the reference view. Mostly, only its small copy is made."""

    def __init__(self, frame: Image, to_reference: Matrix | None = None, half: Image | None = None) -> None:
        """Take a frame.

        Args:
            frame: Height x width x 3, BGR.
            to_reference: Homography (3 x 3) from its pixels to the reference view; None: it has that view.
            half: The same frame halved once or more, if that exists.
        """
        self._frame, self._to_steady = frame, to_reference
        self._half = frame if half is None else half

    @cached_property
    def image(self) -> Image:
        """The full image (height x width x 3, BGR)."""
        if self._to_steady is None:
            return self._frame
        return _warped(self._frame, self._to_steady, (self._frame.shape[1], self._frame.shape[0]))

    def downscaled(self, longest: int) -> tuple[Image, float]:
        """Return a copy with at most `longest` pixels along its longer side, and its scale."""
        size, scale = downscaled_size(self._frame, longest)
        half = self._half if self._half.shape[1] >= size[0] else self._frame
        if self._to_steady is None:
            return downscale_to(half, size), scale
        half = halve_towards(half, size)
        from_frame, to_frame = (_scaling(self._frame.shape, small) for small in (size, half.shape[1::-1]))
        return _warped(half, from_frame @ self._to_steady @ np.linalg.inv(to_frame), size), scale


class Stabiliser:
    """Tracks the motion of the camera since the first frame."""

    def __init__(self) -> None:
        self._key: Grey | None = None
        self._key_move: Matrix = np.eye(3)
        self._points: NDArray[np.float32] = np.zeros((0, 1, 2), np.float32)
        self._before: Grey | None = None
        self._latest: Grey | None = None
        self._people: Mask | None = None
        self._key_people: Mask | None = None
        """The mask of people when the key frame was taken."""
        self._to_reference_small: Matrix = np.eye(3)
        self._at_rest: Matrix = np.eye(3)
        """The homography to the reference (small pixels) when the camera was last at rest."""
        self._scale = 1.0
        self.lost_frames = 0
        """For how many frames the position of the table has been unknown."""
        self._still_frames = _SWAY_FRAMES
        self._swaying_share = 0.0
        """The share of the latest frames in which the camera swayed (exponential moving average)."""

    @property
    def moved(self) -> bool:
        """Whether the camera has another view than the reference."""
        return not np.array_equal(self._to_reference_small, np.eye(3))

    @property
    def swaying(self) -> bool:
        """Whether the camera has moved within the last frames."""
        return self._still_frames < _SWAY_FRAMES

    @property
    def hand_held(self) -> bool:
        """Whether the camera has swayed most of the time, as one in a hand does."""
        return self._swaying_share > 0.5

    @property
    def settled(self) -> bool:
        """Whether the camera is at rest and the table is not being searched."""
        return not (self.swaying or self.lost_frames % _SEARCH_FRAMES)

    @property
    def to_reference(self) -> Matrix:
        """The homography (3 x 3) from pixels of the last frame to the reference view."""
        scale = np.diag([self._scale, self._scale, 1.0])
        return np.asarray(np.linalg.inv(scale) @ self._to_reference_small @ scale)

    def feed(self, frame: Image, people: Mask | None = None) -> StabilisedFrame:
        """Return a frame mapped to the reference view.

        Args:
            frame: Height x width x 3, BGR.
            people: Where people were last, in a smaller copy of the reference view; None: unknown.
        """
        size, self._scale = downscaled_size(frame, _WIDTH_PX)
        half = halve_towards(frame, size)
        grey = _small_grey(half, size)
        self._still_frames += 1
        self._swaying_share += (self.swaying - self._swaying_share) / _HELD_FRAMES
        self._latest, self._people = grey, people
        if self._key is None or self._key.shape != grey.shape:
            self._take_key(grey, np.eye(3))
            self._at_rest = self._to_reference_small
            return self.apply(frame, half)
        visible = self._visible_points()  # the strongest come first
        if not self.lost_frames and len(visible) < 2 * _MIN_STATIC_POINTS:
            # Nothing to track: a dark and bare table, or people hide what was tracked.
            self._take_key(grey, self._to_reference_small)
        elif self._still_frames == _SWAY_FRAMES and not self.lost_frames:
            self._settle(grey)
            self._before = grey
        elif self.lost_frames % _SEARCH_FRAMES or self._camera_moves(grey, visible[:_QUICK_POINTS]):
            self._find_motion(grey)
            self._before = grey
        if self.settled:
            self._at_rest = self._to_reference_small
        return self.apply(frame, half)

    def confirm(self) -> None:
        """Accept the view of the last frame as known, because the caller has confirmed it.

        Its points are tracked from then on. After a deal, little is left of the bare table to track.
        """
        if self._latest is not None:
            self._take_key(self._latest, self._to_reference_small)

    def apply(self, frame: Image, half: Image | None = None) -> StabilisedFrame:
        """Return a frame with the same view as the last one, mapped to the reference view.

        `half` is the same frame halved once or more, if that exists.
        """
        return StabilisedFrame(frame, self.to_reference if self.moved else None, half)

    def _take_key(self, grey: Grey, to_steady: Matrix) -> None:
        """Take a key frame whose homography to the reference (small pixels) is known.

        If the table was lost until now, where people seemed to be means nothing.
        """
        self._key, self._key_move, self._before, self._to_reference_small = grey, to_steady, grey, to_steady
        self._key_people = None if self.lost_frames else self._people
        free = None if self._key_people is None else _off_people(self._key_people, to_steady, grey)
        found = cv2.goodFeaturesToTrack(grey, _MAX_POINTS, _CORNER_QUALITY, _MIN_POINT_DISTANCE_PX, mask=free)
        self._points = np.zeros((0, 1, 2), np.float32) if found is None else np.asarray(found, np.float32)
        self._points = self._visible_points()
        self.lost_frames = 0

    def _camera_moves(self, grey: Grey, quick: NDArray[np.float32]) -> bool:
        """Return whether most of a few points (N x 1 x 2) have moved since the camera last moved."""
        assert self._before is not None
        if not len(quick):
            return False
        here = self._from_key(quick)
        there, found = _track_points(self._before, grey, here, here)
        ways = np.linalg.norm((there - here).reshape(-1, 2), axis=1)[found]
        return len(ways) <= len(quick) // 4 or bool(np.median(ways) > _STILL_PX)

    @property
    def _rest_to_key(self) -> Matrix:
        """The homography from the latest frame to the key frame if the camera has not moved again."""
        return np.asarray(np.linalg.inv(self._key_move) @ self._to_reference_small)

    def _from_key(
        self, points: NDArray[np.float32], to_reference: Matrix | None = None
    ) -> NDArray[np.float32]:
        """Return where points (N x 1 x 2) of the key frame are in the latest frame, as far as known.

        `to_reference`: its homography (small pixels) to the reference, if it is not the latest known one.
        """
        pose = self._to_reference_small if to_reference is None else to_reference
        move = np.asarray(np.linalg.inv(pose) @ self._key_move, np.float64)
        return transform_points(move, points.reshape(-1, 2)).astype(np.float32).reshape(-1, 1, 2)

    def _visible_points(self) -> NDArray[np.float32]:
        """Return the points (N x 1 x 2 of the key frame) that are not on people.

        While the table is lost, nothing shows where people are, and all points are returned.
        """
        if self.lost_frames:
            return self._points
        at = transform_points(self._key_move, self._points.reshape(-1, 2))
        return self._points[~_is_on(self._people, at, self._latest)]

    def _track(self, grey: Grey) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return points of the key frame that are found in a frame, and where they are there (N x 2 each)."""
        assert self._key is not None
        points = self._visible_points()
        there, found = _track_points(self._key, grey, points, self._from_key(points))
        return points.reshape(-1, 2)[found], there.reshape(-1, 2)[found]

    def _off(
        self, points: NDArray[np.float32], there: NDArray[np.float32], pose: Matrix
    ) -> NDArray[np.float32]:
        """Return how far the points (N x 2) of the key frame are from where they are with a pose."""
        return there - self._from_key(points, pose).reshape(-1, 2)

    def _count_at_rest(self, points: NDArray[np.float32], there: NDArray[np.float32]) -> int:
        """Return how many points are where they were when the camera last rested."""
        back = np.linalg.norm(self._off(points, there, self._at_rest), axis=1)
        return int((back < _STATIC_POINT_PX).sum())

    def _is_back(self, grey: Grey, agreeing: int) -> None:
        """Note that the camera is where it last rested. Most knocks leave it there."""
        self._to_reference_small, self.lost_frames = self._at_rest, 0
        if not self.swaying:  # in motion, it is only about there
            self._renew_key(grey, agreeing)

    def _settle(self, grey: Grey) -> None:
        """Find where the camera has come to rest. In motion, its place was less exactly known."""
        points, there = self._track(grey)
        pose = self._at_rest
        if self._count_at_rest(points, there) < _enough_static(points):
            move, agreeing = _estimate_motion(there, points, _INLIER_PX)
            if move is None or agreeing < _SURE_INLIER_SHARE * len(points):
                return
            pose = _or_identity(np.asarray(self._key_move @ move), grey.shape)
        self._to_reference_small = pose
        if not np.array_equal(pose, self._key_move):
            self._take_key(grey, pose)

    def _find_motion(self, grey: Grey) -> None:
        """Find the motion of the camera. If too few points agree, it counts as at rest."""
        points, there = self._track(grey)
        drift = self._off(points, there, self._to_reference_small)
        ways = np.linalg.norm(drift, axis=1)
        staying, about = int((ways < _STATIC_POINT_PX).sum()), ways < _NEARLY_STATIC_PX
        back = self._count_at_rest(points, there)
        if back >= _enough_static(points):
            self._is_back(grey, back)
            return
        if staying >= _enough_static(points):
            self._renew_key(grey, staying)
            return
        start = there[about] - drift[about]
        if (
            len(start) >= max(_MIN_INLIERS, _enough_static(points))
            and _drift(start, drift[about], grey.shape) < _MAX_DRIFT_PX
        ):
            self._renew_key(grey, len(start))
            return
        move, agreeing = _estimate_motion(there, points, _INLIER_PX)
        enough = max(_MIN_INLIERS, _MIN_INLIER_SHARE * len(ways), 2 * staying)
        if move is None or agreeing < enough or not _is_plausible(move, grey.shape):
            if back >= 2 * _MIN_STATIC_POINTS:  # no other place of the camera explains so many points
                self._is_back(grey, back)
                return
            if about.sum() >= max(2 * _MIN_STATIC_POINTS, agreeing):  # in a blur, none is exact
                self._shift(np.median(drift[about], axis=0))
                self._renew_key(grey, int(about.sum()))
                return
            self._search_by_features(grey)
            few = len(self._points) < _MIN_INLIERS
            if (few or staying >= _MIN_STATIC_POINTS) and self.lost_frames > _GIVE_UP_FRAMES:
                # Nothing suggests a motion: the tracked things are gone, perhaps a hand.
                self._take_key(grey, self._to_reference_small)
            return
        if agreeing < _SURE_INLIER_SHARE * len(ways) and staying >= _MIN_STATIC_POINTS:
            agree = _inliers(move, there, points, _INLIER_PX)
            if not self._explains_images(grey, move, agree):
                self._renew_key(grey, staying)
                return
        self._to_reference_small, self._still_frames = (
            _or_identity(np.asarray(self._key_move @ move), grey.shape),
            0,
        )
        self._renew_key(grey, agreeing)

    def _shift(self, way: NDArray[np.float32]) -> None:
        """Note that the picture has moved by a few pixels (x, y), if that is noticeable."""
        if np.linalg.norm(way) >= _MAX_DRIFT_PX:
            back = np.eye(3)
            back[:2, 2] = -way
            self._to_reference_small, self._still_frames = self._to_reference_small @ back, 0

    def _explains_images(self, grey: Grey, move: Matrix, points: NDArray[np.float32]) -> bool:
        """Return whether a motion explains the image better than a camera at rest does.

        Only blocks around `points` (N x 2 of the key frame) count, which are the inliers of the motion.
        """
        assert self._key is not None
        at = np.clip(np.round(points), 0, np.array(grey.shape[::-1]) - 1).astype(np.intp)
        apart = []
        for to_key in (self._rest_to_key, move):
            there = _warped(grey, to_key, (grey.shape[1], grey.shape[0]))
            differs = np.asarray(cv2.absdiff(there, self._key), np.float32)
            apart.append(cv2.blur(differs, _COMPARED_BLOCK_PX)[at[:, 1], at[:, 0]] + _NOISE_LEVEL)
        return bool(np.quantile(apart[1] / apart[0], _DIFFERENCE_QUANTILE) < _MAX_DIFFERENCE_RATIO)

    def _renew_key(self, grey: Grey, agreeing: int) -> None:
        """Note that the table's position is known; take a new key frame if too few points agree."""
        if agreeing < max(_MIN_INLIERS, _MIN_KEY_INLIER_SHARE * len(self._points)):
            self._take_key(grey, self._to_reference_small)
        self.lost_frames = 0

    def _search_by_features(self, grey: Grey) -> None:
        """Search the table by ORB features in some of the frames after optical flow has lost it."""
        assert self._key is not None
        self.lost_frames += 1
        if self.lost_frames % _ORB_EVERY != _ORB_EVERY - 1:
            return
        here, there = _match_orb(grey, self._key)
        on_people = _is_on(self._people, transform_points(self._to_reference_small, here), grey)
        on_people |= _is_on(self._key_people, transform_points(self._key_move, there), grey)
        if (~on_people).sum() >= _MIN_INLIERS:  # hair has many features, and moves
            here, there = here[~on_people], there[~on_people]
        move, agreeing = _estimate_motion(here, there, 2 * _INLIER_PX)
        if (
            move is not None
            and agreeing >= max(_MIN_INLIERS, len(here) // 3)
            and _is_plausible(move, grey.shape)
        ):
            if len(_inliers(self._rest_to_key, here, there, 2 * _INLIER_PX)) >= _SIMPLER_SHARE * agreeing:
                move = self._rest_to_key
            elif not self._explains_images(grey, move, _inliers(move, here, there, 2 * _INLIER_PX)):
                return
            self._take_key(grey, _or_identity(np.asarray(self._key_move @ move), grey.shape))


def _enough_static(points: NDArray[np.float32]) -> float:
    """Return how many of these points must be static if the camera is at rest."""
    return max(_MIN_STATIC_POINTS, _STATIC_SHARE * len(points))


def _is_on(mask: Mask | None, points: NDArray[np.float64], grey: Grey | None) -> NDArray[np.bool_]:
    """Return which points (N x 2 pixels of the reference, as large as `grey`) a smaller mask covers."""
    if mask is None or grey is None or not len(points):
        return np.zeros(len(points), np.bool_)
    rows, columns = mask.shape
    x, y = np.round(points * (columns / grey.shape[1])).astype(np.intp).T
    return np.asarray(mask[np.clip(y, 0, rows - 1), np.clip(x, 0, columns - 1)])


def _off_people(people: Mask, to_reference: Matrix, grey: Grey) -> NDArray[np.uint8]:
    """Return the mask (0 or 255) of an image without people. `people` is in a smaller reference view."""
    size = grey.shape[1], grey.shape[0]
    there = cv2.resize(people.astype(np.uint8), size, interpolation=cv2.INTER_NEAREST)
    here = cv2.warpPerspective(there, np.linalg.inv(to_reference), size, flags=cv2.INTER_NEAREST)
    return np.asarray(255 * (1 - here), np.uint8)


def _or_identity(move: Matrix, shape: tuple[int, ...]) -> Matrix:
    """Return a motion, or the identity if it moves no image corner noticeably."""
    corners = _corners(shape)
    far = float(np.linalg.norm(transform_points(move, corners) - corners, axis=1).max())
    return move if far >= _AT_REST_PX else np.eye(3)


def _drift(points: NDArray[np.float32], ways: NDArray[np.float32], shape: tuple[int, ...]) -> float:
    """Return how far the best affine fit to the points' motion moves an image corner, in pixels.

    `points` and `ways` are N x 2.
    """
    at = np.column_stack([points, np.ones(len(points))])
    together = np.linalg.lstsq(at, ways, rcond=None)[0]
    corners = np.column_stack([_corners(shape), np.ones(4)])
    return float(np.linalg.norm(corners @ together, axis=1).max())


def _warped(picture: Image, matrix: Matrix, size: tuple[int, int]) -> Image:
    """Return an image warped by a homography to a size (width, height)."""
    flags, border = cv2.INTER_LINEAR, cv2.BORDER_REPLICATE
    return np.asarray(cv2.warpPerspective(picture, matrix, size, flags=flags, borderMode=border), np.uint8)


def _scaling(shape: tuple[int, ...], size: tuple[int, ...]) -> Matrix:
    """Return the homography from pixels of an image to its copy of a size (width, height).

    Pixel centres have whole coordinates, as in OpenCV.
    """
    across, down = size[0] / shape[1], size[1] / shape[0]
    return np.array([[across, 0, (across - 1) / 2], [0, down, (down - 1) / 2], [0, 0, 1.0]])


def _small_grey(frame: Image, size: tuple[int, int]) -> Grey:
    """Return a grey copy of a size (width, height)."""
    grey = cv2.cvtColor(downscale_to(frame, size), cv2.COLOR_BGR2GRAY)
    # Blurred, because otherwise the grain of a dim image would be tracked.
    return np.asarray(cv2.GaussianBlur(grey, (0, 0), _SMOOTHING_SIGMA_PX), np.uint8)


def _track_points(
    first: Grey, second: Grey, points: NDArray[np.float32], guess: NDArray[np.float32]
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Return where points (N x 1 x 2) of the first image are in the second, and which were found."""
    there, found, _ = cv2.calcOpticalFlowPyrLK(
        first,
        second,
        points,
        guess.copy(),
        winSize=_FLOW_WINDOW_PX,
        maxLevel=_FLOW_LEVELS,
        criteria=_FLOW_CRITERIA,
        minEigThreshold=_MIN_EIGENVALUE,
        flags=cv2.OPTFLOW_USE_INITIAL_FLOW,
    )
    return np.asarray(there, np.float32), np.asarray(found, np.bool_).reshape(-1)


def _match_orb(first: Grey, second: Grey) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return matching ORB points of both images (N x 2 each)."""
    orb = cv2.ORB.create(_ORB_POINTS)
    here, of_here = orb.detectAndCompute(first, np.full(first.shape, 255, np.uint8))
    there, of_there = orb.detectAndCompute(second, np.full(second.shape, 255, np.uint8))
    if not here or not there:
        return np.zeros((0, 2), np.float32), np.zeros((0, 2), np.float32)
    pairs = cv2.BFMatcher(cv2.NORM_HAMMING, crossCheck=True).match(of_here, of_there)
    return (
        np.array([here[pair.queryIdx].pt for pair in pairs], np.float32).reshape(-1, 2),
        np.array([there[pair.trainIdx].pt for pair in pairs], np.float32).reshape(-1, 2),
    )


def _estimate_motion(
    first: NDArray[np.float32], second: NDArray[np.float32], within: float
) -> tuple[Matrix | None, int]:
    """Return the homography from first to second points with the most inliers, and their number.

    A similarity transform is preferred if it explains as much, and a shift to both. Each is more exact than
    the next where there are no points.
    """
    if len(first) < _MIN_INLIERS:
        return None, 0
    first, second = first.reshape(-1, 2), second.reshape(-1, 2)
    simple, in_simple = cv2.estimateAffinePartial2D(
        first, second, method=cv2.RANSAC, ransacReprojThreshold=within
    )
    move, inside = cv2.findHomography(first, second, cv2.RANSAC, within, maxIters=_RANSAC_ITERATIONS)
    agreeing = int(np.count_nonzero(in_simple)) if simple is not None else 0
    if move is not None and _SIMPLER_SHARE * np.count_nonzero(inside) > agreeing:
        return np.asarray(move, np.float64), int(np.count_nonzero(inside))
    if not agreeing:
        return None, 0
    shift = np.eye(3)
    shift[:2, 2] = np.median((second - first)[np.asarray(in_simple, np.bool_).reshape(-1)], axis=0)
    turned = np.vstack([simple, [0.0, 0.0, 1.0]])
    exact = [len(_inliers(way, first, second, within / 2)) for way in (shift, turned)]
    return (shift if exact[0] >= _SIMPLER_SHARE * exact[1] else turned), agreeing


def _inliers(
    move: Matrix, first: NDArray[np.float32], second: NDArray[np.float32], within: float
) -> NDArray[np.float32]:
    """Return the second points (N x 2) that are inliers of a homography."""
    second = second.reshape(-1, 2)
    off = np.linalg.norm(transform_points(move, first.reshape(-1, 2)) - second, axis=1)
    return np.asarray(second[off <= within])


def _is_plausible(move: Matrix, shape: tuple[int, ...]) -> bool:
    """Return whether a camera over a table can have moved like this."""
    if not np.isfinite(move).all() or abs(np.linalg.det(move)) < 1e-6:
        return False
    corners = _corners(shape)
    there = transform_points(move, corners)
    sides = np.linalg.norm(there - np.roll(there, 1, axis=0), axis=1)
    before = np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1)
    return bool((np.abs(sides / before - 1) < _MAX_STRETCH).all())


def _corners(shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Return the corners (4 x 2) of an image."""
    height, width = shape[:2]
    return np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float64)
