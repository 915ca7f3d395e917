"""Whole numbers that no machine number holds: a line of such a file is refused, and no program ends by it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from companion.cli.main import main
from engine.files.json_text import parse_json

LARGEST = int(1.7e308)


def test_json_with_a_number_too_large_is_none() -> None:
    with pytest.raises(json.JSONDecodeError, match="a number is too long"):
        parse_json("[" + "9" * 400 + "]")


@pytest.mark.parametrize("number", [0, -7, LARGEST, -LARGEST])
def test_json_with_large_numbers_is_read(number: int) -> None:
    assert parse_json(f'{{"t": {number}}}') == {"t": number}


def test_an_event_that_is_too_sure(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    events = tmp_path / "events.jsonl"
    sound = {"t": 1, "event": "deal", "confidence": 1}
    events.write_text(json.dumps(sound).replace('"confidence": 1', '"confidence": ' + "9" * 400) + "\n")
    assert main(["record", str(events), "--from-events", "winnersh", "--players", "A,B"]) != 0
    said = capsys.readouterr().err.strip()
    assert "a number is too long" in said
    assert len(said.splitlines()) == 1
