"""The page's server: in a thread of its own, for this machine and its local networks only.

Every path begins with a secret. Without the right one nothing is served, not even the page.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import socket
import threading
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from aiohttp import WSCloseCode, WSMsgType, web
from aiohttp.http import HttpProcessingError

from companion.i18n.catalogue import speaking
from companion.i18n.messages import error_text
from companion.phone.addresses import LOOPBACK, host_names, is_loopback, local_addresses, network_name
from companion.phone.certificate import server_certificate
from companion.phone.discovery import announced
from companion.phone.guard import Limits, Peers, Rate, refusal
from companion.phone.hub import Hub, Phone
from companion.phone.invitation import Invitation, Role, evening_invitation
from companion.phone.open_ports import data_folder, noted
from companion.phone.page_texts import page_document
from companion.phone.polling import PollingPhones
from companion.phone.requests import MAX_MESSAGE_BYTES, Hello, checked_seconds, parse_message
from companion.sources.joined_phone import MAX_JPEG_BYTES
from engine.errors import BadInputError
from engine.files.atomic import make_folder

_log = logging.getLogger(__name__)
_http_log = logging.getLogger(f"{__name__}.http")
# A malformed request is answered with 400. Somebody who sends many must not fill the log.
_http_log.addFilter(
    lambda record: not (record.exc_info and isinstance(record.exc_info[1], HttpProcessingError))
)
DEFAULT_PORT = 8443
_PORTS_TRIED = 20
_INVITATION = "invitation.json"
HELLO_TIMEOUT_S, SEND_TIMEOUT_S = 10.0, 10.0
"""A phone that says nothing at first, or takes nothing for so long, is dropped."""
_HEARTBEAT_S = 10.0
ADDRESSES_EVERY_S = 3.0
"""How often this machine's addresses are looked at. On another Wi-Fi they are others."""
MAX_FRAMES_PER_S, MAX_MESSAGES_PER_S = 30.0, 10.0
MAX_BAD_MESSAGES = 10
"""A phone that sends more bad messages is dropped."""
_ROLE: web.RequestKey[Role] = web.RequestKey("role", str)  # type: ignore[arg-type]
_FRAME_HEADER = 8
"""Bytes before a picture on a WebSocket: when it was taken, in seconds (float64, little-endian)."""
_FILES = {"style.css": "text/css", "page.js": "text/javascript", "icon.svg": "image/svg+xml"}
"""The page's own files and their types. No other file is ever read for a phone."""
_HEADERS = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(self), screen-wake-lock=(self), microphone=(), geolocation=()",
    "Server": "shithead",
}


@dataclass(frozen=True, slots=True)
class Serving:
    """Where the page can be reached."""

    join: str
    """Address for the phone that films, with its secret. The QR code holds it."""
    view: str
    """Address for the screens, with their secret."""
    local: str
    """The first address for this machine's own browser: without a certificate, because it is `localhost`."""
    fingerprint: str
    """SHA-256 of the certificate, as a phone's warning shows it."""
    port: int
    local_port: int
    addresses: tuple[str, ...]
    name: str | None
    """The name on the local network, if it is announced."""


