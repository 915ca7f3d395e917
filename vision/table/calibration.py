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
"""What was read in several looks at a table that rests, oldest first."""
_MIN_SURE_CARDS = 6
"""So many cards that are surely named tell how the table lies; what else looks like one may be a pattern."""
_MIN_UP_CARDS_TO_ASK = 4
"""So many face-up cards that are no deal are asked about."""


@dataclass(frozen=True, slots=True)
class LayoutFinder:
    """Knows what a deal of the game looks like."""

    players: Sequence[str] | None
    """Clockwise, the first at the bottom edge; None: as many as there are rows."""
    row_length: int | None
    """How many up-cards lie before each player; None: two or three."""
    draw_pile: bool
    """Whether the deal leaves one."""

    def find_deal(
        self, looks: Looks, frame: Image, bare_table: BareTable | None
    ) -> tuple[Layout, list[Observation]] | None:
        """Return where seats and piles are and the cards that lie there; None while that is not sure.

        A table's pattern may look like cards: what lay there from the first (`tabletop`) and bears no sure
        name counts only where the deal is not found without it; it may have been dealt before the first
        picture.
        """
        height, width = frame.shape[:2]
        dealt = [[r for r in look if not _is_pattern(r, frame, bare_table)] for look in looks]
        for readings in (dealt, looks) if dealt != looks else (looks,):
            plane = _plane(readings[-1], width, height)
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
        """Return what is asked where cards have long lain open, and are no deal; None where too few do."""
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
        """Return where the layout of the game that goes on lies in this view; None while that is not sure."""
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
        # The cards themselves may have been moved: then the game goes on where they lie as dealt.
        names = [seat.player for seat in earlier.seats]
        fresh = find_layout(settled, plane, width, height, names, self.row_length, draw_pile=self.draw_pile)
        return fresh if fresh is not None and names_agree(fresh, settled, known) else None


def _plane(readings: Sequence[CardReading], width: int, height: int) -> TablePlane | None:
    """Return the table's plane as the up-cards tell it; None where nothing sensible comes out."""
    up = [reading for reading in readings if reading.face == "up"]
    sure = [reading for reading in up if reading.card is not None and reading.confidence >= SURE_NAME_P]
    return fit_plane(
        [reading.quad for reading in (sure if len(sure) >= _MIN_SURE_CARDS else up)], width, height
    )


def _is_pattern(reading: CardReading, frame: Image, bare_table: BareTable | None) -> bool:
    """Tell whether what was read as an up-card, with no sure name, has been there from the first."""
    unsure = reading.face == "up" and (reading.card is None or reading.confidence < SURE_NAME_P)
    return unsure and bare_table is not None and bare_table.is_unchanged(frame, reading.quad)
