"""Speaking aloud, behind one small interface: espeak-ng on a desktop, the phone's own voice on Android."""

from __future__ import annotations

import logging
import shutil
import subprocess
import threading
from importlib.util import find_spec
from typing import Protocol

from companion.device import on_phone

_log = logging.getLogger(__name__)
_PROGRAMS = ("espeak-ng", "espeak", "say")
"""Programs that speak, the preferred one first; `say` is that of macOS."""
LONGEST_S = 30.0
"""No sentence takes longer."""


class Speaker(Protocol):
    """Something that says a sentence aloud."""

    def say(self, text: str, *, lasting: bool = False) -> None:
        """Say `text` soon, and return at once; what waits and is not `lasting` is dropped for it."""
        ...

    def close(self) -> None:
        """Fall silent."""
        ...


class Silent:
    """Says nothing: there is no voice here."""

    def say(self, text: str, *, lasting: bool = False) -> None:
        """Say nothing."""

    def close(self) -> None:
        """Do nothing."""


class QueuedSpeaker:
    """Says one text after the other in a thread of its own: a voice may keep whoever calls it waiting."""

    def __init__(self) -> None:
        """Begin with nothing to say."""
        self._waiting: list[tuple[str, bool]] = []
        self._changed = threading.Condition()
        self._closed = False
        self._thread = threading.Thread(target=self._work, name="voice", daemon=True)
        self._thread.start()

    def say(self, text: str, *, lasting: bool = False) -> None:
        """Say `text` once what is being said, and what must not be dropped, has been said."""
        with self._changed:
            self._waiting = [waiting for waiting in self._waiting if waiting[1]] + [(text, lasting)]
            self._changed.notify()

    def close(self) -> None:
        """Break off and end the thread."""
        with self._changed:
            self._closed = True
            self._changed.notify()
        self._break_off()
        self._thread.join(timeout=2)

    def _speak(self, text: str) -> bool:
        """Say `text` and return once it is said; False: this voice does not work."""
        raise NotImplementedError

    def _break_off(self) -> None:
        """Cut short what is being said."""

    def _work(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._closed)
                if self._closed:
                    return
                text, _lasting = self._waiting.pop(0)
            if not self._speak(text):
                return


class ProgramSpeaker(QueuedSpeaker):
    """Speaks through a program that reads a text from its standard input."""

    def __init__(self, program: str, voice: str = "en") -> None:
        """`program` is its path, `voice` the language of the sentences."""
        name = program.rsplit("/", 1)[-1]
        self._command = [program] if name == "say" else [program, "-v", voice, "--stdin"]
        self._process: subprocess.Popen[bytes] | None = None
        super().__init__()

    def _speak(self, text: str) -> bool:
        try:
            self._process = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            if self._closed:
                self._break_off()
            self._process.communicate(text.encode(), timeout=LONGEST_S)
        except subprocess.TimeoutExpired:
            self._break_off()
        except OSError as error:
            _log.warning("the voice does not work: %s", error)
            return False
        return True

    def _break_off(self) -> None:
        process = self._process
        if process is not None:
            process.kill()


def find_speaker(voice: str = "en") -> Speaker:
    """Return a speaker that works here, `Silent` where there is none; call it in the window's thread."""
    if on_phone():
        from companion.phone_voice import PhoneSpeaker, find_phone_voice

        own = find_phone_voice(voice)
        return PhoneSpeaker(own) if own is not None else Silent()
    program = voice_program()
    return ProgramSpeaker(program, voice) if program is not None else Silent()


def can_speak() -> bool:
    """Return whether `find_speaker` would find a voice, without making it ready."""
    if on_phone():
        return any(find_spec(name) is not None for name in ("jnius", "plyer"))
    return voice_program() is not None


def voice_program() -> str | None:
    """Return the program that speaks on this desktop, or None."""
    return next((found for name in _PROGRAMS if (found := shutil.which(name))), None)