class PhoneServer:
    """Serves the page until `stop()`. The hub joins it with the game."""

    def __init__(
        self,
        hub: Hub,
        *,
        host: str | None = None,
        port: int | None = None,
        folder: Path | None = None,
        announce: bool = True,
        limits: Limits | None = None,
    ) -> None:
        """Open nothing before `start()`.

        Args:
            hub: Joins the phones with the game.
            host: The one address to serve on; None: all addresses on local networks.
            port: The port; None: the first free one from `DEFAULT_PORT`. 0: any free one.
            folder: Folder of certificate and secrets; None: the user's own.
            announce: Whether to announce a name on the local network.
            limits: How much one peer may ask for.
        """
        self.hub = hub
        self.serving: Serving | None = None
        """Where the page is now. It is replaced as a whole when this machine comes into another network."""
        self.invitation: Invitation | None = None
        self._host, self._port = host, port
        self._folder = folder or data_folder()
        self._announce = announce
        self._peers = Peers(limits)
        self._polling = PollingPhones(hub)
        self._hosts: frozenset[str] = frozenset()
        self._certificate = b""
        self._fault: BadInputError | None = None
        self._ready = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ending: asyncio.Event | None = None
        self._thread = threading.Thread(target=self._work, name="phones", daemon=True)

    def start(self) -> Serving:
        """Open the ports, and return where the page is.

        Raises:
            BadInputError: the address or the port cannot be used, or a file cannot be written.
        """
        self._thread.start()
        self._ready.wait()
        if self._fault is not None:
            raise self._fault
        assert self.serving is not None
        return self.serving

    def stop(self, timeout: float = 10.0, *, forget: bool = False) -> None:
        """Close every connection and the ports. With `forget`, the secrets end too."""
        loop, ending = self._loop, self._ending
        if loop is not None and ending is not None and self._thread.is_alive():
            with contextlib.suppress(RuntimeError):  # it has just ended by itself
                loop.call_soon_threadsafe(ending.set)
            self._thread.join(timeout)
        if forget:
            with contextlib.suppress(OSError):
                (self._folder / _INVITATION).unlink(missing_ok=True)

    def call_soon(self, act: Callable[[], object]) -> None:
        """Call a function in the server's thread, where the hub may be used."""
        if self._loop is not None:
            self._loop.call_soon_threadsafe(act)

    # Everything below runs in the server's thread.

    def _work(self) -> None:
        try:
            asyncio.run(self._serve())
        except BadInputError as error:
            self._fault = error
        except OSError as error:
            where = f"{error.filename}: " if error.filename else ""
            self._fault = BadInputError(
                "phones cannot join: {reason}", reason=f"{where}{error.strerror or error}"
            )
        except Exception as error:
            _log.exception("the phones' server has ended")
            self._fault = BadInputError("phones cannot join: {reason}", reason=error)
        finally:
            self._ready.set()

    async def _serve(self) -> None:
        self._loop, self._ending = asyncio.get_running_loop(), asyncio.Event()
        make_folder(self._folder)
        self._folder.chmod(0o700)
        self.invitation = evening_invitation(self._folder / _INVITATION)
        work, ending = asyncio.create_task(self.hub.run()), asyncio.create_task(self._ending.wait())
        try:
            while not (work.done() or ending.done()):
                await self._serve_here(work, ending)
            if work.done():
                work.result()
        finally:
            work.cancel()
            ending.cancel()

    async def _serve_here(self, work: asyncio.Task[None], ending: asyncio.Task[bool]) -> None:
        """Serve until one of the tasks is done, or this machine has come into another network."""
        addresses = [self._host] if self._host is not None else local_addresses() or [LOOPBACK]
        async with contextlib.AsyncExitStack() as closing:
            try:
                await self._open(closing, addresses)
            except (BadInputError, OSError) as error:
                if self.serving is None:
                    raise
                # A network that comes up is not ready at once, or the port is taken there.
                _log.warning("phones cannot join at %s yet: %s", ", ".join(addresses), error)
                await asyncio.wait({work, ending}, timeout=ADDRESSES_EVERY_S)
                return
            self._ready.set()
            moved = asyncio.create_task(self._until_moved(addresses))
            closing.callback(moved.cancel)
            await asyncio.wait({work, ending, moved}, return_when=asyncio.FIRST_COMPLETED)
            for phone in list(self.hub.phones.values()):
                phone.drop("")

    async def _until_moved(self, addresses: Sequence[str]) -> None:
        """Return once this machine has other addresses, for example on another Wi-Fi."""
        while self._host is not None or (local_addresses() or [LOOPBACK]) == list(addresses):
            await asyncio.sleep(ADDRESSES_EVERY_S)

    async def _open(self, closing: contextlib.AsyncExitStack, addresses: Sequence[str]) -> None:
        """Open the ports: https on the local networks, and http for this machine alone.

        In another network the ports stay the same if they are free there, so that phones that come back find
        the page again.
        """
        before = self.serving
        port, sockets = _bound(addresses, before.port if before else self._port, self._port)
        closing.callback(_close_all, sockets)
        own_wanted = before.local_port if before else 0 if self._port == 0 else port + 1
        own_port, own = bind_first_free([LOOPBACK], own_wanted, tries=_PORTS_TRIED)
        closing.callback(_close_all, own)
        name = network_name() if self._announce and not all(map(is_loopback, addresses)) else None
        names = [*addresses, *([name] if name else []), "localhost", LOOPBACK]
        certificate = server_certificate(self._folder / "certificate.pem", names)
        self._certificate = certificate.public
        self._hosts = host_names([*addresses, *([name] if name else []), "localhost"], port) | host_names(
            ["localhost", LOOPBACK], own_port
        )
        runner = web.AppRunner(
            self._application(),
            handle_signals=False,
            access_log=None,
            logger=_http_log,
            shutdown_timeout=1.0,
        )
        await runner.setup()
        closing.push_async_callback(runner.cleanup)
        for opened in sockets:
            await web.SockSite(runner, opened, ssl_context=certificate.context()).start()
        await web.SockSite(runner, own[0]).start()
        assert self.invitation is not None
        film, view = self.invitation.film, self.invitation.view
        base = f"https://{addresses[0]}:{port}"
        self.serving = Serving(
            join=f"{base}/{film}/",
            view=f"{base}/{view}/",
            local=f"http://localhost:{own_port}/{film}/",
            fingerprint=certificate.fingerprint,
            port=port,
            local_port=own_port,
            addresses=tuple(addresses),
            name=name,
        )
        closing.enter_context(noted(self._folder, addresses, port, own_port))
        if name is not None:
            await closing.enter_async_context(announced(name, addresses, port))

    def _application(self) -> web.Application:
        app = web.Application(middlewares=[self._guard], client_max_size=MAX_JPEG_BYTES)
        app.router.add_get("/{secret}", self._to_page)
        app.router.add_get("/{secret}/", self._page)
        app.router.add_get("/{secret}/ws", self._web_socket)
        app.router.add_get("/{secret}/certificate.crt", self._get_certificate)
        app.router.add_post("/{secret}/hello", self._polling_hello)
        app.router.add_post("/{secret}/frame", self._polling_frame)
        app.router.add_post("/{secret}/message", self._polling_message)
        app.router.add_post("/{secret}/poll", self._poll)
        app.router.add_get("/{secret}/{file}", self._file)
        return app

    @web.middleware
    async def _guard(
        self, request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
    ) -> web.StreamResponse:
        """Let only local peers with a secret through, and none too often."""
        peer = _peer(request)
        host, origin = request.headers.get("Host"), request.headers.get("Origin")
        why = refusal(peer, host, origin, self._hosts, request.scheme)
        if why is not None or peer is None:
            return _plain(403, why or "")
        if not self._peers.may_ask(peer) or self._peers.is_shut_out(peer):
            return _plain(429, "too many requests")
        assert self.invitation is not None
        role = self.invitation.role(request.match_info.get("secret", ""))
        if role is None:
            self._peers.note_wrong_secret(peer)
            return _plain(404, "not found")
        needs_origin = request.method != "GET" or request.path.endswith("/ws")
        if needs_origin and origin is None:
            return _plain(403, "unknown origin")
        request[_ROLE] = role
        try:
            response = await handler(request)
        except web.HTTPException as error:
            return _plain(error.status, error.reason)
        except BadInputError as error:
            return _json({"says": str(error)}, 400)
        except (TimeoutError, ConnectionError):
            return _plain(408, "too slow")
        if not response.prepared:
            response.headers.update(_HEADERS)
        return response

    async def _to_page(self, request: web.Request) -> web.StreamResponse:
        raise web.HTTPNotFound

    async def _page(self, request: web.Request) -> web.StreamResponse:
        socket_scheme = "wss" if request.scheme == "https" else "ws"
        policy = (
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; media-src blob:; "
            f"connect-src 'self' {socket_scheme}://{request.headers['Host']}; base-uri 'none'; "
            "form-action 'none'; frame-ancestors 'none'"
        )
        return web.Response(
            text=page_document(),
            content_type="text/html",
            charset="utf-8",
            headers={"Content-Security-Policy": policy},
        )

    async def _file(self, request: web.Request) -> web.StreamResponse:
        name = request.match_info["file"]
        kind = _FILES.get(name)
        if kind is None:
            raise web.HTTPNotFound
        return web.Response(body=page_file(name), content_type=kind, charset="utf-8")

    async def _get_certificate(self, request: web.Request) -> web.StreamResponse:
        disposition = {"Content-Disposition": 'attachment; filename="shithead-referee.crt"'}
        return web.Response(
            body=self._certificate, content_type="application/x-x509-ca-cert", headers=disposition
        )

    # A phone on a WebSocket

    async def _web_socket(self, request: web.Request) -> web.StreamResponse:
        link = web.WebSocketResponse(
            max_msg_size=MAX_JPEG_BYTES + _FRAME_HEADER, heartbeat=_HEARTBEAT_S, compress=False, timeout=2.0
        )
        link.headers.update(_HEADERS)
        try:
            await link.prepare(request)
        except UnicodeEncodeError:  # aiohttp repeats the header with the version, which was not text
            raise web.HTTPBadRequest from None
        try:
            phone = await self._welcome(link, request[_ROLE])
        except (BadInputError, TimeoutError) as error:
            says = str(error) if isinstance(error, BadInputError) else "message: 'hello' did not come"
            await _last_words(link, says)
            return link
        sender = asyncio.create_task(_send_all(link, phone, request.transport))
        try:
            await self._receive_all(link, phone)
        finally:
            self.hub.leave(phone)
            sender.cancel()
            if phone.dropped:
                await _last_words(link, phone.dropped)
            await link.close()
        return link

    async def _welcome(self, link: web.WebSocketResponse, role: Role) -> Phone:
        async with asyncio.timeout(HELLO_TIMEOUT_S):
            first = await link.receive()
        if first.type is not WSMsgType.TEXT:
            raise BadInputError("message: 'hello' comes first")
        hello = parse_message(first.data)
        if not isinstance(hello, Hello):
            raise BadInputError("message: 'hello' comes first")
        with speaking(hello.language):
            try:
                return self.hub.join(hello, role)
            except BadInputError as error:
                raise BadInputError("{reason}", reason=error_text(error)) from None

    async def _receive_all(self, link: web.WebSocketResponse, phone: Phone) -> None:
        frames, messages = Rate(MAX_FRAMES_PER_S, 30), Rate(MAX_MESSAGES_PER_S, 40)
        bad = 0
        async for item in link:
            if phone.dropped is not None or item.type not in (WSMsgType.TEXT, WSMsgType.BINARY):
                return
            try:
                if item.type is WSMsgType.BINARY:
                    # A frame too many is left out, and still answered: the page waits for the answer.
                    if frames.allows():
                        taken = checked_seconds(_float64(item.data), "taken")
                        self.hub.frame(phone, taken, item.data[_FRAME_HEADER:])
                    phone.note(type="got")
                elif not messages.allows():
                    raise BadInputError("too many messages")
                else:
                    self.hub.receive(phone, parse_message(item.data))
            except BadInputError as error:
                bad += 1
                if bad > MAX_BAD_MESSAGES:
                    phone.drop(str(error))
                    return
                phone.refuse(error)

    # A phone that posts, because its browser allows no WebSocket to a certificate that it does not know

    async def _polling_hello(self, request: web.Request) -> web.StreamResponse:
        hello = parse_message(await _body(request, MAX_MESSAGE_BYTES))
        if not isinstance(hello, Hello):
            raise BadInputError("message: 'hello' comes first")
        return _json({"session": self._polling.join(hello, request[_ROLE])})

    async def _poll(self, request: web.Request) -> web.StreamResponse:
        return _json({"messages": [json.loads(text) for text in await self._polling.poll(_session(request))]})

    async def _polling_message(self, request: web.Request) -> web.StreamResponse:
        phone = self._polling.phone(_session(request))
        self.hub.receive(phone, parse_message(await _body(request, MAX_MESSAGE_BYTES)))
        return _json({})

    async def _polling_frame(self, request: web.Request) -> web.StreamResponse:
        phone = self._polling.phone(_session(request))
        try:
            taken = float(request.headers.get("X-Taken", ""))
        except ValueError:
            raise BadInputError("message: 'taken' is not a time") from None
        jpeg = await _body(request, MAX_JPEG_BYTES)
        self.hub.frame(phone, checked_seconds(taken, "taken"), jpeg)
        return _json({})


