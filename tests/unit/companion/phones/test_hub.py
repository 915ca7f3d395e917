"""Phones join, one films, another takes over, and every screen shows the same game and may correct it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import aiohttp
import pytest

pytest.importorskip("aiohttp", reason="the extra `phone` is not installed")

from companion.game.session import Session
from companion.game.setup import GameSetup
from companion.phone.clock import PhoneClock
from companion.phone.program import ProgramState
from companion.phone.server import PhoneServer
from companion.sources.joined_phone import PhoneFrames, PhoneSource
from tests.support.game_by_touch import PLAYERS, game_by_touch
from tests.support.phones import Client, addresses, jpeg, origin, phone, phone_id, serving, visitor


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with game_by_touch(tmp_path / "s.sqlite") as game:
        yield game


@pytest.fixture
def server(tmp_path: Path, session: Session) -> Iterator[PhoneServer]:
    """A server with that game."""
    setup = GameSetup(source=None, players=PLAYERS, dealer="Cat")
    program = ProgramState(lambda: session, lambda: setup, store=tmp_path / "s.sqlite")
    with serving(tmp_path / "phones", program) as served:
        yield served


def row_of(client: Client, player: str) -> dict[str, Any]:
    return next(row for row in client.state["log"] if row["fix"]["player"] == player)


async def films(client: Client, *, number: int = 1) -> None:
    await client.say(type="take-camera")
    await client.hear("camera-yours")
    await client.film(float(number))


def test_a_screen_shows_turn_pile_ruling_log_and_hands(server: PhoneServer) -> None:
    async def play() -> dict[str, Any]:
        async with phone(addresses(server).view) as screen:
            return await screen.hear("state", lambda state: state.get("ruling"))

    state = asyncio.run(play())
    assert state["table"]["who"] == "Cat to play"
    assert state["table"]["pile"] == ["9S", "9D", "4H"]
    assert [player["name"] for player in state["table"]["players"]] == list(PLAYERS)
    assert state["ruling"]["verdict"] == "illegal"
    assert "4" in state["ruling"]["says"]
    assert state["ruling"]["quote"]
    assert [row["text"] for row in state["log"]][:1] == ["Ann plays 9♠ 9♦"]


def test_each_screen_speaks_its_own_language(server: PhoneServer) -> None:
    async def play(language: str) -> dict[str, Any]:
        async with phone(addresses(server).view, language=language) as screen:
            return await screen.hear("state", lambda state: state.get("ruling"))

    english, german = asyncio.run(play("en")), asyncio.run(play("de"))
    assert english["ruling"]["word"] == "Illegal"
    assert german["ruling"]["word"] != "Illegal"
    assert german["table"]["who"] != english["table"]["who"]


def test_a_correction_from_a_screen_reaches_the_game_and_names_its_author(
    server: PhoneServer, session: Session
) -> None:
    async def play() -> None:
        view = addresses(server).view
        async with phone(view, 1, name="Dan") as dan, phone(view, 2) as other:
            await dan.hear("state", lambda state: state.get("log"))
            fix = row_of(dan, "Bob")["fix"]
            await dan.say(type="correct", event=fix["event"], seen=fix["seen"], cards=["10H"])
            assert (await other.hear("corrected"))["name"] == "Dan"
            await other.hear("state", lambda state: any("by" in row for row in state.get("log", ())))
            assert row_of(other, "Bob")["by"] == "Corrected by Dan"
            await other.hear("state", lambda state: row_of(other, "Bob")["text"] == "Bob plays 10♥")

    asyncio.run(play())
    assert session.snapshot.says == "Dan: Corrected: Bob plays 10♥"
    assert next(line for line in session.snapshot.lines if line.get("player") == "Bob")["cards"] == ["10H"]


def test_of_two_corrections_the_first_counts(server: PhoneServer, session: Session) -> None:
    async def play() -> str:
        view = addresses(server).view
        async with phone(view, 1) as first, phone(view, 2) as second:
            for screen in (first, second):
                await screen.hear("state", lambda state: state.get("log"))
            fix = row_of(first, "Bob")["fix"]
            await first.say(type="correct", event=fix["event"], seen=fix["seen"], cards=["10H"])
            await second.hear("corrected")
            await second.say(type="correct", event=fix["event"], seen=fix["seen"], strike=True)
            return str((await second.hear("refused"))["says"])

    assert "corrected just before" in asyncio.run(play())
    assert any(line.get("cards") == ["10H"] for line in session.snapshot.lines)


def test_a_player_and_a_strike_correct_as_in_the_window(server: PhoneServer, session: Session) -> None:
    async def play() -> None:
        async with phone(addresses(server).view) as screen:
            await screen.hear("state", lambda state: state.get("log"))
            fix = row_of(screen, "Bob")["fix"]
            await screen.say(type="correct", event=fix["event"], seen=fix["seen"], player="Cat")
            await screen.hear("state", lambda state: any(r["fix"]["player"] == "Cat" for r in state["log"]))
            fix = row_of(screen, "Cat")["fix"]
            await screen.say(type="correct", event=fix["event"], seen=fix["seen"], strike=True)
            await screen.hear("state", lambda state: all(r["fix"]["player"] != "Cat" for r in state["log"]))

    asyncio.run(play())
    assert [line["player"] for line in session.snapshot.lines if line["event"] == "play"] == ["Ann"]


def test_corrections_that_make_no_sense_are_refused(server: PhoneServer, session: Session) -> None:
    async def play() -> list[str]:
        said = []
        async with phone(addresses(server).view) as screen:
            await screen.hear("state", lambda state: state.get("log"))
            fix = row_of(screen, "Bob")["fix"]
            changes: list[dict[str, Any]] = [{"player": "Zoe"}, {"cards": ["11H"]}, {"cards": []}]
            for change in (*changes, {"strike": False}, {}):
                await screen.say(type="correct", event=fix["event"], seen=fix["seen"], **change)
                said.append(str((await screen.hear("refused"))["says"]))
            await screen.say(type="correct", event=999, seen="", strike=True)
            said.append(str((await screen.hear("refused"))["says"]))
        return said

    before = session.snapshot.lines
    assert all("\n" not in line and line for line in asyncio.run(play()))
    assert session.snapshot.lines == before


def test_the_first_to_tap_films_and_every_screen_says_so(server: PhoneServer) -> None:
    async def play() -> None:
        async with (
            phone(addresses(server).join, 1, name="Ann") as one,
            phone(addresses(server).view, 2) as two,
        ):
            await two.hear("state", lambda state: state.get("camera", {}).get("state") == "none")
            await films(one)
            await two.hear(
                "state", lambda state: state["camera"] == {"state": "films", "name": "Ann", "fault": ""}
            )

    asyncio.run(play())


def test_taking_over_asks_the_phone_that_films(server: PhoneServer) -> None:
    async def play() -> None:
        join = addresses(server).join
        async with phone(join, 1, name="Ann") as ann, phone(join, 2, name="Bob") as bob:
            await films(ann)
            await bob.say(type="take-camera")
            assert (await ann.hear("asked-for-camera"))["name"] == "Bob"
            await ann.say(type="give-camera", agrees=False)
            await bob.hear("camera-denied")
            await ann.film(2.0)
            await ann.hear("got")
            await bob.say(type="take-camera")
            await ann.hear("asked-for-camera")
            await ann.say(type="give-camera", agrees=True)
            await bob.hear("camera-yours")
            assert (await ann.hear("camera-taken"))["name"] == "Bob"
            await ann.film(3.0)  # under way when the camera changed hands
            await ann.hear("got")

    asyncio.run(play())


def test_nobody_answering_leaves_the_camera_where_it_is(server: PhoneServer) -> None:
    async def play() -> str:
        join = addresses(server).join
        async with phone(join, 1) as ann, phone(join, 2) as bob:
            await films(ann)
            await bob.say(type="take-camera")
            says = str((await bob.hear("refused"))["says"])
            await ann.hear("asking-ended")
            return says

    with patch("companion.phone.hub.ASK_TIMEOUT_S", 0.3):
        assert "nobody answered" in asyncio.run(play())


def test_a_lost_camera_is_named_on_every_screen_and_may_come_back(server: PhoneServer) -> None:
    async def play() -> None:
        join = addresses(server).join
        async with phone(addresses(server).view, 2) as screen:
            async with phone(join, 1, name="Ann") as ann:
                await films(ann)
                await screen.hear("state", lambda state: state["camera"]["state"] == "films")
            await screen.hear(
                "state", lambda state: state["camera"] == {"state": "lost", "name": "Ann", "fault": ""}
            )
            async with phone(join, 1) as again:
                assert (await again.hear("welcome"))["films"] is True
                await again.film(1.0)
                await screen.hear("state", lambda state: state["camera"]["state"] == "films")

    asyncio.run(play())


def test_a_lost_camera_may_be_taken_by_another_phone(server: PhoneServer) -> None:
    async def play() -> None:
        join = addresses(server).join
        async with phone(join, 2) as bob:
            async with phone(join, 1) as ann:
                await films(ann)
            await bob.say(type="take-camera")
            await bob.hear("camera-yours")

    with patch("companion.phone.hub.GRACE_S", 0.2):
        asyncio.run(play())


def test_a_phone_on_a_call_is_away_until_it_films_again(server: PhoneServer) -> None:
    async def play() -> None:
        async with phone(addresses(server).join, 1) as ann, phone(addresses(server).view, 2) as screen:
            await films(ann)
            await ann.say(type="camera-away", away=True)
            await screen.hear("state", lambda state: state["camera"]["state"] == "away")
            await ann.say(type="camera-away", away=False)
            await ann.film(9.0)
            await screen.hear("state", lambda state: state["camera"]["state"] == "films")

    asyncio.run(play())


def test_a_phone_that_joins_again_replaces_its_older_connection(server: PhoneServer) -> None:
    async def play() -> str:
        view = addresses(server).view
        async with phone(view, 1) as before:
            await before.hear("welcome")
            async with phone(view, 1) as after:
                await after.hear("welcome")
                words = await before.ended()
                assert list(server.hub.phones) == [phone_id(1)]
                return words

    assert asyncio.run(play()) == "This phone has connected again."


def test_pictures_come_out_newest_first_with_the_phones_own_times(tmp_path: Path) -> None:
    frames = PhoneFrames()
    source = PhoneSource(frames)

    async def play(served: PhoneServer) -> None:
        async with phone(addresses(served).join) as one:
            await one.say(type="take-camera")
            await one.hear("camera-yours")
            for number in range(5):
                await one.film(100 + number / 10, jpeg(grey=40 * number))
                await one.hear("got")

    with serving(tmp_path, frames=frames) as served:
        asyncio.run(play(served))
    t, image = next(iter(source))
    assert (t, image.shape) == (0.0, (90, 160, 3))
    assert abs(int(image[0, 0, 0]) - 160) < 3  # the newest; the four before it are gone
    source.close()


def test_a_phone_without_a_websocket_films_and_sees_by_posting(server: PhoneServer) -> None:
    async def play() -> None:
        join = addresses(server).join
        async with visitor() as browser:
            headers = {"Origin": origin(join)}

            async def post(path: str, body: bytes, **more: str) -> dict[str, Any]:
                async with browser.post(f"{join}{path}", data=body, headers={**headers, **more}) as answer:
                    return {"status": answer.status, **await answer.json()}

            hello = f'{{"type":"hello","phone":"{phone_id(7)}","name":"Old","language":"en"}}'.encode()
            headers["X-Session"] = (await post("hello", hello))["session"]
            heard: list[dict[str, Any]] = []

            async def hear(kind: str) -> dict[str, Any]:
                while not any(message["type"] == kind for message in heard):
                    heard.extend((await post("poll", b""))["messages"])
                return next(message for message in heard if message["type"] == kind)

            assert (await hear("welcome"))["role"] == "film"
            await hear("state")
            await post("message", b'{"type":"take-camera"}')
            await hear("camera-yours")
            assert (await post("frame", jpeg(), **{"X-Taken": "12.5"}))["status"] == 200
            assert (await post("frame", b"no picture", **{"X-Taken": "12.6"}))[
                "says"
            ] == "picture: not a JPEG file"
            assert (await post("frame", jpeg(), **{"X-Taken": "soon"}))[
                "says"
            ] == "message: 'taken' is not a time"
            headers["X-Session"] = "unknown"
            assert (await post("poll", b""))["status"] == 400

    asyncio.run(play())
    assert server.hub.camera_state() == "films"


def test_the_clock_of_a_phone_is_mapped_by_the_quickest_exchange() -> None:
    clock = PhoneClock()
    assert clock.to_program(1000.0, 50.0) == 50.0  # nothing better is known
    clock.note(asked=60.0, phone=1010.3, answered=61.0)  # 0.3 s on the way, 0.7 s back
    clock.note(asked=62.0, phone=1012.02, answered=62.04)
    assert clock.to_program(1020.0, 70.1) == pytest.approx(70.0, abs=0.01)
    assert clock.to_program(1020.2, 70.1) == 70.1  # never later than it came
    assert clock.to_program(900.0, 70.2) == pytest.approx(65.2)  # never absurdly early


def test_the_server_goes_and_phones_find_it_again(tmp_path: Path) -> None:
    async def play(served: PhoneServer) -> None:
        async with phone(addresses(served).view) as screen:
            await screen.hear("welcome")
            await asyncio.to_thread(served.stop)
            assert await screen.ended() == ""

    with serving(tmp_path) as served:
        before = addresses(served)
        asyncio.run(play(served))
        with pytest.raises(aiohttp.ClientError):
            asyncio.run(play(served))
    with serving(tmp_path, port=before.port) as again:
        assert addresses(again).view == before.view
