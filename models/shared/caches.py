"""The cache folder of the program, for the files of the libraries that training uses."""

from __future__ import annotations

import os
from pathlib import Path

from platformdirs import user_cache_dir


def keep_caches_together() -> None:
    """Make ultralytics and matplotlib keep their files in the cache folder; call before importing them.

    A folder that the user has named takes precedence.
    """
    cache = Path(user_cache_dir("shithead"))
    os.environ.setdefault("YOLO_CONFIG_DIR", str(cache))
    os.environ.setdefault("MPLCONFIGDIR", str(cache / "matplotlib"))
