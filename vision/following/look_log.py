"""A log of all that the event logic is given: `watch --log` writes it, `vision.following.replay` reads it.

The file is gzip over lines of JSON, so `zcat game.looks` shows it. The first line names the format and its
version. The last line says that the file is whole. Each line between them is one call of the event logic with
its arguments. `compared` holds its comparisons of pictures, `events` the events that it returned.
Pictures have numbers; their pixels are not kept. Numbers are written with all their digits, so that a replay
returns the same events.
"""

from __future__ import annotations

import gzip
import json
import weakref
from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractContextManager
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from engine.events import Event
from vision.following.comparisons import Kind, Likeness, answered_by
from vision.following.events import EventMaker
from vision.following.looks import Deal, Look
from vision.hands.tracks import ArmTrack, HandsFrame
from vision.table.layout import Layout, Zone
from vision.table.observations import Observation

FORMAT, VERSION = "shithead looks", 1
"""What the first line says. The version is raised whenever an older program could not follow a newer log."""
_LEVEL = 9
"""How hard gzip compresses, from 0 to 9."""
Pixels = NDArray[np.uint8]
"""Those of a picture: height x width x 3, BGR."""


class LookLog:
    """Writes the log of one source: of one game, or of several that are followed in turn or side by side."""

    def __init__(self, file: BinaryIO) -> None:
        """Begin to write to an open file, which stays open.

        A full disk ends the log and not the game: `close` raises the error.
        """
        self._under = file
        self._file = gzip.GzipFile(fileobj=file, mode="wb", compresslevel=_LEVEL, mtime=0)
        self._fault: OSError | None = None
        self._makers = 0
        self.pictures = NumberedPictures()
        self._write({"format": FORMAT, "version": VERSION})

    def event_maker(self, deal: Deal) -> EventMaker:
        """Return an `EventMaker` that writes down all that it is given, and the events that it returns."""
        self._makers += 1
        return _LoggedEventMaker(self, self._makers, deal)

    def write(
        self, maker: int, call: str, given: Any, compared: Sequence[Any], events: Sequence[Event]
    ) -> None:
        """Write down one call of the event logic of the game with number `maker`."""
        line: dict[str, Any] = {"game": maker, call: given}
        if compared:
            line["compared"] = compared
        if events:
            line["events"] = [event.to_json() for event in events]
        self._write(line)

    def _write(self, line: dict[str, Any]) -> None:
        if self._fault is None:
            try:
                self._file.write(json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode() + b"\n")
            except OSError as error:
                self._fault = error

    def close(self) -> None:
        """Write the last line.

        Raises:
            OSError: something could not be written.
        """
        self._write({"end": self._makers})
        try:
            self._file.close()
            self._under.flush()
        except OSError as error:
            self._fault = self._fault or error
        if self._fault is not None:
            raise self._fault


class NumberedPictures:
    """Numbers for the pixels of pictures, for as long as somebody holds them."""

    def __init__(self) -> None:
        self._numbers: dict[int, tuple[weakref.ref[Pixels], int]] = {}
        self._count = 0

    def __len__(self) -> int:
        return len(self._numbers)

    def add(self, pixels: Pixels, number: int | None = None) -> int:
        """Return the number of a picture; one that has none yet gets `number`, or the next one."""
        known = self.number_of(pixels)
        if known is not None:
            return known
        self._count += 1
        key, number = id(pixels), self._count if number is None else number

        def forget(gone: weakref.ref[Pixels]) -> None:
            if self._numbers.get(key, (None, 0))[0] is gone:
                del self._numbers[key]

        self._numbers[key] = weakref.ref(pixels, forget), number
        return number

    def number_of(self, pixels: Pixels) -> int | None:
        """Return the number of a picture; None for one that was never added."""
        reference, number = self._numbers.get(id(pixels), (None, 0))
        return number if reference is not None and reference() is pixels else None


