"""How large the networks are that ship: `pytest -m benchmark tests/benchmarks/test_weights.py`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import models


@pytest.mark.benchmark
def test_size_of_the_weights(measured: Callable[[str, float], None]) -> None:
    files = list(Path(models.__file__).parent.glob("*/*.onnx"))
    together = sum(file.stat().st_size for file in files) / 1e6
    copies = sum(file.stat().st_size for file in files if file.name.endswith(".int8.onnx")) / 1e6
    print(f"{together:.1f} MB, of these {copies:.1f} MB 8-bit copies")
    measured("weights_mb", together)
    measured("weights_without_copies_mb", together - copies)
    assert 0 < copies < together
