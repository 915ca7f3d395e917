"""Announces the page's name on the local network (multicast DNS), without its secret."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
from collections.abc import AsyncIterator, Sequence

_log = logging.getLogger(__name__)
SERVICE = "_https._tcp.local."


@contextlib.asynccontextmanager
async def announced(name: str, addresses: Sequence[str], port: int) -> AsyncIterator[None]:
    """Announce a name (`shithead-HOST.local`). If that fails, the addresses still work."""
    from zeroconf import Error, IPVersion
    from zeroconf.asyncio import AsyncServiceInfo, AsyncZeroconf

    async with contextlib.AsyncExitStack() as closing:
        try:
            network = AsyncZeroconf(interfaces=list(addresses), ip_version=IPVersion.V4Only)
            closing.push_async_callback(network.async_close)
            info = AsyncServiceInfo(
                SERVICE,
                f"Shithead referee ({name.removesuffix('.local')}).{SERVICE}",
                port=port,
                addresses=[socket.inet_aton(address) for address in addresses],
                server=f"{name}.",
            )
            # It takes a second to see whether the name is free, and nobody waits for that.
            task = asyncio.create_task(_register(network, info))
            closing.callback(task.cancel)
        except (OSError, Error) as error:
            _log.warning("the name %s is not announced: %s", name, error)
        yield


async def _register(network: object, info: object) -> None:
    from zeroconf import Error

    try:
        await network.async_register_service(info, allow_name_change=True)  # type: ignore[attr-defined]
    except (OSError, Error) as error:
        _log.warning("the page's name is not announced: %s", error)
