"""Files of torch: read as numbers, and refused in one line if they hold code or are damaged."""

from __future__ import annotations

import pickle
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.errors import BadInputError

pytest.importorskip("torch")
pytest.importorskip("ultralytics")

import torch
from torch import nn

from models.shared.state_files import load_start, load_state
from models.shared.trainer import Trainer


class Harm:
    """An object whose pickle runs code."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[object, tuple[Path]]:
        return (Path.touch, (self.mark,))


def into_a_network(path: Path) -> object:
    return load_start(nn.Linear(2, 2), path)


def no_loss(net: nn.Module, batch: torch.Tensor) -> tuple[torch.Tensor, dict[str, float]]:
    raise AssertionError("nothing is trained here")


def as_a_checkpoint(path: Path) -> None:
    path.rename(path.with_name("last.pt"))
    Trainer(nn.Linear(2, 2), no_loss, path.parent, minutes=1, rate=1e-3).resume()


READING = (load_state, into_a_network, as_a_checkpoint)


@pytest.mark.parametrize("read", READING)
@pytest.mark.parametrize("old", [False, True], ids=["zip", "bare pickle"])
def test_a_file_of_weights_with_code_is_refused_and_the_code_does_not_run(
    read: Callable[[Path], object], old: bool, tmp_path: Path
) -> None:
    mark, path = tmp_path / "harm", tmp_path / "start.pt"
    if old:
        path.write_bytes(pickle.dumps({"weight": Harm(mark)}, protocol=2))
    else:
        torch.save({"weight": torch.zeros(2, 2), "more": Harm(mark)}, path)
        assert zipfile.is_zipfile(path)
    with pytest.raises(BadInputError) as error:
        read(path)
    assert not mark.exists()
    assert str(error.value).startswith(str(tmp_path))
    assert str(error.value).endswith("is damaged, or holds more than numbers")


@pytest.mark.parametrize("read", READING)
@pytest.mark.parametrize("cut", [0, 1, 60, -40])
def test_a_truncated_file_of_weights_gives_one_line(
    read: Callable[[Path], object], cut: int, tmp_path: Path
) -> None:
    path = tmp_path / "start.pt"
    torch.save({"weight": torch.zeros(2, 2)}, path)
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(BadInputError, match="is damaged, or holds more than numbers"):
        read(path)


@pytest.mark.parametrize("inside", [True, False], ids=["a part", "the whole file"])
def test_pretrained_tensors_are_loaded_if_names_and_shapes_fit(inside: bool, tmp_path: Path) -> None:
    path, net = tmp_path / "start.pt", nn.Linear(2, 2)
    given = {"weight": torch.full((2, 2), 3.0), "bias": torch.ones(7), "other": torch.ones(2)}
    torch.save({"state_dict": given} if inside else given, path)
    assert load_start(net, path) == 1
    assert bool((net.weight == 3).all())


def test_pretrained_tensors_are_loaded_under_the_names_of_the_network(tmp_path: Path) -> None:
    path, net = tmp_path / "start.pt", nn.Linear(2, 2)
    torch.save({"model.weight": torch.full((2, 2), 3.0)}, path)
    assert load_start(net, path, lambda name: name.removeprefix("model.")) == 1
    assert bool((net.weight == 3).all())


@pytest.mark.parametrize(
    "held", [[1, 2], torch.zeros(3), {"state_dict": 5}], ids=["list", "tensor", "number"]
)
def test_a_file_without_weights_is_refused(held: object, tmp_path: Path) -> None:
    path = tmp_path / "start.pt"
    torch.save(held, path)
    with pytest.raises(BadInputError, match="holds no weights"):
        into_a_network(path)
