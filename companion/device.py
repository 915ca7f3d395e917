"""The kind of device that the app runs on, and facts that only Android knows."""

from __future__ import annotations

import logging
import sys
from collections.abc import Sequence
from importlib import import_module

_log = logging.getLogger(__name__)


def on_phone() -> bool:
    """Return whether this runs on Android."""
    return hasattr(sys, "getandroidapilevel")


def is_granted(granted: Sequence[bool]) -> bool:
    """Return whether the user has granted a permission. A cancelled request has an empty answer."""
    return bool(granted) and all(granted)


def android_api_level() -> int | None:
    """Return the API level of Android (24 is Android 7), or None if Android does not say.

    `sys.getandroidapilevel()` returns the level that Python was built for instead.
    """
    try:
        return int(import_module("jnius").autoclass("android.os.Build$VERSION").SDK_INT)
    except Exception as error:  # no jnius, or whatever Java raises
        _log.warning("the phone does not tell its version of Android: %s", error)
        return None


def phone_language() -> str | None:
    """Return the code of the phone's language (`de`), or None if Android does not say.

    Android gives apps no `LANG` that follows its settings.
    """
    try:
        return str(import_module("jnius").autoclass("java.util.Locale").getDefault().getLanguage())
    except Exception as error:  # no jnius, or whatever Java raises
        _log.warning("the phone does not tell its language: %s", error)
        return None
