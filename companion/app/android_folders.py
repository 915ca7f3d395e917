"""Leave to write where other apps look: the folders for pictures and documents of Android 7 to 10.

From Android 11 on an app may put files of its own there without being asked. Before, the user must allow it,
and is asked when something is first to be kept there. Everything of Android that is used for that is in
`AndroidFolders`, which is loaded on a phone only.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, Protocol

from companion.device import android_api_level, is_granted, on_phone
from companion.i18n.catalogue import _

LAST_ASKED_LEVEL = 29
"""The API level of Android 10, the last that asks; `buildozer.spec` limits the permission to it."""
Answered = Callable[[bool], None]
"""Called once the user has said whether files may be written; where there is a window, on its thread."""


class SharedFolders(Protocol):
    """What is needed of a phone whose shared folders are not open to every app."""

    def ask(self, answered: Answered) -> None:
        """Ask for leave to write there, where it was not given before, and tell the answer."""
        ...


class AndroidFolders:
    """The bridge on a phone. Tests run it on stand-ins for Android's modules only."""

    def ask(self, answered: Answered) -> None:
        """Ask for WRITE_EXTERNAL_STORAGE; a question that is broken off is answered with no."""
        permissions = import_module("android.permissions")
        writing = permissions.Permission.WRITE_EXTERNAL_STORAGE
        if permissions.check_permission(writing):
            answered(True)
            return
        tell = import_module("kivy.clock").mainthread(answered)

        def told(_asked: Any, granted: list[bool]) -> None:
            tell(is_granted(granted))

        permissions.request_permissions([writing], told)


def folders_to_ask_for() -> SharedFolders | None:
    """Return whom to ask before a file is written where other apps look; None where nobody must be."""
    if not on_phone():
        return None
    level = android_api_level()
    return AndroidFolders() if level is not None and level <= LAST_ASKED_LEVEL else None


def write_shared(write: Callable[[], object], refused: Callable[[str], object]) -> None:
    """Call `write`, which puts a file into a shared folder, once that is allowed; else `refused`.

    Where nothing must be asked, `write` is called at once. `refused` gets the line for the user.
    """
    folders = folders_to_ask_for()
    if folders is None:
        write()
        return

    def answered(allowed: bool) -> None:
        if allowed:
            write()
        else:
            refused(_("Not kept: files may not be written (allow it in the phone's settings)"))

    folders.ask(answered)
