"""Hand-made sequences of arms and looks for the tests of the event logic: no pixels, no networks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.events import Event
from vision.following.close_ups import CloseUp
from vision.following.events import EventMaker
from vision.following.looks import Deal, Look, UnderArm
from vision.following.patches import Patch
from vision.following.watcher import MakeEvents
from vision.hands.tracks import ArmTrack, HandsFrame
from vision.plane import TablePlane
from vision.table.layout import DRAW, PLAY, Layout, Place, Seat, Zone
from vision.table.observations import Observation, index_centres
from vision.types import Image

PLAYERS = ("Ann", "Bob", "Cat", "Dan")
UP = [["4S", "5C", "6C"], ["9D", "JC", "AD"], ["10H", "8C", "QD"], ["KH", "10S", "8H"]]
DRAW_AT, PLAY_AT, BURN_AT = (70.0, 0.0), (-60.0, 0.0), (-200.0, 90.0)
STEP = 1 / 15
_HALF, _FINE = 130.0, 1.5
"""Half the side of a picture of the pile, in mm, and its pixels per mm."""


def layout(play: Place | None = PLAY_AT) -> Layout:
    """Four seats around a table, 1 pixel = 1 mm."""
    seats = []
    for player, (fx, fy) in zip(PLAYERS, ((0, 1), (-1, 0), (0, -1), (1, 0)), strict=True):
        centre = (350.0 * fx, 220.0 * fy)
        right = (fy, -fx)
        row = tuple((centre[0] + k * 75 * right[0], centre[1] + k * 75 * right[1]) for k in (-1, 0, 1))
        seats.append(Seat(player, row, (float(fx), float(fy))))
    return Layout(TablePlane(np.eye(3)), 1000, 600, tuple(seats), DRAW_AT, play)


def card(name: str, place: Place, p: float = 0.97, angle: float = 90.0) -> Observation:
    return Observation(place[0], place[1], angle, "up", {name: p})


def down(place: Place, angle: float = 90.0) -> Observation:
    return Observation(place[0], place[1], angle, "down")


def picture(cards: Sequence[Observation], truly: Mapping[str, str]) -> CloseUp:
    """Draw upright cards at the play pile, the lowest first, each under the name that it truly has."""
    names = [truly.get(str(seen.best[0]), str(seen.best[0])) for seen in cards]
    return _pile(
        tuple(
            (name, (seen.x, seen.y), tuple(map(tuple, index_centres(seen))))
            for name, seen in zip(names, cards, strict=True)
        )
    )


@lru_cache(maxsize=8)
def _pile(cards: tuple[tuple[str, Place, tuple[Place, ...]], ...]) -> CloseUp:
    """Draw cards, each a name, its middle and those of its indices. Looks at a resting pile are alike."""
    corner = (PLAY_AT[0] - _HALF, PLAY_AT[1] - _HALF)
    pixels: NDArray[np.uint8] = np.full(_grain().shape, 70, np.uint8)
    for name, place, centres in cards:
        middle = (np.array(place) - corner) * _FINE
        low, high = (middle + side * np.array((31.5, 44.0)) * _FINE for side in (-1, 1))
        for colour, width in (((225,) * 3, -1), ((120,) * 3, 1)):
            cv2.rectangle(pixels, tuple(map(int, low)), tuple(map(int, high)), colour, width)
        for x, y in centres:
            at = (int((x - corner[0]) * _FINE) - 7, int((y - corner[1]) * _FINE) - 2)
            for text, down_by in ((name[:-1], 0), (name[-1], 15)):
                cv2.putText(
                    pixels, text, (at[0], at[1] + down_by), cv2.FONT_HERSHEY_SIMPLEX, 0.5, (20,) * 3, 2
                )
    pixels = np.asarray(cv2.GaussianBlur(pixels, (5, 5), 1.0), np.uint8)
    return CloseUp(np.asarray(cv2.add(pixels, _grain(), dtype=cv2.CV_8U), np.uint8), corner)


@cache
def _grain() -> NDArray[np.int16]:
    side = round(2 * _HALF * _FINE)
    return np.floor(np.random.default_rng(3).normal(0, 4, (side, side, 3))).astype(np.int16)


def small(pile: CloseUp) -> Image:
    return np.asarray(cv2.resize(pile.pixels, (26, 26), interpolation=cv2.INTER_AREA), np.uint8)


class Script:
    """Plays arms and cards to an EventMaker and collects what it says."""

    def __init__(
        self,
        play: Place | None = PLAY_AT,
        packs: int = 1,
        make_events: MakeEvents = EventMaker,
        *,
        by_hands: bool = False,
        lying: Sequence[Observation] = (),
        draws_as_played: bool = False,
    ) -> None:
        """`lying`: what lies beside the rows of a game that is joined."""
        deal = Deal(layout(play), UP, 0.0, 1.0, packs=packs, draws_as_played=draws_as_played)
        self.maker = make_events(deal)
        if lying:
            self.maker.join(lying)
        self.events: list[Event] = self.maker.events_of_deal()
        self.t = 1.0
        self.by_hands = by_hands
        """Whether reaches are those of hands with landmarks."""
        self.reaches = 0
        self.looks = 0
        """How often the table was looked at."""
        self._open: list[ArmTrack] = []
        self.rows: dict[Zone, Observation | None] = {
            Zone("row", s, k): card(name, self.maker.layout.seats[s].row[k])
            for s, row in enumerate(UP)
            for k, name in enumerate(row)
        }
        self.table: list[Observation] = list(lying)
        self.draw_pile = True
        self.hand_held = False
        """Whether the small pictures are of a camera that is held in a hand."""
        self.draw_picture: Image | None = None
        """What the draw pile looks like."""
        self.spot_pictures: dict[Zone, Image] = {}
        """What spots of rows look like."""
        self.drawn: dict[str, str] | None = None
        """With pictures of the pile: which card truly lies where one is read, where it is misread."""
        self.unread: list[Observation] = []
        """Cards of the table that looks do not read, though pictures show them."""

    def cards(self) -> list[Observation]:
        pile = [down(DRAW_AT)] if self.draw_pile else []
        return [*(c for c in self.rows.values() if c), *pile, *self.table]

    def rest(self, seconds: float = 1.6) -> None:
        """Nobody reaches in; the table is looked at when the logic wants to."""
        end, last = self.t + seconds, -1.0
        while self.t < end:
            self.t += STEP
            gone = self._gone()
            hands = HandsFrame(self.t, tuple(self._open), gone, {}, self.by_hands)
            self.events += self.maker.on_hands(hands)
            if self.t - last >= self.maker.look_interval(hands):
                last = self.t
                self.look()

    def look(self, under: Sequence[UnderArm] = (), hidden: frozenset[Zone] = frozenset()) -> None:
        missed = [*self.unread, *(u.seen for u in under)]
        shown = [c for c in self.cards() if not any(c is one for one in missed)]
        shown = [c for c in shown if self.maker.layout.zone_at(c.x, c.y) not in hidden]
        pile = None if self.drawn is None else picture(self.table, self.drawn)
        pictures = dict(self.spot_pictures)
        if pile is not None and PLAY not in hidden:
            pictures[PLAY] = small(pile)
        if self.draw_picture is not None and DRAW not in hidden:
            pictures[DRAW] = self.draw_picture
        patches = {zone: Patch(pixels, self.hand_held) for zone, pixels in pictures.items()}
        self.looks += 1
        self.events += self.maker.on_look(Look(self.t, tuple(shown), tuple(under), hidden, patches, pile))

    def reach(self, player: str, *stops: tuple[Place, float], held: Observation | None = None) -> ArmTrack:
        """A player's arm goes to each place and stays there so long; covers the zones it is over."""
        self.reaches += 1
        seat = PLAYERS.index(player)
        reach = ArmTrack.begin(self.reaches, seat, self.t)
        for place, seconds in stops:
            end = self.t + max(seconds, STEP)
            while self.t < end:
                self.t += STEP
                reach.update(place, self.t)
                zone = self.maker.layout.zone_at(*place)
                covered = {zone: frozenset({seat})} if zone else {}
                hands = HandsFrame(self.t, (reach,), (), covered, self.by_hands)
                self.events += self.maker.on_hands(hands)
                if held is not None and self.maker.look_interval(hands) < 1:
                    self.look([UnderArm(seat, held, 0.6, False)], frozenset(covered))
        self._open = [reach]
        return reach

    def go_on(
        self, reach: ArmTrack, places: Sequence[Place], *, over: Sequence[Zone] = (), apart: bool = False
    ) -> None:
        """The arm of a reach goes to one place a frame, over these zones all the while.

        `apart`: what is over them is not seen to belong to the arm.
        """
        covered = {zone: frozenset(() if apart else {reach.seat}) for zone in over}
        for place in places:
            self.t += STEP
            reach.update(place, self.t)
            self.events += self.maker.on_hands(HandsFrame(self.t, (reach,), (), covered, self.by_hands))

    def pass_frame(self, *over: Zone) -> None:
        """A frame goes by without arms and without a look; something that is nobody's arm is over zones."""
        self.t += STEP
        covered = dict.fromkeys(over, frozenset[int]())
        self.events += self.maker.on_hands(HandsFrame(self.t, (), self._gone(), covered, self.by_hands))

    def end(self, *reaches: ArmTrack) -> None:
        """These arms go out of the picture."""
        self._open = list(reaches)

    def leave(self, player: str, top: Observation) -> ArmTrack:
        """A player's hand rests on the pile beside a card it put there, which two looks show."""
        reach = self.reach(player, (PLAY_AT, 0.5))
        for _ in range(2):
            self.look([UnderArm(reach.seat, top, 0.2, False)], frozenset({PLAY}))
        return reach

    def _gone(self) -> tuple[ArmTrack, ...]:
        gone = tuple(r for r in self._open if self.t - r.last_seen > 0.25)
        self._open = [r for r in self._open if r not in gone]
        return gone

    def play(self, player: str, *cards: Observation) -> None:
        self.reach(player, (PLAY_AT, 0.4))
        self.table += cards
        self.rest()

    def told(self) -> list[tuple[str, str | None, tuple[str, ...]]]:
        """What is said in the end, revisions in their places."""
        standing: dict[int, Event] = {}
        for event in self.events:
            if event.withdrawn:
                standing.pop(event.revise or 0)
            else:
                standing[event.revise or event.id] = event
        return [(e.event, e.player, e.cards) for e in standing.values()]


def draw_picture(card_x: int) -> Image:
    """Return a small picture of the draw pile whose uppermost card ends at a column."""
    patch = np.full((26, 26, 3), 70, np.uint8)
    patch[4:22, 4:card_x] = 200
    return patch


def bob_draws(script: Script, trips: int) -> None:
    """Bob takes a card home from the draw pile on each of his trips, and the table rests."""
    for _ in range(trips):
        script.reach("Bob", (DRAW_AT, 0.3), ((70.0, -250.0), 0.1))
        script.rest(0.5)
    script.rest()
