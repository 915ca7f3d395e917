"""How large the networks are that ship: `pytest -m benchmark tests/benchmarks/test_weights.py`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import models


@pytest.mark.benchmark
def test_size_of_the_weights(measured: Callable[[str, float], None]) -> None:
    files = list(Path(models.__file__).parent.glob("*/*.onnx"))
    hands = sum(file.stat().st_size for file in files if file.parent.name == "hands") / 1e6
    together = sum(file.stat().st_size for file in files) / 1e6
    copies = sum(file.stat().st_size for file in files if file.name.endswith(".int8.onnx")) / 1e6
    print(f"{together:.1f} MB, of these {copies:.1f} MB 8-bit copies, {hands:.1f} MB hands")
    measured("weights_mb", together)
    # A package for a phone leaves out the copies and the hands (`buildozer.spec`).
    measured("weights_for_phone_mb", together - copies - hands)
    assert 0 < copies + hands < together
