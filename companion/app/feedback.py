"""Speech, sound and vibration for new rulings. Each is off until it is switched on."""

from __future__ import annotations

import logging
import math
import struct
import wave
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from companion.files.caches import cache_folder
from companion.game.interface import EventLine
from companion.game.next_game import new_game_notice
from companion.game.ruling_views import breaches_text, needs_text, ritual_texts, ruling_of
from companion.game.session import Snapshot
from companion.i18n.catalogue import _, language
from companion.i18n.events import event_text, question_text
from companion.i18n.messages import translate
from companion.i18n.wording import demand_text
from companion.settings import Settings
from companion.speech.voice import Speaker, find_speaker

_log = logging.getLogger(__name__)
_RATE = 22050
_TONES = ((392.0, 0.14), (294.0, 0.24))
"""A falling fourth, for a breach: frequency in hertz and duration in seconds of each tone."""
_BUZZ_S = 0.3
_ACTS = ("play", "flip", "show", "pick_up")
"""Events that pass the turn, or keep it."""


class Feedback:
    """Follows the snapshots, and says what is new in them."""

    def __init__(
        self,
        settings: Settings,
        *,
        speaker: Callable[[], Speaker] | None = None,
        sound: Callable[[], None] | None = None,
        buzz: Callable[[], None] | None = None,
    ) -> None:
        """Open nothing before it is needed.

        Args:
            settings: The user's switches.
            speaker: Makes the voice; None: this device's voice in the current language.
            sound: Plays the sound of a breach; None: a falling fourth.
            buzz: Signals a breach by touch; None: the phone vibrates.
        """
        self.settings = settings
        self._make_speaker = speaker or (lambda: find_speaker(language()))
        self._speaker: Speaker | None = None
        self._sound, self._buzz = sound or _play_sound, buzz or _vibrate
        self._heard: dict[int, str | None] | None = None
        """The verdict on each known line; None before the first snapshot."""
        self._serial = -1
        self._turn: str | None = None
        self._game = 1
        """Number of the current game within the session."""
        self._begins = False
        """Whether the session has just been opened, so that the first turn is news."""

    def begin(self) -> None:
        """Follow another session. Its earlier events are not repeated."""
        self._heard, self._serial, self._turn, self._game, self._begins = None, -1, None, 1, True

    def hear(self, snapshot: Snapshot) -> None:
        """Process a snapshot. That is cheap if it holds nothing new."""
        if snapshot.version == self._serial:
            return
        self._serial = snapshot.version
        if snapshot.phase == "opening":  # the lines of a resumed game are still to come
            self.begin()
            self._serial = snapshot.version
            return
        if snapshot.game != self._game:  # the known lines belong to the game before
            self._game, self._heard, self._turn = snapshot.game, {}, None
            self.say(translate(new_game_notice(snapshot.table.dealer)), lasting=True)
        heard, self._heard = self._heard, {_id(line): _verdict(line) for line in snapshot.lines}
        before, self._turn = self._turn, getattr(snapshot.table, "turn", None)
        turn = self._turn if self._turn != before else None
        demand = getattr(snapshot.table, "demand_in_words", None) or ""
        if heard is None:  # earlier events are not repeated
            self._tell((), turn if self._begins else None, demand)
            return
        self._tell([line for line in snapshot.lines if _is_news(line, heard)], turn, demand)

    def say(self, text: str, *, lasting: bool = False) -> None:
        """Say a text aloud, if that is switched on. A `lasting` text is worth saying late."""
        if self.settings.speak and text:
            self._speaker = self._speaker or self._make_speaker()
            self._speaker.say(text, lasting=lasting)

    def close(self) -> None:
        """Fall silent."""
        if self._speaker is not None:
            self._speaker.close()
        self._speaker = None

    def _tell(self, fresh: Sequence[EventLine], turn: str | None, demand: str) -> None:
        lasting, passing = speech_for(fresh, turn, demand)
        self.say(lasting, lasting=True)
        self.say(passing)
        if any(_verdict(line) == "illegal" for line in fresh):
            if self.settings.sound:
                self._sound()
            if self.settings.vibrate:
                self._buzz()


def _id(line: EventLine) -> int:
    return int(line.get("id") or 0)


def _verdict(line: EventLine) -> str | None:
    return (ruling_of(line) or {}).get("verdict")