def bind_first_free(
    addresses: Sequence[str], port: int | None, *, tries: int | None = None
) -> tuple[int, list[socket.socket]]:
    """Return a port and a bound socket per address.

    Args:
        addresses: The addresses to bind to, all with the same port.
        port: The port; None: the first that is free from `DEFAULT_PORT` on. 0: any.
        tries: Number of ports to try; None: one if a port is named.

    Raises:
        BadInputError: no such port is free, or an address is not this machine's.
    """
    first = DEFAULT_PORT if port is None else port
    reason = ""
    for number in range(first, first + (tries or (_PORTS_TRIED if port is None else 1))):
        opened: list[socket.socket] = []
        try:
            chosen = min(number, 65535)
            for address in addresses:
                family = socket.AF_INET6 if ":" in address else socket.AF_INET
                one = socket.socket(family, socket.SOCK_STREAM)
                opened.append(one)
                if os.name == "posix":
                    one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                one.bind((address, chosen))
                chosen = one.getsockname()[1]
            return chosen, opened
        except OSError as error:
            reason = str(error.strerror or error)
            for one in opened:
                one.close()
    raise BadInputError(
        "port {port} on {address}: {reason}", port=first, address=", ".join(addresses), reason=reason
    )


def _bound(
    addresses: Sequence[str], wanted: int | None, otherwise: int | None
) -> tuple[int, list[socket.socket]]:
    """Return a port and its sockets as `bind_first_free` does: the wanted port, or else another one."""
    try:
        return bind_first_free(addresses, wanted)
    except BadInputError:
        if wanted == otherwise:
            raise
        return bind_first_free(addresses, otherwise)


