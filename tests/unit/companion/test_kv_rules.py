"""Every rule of a kv file is about a widget that there is: Kivy says nothing where there is none."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from companion import app

SCREENS = Path(str(app.__file__)).parent / "screens"
OF_KIVY = {"ScrollView"}
CLASSES = {
    name
    for path in SCREENS.rglob("*.py")
    for name in re.findall(r"^ *class (\w+)", path.read_text("utf-8"), re.MULTILINE)
}


@pytest.mark.parametrize("path", sorted(SCREENS.glob("*.kv")), ids=lambda path: path.name)
def test_a_rule_is_about_a_widget_that_there_is(path: Path) -> None:
    rules = re.findall(r"^<([^>]+)>", path.read_text("utf-8"), re.MULTILINE)
    assert rules or "canvas" not in path.read_text("utf-8")
    named = {name.strip().lstrip("-+") for rule in rules for name in rule.split(",") if "@" not in rule}
    assert named <= CLASSES | OF_KIVY
