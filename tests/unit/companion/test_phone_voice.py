"""The phone's voice and language, behind fakes that stand in for Android."""

from __future__ import annotations

import sys
import threading
import time
from types import SimpleNamespace
from typing import Any

import pytest

from companion.i18n import catalogue as i18n
from companion.speech.android import AndroidVoice, PhoneSpeaker, PlyerVoice, find_phone_voice
from companion.speech.voice import SilentSpeaker, can_speak, find_speaker


class SlowVoice:
    """Takes its time, as Android does when its voice is first wanted; fails at what it is told to."""

    def __init__(self, fails_at: str = "") -> None:
        self.go_on, self.fails_at = threading.Event(), fails_at
        self.said: list[tuple[str, str]] = []
        self.closed = False

    def speak(self, text: str) -> None:
        self.go_on.wait(20)
        if text == self.fails_at:
            raise RuntimeError("no engine")
        self.said.append((text, threading.current_thread().name))

    def close(self) -> None:
        self.closed = True
        self.go_on.set()


def until_said(voice: SlowVoice, count: int) -> None:
    deadline = time.monotonic() + 20
    while len(voice.said) < count and time.monotonic() < deadline:
        time.sleep(0.01)


def test_the_window_does_not_wait_for_the_phones_voice() -> None:
    voice = SlowVoice()
    speaker = PhoneSpeaker(voice)
    began = time.monotonic()
    speaker.say("Ann to play.")
    assert time.monotonic() - began < 1
    voice.go_on.set()
    until_said(voice, 1)
    speaker.close()
    assert voice.said == [("Ann to play.", "voice")]
    assert voice.closed


def test_a_phone_whose_voice_fails_does_not_take_the_app_with_it() -> None:
    voice = SlowVoice(fails_at="Ann to play.")
    voice.go_on.set()
    speaker = PhoneSpeaker(voice)
    speaker.say("Ann to play.", lasting=True)
    speaker.say("Bob to play.")
    until_said(voice, 1)
    speaker.close()
    assert [text for text, _ in voice.said] == ["Bob to play."]


class Java:
    """Stands in for pyjnius and what it leads to: a voice that is ready at once, with that status."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, status: int) -> None:
        self.calls: list[tuple[object, ...]] = []
        note = self.calls.append

        def text_to_speech(_activity: object, listener: Any) -> Any:
            listener.onInit(status)
            return SimpleNamespace(
                setLanguage=lambda locale: note(("language", locale)) or 0,
                speak=lambda text, *_how: note(("speak", text)),
                isSpeaking=lambda: False,
                stop=lambda: note(("stop",)),
                shutdown=lambda: note(("shutdown",)),
            )

        classes = {
            "org.kivy.android.PythonActivity": SimpleNamespace(mActivity=None),
            "java.util.Locale": SimpleNamespace(forLanguageTag=lambda tag: tag),
            "android.speech.tts.TextToSpeech": text_to_speech,
        }
        jnius = SimpleNamespace(
            autoclass=classes.__getitem__,
            PythonJavaClass=object,
            java_method=lambda _signature, name=None: lambda method: method,
        )
        monkeypatch.setitem(sys.modules, "jnius", jnius)


def test_androids_own_voice_speaks_in_the_language_of_the_app(monkeypatch: pytest.MonkeyPatch) -> None:
    java = Java(monkeypatch, status=0)
    voice = AndroidVoice("de")
    voice.speak("Ann ist dran.")
    voice.speak("Bob ist dran.")
    voice.close()
    assert java.calls == [
        ("language", "de"),
        ("speak", "Ann ist dran."),
        ("speak", "Bob ist dran."),
        ("stop",),
        ("shutdown",),
    ]


def test_an_android_without_a_voice_is_logged_and_harms_nothing(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    Java(monkeypatch, status=-1)
    speaker = PhoneSpeaker(AndroidVoice("de"))
    speaker.say("Ann ist dran.")
    deadline = time.monotonic() + 20
    while "no voice ready" not in caplog.text and time.monotonic() < deadline:
        time.sleep(0.01)
    speaker.close()
    assert "no voice ready" in caplog.text


def test_without_androids_own_voice_plyers_is_taken_and_without_that_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "getandroidapilevel", lambda: 33, raising=False)
    monkeypatch.setitem(sys.modules, "jnius", None)
    said: list[str] = []
    tts = SimpleNamespace(speak=lambda message: said.append(message))
    monkeypatch.setitem(sys.modules, "plyer", SimpleNamespace(tts=tts))
    voice = find_phone_voice("de")
    assert isinstance(voice, PlyerVoice)
    voice.speak("Ann ist dran.")
    assert said == ["Ann ist dran."]
    monkeypatch.setitem(sys.modules, "plyer", None)
    assert find_phone_voice("de") is None
    assert isinstance(find_speaker("de"), SilentSpeaker)


def test_a_phone_is_not_asked_for_a_program_that_speaks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("companion.speech.voice.voice_program", lambda: None)
    assert not can_speak()
    monkeypatch.setattr(sys, "getandroidapilevel", lambda: 33, raising=False)
    monkeypatch.setattr(
        "companion.speech.voice.find_spec", lambda name: object() if name == "jnius" else None
    )
    assert can_speak()


def test_the_app_speaks_the_language_that_android_is_set_to(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "en_GB.UTF-8")
    monkeypatch.setattr(sys, "getandroidapilevel", lambda: 33, raising=False)
    locale = SimpleNamespace(getDefault=lambda: SimpleNamespace(getLanguage=lambda: "de"))
    jnius = SimpleNamespace(autoclass={"java.util.Locale": locale}.__getitem__)
    try:
        monkeypatch.setitem(sys.modules, "jnius", jnius)
        assert i18n.set_language() == "de"
        monkeypatch.setitem(sys.modules, "jnius", None)
        assert i18n.set_language() == "en"
    finally:
        i18n.set_language("en")
