"""Makes ultralytics importable on a machine without a GPU, and keeps it from sending reports."""

from __future__ import annotations

import sys
import types
from typing import Any

from models.shared.caches import keep_caches_together


def _stand_in_for_torchvision() -> None:
    """Replace torchvision with a stub if it cannot be imported.

    torchvision 0.28.0 fails on CPU torch ("operator torchvision::nms does not exist"), and ultralytics
    imports it. Here only the checks of its trainer use it, for non-maximum suppression.
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
    """Make ultralytics importable; it sends no reports, and keeps its files in our cache."""
    keep_caches_together()
    _stand_in_for_torchvision()
    from ultralytics import settings
    from ultralytics.utils.nms import TorchNMS

    settings.update({"sync": False})
    ops = sys.modules["torchvision.ops"]
    if not hasattr(ops, "nms"):
        ops.nms = TorchNMS.nms  # type: ignore[attr-defined]


def detection_model(config: str, classes: int) -> Any:
    """Return an untrained DetectionModel of ultralytics."""
    prepare_ultralytics()
    from ultralytics.nn.tasks import DetectionModel

    return DetectionModel(config, nc=classes, verbose=False)
