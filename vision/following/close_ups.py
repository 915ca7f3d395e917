"""Close pictures of the piles, and comparisons of two of them: of one card's place, or of a part of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.following.comparisons import Kind, Likeness, compare
from vision.following.patches import Patch, share_of_change
from vision.following.pile_geometry import OFF_MM
from vision.geometry import CARD_HEIGHT_MM, CARD_WIDTH_MM
from vision.table.layout import Layout, Place
from vision.table.observations import Observation, covers, index_centres
from vision.types import Image

_CLOSE_MM = 130.0
"""Half the side of a close picture: it shows all cards whose middle is on the pile."""
_PIXELS_PER_MM = 1.5
"""Pixels per millimetre of a close picture, about as many as in a full-HD picture of a table."""
_INDEX_REACH_MM = (6.0, 11.0)
"""Half the width and height of the compared part: an index and its surroundings."""
_SLIP_MM = 3.0
"""A card's outline may be this far off."""
ALIKE, ALL_BUT_THE_SAME, MUCH_ALIKE = 0.9, 0.95, 0.8
"""Correlation above which two pictures show the same index. The second number is for strong evidence against
it, the third for strong evidence for it."""
_LEAST_INK = 12.0
"""Standard deviation of the levels (0-255) of each colour below which a place shows too little to compare."""
_SHADOW_MM = 5.0
"""A card's shadow reaches this far around it, and its outline may be off."""
_EDGE_MM, _BESIDE_EDGE_MM, _LEAST_EDGE_MM2 = 4.0, 1.0, 60.0
"""An edge is compared this far beyond the card, but no nearer to the edge than the second number. At least
this area must show on each side."""
_LEAST_SHOWN_MM2 = 150.0
"""A partly covered card must show at least this area for a comparison."""
_PAPER_PERCENTILE, _NO_PAPER = 80.0, 0.25
"""Most of a card is paper with some ink on it, so this percentile of its levels is that of paper. A level
that differs by more than the second share is not paper."""
_LEAST_PAPER = 0.1
"""At least this share of a visible card is paper; picture cards have the most ink."""
_UPRIGHT_DEGREES = 90.0
"""The angle of an upright window, in degrees."""
_INK_MM = (3.5, 9.0)
"""Half the width and height of the ink of an index; farther out, another card shows."""


@dataclass(frozen=True, slots=True, eq=False)
class CloseUp:
    """A part of the table, seen from straight above."""

    pixels: Image
    """Height x width x 3, BGR: in grey, a red ace looks much like a black one."""
    corner: Place
    """The place of the first pixel's middle on the table, mm."""
    hand_held: bool = False
    """As of `Patch`."""

    def window(self, place: Place, angle: float, half: Place) -> NDArray[np.uint8] | None:
        """Return the upright picture of a turned rectangle, or None if a part of it is outside.

        Args:
            place: Its middle, mm.
            angle: Direction of its height, degrees, as `Observation.angle`.
            half: Half its width and height, mm.
        """
        along = np.array([math.cos(math.radians(angle)), math.sin(math.radians(angle))])
        across = np.array([along[1], -along[0]])
        size = tuple(round(2 * side * _PIXELS_PER_MM) for side in half)
        middle = (np.array(place) - self.corner) * _PIXELS_PER_MM
        first = middle - across * (size[0] - 1) / 2 - along * (size[1] - 1) / 2
        ends = first + np.outer([0, 1, 0, 1], across * size[0]) + np.outer([0, 0, 1, 1], along * size[1])
        if ends.min() < 0 or (ends.max(axis=0) > self.pixels.shape[1::-1]).any():
            return None
        matrix = np.column_stack([across, along, first])
        flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        return np.asarray(cv2.warpAffine(self.pixels, matrix, size, flags=flags), np.uint8)

    def mask(self, card: Observation, margin: float) -> NDArray[np.bool_]:
        """Return the mask (height x width) of a card and a margin (mm) around it."""
        along = np.array([math.cos(math.radians(card.angle)), math.sin(math.radians(card.angle))])
        along, across = along * (CARD_HEIGHT_MM / 2 + margin), along[::-1] * (CARD_WIDTH_MM / 2 + margin)
        across = across * (-1, 1)
        middle = np.array(card.place) - self.corner
        corners = [middle - along - across, middle - along + across, middle + along + across]
        corners.append(middle + along - across)
        drawn = np.zeros(self.pixels.shape[:2], np.uint8)
        cv2.fillConvexPoly(drawn, np.round(np.array(corners) * _PIXELS_PER_MM).astype(np.int32), 1)
        return drawn > 0


