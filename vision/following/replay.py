"""Follows games again from a log of what the event logic was given: `python -m vision.following.replay LOG`.

No picture is looked at. Unchanged event logic returns the same events. If it has changed, the log shows what
that changes. It may then compare pictures that were not compared before. Such a comparison counts as one that
shows too little, and the command says how many there were.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, cast
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from engine.cards import parse_card
from engine.errors import BadInputError
from engine.events import Event
from engine.files.bounded import open_input, read_stream
from engine.files.json_text import parse_json
from vision.following.close_ups import CloseUp
from vision.following.comparisons import Kind, Likeness, answered_by
from vision.following.events import EventMaker
from vision.following.look_log import FORMAT, VERSION, NumberedPictures
from vision.following.looks import Deal, Look, UnderArm
from vision.following.patches import Patch
from vision.hands.tracks import ArmTrack, HandsFrame
from vision.table.layout import BURN, DRAW, PLAY, Layout, Place, Zone, layout_of
from vision.table.observations import Observation

_CALLS = ("deal", "go_on", "join", "events_of_deal", "put_right", "hands", "look", "lose", "finish")
"""The calls of the event logic that a log holds."""
_NO_ANSWER: dict[str, Likeness] = {"patch": 1.0}
"""The result of a comparison that is not in the log: small pictures differ all over."""
_MOST_SECONDS, _MOST_MM = 1e9, 1e6
"""The greatest time and coordinate of a log."""
_ABOUT_1 = 1.0 + 1e-6
"""The greatest probability or share: computed ones may exceed 1 a little."""
_MOST_GAMES, _MOST_PACKS, _MOST_NUMBERS = 1000, 10, 1 << 40
"""The greatest number of a game, of packs, and of a picture, a reach or an event."""
_WRONG_FORM = (ValueError, KeyError, TypeError, AttributeError, OverflowError, IndexError)
"""The errors of code that reads a line with another form."""

Question = tuple[str, int, int, tuple[float, ...]]
"""A comparison: its kind, the numbers of both pictures, and the place."""


@dataclass(frozen=True, slots=True)
class Call:
    """One line of a log: a call of the event logic."""

    line: int
    """Its number in the file, from 1."""
    game: int
    name: str
    given: Any
    events: tuple[dict[str, Any], ...]
    """The events that followed then, as `Event.to_json` writes them."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """A whole log."""

    path: Path
    calls: tuple[Call, ...]
    answers: dict[Question, Likeness]
    """What the comparisons found."""


def read_log(path: Path) -> Recorded:
    """Read a log that `watch --log` wrote.

    Raises:
        OSError: it cannot be read.
        BadInputError: it is no such log, of another version, damaged or cut off.
    """
    lines = _lines(path)
    first = _parsed(path, 1, lines[0])
    if first.get("format") != FORMAT:
        raise _no_log(path, "the first line does not say so")
    if first.get("version") != VERSION:
        raise BadInputError(
            "{path}: a log of looks of version {version}; this program reads version {known}",
            path=path,
            version=repr(first.get("version"))[:20],
            known=VERSION,
        )
    calls: list[Call] = []
    answers: dict[Question, Likeness] = {}
    for number, text in enumerate(lines[1:-1], 2):
        line = _parsed(path, number, text)
        try:
            calls.append(_call(number, line))
            answers |= dict(map(_answer, line.get("compared", ())))
        except _WRONG_FORM as error:
            raise _damaged(path, number, error) from None
    if len(lines) < 2 or "end" not in _parsed(path, len(lines), lines[-1]):
        raise _cut_off(path)
    return Recorded(path, tuple(calls), answers)


def _lines(path: Path) -> list[bytes]:
    try:
        with open_input(path) as file, gzip.GzipFile(fileobj=file) as unpacked:
            lines = read_stream(cast(BinaryIO, unpacked), str(path)).splitlines()
    except EOFError:
        raise _cut_off(path) from None
    except (gzip.BadGzipFile, zlib.error) as error:
        raise _no_log(path, error) from None
    if not lines:
        raise _no_log(path, "it is empty")
    return lines


def _parsed(path: Path, number: int, text: bytes) -> dict[str, Any]:
    try:
        line = parse_json(text)
    except ValueError as error:
        raise _damaged(path, number, error) from None
    if not isinstance(line, dict):
        raise _damaged(path, number, "no object")
    return line


def _call(number: int, line: dict[str, Any]) -> Call:
    (name,) = [name for name in _CALLS if name in line]
    game = line["game"]
    if not (isinstance(game, int) and 0 < game <= _MOST_GAMES):
        raise ValueError(f"game {game!r:.20}")
    events = tuple(line.get("events", ()))
    if not all(isinstance(event, dict) for event in events):
        raise ValueError("events")
    return Call(number, game, name, line[name], events)


def _answer(compared: Any) -> tuple[Question, Likeness]:
    kind, first, second, where, likeness = compared
    question = str(kind), int(first), int(second), tuple(map(float, where))
    return question, None if likeness is None else float(likeness)


def _cut_off(path: Path) -> BadInputError:
    return BadInputError("{path}: the log of looks breaks off: its last line is missing", path=path)


def _no_log(path: Path, reason: object) -> BadInputError:
    return BadInputError("{path}: not a log of looks ({reason})", path=path, reason=reason)


def _damaged(path: Path, number: int, reason: object) -> BadInputError:
    return BadInputError(
        "{path}: line {number} of the log of looks is damaged ({reason})",
        path=path,
        number=number,
        reason=reason,
    )


class Replay:
    """Follows the games of a log again."""

    def __init__(self, log: Recorded) -> None:
        self._log = log
        self._pictures = NumberedPictures()
        self._standing: WeakValueDictionary[int, NDArray[np.uint8]] = WeakValueDictionary()
        self._games: dict[int, _Game] = {}
        self.unanswered = 0
        """How many comparisons of pictures the log does not hold."""

    def __iter__(self) -> Iterator[tuple[Call, list[Event]]]:
        """Yield each call with the events that it decides now.

        Raises:
            BadInputError: a line gives what cannot be.
        """
        for call in self._log.calls:
            try:
                prepared = self._prepared(call)
            except _WRONG_FORM as error:
                raise _damaged(self._log.path, call.line, error) from None
            with answered_by(self._answer):
                events = prepared()
            yield call, events

    def _prepared(self, call: Call) -> Callable[[], list[Event]]:
        if call.name == "deal":
            self._games[call.game] = _Game.dealt(call.given, self._log.path)
            return list
        return self._games[call.game].prepared(call.name, call.given, self._picture)

    def _picture(self, number: int) -> NDArray[np.uint8]:
        """Return what stands for the picture of a number."""
        pixels = self._standing.get(number)
        if pixels is None:
            pixels = self._standing[number] = np.zeros((1, 1, 3), np.uint8)
            self._pictures.add(pixels, number)
        return pixels

    def _answer(
        self,
        kind: Kind,
        first: NDArray[np.uint8],
        second: NDArray[np.uint8],
        where: tuple[float, ...],
        compute: Callable[[], Likeness],
    ) -> Likeness:
        numbers = self._pictures.number_of(first), self._pictures.number_of(second)
        question = (kind, *numbers, where)
        if question in self._log.answers:
            return self._log.answers[question]
        self.unanswered += 1
        return _NO_ANSWER.get(kind)


Picture = Callable[[int], NDArray[np.uint8]]
"""Returns what stands for the picture of a number."""


@dataclass(slots=True)
class _Game:
    """One game of a log: its event logic, and the reaches that it knows."""

    maker: EventMaker
    path: Path
    reaches: dict[tuple[int, float], ArmTrack] = field(default_factory=dict)

    @classmethod
    def dealt(cls, given: Any, path: Path) -> _Game:
        layout = layout_of(given["layout"], path)
        up = [[None if card is None else _card(card) for card in row] for row in given["up"]]
        if list(map(len, up)) != [len(seat.row) for seat in layout.seats]:
            raise ValueError("other rows than those of the layout")
        packs = _whole(given["packs"], 1, _MOST_PACKS)
        t, now, confidence = _time(given["t"]), _time(given["now"]), _number(given["confidence"], _ABOUT_1)
        told = _whole(given.get("told_before", 0), 0, _MOST_NUMBERS)
        as_played = given.get("draws_as_played", False) is True
        deal = Deal(layout, up, t, now, confidence, packs=packs, draws_as_played=as_played, told=told)
        return cls(EventMaker(deal), path)

    def prepared(self, name: str, given: Any, picture: Picture) -> Callable[[], list[Event]]:
        """Return what makes one call, and returns the events that it decides.

        Raises:
            ValueError, KeyError, TypeError, ...: what is given has another form.
        """
        maker = self.maker
        match name:
            case "go_on":
                return partial(_quietly, maker.go_on, self._zones(given))
            case "join":
                return partial(_quietly, maker.join, list(map(_seen, given)))
            case "put_right":
                return partial(_quietly, maker.put_right, self._put_right(given), _time(given["t"]))
            case "hands":
                return partial(maker.on_hands, self._hands(given))
            case "look":
                return partial(maker.on_look, self._look(given, picture))
            case "lose":
                t = _time(given)
                return lambda: [maker.lose(t)]
            case "finish":
                return partial(maker.finish, _time(given))
        return maker.events_of_deal

    def _put_right(self, given: Any) -> Layout:
        """Return a layout in which the seats that were left alone are the very same."""
        layout, was = layout_of(given["layout"], self.path), self.maker.layout
        if [len(seat.row) for seat in layout.seats] != [len(seat.row) for seat in was.seats]:
            raise ValueError("other seats")
        moved = {_whole(seat, 0, len(layout.seats) - 1) for seat in given["moved"]}
        pairs = zip(was.seats, layout.seats, strict=True)
        seats = tuple(now if k in moved else before for k, (before, now) in enumerate(pairs))
        return replace(layout, plane=was.plane, seats=seats)

    def _hands(self, given: Any) -> HandsFrame:
        t = _time(given["t"])
        reaches, ended = ([self._reach(r) for r in given.get(name, ())] for name in ("in", "gone"))
        by_hands = given.get("by_hands", False) is True
        covered, bodies = (self._seats_over(given.get(name, ())) for name in ("covered", "bodies"))
        return HandsFrame(t, tuple(reaches), tuple(ended), covered, by_hands, bodies)

    def _seats_over(self, given: Any) -> dict[Zone, frozenset[int]]:
        over = [(self._zone(zone), frozenset(map(self._seat, seats))) for zone, seats in given]
        return {zone: seats for zone, seats in over if self._is_there(zone)}

    def _reach(self, given: Any) -> ArmTrack:
        """Return a reach as it now is: the same object as before where it was known."""
        number, seat, start, path = given
        key = _whole(number, 0, _MOST_NUMBERS), _time(start)
        reach = self.reaches.get(key)
        if reach is None:
            reach = self.reaches[key] = ArmTrack.begin(key[0], self._seat(seat), key[1])
        reach.seat = self._seat(seat)
        for t, x, y in path:
            reach.update(_place((x, y)), _time(t))
        return reach

    def _look(self, given: Any, picture: Picture) -> Look:
        hand_held = bool(given.get("hand_held"))
        patches = {
            self._zone(zone): Patch(picture(_whole(n, 1, _MOST_NUMBERS)), hand_held)
            for zone, n in given["patches"]
        }
        numbers = (given["pile"], given["burnt"])
        pile, burnt = (
            None if n is None else CloseUp(picture(_whole(n, 1, _MOST_NUMBERS)), (0.0, 0.0), hand_held)
            for n in numbers
        )
        return Look(
            t=_time(given["t"]),
            cards=tuple(map(_seen, given["cards"])),
            under_arms=tuple(
                UnderArm(self._seat(seat), _seen(seen), _number(covered, _ABOUT_1), bool(moving))
                for seat, seen, covered, moving in given["under"]
            ),
            hidden=frozenset(filter(self._is_there, self._zones(given["hidden"]))),
            patches=patches,
            pile=pile,
            burnt=burnt,
        )

    def _seat(self, given: Any) -> int:
        return _whole(given, 0, len(self.maker.layout.seats) - 1)

    def _is_there(self, zone: Zone) -> bool:
        """Whether a zone's place is known; event logic that has changed may find a pile later."""
        return self.maker.layout.place_of(zone) is not None

    def _zones(self, names: Iterable[Any]) -> list[Zone]:
        return [self._zone(name) for name in names]

    def _zone(self, name: Any) -> Zone:
        piles = {"draw": DRAW, "play": PLAY, "burn": BURN}
        if name in piles:
            return piles[name]
        seat, spot = map(int, name.split("."))
        row = self.maker.layout.seats[self._seat(seat)].row
        return Zone("row", seat, _whole(spot, 0, len(row) - 1))


