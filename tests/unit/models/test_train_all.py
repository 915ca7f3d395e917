"""`python -m models.train` runs the whole chain in order, and each step accepts its arguments."""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from pathlib import Path
from typing import Any, NoReturn

import pytest

from engine.errors import BadInputError
from models import train
from models.checksums import main as checksums
from models.checksums import write_checksums
from models.train import Step, main, run, steps

MODELS = Path(train.__file__).parent
ORDER = (
    *("models.faces.train", "models.faces.strip.train", "models.indices.train", "models.indices.calibrate"),
    *("models.outlines.train", "models.faces.quantise", "models.outlines.quantise", "models.checksums"),
)


def test_a_dry_run_prints_the_steps_in_their_order_and_writes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["--dry-run", "--folder", str(tmp_path / "work"), "--out", str(tmp_path / "out"), "--device", "0,1"])
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert [line[:5] for line in lines] == [["to", "do:", "python", "-m", module] for module in ORDER]
    given = {line[4]: line[line.index("--device") + 1] for line in lines if "--device" in line}
    assert {given.pop(f"models.faces.{part}") for part in ("train", "strip.train")} == {"0"}
    assert set(given.values()) == {"0,1"}
    assert list(tmp_path.iterdir()) == []


class ParsedError(Exception):
    pass


@pytest.mark.parametrize("step", steps(Path("work"), Path("out"), "cpu", 1), ids=lambda step: step.name)
def test_each_step_accepts_its_arguments(step: Step, monkeypatch: pytest.MonkeyPatch) -> None:
    for needed in ("torch", "ultralytics", "onnx", "onnxslim"):
        pytest.importorskip(needed)
    parse = argparse.ArgumentParser.parse_args

    def only_parse(self: argparse.ArgumentParser, *args: Any) -> NoReturn:
        raise ParsedError(parse(self, *args))

    monkeypatch.setattr(argparse.ArgumentParser, "parse_args", only_parse)
    with pytest.raises(ParsedError):
        importlib.import_module(step.module).main(list(step.arguments))


def recording_step(name: str, file: Path, status: int = 0) -> Step:
    """A step that adds its name to a file, and ends with a status."""
    code = f"open({str(file)!r}, 'a').write({name!r}); raise SystemExit({status})"
    step = Step(name, "unused", ())
    object.__setattr__(step, "module", code)
    return step


def test_a_training_continues_with_the_step_that_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(Step, "command", property(lambda step: (sys.executable, "-c", step.module)))
    ran = tmp_path / "ran"
    with pytest.raises(SystemExit) as ended:
        run(
            [recording_step("a", ran), recording_step("b", ran, status=130), recording_step("c", ran)],
            tmp_path,
        )
    assert ended.value.code == 130
    run([recording_step("a", ran), recording_step("b", ran), recording_step("c", ran)], tmp_path)
    assert ran.read_text() == "abbc"
    capsys.readouterr()
    run([recording_step("a", ran), recording_step("b", ran), recording_step("c", ran)], tmp_path)
    assert ran.read_text() == "abbc"
    assert "this training is finished" in capsys.readouterr().out


def test_the_checksums_are_the_shipped_ones(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for file in (*MODELS.glob("*/*.onnx"), *MODELS.glob("*/*.json")):
        (tmp_path / file.parent.name).mkdir(exist_ok=True)
        (tmp_path / file.parent.name / file.name).write_bytes(file.read_bytes())
    checksums(["--out", str(tmp_path)])
    assert (tmp_path / "weights.sha256").read_text() == (MODELS / "weights.sha256").read_text()
    assert "weights.sha256" in capsys.readouterr().out


def test_a_folder_without_weights_has_no_checksums(tmp_path: Path) -> None:
    (tmp_path / "faces").mkdir()
    (tmp_path / "faces" / "notes.txt").write_text(json.dumps({}))
    with pytest.raises(BadInputError, match="there are no weights"):
        write_checksums(tmp_path)
