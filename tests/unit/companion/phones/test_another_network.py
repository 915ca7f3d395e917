"""The program comes to another Wi-Fi while it serves: it serves there, and phones that come back find it."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path

import aiohttp
import pytest

pytest.importorskip("aiohttp", reason="the extra `phone` is not installed")

from companion.cli.main import main
from companion.cli.recording import RecordedGames
from companion.game import starting
from companion.i18n.messages import failure_text
from companion.phone import server as server_module
from companion.phone.hub import Hub
from companion.phone.open_ports import OpenPorts
from companion.phone.program import ProgramState
from companion.phone.server import PhoneServer
from companion.sources.joined_phone import PhoneFrames
from tests.support.fake_source import FakeSource
from tests.support.phones import addresses, phone
from tests.support.plain import plain
from tests.support.waiting import until
from vision.types import Image

HOME, PUB = "127.0.0.2", "127.0.0.3"


class Network:
    """Stands for this machine's addresses."""

    def __init__(self, *addresses: str) -> None:
        self.addresses = list(addresses)

    def __call__(self) -> list[str]:
        return self.addresses


@pytest.fixture
def network(monkeypatch: pytest.MonkeyPatch) -> Network:
    found = Network(HOME)
    monkeypatch.setattr(server_module, "local_addresses", found)
    monkeypatch.setattr(server_module, "ADDRESSES_EVERY_S", 0.05)
    return found


@pytest.fixture
def announced(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """The addresses under which the name is announced, now and before."""
    told: list[tuple[str, ...]] = []

    @contextlib.asynccontextmanager
    async def announce(_name: str, addresses: Sequence[str], _port: int) -> AsyncIterator[None]:
        told.append(tuple(addresses))
        yield

    monkeypatch.setattr(server_module, "announced", announce)
    monkeypatch.setattr(server_module, "is_loopback", lambda address: address == "127.0.0.1")
    return told


@pytest.fixture
def served(tmp_path: Path, network: Network, announced: list[tuple[str, ...]]) -> Iterator[PhoneServer]:
    server = PhoneServer(
        Hub(ProgramState(store=tmp_path / "none.sqlite"), PhoneFrames()), port=0, folder=tmp_path / "phones"
    )
    server.start()
    try:
        yield server
    finally:
        server.stop()


def comes_to(server: PhoneServer, network: Network, *places: str) -> None:
    network.addresses = list(places)
    until(lambda: addresses(server).addresses == (places or ("127.0.0.1",)))


def sees(server: PhoneServer) -> None:
    """Check that a screen can join at the address of the code."""

    async def look() -> None:
        async with phone(addresses(server).view, 1) as screen:
            state = await screen.hear("state", lambda state: "phase" in state)
            assert state["phase"] == "none"

    asyncio.run(look())


def test_the_code_leads_to_the_new_address_and_the_secrets_stay(
    served: PhoneServer, network: Network, announced: list[tuple[str, ...]]
) -> None:
    before = addresses(served)
    comes_to(served, network, PUB)
    now = addresses(served)
    assert now.join == before.join.replace(HOME, PUB)
    assert now.view == before.view.replace(HOME, PUB)
    until(lambda: len(announced) > 1)
    assert announced == [(HOME,), (PUB,)]
    sees(served)


def test_a_screen_that_comes_back_finds_the_page_where_it_was(served: PhoneServer, network: Network) -> None:
    before = addresses(served)
    sees(served)
    comes_to(served, network)
    comes_to(served, network, HOME)
    assert addresses(served).view == before.view
    assert addresses(served).local == before.local
    sees(served)


def test_a_phone_that_was_connected_is_let_go(served: PhoneServer, network: Network) -> None:
    async def stay() -> None:
        async with phone(addresses(served).view, 1) as screen:
            await screen.hear("state")
            network.addresses = [PUB]
            assert await screen.ended() == ""

    asyncio.run(stay())


def test_the_certificate_names_the_new_address_and_the_old_one(
    served: PhoneServer, network: Network, tmp_path: Path
) -> None:
    comes_to(served, network, PUB)
    comes_to(served, network, HOME, PUB)
    trusting = ssl.create_default_context(cafile=str(tmp_path / "phones" / "certificate.pem"))

    async def look(address: str) -> int:
        async with aiohttp.ClientSession() as session, session.get(address, ssl=trusting) as answer:
            return answer.status

    view = addresses(served).view
    assert [asyncio.run(look(view)), asyncio.run(look(view.replace(HOME, PUB)))] == [200, 200]


def test_an_address_that_is_not_ready_yet_is_tried_again(served: PhoneServer, network: Network) -> None:
    network.addresses = ["192.0.2.1"]  # of no machine: it cannot be bound
    until(lambda: not port_is_open(served))
    comes_to(served, network, PUB)
    sees(served)


def port_is_open(server: PhoneServer) -> bool:
    now = addresses(server)
    return OpenPorts(0, now.addresses, now.port, now.local_port).answer()


def test_an_address_that_was_asked_for_stays(tmp_path: Path, network: Network) -> None:
    hub = Hub(ProgramState(store=tmp_path / "none.sqlite"), PhoneFrames())
    server = PhoneServer(hub, host="127.0.0.1", port=0, folder=tmp_path / "phones", announce=False)
    server.start()
    try:
        before = addresses(server)
        network.addresses = [PUB]
        asyncio.run(asyncio.sleep(0.3))
        assert addresses(server) is before
    finally:
        server.stop()


def test_serve_prints_the_new_code(
    network: Network,
    announced: list[tuple[str, ...]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    said = ""

    def says(text: str) -> bool:
        nonlocal said
        said += capsys.readouterr().err
        return text in said

    class OnePicture(FakeSource):
        live = True

        def __iter__(self) -> Iterator[tuple[float, Image]]:
            yield 0.0, plain(32, 32, (90, 90, 90))

    def travel(*_: object) -> list[dict[str, object]]:
        """The game goes on until the new code was shown, and then fails."""
        until(lambda: says(f"film the table: https://{HOME}:"))
        network.addresses = [PUB]
        until(lambda: says(f"film the table: https://{PUB}:"))
        raise RuntimeError("over")

    monkeypatch.setattr(starting, "open_game_source", lambda *_, **_how: OnePicture())
    monkeypatch.setattr(RecordedGames, "feed", travel)
    assert main(["serve", "--port", "0", "--players", "Ann,Bob"]) == 2
    assert says(f"shithead serve: {failure_text(RuntimeError('over'))}")
    assert "the network has changed" in said