def close_up(frame: Image, layout: Layout, place: Place, *, hand_held: bool = False) -> CloseUp:
    """Return the close picture of the table around a place (mm)."""
    corner = (place[0] - _CLOSE_MM, place[1] - _CLOSE_MM)
    side = round(2 * _CLOSE_MM * _PIXELS_PER_MM)
    move = np.array(
        [
            [_PIXELS_PER_MM, 0, -corner[0] * _PIXELS_PER_MM],
            [0, _PIXELS_PER_MM, -corner[1] * _PIXELS_PER_MM],
            [0, 0, 1],
        ]
    )
    flat = cv2.warpPerspective(frame, move @ layout.plane.to_table, (side, side), flags=cv2.INTER_LINEAR)
    return CloseUp(np.asarray(flat, np.uint8), corner, hand_held)


@dataclass(frozen=True)
class PicturePair:
    """Two pictures of one place. Either may be missing; every answer is then False."""

    before: CloseUp | None = None
    now: CloseUp | None = None
    came: Sequence[Observation] = ()
    """Cards that are known to have come between the two."""

    @property
    def free(self) -> bool:
        """Whether no hand is there now; a hand may be moving the cards."""
        return True

    # -- a card's indices ------------------------------------------------------------------------------

    def lay_there(self, card: Observation, alike: float = ALIKE, upon: Sequence[Observation] = ()) -> bool:
        """Return whether one of a card's two indices shows in both pictures: it lay there all along.

        A card just put down, or one under it, has other indices in these places. An index that the cards
        `upon` it hide proves nothing, if the other one shows.
        """
        shown = [at for at in index_centres(card) if not any(covers(upper, at, -OFF_MM) for upper in upon)]
        places = shown or index_centres(card)
        return any(likeness > alike for likeness in self._of_indices(card, places))

    def shows_new(self, card: Observation) -> bool:
        """Return whether both places of a card's indices look different, as far as the pictures show them."""
        likenesses = list(self._of_indices(card, index_centres(card)))
        return bool(likenesses) and max(likenesses) < MUCH_ALIKE

    def index_shows_beside(self, card: Observation, other: Observation) -> bool:
        """Return whether a card's index that another would hide, if it lay on the card, looks unchanged.

        If so, the other card lies beneath.
        """
        hidden = (place for place in index_centres(card) if covers(other, place, -OFF_MM))
        return any(likeness > ALIKE for likeness in self._of_indices(card, hidden))

    def _of_indices(self, card: Observation, places: Iterable[Place]) -> Iterator[float]:
        """Yield the likeness of places of a card's indices, if they can be compared."""
        for place in places:
            where = (*place, card.angle)
            likeness = self._compare("index", where, partial(_likeness_of_index, place, card.angle))
            if likeness is not None:
                yield likeness

    # -- a card's whole place --------------------------------------------------------------------------

    def looks_as_before(self, card: Observation) -> bool:
        """Return whether the whole place of a card looks unchanged."""
        return _is_same(self._of_card(card))

    def looks_otherwise(self, card: Observation) -> bool:
        """Return whether the whole place of a card surely looks different."""
        return _is_other(self._of_card(card))

    def _of_card(self, card: Observation) -> Likeness:
        """Return the likeness of a card's place; None if not shown."""

        def likeness(before: CloseUp, now: CloseUp) -> Likeness:
            half = (CARD_WIDTH_MM / 2, CARD_HEIGHT_MM / 2)
            was, place = (picture.window(card.place, card.angle, half) for picture in (before, now))
            if was is None or place is None or _contrast(place) < _LEAST_INK:
                return None
            return float(cv2.matchTemplate(was, place, cv2.TM_CCOEFF_NORMED)[0, 0])

        return self._compare("card", _pose(card), likeness)

    # -- the part of a card that shows beside the cards on it ------------------------------------------

    def looks_as_before_beside(self, card: Observation, upon: Sequence[Observation]) -> bool:
        """Return whether a card's part beside those `upon` it looks unchanged: it has not come with them."""
        return _is_same(self._of_part(card, upon))

    def looks_otherwise_beside(self, card: Observation, upon: Sequence[Observation]) -> bool:
        """Return whether a card's part beside those `upon` it surely looks different: it came with them."""
        return _is_other(self._of_part(card, upon))

    def _of_part(self, card: Observation, upon: Sequence[Observation]) -> Likeness:
        """Return the likeness of a card's part beside those `upon` it; None if unclear."""

        def likeness(before: CloseUp, now: CloseUp) -> Likeness:
            return _likeness_of(before, now, _beside(now, upon, now.mask(card, -_SLIP_MM), _SHADOW_MM))

        return self._compare("rest", _poses(card, upon), likeness)

    def is_bare_beside(self, card: Observation, upon: Sequence[Observation]) -> bool:
        """Return whether a card has surely gone, by what shows now of its place beside those `upon` it.

        If so, nothing there is as light as the paper of the other cards.
        """
        now = self.now
        if now is None or not upon:
            return False

        def paper() -> Likeness:
            shows = _beside(now, upon, now.mask(card, -_SLIP_MM), _SHADOW_MM)
            whole = now.mask(upon[-1], -_SLIP_MM)
            if shows.sum() < _LEAST_SHOWN_MM2 * _PIXELS_PER_MM**2 or not whole.any():
                return None
            level = np.percentile(now.pixels[whole], _PAPER_PERCENTILE, axis=0)
            off = np.abs(now.pixels[shows] - level).max(axis=1)
            return float((off < _NO_PAPER * level.max()).mean())

        share = compare("paper", now.pixels, now.pixels, _poses(card, upon), paper)
        return share is not None and share < _LEAST_PAPER

    def edge_as_before(self, card: Observation, upon: Sequence[Observation]) -> bool:
        """Return whether a card's edge, beside the cards `upon` it, is exactly where it was.

        If so, the card has not been moved.
        """

        def likeness(before: CloseUp, now: CloseUp) -> Likeness:
            shows = _beside(now, upon, now.mask(card, _EDGE_MM), _SLIP_MM)
            sides = now.mask(card, -_BESIDE_EDGE_MM), ~now.mask(card, _BESIDE_EDGE_MM)
            if min((shows & side).sum() for side in sides) < _LEAST_EDGE_MM2 * _PIXELS_PER_MM**2:
                return None
            return _likeness_of(before, now, shows)

        return _is_same(self._compare("edge", _poses(card, upon), likeness))

    def stays_beneath(
        self, card: Observation, upon: Sequence[Observation], alike: Sequence[Observation]
    ) -> bool:
        """Return whether a card surely still lies beneath those `upon` it, and none of `alike` is this card.

        One of `alike` is the card, badly outlined, if everything of the card that it would cover looks
        unchanged.
        """
        if any(card is other for other in self.came) or not self.edge_as_before(card, upon):
            return False
        return not any(
            _is_same(self._of_covered(card, one, [other for other in upon if other is not one]))
            for one in alike
        )

    def _of_covered(self, card: Observation, one: Observation, others: Sequence[Observation]) -> Likeness:
        """Return the likeness of the part of a card that only `one` covers."""

        def likeness(before: CloseUp, now: CloseUp) -> Likeness:
            inside = now.mask(card, -_BESIDE_EDGE_MM) & now.mask(one, -_BESIDE_EDGE_MM)
            return _likeness_of(before, now, _beside(now, others, inside, _SLIP_MM))

        return self._compare("beneath", _poses(card, [one, *others]), likeness)

    # -- any place -------------------------------------------------------------------------------------

    def changed_share_around(self, place: Place, half: float) -> float | None:
        """Return the share of a square around a place (mm) that differs.

        None if a part of the square is outside. `half`: half its side, mm.
        """

        def share(first: CloseUp, second: CloseUp) -> Likeness:
            before, now = (
                picture.window(place, _UPRIGHT_DEGREES, (half, half)) for picture in (first, second)
            )
            if before is None or now is None:
                return None
            return share_of_change(Patch(before, first.hand_held), Patch(now, second.hand_held))

        return self._compare("around", (*place, half), share)

    def _compare(
        self, kind: Kind, where: tuple[float, ...], likeness: Callable[[CloseUp, CloseUp], Likeness]
    ) -> Likeness:
        """Return how alike the pictures are at a place; None if one is missing, or they show too little."""
        before, now = self.before, self.now
        if before is None or now is None:
            return None
        return compare(kind, before.pixels, now.pixels, where, lambda: likeness(before, now))


