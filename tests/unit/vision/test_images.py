"""Pictures read from files, and made smaller."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest

from engine.errors import BadInputError
from vision.images import downscale, read_image, resize


@pytest.mark.parametrize("size", [(3, 500), (480, 848), (1080, 1920), (4000, 3000)])
def test_the_longer_side_gets_the_length_asked_for(size: tuple[int, int]) -> None:
    small, scale = downscale(np.zeros((*size, 3), np.uint8), 320)
    assert max(small.shape[:2]) == 320
    assert scale == pytest.approx(320 / max(size))


def test_a_small_picture_stays_as_it_is() -> None:
    picture = np.arange(12, dtype=np.uint8).reshape(2, 2, 3)
    small, scale = downscale(picture, 320)
    assert scale == 1
    assert (small == picture).all()


def test_fine_stripes_become_grey() -> None:
    stripes = np.zeros((512, 1024, 3), np.uint8)
    stripes[:, ::2] = 200
    small, _ = downscale(stripes, 256)
    assert (np.abs(small.astype(int) - 100) <= 1).all()


@pytest.mark.parametrize("size", [(1080, 1920), (2160, 3840), (1088, 1920), (3000, 4000)])
def test_a_large_picture_made_smaller_by_two_threads_is_the_one_that_one_makes(size: tuple[int, int]) -> None:
    picture = np.random.default_rng(0).integers(0, 256, (*size, 3), np.uint8)
    small = resize(picture, (640, 360), cv2.INTER_AREA)
    assert np.array_equal(small, cv2.resize(picture, (640, 360), interpolation=cv2.INTER_AREA))


def _quarters() -> np.ndarray:
    """A picture of 96 x 64 whose four quarters have four colours."""
    picture = np.zeros((64, 96, 3), np.uint8)
    picture[:32, :48], picture[:32, 48:] = (200, 30, 30), (30, 200, 30)
    picture[32:, :48], picture[32:, 48:] = (30, 30, 200), (200, 200, 200)
    return picture


def _same_quarters(picture: np.ndarray, wanted: np.ndarray) -> bool:
    return picture.shape == wanted.shape and float(np.abs(picture.astype(int) - wanted).mean()) < 12


TURNS: dict[int, Callable[[np.ndarray], np.ndarray]] = {
    1: lambda stored: stored,
    2: lambda stored: stored[:, ::-1],
    3: lambda stored: stored[::-1, ::-1],
    4: lambda stored: stored[::-1],
    5: lambda stored: stored.transpose(1, 0, 2),
    6: lambda stored: np.rot90(stored, -1),
    7: lambda stored: stored[::-1, ::-1].transpose(1, 0, 2),
    8: lambda stored: np.rot90(stored),
}
"""What each orientation of EXIF does to the stored picture before it is shown."""


@pytest.mark.parametrize("orientation", TURNS)
@pytest.mark.parametrize("suffix", ["jpg", "avif", "heic"])
def test_a_photo_is_turned_as_the_phone_was_held(tmp_path: Path, suffix: str, orientation: int) -> None:
    pillow = pytest.importorskip("PIL.Image", reason="pillow writes the photos")
    if suffix == "heic":
        pytest.importorskip("pillow_heif", reason="pillow-heif reads HEIC").register_heif_opener()
    path = tmp_path / f"photo.{suffix}"
    exif = pillow.Exif()
    exif[0x0112] = orientation
    pillow.fromarray(_quarters()[..., ::-1]).save(path, exif=exif.tobytes(), quality=95)
    assert _same_quarters(read_image(path), TURNS[orientation](_quarters()))


def test_a_grey_photo_and_one_with_transparency_have_three_channels(tmp_path: Path) -> None:
    pillow = pytest.importorskip("PIL.Image", reason="pillow writes the photos")
    pytest.importorskip("pillow_heif", reason="pillow-heif reads HEIC").register_heif_opener()
    for mode in ("L", "RGBA"):
        path = tmp_path / f"{mode}.heic"
        pillow.fromarray(_quarters()).convert(mode).save(path)
        assert read_image(path).shape == (64, 96, 3)


def _heic_head() -> bytes:
    return (24).to_bytes(4, "big") + b"ftypheic\0\0\0\0mif1heic" + bytes(100)


def test_a_heic_photo_without_the_library_says_how_to_export_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pillow_heif", None)
    path = tmp_path / "photo.heic"
    path.write_bytes(_heic_head())
    with pytest.raises(BadInputError, match=r"photo\.heic: a HEIC photo; export it as JPEG, or install"):
        read_image(path)


@pytest.mark.parametrize("brand", [b"heic", b"avif"])
@pytest.mark.parametrize("length", [12, 24, 60, 124])
def test_a_damaged_photo_is_refused_in_one_line(tmp_path: Path, brand: bytes, length: int) -> None:
    pytest.importorskip("pillow_heif", reason="pillow-heif reads HEIC")
    path = tmp_path / "photo.heic"
    path.write_bytes(_heic_head().replace(b"heic", brand)[:length])
    with pytest.raises(BadInputError, match="not a picture that can be decoded"):
        read_image(path)
