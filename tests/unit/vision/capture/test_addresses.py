"""An address is understood as people type it, and its password is shown nowhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from vision.capture.addresses import (
    complete_address,
    lacks_password,
    with_known_password,
    with_password_of,
    without_password,
    without_passwords,
)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("192.168.1.20:8080/video", "http://192.168.1.20:8080/video"),
        ("192.168.1.20", "http://192.168.1.20"),
        ("  192.168.1.20:8080 ", "http://192.168.1.20:8080"),
        ("me:secret@192.168.1.20:8080/video", "http://me:secret@192.168.1.20:8080/video"),
        ("me:p#1@phone.local/video", "http://me:p%231@phone.local/video"),
        ("me:p@1@192.168.1.20/video", "http://me:p%401@192.168.1.20/video"),
        ("me:a/b?c@phone:8080/video", "http://me:a%2Fb%3Fc@phone:8080/video"),
        ("http://me:12#3@phone/video", "http://me:12%233@phone/video"),
        ("rtsp://me:p@s/w@10.0.0.9/live", "rtsp://me:p%40s%2Fw@10.0.0.9/live"),
        ("http://me:100%@phone/video", "http://me:100%25@phone/video"),
        ("http://me:p%23@phone/video", "http://me:p%23@phone/video"),
        ("http://me:\udc80@phone/video", "http://me:%80@phone/video"),
        ("http://phone:8080/@me/video", "http://phone:8080/@me/video"),
        ("C:\\films\\a@192.168.1.20", "C:\\films\\a@192.168.1.20"),
        ("[fe80::1]:8080/video", "http://[fe80::1]:8080/video"),
        ("phone.local/video", "http://phone.local/video"),
        ("phone:4747/video", "http://phone:4747/video"),
        ("localhost:8080", "http://localhost:8080"),
        ("192.168.1.20:8554/live", "rtsp://192.168.1.20:8554/live"),
        ("rtsp://phone/live", "rtsp://phone/live"),
        ("0", "0"),
        ("film.mp4", "film.mp4"),
        ("videos/film.mp4", "videos/film.mp4"),
        ("C:\\films\\film.mp4", "C:\\films\\film.mp4"),
    ],
)
def test_an_address_is_understood_without_its_scheme_and_a_film_stays_a_film(typed: str, meant: str) -> None:
    assert complete_address(typed) == meant


def test_a_film_may_be_named_like_an_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("phone:8080").write_bytes(b"film")
    assert complete_address("phone:8080") == "phone:8080"


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("http://me:secret@phone/video", "http://me:***@phone/video"),
        ("http://me:sec#ret@phone/video", "http://me:***@phone/video"),
        ("http://me:sec/ret@phone.local/video", "http://me:***@phone.local/video"),
        ("rtsp://me:se@cr/et@10.0.0.9/live", "rtsp://me:***@10.0.0.9/live"),
        ("http://phone/video?user=me&pwd=secret&size=1", "http://phone/video?user=me&pwd=***&size=1"),
        ("rtsp://10.0.0.9/user=me&password=secret/11", "rtsp://10.0.0.9/user=me&password=***/11"),
        ("http://me@phone/video", "http://me@phone/video"),
        ("http://phone:8080/video", "http://phone:8080/video"),
        ("film.mp4", "film.mp4"),
        ("0", "0"),
    ],
)
def test_an_address_is_shown_without_its_password(address: str, shown: str) -> None:
    assert without_password(address) == shown
    assert lacks_password(shown) == (shown != address)
    assert without_passwords(f"{address}: no picture") == f"{shown}: no picture"


@pytest.mark.parametrize(
    "address", ["http://me:secret@phone/video", "http://phone/video?user=me&pwd=secret", "http://phone/video"]
)
def test_a_hidden_password_is_found_again_among_known_addresses(address: str) -> None:
    known = ["http://me:other@tablet/video", address]
    assert with_known_password(without_password(address), known) == address
    assert with_known_password("http://you:***@phone/video", known) == "http://you:***@phone/video"


def test_a_hidden_password_stays_when_the_rest_of_the_address_is_mended() -> None:
    before = "http://me:secret@10.0.0.9/vide?pwd=too"
    shown = without_password(before)
    assert (
        with_password_of(shown.replace("vide", "video"), before) == "http://me:secret@10.0.0.9/video?pwd=too"
    )
    assert with_password_of(shown.replace("10.0.0.9", "10.0.0.8"), before) == before.replace("0.9", "0.8")
    assert with_password_of("http://me:new@10.0.0.9/", before) == "http://me:new@10.0.0.9/"


def test_a_password_at_the_end_of_a_very_long_line_is_hidden() -> None:
    """A line that is long takes no longer than that."""
    assert (
        without_passwords("x" * 300_000 + "http://me:secret@host/") == "x" * 300_000 + "http://me:***@host/"
    )
