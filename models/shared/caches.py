"""Where the libraries that training uses keep their files: in the program's own cache folder."""

from __future__ import annotations

import os
from pathlib import Path

from platformdirs import user_cache_dir


def keep_caches_together() -> None:
    """Have ultralytics and matplotlib keep what they keep there; call before they are imported.

    A place that the user has named is left to the user.
    """
    cache = Path(user_cache_dir("shithead"))
    os.environ.setdefault("YOLO_CONFIG_DIR", str(cache))
    os.environ.setdefault("MPLCONFIGDIR", str(cache / "matplotlib"))
