"""Pictures of the piles and rows: small ones that show any change, and close ones of the pile."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.following.comparisons import Likeness, compare
from vision.following.duplicates import OFF_MM, SURE_NAME, Before
from vision.following.pile_geometry import is_read_as
from vision.following.sets import Pictured, ShowsNew, unknown
from vision.geometry import CARD_HEIGHT_MM, CARD_WIDTH_MM
from vision.hands.tracks import disc
from vision.table.layout import Layout, Place, Zone
from vision.table.observations import Observation, covers, index_centres
from vision.types import Image

_LIGHT_LEVEL = 25.0
"""A change of light alone changes a place by less than this (0-255)."""
_SWAY_SIGMA_PX = 1.2
"""Smoothing of two pictures of a camera that is held in a hand. Each may be off by a part of a pixel. In one
film that sways by 3 pixels, half of the pictures of a draw pile that nobody touches differ by 0.13 or more.
If smoothed, they differ by 0.01. Draws change them by 0.16 or more either way. With a camera on a stand,
smoothing would only hide the edge of the next card of a neat pile."""
_OTHER_LEVEL, OTHER_SHARE = 10.0, 0.08
"""A place has changed if more than this share of its pixels differs by more than this level (0-255). A change
of the light does not count. At rest almost none differ; a card put on another changes a fifth or more."""
PATCH_MM = 50.0
"""Half the side of a small picture: it reaches at least this far from the middle of a place."""
_CLOSE_MM = 130.0
"""Half the side of a close picture: it shows all cards whose middle is on the pile."""
_FINE = 1.5
"""Pixels per millimetre of a close picture, about as many as in a full-HD picture of a table."""
_INDEX_REACH_MM = (6.0, 11.0)
"""Half the width and height of the compared part: an index and its surroundings."""
_SLIP_MM = 3.0
"""A card's outline may be this far off."""
ALIKE, ALL_BUT_THE_SAME, MUCH_ALIKE = 0.9, 0.95, 0.8
"""Correlation above which two pictures show the same index. The second number is for strong evidence against
it, the third for strong evidence for it."""
_UNLIKE = 0.8
"""Correlation below which two pictures surely show different things."""
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
_NOT_TURNED = 90.0
"""The angle of an upright window, in degrees."""
_INK_MM = (3.5, 9.0)
"""Half the width and height of the ink of an index; farther out, another card shows."""


@dataclass(frozen=True, slots=True, eq=False)
class Patch:
    """A small picture of one place."""

    pixels: Image
    """Height x width x 3, BGR."""
    hand_held: bool = False
    """Whether the camera sways, so that the picture may be off by a part of a pixel."""

    def is_comparable(self, other: Patch) -> bool:
        """Return whether the two have the same size, and the camera is held alike."""
        return self.pixels.shape == other.pixels.shape and self.hand_held == other.hand_held


def patch_box(layout: Layout, zone: Zone, scale: float) -> NDArray[np.int64]:
    """Return the corners (2 x 2: top left, bottom right) of a zone's patch in the small picture.

    `scale` is that of the small picture: its pixels per full pixel.
    """
    place = layout.place_of(zone)
    assert place is not None
    corners = layout.plane.to_pixels(disc(place, PATCH_MM)) * scale
    low, high = np.floor(corners.min(axis=0)), np.ceil(corners.max(axis=0)) + 1
    return np.maximum(np.stack([low, high]).astype(np.int64), 0)


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
        size = tuple(round(2 * side * _FINE) for side in half)
        middle = (np.array(place) - self.corner) * _FINE
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
        cv2.fillConvexPoly(drawn, np.round(np.array(corners) * _FINE).astype(np.int32), 1)
        return drawn > 0


def close_up(frame: Image, layout: Layout, place: Place, *, hand_held: bool = False) -> CloseUp:
    """Return the close picture of the table around a place (mm)."""
    corner = (place[0] - _CLOSE_MM, place[1] - _CLOSE_MM)
    side = round(2 * _CLOSE_MM * _FINE)
    move = np.array([[_FINE, 0, -corner[0] * _FINE], [0, _FINE, -corner[1] * _FINE], [0, 0, 1]])
    flat = cv2.warpPerspective(frame, move @ layout.plane.to_table, (side, side), flags=cv2.INTER_LINEAR)
    return CloseUp(np.asarray(flat, np.uint8), corner, hand_held)


