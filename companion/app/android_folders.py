"""Permission to write to the shared folders for pictures and documents on Android 7 to 10.

From Android 11 on, an app may put its own files there without asking. Older versions ask the user when
something is first saved there. All code for that is in `AndroidFolders`, which is loaded on a phone only.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, Protocol

from companion.device import android_api_level, is_granted, on_phone
from companion.i18n.catalogue import _

LAST_ASKED_LEVEL = 29
"""The API level of Android 10, the last one that asks. `buildozer.spec` limits the permission to it."""
Answered = Callable[[bool], None]
"""Called with the user's answer: whether files may be written. If there is a window, it runs on its thread.
"""


class SharedFolders(Protocol):
    """A phone whose shared folders need a permission."""

    def ask(self, answered: Answered) -> None:
        """Ask for the permission, unless it was granted before, and report the answer."""
        ...


class AndroidFolders:
    """The bridge on a phone. Tests run it with fake Android modules only."""

    def ask(self, answered: Answered) -> None:
        """Ask for WRITE_EXTERNAL_STORAGE. A cancelled request counts as no."""
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
    """Return the object to ask before a file is written to shared folders, or None if no permission is
    needed.
    """
    if not on_phone():
        return None
    level = android_api_level()
    return AndroidFolders() if level is not None and level <= LAST_ASKED_LEVEL else None


def write_shared(write: Callable[[], object], refused: Callable[[str], object]) -> None:
    """Call `write`, which puts a file into a shared folder, once that is allowed; else call `refused`.

    Without a need for permission, `write` is called at once. `refused` gets a line for the user.
    """
    folders = folders_to_ask_for()
    if folders is None:
        write()
        return

    def answered(allowed: bool) -> None:
        if allowed:
            write()
        else:
            refused(_("Not saved: the app is not allowed to write files. Allow it in the phone’s settings."))

    folders.ask(answered)
