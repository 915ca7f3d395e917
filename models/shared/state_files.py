"""Files of torch's: starts and checkpoints are read as numbers, never as code."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from engine.errors import BadInputError

START = "weights/yolo26n_coco_from_int8_bncal_state_dict.pt"
"""In the photo folder: a detector's state dict, from which training starts where it is there."""


def load_state(path: Path, device: torch.device | str = "cpu") -> dict[str, Any]:
    """Return what was saved to `path`: tensors, plain numbers and text by name.

    Such a file is a pickle, which may hold code; anything but data is refused, and does not run.

    Raises:
        BadInputError: there is none, or it is damaged or holds something else.
    """
    try:
        state = torch.load(path, map_location=device, weights_only=True)
    except FileNotFoundError:
        raise BadInputError(f"{path}: no such file") from None
    except (OSError, RuntimeError, ValueError, LookupError, EOFError, pickle.UnpicklingError):
        # Of torch's own words some tell how to have the code run after all.
        raise BadInputError(f"{path}: is damaged, or holds more than numbers") from None
    if not isinstance(state, dict):
        raise BadInputError(f"{path}: holds no weights")
    return state


def load_start(path: Path) -> dict[str, Tensor]:
    """Return a detector's tensors by name, whether its state dict is the whole file or a part of it.

    Raises:
        BadInputError: as `load_state`.
    """
    state = load_state(path)
    state = state.get("state_dict", state)
    if not isinstance(state, dict):
        raise BadInputError(f"{path}: holds no weights")
    return {name: value for name, value in state.items() if isinstance(value, Tensor)}
