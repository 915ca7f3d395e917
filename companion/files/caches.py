"""Redirect the caches of libraries into the program's own cache folder, which `erase` removes."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs


def cache_folder() -> Path:
    """Return the program's cache folder. It need not exist."""
    return platformdirs.user_cache_path("shithead", appauthor=False)


def redirect_caches() -> None:
    """Make matplotlib and Kivy use the program's cache folder. Call this before they are imported.

    A folder that the user has set stays in force. This function writes nothing.
    """
    for variable, name in (("MPLCONFIGDIR", "matplotlib"), ("KIVY_HOME", "kivy")):
        os.environ.setdefault(variable, str(cache_folder() / name))


def redirect_shader_cache() -> None:
    """Make Mesa store its compiled shaders in the program's cache folder. Call this before a window opens.

    Older versions of Mesa need a folder that exists. If none can be made, Mesa stores no shaders.
    """
    folder = cache_folder() / "mesa"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        os.environ.setdefault("MESA_SHADER_CACHE_DISABLE", "true")
        return
    os.environ.setdefault("MESA_SHADER_CACHE_DIR", str(folder))
