"""The line of a command of `models` without the extra `train`."""

from __future__ import annotations

import sys
from types import TracebackType

PACKAGES = ("joblib", "matplotlib", "onnx", "onnxslim", "torch", "torchvision", "ultralytics")
"""The packages of the extra, as they are imported."""


def say_what_is_missing(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """End with one line if a package of the extra is missing. It replaces `sys.excepthook`.

    The commands import such packages at their top, before they could catch the error.
    """
    missing = (error.name or "").partition(".")[0] if isinstance(error, ModuleNotFoundError) else ""
    if missing not in PACKAGES:
        sys.__excepthook__(kind, error, trace)
        return
    print(f"{missing} is missing; `make train` adds it, or: pip install -e '.[train]'", file=sys.stderr)
    raise SystemExit(2)
