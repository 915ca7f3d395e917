"""Opens the page's server if the packages of the extra are installed."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from companion.phone.optional_packages import require_phone_extra
from companion.phone.program import ProgramState
from companion.settings import Settings
from companion.sources.joined_phone import PhoneFrames, phone_frames

if TYPE_CHECKING:
    from companion.phone.server import PhoneServer


def wanted_size(settings: Settings) -> int:
    """Return the long side, in pixels, of the pictures that the filming phone sends: at most Full HD."""
    return min(1920, max(settings.camera_size))


def open_phones(
    program: ProgramState,
    *,
    host: str | None = None,
    port: int | None = None,
    folder: Path | None = None,
    announce: bool = True,
    frames: PhoneFrames | None = None,
    wanted_size: int = 1600,
    clock: Callable[[], float] = time.monotonic,
) -> PhoneServer:
    """Return the page's server, which serves already.

    Args:
        program: Gives the present state of the program.
        host: The one address to serve on; None: all addresses on local networks.
        port: The port; None: the first free one from the default on.
        folder: Folder of certificate and secrets; None: the user's own.
        announce: Whether to announce a name on the local network.
        frames: Where the filming phone's pictures go; None: to this process's own.
        wanted_size: The long side, in pixels, of the pictures that the phone is asked for.
        clock: This program's clock, in seconds.

    Raises:
        BadInputError: a package is missing, or the port or the address cannot be used.
    """
    require_phone_extra()
    from companion.phone.hub import Hub
    from companion.phone.server import PhoneServer

    hub = Hub(program, frames or phone_frames(), clock=clock, wanted_size=wanted_size)
    server = PhoneServer(hub, host=host, port=port, folder=folder, announce=announce)
    server.start()
    return server
