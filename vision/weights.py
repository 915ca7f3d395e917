"""Where the weights of the networks lie: beside the packages, in `models`."""

from __future__ import annotations

from pathlib import Path

MODELS = Path(__file__).resolve().parents[1] / "models"
