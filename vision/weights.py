"""The folder of the networks' weights: `models`, beside the packages."""

from __future__ import annotations

from pathlib import Path

MODELS = Path(__file__).resolve().parents[1] / "models"
