"""matplotlib as training draws with it: into files, and with its cache in the program's own folder."""

from __future__ import annotations

from models.shared.caches import keep_caches_together

keep_caches_together()

import matplotlib  # noqa: E402 - which asks for its folder as it is imported

matplotlib.use("Agg")
from matplotlib import pyplot as pyplot  # noqa: E402
