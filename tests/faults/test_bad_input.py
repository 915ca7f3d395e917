"""A moment of the fuzzer for everything that is read; a hosted run feeds minutes, `fuzz.py` hours."""

from __future__ import annotations

import logging
import os
import tempfile
from collections.abc import Iterator
from logging.handlers import RotatingFileHandler
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.faults import fuzz_rtsp, fuzz_running
from tests.faults.fuzz import ENGINES, inputs_of
from tests.faults.fuzz_targets import SEEDS, TARGETS, run

SLOW = (
    *("backup", "store", "house_rules", "film", "players", "rows", "network", "stream", "results"),
    *("rtsp", "photo_set"),
)


@pytest.fixture(autouse=True, scope="module")
def _no_log() -> Iterator[None]:
    """A log lies in the home of the test in whose time a command begins it: outside of those that follow.

    Where there is one already no command begins another.
    """
    root = logging.getLogger()
    earlier = [handler for handler in root.handlers if isinstance(handler, RotatingFileHandler)]
    for handler in earlier:
        root.removeHandler(handler)
    nowhere = RotatingFileHandler(os.devnull)
    root.addHandler(nowhere)
    yield
    root.removeHandler(nowhere)
    nowhere.close()
    for handler in earlier:
        root.addHandler(handler)


@pytest.mark.parametrize("name", [name for name in TARGETS if name != "address"])
def test_what_is_sound_is_read(name: str) -> None:
    """Else the fuzzer would start from what is refused at the door."""
    assert [run(name, data) for data in SEEDS[name]] == [""] * len(SEEDS[name])


@pytest.mark.parametrize("name", list(TARGETS))
def test_whatever_is_read_ends_in_peace_or_in_one_line(name: str) -> None:
    @given(inputs_of(name))
    @settings(
        max_examples=10 if name in SLOW else 20,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )
    def feed(data: bytes) -> None:
        run(name, data)

    feed()


def test_a_web_socket_version_that_is_no_text_is_refused() -> None:
    (request, *_) = [data for data in SEEDS["phone_requests"] if b"Sec-WebSocket-Version: 13" in data]
    run("phone_requests", request.replace(b"Version: 13", b"Version:\x8013"))


@pytest.mark.parametrize("name", list(TARGETS))
@given(data=st.binary(max_size=200))
@settings(max_examples=5, deadline=None)
def test_bytes_of_no_meaning_end_in_peace_or_in_one_line(name: str, data: bytes) -> None:
    run(name, data)


def test_the_camera_that_is_fuzzed_over_rtsp_shows_its_pictures() -> None:
    """Else only its greeting would be."""
    fuzz_rtsp.pictures.clear()
    assert run("rtsp", SEEDS["rtsp"][0]) == ""
    assert fuzz_rtsp.pictures == [(48, 64, 3)] * 5


def test_a_target_that_writes_elsewhere_takes_too_long_or_too_much_is_found_out(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """What the fuzzer does not notice, it cannot find."""
    outside = Path(__file__).with_name("written-outside")
    monkeypatch.setattr(fuzz_running, "MOST_SECONDS", 1)

    def endless(_data: bytes, _folder: Path) -> None:
        while True:
            pass

    def greedy(_data: bytes, _folder: Path) -> None:
        bytearray(fuzz_running.MOST_BYTES + (1 << 30))

    def elsewhere(_data: bytes, _folder: Path) -> None:
        outside.write_bytes(b"")
        outside.unlink()

    def in_passing(_data: bytes, _folder: Path) -> None:
        with tempfile.TemporaryDirectory():
            pass

    for target, found, says in (
        (endless, fuzz_running.FoundError, "took longer than 1 s"),
        (elsewhere, fuzz_running.FoundError, "written outside"),
        (in_passing, fuzz_running.FoundError, "written outside"),
        (greedy, MemoryError, None),
    ):
        monkeypatch.setitem(TARGETS, "bad", target)
        with pytest.raises(found, match=says):
            run("bad", b"")
    assert run("settings", b"{}") == ""


def test_the_hosted_run_feeds_everything_for_minutes_with_each_engine() -> None:
    workflow = Path(__file__).parents[2] / ".github" / "workflows" / "fuzz.yml"
    job = yaml.safe_load(workflow.read_text("utf-8"))["jobs"]["fuzz"]
    assert tuple(job["strategy"]["matrix"]["engine"]) == ENGINES
    (command,) = (step["run"] for step in job["steps"] if "fuzz.py" in step.get("run", ""))
    assert "--target" not in command
    assert "--engine ${{ matrix.engine }}" in command
    minutes = float(command.split("--minutes ")[1].split()[0])
    assert 5 <= minutes < job["timeout-minutes"] / 2, "setting up takes its time too"
