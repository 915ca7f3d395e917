"""Training for a fixed time: it continues after an interruption, and two devices give the result of one."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from itertools import repeat
from pathlib import Path

import pytest

from engine.errors import BadInputError

pytest.importorskip("torch")

import torch
from torch import nn

from models.indices.data import IndexTruth
from models.shared.devices import device_of, devices, on_devices, one_device, to_device
from models.shared.trainer import Trainer, mean_over

Weights = dict[str, torch.Tensor]


def loss(net: nn.Module, batch: torch.Tensor) -> tuple[torch.Tensor, dict[str, float]]:
    error = (net(batch) - batch.sum(1, keepdim=True)).square().mean()
    return error, {"error": float(error.detach())}


def new_trainer(folder: Path, minutes: float = 1.0) -> Trainer[torch.Tensor]:
    return Trainer(nn.Linear(3, 1), loss, folder, minutes=minutes, rate=0.05, warm_up=2)


def batches() -> Iterator[torch.Tensor]:
    return repeat(torch.randn(8, 3, generator=torch.Generator().manual_seed(3)))


class InterruptedTrainingError(Exception):
    pass


def interrupted_after(steps: int) -> Iterator[torch.Tensor]:
    for _, batch in zip(range(steps), batches(), strict=False):
        yield batch
    raise InterruptedTrainingError


def alike(one: Weights, other: Weights) -> bool:
    return all(torch.allclose(value, other[name], atol=1e-6) for name, value in one.items())


def test_an_interrupted_training_continues_where_it_stopped(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = new_trainer(tmp_path)
    with pytest.raises(InterruptedTrainingError):
        first.run(interrupted_after(45), 1.0, lambda _: {})
    first.save()
    second = new_trainer(tmp_path)
    assert not alike(second.net.state_dict(), first.net.state_dict())
    second.resume()
    assert "resumed at step 45" in capsys.readouterr().out
    assert (second.step, second.spent, second.average.steps) == (45, first.spent, 45)
    assert alike(second.net.state_dict(), first.net.state_dict())
    assert alike(second.average.net.state_dict(), first.average.net.state_dict())
    with pytest.raises(InterruptedTrainingError):
        first.run(interrupted_after(15), 1.0, lambda _: {})
    with pytest.raises(InterruptedTrainingError):
        second.run(interrupted_after(15), 1.0, lambda _: {})
    # Rates follow the time spent, which differs a little. The state of the optimiser must not differ.
    assert all(
        torch.allclose(value, first.net.state_dict()[name], atol=1e-3)
        for name, value in second.net.state_dict().items()
    )
    steps = [json.loads(line)["step"] for line in second.log.read_text().splitlines()]
    assert steps == [20, 40, 60, 60]


def test_a_finished_training_takes_no_step(tmp_path: Path) -> None:
    trainer = new_trainer(tmp_path, minutes=0.001)
    trainer.run(batches(), 1.0, lambda _: {"seen": 1.0})
    assert trainer.spent >= 0.06
    assert json.loads(trainer.log.read_text().splitlines()[-1])["held out"] == {"seen": 1.0}
    again = new_trainer(tmp_path, minutes=0.001)
    again.resume()
    again.run(batches(), 1.0, lambda _: pytest.fail("there is nothing to validate"))
    assert again.step == trainer.step


def test_a_crash_while_a_checkpoint_is_written_leaves_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trainer = new_trainer(tmp_path)
    trainer.save()
    whole = trainer.checkpoint.read_bytes()

    def breaks(_: object, path: Path) -> None:
        path.write_bytes(b"half")
        raise InterruptedTrainingError

    monkeypatch.setattr(torch, "save", breaks)
    with pytest.raises(InterruptedTrainingError):
        trainer.save()
    assert trainer.checkpoint.read_bytes() == whole


def test_two_processes_learn_the_same_as_one_from_the_same_batches(tmp_path: Path) -> None:
    for device in ("cpu", "cpu,cpu"):
        done = subprocess.run(
            [sys.executable, Path(__file__).with_name("train_on_devices.py"), device, tmp_path / device],
            capture_output=True,
            text=True,
            timeout=300,  # only against processes that wait for each other
            check=False,
        )
        assert done.returncode == 0, done.stderr[-3000:]
    one, two = (torch.load(tmp_path / device / "last.pt") for device in ("cpu", "cpu,cpu"))
    assert one["step"] == two["step"] == 40
    assert alike(one["net"], two["net"])
    assert alike(one["average"], two["average"])
    # Only the leader writes.
    assert len((tmp_path / "cpu,cpu" / "curve.jsonl").read_text().splitlines()) == 2


def test_whole_batches_move_to_a_device() -> None:
    meta = torch.device("meta")
    picture = torch.zeros(2)
    images, (truth,), name = to_device((picture, [IndexTruth(*[picture] * 4)], "kept"), meta)
    assert {images.device, truth.wanted.device, truth.framed.device} == {meta}
    assert name == "kept"
    net = nn.Linear(3, 1).to(meta)
    assert device_of(net) == meta
    assert mean_over(net, [torch.zeros(2, 3)], lambda _, batch: {"there": float(batch.device == meta)}) == {
        "there": 1
    }


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("gpu", "--device gpu: neither cpu nor numbers of GPUs"),
        ("0,0", "neither cpu nor numbers"),
        ("cpu,0", "neither cpu nor numbers"),
        ("", "neither cpu nor numbers"),
        ("900", "--device 900: there is no GPU 900 here"),
    ],
)
def test_unknown_devices_are_refused_in_one_line(text: str, says: str) -> None:
    with pytest.raises(BadInputError, match=says):
        devices(text)
    with pytest.raises(BadInputError, match=says):
        on_devices(lambda _: pytest.fail("nothing may begin"), text)


def test_a_training_that_takes_one_device_refuses_two() -> None:
    assert one_device("cpu") == torch.device("cpu")
    with pytest.raises(BadInputError, match="takes one device"):
        one_device("cpu,cpu")
