"""The sample of judged situations that comes with the rules, where it is at hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine.judging.judge import judge

FACTS = Path(__file__).parents[4] / "shared" / "facts"


def facts() -> list[dict[str, Any]]:
    lines = [line for file in sorted(FACTS.glob("*.jsonl")) for line in file.read_text("utf-8").splitlines()]
    return [json.loads(line) for line in lines]


@pytest.mark.skipif(not facts(), reason="the sample of facts (../shared/facts) is not here")
@pytest.mark.parametrize("fact", facts(), ids=lambda fact: f"{fact['rule']}-{fact['id']}")
def test_fact(fact: dict[str, Any]) -> None:
    ruling = judge(fact["situation"])
    found = {**ruling.get("effects", {}), **ruling}
    for name, expected in fact["expect"].items():
        if name == "left":
            assert expected in found[name]
        else:
            assert found[name] == expected, fact["says"]
    if fact["expect"].get("verdict") == "illegal":
        assert fact["rule"] in [breach["rule"] for breach in ruling["breaches"]]