def _quietly(call: Callable[..., None], *given: Any) -> list[Event]:
    """Make a call that decides no event."""
    call(*given)
    return []


def _seen(given: Any) -> Observation:
    x, y, angle, face, odds = given
    if face not in ("up", "down"):
        raise ValueError(f"face {face!r:.20}")
    named = {_card(name): _number(p, _ABOUT_1) for name, p in odds.items()}
    return Observation(*_place((x, y)), _number(angle, 360.0), face, named)


def _card(name: Any) -> str:
    parse_card(name)
    return str(name)


def _place(given: Sequence[Any]) -> Place:
    x, y = (_number(value, _MOST_MM) for value in given)
    return x, y


def _time(given: Any) -> float:
    return _number(given, _MOST_SECONDS)


def _number(given: Any, most: float) -> float:
    """Return a number whose size is at most `most`.

    Raises:
        ValueError: it is none such.
    """
    if isinstance(given, bool) or not isinstance(given, int | float) or not abs(given) <= most:
        raise ValueError(f"{given!r:.20} is no number up to {most:g}")
    return float(given)


def _whole(given: Any, least: int, most: int) -> int:
    if type(given) is not int or not least <= given <= most:
        raise ValueError(f"{given!r:.20} is not from {least} to {most}")
    return given


def main(argv: Sequence[str] | None = None) -> int:
    """Follow a log from the command line; returns the exit status: 2 for bad input, 1 where events differ."""
    parser = argparse.ArgumentParser(prog="python -m vision.following.replay", description=__doc__)
    parser.add_argument("log", type=Path, metavar="OUT.looks", help="a log that `watch --log` wrote")
    parser.add_argument(
        "--check",
        action="store_true",
        help="print only how the events differ from those of the log",
    )
    args = parser.parse_args(argv)
    try:
        replay = Replay(read_log(args.log))
        differ = sum(_print(call, events, check=args.check) for call, events in replay)
    except (BadInputError, OSError) as error:
        print(f"replay: {error}", file=sys.stderr)
        return 2
    if replay.unanswered:
        print(f"replay: {replay.unanswered} comparisons of pictures are not in the log", file=sys.stderr)
    return int(args.check and differ > 0)


def _print(call: Call, events: Sequence[Event], *, check: bool) -> bool:
    """Print the events of a call, or how they differ from those of the log; returns whether they do."""
    both = [event.to_json() for event in events], call.events
    now, then = ([json.dumps(line, ensure_ascii=False) for line in lines] for lines in both)
    if not check:
        print(*now, sep="\n", end="\n" if now else "")
        return False
    for sign, lines, others in (("-", then, now), ("+", now, then)):
        for line in lines:
            if line not in others:
                print(f"{sign} {line}")
    return now != then


if __name__ == "__main__":
    sys.exit(main())
