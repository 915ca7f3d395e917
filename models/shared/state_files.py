"""Files of torch: checkpoints and pretrained weights are read as numbers, never as code."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from engine.errors import BadInputError

START = "weights/yolo26n_coco_from_int8_bncal_state_dict.pt"
"""The state dict of a detector in the photo folder. Training starts from it if it exists."""


def load_state(path: Path, device: torch.device | str = "cpu") -> dict[str, Any]:
    """Return the tensors, numbers and texts that were saved to `path`, by name.

    Such a file is a pickle, which may hold code. Code is refused, and does not run.

    Raises:
        BadInputError: there is no such file, it is damaged, or it holds something else.
    """
    try:
        state = torch.load(path, map_location=device, weights_only=True)
    except FileNotFoundError:
        raise BadInputError(f"{path}: no such file") from None
    except (OSError, RuntimeError, ValueError, LookupError, EOFError, pickle.UnpicklingError):
        # Some messages of torch explain how to run the code anyway, so they are not shown.
        raise BadInputError(f"{path}: is damaged, or holds more than numbers") from None
    if not isinstance(state, dict):
        raise BadInputError(f"{path}: holds no weights")
    return state


def load_start(net: nn.Module, path: Path, renamed: Callable[[str], str] = lambda name: name) -> int:
    """Load the tensors of a detector whose names and shapes fit, and return their number.

    Args:
        net: The network that gets them.
        path: The file. Its state dict is the whole file, or the part `state_dict`.
        renamed: Returns the name in `net` of a tensor of the file.

    Raises:
        BadInputError: as `load_state`.
    """
    state = load_state(path)
    state = state.get("state_dict", state)
    if not isinstance(state, dict):
        raise BadInputError(f"{path}: holds no weights")
    own = net.state_dict()
    tensors = {renamed(name): value for name, value in state.items() if isinstance(value, Tensor)}
    fitting = {
        name: value.float() if value.is_floating_point() else value
        for name, value in tensors.items()
        if name in own and own[name].shape == value.shape
    }
    net.load_state_dict(fitting, strict=False)
    return len(fitting)
