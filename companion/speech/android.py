"""The phone's own voice: Android's TextToSpeech behind a small interface, and a speaker that uses it."""

from __future__ import annotations

import logging
import threading
import time
from importlib import import_module
from typing import Any, Protocol

from companion.speech.queue import MAX_SENTENCE_S, QueuedSpeaker

_log = logging.getLogger(__name__)
_READY_S = 10.0
"""Longest time that Android may take to prepare its voice."""
_POLL_S = 0.1


class PhoneVoice(Protocol):
    """The interface of a phone's voice."""

    def speak(self, text: str) -> None:
        """Say `text` and return afterwards. Raises whatever the phone raises."""
        ...

    def close(self) -> None:
        """Fall silent at once; may be called from any thread."""
        ...


class PhoneSpeaker(QueuedSpeaker):
    """Speaks with a phone's voice, which blocks and may fail at any sentence."""

    def __init__(self, voice: PhoneVoice) -> None:
        """`voice` is used in the speaker's own thread."""
        self._voice = voice
        super().__init__()

    def _speak(self, text: str) -> bool:
        try:
            self._voice.speak(text)
        except Exception as error:  # the phone's services may raise anything
            _log.warning("the phone's voice does not work: %s", error)
        return True

    def _break_off(self) -> None:
        try:
            self._voice.close()
        except Exception as error:
            _log.warning("the phone's voice does not close: %s", error)


class PlyerVoice:
    """The voice through plyer, in the phone's default language only."""

    def __init__(self, tts: Any = None) -> None:
        """`tts` replaces `plyer.tts` in tests. Raises ImportError if plyer is missing."""
        self._tts = tts if tts is not None else import_module("plyer").tts

    def speak(self, text: str) -> None:
        """Hand `text` to the phone."""
        self._tts.speak(message=text)

    def close(self) -> None:
        """Let the phone finish its sentence."""


class AndroidVoice:
    """`android.speech.tts.TextToSpeech` in the app's language. Tests run it with fake Java classes only.

    Create it in the window's thread: only there does Java find the app's classes. The rest runs in the
    speaker's thread.
    """

    def __init__(self, language: str) -> None:
        """Ask Android for its voice, which is ready some time later. `language` is a code such as `de`."""
        jnius: Any = import_module("jnius")
        ready = threading.Event()
        states: list[int] = []

        def told(_self: Any, status: int) -> None:
            states.append(status)
            ready.set()

        listener = type(
            "OnInit",
            (jnius.PythonJavaClass,),
            {
                "__javainterfaces__": ["android/speech/tts/TextToSpeech$OnInitListener"],
                "__javacontext__": "app",
                "onInit": jnius.java_method("(I)V", name="onInit")(told),
            },
        )
        activity = jnius.autoclass("org.kivy.android.PythonActivity").mActivity
        self._locale = jnius.autoclass("java.util.Locale").forLanguageTag(language)
        self._ready, self._states, self._listener = ready, states, listener()
        self._tts = jnius.autoclass("android.speech.tts.TextToSpeech")(activity, self._listener)
        self._in_language = False

    def speak(self, text: str) -> None:
        """Say `text`. Raises RuntimeError if Android has no voice."""
        if not self._ready.wait(_READY_S) or self._states[-1] != 0:
            raise RuntimeError("Android has no voice ready")
        if not self._in_language:
            if self._tts.setLanguage(self._locale) < 0:
                _log.warning("Android has no voice for the language of the app")
            self._in_language = True
        self._tts.speak(text, 1, None, "said")  # 1: QUEUE_ADD
        until = time.monotonic() + MAX_SENTENCE_S
        time.sleep(_POLL_S)  # isSpeaking() is not true at once
        while self._tts.isSpeaking() and time.monotonic() < until:
            time.sleep(_POLL_S)

    def close(self) -> None:
        """Fall silent and release the voice."""
        self._tts.stop()
        self._tts.shutdown()


def find_phone_voice(language: str) -> PhoneVoice | None:
    """Return the phone's voice in `language`: Android's own, else plyer's, else None."""
    for make in (lambda: AndroidVoice(language), PlyerVoice):
        try:
            return make()
        except Exception as error:  # no jnius, no plyer, or any Java error
            _log.warning("a voice of the phone is not there: %s", error)
    return None
