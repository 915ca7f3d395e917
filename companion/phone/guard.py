"""Checks every request before it is served: peer, host name, origin, rate and wrong secrets."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from companion.phone.addresses import is_local

MAX_PEERS = 256
"""Addresses whose rate is remembered."""


class Rate:
    """Allows `per_second` things on average, and `burst` at once."""

    def __init__(self, per_second: float, burst: float, clock: Callable[[], float] = time.monotonic) -> None:
        """Start with everything allowed."""
        self._per_second, self._burst, self._clock = per_second, burst, clock
        self._left, self._at = burst, clock()

    def allows(self, amount: float = 1.0) -> bool:
        """Return whether so much more may happen now, and count it if so."""
        allowed = self.has(amount)
        if allowed:
            self._left -= amount
        return allowed

    def has(self, amount: float) -> bool:
        """Return whether so much more may happen now, without counting it."""
        now = self._clock()
        self._left = min(self._burst, self._left + (now - self._at) * self._per_second)
        self._at = now
        return self._left >= amount


@dataclass(frozen=True, slots=True)
class Limits:
    """How much one peer may ask for. A peer may be a router with several phones behind it."""

    requests_per_second: float = 60.0
    request_burst: float = 240.0
    wrong_secrets_per_second: float = 0.1
    wrong_secret_burst: float = 10.0


class Peers:
    """Knows how much each peer has asked for lately."""

    def __init__(self, limits: Limits | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        """Start with no peer."""
        self._limits, self._clock = limits or Limits(), clock
        self._rates: OrderedDict[str, tuple[Rate, Rate]] = OrderedDict()

    def may_ask(self, peer: str) -> bool:
        """Return whether a peer may send another request, and count it."""
        return self._of(peer)[0].allows()

    def is_shut_out(self, peer: str) -> bool:
        """Return whether a peer has tried too many wrong secrets lately."""
        return not self._of(peer)[1].has(1.0)

    def note_wrong_secret(self, peer: str) -> None:
        """Count a wrong secret."""
        self._of(peer)[1].allows()

    def _of(self, peer: str) -> tuple[Rate, Rate]:
        found = self._rates.pop(peer, None)
        if found is None:
            limits = self._limits
            found = (
                Rate(limits.requests_per_second, limits.request_burst, self._clock),
                Rate(limits.wrong_secrets_per_second, limits.wrong_secret_burst, self._clock),
            )
        self._rates[peer] = found
        while len(self._rates) > MAX_PEERS:
            self._rates.popitem(last=False)
        return found


def refusal(
    peer: str | None, host: str | None, origin: str | None, hosts: frozenset[str], scheme: str
) -> str | None:
    """Return why a request is refused before its secret is looked at; None if it is not.

    Args:
        peer: The address that it comes from.
        host: Its `Host`: a page of another name that leads here (DNS rebinding) has another one.
        origin: Its `Origin`: a page of another site that posts here has another one.
        hosts: The names under which this server is reached.
        scheme: `http` or `https`.
    """
    if peer is None or not is_local(peer):
        return "only the local network is served"
    if host is None or host.lower() not in hosts:
        return "unknown host"
    if origin is not None and origin.lower() not in {f"{scheme}://{name}" for name in hosts}:
        return "unknown origin"
    return None
