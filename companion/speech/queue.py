"""Say one sentence after the other without blocking the caller."""

from __future__ import annotations

import threading

MAX_SENTENCE_S = 30.0
"""Longest time for one sentence."""


class QueuedSpeaker:
    """Says texts one after the other in its own thread, because a voice may block."""

    def __init__(self) -> None:
        """Start the thread, with nothing to say."""
        self._waiting: list[tuple[str, bool]] = []
        self._changed = threading.Condition()
        self._closed = False
        self._thread = threading.Thread(target=self._work, name="voice", daemon=True)
        self._thread.start()

    def say(self, text: str, *, lasting: bool = False) -> None:
        """Queue `text`. It replaces queued texts that are not `lasting`."""
        with self._changed:
            self._waiting = [waiting for waiting in self._waiting if waiting[1]] + [(text, lasting)]
            self._changed.notify()

    def close(self) -> None:
        """Interrupt the speech and end the thread."""
        with self._changed:
            self._closed = True
            self._changed.notify()
        self._break_off()
        self._thread.join(timeout=2)

    def _speak(self, text: str) -> bool:
        """Say `text` and return afterwards. Return False if this voice does not work."""
        raise NotImplementedError

    def _break_off(self) -> None:
        """Interrupt the current text."""

    def _work(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._closed)
                if self._closed:
                    return
                text, _lasting = self._waiting.pop(0)
            if not self._speak(text):
                return