NO_PICTURES = PicturePair()
"""A pair without pictures: it shows nothing."""


def _beside(
    picture: CloseUp, upon: Sequence[Observation], place: NDArray[np.bool_], margin: float
) -> NDArray[np.bool_]:
    """Return the part of a place that shows beside the cards on it, and a margin (mm) around them."""
    for upper in upon:
        place &= ~picture.mask(upper, margin)
    return place


def _likeness_of_index(place: Place, angle: float, before: CloseUp, now: CloseUp) -> Likeness:
    """Return the likeness of an index's place, now and before; None if it cannot be compared."""
    wide = (_INDEX_REACH_MM[0] + _SLIP_MM, _INDEX_REACH_MM[1] + _SLIP_MM)
    index = now.window(place, angle, _INDEX_REACH_MM)
    was = before.window(place, angle, wide)
    ink = now.window(place, angle, _INK_MM)
    if index is None or was is None or ink is None or _contrast(ink) < _LEAST_INK:
        return None
    return float(cv2.matchTemplate(was, index, cv2.TM_CCOEFF_NORMED).max())


def _is_same(likeness: Likeness) -> bool:
    """Return whether a place shows the same in two pictures; False if too little shows there."""
    return likeness is not None and likeness > ALIKE


def _is_other(likeness: Likeness) -> bool:
    """Return whether a place surely shows something else; False if too little shows there."""
    return likeness is not None and likeness < MUCH_ALIKE


def _pose(card: Observation) -> tuple[float, float, float]:
    return card.x, card.y, card.angle


def _poses(card: Observation, others: Sequence[Observation]) -> tuple[float, ...]:
    return tuple(value for one in (card, *others) for value in _pose(one))


def _likeness_of(before: CloseUp, now: CloseUp, shows: NDArray[np.bool_]) -> float | None:
    """Return the likeness of the part that `shows`, now and before (1: the same); None if too small."""
    if before.corner != now.corner or shows.sum() < _LEAST_SHOWN_MM2 * _PIXELS_PER_MM**2:
        return None
    was, place = (picture.pixels[shows].astype(np.float64) for picture in (before, now))
    if place.std(axis=0).max() < _LEAST_INK:
        return None
    was, place = was - was.mean(axis=0), place - place.mean(axis=0)
    return float((was * place).sum() / max(1.0, np.linalg.norm(was) * np.linalg.norm(place)))


def _contrast(ink: Image) -> float:
    """Return the greatest standard deviation of the levels of the three colours."""
    return float(ink.std(axis=(0, 1)).max())
