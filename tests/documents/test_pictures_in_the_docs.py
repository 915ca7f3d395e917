"""Every screen of the app, and every sheet that opens over one, has its photograph in the docs."""

from __future__ import annotations

import ast
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest
from PIL import Image
from PIL.PngImagePlugin import PngImageFile

ROOT = Path(__file__).parents[2]
MOST_KB = 700
COMES_AND_GOES = {"QuestionBar", "DemonstrationLine", "EnrolPanel", "NightPlot"}
"""Parts of a screen that are not always there, and change what is to be done."""

BY_ITSELF = {"LabelScreen"}
"""It is in `docs/label.png`: the scenario `breach` of `tests/e2e/windows/drive_label.py`."""


def load_script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("screens_script", ROOT / "scripts" / "screens.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # its dataclass looks itself up there
    spec.loader.exec_module(module)
    return module


SCRIPT = load_script()


def shown_classes() -> set[str]:
    """The classes of the app that are screens or sheets, and on which no other is built."""
    bases: dict[str, list[str]] = {}
    for path in (ROOT / "companion" / "app" / "screens").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ClassDef):
                bases[node.name] = [base.id for base in node.bases if isinstance(base, ast.Name)]

    def opens(name: str) -> bool:
        above = bases.get(name, [])
        return name in ("Page", "ModalView", "Popup") or any(map(opens, above))

    built_on = {base for above in bases.values() for base in above}
    return {name for name in bases if opens(name) or name.endswith("Screen")} - built_on


def test_every_screen_and_every_sheet_is_photographed() -> None:
    shown = {shot.shows for rows in SCRIPT.PICTURES.values() for row in rows for shot in row}
    there = shown_classes()
    assert {"TableScreen", "SetupScreen", "MoreScreen", "Tour", "DragPlaces", "TapPlaces"} <= there
    assert shown == (there | COMES_AND_GOES) - BY_ITSELF


def test_what_shows_a_table_of_a_game_shows_real_pictures_of_one() -> None:
    """They come from the sample film; a table that is only asked about, or none yet, may be a drawn one."""
    shots = [shot for rows in SCRIPT.PICTURES.values() for row in rows for shot in row]
    of_a_game = [
        shot
        for shot in shots
        if shot.below in ("The table", "On its side", "The log", "One event", "The sample film")
    ]
    of_a_game += [shot for shot in shots if shot.shows in ("CorrectSheet", "ReplayView")]
    assert len(of_a_game) == 8
    assert {shot.scenario for shot in of_a_game} == {"filmed"}


@pytest.mark.parametrize("name", SCRIPT.PICTURES)
def test_the_picture_in_the_docs_shows_what_the_list_says(name: str) -> None:
    """Else scripts/screens.py has changed since it was made."""
    path = ROOT / "docs" / name
    with Image.open(path) as picture:
        assert isinstance(picture, PngImageFile)
        assert picture.text[SCRIPT.CONTENTS] == SCRIPT.contents(SCRIPT.PICTURES[name])
    assert path.stat().st_size < MOST_KB * 1000


@pytest.mark.parametrize("name", SCRIPT.PICTURES)
def test_the_docs_show_the_picture(name: str) -> None:
    pages = {page.name: page.read_text("utf-8") for page in (ROOT / "docs").glob("*.md")}
    assert f"]({name})" in pages["first-evening.md"]
    assert f"]({name})" in pages["commands.md"]
