"""Speech behind one small interface: espeak-ng on a desktop, the phone's own voice on Android."""

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
"""Speech programs in order of preference; `say` belongs to macOS."""


class Speaker(Protocol):
    """Says sentences aloud."""

    def say(self, text: str, *, lasting: bool = False) -> None:
        """Queue `text` and return at once. It replaces queued texts that are not `lasting`."""
        ...

    def close(self) -> None:
        """Fall silent."""
        ...


class SilentSpeaker:
    """Says nothing, on a device without a voice."""

    def say(self, text: str, *, lasting: bool = False) -> None:
        """Say nothing."""

    def close(self) -> None:
        """Do nothing."""


class ProgramSpeaker(QueuedSpeaker):
    """Speaks with a program that reads text from its standard input."""

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
    """Return a speaker for this device, or a `SilentSpeaker`. Call this in the window's thread."""
    if on_phone():
        own = find_phone_voice(voice)
        return PhoneSpeaker(own) if own is not None else SilentSpeaker()
    program = voice_program()
    return ProgramSpeaker(program, voice) if program is not None else SilentSpeaker()


def can_speak() -> bool:
    """Return whether `find_speaker` would find a voice. No voice is prepared."""
    if on_phone():
        return any(find_spec(name) is not None for name in ("jnius", "plyer"))
    return voice_program() is not None


def voice_program() -> str | None:
    """Return the path of this desktop's speech program, or None."""
    return next((found for name in _PROGRAMS if (found := shutil.which(name))), None)