@dataclass(slots=True)
class PilePictures:
    """Close pictures of the play pile."""

    now: CloseUp | None = None
    left: CloseUp | None = None
    """The pile when it was last left uncovered."""
    before_play: CloseUp | None = None
    """The pile when it was left before the last play."""
    read: Sequence[Sequence[Observation]] = ()
    """Looks at the pile before a hand came."""

    def lay_there(self, card: Observation, alike: float = ALIKE) -> bool:
        """Return whether a card also shows in the picture of the pile as it was left."""
        return lay_there_before(card, self.left, self.now, alike)

    def shows_new(self, card: Observation) -> bool:
        """Return whether a card's indices surely show nothing similar in the picture of the pile as left."""
        return was_not_there(card, self.left, self.now)

    def came_with_play(self, card: Observation) -> bool:
        """Return whether a card's indices surely show nothing similar in the picture before the last play."""
        return was_not_there(card, self.before_play, self.now)

    def looks_otherwise(self, card: Observation) -> bool:
        """Return whether a card's whole place surely looks different from the pile as it was left."""
        return looks_otherwise(card, self.left, self.now)

    def rest_looks_otherwise(self, card: Observation, upon: Sequence[Observation]) -> bool:
        """Return whether a card's part beside those `upon` it surely changed since the pile was left."""
        return rest_looks_otherwise(card, upon, self.left, self.now)

    def is_bare_beside(self, card: Observation, upon: Sequence[Observation]) -> bool:
        """Return whether a card has surely gone, by what shows of its place beside those `upon` it."""
        return is_bare_beside(card, upon, self.now)

    def is_gone(self, card: Observation) -> bool:
        """Return whether a card was visible when the pile was left, and surely is not any more."""
        return was_not_there(card, self.now, self.left)

    def before(self, free: bool) -> Before:
        """Return the evidence of pictures from before; `free`: no hand is there now."""
        # Under a hand, the latest picture may not show any more what the looks did.
        hidden = self.shows_new if free else unknown
        placed = self.lay_there if free else self._lay_there_or_was_read
        return Before(placed, hidden, self.rest_lay_there, free, self._edge_stays, self._shows_beside)

    def _lay_there_or_was_read(self, card: Observation) -> bool:
        return self.lay_there(card) or self.was_read(card)

    def was_read(self, card: Observation) -> bool:
        """Return whether two looks before a hand came surely read a card in exactly this place."""
        read = (seen for look in self.read for seen in look)
        return sum(is_read_as(seen, card.best[0], card, SURE_NAME) for seen in read) > 1

    def _shows_beside(self, card: Observation, other: Observation) -> bool:
        return index_shows_beside(card, other, self.left, self.now)

    def _edge_stays(self, card: Observation, upon: Sequence[Observation]) -> bool:
        return edge_as_before(card, upon, self.left, self.now)

    def since_left(self) -> Pictured:
        """Return the evidence of changes since the pile was left."""
        return self._since(self.left, self.shows_new)

    def _since(self, before: CloseUp | None, new: ShowsNew, put: Sequence[Observation] = ()) -> Pictured:
        def stays(card: Observation, upon: Sequence[Observation], alike: Sequence[Observation]) -> bool:
            came = any(card is other for other in put)
            return not came and stays_beneath(card, upon, alike, before, self.now)

        return Pictured(new, stays, lambda card: looks_otherwise(card, before, self.now))

    def since_play(self, put: Sequence[Observation]) -> Pictured:
        """Return the evidence of changes since before the last play, which `put` cards there."""
        return self._since(self.before_play, self.came_with_play, put)

    def lay_there_before_play(
        self, card: Observation, alike: float = ALIKE, upon: Sequence[Observation] = ()
    ) -> bool:
        """Return whether a card also shows in the picture before the last play; see `lay_there_before`."""
        return lay_there_before(card, self.before_play, self.now, alike, upon)

    def rest_lay_there(self, card: Observation, upon: Sequence[Observation]) -> bool:
        """Return whether a card's part beside the new cards `upon` it looks as when the pile was left."""
        return rest_looks_as_before(card, upon, self.left, self.now)

    def rest_lay_there_before_play(self, card: Observation, upon: Sequence[Observation]) -> bool:
        """Return whether a card's part beside the cards `upon` it looks as before the last play."""
        return rest_looks_as_before(card, upon, self.before_play, self.now)

    def changed_with_play(self, card: Observation, *, covered: bool = False) -> bool:
        """Return whether a card shows now, where the last play has surely changed the picture.

        `covered`: it showed when the pile was left, and something has been over the pile since.
        """
        shown = self.left if covered else self.now
        if self.before_play is None or shown is None:
            return False
        return not lay_there_before(card, self.before_play, shown)


