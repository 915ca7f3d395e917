"""matplotlib as training draws with it: into files, and with its cache in the program's own folder."""

from __future__ import annotations

import os
from pathlib import Path

from platformdirs import user_cache_dir

os.environ.setdefault("MPLCONFIGDIR", str(Path(user_cache_dir("shithead")) / "matplotlib"))

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot as pyplot
