"""matplotlib for training: it draws into files, and keeps its cache in the folder of the program."""

from __future__ import annotations

from models.shared.caches import keep_caches_together

keep_caches_together()

import matplotlib  # noqa: E402 - it needs its folder when it is imported

matplotlib.use("Agg")
from matplotlib import pyplot as pyplot  # noqa: E402
