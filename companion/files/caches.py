"""Where the libraries that the program uses keep their caches: in its own folder, which `erase` removes."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs


def cache_folder() -> Path:
    """Return the program's own folder for what can be made anew; it need not be there."""
    return platformdirs.user_cache_path("shithead", appauthor=False)


def redirect_caches() -> None:
    """Have matplotlib and Kivy keep what they keep in the program's folder; call before they are imported.

    A place that the user has named is left to the user. Nothing is written yet.
    """
    for variable, name in (("MPLCONFIGDIR", "matplotlib"), ("KIVY_HOME", "kivy")):
        os.environ.setdefault(variable, str(cache_folder() / name))


def redirect_shader_cache() -> None:
    """Have Mesa keep its compiled shaders in the program's folder; call before a window is opened.

    Its older versions ask for a folder that is there already. Where none can be made, none is kept.
    """
    folder = cache_folder() / "mesa"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        os.environ.setdefault("MESA_SHADER_CACHE_DISABLE", "true")
        return
    os.environ.setdefault("MESA_SHADER_CACHE_DIR", str(folder))