def _is_news(line: EventLine, heard: Mapping[int, str | None]) -> bool:
    """Return whether a line is new, or has turned into a breach."""
    return _id(line) not in heard or (_verdict(line) == "illegal" and heard[_id(line)] != "illegal")


def speech_for(lines: Sequence[EventLine], turn: str | None, demand: str = "") -> tuple[str, str]:
    """Return the speech for new events: (texts worth hearing late, texts that the next event makes stale).

    The first are breaches, rituals, players who are out and the end. The second are effects of a play,
    unproven rulings, open questions and the turn.

    Args:
        lines: The events.
        turn: The player whose turn it has become; None if it has not changed.
        demand: The engine's words for what may be played now.
    """
    lasting: list[str] = []
    passing: list[str] = []
    again = None
    for line in lines:
        ruling = ruling_of(line) or {}
        if ruling.get("verdict") == "illegal":
            lasting.append(f"{_('Illegal')}. {breaches_text(ruling)}".rstrip())
        elif ruling.get("verdict") == "unproven":
            passing.append(": ".join(filter(None, (_("Not proven"), needs_text(ruling)))) + ".")
        if line.get("event") in _ACTS:
            stands = ruling.get("effects") or {} if ruling.get("verdict") != "illegal" else {}
            passing += _effects_spoken(line, stands)
            goes_on = stands.get("extra_turn") or stands.get("next") == line.get("player")
            again = line.get("player") if goes_on else None
        lasting += ritual_texts(ruling.get("effects") or {}, line.get("player"))
        if line.get("event") == "out":
            lasting.append(_("{player} is out.").format(player=line.get("player")))
        if line.get("event") == "consequence":
            lasting.append(f"{event_text(line)}.")
        if line.get("event") == "game_over" and line.get("loser"):
            lasting.append(_("{player} is the Shithead.").format(player=line["loser"]))
            turn = again = None
        if line.get("event") == "unclear" and line.get("says"):
            passing.append(question_text(line))
    if again is not None and turn in (None, again):
        passing.append(_asked(_("{player} again"), again, demand))
    elif turn:
        passing.append(_asked(_("{player} to play"), turn, demand))
    return " ".join(lasting), " ".join(passing)


def _effects_spoken(line: EventLine, effects: Mapping[str, Any]) -> list[str]:
    """Return an event's effects on the table in few words."""
    said = []
    if line.get("event") == "pick_up" and effects:
        said.append(f"{event_text(line)}.")
    elif effects.get("picks_up"):
        said.append(_("{player} picks up the pile.").format(player=effects["picks_up"]))
    if effects.get("burn"):
        said.append(_("Burnt."))
    said += [_("{player} is back in.").format(player=player) for player in effects.get("back_in") or ()]
    if effects.get("skipped"):
        said.append(_("Skipped: {players}.").format(players=", ".join(effects["skipped"])))
    return said


def _asked(who: str, player: str, demand: str) -> str:
    """Return the player's name, and what must be beaten unless anything goes."""
    needed = demand_text(demand) if demand not in ("", "anything", "not known") else ""
    return ": ".join(filter(None, (who.format(player=player), needed))) + "."


def write_tone(path: Path) -> None:
    """Write the sound of a breach."""
    samples: list[int] = []
    for frequency, seconds in _TONES:
        count = int(_RATE * seconds)
        for n in range(count):
            fade = min(1.0, n / 200, (count - n) / 1200)
            samples.append(int(9000 * fade * math.sin(2 * math.pi * frequency * n / _RATE)))
    path.parent.mkdir(parents=True, exist_ok=True)
    with wave.open(str(path), "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(_RATE)
        out.writeframes(struct.pack(f"<{len(samples)}h", *samples))


_loaded: list[Any] = []


def _play_sound() -> None:
    from kivy.core.audio import SoundLoader

    if not _loaded:
        path = cache_folder() / "breach.wav"
        try:
            write_tone(path)
        except OSError as error:
            _log.warning("no sound: %s", error)
            return
        _loaded.append(SoundLoader.load(str(path)))
    if _loaded[0] is not None:
        _loaded[0].play()


def _vibrate() -> None:
    try:
        import_module("plyer").vibrator.vibrate(_BUZZ_S)
    except Exception as error:  # no plyer, or a device that cannot: plyer passes on any error
        _log.info("no vibration: %s", error)
