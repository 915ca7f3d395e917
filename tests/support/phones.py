"""Phones for tests: a server on this machine alone, and clients that speak to it as the page does."""

from __future__ import annotations

import asyncio
import contextlib
import json
import struct
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import aiohttp
import cv2
import numpy as np

from companion.phone.hub import Hub
from companion.phone.program import ProgramState
from companion.phone.server import PhoneServer, Serving
from companion.sources.joined_phone import PhoneFrames
from tests.support.waiting import PATIENCE_S


def jpeg(width: int = 160, height: int = 90, grey: int = 90) -> bytes:
    """Return a plain picture as JPEG."""
    return bytes(cv2.imencode(".jpg", np.full((height, width, 3), grey, np.uint8))[1].tobytes())


def phone_id(number: int) -> str:
    return f"{number:032x}"


@contextlib.contextmanager
def serving(
    folder: Path,
    program: ProgramState | None = None,
    frames: PhoneFrames | None = None,
    *,
    port: int = 0,
    rate: float = 15.0,
    size: int = 1600,
    **fields: Any,
) -> Iterator[PhoneServer]:
    """Serve on this machine alone, with files in `folder`."""
    hub = Hub(
        program or ProgramState(store=folder / "none.sqlite"),
        frames or PhoneFrames(),
        wanted_rate=rate,
        wanted_size=size,
    )
    server = PhoneServer(hub, host="127.0.0.1", port=port, folder=folder, announce=False, **fields)
    server.start()
    try:
        yield server
    finally:
        server.stop()


def addresses(server: PhoneServer) -> Serving:
    assert server.serving is not None
    return server.serving


def origin(address: str) -> str:
    return "/".join(address.split("/")[:3])


class Client:
    """One phone on a WebSocket."""

    def __init__(self, link: aiohttp.ClientWebSocketResponse) -> None:
        self.link = link
        self.state: dict[str, Any] = {}
        self.heard: list[dict[str, Any]] = []

    async def say(self, **fields: Any) -> None:
        await self.link.send_str(json.dumps(fields))

    async def film(self, taken: float, picture: bytes | None = None) -> None:
        await self.link.send_bytes(struct.pack("<d", taken) + (jpeg() if picture is None else picture))

    async def hear(self, kind: str, wanted: Callable[[dict[str, Any]], object] = bool) -> dict[str, Any]:
        """Return the next message of a kind that is wanted; a state is whole, and may be the present one."""
        if kind == "state" and self.state and wanted(self.state):
            return self.state
        async with asyncio.timeout(PATIENCE_S):
            while True:
                got = await self.link.receive()
                assert got.type is aiohttp.WSMsgType.TEXT, f"the connection ended: {got}"
                message: dict[str, Any] = json.loads(got.data)
                self.heard.append(message)
                if message["type"] == "state":
                    self.state |= message
                    message = self.state
                if message["type"] == kind and wanted(message):
                    return message

    async def ended(self) -> str:
        """Wait until the server closes the connection, and return its last words."""
        words = ""
        async with asyncio.timeout(PATIENCE_S):
            async for got in self.link:
                message = json.loads(got.data)
                words = message.get("says", "") if message["type"] == "dropped" else words
        return words


@contextlib.asynccontextmanager
async def visitor() -> AsyncIterator[aiohttp.ClientSession]:
    """Yield a browser that accepts the certificate."""
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(ssl=False, limit=0)) as session:
        yield session


@contextlib.asynccontextmanager
async def phone(
    address: str, number: int = 1, *, name: str = "", language: str = "en"
) -> AsyncIterator[Client]:
    """Yield a phone that has joined by an address with its secret."""
    async with visitor() as session, linked(session, address) as link:
        client = Client(link)
        await client.say(type="hello", phone=phone_id(number), name=name, language=language)
        yield client


@contextlib.asynccontextmanager
async def linked(
    session: aiohttp.ClientSession, address: str
) -> AsyncIterator[aiohttp.ClientWebSocketResponse]:
    """Yield a bare WebSocket, as the page opens it."""
    async with session.ws_connect(f"{address}ws", origin=origin(address), max_msg_size=0) as link:
        yield link