def _close_all(sockets: Sequence[socket.socket]) -> None:
    for one in sockets:
        one.close()


def page_file(name: str) -> bytes:
    """Return one of the page's own files."""
    return (resources.files("companion.phone") / "page" / name).read_bytes()


async def _send_all(link: web.WebSocketResponse, phone: Phone, transport: asyncio.Transport | None) -> None:
    """Send whatever waits for a phone. One that takes nothing for too long is dropped."""
    try:
        while True:
            await phone.waiting.wait()
            async with asyncio.timeout(SEND_TIMEOUT_S):
                for text in phone.take():
                    await link.send_str(text)
                if phone.dropped is not None:
                    await _last_words(link, phone.dropped)
                    return
    except TimeoutError:
        _log.info("a phone is dropped because it takes nothing")
        if transport is not None:
            transport.abort()
    except ConnectionError:
        pass  # the receiving side notices too


async def _last_words(link: web.WebSocketResponse, says: str) -> None:
    with contextlib.suppress(ConnectionError, TimeoutError):
        await link.send_json({"type": "dropped", "says": says})
        await link.close(code=WSCloseCode.POLICY_VIOLATION)


async def _body(request: web.Request, most: int) -> bytes:
    """Return a request's body.

    Raises:
        BadInputError: it is too long.
        TimeoutError: it comes too slowly.
    """
    if (request.content_length or 0) > most:
        raise BadInputError("message: longer than {most} bytes", most=most)
    async with asyncio.timeout(SEND_TIMEOUT_S):
        body = await request.read()
    if len(body) > most:
        raise BadInputError("message: longer than {most} bytes", most=most)
    return body


def _float64(data: bytes) -> float:
    import struct

    if len(data) < _FRAME_HEADER:
        raise BadInputError("picture: shorter than its header")
    return float(struct.unpack_from("<d", data)[0])


def _session(request: web.Request) -> str:
    return request.headers.get("X-Session", "")


def _peer(request: web.Request) -> str | None:
    transport = request.transport
    name = transport.get_extra_info("peername") if transport is not None else None
    return str(name[0]) if isinstance(name, tuple) else None


def _plain(status: int, text: str) -> web.Response:
    return web.Response(status=status, text=f"{text}\n", headers=_HEADERS)


def _json(content: Any, status: int = 200) -> web.Response:
    return web.json_response(content, status=status, headers=_HEADERS)
