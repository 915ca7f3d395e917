"""Phones without a WebSocket: each polls for its messages and posts its own."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time

from companion.phone.hub import Hub, Phone
from companion.phone.invitation import Role
from companion.phone.requests import Hello
from engine.errors import BadInputError

POLL_S = 20.0
"""How long a poll waits for something to tell."""
GONE_AFTER_S = 30.0
"""A phone that has not polled for so long is gone."""


class PollingPhones:
    """The polling phones by session: a number that only the phone itself knows."""

    def __init__(self, hub: Hub) -> None:
        """Start without a phone."""
        self._hub = hub
        self._phones: dict[str, Phone] = {}
        self._seen: dict[str, float] = {}

    def join(self, hello: Hello, role: Role) -> str:
        """Add a phone, and return its session.

        Raises:
            BadInputError: there are too many screens.
        """
        self._forget_gone()
        phone = self._hub.join(hello, role)
        session = secrets.token_hex(16)
        self._phones[session], self._seen[session] = phone, time.monotonic()
        asyncio.get_running_loop().call_later(GONE_AFTER_S, self._watch, session)
        return session

    def phone(self, session: str) -> Phone:
        """Return the phone of a session.

        Raises:
            BadInputError: there is no such session.
        """
        phone = self._phones.get(session)
        if phone is None or phone.dropped is not None:
            self._forget(session)
            raise BadInputError("this phone is not connected any more")
        self._seen[session] = time.monotonic()
        return phone

    async def poll(self, session: str) -> list[str]:
        """Return the messages for a phone, as JSON texts. Wait for them for a while."""
        phone = self.phone(session)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(POLL_S):
                await phone.waiting.wait()
        return phone.take()

    def _watch(self, session: str) -> None:
        """Forget a phone that has stopped polling, or look again later."""
        self._forget_gone()
        if session in self._phones:
            asyncio.get_running_loop().call_later(GONE_AFTER_S / 3, self._watch, session)

    def _forget_gone(self) -> None:
        now = time.monotonic()
        for session, seen in list(self._seen.items()):
            if now - seen > GONE_AFTER_S:
                self._forget(session)

    def _forget(self, session: str) -> None:
        phone = self._phones.pop(session, None)
        self._seen.pop(session, None)
        if phone is not None:
            self._hub.leave(phone)
