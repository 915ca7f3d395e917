"""Speaking aloud, behind one small interface: espeak-ng on a desktop, the phone's own voice on Android."""

from __future__ import annotations

import logging
import shutil
import subprocess
from importlib.util import find_spec
from typing import Protocol

from companion.device import on_phone
from companion.speech.android import PhoneSpeaker, find_phone_voice
from companion.speech.queue import MAX_SENTENCE_S, QueuedSpeaker

_log = logging.getLogger(__name__)
_PROGRAMS = ("espeak-ng", "espeak", "say")
"""Programs that speak, the preferred one first; `say` is that of macOS."""


class Speaker(Protocol):
    """Something that says a sentence aloud."""

    def say(self, text: str, *, lasting: bool = False) -> None:
        """Say `text` soon, and return at once; what waits and is not `lasting` is dropped for it."""
        ...

    def close(self) -> None:
        """Fall silent."""
        ...


class SilentSpeaker:
    """Says nothing: there is no voice here."""

    def say(self, text: str, *, lasting: bool = False) -> None:
        """Say nothing."""

    def close(self) -> None:
        """Do nothing."""


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
            self._process.communicate(text.encode(), timeout=MAX_SENTENCE_S)
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
    """Return a speaker for this device, or a `SilentSpeaker`; call it in the window's thread."""
    if on_phone():
        own = find_phone_voice(voice)
        return PhoneSpeaker(own) if own is not None else SilentSpeaker()
    program = voice_program()
    return ProgramSpeaker(program, voice) if program is not None else SilentSpeaker()


def can_speak() -> bool:
    """Return whether `find_speaker` would find a voice, without making it ready."""
    if on_phone():
        return any(find_spec(name) is not None for name in ("jnius", "plyer"))
    return voice_program() is not None


def voice_program() -> str | None:
    """Return the program that speaks on this desktop, or None."""
    return next((found for name in _PROGRAMS if (found := shutil.which(name))), None)
