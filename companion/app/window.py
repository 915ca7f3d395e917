"""The window: a Kivy application that asks for a game's setup and then shows its session."""

from __future__ import annotations

import logging
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from companion.files.caches import redirect_caches, redirect_shader_cache
from companion.game.session import Session
from companion.game.setup import GameSetup
from companion.settings import Settings, load_settings


class NoDisplayError(RuntimeError):
    """No window can be opened. The message names the reason."""


def prepare_kivy() -> None:
    """Set the environment that Kivy reads. Call this before anything imports Kivy.

    Raises:
        NoDisplayError: there is no display, or it does not answer.
    """
    # SDL itself would fall back to an invisible driver.
    if sys.platform.startswith("linux") and not _told_where_to_draw():
        _require_display()
    # By default Kivy parses the command line, reads and writes a configuration shared by all Kivy programs,
    # and takes over stderr.
    os.environ.setdefault("KIVY_NO_ARGS", "1")
    os.environ.setdefault("KIVY_NO_CONFIG", "1")
    os.environ.setdefault("KIVY_NO_ENV_CONFIG", "1")
    os.environ.setdefault("KIVY_LOG_MODE", "PYTHON")
    os.environ.setdefault("KIVY_NO_FILELOG", "1")
    # Kivy prefers programs (xclip, xsel), and complains loudly if they are missing.
    os.environ.setdefault("KIVY_CLIPBOARD", "sdl2")
    logging.getLogger("kivy").addFilter(lambda record: "Cutbuffer" not in record.getMessage())
    redirect_caches()
    redirect_shader_cache()


def _told_where_to_draw() -> bool:
    return bool(os.environ.get("SDL_VIDEODRIVER") or os.environ.get("ANDROID_ARGUMENT"))


def _require_display() -> None:
    """Raise NoDisplayError unless an X or Wayland display is set and answers."""
    named = [name for name in ("DISPLAY", "WAYLAND_DISPLAY") if os.environ.get(name)]
    if not named:
        raise NoDisplayError("no display here (neither DISPLAY nor WAYLAND_DISPLAY is set)")
    if not any(_answers(_display_address(name, os.environ[name])) for name in named):
        raise NoDisplayError(f"the display does not answer ({named[0]}={os.environ[named[0]]})")


def _display_address(kind: str, value: str) -> str | tuple[str, int]:
    """Return a display's address: a socket's path, or host and port."""
    if kind == "WAYLAND_DISPLAY":
        return str(Path(os.environ.get("XDG_RUNTIME_DIR", "/run")) / value)
    host, _, number = value.rpartition(":")
    screen = number.partition(".")[0]
    if host in ("", "unix"):
        return f"/tmp/.X11-unix/X{screen}"
    return host, 6000 + (int(screen) if screen.isdecimal() else 0)


def _answers(address: str | tuple[str, int]) -> bool:
    family = socket.AF_UNIX if isinstance(address, str) else socket.AF_INET
    try:
        with socket.socket(family) as connection:
            connection.settimeout(3.0)
            connection.connect(address)
    except (OSError, OverflowError, ValueError):  # an invalid port, or an unknown host
        return False
    return True


def run_window(
    start: Session | GameSetup,
    *,
    ask: bool = True,
    size: tuple[int, int] | None = None,
    store: Path | None = None,
) -> None:
    """Open the window, and return when it is closed.

    Args:
        start: A session, which starts at once, or a setup.
        ask: Whether the players first see the setup in a form, or the game starts at once.
        size: Size of the window in pixels.
        store: Path of the evenings' store; None: the user's own.

    Raises:
        NoDisplayError: no window can be opened.
    """
    app = make_app(size=size, store=store, settings=load_settings())
    if isinstance(start, GameSetup):
        (app.ask if ask else app.start_game)(start)
    else:
        app.play(start)
    _run(app)


def run_label_window(open_session: Callable[[], Session]) -> None:
    """Open the window of `shithead label`, and return when it is closed.

    Raises:
        NoDisplayError: no window can be opened.
        BadInputError: the film cannot be opened.
    """
    app = make_app(settings=replace(load_settings(), toured=True), labels=True)
    app.play(open_session())
    _run(app)


def _run(app: Any) -> None:
    _close_on_signals()
    try:
        app.run()
    finally:
        app.end_session()


def _close_on_signals() -> None:
    """Leave the main loop between two frames when the process gets SIGINT or SIGTERM.

    The signal only sets a flag. If the app stopped in the middle of a frame, the rest of that frame would
    fail.
    """
    from kivy.base import EventLoop
    from kivy.clock import Clock

    told_to_end = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: told_to_end.set())

    def leave(_dt: float) -> None:
        if told_to_end.is_set():
            EventLoop.quit = True

    Clock.schedule_interval(leave, 0)


def make_app(
    *,
    size: tuple[int, int] | None = None,
    store: Path | None = None,
    settings: Settings | None = None,
    labels: bool = False,
) -> Any:
    """Return the application, not yet running. Give it a session with `play()` or a setup with `ask()`.

    Kivy is imported here and not before.

    Args:
        size: Size of the window in pixels.
        store: Path of the evenings' store; None: the user's own.
        settings: The user's settings; None: defaults with the first steps seen, and changes are not stored.
        labels: Whether it is the window of `shithead label`.

    Raises:
        NoDisplayError: no window can be opened.
    """
    prepare_kivy()
    from kivy.config import Config

    # By default a right click leaves a red dot, and Escape closes a game without asking.
    Config.set("input", "mouse", "mouse,disable_multitouch")
    Config.set("kivy", "exit_on_escape", "0")
    Config.set("graphics", "allow_screensaver", "0")  # a phone over the table is not touched for long
    # Shapes smooth their own edges. Multisampling would take twice the time in software OpenGL.
    Config.set("graphics", "multisamples", "0")
    least = ("400", "600") if labels else ("320", "320")  # below a film that is labelled stand its controls
    Config.set("graphics", "minimum_width", least[0])
    Config.set("graphics", "minimum_height", least[1])
    if size is not None:
        Config.set("graphics", "width", str(size[0]))
        Config.set("graphics", "height", str(size[1]))
    from kivy.core.window import Window

    if Window is None:
        raise NoDisplayError("no window can be opened (is the display reachable, is OpenGL 2 there?)")
    Window.softinput_mode = "below_target"  # a phone's keyboard must not cover the name being typed
    if labels:
        from companion.app.screens.label import FilmLabelsApp

        return FilmLabelsApp(store, settings)
    from companion.app.screens.application import RefereeApp

    return RefereeApp(store, settings)
