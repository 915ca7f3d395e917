"""Where onnxruntime is missing, as on a phone, OpenCV reads the same cards from the weights."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest

pytest.importorskip("onnx")

from models.outlines.one_size import SHIPPED, write_one_size
from tests.support.polite_film import polite_film
from vision.recognition.reader import default_reader

ROOT = Path(__file__).parents[3]
LOOK = 794
"""A frame with the up-cards of four players, a play pile and a draw pile."""
AS_PHONE = """
import sys
from pathlib import Path
import cv2
from tests.e2e.windows import as_phone
as_phone.hide()
from vision.recognition import detector
from vision.recognition.reader import TableReader
from vision.recognition.runtime import available_backends
print(available_backends())
frame = cv2.imread(sys.argv[1])
for weights in sys.argv[2:]:
    detector.WEIGHTS = Path(weights)
    print(*sorted(f"{reading.face} {reading.card}" for reading in TableReader().read(frame)), sep=", ")
"""


def test_opencv_reads_the_same_cards_from_the_weights_of_a_checkout_and_of_a_package(tmp_path: Path) -> None:
    film = cv2.VideoCapture(str(polite_film().path))
    film.set(cv2.CAP_PROP_POS_FRAMES, LOOK)
    read, picture = film.read()
    film.release()
    assert read
    frame = np.asarray(picture, np.uint8)
    cv2.imwrite(str(tmp_path / "look.png"), frame)
    write_one_size(SHIPPED, tmp_path / "one_size.onnx")
    found = subprocess.run(
        [
            sys.executable,
            "-c",
            AS_PHONE,
            *map(str, (tmp_path / "look.png", SHIPPED, tmp_path / "one_size.onnx")),
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stderr[-2000:]
    wanted = ", ".join(sorted(f"{reading.face} {reading.card}" for reading in default_reader().read(frame)))
    assert wanted.count("up ") > 10
    assert found.stdout.splitlines() == ["('opencv',)", wanted, wanted]
