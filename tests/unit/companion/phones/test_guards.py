"""The page's server serves nobody but the phones at the table, and never more than it can bear."""

from __future__ import annotations

import asyncio
import hmac
import json
import socket
import ssl
import stat
from pathlib import Path
from typing import Any
from unittest.mock import patch

import aiohttp
import pytest

pytest.importorskip("aiohttp", reason="the extra `phone` is not installed")

from companion.phone import invitation
from companion.phone.addresses import is_local, local_addresses
from companion.phone.guard import Limits, refusal
from companion.phone.hub import MAX_SCREENS
from companion.phone.invitation import evening_invitation
from companion.phone.requests import MAX_MESSAGE_BYTES
from companion.phone.server import MAX_BAD_MESSAGES, PhoneServer, bind_first_free
from companion.sources.joined_phone import MAX_JPEG_BYTES, PhoneFrames
from engine.errors import BadInputError
from tests.support.phones import addresses, jpeg, linked, origin, phone, serving, visitor


def fetched(address: str, **headers: str) -> tuple[int, str, Any]:
    async def fetch() -> tuple[int, str, Any]:
        async with visitor() as browser, browser.get(address, headers=headers) as answer:
            return answer.status, await answer.text(), answer.headers

    return asyncio.run(fetch())


def test_the_page_is_served_to_those_who_have_a_secret(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        for address in (addresses(server).join, addresses(server).view, addresses(server).local):
            status, text, _ = fetched(address)
            assert status == 200
            assert "page.js" in text


@pytest.mark.parametrize(
    "path", ["", "page.js", "style.css", "ws", "poll", "certificate.crt", "../../etc/passwd"]
)
def test_without_the_secret_nothing_is_served(tmp_path: Path, path: str) -> None:
    with serving(tmp_path) as server:
        base = origin(addresses(server).join)
        for secret in ("", "/aaaa-aaaa-aaaa-aaaa", "/..", f"/{addresses(server).join[-20:-2]}"):
            status, text, _ = fetched(f"{base}{secret}/{path}")
            assert (status, text) == (404, "not found\n")


def test_secrets_are_compared_in_constant_time() -> None:
    made = invitation.new_invitation()
    with patch.object(hmac, "compare_digest", wraps=hmac.compare_digest) as compared:
        assert made.role(made.film) == "film"
        assert made.role(made.view) == "view"
        assert made.role("guessed") is None
    assert compared.call_count == 6  # both, each time


def test_guessing_secrets_shuts_a_peer_out_for_a_while(tmp_path: Path) -> None:
    limits = Limits(wrong_secrets_per_second=1e-6, wrong_secret_burst=3)
    with serving(tmp_path, limits=limits) as server:
        base = origin(addresses(server).join)
        assert [fetched(f"{base}/guess{n}/")[0] for n in range(4)] == [404, 404, 404, 429]
        assert fetched(addresses(server).join)[0] == 429


def test_requests_are_bounded_per_peer(tmp_path: Path) -> None:
    with serving(tmp_path, limits=Limits(requests_per_second=1e-6, request_burst=5)) as server:
        assert [fetched(addresses(server).view)[0] for _ in range(6)] == [200] * 5 + [429]


@pytest.mark.parametrize("host", ["evil.example", "evil.example:443", "127.0.0.1", "127.0.0.1:1", ""])
def test_another_host_name_is_refused(tmp_path: Path, host: str) -> None:
    with serving(tmp_path) as server:
        assert fetched(addresses(server).join, Host=host)[0] in (400, 403)


def test_a_page_of_another_site_cannot_connect(tmp_path: Path) -> None:
    async def tried(address: str, from_site: str | None) -> int:
        async with visitor() as browser:
            try:
                async with browser.ws_connect(f"{address}ws", origin=from_site):
                    return 101
            except aiohttp.WSServerHandshakeError as error:
                return error.status

    with serving(tmp_path) as server:
        address = addresses(server).join
        for site in ("https://evil.example", "null", origin(address).replace("https", "http"), None):
            assert asyncio.run(tried(address, site)) == 403
        assert asyncio.run(tried(address, origin(address))) == 101


def test_a_page_of_another_site_cannot_post(tmp_path: Path) -> None:
    async def posted(address: str, **headers: str) -> int:
        async with (
            visitor() as browser,
            browser.post(f"{address}hello", data=b"{}", headers=headers) as answer,
        ):
            return answer.status

    with serving(tmp_path) as server:
        address = addresses(server).join
        assert asyncio.run(posted(address)) == 403
        assert asyncio.run(posted(address, Origin="https://evil.example")) == 403
        assert asyncio.run(posted(address, Origin=origin(address))) == 400  # it says nothing sensible


@pytest.mark.parametrize(
    "peer", ["8.8.8.8", "2001:4860:4860::8888", "100.64.0.1", "0.0.0.0", "not an address"]
)
def test_the_internet_is_not_served(peer: str) -> None:
    hosts = frozenset({"192.168.1.5:8443"})
    assert refusal(peer, "192.168.1.5:8443", None, hosts, "https") is not None
    assert not is_local(peer)


@pytest.mark.parametrize("peer", ["127.0.0.1", "192.168.1.7", "10.0.0.3", "172.20.10.2", "fe80::1%eth0"])
def test_the_local_network_is_served(peer: str) -> None:
    hosts = frozenset({"192.168.1.5:8443"})
    assert refusal(peer, "192.168.1.5:8443", "https://192.168.1.5:8443", hosts, "https") is None


def test_only_addresses_of_local_networks_are_bound() -> None:
    assert all(is_local(address) and not address.startswith("127.") for address in local_addresses())


def test_the_plain_port_is_open_to_this_machine_alone(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        port = addresses(server).local_port
        for address in local_addresses():
            with pytest.raises(OSError, match="refused"):
                socket.create_connection((address, port), timeout=5).close()


@pytest.mark.parametrize(
    "path",
    [
        "server.py",
        "index.html",
        "page.js.map",
        "..%2fserver.py",
        "%2e%2e/hub.py",
        "/etc/passwd",
        "certificate.pem",
    ],
)
def test_no_file_but_the_pages_own_is_served(tmp_path: Path, path: str) -> None:
    with serving(tmp_path) as server:
        assert fetched(f"{addresses(server).join}{path}")[0] == 404


def test_nothing_is_kept_by_the_browser_and_nothing_foreign_is_loaded(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        for name in ("", "page.js", "style.css"):
            _, _, headers = fetched(f"{addresses(server).view}{name}")
            assert headers["Cache-Control"] == "no-store"
            assert headers["Referrer-Policy"] == "no-referrer"
            assert headers["X-Content-Type-Options"] == "nosniff"
        policy = fetched(addresses(server).view)[2]["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy


def test_a_screens_code_does_not_film(tmp_path: Path) -> None:
    async def play(server: PhoneServer) -> str:
        async with phone(addresses(server).view) as screen:
            await screen.hear("welcome")
            await screen.say(type="take-camera")
            return str((await screen.hear("refused"))["says"])

    with serving(tmp_path) as server:
        assert "screens only" in asyncio.run(play(server))


def test_a_phone_that_does_not_film_sends_no_picture(tmp_path: Path) -> None:
    frames = PhoneFrames()

    async def play(server: PhoneServer) -> str:
        async with phone(addresses(server).join) as one:
            await one.film(1.0)
            return str((await one.hear("refused"))["says"])

    with serving(tmp_path, frames=frames) as server:
        assert "another phone films" in asyncio.run(play(server))
    assert frames.latest is None


def test_the_twenty_first_screen_is_refused(tmp_path: Path) -> None:
    async def play(server: PhoneServer) -> str:
        view = addresses(server).view
        async with asyncio.TaskGroup() as tasks:
            done = asyncio.Event()
            joined = asyncio.Semaphore(0)

            async def stay(number: int) -> None:
                async with phone(view, number) as screen:
                    await screen.hear("welcome")
                    joined.release()
                    await done.wait()

            for number in range(MAX_SCREENS):
                tasks.create_task(stay(number))
            for _ in range(MAX_SCREENS):
                await joined.acquire()
            async with phone(view, 99) as late:
                words = await late.ended()
            async with phone(addresses(server).view, 3) as again:  # one that is known may come back
                await again.hear("welcome")
            done.set()
        return words

    with serving(tmp_path) as server:
        assert asyncio.run(play(server)) == f"{MAX_SCREENS} phones are connected already"


def test_a_message_that_is_too_long_ends_the_connection(tmp_path: Path) -> None:
    async def play(server: PhoneServer) -> tuple[str, int | None]:
        async with phone(addresses(server).join) as one:
            await one.hear("welcome")
            await one.link.send_str("x" * (MAX_MESSAGE_BYTES + 1))
            says = str((await one.hear("refused"))["says"])
            await one.link.send_bytes(bytes(MAX_JPEG_BYTES + 100))
            await one.ended()
            return says, one.link.close_code

    with serving(tmp_path) as server:
        says, code = asyncio.run(play(server))
        assert says == f"message: longer than {MAX_MESSAGE_BYTES} bytes"
        # Which of the two depends on how much of it was under way.
        assert code in (aiohttp.WSCloseCode.MESSAGE_TOO_BIG, aiohttp.WSCloseCode.ABNORMAL_CLOSURE)


def test_a_body_that_is_too_long_is_refused(tmp_path: Path) -> None:
    async def posted(server: PhoneServer) -> int:
        address = addresses(server).join
        async with visitor() as browser:
            headers = {"Origin": origin(address)}
            body = bytes(MAX_MESSAGE_BYTES + 1)
            async with browser.post(f"{address}hello", data=body, headers=headers) as answer:
                return answer.status

    with serving(tmp_path) as server:
        assert asyncio.run(posted(server)) == 400


def test_a_huge_picture_is_not_decoded(tmp_path: Path) -> None:
    frames = PhoneFrames()
    bomb = bytearray(jpeg())
    at = bomb.find(b"\xff\xc0")
    bomb[at + 5 : at + 9] = b"\xff\xff\xff\xff"

    async def play(server: PhoneServer) -> str:
        async with phone(addresses(server).join) as one:
            await one.say(type="take-camera")
            await one.hear("camera-yours")
            await one.film(1.0, bytes(bomb))
            return str((await one.hear("refused"))["says"])

    with serving(tmp_path, frames=frames) as server:
        assert asyncio.run(play(server)) == "picture: 65535 x 65535 pixels are too many"
    assert frames.latest is None


def test_too_many_messages_are_refused_and_then_end_the_connection(tmp_path: Path) -> None:
    async def play(server: PhoneServer) -> str:
        async with phone(addresses(server).view) as one:
            for _ in range(200):
                await one.say(type="camera-away", away=False)
            return await one.ended()

    with serving(tmp_path) as server:
        assert asyncio.run(play(server)) == "too many messages"


def test_bad_messages_are_answered_and_then_end_the_connection(tmp_path: Path) -> None:
    async def play(server: PhoneServer) -> str:
        async with phone(addresses(server).view) as one:
            await one.link.send_str("{")
            assert (await one.hear("refused"))["says"] == "message: not JSON"
            for _ in range(MAX_BAD_MESSAGES):
                await one.link.send_str("{")
            return await one.ended()

    with serving(tmp_path) as server:
        assert asyncio.run(play(server)) == "message: not JSON"


def test_a_connection_that_does_not_begin_with_hello_is_ended(tmp_path: Path) -> None:
    async def play(server: PhoneServer) -> dict[str, Any]:
        async with visitor() as browser, linked(browser, addresses(server).view) as link:
            await link.send_str('{"type":"take-camera"}')
            return dict(json.loads((await link.receive()).data))

    with serving(tmp_path) as server:
        assert asyncio.run(play(server))["says"] == "message: 'hello' comes first"


def test_a_phone_that_takes_nothing_is_dropped_and_delays_nobody(tmp_path: Path) -> None:
    async def play(server: PhoneServer) -> None:
        view = addresses(server).view
        async with phone(view, 1) as quick, visitor() as browser, linked(browser, view) as slow:
            await slow.send_str(
                json.dumps({"type": "hello", "phone": "f" * 32, "name": "Slow", "language": "en"})
            )
            await quick.hear("state", lambda state: "Slow" in state.get("people", ()))
            transport = slow._response.connection.transport  # type: ignore[union-attr]
            assert transport is not None
            transport.pause_reading()
            stuck = server.hub.phones["f" * 32]
            for _ in range(40):  # more than the system holds for somebody who does not read
                server.call_soon(lambda: stuck.note(type="news", says="x" * 1_000_000))
            await quick.hear("state", lambda state: "Slow" not in state.get("people", ("Slow",)))
            transport.abort()

    with serving(tmp_path) as server, patch("companion.phone.server.SEND_TIMEOUT_S", 0.2):
        asyncio.run(play(server))


def test_certificate_and_secrets_are_for_their_owner_alone(tmp_path: Path) -> None:
    folder = tmp_path / "phones"
    with serving(folder) as server:
        files = sorted(folder.iterdir())
        assert [file.name for file in files] == ["certificate.pem", "invitation.json", "open.json"]
        assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        shown = ssl.get_server_certificate(("127.0.0.1", addresses(server).port))
    import hashlib

    digest = hashlib.sha256(ssl.PEM_cert_to_DER_cert(shown)).hexdigest().upper()
    assert addresses(server).fingerprint.replace(":", "") == digest
    assert not (folder / "open.json").exists()


def test_a_restarted_program_is_found_again_the_same_evening(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        before = addresses(server)
    with serving(tmp_path, port=before.port) as server:
        again = addresses(server)
    assert (again.join, again.view, again.fingerprint) == (before.join, before.view, before.fingerprint)


def test_secrets_change_with_the_evening(tmp_path: Path) -> None:
    path = tmp_path / "invitation.json"
    first = evening_invitation(path)
    assert evening_invitation(path) == first
    with patch("companion.phone.invitation.time.time", return_value=first.made + invitation.EVENING_S + 1):
        assert evening_invitation(path).film != first.film
    path.write_text('{"film": "a", "view": "b", "made": 1e400}')
    assert evening_invitation(path).film != "a"


def test_no_picture_is_kept(tmp_path: Path) -> None:
    async def play(server: PhoneServer) -> None:
        async with phone(addresses(server).join) as one:
            await one.say(type="take-camera")
            await one.hear("camera-yours")
            for number in range(20):
                await one.film(1.0 + number / 10)
                await one.hear("got")

    frames = PhoneFrames()
    with serving(tmp_path, frames=frames) as server:
        asyncio.run(play(server))
    assert frames.latest is not None
    assert frames.latest.serial == 20
    assert not [path for path in tmp_path.rglob("*") if path.suffix not in (".pem", ".json")]


def test_a_port_in_use_and_a_foreign_address_are_refused_in_one_line(tmp_path: Path) -> None:
    with serving(tmp_path / "one") as server:
        port = addresses(server).port
        with pytest.raises(BadInputError, match=f"port {port} on 127.0.0.1: Address already in use"):
            bind_first_free(["127.0.0.1"], port)
    with pytest.raises(BadInputError, match=r"on 203\.0\.113\.7: "):
        bind_first_free(["203.0.113.7"], 0)
