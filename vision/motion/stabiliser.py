"""Holding the table still: every frame is brought into the view of the first.

A phone held in the hand sways, and one on a stand is knocked or moved. Points of the table are followed by
sparse optical flow (Lucas and Kanade 1981, in pyramids) from a key picture into each frame; the homography
that most of them agree on (RANSAC) is how the camera has moved, for a table is flat. Hands and cards that
move are the ones that do not agree. After a leap, points are looked for anew by what they look like (ORB,
Rublee and others 2011). A view from a stand stays untouched, and costs next to nothing; from any other the
whole picture is only made where it is asked for.
"""

from __future__ import annotations

from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import transform
from vision.images import halved, reduced_size, smaller
from vision.plane import Matrix
from vision.types import Image

_WIDTH = 640
"""Pixels along the longer side of the picture in which points are followed."""
_POINTS, _APART = 150, 14
_QUALITY, _SMOOTH = 0.08, 1.6
_QUICK_POINTS = 48
"""So many points tell whether the camera has moved at all."""
_STILL = 0.2
"""Median way of the quick points, pixels at _WIDTH, below which it has not."""
_STAYS, _STAYING_SHARE, _LEAST_STAYING = 0.4, 0.4, 6
"""If so large a share of the points is where it was, to within so many pixels at _WIDTH, the camera rests."""
_GIVE_UP_FRAMES = 45
"""So it does where no movement has been found in so many frames, and the least number of points stay, or too
few are there to find any: others have had time to see whether the cards lie where they did."""
_ABOUT, _NO_DRIFT = 2.0, 0.5
"""It rests as well if so large a share is about where it was, to within so many pixels, and what they do
together would not move the picture's corners that far: in a dim picture each goes its own little way."""
_AGREE = 0.8
"""A point agrees with a homography to within so many pixels at _WIDTH."""
_LEAST_AGREEING, _LEAST_SHARE = 30, 0.3
_SIMPLE_SHARE = 0.9
_MOST_AGREE = 0.6
"""Where so large a share of the points agrees, no chance has made them."""
_ABOUT_A_POINT = (9, 9)
_NOISE, _CLEARER, _CLEARER_SHARE = 0.05, 0.85, 0.25
"""Else the pictures must: about this share of the points that agree what differs (levels, 0-255, and so much
more) must become less than this share of what it is for a camera that rests. A point of a bare table or in
the dark is found a pixel or two away in every picture, and of many some agree on a movement by chance."""
_TRIES = 500
"""Of RANSAC: enough to draw four points that agree where a third of them do."""
_FRESH_SHARE = 0.35
"""Below this share of agreeing points the key picture has grown old: the cards lie otherwise."""
_AT_REST = 0.2
"""Corners of the picture that move no farther, pixels at _WIDTH, leave the frame as it is."""
_MOST_STRETCH = 0.2
"""A camera held over a table comes nearer or goes farther by less than this share."""
_WINDOW, _LEVELS = (25, 25), 3
_FLOW_ENDS = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, 20, 0.01)
_LEAST_EIGENVALUE = 1e-6
"""Below which a point cannot be followed; the edge of a dark table is far above."""
_ORB_POINTS = 600
_SWAY_FRAMES = 15
_PATIENCE, _ORB_EVERY = 30, 10
"""A lost table is looked for in so many frames, in some of them for a leap; then only when it moves."""

Grey = NDArray[np.uint8]


class SteadyFrame:
    """A frame as the first view would show it: most are only looked at in small."""

    def __init__(self, frame: Image, to_steady: Matrix | None = None, half: Image | None = None) -> None:
        """Take a frame as it is.

        Args:
            frame: Height x width x 3, BGR.
            to_steady: Homography (3 x 3) from its pixels to those of the first view; None: it is there.
            half: The same frame halved, once or more, if that has been made already.
        """
        self._frame, self._to_steady = frame, to_steady
        self._half = frame if half is None else half

    @cached_property
    def image(self) -> Image:
        """The whole picture (height x width x 3, BGR)."""
        if self._to_steady is None:
            return self._frame
        return _warped(self._frame, self._to_steady, (self._frame.shape[1], self._frame.shape[0]))

    def reduced(self, longest: int) -> tuple[Image, float]:
        """Return a copy with `longest` pixels along its longer side, and its scale, as `pictures.reduced`."""
        size, scale = reduced_size(self._frame, longest)
        half = self._half if self._half.shape[1] >= size[0] else self._frame
        if self._to_steady is None:
            return smaller(half, size), scale
        half = halved(half, size)
        from_frame, to_frame = (_scaling(self._frame.shape, small) for small in (size, half.shape[1::-1]))
        return _warped(half, from_frame @ self._to_steady @ np.linalg.inv(to_frame), size), scale


