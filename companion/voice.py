"""Speaking aloud, behind one small interface: espeak-ng on a desktop, the phone's own voice on Android."""

from __future__ import annotations

import logging
import queue
import shutil
import subprocess
import sys
import threading
from importlib import import_module
from typing import Any, Protocol

_log = logging.getLogger(__name__)
_PROGRAMS = ("espeak-ng", "espeak", "say")
"""Programs that speak, the preferred one first; `say` is that of macOS."""
_LONGEST_S = 30.0


class Speaker(Protocol):
    """Something that says a sentence aloud."""

    def say(self, text: str) -> None:
        """Say `text` soon, and return at once. What was still waiting to be said is dropped for it."""
        ...

    def close(self) -> None:
        """Fall silent."""
        ...


class Silent:
    """Says nothing: there is no voice here."""

    def say(self, text: str) -> None:
        """Say nothing."""

    def close(self) -> None:
        """Do nothing."""


class ProgramSpeaker:
    """Speaks through a program that reads a text from its standard input."""

    def __init__(self, program: str, voice: str = "en") -> None:
        """`program` is its path, `voice` the language of the sentences."""
        name = program.rsplit("/", 1)[-1]
        self._command = [program] if name == "say" else [program, "-v", voice, "--stdin"]
        self._waiting: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._process: subprocess.Popen[bytes] | None = None
        self._thread = threading.Thread(target=self._work, name="voice", daemon=True)
        self._thread.start()

    def say(self, text: str) -> None:
        """Say `text` once what is being said has been said."""
        while not self._waiting.empty():
            try:
                self._waiting.get_nowait()
            except queue.Empty:  # the voice was quicker
                break
        self._waiting.put(text)

    def close(self) -> None:
        """Break off and end the thread."""
        self._waiting.put(None)
        process = self._process
        if process is not None:
            process.kill()
        self._thread.join(timeout=2)

    def _work(self) -> None:
        while True:
            text = self._waiting.get()
            if text is None:
                return
            try:
                self._process = subprocess.Popen(
                    self._command,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                )
                self._process.communicate(text.encode(), timeout=_LONGEST_S)
            except subprocess.TimeoutExpired:
                if self._process is not None:
                    self._process.kill()
            except OSError as error:
                _log.warning("the voice does not work: %s", error)
                return


class PhoneSpeaker:
    """Speaks with the phone's own voice, through plyer."""

    def __init__(self, tts: Any) -> None:
        """`tts` is `plyer.tts` or what stands in for it."""
        self._tts = tts

    def say(self, text: str) -> None:
        """Hand `text` to the phone."""
        try:
            self._tts.speak(message=text)
        except Exception as error:  # plyer raises whatever the phone's own services raise
            _log.warning("the phone's voice does not work: %s", error)

    def close(self) -> None:
        """Let the phone finish its sentence."""


def find_speaker(voice: str = "en") -> Speaker:
    """Return a speaker that works here, `Silent` where there is none."""
    if hasattr(sys, "getandroidapilevel"):
        try:
            return PhoneSpeaker(import_module("plyer").tts)
        except ImportError:
            return Silent()
    program = voice_program()
    return ProgramSpeaker(program, voice) if program is not None else Silent()


def voice_program() -> str | None:
    """Return the program that speaks on this desktop, or None."""
    return next((found for name in _PROGRAMS if (found := shutil.which(name))), None)
