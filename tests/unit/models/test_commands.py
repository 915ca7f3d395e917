"""A command without checkpoints does not mention one when it is interrupted."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path
from typing import NoReturn

import pytest

pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")


def _interrupted(*_: object, **__: object) -> NoReturn:
    raise KeyboardInterrupt


@pytest.mark.filterwarnings("ignore:.*found in sys.modules:RuntimeWarning")
@pytest.mark.parametrize(
    ("module", "needed", "said"),
    [
        (
            "models.outlines.one_size",
            "vision.recognition.detector.load_facts",
            "interrupted; run it again: its files may be incomplete\n",
        ),
        (
            "models.faces.quantise",
            "models.faces.styles.ArtFaces",
            "interrupted; the copies that are not listed above are unchanged\n",
        ),
    ],
)
def test_an_interruption_prints_the_line_of_its_command(
    module: str,
    needed: str,
    said: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [module])
    monkeypatch.setattr(needed, _interrupted)
    with pytest.raises(SystemExit) as ended:
        runpy.run_module(module, run_name="__main__")
    assert ended.value.code == 130
    assert capsys.readouterr().err == said