class Steadier:
    """Follows the camera's movement from the first frame on."""

    def __init__(self) -> None:
        self._key: Grey | None = None
        self._key_move: Matrix = np.eye(3)
        self._points: NDArray[np.float32] = np.zeros((0, 1, 2), np.float32)
        self._before: Grey | None = None
        self._latest: Grey | None = None
        self._small: Matrix = np.eye(3)
        self._scale = 1.0
        self.lost = 0
        """For how many frames it has not been known where the table is."""
        self._rests = _SWAY_FRAMES

    @property
    def moved(self) -> bool:
        """Whether the camera is elsewhere than at first."""
        return not np.array_equal(self._small, np.eye(3))

    @property
    def swaying(self) -> bool:
        """Whether the camera has moved within the last moments."""
        return self._rests < _SWAY_FRAMES

    @property
    def settled(self) -> bool:
        """Whether the camera rests, and nothing is being looked for."""
        return not (self.swaying or self.lost % _PATIENCE)

    @property
    def to_steady(self) -> Matrix:
        """The homography (3 x 3) from pixels of the last frame to those of the first view."""
        scale = np.diag([self._scale, self._scale, 1.0])
        return np.asarray(np.linalg.inv(scale) @ self._small @ scale)

    def feed(self, frame: Image) -> SteadyFrame:
        """Return the frame (BGR) as the first view would show it."""
        size, self._scale = reduced_size(frame, _WIDTH)
        half = halved(frame, size)
        grey = _small_grey(half, size)
        self._rests += 1
        self._latest = grey
        if self._key is None or self._key.shape != grey.shape:
            self._take_key(grey, np.eye(3))
            return self.again(frame, half)
        if len(self._points) < 2 * _LEAST_STAYING:
            self._take_key(grey, self._small)  # nothing to go by: a dark and bare table
        elif self.lost % _PATIENCE or self._camera_moves(grey):
            self._find(grey)
            self._before = grey
        return self.again(frame, half)

    def confirm(self) -> None:
        """Take the last frame's view for what it was thought to be, as somebody else has made sure.

        What lies there now is gone by from then on: of the bare table before a deal little is left to see.
        """
        if self._latest is not None:
            self.lost = 0
            self._take_key(self._latest, self._small)

    def again(self, frame: Image, half: Image | None = None) -> SteadyFrame:
        """Return a frame that was taken from where the last one was as the first view would show it.

        `half`: the same frame halved, once or more, if that has been made already.
        """
        return SteadyFrame(frame, self.to_steady if self.moved else None, half)

    def _take_key(self, grey: Grey, to_steady: Matrix) -> None:
        self._key, self._key_move, self._before, self._small = grey, to_steady, grey, to_steady
        found = cv2.goodFeaturesToTrack(grey, _POINTS, _QUALITY, _APART)
        self._points = np.zeros((0, 1, 2), np.float32) if found is None else np.asarray(found, np.float32)

    def _camera_moves(self, grey: Grey) -> bool:
        """Tell whether most of a few points are elsewhere than when the camera last moved."""
        assert self._before is not None
        quick = self._points[:_QUICK_POINTS]  # the most marked ones come first
        if not len(quick):
            return False
        here = self._from_key(quick)
        there, found = _follow(self._before, grey, here, here)
        ways = np.linalg.norm((there - here).reshape(-1, 2), axis=1)[found]
        return len(ways) <= len(quick) // 4 or bool(np.median(ways) > _STILL)

    @property
    def _resting(self) -> Matrix:
        """The homography from the latest frame to the key picture if the camera is where it last was."""
        return np.asarray(np.linalg.inv(self._key_move) @ self._small)

    def _from_key(self, points: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return where points (N x 1 x 2) of the key picture are in the latest frame, as far as is known."""
        move = np.asarray(np.linalg.inv(self._small) @ self._key_move, np.float64)
        return transform(move, points.reshape(-1, 2)).astype(np.float32).reshape(-1, 1, 2)

    def _find(self, grey: Grey) -> None:
        """Find how the camera has moved; where too little agrees it is taken to be where it was."""
        assert self._key is not None
        guess = self._from_key(self._points)
        there, found = _follow(self._key, grey, self._points, guess)
        drift = (there - guess).reshape(-1, 2)[found]
        ways = np.linalg.norm(drift, axis=1)
        staying, about = int((ways < _STAYS).sum()), ways < _ABOUT
        likely = _STAYING_SHARE * len(ways)
        if staying >= max(_LEAST_STAYING, likely):
            self._renew_key(grey, staying)
            return
        start = guess.reshape(-1, 2)[found][about]
        if len(start) >= max(_LEAST_AGREEING, likely) and _drift(start, drift[about], grey.shape) < _NO_DRIFT:
            self._renew_key(grey, len(start))
            return
        move, agreeing = _agreed(there[found], self._points[found], _AGREE)
        enough = max(_LEAST_AGREEING, _LEAST_SHARE * len(ways), 2 * staying)
        if move is None or agreeing < enough or not _is_likely(move, grey.shape):
            self._look_anew(grey)
            few = len(self._points) < _LEAST_AGREEING
            if (few or staying >= _LEAST_STAYING) and self.lost > _GIVE_UP_FRAMES:
                self.lost = 0  # nothing tells of a movement: what was gone by has gone, a hand perhaps
                self._take_key(grey, self._small)
            return
        if agreeing < _MOST_AGREE * len(ways) and staying >= _LEAST_STAYING:
            agree = _that_agree(move, there[found], self._points[found], _AGREE)
            if not self._is_seen(grey, move, agree):
                self._renew_key(grey, staying)
                return
        self._small, self._rests = _or_at_rest(np.asarray(self._key_move @ move), grey.shape), 0
        self._renew_key(grey, agreeing)

    def _is_seen(self, grey: Grey, move: Matrix, points: NDArray[np.float32]) -> bool:
        """Tell whether a movement makes a picture more like the key picture than a camera at rest would.

        Only what lies about some points of the key picture counts (N x 2): those that agree on the movement.
        """
        assert self._key is not None
        at = np.clip(np.round(points), 0, np.array(grey.shape[::-1]) - 1).astype(np.intp)
        apart = []
        for to_key in (self._resting, move):
            there = _warped(grey, to_key, (grey.shape[1], grey.shape[0]))
            differs = np.asarray(cv2.absdiff(there, self._key), np.float32)
            apart.append(cv2.blur(differs, _ABOUT_A_POINT)[at[:, 1], at[:, 0]] + _NOISE)
        return bool(np.quantile(apart[1] / apart[0], _CLEARER_SHARE) < _CLEARER)

    def _renew_key(self, grey: Grey, agreeing: int) -> None:
        """Note that it is known where the table is; take a new key picture when the old shows it no more."""
        self.lost = 0
        if agreeing < max(_LEAST_AGREEING, _FRESH_SHARE * len(self._points)):
            self._take_key(grey, self._small)

    def _look_anew(self, grey: Grey) -> None:
        """Look for the table where optical flow has lost it, now and then."""
        assert self._key is not None
        self.lost += 1
        if self.lost % _ORB_EVERY != _ORB_EVERY - 1:
            return
        here, there = _matches(grey, self._key)
        move, agreeing = _agreed(here, there, 2 * _AGREE)
        if (
            move is not None
            and agreeing >= max(_LEAST_AGREEING, len(here) // 3)
            and _is_likely(move, grey.shape)
        ):
            self.lost = 0
            if len(_that_agree(self._resting, here, there, 2 * _AGREE)) >= _SIMPLE_SHARE * agreeing:
                move = self._resting
            self._take_key(grey, _or_at_rest(np.asarray(self._key_move @ move), grey.shape))


def _or_at_rest(move: Matrix, shape: tuple[int, ...]) -> Matrix:
    """Return a movement, or none where it moves no corner of the picture to speak of."""
    corners = _corners(shape)
    far = float(np.linalg.norm(transform(move, corners) - corners, axis=1).max())
    return move if far >= _AT_REST else np.eye(3)


def _drift(points: NDArray[np.float32], ways: NDArray[np.float32], shape: tuple[int, ...]) -> float:
    """Return how far the ways of points (both N x 2) together move the corner that they move farthest."""
    at = np.column_stack([points, np.ones(len(points))])
    together = np.linalg.lstsq(at, ways, rcond=None)[0]
    corners = np.column_stack([_corners(shape), np.ones(4)])
    return float(np.linalg.norm(corners @ together, axis=1).max())


def _warped(picture: Image, matrix: Matrix, size: tuple[int, int]) -> Image:
    flags, border = cv2.INTER_LINEAR, cv2.BORDER_REPLICATE
    return np.asarray(cv2.warpPerspective(picture, matrix, size, flags=flags, borderMode=border), np.uint8)


def _scaling(shape: tuple[int, ...], size: tuple[int, ...]) -> Matrix:
    """Return the homography from pixels of a picture to those of its copy of a size (width, height).

    The middle of a pixel has whole coordinates, as for OpenCV.
    """
    across, down = size[0] / shape[1], size[1] / shape[0]
    return np.array([[across, 0, (across - 1) / 2], [0, down, (down - 1) / 2], [0, 0, 1.0]])


def _small_grey(frame: Image, size: tuple[int, int]) -> Grey:
    """Return a grey copy of a size (width, height)."""
    grey = cv2.cvtColor(smaller(frame, size), cv2.COLOR_BGR2GRAY)
    # Smoothed, or the grain of a dim picture would be followed.
    return np.asarray(cv2.GaussianBlur(grey, (0, 0), _SMOOTH), np.uint8)


def _follow(
    first: Grey, second: Grey, points: NDArray[np.float32], guess: NDArray[np.float32]
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Return where points (N x 1 x 2) of the first picture are in the second, and which were found."""
    there, found, _ = cv2.calcOpticalFlowPyrLK(
        first,
        second,
        points,
        guess.copy(),
        winSize=_WINDOW,
        maxLevel=_LEVELS,
        criteria=_FLOW_ENDS,
        minEigThreshold=_LEAST_EIGENVALUE,
        flags=cv2.OPTFLOW_USE_INITIAL_FLOW,
    )
    return np.asarray(there, np.float32), np.asarray(found, np.bool_).reshape(-1)


def _matches(first: Grey, second: Grey) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return points of both pictures that look alike (twice N x 2)."""
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


def _agreed(
    first: NDArray[np.float32], second: NDArray[np.float32], within: float
) -> tuple[Matrix | None, int]:
    """Return the homography from the first points to the second that most agree on, and how many do.

    One that only shifts, turns and scales is taken where it explains as much: it is the steadier one.
    """
    if len(first) < _LEAST_AGREEING:
        return None, 0
    simple, in_simple = cv2.estimateAffinePartial2D(
        first, second, method=cv2.RANSAC, ransacReprojThreshold=within
    )
    move, inside = cv2.findHomography(first, second, cv2.RANSAC, within, maxIters=_TRIES)
    agreeing = int(np.count_nonzero(in_simple)) if simple is not None else 0
    if move is not None and _SIMPLE_SHARE * np.count_nonzero(inside) > agreeing:
        return np.asarray(move, np.float64), int(np.count_nonzero(inside))
    return (np.vstack([simple, [0.0, 0.0, 1.0]]), agreeing) if simple is not None else (None, 0)


def _that_agree(
    move: Matrix, first: NDArray[np.float32], second: NDArray[np.float32], within: float
) -> NDArray[np.float32]:
    """Return those of the second points (N x 2) that a homography brings their first ones to."""
    second = second.reshape(-1, 2)
    off = np.linalg.norm(transform(move, first.reshape(-1, 2)) - second, axis=1)
    return np.asarray(second[off <= within])


def _is_likely(move: Matrix, shape: tuple[int, ...]) -> bool:
    """Tell whether a camera over a table can have moved so."""
    if not np.isfinite(move).all() or abs(np.linalg.det(move)) < 1e-6:
        return False
    corners = _corners(shape)
    there = transform(move, corners)
    sides = np.linalg.norm(there - np.roll(there, 1, axis=0), axis=1)
    before = np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1)
    return bool((np.abs(sides / before - 1) < _MOST_STRETCH).all())


def _corners(shape: tuple[int, ...]) -> NDArray[np.float64]:
    height, width = shape[:2]
    return np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float64)
