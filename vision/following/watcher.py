"""Watch a game: frames in, events out. The networks run only where and when there is something to read."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Literal

import cv2
import numpy as np

from engine.cards import JOKER
from engine.errors import BadInputError
from engine.events import PUTS_ON_PILE, Event
from vision.following.certainty import VERY_SURE
from vision.following.close_ups import close_up
from vision.following.events import EventMaker
from vision.following.looks import Deal, Look, UnderArm
from vision.following.patches import Patch
from vision.following.regions import crowded, is_beside_people, patches, people, zone_of
from vision.following.scene import ON_PILE_MM
from vision.following.table_tracking import TableTracker
from vision.geometry import transform_points
from vision.hands.landmarks import HandFinder
from vision.hands.reaches import ReachTracker
from vision.hands.tracks import DelayedTracks, HandsFrame
from vision.motion.background import BackgroundSubtractor, MotionFrame
from vision.motion.exposure import Exposure
from vision.motion.frame_difference import ChangeDetector
from vision.motion.resting_looks import RestingLooks
from vision.motion.stabiliser import StabilisedFrame, Stabiliser
from vision.parallel import begin, done
from vision.questions import TABLE_CHANGED, UNDER_WAY, format_question
from vision.table.bare_table import BareTable
from vision.table.calibration import LayoutFinder, Looks
from vision.table.deal import SURE_NAME_P, read_up_cards, remaining_up_cards, settled_cards
from vision.table.layout import BURN, DRAW, PLAY, Layout, Place, Zone
from vision.table.manual_layout import TappedPlaces, layout_from_taps, move_zone
from vision.table.observations import Observation, fuse_looks, observe
from vision.table.relocation import KnownUpCards
from vision.table.rescaling import rescale_layout
from vision.table.view import TableView
from vision.types import CardReader, CardReading, Image, Mask, Quad, Region, without_jokers

_IDLE_LOOK_SECONDS = 5.0
"""Time between looks when nothing happens. They make the names of cards surer and find missed changes."""
_ASTRAY_LOOKS = 6
"""After this many looks at rest without finding the broken-off game, players are asked about the table."""
_NO_DEAL_LOOKS = 8
"""After this many looks, open cards that form no deal are not a deal in progress. The last looks are seconds
apart, and nobody rests that long while dealing."""
_DEALT_CARDS = 4
"""Cards are dealt if at least so many new names come in half of the looks amid motion. A slow dealer puts
down one a second. A set of four looks the same, which only delays the question about the table."""
_UNDER_ARM_SHARE = 0.12
"""A card is under an arm if the arm covers more than this share of it."""
_MOVING_CARD_SHARE = 0.08
"""A card may be in motion if more than this share of its pixels move."""


def _beside(layout: Layout, looks: Looks) -> list[Observation]:
    """Return the cards that lie in no row, on no pile and in nobody's fan.

    A card that was just played may be in the last look alone. If it lies just where another one lay, fusing
    takes the two for one. So the reading of the last look counts if it is surer.
    """
    seen = [observe(look, layout.plane) for look in looks]
    often = [group.observation for group in fuse_looks(seen) if group.look_count >= max(2, len(looks) // 3)]
    last = [
        card for card in seen[-1] if not any(card.is_at(one) and one.best[1] >= card.best[1] for one in often)
    ]
    cards = [*(one for one in often if not any(one.is_at(card) for card in last)), *last]
    return [c for c in cards if layout.zone_at(c.x, c.y) is None and not layout.is_at_a_player(c.place)]


def _are_in_sight(cards: Iterable[Observation], look: Sequence[CardReading], layout: Layout) -> bool:
    """Return whether each face-up card, or another one on the same pile, is seen in a look."""
    there, ups = observe(look, layout.plane), [card for card in cards if card.face == "up"]
    return all(any(math.dist(card.place, seen.place) < ON_PILE_MM for seen in there) for card in ups)


def _may_be_held(reading: CardReading, layout: Layout) -> bool:
    """Return whether a card is partly behind a row, where players hold cards, and on no row or pile."""
    if zone_of(reading, layout) is not None:
        return False
    return any(layout.is_at_a_player((x, y)) for x, y in layout.plane.to_mm(reading.quad).tolist())


def _cards_of_rows(settled: Iterable[Observation], layout: Layout) -> list[Observation]:
    """Return the cards that lie in rows."""
    return [card for card in settled if (zone := layout.zone_at(card.x, card.y)) and zone.kind == "row"]


def _rows_stay(looks: Looks, settled: Sequence[Observation], layout: Layout) -> bool:
    """Return whether the cards in the rows lay there in the earlier looks already: nobody deals any more."""
    early = settled_cards(looks[: len(looks) // 2 + 1], layout.plane)
    rows = _cards_of_rows(settled, layout)
    return all(any(card.face == one.face and card.is_at(one) for one in early) for card in rows)


def _rows_complete_in(looks: Looks, settled: Sequence[Observation], layout: Layout) -> int:
    """Return the number of the first look by which each card of the rows was seen, from 0 for the oldest."""
    seen = [observe(look, layout.plane) for look in looks]

    def first_look(card: Observation) -> int:
        return next((k for k, look in enumerate(seen) if any(card.is_at(one) for one in look)), 0)

    return max(map(first_look, _cards_of_rows(settled, layout)), default=0)


def _is_among(reading: CardReading, cards: Sequence[Observation], layout: Layout) -> bool:
    """Return whether a reading is one of the cards, by its name and its place."""
    seen = observe([reading], layout.plane)
    return any(one.best[0] == card.best[0] and one.is_at(card) for one in seen for card in cards)


@dataclass(slots=True, eq=False)
class _Looking:
    """A look that is being read, with what was known when it began."""

    readings: Future[Sequence[CardReading]]
    frame: Image
    motion: MotionFrame
    hands: HandsFrame
    arms: Mapping[int, Mask]
    resting: Sequence[Mask]
    later: list[HandsFrame] = field(default_factory=list)
    """The hands in the frames since."""


MakeEvents = Callable[[Deal], EventMaker]
"""Makes the event logic of one game, as `EventMaker` does."""


class Watcher:
    """Follows one game. Feed it every frame, or the newest one, with times that increase."""

    def __init__(
        self,
        reader: CardReader,
        players: Sequence[str] | None = None,
        layout: Layout | None = None,
        *,
        row_length: int | None = None,
        draw_pile: bool = True,
        packs: int = 1,
        jokers: bool = True,
        draws_as_played: bool = False,
        make_events: MakeEvents = EventMaker,
        hands: HandFinder | None = None,
        live: bool = False,
    ) -> None:
        """Prepare to watch.

        Args:
            reader: Finds and names the cards in a picture.
            players: Clockwise, beginning at the bottom edge; None: as many as there are rows.
            layout: Where seats and piles are; None: found at the deal.
            row_length: How many face-up cards lie before each player; None: two or three.
            draw_pile: Whether the deal leaves a draw pile.
            packs: How many packs the game is played with.
            jokers: Whether the game has jokers. If not, a card read as a joker stays without a name.
            draws_as_played: Whether players draw as many cards as they have played. If not, they only draw
                until they have as many as at the deal.
            make_events: Makes the event logic once a deal is finished; a log can wrap it.
            hands: Finds hands; None: arms are followed only by what enters the picture.
            live: Whether frames come as they happen. Then no frame waits for the networks. Otherwise the
                events do not depend on how fast the machine is.
        """
        self._live = live
        self._hand_detector = hands
        self._reader, self._given_layout = reader, layout
        self._finder = LayoutFinder(players, row_length, draw_pile)
        self._packs, self._jokers, self._make_events = packs, jokers, make_events
        self._draws_as_played = draws_as_played
        self._exposure = Exposure()
        self._begin_anew()
        self._maker: EventMaker | None = None
        self._told = 0
        """How many events the game had before it was lost."""
        self._last_look = -np.inf
        self._resting = RestingLooks()
        self._tabletop: BareTable | None = None
        self._known: KnownUpCards | None = None
        self._first_look: Sequence[CardReading] | None = None
        """The cards in the very first look."""
        self._seen_undealt = False
        """Whether the table was looked at before there was a deal."""
        self._lay_first: frozenset[str] = frozenset()
        """In a joined game: the names of the cards that lay beside the rows at first."""
        self._begun = False
        """Whether cards had been played when the game was broken off."""
        self._laid_out = False
        """Whether a person has shown where everything lies."""
        self._lay_before: frozenset[str] = frozenset()
        self._taken_in = DelayedTracks()
        self._held_back: list[HandsFrame] = []
        """The hands that were seen while it was unclear whether the rows have moved."""
        self._looking: _Looking | None = None
        """The look whose pictures are being read."""
        self._doubt: Literal["camera", "rows"] | None = None
        """The part that may have moved. Until a closer check nothing is concluded."""
        self.lost = False
        """Whether a game that was followed is being looked for, because the camera or all cards have
        moved."""
        self.question: str | None = None
        """The question for the players if the table cannot be followed in its present state; None: no
        question."""
        self._size: tuple[int, int] | None = None
        """Width and height of the pictures, once a picture has been read."""
        self._motion: MotionFrame | None = None
        self.looks = 0
        """How often the networks have run."""
        self.view = TableView()

    def _begin_anew(self) -> None:
        """Treat the next frame as the first."""
        self._glance, self._steadier, self._tracker = ChangeDetector(), Stabiliser(), TableTracker()
        self._background, self._arms = BackgroundSubtractor(), ReachTracker(self._hand_detector)

    @property
    def layout(self) -> Layout | None:
        """The layout as far as it is known. A layout from an earlier view is not the layout of this view."""
        if self._maker is not None:
            return self._maker.layout
        return self._given_layout if self._known is None else None

    @property
    def arms(self) -> Mask | None:
        """Where arms are in a reduced copy of the latest frame; None where there are none."""
        motion = self._motion
        if motion is None or not motion.border_regions:
            return None
        mask = motion.border_mask()
        if not self._steadier.moved:
            return mask
        reduced = np.diag([motion.scale, motion.scale, 1.0])
        back = reduced @ np.linalg.inv(self._steadier.to_reference) @ np.linalg.inv(reduced)
        return cv2.warpPerspective(mask.astype(np.uint8), back, mask.shape[::-1]) > 0

    def go_on(self, known: KnownUpCards, *, begun: bool) -> None:
        """Treat the table as one where a broken-off game continues.

        The layout is from an earlier view, so the seats and piles are found again before it is used.

        Args:
            known: The face-up cards before each player.
            begun: Whether cards had been played; until then cards may be exchanged.
        """
        self._known, self._begun = known, begun

    def pass_over(self, cards: Iterable[str]) -> None:
        """Do not mistake a table for a new deal if these face-up cards of a finished game still lie on it."""
        self._lay_before = frozenset(cards)

    def put(self, zone: Zone, pixel: Place) -> None:
        """Place a pile, or the whole row of a zone's seat, where a person says it is, from now on.

        `pixel` is in pixels of the latest frame. This reports no event, and earlier events stand.

        Raises:
            BadInputError: nothing is being followed, something else is there, or it is no place on the table.
        """
        if self._maker is None or self._doubt == "camera":
            raise BadInputError("The places can be put right once the table is followed.")
        layout = move_zone(self._maker.layout, zone, self._steady(pixel), self.view.readings)
        self._maker.put_right(layout, self._last_look)
        self.view = replace(self.view, layout=layout)

    def lay_out(self, shown: TappedPlaces) -> None:
        """Begin the game with the cards at the places that a person has tapped.

        A game that was lost or broken off continues with them. The places are in pixels of the latest frame.

        Raises:
            BadInputError: the game is being followed, or no table fits these places.
        """
        if self._maker is not None or self._size is None:
            raise BadInputError("The game has begun already.")
        rows = [self._steady(pixel) for pixel in shown.rows]
        draw = None if shown.draw is None else self._steady(shown.draw)
        finder, before = self._finder, self._given_layout if self._known is not None else None
        given = finder.players, finder.row_length, *self._size
        self._given_layout = layout_from_taps(TappedPlaces(rows, draw), self.view.readings, *given, before)
        self._laid_out = True
        self.question, self._last_look = None, -np.inf

    def _steady(self, pixel: Place) -> Place:
        """Return the pixel of the first frame that shows the same point as a pixel of the latest frame."""
        if self.view.to_reference is None:
            return pixel
        x, y = transform_points(self.view.to_reference, [pixel])[0]
        return float(x), float(y)

    def feed(self, frame: Image, t: float) -> list[Event]:
        """Take in one frame; return the events that it decides.

        Later steps see the table where the first frame had it. `view` says where it is in this frame.
        """
        in_game = self._maker is not None
        if self._exposure.adapt(frame, in_game=in_game) and not in_game:
            self._resting.clear()
            self._begin_anew()
        frame = self._exposure.brighten(frame)
        if not self._glance.is_new(frame) and self._background.calm and self._steadier.settled:
            return self._follow(self._steadier.apply(frame), self._background.repeat(t))
        people = None if self._motion is None else self._motion.border_mask()
        steady = self._steadier.feed(frame, people)
        motion = self._background.feed(steady, t, camera_moving=self._steadier.swaying)
        self._glance.set_reference(still=motion.still)
        events = self._follow(steady, motion)
        self.view = replace(
            self.view, to_reference=self._steadier.to_reference if self._steadier.moved else None
        )
        return events

    def _follow(self, frame: StabilisedFrame, motion: MotionFrame) -> list[Event]:
        self._motion = motion
        self.view = replace(self.view, still=motion.still)
        lost = self._steadier.lost_frames > 0
        if self._maker is not None and (lost or self._doubt == "camera"):
            moved = self._rows_seem_moved(self._maker, motion)  # arms may hide what the camera is tracked by
            if self._doubt == "camera" and not lost and not moved:  # a knock, and people who keep moving
                self._doubt = None
        else:
            moved = lost
        unsteady = self._tracker.is_unsteady(moved, motion.t)
        if self._maker is None:
            if self.lost and unsteady:
                self._begin_anew()
                return []
            return self._begin(frame.image, motion) if self._look_at_rest(frame, motion) else []
        maker, t = self._maker, motion.t
        events = self._take_look() if unsteady or self._doubt is not None else []
        if unsteady and self._doubt != "camera":
            self._doubt = "camera"
            self._resting.clear()
            ended = self._arms.interrupted(t)
            return events + self._take_in_held_back() + self._take_in([] if ended is None else [ended])
        if self._doubt is not None:
            return events + self._make_sure(frame, motion)
        hands = self._arms.feed(frame.image, motion, maker.layout)
        self._background.protect_arms(self._arms.visible_masks)
        self._tracker.covered = hands.covered
        if not moved:
            self._tracker.reach(hands)
        if self._looking is not None:
            self._looking.later.append(hands.copy())
            if not self._looking.readings.done():
                self._refresh(hands)
                return events
            events += self._take_look()
            if self._in_doubt:
                return events
        else:
            events += maker.on_hands(self._taken_in.take_in(hands))
        # While places are in doubt, arms are followed but no cards are read.
        if not moved and t - self._last_look >= min(_IDLE_LOOK_SECONDS, maker.look_interval(hands)):
            self._looking = self._begin_look(frame.image, motion, hands)
            if not self._live:
                events += self._take_look()
        self._refresh(hands)
        return events

    def _refresh(self, hands: HandsFrame) -> None:
        """Show what is known now. A joined game whose play pile is known asks for it no more."""
        assert self._maker is not None
        layout = self._maker.layout
        if self._maker.knows_pile:
            self.question = None
        names = tuple(layout.seats[reach.seat].player for reach in hands.tracks)
        self.view = replace(self.view, layout=layout, hands=names, pile=tuple(self._maker.pile))

    def _take_look(self) -> list[Event]:
        """Take in the look that is being read, and the hands that were seen meanwhile."""
        looking, self._looking = self._looking, None
        if looking is None or self._maker is None:
            return []
        look = self._finish_look(looking)
        if self._tracker.is_displaced(look, self._maker.rows, self._maker.layout):
            self._doubt, self._held_back = "rows", looking.later
            self._resting.clear()
            return []
        events = self._maker.on_look(look)
        self._absorb_played(events, looking.motion)
        return events + self._take_in(looking.later)

    def _take_in(self, earlier: Sequence[HandsFrame]) -> list[Event]:
        """Take in the hands of earlier frames, oldest first."""
        assert self._maker is not None
        return [event for hands in earlier for event in self._maker.on_hands(self._taken_in.take_in(hands))]

    def _take_in_held_back(self) -> list[Event]:
        """Take in the hands that were seen while the rows were in doubt."""
        earlier, self._held_back = self._held_back, []
        return self._take_in(earlier)

    @property
    def _in_doubt(self) -> bool:
        """Whether a look has cast doubt meanwhile. mypy would take `_doubt` to be None as before the look."""
        return self._doubt is not None

    def _rows_seem_moved(self, maker: EventMaker, motion: MotionFrame) -> bool:
        """Return whether most of the rows' places look different from before."""
        known = [zone for zone, spot in maker.rows.spots.items() if spot.patch is not None]
        return self._tracker.seems_moved(self._patches(maker.layout, known, motion), maker.rows)

    def _patches(self, layout: Layout, zones: Iterable[Zone], motion: MotionFrame) -> dict[Zone, Patch]:
        """Return the small pictures of zones."""
        return patches(layout, zones, motion, hand_held=self._steadier.hand_held)

    @property
    def reading(self) -> bool:
        """Whether the networks are reading a picture beside the work on the frames."""
        return self._looking is not None

    def finish(self, t: float) -> list[Event]:
        """Decide what is still open, because no more frames will come."""
        return self._take_look() + (self._maker.finish(t) if self._maker else [])

    def _absorb_played(self, events: Sequence[Event], seen: MotionFrame) -> None:
        """Treat cards that were just played as part of the table, and not as part of the arm beside them."""
        played = {card for event in events if event.event in PUTS_ON_PILE for card in event.cards}
        for reading in self.view.readings:
            if reading.card in played:
                self._background.absorb(reading.quad, seen)

    def _read(self, frame: Image, t: float, crowded: Sequence[Region] | None) -> list[CardReading]:
        self._note_look(frame, t)
        readings = self._without_jokers(self._reader.read(frame, crowded))
        self._exposure.measure(frame, readings)
        self._first_look = readings if self._first_look is None else self._first_look
        self._show(readings)
        return readings

    def _note_look(self, frame: Image, t: float) -> None:
        self._last_look, self._size = t, (frame.shape[1], frame.shape[0])
        self.looks += 1

    def _without_jokers(self, readings: Iterable[CardReading]) -> list[CardReading]:
        """Return readings. If the game has no jokers, cards that were read as jokers have no names."""
        return [reading if self._jokers else without_jokers(reading) for reading in readings]

    def _show(self, readings: Iterable[CardReading]) -> None:
        """Show readings, but no cards in a hand: these are nobody's business."""
        if self._maker is not None:
            layout = self._maker.layout
            readings = (reading for reading in readings if not _may_be_held(reading, layout))
        self.view = replace(self.view, readings=tuple(readings))

    # -- before the deal is finished ---------------------------------------------------------------

    def _look_at_rest(self, frame: StabilisedFrame, motion: MotionFrame) -> bool:
        """Look occasionally at a table at rest; return whether this frame was read and the looks suffice."""
        t = motion.t
        if not motion.still:
            self._resting.note_motion(t)
            return self._maker is None and self._look_amid_motion(frame, motion)
        if self._tabletop is None and self._known is None:
            self._tabletop = BareTable(frame.image)
        if not self._resting.is_due(t, self._last_look):
            return False
        return self._resting.add(self._read(frame.image, t, self._resting.occlusion_regions), t)

    def _look_amid_motion(self, frame: StabilisedFrame, motion: MotionFrame) -> bool:
        """Look occasionally at a table that never rests; return whether the looks suffice."""
        if not self._resting.is_due_amid_motion(motion.t, self._last_look):
            return False
        readings = self._read(frame.image, motion.t, None)
        moving = motion.recently_moving
        at_rest = [r for r in readings if not motion.covered_share(moving, r.quad)]
        return self._resting.add_amid_motion(at_rest, motion.t)

    def _are_cards_dealt(self) -> bool:
        """Return whether so many cards have come in looks amid motion that it is a deal.

        Cards without a name count as one, because nothing tells them apart.
        """
        looks = self._resting.readings
        half = len(looks) // 2
        before, now = ({card.card for look in part for card in look} for part in (looks[:half], looks[half:]))
        return self._resting.amid_motion and len(now - before) >= _DEALT_CARDS

    def _find_game(
        self, looks: Looks, frame: Image, *, over_time: bool
    ) -> tuple[Layout, list[Observation]] | None:
        """Return the layout of a game and the cards on the table; None if looks do not show them certainly.

        `over_time`: the looks are one a second. Then the cards of the rows must lie there for long.
        """
        height, width = frame.shape[:2]
        if self._known is not None and self._given_layout is not None and not self._laid_out:
            again = self._finder.relocate(looks, self._given_layout, self._known, width, height)
            if again is None:
                return None
            self._given_layout = again
        if self._given_layout is not None:
            layout = rescale_layout(self._given_layout, width, height)
            settled = settled_cards(looks, layout.plane)
        else:
            found = self._finder.find_deal(looks, frame, self._tabletop)
            if found is None:
                return None
            layout, settled = found
        if over_time and not _rows_stay(looks, settled, layout):
            return None
        return layout, settled

    def _ask_about_table(self, frame: Image) -> None:
        """Ask the players if the looks still show no game."""
        (height, width), looks = frame.shape[:2], self._resting.readings
        if self._known is not None and not self._laid_out:
            # Keep looking: cards may still be put back, or hands be taken away.
            if len(looks) >= _ASTRAY_LOOKS and not self.lost:
                self.question = format_question(TABLE_CHANGED)
        elif self._given_layout is None:
            self._seen_undealt |= not self._resting.amid_motion  # hands may have hidden the rows
            if len(looks) >= _NO_DEAL_LOOKS and not self._are_cards_dealt():
                self.question = self.question or self._finder.missing_question(looks, width, height)

    def _begin(self, frame: Image, motion: MotionFrame) -> list[Event]:
        """Start following when the looks show a finished deal."""
        looks, over_time = self._resting.readings, self._resting.amid_motion
        found = self._find_game(looks, frame, over_time=over_time)
        if found is None and not over_time and self._resting.over_time:
            looks, over_time = self._resting.over_time, True
            found = self._find_game(looks, frame, over_time=True)
        if found is None:
            self._ask_about_table(frame)
            return []
        layout, settled = found
        up, confidence = read_up_cards(settled, layout, self._packs)
        if confidence < SURE_NAME_P and not (over_time or self._resting.closely_read):
            return []  # until closer looks have settled the doubtful names
        if sum(card in self._lay_before for row in up for card in row) > sum(map(len, up)) / 2:
            return []
        beside = _beside(layout, looks)
        if over_time and self._known is None and not _are_in_sight(beside, looks[-1], layout):
            return []  # until it is seen whether earlier cards still lie there
        joins = self._known is None and self._is_under_way(beside, frame, layout)
        if self.lost or (joins and not over_time):
            self._see_anew(frame, motion.t)  # an arm may have lain over the table in the first picture
        else:
            self._steadier.confirm()  # from now on the cards show how the camera moves
        self.question, self.lost = None, False
        rows = up if self._known is None else remaining_up_cards(up, layout, self._known)
        self._background.inpaint_cards([reading.quad for reading in looks[-1]])
        since = self._resting.rest_start
        if over_time:
            since = self._resting.times[_rows_complete_in(looks, settled, layout)]
        deal = Deal(
            layout,
            rows,
            since,
            motion.t,
            confidence,
            packs=self._packs,
            draws_as_played=self._draws_as_played,
            told=self._told,
        )
        self._maker = self._make_events(deal)
        if self._begun:
            taken = {layout.zone_at(card.x, card.y) for card in settled}
            self._maker.go_on([zone for zone in layout.zones() if zone.kind == "row" and zone not in taken])
        elif joins:
            self._maker.join(beside)
            self._tabletop = BareTable(frame)
            self._lay_first = frozenset(str(card.best[0]) for card in beside)
            self.question = format_question(UNDER_WAY)
        return self._maker.events_of_deal()

    def _is_under_way(self, beside: Sequence[Observation], frame: Image, layout: Layout) -> bool:
        """Return whether a game was going on when the table was first seen.

        In such a game cards lie face up beside the rows, and the rows lay there in the first picture. If only
        the other cards lay there, they are a pattern of the table, and the deal was made before the camera.
        """
        lying = [card for card in beside if card.face == "up" and card.best[1] >= SURE_NAME_P]
        names = {card.best[0] for card in lying} - {JOKER}
        if not names:
            return False
        if self._tabletop is None:
            return not self._seen_undealt
        first = observe(self._first_look or (), layout.plane)
        rows: list[list[bool]] = [[] for _ in layout.seats]
        others = []
        for reading in self.view.readings:
            zone = zone_of(reading, layout)
            if zone is not None and zone.kind == "row":
                rows[zone.seat].append(
                    _is_among(reading, first, layout) or self._tabletop.is_unchanged(frame, reading.quad)
                )
            elif reading.card in names:
                others.append(self._tabletop.is_unchanged(frame, reading.quad))
        # Arms may have hidden some rows in the first picture. A dealer completes all rows at about one time.
        one_row = any(
            all(row) and len(row) == len(seat.row) for row, seat in zip(rows, layout.seats, strict=True)
        )
        rows_lay_there = one_row or 2 * sum(map(sum, rows)) > sum(map(len, rows))
        if rows_lay_there or any(others):
            return rows_lay_there
        return not self._seen_undealt  # the camera was turned to the table after its first picture

    # -- when it is unclear whether cards and camera have moved ------------------------------------------

    def _make_sure(self, frame: StabilisedFrame, motion: MotionFrame) -> list[Event]:
        """Look at the table at rest before anything is concluded; return a question if the game is lost."""
        assert self._maker is not None
        maker, layout, t = self._maker, self._maker.layout, motion.t
        covered: dict[Zone, frozenset[int]] = {}
        if self._doubt == "rows":
            hands = self._arms.feed(frame.image, motion, layout)
            self._tracker.reach(hands)
            self._held_back.append(hands.copy())
            covered = hands.covered
            if hands.tracks or not motion.still:
                self._doubt = None
                return self._take_in_held_back()
        if not self._look_at_rest(frame, motion):
            return []
        cards = tuple(settled_cards(self._resting.readings, layout.plane))
        if not cards and self._doubt == "camera":
            return []  # the camera looks elsewhere, and may come back
        look = Look(
            t, cards, hidden=frozenset(covered), patches=self._patches(layout, layout.zones(), motion)
        )
        known = {seat.player: maker.rows.up_of(index) for index, seat in enumerate(layout.seats)}
        moved = self._doubt == "camera" and self._tracker.is_moved(cards, layout, known)
        if moved or self._tracker.is_displaced(look, maker.rows, layout):
            return [self._lose(maker, known, t)]
        if self._doubt == "camera":
            self._see_anew(frame.image, t)
        self._tracker.trust()
        self._doubt = None
        return self._take_in_held_back()

    def _see_anew(self, frame: Image, t: float) -> None:
        """Learn the table afresh: the picture at the time of the loss did not show the table alone."""
        self._steadier.confirm()
        self._glance, self._background = ChangeDetector(), BackgroundSubtractor()
        self._arms = self._arms.anew()
        self._background.feed(StabilisedFrame(frame), t)
        self._background.inpaint_cards([reading.quad for reading in self._resting.readings[-1]])

    def _lose(self, maker: EventMaker, known: KnownUpCards, t: float) -> Event:
        """Give up following and look for the game as if it were broken off; return the question to ask."""
        self._maker, self._given_layout, self._begun = None, maker.layout, maker.started
        self._told = maker.log.count
        self._known, self.lost, self._doubt, self._laid_out = known, True, None, False
        # These belong to the former position of the camera.
        self._tabletop, self.question, self._held_back = None, None, []
        self._resting.clear()
        self._begin_anew()
        self.view = replace(self.view, layout=None, hands=(), to_reference=None)
        return maker.lose(t)

    # -- while the game goes on --------------------------------------------------------------------

    def _begin_look(self, frame: Image, motion: MotionFrame, hands: HandsFrame) -> _Looking:
        """Read the table; if frames come as they happen, only begin it, beside the work on the next ones."""
        assert self._maker is not None
        layout, ignored = self._maker.layout, None
        if hands.by_hands:
            ignored = people(layout, motion, self._arms.masks.values(), self._arms.resting_masks)
        self._note_look(frame, motion.t)
        read = partial(self._reader.read, frame, crowded(layout, hands), ignored)
        readings = begin(read) if self._live else done(read())
        return _Looking(readings, frame, motion, hands, self._arms.masks, self._arms.resting_masks)

    def _finish_look(self, looking: _Looking) -> Look:
        """Sort the cards that were read by how reliable their readings are."""
        assert self._maker is not None
        layout, frame, motion, hands = self._maker.layout, looking.frame, looking.motion, looking.hands
        readings = self._without_jokers(looking.readings.result())
        readings = [reading for reading in readings if not self._is_held_at_rest(reading, looking)]
        self._show(readings)
        readings = [reading for reading in readings if not self._is_of_the_table(reading, frame)]
        free: list[CardReading] = []
        under: list[UnderArm] = []
        hidden = set(hands.covered)
        for reading in readings:
            over = {seat: motion.covered_share(mask, reading.quad) for seat, mask in looking.arms.items()}
            seat = max(over, key=lambda s: over[s], default=None)
            moving = motion.covered_share(motion.moving, reading.quad) > _MOVING_CARD_SHARE
            if seat is not None and over[seat] > _UNDER_ARM_SHARE:
                for seen in observe([reading], layout.plane):
                    under.append(UnderArm(seat, seen, over[seat], moving))
            elif not moving:
                free.append(reading)
                if hands.by_hands and not any(over.values()) and self._plainly_lies_in_row(reading, looking):
                    # A new card differs from the table as it was. Beside a resting hand it would count as
                    # part of the arm for a long time.
                    self._background.absorb(reading.quad, motion)
                continue
            # The card is seen, but unreliably. So if it is absent from the free cards, that means nothing.
            zone = zone_of(reading, layout)
            if zone is not None:
                hidden.add(zone)
        if hands.by_hands and layout.draw is not None and is_beside_people(DRAW, layout, motion):
            hidden.add(DRAW)
        hidden_now = frozenset(hidden)
        burn = layout.burn if BURN not in hidden_now else None
        shot = partial(close_up, frame, layout, hand_held=self._steadier.hand_held)
        return Look(
            t=motion.t,
            cards=tuple(observe(free, layout.plane, self._packs)),
            under_arms=tuple(under),
            hidden=hidden_now,
            patches=self._patches(layout, layout.zones(), motion),
            pile=None if layout.play is None else shot(layout.play),
            burnt=None if burn is None else shot(burn),
        )

    def _is_held_at_rest(self, reading: CardReading, looking: _Looking) -> bool:
        """Return whether a card is in a hand that rests at its player's place, and not in a row."""
        share = looking.motion.covered_share
        covers = any(share(mask, reading.quad) > _UNDER_ARM_SHARE for mask in looking.resting)
        return covers and not self._lies_in_row(reading)

    def _plainly_lies_in_row(self, reading: CardReading, looking: _Looking) -> bool:
        """Return whether a face-up card lies in a row and no resting hand covers any of it."""
        if reading.card is None or reading.confidence < VERY_SURE or not self._lies_in_row(reading):
            return False
        return not any(looking.motion.covered_share(mask, reading.quad) for mask in looking.resting)

    def _lies_in_row(self, reading: CardReading) -> bool:
        """Return whether a card lies in a row of the game that is followed."""
        assert self._maker is not None
        zone = zone_of(reading, self._maker.layout)
        return zone is not None and zone.kind == "row"

    def _is_of_the_table(self, reading: CardReading, frame: Image) -> bool:
        """Return whether a reading that was not dealt has been there since before the deal.

        In a joined game it may be a real card, but nobody has put it there since. On the play pile it is more
        of a card that other cards hide.
        """
        if self._maker is None or reading.face == "down" or not self._is_unchanged(frame, reading.quad):
            return False
        zone = zone_of(reading, self._maker.layout)
        return zone is None or not (zone.kind == "row" or (zone == PLAY and reading.card in self._lay_first))

    def _is_unchanged(self, frame: Image, quad: Quad) -> bool:
        """Return whether a place is unchanged since before the deal, or since the game was joined."""
        return self._tabletop is not None and self._tabletop.is_unchanged(frame, quad)
