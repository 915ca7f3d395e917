"""Saying one sentence after the other, without keeping anybody waiting."""

from __future__ import annotations

import threading

MAX_SENTENCE_S = 30.0
"""No sentence takes longer."""


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
