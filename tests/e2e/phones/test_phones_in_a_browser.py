"""The page in a real browser: joining, filming, handing over, correcting, and what goes wrong meanwhile."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from companion.game.session import Session
from companion.game.setup import GameSetup
from companion.phone.program import ProgramState
from companion.phone.server import PhoneServer
from companion.sources.joined_phone import PhoneFrames
from tests.support.chromium import Browser, chromium
from tests.support.game_by_touch import PLAYERS
from tests.support.phones import addresses, serving
from tests.support.waiting import until
from tests.support.wire import Wire, wire_to

SMALL, SIDEWAYS, LARGE = (360, 640), (740, 360), (1280, 800)
NO_WEB_SOCKET = """
window.WebSocket = class {
  constructor() { setTimeout(() => this.onclose && this.onclose(), 10); }
  close() {}
};
"""


@pytest.fixture
def frames() -> PhoneFrames:
    return PhoneFrames()


@pytest.fixture
def program(tmp_path: Path, session: Session) -> ProgramState:
    setup = GameSetup(source=None, players=PLAYERS, dealer="Cat")
    return ProgramState(lambda: session, lambda: setup, store=tmp_path / "s.sqlite")


@pytest.fixture
def server(tmp_path: Path, program: ProgramState, frames: PhoneFrames) -> Iterator[PhoneServer]:
    with serving(tmp_path / "phones", program, frames, rate=5.0) as served:
        yield served


@pytest.fixture(autouse=True)
def one_window(request: pytest.FixtureRequest) -> Iterator[None]:
    """Close what a test has opened, and leave one blank window to the next."""
    yield
    if "browser" in request.fixturenames:
        browser: Browser = request.getfixturevalue("browser")
        first, *others = browser.driver.window_handles
        for window in others:
            browser.use(window)
            browser.driver.close()
        browser.use(first)
        browser.driver.get("about:blank")
        browser.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def films(browser: Browser, address: str) -> str:
    """Open the page as the phone that films."""
    window = browser.open(address)
    browser.tap("#film")
    browser.tap("#start-film")
    return window


def test_a_screen_shows_the_game_and_its_last_ruling(browser: Browser, server: PhoneServer) -> None:
    browser.open(addresses(server).view)
    browser.until(lambda: "Cat to play" in browser.text("#who"))
    assert browser.text("#verdict") == "✗ Illegal"
    assert "Bob plays 4♥" in browser.text("#what")
    assert browser.text("#quote")
    assert "Ann" in browser.text("#players")
    browser.tap_text("Log")
    assert "Ann plays 9♠ 9♦" in browser.text("#log")
    browser.tap_text("Ledger")
    browser.until(lambda: "Ann" in browser.text("#ledger"))


def test_ten_screens_show_the_same(browser: Browser, server: PhoneServer, session: Session) -> None:
    windows = [browser.open(addresses(server).view) for _ in range(10)]
    session.undo()
    for window in windows:
        browser.use(window)
        browser.until(lambda: "Bob to play" in browser.text("#who"))
    until(lambda: server.hub.screens == 10)


def test_that_is_wrong_leads_to_the_right_card_and_says_who_did_it(
    browser: Browser, server: PhoneServer, session: Session
) -> None:
    other = browser.open(addresses(server).view)
    browser.open(addresses(server).view)
    browser.until(lambda: browser.text("#verdict") == "✗ Illegal")
    browser.tap("#me")
    browser.tap_text("Cat", "#sheet")
    browser.tap("#wrong")
    browser.tap_text("10♥", "#sheet")
    browser.until(lambda: "10♥" in browser.text("#what"))
    browser.use(other)
    browser.tap_text("Log")
    browser.until(lambda: "Corrected by Cat" in browser.text("#log"))
    assert session.snapshot.says == "Cat: Corrected: Bob plays 10♥"


def test_the_page_films_and_says_what_the_program_sees(
    browser: Browser, server: PhoneServer, frames: PhoneFrames
) -> None:
    screen = browser.open(addresses(server).view)
    films(browser, addresses(server).join)
    browser.until(lambda: frames.latest is not None and frames.latest.serial > 5)
    browser.until(lambda: "No card is in view" in browser.text("#sight"))
    browser.use(screen)
    browser.until(lambda: "films" in browser.text("#camera-state"))


def test_the_camera_is_handed_over_when_its_holder_agrees(
    browser: Browser, server: PhoneServer, frames: PhoneFrames
) -> None:
    first = films(browser, addresses(server).join)
    browser.until(lambda: frames.latest is not None)
    second = films(browser, addresses(server).join)
    browser.use(first)
    browser.tap_text("Keep filming", "#sheet")
    browser.use(second)
    browser.until(lambda: "stays the camera" in browser.text("#toast"))
    browser.tap("#film")
    browser.tap("#start-film")
    browser.use(first)
    browser.tap_text("Hand it over", "#sheet")
    browser.until(lambda: "films now" in browser.text("#toast"))
    browser.use(second)
    browser.until(lambda: browser.text("#sight"))
    before = frames.latest.serial if frames.latest else 0
    until(lambda: frames.latest is not None and frames.latest.serial > before + 3)


def test_the_camera_goes_on_after_a_reload(
    browser: Browser, server: PhoneServer, frames: PhoneFrames
) -> None:
    films(browser, addresses(server).join)
    browser.until(lambda: frames.latest is not None)
    browser.driver.refresh()
    before = frames.latest.serial if frames.latest else 0
    browser.until(lambda: browser.text("#sight"))
    until(lambda: frames.latest is not None and frames.latest.serial > before + 3)


def test_the_camera_goes_on_after_the_network_was_cut_for_seconds_and_for_a_minute(
    tmp_path: Path, still: Path, server: PhoneServer, frames: PhoneFrames
) -> None:
    port = addresses(server).port
    with wire_to(port) as wire, chromium(tmp_path / "b", film=still, mapped=(port, wire.port)) as browser:
        films(browser, addresses(server).join)
        browser.until(lambda: frames.latest is not None)
        for seconds in (5, 60):
            wire.cut()
            if seconds > 12:
                browser.until(lambda: "Not connected" in browser.text("#lost"))
                until(lambda: server.hub.camera_state() in ("lost", "silent"))
            time.sleep(seconds)
            goes_on(wire, browser, frames)


def goes_on(wire: Wire, browser: Browser, frames: PhoneFrames) -> None:
    """Mend the network, and wait until more pictures have come and nothing is said to be lost."""
    before = frames.latest.serial if frames.latest else 0
    wire.join()
    until(lambda: frames.latest is not None and frames.latest.serial > before + 5)
    browser.until(lambda: not browser.text("#lost"))


def test_a_screen_finds_a_restarted_program_again(
    browser: Browser, tmp_path: Path, program: ProgramState
) -> None:
    with serving(tmp_path / "phones", program) as before:
        port = addresses(before).port
        browser.open(addresses(before).view)
        browser.until(lambda: "Cat to play" in browser.text("#who"))
    browser.until(lambda: "Not connected" in browser.text("#lost"))
    with serving(tmp_path / "phones", program, port=port) as again:
        browser.until(lambda: not browser.text("#lost"))
        until(lambda: again.hub.screens == 1)


def test_a_wrong_code_shows_nothing(browser: Browser, server: PhoneServer) -> None:
    browser.open(addresses(server).view[:-3] + "zz/")
    assert browser.text("body").strip() == "not found"


def test_the_warning_about_the_certificate_is_walked_through(
    tmp_path: Path, still: Path, server: PhoneServer, frames: PhoneFrames
) -> None:
    with chromium(tmp_path / "b", film=still, trusts=False) as browser:
        browser.open(addresses(server).join)
        assert "not private" in browser.text("body")
        browser.script("document.getElementById('details-button').click()")
        browser.script("document.getElementById('proceed-link').click()")
        browser.tap("#film")
        browser.tap("#start-film")
        browser.until(lambda: frames.latest is not None and frames.latest.serial > 3)


def test_this_machines_own_browser_needs_no_certificate(
    browser: Browser, server: PhoneServer, frames: PhoneFrames
) -> None:
    films(browser, addresses(server).local)
    browser.until(lambda: frames.latest is not None and frames.latest.serial > 3)


def test_a_browser_without_web_sockets_films_and_sees_by_posting(
    browser: Browser, server: PhoneServer, frames: PhoneFrames
) -> None:
    browser.driver.switch_to.new_window("window")
    browser.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": NO_WEB_SOCKET})
    browser.driver.get(addresses(server).join)
    browser.until(lambda: "Cat to play" in browser.text("#who"))
    browser.tap("#film")
    browser.tap("#start-film")
    browser.until(lambda: frames.latest is not None and frames.latest.serial > 3)
    browser.tap_text("Game")
    browser.tap("#wrong")
    browser.tap_text("It did not happen", "#sheet")
    browser.until(lambda: "Bob to play" in browser.text("#who"))


@pytest.mark.parametrize("size", [SMALL, SIDEWAYS, LARGE])
def test_nothing_is_cut_off_and_everything_can_be_tapped(
    browser: Browser, server: PhoneServer, size: tuple[int, int]
) -> None:
    browser.open(addresses(server).join)
    browser.resize(*size)
    browser.until(lambda: browser.text("#verdict"))
    for tab in ("Table", "Log", "Ledger"):
        browser.tap_text(tab)
        assert too_wide(browser) <= size[0]
        assert small_targets(browser) == []
    browser.tap_text("Table")
    browser.tap("#wrong")
    assert too_wide(browser) <= size[0]
    assert small_targets(browser, least=40) == []


def too_wide(browser: Browser) -> int:
    return int(browser.script("return document.documentElement.scrollWidth"))


def small_targets(browser: Browser, *, least: int = 48) -> list[Any]:
    """Return the visible buttons that are lower than a thumb needs."""
    found: list[Any] = browser.script(
        "return [...document.querySelectorAll('button')].filter((b) => b.offsetParent !== null && "
        "b.getBoundingClientRect().height < arguments[0] - 0.5).map((b) => b.innerText)",
        least,
    )
    return found


def test_the_picture_for_a_projector_is_transparent_and_shows_turn_and_ruling(
    browser: Browser, server: PhoneServer
) -> None:
    browser.open(addresses(server).view + "?overlay=1")
    browser.until(lambda: browser.text("#verdict") == "✗ Illegal")
    assert browser.script("return getComputedStyle(document.body).backgroundColor") == "rgba(0, 0, 0, 0)"
    assert "Cat to play" in browser.text("#who")
    for part in ("wrong", "top", "tabs", "bottom"):
        assert not browser.text(f"#{part}")


def test_a_german_browser_reads_german(browser: Browser, server: PhoneServer) -> None:
    browser.driver.switch_to.new_window("window")
    agent = browser.script("return navigator.userAgent")
    german = {"userAgent": agent, "acceptLanguage": "de"}
    browser.driver.execute_cdp_cmd("Emulation.setUserAgentOverride", german)
    browser.driver.get(addresses(server).view)
    browser.until(lambda: browser.text("#wrong") == "Das stimmt nicht")
    browser.until(lambda: "Cat" in browser.text("#who"))
    assert browser.text("#verdict") != "✗ Illegal"
