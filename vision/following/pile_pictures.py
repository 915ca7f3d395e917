"""The close pictures of the play pile that are kept, and what they show about its cards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from vision.following.certainty import SURE
from vision.following.close_ups import ALIKE, CloseUp, PicturePair
from vision.following.pile_geometry import is_read_as
from vision.table.observations import Observation


@dataclass(frozen=True)
class PairUnderHand(PicturePair):
    """Pictures of the pile as it was left, and under a hand: the latest may not show what the looks did."""

    read: Sequence[Sequence[Observation]] = ()
    """Looks before the hand came."""

    @property
    def free(self) -> bool:
        """See `PicturePair`."""
        return False

    def lay_there(self, card: Observation, alike: float = ALIKE, upon: Sequence[Observation] = ()) -> bool:
        """Return whether a card lay there by the pictures, or was surely read twice in exactly this place."""
        read = (seen for look in self.read for seen in look)
        return super().lay_there(card, alike, upon) or (
            sum(is_read_as(seen, card.best[0], card, SURE) for seen in read) > 1
        )

    def shows_new(self, card: Observation) -> bool:
        """Return False: under a hand, a card may not show."""
        return False


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

    @property
    def since_left(self) -> PicturePair:
        """The pile as it was left, and now."""
        return PicturePair(self.left, self.now)

    def under_hand(self) -> PicturePair:
        """Return the pile as it was left, and now that a hand is over it."""
        return PairUnderHand(self.left, self.now, read=self.read)

    def since_play(self, put: Sequence[Observation] = ()) -> PicturePair:
        """Return the pile before the last play, which `put` cards there, and now."""
        return PicturePair(self.before_play, self.now, put)

    def is_gone(self, card: Observation) -> bool:
        """Return whether a card was visible when the pile was left, and surely is not any more."""
        return PicturePair(self.now, self.left).shows_new(card)

    def changed_with_play(self, card: Observation, *, covered: bool = False) -> bool:
        """Return whether a card shows now, where the last play has surely changed the picture.

        `covered`: it showed when the pile was left, and something has been over the pile since.
        """
        shown = self.left if covered else self.now
        if self.before_play is None or shown is None:
            return False
        return not PicturePair(self.before_play, shown).lay_there(card)
