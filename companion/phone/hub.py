"""The connected phones: which one films, and what each is sent. All of it runs in the server's loop."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import logging
import math
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

from companion.game.evening import Tally
from companion.i18n.catalogue import _, speaking
from companion.i18n.messages import error_text, translate
from companion.phone.clock import PhoneClock
from companion.phone.invitation import Role
from companion.phone.program import CameraSight, ProgramState, camera_sight
from companion.phone.requests import (
    LANGUAGES,
    CameraAway,
    ClockAnswer,
    Correct,
    GiveCamera,
    Hello,
    LeaveCamera,
    Message,
    Rename,
    TakeCamera,
)
from companion.phone.view import ViewInput, correction_of, game_view
from companion.sources.joined_phone import PhoneFrames
from engine.errors import BadInputError

_log = logging.getLogger(__name__)
MAX_SCREENS = 20
LOOK_EVERY_S = 0.03
"""How often the game is looked at for something new."""
_SIGHT_EVERY_S, _LEDGER_EVERY_S = 2.0, 10.0
_CLOCK_EVERY_S = 2.0
ASK_TIMEOUT_S = 30.0
"""How long the phone that films may think about a request to take over."""
GRACE_S = 15.0
"""How long a lost phone keeps the camera. After that, anybody may take it."""
_FRESH_FRAME_S = 3.0
_UNDER_WAY_S = 3.0
_MAX_NOTES = 32
_KEPT_AUTHORS = 500


CameraState = Literal["none", "films", "silent", "away", "lost"]
"""No phone films; it films; no picture comes; it is busy, as with a call; it is not connected."""


@dataclass(eq=False)
class Phone:
    """One connected phone, and what waits to be sent to it."""

    key: str
    """The number that its page drew. Nobody else learns it."""
    number: int
    role: Role
    name: str
    language: str
    clock: PhoneClock = field(default_factory=PhoneClock)
    dropped: str | None = None
    """Why it is dropped, in its language; None while it is connected."""
    filmed_until: float = -math.inf
    """When it stopped filming, in seconds of this program's clock. Its last pictures may be under way."""
    waiting: asyncio.Event = field(default_factory=asyncio.Event)
    _notes: deque[dict[str, Any]] = field(default_factory=lambda: deque(maxlen=_MAX_NOTES))
    _parts: dict[str, str] = field(default_factory=dict)
    _sent: dict[str, str] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """The name to show to others."""
        return self.name or _("Phone {n}").format(n=self.number)

    def note(self, **fields: Any) -> None:
        """Queue a small message. If the phone reads nothing, the oldest are dropped."""
        self._notes.append(fields)
        self.waiting.set()

    def refuse(self, error: BadInputError) -> None:
        """Queue the one line that says what was wrong with a message."""
        with speaking(self.language):
            self.note(type="refused", says=error_text(error))

    def show(self, parts: dict[str, str]) -> None:
        """Set the newest state (JSON by name). A state that was not sent yet is replaced."""
        self._parts = parts
        if any(self._sent.get(name) != part for name, part in parts.items()):
            self.waiting.set()

    def drop(self, why: str) -> None:
        """End the connection with a line for the person."""
        self.dropped = why
        self.waiting.set()

    def take(self) -> list[str]:
        """Return the messages to send now, and forget them. Only what has changed of the state is in it."""
        self.waiting.clear()
        texts = [json.dumps(note, ensure_ascii=False) for note in self._notes]
        self._notes.clear()
        fresh = {name: part for name, part in self._parts.items() if self._sent.get(name) != part}
        if fresh:
            self._sent |= fresh
            texts.append(
                '{"type":"state",' + ",".join(f'"{name}":{part}' for name, part in fresh.items()) + "}"
            )
        return texts


@dataclass(slots=True)
class _Request:
    """Somebody asks the phone that films for the camera."""

    phone: Phone
    until: float


@dataclass(frozen=True, slots=True)
class People:
    """The connected phones, for the program's own window. Each is a number and a name, perhaps empty."""

    state: CameraState = "none"
    camera: tuple[int, str] | None = None
    screens: tuple[tuple[int, str], ...] = ()