def lay_there_before(
    card: Observation,
    before: CloseUp | None,
    now: CloseUp | None,
    alike: float = ALIKE,
    upon: Sequence[Observation] = (),
) -> bool:
    """Return whether one of a card's two indices shows in both pictures: it lay there all along.

    A card just put down, or one under it, has other indices in these places. Return False if the pictures do
    not show them. An index that the cards `upon` it hide proves nothing, if the other one shows.
    """
    shown = [at for at in index_centres(card) if not any(covers(upper, at, -OFF_MM) for upper in upon)]
    places = shown or index_centres(card)
    return any(likeness > alike for likeness in _likenesses(card, before, now, places))


def looks_as_before(card: Observation, before: CloseUp | None, now: CloseUp | None) -> bool:
    """Return whether the whole place of a card looks unchanged; False if no picture shows it."""
    likeness = _likeness_of_place(card, before, now)
    return likeness is not None and likeness > ALIKE


def looks_otherwise(card: Observation, before: CloseUp | None, now: CloseUp | None) -> bool:
    """Return whether the whole place of a card surely looks different from before."""
    likeness = _likeness_of_place(card, before, now)
    return likeness is not None and likeness < _UNLIKE


def _likeness_of_place(card: Observation, before: CloseUp | None, now: CloseUp | None) -> float | None:
    """Return the likeness of a card's place now and before (1: the same); None if not shown."""
    if before is None or now is None:
        return None

    def likeness() -> Likeness:
        half = (CARD_WIDTH_MM / 2, CARD_HEIGHT_MM / 2)
        was, place = (picture.window(card.place, card.angle, half) for picture in (before, now))
        if was is None or place is None or _contrast(place) < _LEAST_INK:
            return None
        return float(cv2.matchTemplate(was, place, cv2.TM_CCOEFF_NORMED)[0, 0])

    return compare("card", before.pixels, now.pixels, _pose(card), likeness)


def rest_looks_as_before(
    card: Observation, upon: Sequence[Observation], before: CloseUp | None, now: CloseUp | None
) -> bool:
    """Return whether a card's part beside those `upon` it looks as before they came there.

    If so, it has not come with them. Return False if the pictures do not show it, or too little of it.
    """
    likeness = _likeness_of_rest(card, upon, before, now)
    return likeness is not None and likeness > ALIKE


def rest_looks_otherwise(
    card: Observation, upon: Sequence[Observation], before: CloseUp | None, now: CloseUp | None
) -> bool:
    """Return whether a card's part beside those `upon` it surely looks different from before.

    If so, it has come with them. Return False if the pictures do not show it, or too little of it.
    """
    likeness = _likeness_of_rest(card, upon, before, now)
    return likeness is not None and likeness < _UNLIKE


def _likeness_of_rest(
    card: Observation, upon: Sequence[Observation], before: CloseUp | None, now: CloseUp | None
) -> float | None:
    """Return the likeness of a card's part beside those `upon` it, now and before; None if unclear."""
    if before is None or now is None:
        return None

    def likeness() -> Likeness:
        if before.corner != now.corner:
            return None
        return _likeness_of(before, now, _beside(now, upon, now.mask(card, -_SLIP_MM), _SHADOW_MM))

    return compare("rest", before.pixels, now.pixels, _poses(card, upon), likeness)


