"""Training samples for the strip network: upper ends of cards on which others lie.

In a set that is laid askew the lower cards show little more: the rank, and parts of the suit and of a pip.
The index beside the corner gives the place of the strip.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from datasets.art.cards import CARDS
from models.faces.data import LARGEST, Photograph, Points, SampleMaker, as_taken, some_tilt, turning
from models.faces.labels import IGNORE, NONE, rank_label, suit_label
from models.faces.styles import (
    COURT_PANEL,
    FRAMED_COURTS,
    ArtFaces,
    Face,
    ornament,
    some_card,
)
from vision.geometry import CARD_HEIGHT_MM, CARD_WIDTH_MM, card_plane, transform
from vision.recognition.crops import strip_crop
from vision.recognition.index_finder import INDEX_MM

SMALLEST = 44
"""Least height of a card, pixels. The strip of a smaller one shows nothing."""
_REAL_SHARE, _NOTHING_SHARE = 0.15, 0.05
_FALSE_SHARE = 0.05
"""Share of the samples without an index at the given place."""
_SAME_RANK = 0.5
"""Share of the covering cards with the rank of the covered card: sets are laid together."""
_POOR_SHARE = 0.2
"""Share of the places that are estimated badly."""
_RANK_MM = np.array([(x, y) for x in (3.0, 5.5, 8.0) for y in (4.0, 6.5, 9.0)], np.float64)
"""Points of the rank in an index, mm from the corner of the card."""
_SHOWS, _HIDDEN = 0.35, 0.75
"""A rank that is covered by less than the first share can be read; by more than the second it cannot."""


@dataclass(frozen=True)
class StripSample:
    """The upper end of a card, and its labels (see `models.faces.labels`)."""

    strip: NDArray[np.uint8]
    """STRIP_HEIGHT x STRIP_WIDTH x 3."""
    rank: int
    suit: int


class MirroredCourts(ArtFaces):
    """Decks whose courts are mirrored half the time: some printers put the pip on the other side."""

    def court_panel(self, rng: np.random.Generator, card: str) -> Face | None:
        """Return the framed middle of a court from a random deck, or None if no deck has one."""
        panel = super().court_panel(rng, card)
        return panel if panel is None or rng.random() < 0.5 else panel[:, ::-1]


class StripMaker(SampleMaker):
    """Makes an endless series of samples; the same seed makes the same samples."""

    _deck: dict[str, Face] | None = None
    """The deck of the card that is shown; None if its style is invented."""

    def strip(self) -> StripSample:
        """Make one sample."""
        rng = self.rng
        height = float(np.exp(rng.uniform(*np.log((SMALLEST, LARGEST)))))
        if len(self.real) and rng.random() < _REAL_SHARE:
            self._deck = None
            photo, quad, rank, suit = self._photographed(height)
            card, tilt = "", np.eye(2)
        else:
            tilt = some_tilt(rng)
            photo, quad, card = self._laid(height, tilt)
            rank, suit = rank_label(card), suit_label(card)
        if rng.random() < 0.5:
            quad = np.roll(quad, 2, axis=0)
        self._cover(photo, quad, tilt, card)
        photo.picture = as_taken(rng, photo.picture, height)
        hidden = photo.share_hidden(quad, _RANK_MM)
        if rng.random() < _FALSE_SHARE:
            rank, suit, hidden = NONE, IGNORE, 0.0
            quad = self._elsewhere(quad, height)
        if hidden > _SHOWS:
            rank, suit = (NONE, IGNORE) if hidden > _HIDDEN else (IGNORE, IGNORE)
        return StripSample(strip_crop(photo.picture, estimated_frame(rng, quad)), rank, suit)

    def _face(self, card: str, height: float) -> Face:
        self._deck = None
        return super()._face(card, height)

    def _printed(self, card: str) -> Face:
        name = self.art.deck_with(self.rng, card)
        self._deck = self.art.decks[name]
        framed = name in FRAMED_COURTS and card[:-1] in ("J", "Q", "K")
        return _randomly_mirrored(self._deck[card], self.rng) if framed else self._deck[card]

    def _laid(self, height: float, tilt: Points) -> tuple[Photograph, Points, str]:
        """Return a photo of a card that lies on others, or of a back or an ornament (`BACK`)."""
        rng = self.rng
        photo = Photograph(rng, height)
        centre = np.full(2, photo.size / 2) + rng.normal(0, 0.02, 2) * height
        quad = photo.place(centre, rng.uniform(-np.pi, np.pi), tilt)
        if rng.random() < _NOTHING_SHARE:
            face = self._back() if rng.random() < 0.6 else ornament(rng)
            photo.paste(face, quad, self.mask)
            return photo, quad, "BACK"
        card = some_card(rng)
        face = self._face(card, height)
        for _ in range(int(rng.integers(0, 3))):
            photo.paste(self._other(card), self._beside(quad, -1.0 if rng.random() < 0.7 else 1.0))
        self.recent[int(rng.integers(len(self.recent)))] = face
        photo.paste(face, quad, self.mask)
        return photo, quad, card

    def _other(self, card: str) -> Face:
        """Return the face of another card, mostly of the same deck and often of the same rank."""
        rng = self.rng
        if self._deck is None or rng.random() < 0.2:
            return self._back() if rng.random() < 0.1 else self.recent[int(rng.integers(len(self.recent)))]
        others = [other for other in CARDS if other != card and other in self._deck]
        mates = [other for other in others if other[:-1] == card[:-1]]
        return self._deck[str(rng.choice(mates if mates and rng.random() < _SAME_RANK else others))]

    def _beside(self, quad: Points, down: float) -> Points:
        """Return the quad of a card that was laid together with that at `quad`: lower, or higher for -1."""
        rng = self.rng
        across, along = quad[1] - quad[0], quad[3] - quad[0]
        aside = rng.normal(0, 0.1) if rng.random() < 0.7 else rng.uniform(-0.7, 0.7)
        turn = rng.normal(0, 0.08) if rng.random() < 0.75 else rng.normal(0, 0.6)
        turn += np.pi / 2 * (rng.random() < 0.08)
        middle = quad.mean(axis=0)
        turned = (quad - middle) @ turning(turn)
        return np.asarray(turned + middle + aside * across + down * rng.uniform(0.06, 0.5) * along)

    def _cover(self, photo: Photograph, quad: Points, tilt: Points, card: str) -> None:
        """Lay other cards on the lower part of a card, or anywhere on it, or a finger."""
        rng, kind = self.rng, self.rng.random()
        if kind < 0.75:
            upon = quad
            for _ in range(1 + int(rng.random() < 0.45) + int(rng.random() < 0.2)):
                upon = self._beside(upon, 1.0)
                photo.paste(self._other(card), upon)
                photo.cover(upon)
        elif kind < 0.92:
            angle = float(np.arctan2(*(quad[1] - quad[0])[::-1]))
            self._neighbours(photo, quad, angle, tilt, above=True)
        if rng.random() < 0.05:
            photo.finger()

    def _elsewhere(self, quad: Points, height: float) -> Points:
        """Return a quad without an index at its first corner."""
        if self.rng.random() < 0.4:
            return np.roll(quad, 1, axis=0)
        way = self.rng.normal(0, 1, 2)
        return np.asarray(quad + way / np.linalg.norm(way) * self.rng.uniform(0.25, 0.6) * height)


def _randomly_mirrored(face: Face, rng: np.random.Generator) -> Face:
    """Return a framed court as it is or mirrored; its indices stay."""
    if rng.random() < 0.5:
        return face
    mirrored = face.copy()
    mirrored[COURT_PANEL] = face[COURT_PANEL][:, ::-1]
    return mirrored


def estimated_frame(rng: np.random.Generator, quad: Points) -> NDArray[np.float32]:
    """Return the frame of a card as estimated from the index at its first corner: worst at its far end."""
    spread = 2.5 if rng.random() < _POOR_SHARE else 1.0
    height = float(np.linalg.norm(quad[3] - quad[0]))
    turn, skew = np.radians(spread * rng.normal(0, (2.5, 1.5)))
    place = transform(card_plane(quad), [INDEX_MM])[0] + spread * rng.normal(0, 0.008 * height, 2)
    across, along = np.exp(spread * rng.normal(0, 0.03, 2))
    right, below = (
        across * (quad[1] - quad[0]) @ turning(turn + skew),
        along * (quad[3] - quad[0]) @ turning(turn),
    )
    corner = place - INDEX_MM[0] / CARD_WIDTH_MM * right - INDEX_MM[1] / CARD_HEIGHT_MM * below
    return np.array([corner, corner + right, corner + right + below, corner + below], np.float32)
