"""Makes torch and ultralytics importable and quick on a CPU."""

from __future__ import annotations

import sys
import types
from typing import Any

import torch

from models.shared.caches import keep_caches_together


def _stand_in_for_torchvision() -> None:
    """Put a stub in torchvision's place where the real one does not import.

    torchvision 0.28.0 fails on CPU torch ("operator torchvision::nms does not exist"); ultralytics imports
    it, and of what is used here only its trainer's checks ask it for anything: non-maximum suppression.
    """
    try:
        import torchvision  # noqa: F401
    except (ImportError, RuntimeError):
        for name in [name for name in sys.modules if name.split(".")[0] == "torchvision"]:
            del sys.modules[name]
        stub = types.ModuleType("torchvision")
        stub.__version__ = "0.28.0"  # type: ignore[attr-defined]
        stub.ops = types.ModuleType("torchvision.ops")  # type: ignore[attr-defined]
        sys.modules["torchvision"], sys.modules["torchvision.ops"] = stub, stub.ops


def prepare_ultralytics() -> None:
    """Make ultralytics importable and keep it to itself: no reports sent, its files in our cache."""
    keep_caches_together()
    _stand_in_for_torchvision()
    from ultralytics import settings
    from ultralytics.utils.nms import TorchNMS

    settings.update({"sync": False})
    ops = sys.modules["torchvision.ops"]
    if not hasattr(ops, "nms"):
        ops.nms = TorchNMS.nms  # type: ignore[attr-defined]


def detection_model(config: str, classes: int) -> Any:
    """Return a fresh ultralytics DetectionModel, untrained."""
    prepare_ultralytics()
    from ultralytics.nn.tasks import DetectionModel

    return DetectionModel(config, nc=classes, verbose=False)


def set_threads(threads: int) -> None:
    """Use `threads` CPU threads for torch."""
    torch.set_num_threads(threads)
