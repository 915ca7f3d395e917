"""Finding the game on a table at rest: a finished deal, or the places of a game that goes on."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass

from engine.errors import BadInputError
from vision.plane import TablePlane, fit_plane
from vision.questions import NO_DRAW_PILE, NO_ROWS, NO_SEATS, format_question
from vision.table.bare_table import BareTable
from vision.table.deal import SURE_NAME_P, settled_cards
from vision.table.layout import Layout, find_layout, find_missing_part
from vision.table.observations import Observation
from vision.table.relocation import (
    KnownUpCards,
    is_unmoved,
    names_agree,
    plane_in_mid_game,
    relocate_layout,
)
from vision.table.rescaling import rescale_layout
from vision.types import CardReading, Image

Looks = Sequence[list[CardReading]]
"""The readings of several looks at a table at rest, oldest first."""
_MIN_SURE_CARDS = 6
"""If at least this many cards have a certain name, they alone define the plane; the rest may be patterns."""
_MIN_UP_CARDS_TO_ASK = 4
"""The least number of face-up cards without a deal that leads to a question."""


@dataclass(frozen=True, slots=True)
class LayoutFinder:
    """Finds the layout of a game whose deal has a known form."""

    players: Sequence[str] | None
    """Names, clockwise, the first at the bottom edge; None: one player for each row."""
    row_length: int | None
    """The number of up-cards before each player; None: two or three."""
    draw_pile: bool
    """Whether the deal leaves a draw pile."""

    def find_deal(
        self, looks: Looks, frame: Image, bare_table: BareTable | None
    ) -> tuple[Layout, list[Observation]] | None:
        """Return the layout of a finished deal and the cards on the table; None if it is not certain.

        A table's pattern may look like cards. So readings without a certain name at unchanged places are
        first left out. They count if there is no deal without them, because it may be older than the first
        picture.

        Args:
            looks: The readings of several looks, oldest first.
            frame: The picture of the last look.
            bare_table: The table before the game; None: not known.
        """
        height, width = frame.shape[:2]
        dealt = [[r for r in look if not _is_pattern(r, frame, bare_table)] for look in looks]
        for readings in (dealt, looks) if dealt != looks else (looks,):
            plane = _plane(readings, width, height)
            if plane is None:
                continue
            settled = settled_cards(readings, plane)
            layout = find_layout(
                settled, plane, width, height, self.players, self.row_length, draw_pile=self.draw_pile
            )
            if layout is not None:
                return layout, settled
        return None

    def missing_question(self, looks: Looks, width: int, height: int) -> str | None:
        """Return the question to ask if the face-up cards are not a deal; None if there are too few cards.

        `width` and `height` are those of the picture, in pixels.
        """
        plane = plane_in_mid_game(looks[-1], width, height)
        settled = settled_cards(looks, plane) if plane is not None else []
        if sum(card.face == "up" for card in settled) < _MIN_UP_CARDS_TO_ASK:
            return None
        count = len(self.players) if self.players else None
        missing, rows = find_missing_part(settled, count, self.row_length, draw_pile=self.draw_pile)
        if missing == "rows":
            return format_question(NO_ROWS, found=rows, wanted=count or 2)
        return format_question(NO_DRAW_PILE if missing == "draw" else NO_SEATS)

    def relocate(
        self, looks: Looks, earlier: Layout, known: KnownUpCards, width: int, height: int
    ) -> Layout | None:
        """Return the layout of a continued game in this view; None if it is not certain.

        Args:
            looks: The readings of several looks, oldest first.
            earlier: The layout of this game in an earlier view.
            known: The face-up cards that each player is known to have.
            width: The width of the pictures, in pixels.
            height: Their height.
        """
        with contextlib.suppress(BadInputError):  # the phone may have been turned on its side
            layout = rescale_layout(earlier, width, height)
            if is_unmoved(layout, settled_cards(looks, layout.plane), known):
                return layout
        plane = plane_in_mid_game(looks[-1], width, height)
        if plane is None:
            return None
        settled = settled_cards(looks, plane)
        again = relocate_layout(earlier, settled, plane, width, height, known)
        if again is not None:
            return again
        # The players may have moved the cards. If they form rows again, the game goes on there.
        names = [seat.player for seat in earlier.seats]
        fresh = find_layout(settled, plane, width, height, names, self.row_length, draw_pile=self.draw_pile)
        return fresh if fresh is not None and names_agree(fresh, settled, known) else None


def _plane(looks: Looks, width: int, height: int) -> TablePlane | None:
    """Return the plane of the table from the up-cards; None if no sensible plane fits.

    Something may hide cards in the last look. Each card with a certain name counts where it was seen last.
    """
    sure: dict[str, CardReading] = {}
    for reading in (reading for look in looks for reading in look if reading.face == "up"):
        if reading.card is not None and reading.confidence >= SURE_NAME_P:
            sure[reading.card] = reading
    up = [reading for reading in looks[-1] if reading.face == "up"]
    cards = list(sure.values()) if len(sure) >= _MIN_SURE_CARDS else up
    return fit_plane([card.quad for card in cards], width, height)


def _is_pattern(reading: CardReading, frame: Image, bare_table: BareTable | None) -> bool:
    """Return whether an up-card without a certain name lies at a place that is unchanged since the start."""
    unsure = reading.face == "up" and (reading.card is None or reading.confidence < SURE_NAME_P)
    return unsure and bare_table is not None and bare_table.is_unchanged(frame, reading.quad)