class Hub:
    """Joins the phones with the game. Call it from the server's loop only."""

    def __init__(
        self,
        program: ProgramState,
        frames: PhoneFrames,
        *,
        clock: Callable[[], float] = time.monotonic,
        wanted_size: int = 1600,
        wanted_rate: float = 15.0,
    ) -> None:
        """Join `program`, whose camera may be a phone, with phones.

        Args:
            program: Gives the present state of the program.
            frames: Where the filming phone's pictures go.
            clock: This program's clock, in seconds.
            wanted_size: The long side, in pixels, of the pictures that the phone is asked for.
            wanted_rate: The most pictures per second that it is asked for.
        """
        self._program, self._frames, self._clock = program, frames, clock
        self._wanted = {"size": wanted_size, "rate": wanted_rate}
        self.phones: dict[str, Phone] = {}
        self.people = People()
        """The newest state for other threads: it is replaced as a whole."""
        self._numbers = itertools.count(1)
        self._known: dict[str, tuple[int, str]] = {}
        """Number and name of every phone that was here."""
        self._camera: str | None = None
        """Key of the phone that films."""
        self._away = False
        self._lost_at: float | None = None
        self._frame_at: float | None = None
        self._request: _Request | None = None
        self._authors: dict[tuple[int, int], str] = {}
        self._ledger: Tally | None = None
        self._sight = CameraSight()
        self._under_way: set[tuple[int, int]] = set()
        """Game and event of corrections that the referee has yet to carry out."""
        self._shown: tuple[int, ...] = ()
        self._keeps: tuple[object, ...] = ()
        self._parts: dict[str, dict[str, str]] = {}

    # Who is there

    @property
    def camera(self) -> Phone | None:
        """The phone that films, if it is connected."""
        return self.phones.get(self._camera) if self._camera is not None else None

    @property
    def screens(self) -> int:
        """Number of connected phones that do not film."""
        return len(self.phones) - (self.camera is not None)

    def camera_state(self) -> CameraState:
        """Return what the phone that films is doing."""
        if self._camera is None:
            return "none"
        if self.camera is None:
            return "lost"
        if self._away:
            return "away"
        fresh = self._frame_at is not None and self._clock() - self._frame_at < _FRESH_FRAME_S
        return "films" if fresh else "silent"

    def join(self, hello: Hello, role: Role) -> Phone:
        """Add a phone. One that is known replaces its older connection.

        Raises:
            BadInputError: there are too many screens.
        """
        before = self.phones.get(hello.phone)
        if before is None and hello.phone != self._camera and self.screens >= MAX_SCREENS:
            raise BadInputError("{most} phones are connected already", most=MAX_SCREENS)
        number, name = self._known.get(hello.phone) or (next(self._numbers), "")
        phone = Phone(hello.phone, number, role, hello.name or name, hello.language)
        self._remember(phone)
        if before is not None:
            with speaking(before.language):
                before.drop(_("This phone has connected again."))
        self.phones[hello.phone] = phone
        if hello.phone == self._camera:
            self._lost_at = None
        filming = hello.phone == self._camera
        phone.note(type="welcome", role=role, number=number, films=filming, **self._wanted)
        self._publish_people()
        self._ask_clock(phone)
        return phone

    def leave(self, phone: Phone) -> None:
        """Remove a phone whose connection has ended."""
        if self.phones.get(phone.key) is not phone:
            return
        del self.phones[phone.key]
        if phone.key == self._camera:
            self._lost_at = self._clock()
        if self._request is not None and self._request.phone is phone:
            self._request = None
        self._publish_people()

    def _remember(self, phone: Phone) -> None:
        self._known.pop(phone.key, None)
        self._known[phone.key] = phone.number, phone.name
        while len(self._known) > 10 * MAX_SCREENS:
            del self._known[next(iter(self._known))]

    # What phones say

    def receive(self, phone: Phone, message: Message) -> None:
        """Act on a checked message. A request that cannot be met is answered with one line."""
        try:
            match message:
                case Rename(name):
                    phone.name = name
                    self._remember(phone)
                    self._publish_people()
                case TakeCamera():
                    self._take_camera(phone)
                case GiveCamera(agrees):
                    self._answer_request(phone, agrees)
                case LeaveCamera():
                    self._leave_camera(phone)
                case CameraAway(away):
                    self._set_away(phone, away)
                case ClockAnswer(asked, now):
                    phone.clock.note(asked, now, self._clock())
                case Correct():
                    self._correct(phone, message)
                case Hello():
                    raise BadInputError("message: 'hello' comes once")
        except BadInputError as error:
            phone.refuse(error)

    def frame(self, phone: Phone, taken: float, jpeg: bytes) -> None:
        """Take a picture of the phone that films, taken at `taken` seconds of its own clock.

        Raises:
            BadInputError: another phone films, or this is no picture.
        """
        now = self._clock()
        if phone.key != self._camera:
            if now - phone.filmed_until < _UNDER_WAY_S:
                return
            raise BadInputError("another phone films the table")
        self._frames.put(jpeg, phone.clock.to_program(taken, now))
        if self.camera_state() != "films":
            self._frame_at, self._away = now, False
            self._publish_people()
        self._frame_at = now

    def _take_camera(self, phone: Phone) -> None:
        if phone.role != "film":
            raise BadInputError("this code is for screens only; scan the code of the camera")
        if self._camera in (None, phone.key) or self._holder_is_gone():
            self._give_camera(phone)
            return
        if self._request is not None and self._request.phone is not phone:
            raise BadInputError("somebody else is asking for the camera already")
        self._request = _Request(phone, self._clock() + ASK_TIMEOUT_S)
        holder = self.camera
        if holder is not None:
            holder.note(type="asked-for-camera", name=phone.label)
        phone.note(type="camera-asked")

    def _holder_is_gone(self) -> bool:
        return self._lost_at is not None and self._clock() - self._lost_at > GRACE_S

    def _give_camera(self, phone: Phone) -> None:
        before = self.camera
        self._camera, self._away, self._lost_at, self._frame_at = phone.key, False, None, None
        self._request = None
        phone.clock = PhoneClock()
        self._ask_clock(phone)
        if before is not None and before is not phone:
            before.filmed_until = self._clock()
            before.note(type="camera-taken", name=phone.label)
        phone.note(type="camera-yours", **self._wanted)
        self._publish_people()

    def _answer_request(self, phone: Phone, agrees: bool) -> None:
        request = self._request
        if phone.key != self._camera or request is None:
            raise BadInputError("nobody is asking for the camera")
        if agrees:
            self._give_camera(request.phone)
        else:
            self._deny(BadInputError("the phone that films stays the camera"))

    def _deny(self, why: BadInputError) -> None:
        request, self._request = self._request, None
        if request is not None:
            request.phone.refuse(why)
            request.phone.note(type="camera-denied")
        if self.camera is not None:
            self.camera.note(type="asking-ended")

    def _leave_camera(self, phone: Phone) -> None:
        if phone.key != self._camera:
            return
        request, self._request = self._request, None
        self._camera, self._away, self._frame_at = None, False, None
        phone.filmed_until = self._clock()
        phone.note(type="camera-left")
        if request is not None:
            self._give_camera(request.phone)
        self._publish_people()

    def _set_away(self, phone: Phone, away: bool) -> None:
        if phone.key == self._camera and away != self._away:
            self._away = away
            if not away:  # a sleeping phone may have stopped its clock
                phone.clock = PhoneClock()
                self._ask_clock(phone)
            self._publish_people()

    def _correct(self, phone: Phone, asked: Correct) -> None:
        session = self._program.session()
        if session is None:
            raise BadInputError("no game is running")
        snapshot = session.snapshot
        event, fresh = correction_of(snapshot.lines, list(getattr(snapshot.table, "players", ())), asked)
        place = snapshot.game, event
        if place in self._under_way:
            raise BadInputError("that event was corrected just before; look at it again")
        self._under_way.add(place)
        with speaking(phone.language):
            label = phone.label
        loop = asyncio.get_running_loop()
        done = partial(self._corrected, phone, place, label)
        session.correct(event, fresh, by=label, on_done=lambda why: _call(loop, done, why))

    def _corrected(self, phone: Phone, place: tuple[int, int], label: str, why: str | None) -> None:
        """Tell everybody who corrected an event, or its author why that failed."""
        self._under_way.discard(place)
        if why is not None:
            phone.note(type="refused", says=why)
            return
        if len(self._authors) >= _KEPT_AUTHORS:
            self._authors.clear()
        self._authors[place] = label
        for other in self.phones.values():
            other.note(type="corrected", name=label, event=place[1], own=other is phone)

    # What phones are sent

    async def run(self) -> None:
        """Send the game's newest state to every phone until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._watch_game())
            tasks.create_task(self._watch_ledger())
            tasks.create_task(self._watch_camera())
            tasks.create_task(self._keep_clocks())

    async def _watch_game(self) -> None:
        while True:
            try:
                self.publish()
            except Exception:
                # A bug in one view must not send every phone away.
                _log.exception("the game cannot be shown on phones")
                await asyncio.sleep(1.0)
            await asyncio.sleep(LOOK_EVERY_S)

    async def _watch_ledger(self) -> None:
        while True:
            ledger = await asyncio.to_thread(self._program.ledger) if self.phones else self._ledger
            # An equal ledger would be another object, which `publish` would render again.
            if ledger != self._ledger:
                self._ledger = ledger
            await asyncio.sleep(_LEDGER_EVERY_S if self.phones else 1.0)

    async def _watch_camera(self) -> None:
        """Check the picture, and notice when the camera falls silent or nobody answers."""
        state: CameraState = "none"
        fault, looked = self._frames.fault, 0.0
        while True:
            await asyncio.sleep(0.25)
            now = self._clock()
            if self._request is not None and now > self._request.until:
                self._deny(BadInputError("nobody answered at the phone that films; tap *Hand it over* there"))
            if self._request is not None and self._holder_is_gone():
                self._give_camera(self._request.phone)
            if self.camera_state() != state or self._frames.fault != fault:
                state, fault = self.camera_state(), self._frames.fault
                self._publish_people()
            frame = self._frames.latest
            if state == "films" and frame is not None and time.monotonic() - looked > _SIGHT_EVERY_S:
                looked = time.monotonic()
                self._sight = await asyncio.to_thread(camera_sight, self._program, frame)
                self._publish_sight()

    async def _keep_clocks(self) -> None:
        while True:
            await asyncio.sleep(_CLOCK_EVERY_S)
            for phone in self.phones.values():
                if phone is self.camera:
                    self._ask_clock(phone)
                else:
                    phone.note(type="alive")

    def _ask_clock(self, phone: Phone) -> None:
        phone.note(type="clock", asked=self._clock())

    def publish(self) -> None:
        """Render the game if it has changed, and hand it to every phone."""
        if not self.phones:
            self._shown, self._parts = (), {}
            return
        session, setup = self._program.session(), self._program.setup()
        snapshot = session.snapshot if session is not None else None
        now = (id(snapshot), id(setup), id(self._ledger), len(self._authors))
        if now == self._shown:
            return
        self._shown = now
        self._keeps = snapshot, setup  # so that no other object gets their ids
        shown = ViewInput(snapshot, setup, self._ledger, dict(self._authors))
        for language in {phone.language for phone in self.phones.values()} | set(self._parts):
            self._merge(language, game_view(shown, language))
        self._show()

    def _publish_people(self) -> None:
        self.people = People(
            self.camera_state(),
            self._known.get(self._camera or ""),
            tuple((phone.number, phone.name) for phone in self.phones.values() if phone is not self.camera),
        )
        camera = self._known.get(self._camera or "")
        state = self.camera_state()
        for language in LANGUAGES:
            with speaking(language):
                name = (camera[1] or _("Phone {n}").format(n=camera[0])) if camera is not None else None
                people = sorted(phone.label for phone in self.phones.values() if phone is not self.camera)
                fault = self._frames.fault
                said = translate(fault) if fault and state == "films" else ""
            told = {"camera": {"state": state, "name": name, "fault": said}, "people": people}
            self._merge(language, told)
        self._show()

    def _publish_sight(self) -> None:
        for language in LANGUAGES:
            self._merge(language, {"sight": self._sight.to_json(language)})
        self._publish_people()

    def _merge(self, language: str, view: dict[str, Any]) -> None:
        rendered = {name: json.dumps(part, ensure_ascii=False) for name, part in view.items()}
        self._parts[language] = {**self._parts.get(language, {}), **rendered}

    def _show(self) -> None:
        for phone in self.phones.values():
            parts = self._parts.get(phone.language, {})
            if "phase" not in parts:
                self._shown = ()  # its language is new: render at the next look
            films = phone.key == self._camera
            phone.show(parts if films else {name: part for name, part in parts.items() if name != "sight"})


def _call(loop: asyncio.AbstractEventLoop, act: Callable[[str | None], None], why: str | None) -> None:
    """Call a function in the server's thread, unless the server has ended."""
    with contextlib.suppress(RuntimeError):
        loop.call_soon_threadsafe(act, why)