def is_bare_beside(card: Observation, upon: Sequence[Observation], now: CloseUp | None) -> bool:
    """Return whether a card has surely gone, by what shows of its place beside those `upon` it.

    If so, nothing there is as light as the paper of the other cards. Return False if too little shows.
    """
    if now is None or not upon:
        return False

    def paper() -> Likeness:
        shows = _beside(now, upon, now.mask(card, -_SLIP_MM), _SHADOW_MM)
        whole = now.mask(upon[-1], -_SLIP_MM)
        if shows.sum() < _LEAST_SHOWN_MM2 * _FINE**2 or not whole.any():
            return None
        level = np.percentile(now.pixels[whole], _PAPER_PERCENTILE, axis=0)
        off = np.abs(now.pixels[shows] - level).max(axis=1)
        return float((off < _NO_PAPER * level.max()).mean())

    share = compare("paper", now.pixels, now.pixels, _poses(card, upon), paper)
    return share is not None and share < _LEAST_PAPER


def edge_as_before(
    card: Observation, upon: Sequence[Observation], before: CloseUp | None, now: CloseUp | None
) -> bool:
    """Return whether a card's edge, beside the cards `upon` it, is exactly where it was.

    If so, the card has not been moved. Return False if the pictures do not show it, or too little of it.
    """
    if before is None or now is None:
        return False

    def likeness() -> Likeness:
        if before.corner != now.corner:
            return None
        shows = _beside(now, upon, now.mask(card, _EDGE_MM), _SLIP_MM)
        sides = now.mask(card, -_BESIDE_EDGE_MM), ~now.mask(card, _BESIDE_EDGE_MM)
        if min((shows & side).sum() for side in sides) < _LEAST_EDGE_MM2 * _FINE**2:
            return None
        return _likeness_of(before, now, shows)

    return _is_same(compare("edge", before.pixels, now.pixels, _poses(card, upon), likeness))


def stays_beneath(
    card: Observation,
    upon: Sequence[Observation],
    alike: Sequence[Observation],
    before: CloseUp | None,
    now: CloseUp | None,
) -> bool:
    """Return whether a card surely still lies beneath those `upon` it, and none of `alike` is this card.

    One of `alike` is the card, badly outlined, if everything of the card that it would cover looks unchanged.
    """
    if before is None or now is None or not edge_as_before(card, upon, before, now):
        return False
    for one in alike:
        others = [other for other in upon if other is not one]
        if _is_same(_likeness_beneath(card, one, others, before, now)):
            return False
    return True


def _likeness_beneath(
    card: Observation, one: Observation, others: Sequence[Observation], before: CloseUp, now: CloseUp
) -> Likeness:
    """Return the likeness, now and before, of the part of a card that only `one` covers."""

    def likeness() -> Likeness:
        inside = now.mask(card, -_BESIDE_EDGE_MM) & now.mask(one, -_BESIDE_EDGE_MM)
        return _likeness_of(before, now, _beside(now, others, inside, _SLIP_MM))

    return compare("beneath", before.pixels, now.pixels, _poses(card, [one, *others]), likeness)


def _beside(
    picture: CloseUp, upon: Sequence[Observation], place: NDArray[np.bool_], margin: float
) -> NDArray[np.bool_]:
    """Return the part of a place that shows beside the cards on it, and a margin (mm) around them."""
    for upper in upon:
        place &= ~picture.mask(upper, margin)
    return place


def _is_same(likeness: Likeness) -> bool:
    """Return whether a place shows the same in two pictures; False if too little shows there."""
    return likeness is not None and likeness > ALIKE


def _pose(card: Observation) -> tuple[float, float, float]:
    return card.x, card.y, card.angle


def _poses(card: Observation, others: Sequence[Observation]) -> tuple[float, ...]:
    return tuple(value for one in (card, *others) for value in _pose(one))


def _likeness_of(before: CloseUp, now: CloseUp, shows: NDArray[np.bool_]) -> float | None:
    """Return the likeness of the part that `shows`, now and before (1: the same); None if too small."""
    if shows.sum() < _LEAST_SHOWN_MM2 * _FINE**2:
        return None
    was, place = (picture.pixels[shows].astype(np.float64) for picture in (before, now))
    if place.std(axis=0).max() < _LEAST_INK:
        return None
    was, place = was - was.mean(axis=0), place - place.mean(axis=0)
    return float((was * place).sum() / max(1.0, np.linalg.norm(was) * np.linalg.norm(place)))


