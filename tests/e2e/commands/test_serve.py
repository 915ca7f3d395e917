"""`shithead serve`: the referee without a window, from its first line to Ctrl-C."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from companion.cli.main import main
from tests.support.polite_film import polite_film

pytest.importorskip("aiohttp", reason="the extra `phone` is not installed")

from tests.support.excerpt import write_excerpt
from tests.support.phones import phone

HERE = ["--host", "127.0.0.1", "--port", "0"]


@contextmanager
def served(*arguments: str) -> Iterator[tuple[subprocess.Popen[str], dict[str, Any]]]:
    """Start the command, and yield it with its first line."""
    command = [sys.executable, "-m", "companion.cli", "serve", *HERE, *arguments]
    # Where tests run in the background, SIGINT may be ignored, and programs inherit that.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    program = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    signal.signal(signal.SIGINT, before)
    try:
        assert program.stdout is not None
        line = program.stdout.readline()
        assert line, program.stderr.read() if program.stderr else ""
        yield program, json.loads(line)
    finally:
        program.kill()
        program.wait()


def test_the_first_line_has_the_addresses_and_ctrl_c_ends_it_cleanly() -> None:
    with served("--players", "Ann,Bob,Cat") as (program, line):
        assert line["event"] == "serving"
        assert line["join"].startswith("https://127.0.0.1:")
        assert line["view"].startswith("https://127.0.0.1:")
        assert line["join"] != line["view"]
        assert len(line["fingerprint"]) == 32 * 3 - 1

        async def look() -> dict[str, Any]:
            async with phone(line["view"]) as screen:
                return await screen.hear("state", lambda state: state.get("table"))

        assert [player["name"] for player in asyncio.run(look())["table"]["players"]] == ["Ann", "Bob", "Cat"]
        program.send_signal(signal.SIGINT)
        out, err = program.communicate(timeout=60)
    assert program.returncode == 0
    assert out == ""
    assert line["join"] in err
    assert "Traceback" not in err


def test_the_events_of_a_film_are_printed_and_shown(tmp_path: Path) -> None:
    """The film begins when the cards lie there."""
    events, film = tmp_path / "events.jsonl", write_excerpt(tmp_path / "dealt.avi", seconds=5.0)
    players = ",".join(polite_film().players)
    with served(str(film), "--players", players, "--events", str(events)) as (program, line):

        async def see_the_deal() -> dict[str, Any]:
            async with phone(line["view"]) as screen:
                return await screen.hear("state", lambda state: state.get("log"))

        shown = asyncio.run(see_the_deal())
        program.send_signal(signal.SIGINT)
        program.communicate(timeout=60)
    assert program.returncode == 0
    assert shown["log"][0]["text"] == "The cards are dealt"
    assert json.loads(events.read_text().splitlines()[0])["event"] == "deal"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--port", "x"], "not a port from 0 to 65534"),
        (["--host", "203.0.113.7"], "port 8443 on 203.0.113.7: "),
        (["missing.mp4"], "missing.mp4: no such file"),
        (["127.0.0.1:9/video"], "http://127.0.0.1:9/video: "),
        (["--rules", "nonsense"], "nonsense"),
        (["--players", "Ann,Ann"], "'Ann' is named twice"),
    ],
)
def test_bad_input_gets_one_line(arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        status = main(["serve", *arguments])
    except SystemExit as ended:
        status = int(ended.code or 0)
    err = capsys.readouterr().err.strip().splitlines()
    assert status == 2
    assert says in err[-1]


def test_events_never_overwrite_the_deck(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("vision.decks.deck_files.decks_folder", lambda: tmp_path)
    deck = tmp_path / "pub.npz"
    deck.write_bytes(b"a deck")
    assert main(["serve", "--deck", "pub", "--events", str(deck)]) == 2
    assert f"--events {deck}: is also an input" in capsys.readouterr().err
    assert deck.read_bytes() == b"a deck"


def test_without_the_extra_one_line_says_how_to_add_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("companion.phone.optional_packages.PACKAGES", ("no_such_package",))
    assert main(["serve"]) == 2
    err = capsys.readouterr().err
    assert "no_such_package is missing; add it with: pip install 'shithead-referee[phone]'" in err
    assert len(err.splitlines()) == 1


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_phones_find_a_program_again_that_was_killed() -> None:
    async def see(address: str) -> dict[str, Any]:
        async with phone(address) as screen:
            return await screen.hear("state", lambda state: "phase" in state)

    with served() as (program, before):
        asyncio.run(see(before["view"]))
        program.kill()
        program.wait()
        port = before["view"].split(":")[2].partition("/")[0]
        with served("--port", port) as (_again, now):
            assert {name: now[name] for name in ("join", "view", "fingerprint")} == {
                name: before[name] for name in ("join", "view", "fingerprint")
            }
            assert asyncio.run(see(before["view"]))["phase"] in ("opening", "watching")


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_it_ends_on_sigterm_too() -> None:
    with served() as (program, _line):
        program.terminate()
        program.communicate(timeout=60)
    assert program.returncode == 0
