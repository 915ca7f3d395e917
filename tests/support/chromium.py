"""Debian's Chromium without a window, driven by selenium: the phones of the tests are its pages."""

from __future__ import annotations

import contextlib
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from selenium import webdriver
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By

from tests.support.waiting import PATIENCE_S

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
DRIVER = "chromedriver"
_BLANK = ("data:,", "about:blank")
_CAMERA_FPS = 30
"""Chromium plays a film of JPEG pictures at this rate, whatever was filmed."""
_QUIET = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--mute-audio"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--disable-dev-shm-usage", "--disable-features=Translate,MediaRouter,OptimizationHints"),
)


def missing() -> str:
    """Return in one line which program is missing, or an empty text."""
    gone = [] if _browser() else ["chromium"]
    gone += [] if shutil.which(DRIVER) else [DRIVER]
    return f"{' and '.join(gone)}: not installed (apt-get install chromium chromium-driver)" if gone else ""


def _browser() -> str | None:
    return next((path for name in BROWSERS if (path := shutil.which(name))), None)


class Browser:
    """One Chromium. Each of its windows is a phone."""

    def __init__(self, driver: webdriver.Chrome) -> None:
        self.driver = driver

    def open(self, address: str) -> str:
        """Open a page, in a new window unless the present one is blank, and return the window."""
        if self.driver.current_url not in _BLANK:
            self.driver.switch_to.new_window("window")
        self.driver.get(address)
        return str(self.driver.current_window_handle)

    def script(self, text: str, *args: Any) -> Any:
        return self.driver.execute_script(text, *args)

    def text(self, selector: str) -> str:
        """Return the text of an element; empty while it is not there, or hidden."""
        found = self.script(
            "const found = document.querySelector(arguments[0]);"
            "return found && found.getClientRects().length ? found.innerText : ''",
            selector,
        )
        return str(found)

    def tap(self, selector: str) -> None:
        self.until(lambda: self.driver.find_elements(By.CSS_SELECTOR, selector))
        self.until(lambda: self._tapped(selector))

    def _tapped(self, selector: str) -> bool:
        with contextlib.suppress(WebDriverException):  # drawn again, or not yet in view
            self.driver.find_element(By.CSS_SELECTOR, selector).click()
            return True
        return False

    def tap_text(self, text: str, within: str = "body") -> None:
        """Tap the button with this text."""

        def found() -> bool:
            return bool(
                self.script(
                    "const b = [...document.querySelectorAll(arguments[0] + ' button')].find("
                    "(b) => b.innerText.trim() === arguments[1] && b.offsetParent !== null);"
                    "if (b) b.click(); return !!b;",
                    within,
                    text,
                )
            )

        self.until(found)

    def until(self, condition: Callable[[], object], patience: float = PATIENCE_S) -> None:
        deadline = time.monotonic() + patience
        while not condition():
            assert time.monotonic() < deadline, f"nothing came; the page says: {self.text('body')[:600]}"
            time.sleep(0.1)

    def use(self, window: str) -> None:
        self.driver.switch_to.window(window)

    def resize(self, width: int, height: int, *, scale: float = 2.0) -> None:
        """Give the page the screen of a phone, in CSS pixels."""
        metrics = {"width": width, "height": height, "deviceScaleFactor": scale, "mobile": width < 1000}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)


@contextlib.contextmanager
def chromium(
    folder: Path,
    *,
    film: Path | None = None,
    trusts: bool = True,
    mapped: tuple[int, int] | None = None,
) -> Iterator[Browser]:
    """Start a Chromium with a new profile.

    Args:
        folder: Where its profile goes.
        film: Its camera shows this film of JPEG pictures.
        trusts: Whether it accepts a certificate that it does not know, without a warning.
        mapped: A port of this machine, and the port to which connections to it really go.
    """
    options = webdriver.ChromeOptions()
    options.binary_location = _browser() or ""
    for argument in (*_QUIET, f"--user-data-dir={folder / 'profile'}", "--lang=en"):
        options.add_argument(argument)
    options.add_experimental_option("prefs", {"intl.accept_languages": "en"})
    options.accept_insecure_certs = trusts
    if film is not None:
        options.add_argument("--use-fake-device-for-media-stream")
        options.add_argument("--use-fake-ui-for-media-stream")
        options.add_argument(f"--use-file-for-fake-video-capture={film}")
    if mapped is not None:
        options.add_argument(f"--host-resolver-rules=MAP 127.0.0.1:{mapped[0]} 127.0.0.1:{mapped[1]}")
    driver = webdriver.Chrome(options, Service(shutil.which(DRIVER) or ""))
    try:
        yield Browser(driver)
    finally:
        driver.quit()


def camera_film(
    source: Path,
    target: Path,
    *,
    rate: float = 1.0,
    every: int = 1,
    start: float = 0.0,
    end: float | None = None,
    still: float = 0.0,
    width: int = 1600,
) -> Path:
    """Write a film for Chromium's camera, and return it.

    It ends with its last picture for half a minute: the camera begins again after it.

    Args:
        source: The film that it shows.
        target: The file to write.
        rate: How much faster than the source it runs.
        every: Of so many pictures one is shown.
        start: Where it begins, in seconds of the source.
        end: Where it ends; None: where the source does.
        still: So many seconds of the source it first shows the first picture.
        width: Its width in pixels.
    """
    capture = cv2.VideoCapture(str(source))
    fps = capture.get(cv2.CAP_PROP_FPS) / every
    for _ in range(round(start * fps) * every):
        capture.grab()
    each, number, last = _CAMERA_FPS / fps / rate, 0, b""
    with target.open("wb") as file:
        while end is None or number < (end - start) * fps:
            ok, frame = capture.read()
            if not ok:
                break
            for _ in range(every - 1):
                capture.grab()
            if frame.shape[1] != width:
                size = width, round(frame.shape[0] * width / frame.shape[1])
                frame = np.asarray(cv2.resize(frame, size, interpolation=cv2.INTER_AREA), np.uint8)
            last = cv2.imencode(".jpg", frame, [cv2.IMWRITE_JPEG_QUALITY, 80])[1].tobytes()
            first = round(still * _CAMERA_FPS / rate) if number == 0 else 0
            for _ in range(first + round((number + 1) * each) - round(number * each)):
                file.write(last)
            number += 1
        for _ in range(round(_CAMERA_FPS * 30)):
            file.write(last)
    capture.release()
    return target