def index_shows_beside(
    card: Observation, other: Observation, before: CloseUp | None, now: CloseUp | None
) -> bool:
    """Return whether a card's index that another would hide, if it lay on the card, looks unchanged.

    If so, the other card lies beneath. Return False if the pictures do not show it.
    """
    likenesses = (
        _likeness_at(place, card.angle, before, now)
        for place in index_centres(card)
        if covers(other, place, -OFF_MM)
    )
    return any(likeness is not None and likeness > ALIKE for likeness in likenesses)


def was_not_there(card: Observation, before: CloseUp | None, now: CloseUp | None) -> bool:
    """Return whether both places of a card's indices look different from before.

    Return False if the pictures show neither.
    """
    likenesses = list(_likenesses(card, before, now))
    return bool(likenesses) and max(likenesses) < _UNLIKE


def _likenesses(
    card: Observation, before: CloseUp | None, now: CloseUp | None, places: Iterable[Place] | None = None
) -> Iterator[float]:
    """Yield the likeness of places of a card's indices, now and before (1: the same), if comparable."""
    for place in index_centres(card) if places is None else places:
        likeness = _likeness_at(place, card.angle, before, now)
        if likeness is not None:
            yield likeness


def _likeness_at(place: Place, angle: float, before: CloseUp | None, now: CloseUp | None) -> float | None:
    """Return the likeness of an index's place, now and before; None if it cannot be compared."""
    if before is None or now is None:
        return None

    def likeness() -> Likeness:
        wide = (_INDEX_REACH_MM[0] + _SLIP_MM, _INDEX_REACH_MM[1] + _SLIP_MM)
        index = now.window(place, angle, _INDEX_REACH_MM)
        was = before.window(place, angle, wide)
        ink = now.window(place, angle, _INK_MM)
        if index is None or was is None or ink is None or _contrast(ink) < _LEAST_INK:
            return None
        return float(cv2.matchTemplate(was, index, cv2.TM_CCOEFF_NORMED).max())

    return compare("index", before.pixels, now.pixels, (*place, angle), likeness)


def _contrast(ink: Image) -> float:
    """Return the greatest standard deviation of the levels of the three colours."""
    return float(ink.std(axis=(0, 1)).max())


def same_patch(first: Patch | None, second: Patch | None) -> bool:
    """Return whether two small pictures of one place show the same; False if one is missing."""
    return changed_share(first, second) < OTHER_SHARE


def changed_share(first: Patch | None, second: Patch | None) -> float:
    """Return the share of a place that differs between two small pictures; 1 if one is missing.

    A moderate change of the whole picture is a change of the light, and does not count.
    """
    if first is None or second is None:
        return 1.0
    share = compare("patch", first.pixels, second.pixels, (), lambda: _changed_share(first, second))
    return 1.0 if share is None else share


def changed_share_around(place: Place, half: float, first: CloseUp, second: CloseUp) -> float | None:
    """Return the share of a square around a place (mm) that differs between two close pictures.

    None if a part of the square is outside. `half`: half its side, mm.
    """

    def share() -> Likeness:
        before, now = (picture.window(place, _NOT_TURNED, (half, half)) for picture in (first, second))
        if before is None or now is None:
            return None
        return _changed_share(Patch(before, first.hand_held), Patch(now, second.hand_held))

    return compare("around", first.pixels, second.pixels, (*place, half), share)


def _changed_share(first: Patch, second: Patch) -> float:
    before, now = first.pixels, second.pixels
    if before.shape != now.shape or before.size == 0:
        return 1.0
    if first.hand_held and second.hand_held:
        before, now = _smoothed(before), _smoothed(now)
    change = before.astype(np.int16) - now.astype(np.int16)
    light = np.median(change, axis=(0, 1))
    if np.abs(light).max() > _LIGHT_LEVEL:
        return 1.0
    return float((np.abs(change - light).max(axis=-1) > _OTHER_LEVEL).mean())


def _smoothed(pixels: Image) -> Image:
    return np.asarray(cv2.GaussianBlur(pixels, (0, 0), _SWAY_SIGMA_PX), np.uint8)