class _LoggedEventMaker(EventMaker):
    """Writes down every call."""

    def __init__(self, log: LookLog, number: int, deal: Deal) -> None:
        super().__init__(deal)
        self._into, self._number = log, number
        self._compared: list[Any] = []
        self._followed: dict[tuple[int, float], float] = {}
        """When each reach, by its number and start, was last written down."""
        given = {"layout": deal.layout.to_json(), "up": deal.up, "t": deal.t, "now": deal.now}
        given |= {"confidence": deal.confidence, "packs": deal.packs, "told_before": deal.told}
        if deal.draws_as_played:
            given["draws_as_played"] = True
        self._write("deal", given)

    def go_on(self, bare: Collection[Zone]) -> None:
        super().go_on(bare)
        self._write("go_on", [zone_name(zone) for zone in bare])

    def join(self, lying: Sequence[Observation]) -> None:
        super().join(lying)
        self._write("join", [_seen(card) for card in lying])

    def put_right(self, layout: Layout, t: float) -> None:
        moved = [k for k, seat in enumerate(layout.seats) if seat is not self.layout.seats[k]]
        with self._listening():
            super().put_right(layout, t)
        self._write("put_right", {"layout": layout.to_json(), "moved": moved, "t": t})

    def events_of_deal(self) -> list[Event]:
        events = super().events_of_deal()
        self._write("events_of_deal", None, events)
        return events

    def on_hands(self, hands: HandsFrame) -> list[Event]:
        given = {
            "t": hands.t,
            "in": [self._reach(reach, hands.t) for reach in hands.tracks],
            "gone": [self._reach(reach, hands.t) for reach in hands.ended],
            "covered": [[zone_name(zone), list(seats)] for zone, seats in hands.covered.items()],
            "by_hands": hands.by_hands or [],
            "bodies": [[zone_name(zone), list(seats)] for zone, seats in hands.bodies.items()],
        }
        with self._listening():
            events = super().on_hands(hands)
        self._write("hands", {key: value for key, value in given.items() if value != []}, events)
        return events

    def _reach(self, reach: ArmTrack, now: float) -> list[Any]:
        """Return number, seat and start of a reach, and where the hand was since the last call."""
        key = reach.number, reach.start
        since = self._followed.get(key, -np.inf)
        self._followed[key] = now
        return [reach.number, reach.seat, reach.start, [[t, *tip] for t, tip in reach.path if t > since]]

    def on_look(self, look: Look) -> list[Event]:
        add = self._into.pictures.add
        given = {
            "t": look.t,
            "cards": [_seen(card) for card in look.cards],
            "under": [
                [under.seat, _seen(under.seen), float(under.covered), bool(under.moving)]
                for under in look.under_arms
            ],
            "hidden": [zone_name(zone) for zone in look.hidden],
            "patches": [[zone_name(zone), add(patch.pixels)] for zone, patch in look.patches.items()],
            "pile": None if look.pile is None else add(look.pile.pixels),
            "burnt": None if look.burnt is None else add(look.burnt.pixels),
        }
        if any(patch.hand_held for patch in look.patches.values()):
            given["hand_held"] = True
        with self._listening():
            events = super().on_look(look)
        self._write("look", given, events)
        return events

    def finish(self, t: float) -> list[Event]:
        with self._listening():
            events = super().finish(t)
        self._write("finish", t, events)
        return events

    def lose(self, t: float) -> Event:
        event = super().lose(t)
        self._write("lose", t, [event])
        return event

    def _listening(self) -> AbstractContextManager[None]:
        return answered_by(self._listen)

    def _listen(
        self,
        kind: Kind,
        first: Pixels,
        second: Pixels,
        where: tuple[float, ...],
        compute: Callable[[], Likeness],
    ) -> Likeness:
        """Answer a comparison from the pixels, and note the answer."""
        likeness = compute()
        numbers = self._into.pictures.number_of(first), self._into.pictures.number_of(second)
        question = [kind, *numbers, list(map(float, where)), likeness]
        if None not in numbers and question not in self._compared:
            self._compared.append(question)
        return likeness

    def _write(self, call: str, given: Any, events: Sequence[Event] = ()) -> None:
        compared, self._compared = self._compared, []
        self._into.write(self._number, call, given, compared, events)


def zone_name(zone: Zone) -> str:
    """Return how a zone is written: `draw`, `play`, `burn`, or `0.2` for the third spot of the first seat."""
    return f"{zone.seat}.{zone.spot}" if zone.kind == "row" else zone.kind


def _seen(card: Observation) -> list[Any]:
    odds = {name: float(p) for name, p in card.probabilities.items()}
    return [card.x, card.y, card.angle, card.face, odds]
